"""The bytes that tables say they need are enough: for taking rows in as well as for closing the layer."""

import tracemalloc

import numpy as np
import pytest

from frontrow.search.tables.hashed import HashTable
from frontrow.search.tables.layers import LayerPair

SIZES = (1, 300, 40_000, 90_000, 20_000, 120_000, 3_000, 200_000, 7)
"""Rows of layers: sets grow, shrink, are dealt out to groups, and become one again."""
CHUNK = 9_001
SLACK = 1 << 16
"""Bytes of objects of Python, of rows that are looked for, and of counts that are not asked for."""
CASES = [
    ("layers", 0, False),
    ("layers", 1, False),
    ("layers", 2, False),
    ("layers", 2, True),
    ("hash", None, False),
    ("hash", 2, False),
    ("hash", None, True),
]


@pytest.fixture(autouse=True)
def traced(monkeypatch):
    """Have all memory asked for where Python sees it."""
    monkeypatch.setattr("frontrow.search.tables.address.OWN", 1 << 60)
    tracemalloc.start()
    yield
    tracemalloc.stop()


def peak_of(work):
    """Bytes that something holds at most on top of those held before."""
    before = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    work()
    return tracemalloc.get_traced_memory()[1] - before


@pytest.mark.jit
@pytest.mark.parametrize(("kind", "lookback", "paths"), CASES)
@pytest.mark.parametrize("words", [1, 2])
@pytest.mark.parametrize("large", [9, 12, 20])
def test_no_more_is_held_than_was_said(monkeypatch, kind, lookback, paths, words, large):
    monkeypatch.setattr("frontrow.search.tables.rowset.LARGE", 1 << large)
    random = np.random.default_rng(words)
    make = LayerPair if kind == "layers" else HashTable
    table = make(words, lookback, paths=paths)
    table.absorb(np.zeros((1, words), np.uint64), np.ones((1, 2), np.uint64))  # compiles
    table.close_layer()
    for size in SIZES:
        rows = np.zeros((size, words), np.uint64)
        rows[:, -1] = random.integers(0, 1 << 60, size).astype(np.uint64)
        counts = np.ones((size, 2), np.uint64)
        limit = 0
        for lo in range(0, size, CHUNK):
            some, ways = rows[lo : lo + CHUNK], counts[lo : lo + CHUNK] if paths else None
            limit = table.need(some.shape[0])
            held = table.nbytes
            assert peak_of(lambda some=some, ways=ways: table.absorb(some, ways)) <= limit + SLACK
            limit -= table.nbytes - held
        # What a list of rows is made in is taken page by page, while the blocks that it is made of go.
        limit += size * 8 * words if kind == "hash" and not paths else 0
        assert peak_of(table.close_layer) <= limit + SLACK
