import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontrow.search.rows import Rows
from frontrow.search.tables.buckets import hashes, route
from tests.search.tables.table_support import ONES, Key, counts_of, keys_of, numbers_of, rows_of

WORD = (1 << 64) - 1
COMPILED_ROWS = 200


@st.composite
def some_rows(draw: st.DrawFn) -> tuple[Rows, int]:
    words = draw(st.sampled_from([1, 2, 4]))
    word = st.one_of(st.integers(0, 3), st.integers(0, ONES), st.just(ONES))
    keys = draw(st.lists(st.tuples(*[word] * words), max_size=60))
    return rows_of(keys, words), words


def plain_hash(key: Key) -> int:
    state = 0x9E3779B97F4A7C15
    for word in key:
        state ^= word
        state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & WORD
        state = (state ^ state >> 27) * 0x94D049BB133111EB & WORD
        state ^= state >> 31
    return state


@settings(deadline=None)
@given(some_rows())
def test_hashes_are_those_of_plain_integers(given_rows: tuple[Rows, int]) -> None:
    rows, _ = given_rows
    assert hashes(rows).tolist() == [plain_hash(key) for key in keys_of(rows)]


@settings(deadline=None)
@given(some_rows(), st.integers(1, 9))
def test_every_row_goes_in_order_to_the_one_owner_that_its_hash_says(
    given_rows: tuple[Rows, int], shards: int
) -> None:
    rows, _ = given_rows
    counts = counts_of([number << 40 for number in range(rows.shape[0])])
    parts = route(rows, counts, shards)
    expected: list[list[tuple[Key, int]]] = [[] for _ in range(shards)]
    for key, number in zip(keys_of(rows), numbers_of(counts), strict=True):
        expected[(plain_hash(key) >> 32) * shards >> 32].append((key, number))
    found = []
    for part, numbers in parts:
        assert numbers is not None
        found.append(list(zip(keys_of(part), numbers_of(numbers), strict=True)))
    assert found == expected
    assert [keys_of(part) for part, _ in route(rows, None, shards)] == [
        [key for key, _ in part] for part in expected
    ]


@settings(deadline=None)
@given(some_rows(), st.integers(1, 7), st.integers(1, 13))
def test_owners_are_the_same_for_any_size_of_parts(
    given_rows: tuple[Rows, int], shards: int, size: int
) -> None:
    rows, _ = given_rows
    whole = [keys_of(part) for part, _ in route(rows, None, shards)]
    pieces: list[list[Key]] = [[] for _ in range(shards)]
    for lo in range(0, rows.shape[0], size):
        for owner, (part, counts) in enumerate(route(rows[lo : lo + size], None, shards)):
            assert counts is None
            pieces[owner] += keys_of(part)
    assert pieces == whole


@pytest.mark.parametrize("shards", [2, 3, 7, 64])
def test_neighbouring_rows_are_dealt_out_evenly(shards: int) -> None:
    rows = np.arange(shards * COMPILED_ROWS, dtype=np.uint64).reshape(-1, 1)
    sizes = [part.shape[0] for part, _ in route(rows, None, shards)]
    assert min(sizes) > COMPILED_ROWS * 0.65
    assert max(sizes) < COMPILED_ROWS * 1.4
