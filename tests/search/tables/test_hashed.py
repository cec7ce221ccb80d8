from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontrow.search.errors import TableError
from frontrow.search.rows import Rows
from frontrow.search.tables import lines
from frontrow.search.tables.buckets import hashes, route
from frontrow.search.tables.hashed import HashTable
from tests.search.tables.table_support import (
    ONES,
    Key,
    PlainTable,
    assert_same_layer,
    counts_of,
    current_of,
    keys_of,
    rows_of,
)

Layers = list[list[list[tuple[Key, int]]]]


@st.composite
def layers(draw: st.DrawFn) -> tuple[int, Layers]:
    """Words a row, and a few layers of a few parts of rows with numbers."""
    words = draw(st.sampled_from([1, 2, 4]))
    word = st.sampled_from([0, 1, 2, 3, 1 << 63, ONES])
    number = st.sampled_from([0, 1, 2, ONES, ONES << 50])
    part = st.lists(st.tuples(st.tuples(*[word] * words), number), max_size=12)
    return words, draw(st.lists(st.lists(part, max_size=3), max_size=6))


@settings(deadline=None)
@given(layers(), st.booleans())
def test_layers_are_those_of_sets(given_layers: tuple[int, Layers], paths: bool) -> None:
    words, parts = given_layers
    table, plain = HashTable(words, paths=paths), PlainTable(None)
    for layer in parts:
        for part in layer:
            keys, numbers = [key for key, _ in part], [number for _, number in part]
            table.absorb(rows_of(keys, words), counts_of(numbers) if paths else None)
            plain.absorb(keys, numbers)
        assert table.close_layer() == plain.close_layer()
        assert_same_layer(table, plain, paths=paths)


@settings(deadline=None)
@given(layers(), st.booleans(), st.integers(1, 4))
def test_shards_of_any_number_go_on_from_what_others_kept(
    given_layers: tuple[int, Layers], paths: bool, shards: int
) -> None:
    words, parts = given_layers
    tables, plain = [HashTable(words, paths=paths)], PlainTable(None)
    for layer in [[], *parts]:
        for part in layer:
            keys, numbers = [key for key, _ in part], [number for _, number in part]
            plain.absorb(keys, numbers)
            dealt = route(rows_of(keys, words), counts_of(numbers) if paths else None, len(tables))
            for table, (rows, counts) in zip(tables, dealt, strict=True):
                table.absorb(rows, counts)
        assert sum(table.close_layer() for table in tables) == plain.close_layer()
        others = [HashTable(words, paths=paths) for _ in range(shards)]
        visited: list[Key] = []
        for table in tables:
            for role, rows, counts in table.kept():
                visited += keys_of(rows) if role == "visited" else []
                for other, (some, numbers_) in zip(others, route(rows, counts, shards), strict=True):
                    other.restore(role, some, numbers_)
        for other in others:
            other.restored()
        assert sorted(visited) == sorted(plain.earlier())
        tables = others
        assert sorted(key for table in tables for key in keys_of(current_of(table).rows)) == sorted(
            plain.current()
        )


def test_with_a_lookback_only_the_last_layers_are_kept() -> None:
    table = HashTable(1, 2)
    for layer in ([1], [2, 3], [4, 1], [5]):
        table.absorb(rows_of([(key,) for key in layer], 1))
        table.close_layer()
    kept = [(role, keys_of(rows)) for role, rows, _ in table.kept()]
    assert kept == [("current", [(5,)]), ("before", [(4,)])]
    again = HashTable(1, 2)
    for role, rows, counts in table.kept():
        again.restore(role, rows, counts)
    again.restored()
    again.absorb(rows_of([(4,), (5,), (6,)], 1))
    assert again.close_layer() == 1


def test_reading_what_is_kept_halfway_leaves_the_table_as_it_was() -> None:
    table = HashTable(1)
    for layer in ([1, 2], [3]):
        table.absorb(rows_of([(key,) for key in layer], 1))
        table.close_layer()
    reader = table.kept()
    assert [next(reader)[0], next(reader)[0]] == ["current", "visited"]
    reader.close()
    table.absorb(rows_of([(4,)], 1))
    table.close_layer()
    visited = [key for role, rows, _ in table.kept() if role == "visited" for key in keys_of(rows)]
    assert sorted(visited) == [(1,), (2,), (3,)]


@pytest.mark.jit
@pytest.mark.parametrize("words", [1, 2])
def test_a_table_that_grows_to_a_million_states_stays_exact_and_small(words: int) -> None:
    random = np.random.default_rng(words)
    table, seen = HashTable(words), np.empty(0, np.uint64)
    for size in (10, 1_000, 100_000, 900_000, 400_000):
        rows = np.zeros((size, words), np.uint64)
        rows[:, 0] = random.integers(0, 1_000_000, size).astype(np.uint64)
        for lo in range(0, size, 65_536):
            need = table.nbytes + table.need(rows[lo : lo + 65_536].shape[0])
            table.absorb(rows[lo : lo + 65_536])
            assert table.nbytes <= need
        new = np.setdiff1d(rows[:, 0], seen)
        assert table.close_layer() == new.size
        assert np.array_equal(np.sort(current_of(table).rows[:, 0]), new)
        seen = np.union1d(seen, new)
    for _ in range(2):
        table.absorb(rows[:0])
        table.close_layer()
    assert table.nbytes < 2.05 * 11.43 * words * seen.size


@pytest.mark.jit
def test_a_set_that_is_parted_into_groups_stays_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("frontrow.search.tables.rowset.LARGE", 1 << 10)
    table = HashTable(1)
    rows = np.arange(60_000, dtype=np.uint64).reshape(-1, 1)
    for lo in range(0, 60_000, 999):
        need = table.nbytes + table.need(999)
        table.absorb(rows[lo : lo + 999])
        assert table.nbytes <= need
        table.absorb(rows[: lo + 500])
    assert table.close_layer() == 60_000
    table.absorb(np.arange(59_000, 61_000, dtype=np.uint64).reshape(-1, 1))
    assert table.close_layer() == 1_000
    visited = np.concatenate([part for role, part, _ in table.kept() if role == "visited"])
    assert np.array_equal(np.sort(visited[:, 0]), rows[:, 0])


@pytest.mark.jit
def test_groups_grow_one_after_the_other_so_that_memory_grows_with_the_states(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("frontrow.search.tables.rowset.LARGE", 1 << 10)
    rows = np.arange(240_000, dtype=np.uint64).reshape(-1, 1)
    table = HashTable(1)
    table.absorb(rows[:60_000])
    for lo in range(60_000, 240_000, 5_000):
        table.close_layer()
        table.absorb(rows[:0])
        table.close_layer()
        assert 13 < table.nbytes / lo < 18.5
        table.absorb(rows[lo : lo + 5_000])


def test_ways_past_128_bits_are_an_error() -> None:
    table = HashTable(1, paths=True)
    table.absorb(rows_of([(7,)], 1), counts_of([(1 << 128) - 1]))
    with pytest.raises(TableError, match="ways to a state"):
        table.absorb(rows_of([(7,)], 1), counts_of([1]))


def test_parts_of_all_states_are_spread_over_the_hashes():
    # In the order of hashes they would crowd at the beginning of a smaller table that takes them over.
    table = HashTable(1)
    table.absorb(np.arange(600_000, dtype=np.uint64)[:, None])
    table.close_layer()
    table.absorb(np.array([[1 << 40]], np.uint64))
    table.close_layer()
    visited = [rows for role, rows, _ in table.kept() if role == "visited"]
    assert sum(rows.shape[0] for rows in visited) == 600_000
    for rows in visited:
        for shift in (0, 32):
            halves = hashes(rows) >> np.uint64(shift) & np.uint64(0xFFFFFFFF)
            assert np.median(halves) == pytest.approx(2**31, rel=0.1)


def test_counted_rows_are_not_compared_in_the_order_of_their_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    # They would crowd at the beginning of the set of all states whenever that grows.
    table, given = HashTable(1, paths=True), list[Rows]()
    table.absorb(np.arange(400, dtype=np.uint64)[:, None], counts_of([1] * 400))
    insert = lines.insert_rows

    def seen(heads: Any, ring: Any, columns: lines.Columns, *others: Any) -> Any:
        given.append(columns.rows)
        return insert(heads, ring, columns, *others)

    monkeypatch.setattr(lines, "insert_rows", seen)
    assert table.close_layer() == 400
    low = [hashes(rows) & np.uint64(0xFFFFFFFF) for rows in given if rows.shape[0]]
    assert len(low) >= 16
    assert all(part.max() - part.min() > 1 << 31 for part in low)


def test_blocks_of_an_old_layer_are_filled_again() -> None:
    table = HashTable(1, 2)
    held = []
    for layer in range(6):
        table.absorb(np.arange(layer * 5000, layer * 5000 + 5000, dtype=np.uint64)[:, None])
        assert table.close_layer() == 5000
        assert sorted(current_of(table).rows[:, 0].tolist()) == list(range(layer * 5000, layer * 5000 + 5000))
        before = [rows for role, rows, _ in table.kept() if role == "before"]
        assert layer == 0 or np.concatenate(before).min() == (layer - 1) * 5000
        held.append({rows.__array_interface__["data"][0] for rows, _ in table._current.parts()})
    assert held[3:] == held[:3]
