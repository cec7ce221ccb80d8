"""A table of Python sets to compare with, and rows that are awkward."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from frontrow.search.rows import Rows
from frontrow.search.tables.table import Counts, Part, Table

Key = tuple[int, ...]
ONES = (1 << 64) - 1


def rows_of(keys: Iterable[Key], words: int) -> Rows:
    return np.array(list(keys), np.uint64).reshape(-1, words)


def counts_of(numbers: Sequence[int]) -> Counts:
    return np.array([[number & ONES, number >> 64] for number in numbers], np.uint64).reshape(-1, 2)


def keys_of(rows: Rows) -> list[Key]:
    return [tuple(row) for row in rows.tolist()]


def numbers_of(counts: Counts) -> list[int]:
    return [low + (high << 64) for low, high in counts.tolist()]


class PlainTable:
    """What a table does, with sets: the layers that are looked back on, None for all."""

    def __init__(self, lookback: int | None) -> None:
        self._lookback = lookback
        self._layers: list[Counter[Key]] = []
        self._making: Counter[Key] = Counter()

    def absorb(self, keys: Sequence[Key], numbers: Sequence[int]) -> None:
        for key, number in zip(keys, numbers, strict=True):
            self._making[key] += number

    def close_layer(self) -> int:
        count = len(self._layers) if self._lookback is None else self._lookback
        known = (
            {key for layer in self._layers[len(self._layers) - count :] for key in layer} if count else set()
        )
        self._layers.append(Counter({key: n for key, n in self._making.items() if key not in known}))
        self._making = Counter()
        return len(self._layers[-1])

    def current(self) -> dict[Key, int]:
        return dict(self._layers[-1])

    def before(self) -> set[Key]:
        return set(self._layers[-2]) if len(self._layers) > 1 else set()

    def earlier(self) -> set[Key]:
        return {key for layer in self._layers[:-1] for key in layer}


def assert_same_layer(table: Table, plain: PlainTable, *, paths: bool) -> None:
    """Both have closed a layer: the same states in it, each once, with the same counts."""
    whole = current_of(table)
    keys = keys_of(whole.rows)
    assert len(keys) == len(set(keys))
    assert set(keys) == set(plain.current())
    counts = whole.counts
    assert not keys or (counts is not None) == paths
    if counts is not None:
        assert dict(zip(keys, numbers_of(counts), strict=True)) == plain.current()


def current_of(table: Table) -> Part:
    """The current layer of a table as one part."""
    found = list(table.current())
    rows = [part.rows for part in found] or [np.empty((0, 1), np.uint64)]
    counts = [part.counts for part in found if part.counts is not None]
    origins = [part.origins for part in found if part.origins is not None]
    return Part(
        np.concatenate(rows),
        np.concatenate(counts) if counts else None,
        np.concatenate(origins) if origins else None,
    )
