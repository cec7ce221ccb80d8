"""Batches and results as they travel between processes: few objects, one array of rows a batch."""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np

from frontrow.search.rows import Rows
from frontrow.workers.unit import Batch, UnitResult, WorkUnit

Parcel: TypeAlias = tuple[bytes, int, list[tuple[int, ...]], tuple[str, ...]]
"""Rows as little-endian bytes, words a row, one tuple of numbers a unit, and texts that all units share.

Pickling hundreds of small arrays costs more than tallying small units; one string of bytes costs nothing.
"""

_NO_BUDGET = -1


def pack_batch(batch: Batch) -> Parcel:
    """Pack units; their costs stay behind, since a worker does not need them."""
    heads: list[tuple[int, ...]] = [
        (unit.number, unit.attempt, _number(unit.budget), unit.rows.shape[0]) for unit in batch
    ]
    data, words = _join([unit.rows for unit in batch])
    return data, words, heads, ()


def unpack_batch(parcel: Parcel) -> Iterator[WorkUnit]:
    """Undo `pack_batch`; every unit has cost 1."""
    data, words, heads, _ = parcel
    sizes = [head[3] for head in heads]
    for (number, attempt, budget, _), rows in zip(heads, _cut(data, words, sizes), strict=True):
        yield WorkUnit(number, rows, 1, _budget(budget), attempt)


def pack_results(done: Sequence[UnitResult]) -> Parcel:
    """Pack the results of one batch, all by the same worker."""
    data, words = _join([result.rest for result in done])
    heads = [
        (r.number, r.attempt, _number(r.budget), r.rest.shape[0], r.nodes, round(r.seconds * 1e9), *r.counts)
        for r in done
    ]
    return data, words, heads, (done[0].worker, done[0].host, done[0].kernel)


def unpack_results(parcel: Parcel) -> tuple[UnitResult, ...]:
    """Undo `pack_results`; seconds are rounded to nanoseconds."""
    data, words, heads, (worker, host, kernel) = parcel
    rests = _cut(data, words, [head[3] for head in heads])
    made = []
    for (number, attempt, budget, _, nodes, nanoseconds, *counts), rest in zip(heads, rests, strict=True):
        known = (number, attempt, _budget(budget), tuple(counts), nodes, rest, nanoseconds / 1e9)
        made.append(UnitResult(*known, worker, host, kernel))
    return tuple(made)


def _number(budget: int | None) -> int:
    return _NO_BUDGET if budget is None else budget


def _budget(number: int) -> int | None:
    return None if number == _NO_BUDGET else number


def _join(arrays: list[Rows]) -> tuple[bytes, int]:
    joined = np.concatenate(arrays)
    return joined.astype("<u8", copy=False).tobytes(), joined.shape[1]


def _cut(data: bytes, words: int, sizes: list[int]) -> Iterator[Rows]:
    # A copy, because kernels are compiled for arrays that may be written to.
    rows = np.frombuffer(data, "<u8").astype(np.uint64).reshape(sum(sizes), words)
    ends = np.cumsum(sizes)
    for size, end in zip(sizes, ends, strict=True):
        yield rows[end - size : end]
