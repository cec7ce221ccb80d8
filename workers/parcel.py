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

_NONE = -1


def pack_batch(batch: Batch) -> Parcel:
    """Pack units; their costs stay behind, since a worker does not need them."""
    heads: list[tuple[int, ...]] = [
        (u.number, u.attempt, _number(u.budget), _number(u.listing), u.unique, u.recount, u.rows.shape[0])
        for u in batch
    ]
    data, words = _join([unit.rows for unit in batch])
    return data, words, heads, ()


def unpack_batch(parcel: Parcel) -> Iterator[WorkUnit]:
    """Undo `pack_batch`; every unit has cost 1."""
    data, words, heads, _ = parcel
    sizes = [head[-1] for head in heads]
    for (number, attempt, budget, listing, unique, recount, _), rows in zip(
        heads, _cut(data, words, sizes), strict=True
    ):
        options = (_optional(listing), bool(unique), bool(recount))
        yield WorkUnit(number, rows, 1, _optional(budget), attempt, *options)


def pack_results(done: Sequence[UnitResult]) -> Parcel:
    """Pack the results of one batch, all by the same worker."""
    lists = [r.solutions for r in done if r.solutions is not None]
    data, words = _join([*(r.rest for r in done), *lists])
    heads = []
    for r in done:
        listed = None if r.solutions is None else r.solutions.shape[0]
        times = (r.nodes, round(r.seconds * 1e9))
        head = (r.number, r.attempt, _number(r.budget), r.rest.shape[0], _number(listed), *times)
        heads.append((*head, *r.counts))
    return data, words, heads, (done[0].worker, done[0].host, done[0].kernel)


def unpack_results(parcel: Parcel) -> tuple[UnitResult, ...]:
    """Undo `pack_results`; seconds are rounded to nanoseconds."""
    data, words, heads, (worker, host, kernel) = parcel
    sizes = [head[3] for head in heads] + [max(head[4], 0) for head in heads]
    arrays = list(_cut(data, words, sizes))
    made = []
    for head, rest, solutions in zip(heads, arrays, arrays[len(heads) :], strict=False):
        number, attempt, budget, _, listed, nodes, nanoseconds, *counts = head
        known = (number, attempt, _optional(budget), tuple(counts), nodes, rest, nanoseconds / 1e9)
        texts = (worker, host, kernel)
        made.append(UnitResult(*known, *texts, None if listed == _NONE else solutions))
    return tuple(made)


def _number(optional: int | None) -> int:
    return _NONE if optional is None else optional


def _optional(number: int) -> int | None:
    return None if number == _NONE else number


def _join(arrays: list[Rows]) -> tuple[bytes, int]:
    joined = np.concatenate(arrays)
    return joined.astype("<u8", copy=False).tobytes(), joined.shape[1]


def _cut(data: bytes, words: int, sizes: list[int]) -> Iterator[Rows]:
    # A copy, because kernels are compiled for arrays that may be written to.
    rows = np.frombuffer(data, "<u8").astype(np.uint64).reshape(sum(sizes), words)
    ends = np.cumsum(sizes)
    for size, end in zip(sizes, ends, strict=True):
        yield rows[end - size : end]
