from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontrow.search.errors import TableError
from frontrow.search.tables.hashed import HashTable
from frontrow.search.tables.layers import LayerPair
from frontrow.search.tables.rowset import RowSet
from tests.search.tables.table_support import (
    ONES,
    Key,
    PlainTable,
    assert_same_layer,
    counts_of,
    current_of,
    keys_of,
    numbers_of,
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
@given(layers(), st.sampled_from([0, 1, 2]), st.booleans())
def test_layers_are_those_of_sets(given_layers: tuple[int, Layers], lookback: int, paths: bool) -> None:
    words, parts = given_layers
    table, plain = LayerPair(words, lookback, paths=paths), PlainTable(lookback)
    for layer in parts:
        for part in layer:
            keys, numbers = [key for key, _ in part], [number for _, number in part]
            table.absorb(rows_of(keys, words), counts_of(numbers) if paths else None)
            plain.absorb(keys, numbers)
        assert table.close_layer() == plain.close_layer()
        assert_same_layer(table, plain, paths=paths)


@settings(deadline=None)
@given(layers(), st.sampled_from([0, 2]), st.booleans())
def test_a_restored_table_goes_on_alike(given_layers: tuple[int, Layers], lookback: int, paths: bool) -> None:
    words, parts = given_layers
    table, plain = LayerPair(words, lookback, paths=paths), PlainTable(lookback)
    for layer in [[], *parts]:
        for part in layer:
            keys, numbers = [key for key, _ in part], [number for _, number in part]
            table.absorb(rows_of(keys, words), counts_of(numbers) if paths else None)
            plain.absorb(keys, numbers)
        assert table.close_layer() == plain.close_layer()
        again = LayerPair(words, lookback, paths=paths)
        before: list[Key] = []
        for role, rows, counts in table.kept():
            again.restore(role, rows, counts)
            before += keys_of(rows) if role == "before" else []
        again.restored()
        assert sorted(before) == (sorted(plain.before()) if lookback else [])
        table = again
        assert_same_layer(table, plain, paths=paths)


@pytest.mark.jit
@pytest.mark.parametrize("large", [8, 20])
@pytest.mark.parametrize("make", [lambda: LayerPair(1, 2), lambda: HashTable(1)], ids=["layers", "hash"])
def test_a_set_that_knows_what_is_restored_does_not_grow_meanwhile(
    make: Callable[[], LayerPair | HashTable], large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Rows in the order of their hashes crowd in a set that grows: each looks through all full lines then.
    monkeypatch.setattr("frontrow.search.tables.rowset.LARGE", 1 << large)
    table, random = make(), np.random.default_rng(1)
    for size in (7_000, 50_000):
        table.absorb(random.integers(0, 1 << 62, size).astype(np.uint64)[:, None])
        table.close_layer()
    kept = [(role, rows.copy(), counts) for role, rows, counts in table.kept()]
    again, grown = make(), list[int]()
    again.expect(57_000)
    monkeypatch.setattr(RowSet, "_make_room", lambda self, why: grown.append(why))
    for role, rows, counts in kept:
        again.restore(role, rows, counts)
    again.restored()
    assert not grown
    assert current_of(again).rows.shape[0] == 50_000
    assert again.nbytes < 57_000 * 8 * 2.5


@pytest.mark.jit
@pytest.mark.parametrize(
    ("words", "paths", "large"), [(1, False, 20), (1, True, 10), (3, False, 20), (1, False, 10)]
)
def test_layers_that_grow_and_shrink_a_hundredfold_stay_exact(
    monkeypatch: pytest.MonkeyPatch, words: int, paths: bool, large: int
) -> None:
    # Sets of 2**large lines and more are parted into groups.
    monkeypatch.setattr("frontrow.search.tables.rowset.LARGE", 1 << large)
    random = np.random.default_rng(words)
    table = LayerPair(words, 2, paths=paths)
    held: list[set[Key]] = [set(), set()]
    for size in (1, 300, 40_000, 90_000, 50_000, 40, 0, 7):
        rows = np.zeros((size, words), np.uint64)
        rows[:, -1] = random.integers(0, 60_000, size).astype(np.uint64)
        counts = counts_of([1] * size) if paths else None
        for lo in range(0, size, 7_001):
            need = table.nbytes + table.need(rows[lo : lo + 7_001].shape[0])
            table.absorb(rows[lo : lo + 7_001], None if counts is None else counts[lo : lo + 7_001])
            assert table.nbytes <= need
        new = set(keys_of(rows)) - held[-1] - held[-2]
        assert table.close_layer() == len(new)
        assert table.nbytes <= max(need, table.need(0)) + 4096
        assert set(keys_of(current_of(table).rows)) == new
        numbers = current_of(table).counts
        if numbers is not None:
            values, ways = np.unique(rows[:, -1], return_counts=True)
            wanted = dict(zip(values.tolist(), ways.tolist(), strict=True))
            found = zip(current_of(table).rows[:, -1].tolist(), numbers_of(numbers), strict=True)
            assert all(wanted[key] == number for key, number in found)
        held.append(new)
    assert table.nbytes < 20_000


def test_ways_are_added_beyond_64_bits_and_an_overflow_of_128_is_an_error() -> None:
    table = LayerPair(1, 0, paths=True)
    rows = rows_of([(0,)], 1)
    for number in (ONES, 1, (ONES - 1) << 64):
        table.absorb(rows, counts_of([number]))
    with pytest.raises(TableError, match=r"ways to a state: found 2\^128 or more, expected less"):
        table.absorb(rows, counts_of([1 << 64]))
    # What did not fit was not added.
    table.absorb(rows, counts_of([ONES]))
    table.close_layer()
    counts = current_of(table).counts
    assert counts is not None
    assert numbers_of(counts) == [(1 << 128) - 1]
    table = LayerPair(1, 0, paths=True)
    table.absorb(rows, counts_of([(1 << 128) - 1]))
    with pytest.raises(TableError):
        table.absorb(rows, counts_of([1]))


def test_ways_to_states_of_earlier_layers_are_not_added() -> None:
    table = LayerPair(1, 2, paths=True)
    rows = rows_of([(5,), (6,)], 1)
    table.absorb(rows, counts_of([1, (1 << 128) - 1]))
    table.close_layer()
    table.absorb(rows, counts_of([1, (1 << 128) - 1]))
    assert table.close_layer() == 0


def test_other_lookbacks_are_refused() -> None:
    with pytest.raises(ValueError, match="lookback: found 3, expected 0 to 2"):
        LayerPair(1, 3)
