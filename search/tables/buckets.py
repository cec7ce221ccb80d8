"""How rows are hashed, and how they are dealt out to the shards that own them.

All that depends on a hash is the same on every machine, in every run and for any size of parts.
"""

import os
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from frontrow.search.kernel import kernel, lean, lean_inlined
from frontrow.search.rows import Rows

Function = TypeVar("Function", bound=Callable[..., Any])
Beside = TypeVar("Beside", NDArray[np.uint64], NDArray[np.uint8])
HALF = np.uint64(32)
"""Bits of a hash's upper half, which alone says who owns a row."""
SEED = np.uint64(0x9E3779B97F4A7C15)
"""The hash of a row without words."""
MOST_SHARDS = 1 << 15
"""Largest number of shards; up to it the rows of one shard still spread evenly over a table."""

_FIRST_FACTOR, _SECOND_FACTOR = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_FIRST_SHIFT, _SECOND_SHIFT, _THIRD_SHIFT = np.uint64(30), np.uint64(27), np.uint64(31)


def wrapping_lean(function: Function) -> Function:
    """A `lean` kernel in which unsigned numbers wrap, without a warning also where it is not compiled."""
    compiled = lean(function)
    if os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0"):
        return compiled
    return np.errstate(over="ignore")(compiled)


@lean_inlined
def mix64(word: Any) -> Any:
    """Mix the bits of a word; no two words become alike (D. Stafford's variant 13 of MurmurHash3, 2011)."""
    word = (word ^ (word >> _FIRST_SHIFT)) * _FIRST_FACTOR
    word = (word ^ (word >> _SECOND_SHIFT)) * _SECOND_FACTOR
    return word ^ (word >> _THIRD_SHIFT)


@lean_inlined
def hash_row(rows: Rows, index: int, words: int) -> Any:
    """The hash of one row, 64 bits."""
    state = SEED
    for word in range(words):
        state = mix64(state ^ rows[index, word])
    return state


@lean_inlined
def _owner(state: Any, shards: Any) -> Any:
    # The upper half as a fraction of 2**32, times the number of shards: as even for 7 as for 8.
    return ((state >> HALF) * shards) >> HALF


@wrapping_lean
def _hash_rows(rows: Rows, out: NDArray[np.uint64]) -> None:
    for index in range(rows.shape[0]):
        out[index] = hash_row(rows, index, rows.shape[1])


@wrapping_lean
def _deal_rows(
    rows: Rows, owners: NDArray[np.uint16], sizes: NDArray[np.int64], ends: NDArray[np.int64], dealt: Rows
) -> None:
    """Sort rows by owner, stable; shard s gets ``dealt[ends[s - 1]:ends[s]]``. All `sizes` are 0."""
    words, shards = rows.shape[1], sizes.size
    many = np.uint64(shards)
    for index in range(rows.shape[0]):
        owner = np.int64(_owner(hash_row(rows, index, words), many))
        owners[index] = owner
        sizes[owner] += 1
    total = np.int64(0)
    for shard in range(shards):
        ends[shard] = total
        total += sizes[shard]
    if words == 1:
        for index in range(rows.shape[0]):
            owner = np.int64(owners[index])
            dealt[ends[owner], 0] = rows[index, 0]
            ends[owner] += 1
        return
    for index in range(rows.shape[0]):
        owner = np.int64(owners[index])
        for word in range(words):
            dealt[ends[owner], word] = rows[index, word]
        ends[owner] += 1


@kernel
def _deal_beside(
    beside: NDArray[Any], owners: NDArray[np.uint16], ends: NDArray[np.int64], dealt: NDArray[Any]
) -> None:
    """Sort what belongs to rows as `_deal_rows` did these; `ends` are where shards begin."""
    for index in range(beside.shape[0]):
        owner = np.int64(owners[index])
        for column in range(beside.shape[1]):
            dealt[ends[owner], column] = beside[index, column]
        ends[owner] += 1


def hashes(rows: Rows) -> NDArray[np.uint64]:
    """The hash of each row, shape ``(n,)``."""
    out = np.empty(rows.shape[0], np.uint64)
    _hash_rows(rows, out)
    return out


def route(rows: Rows, beside: Beside | None, shards: int) -> list[tuple[Rows, Beside | None]]:
    """Part rows by the shard that owns them.

    Args:
        rows: shape ``(n, words)``.
        beside: what belongs to each, such as the ways to it; shape ``(n, any)``, or None.
        shards: how many there are, up to `MOST_SHARDS`.

    Returns:
        For each shard its rows, in their order, and what belongs to them. All rows share one array.
    """
    if shards == 1:
        return [(rows, beside)]
    owners = np.empty(rows.shape[0], np.uint16)
    sizes, ends = np.zeros(shards, np.int64), np.empty(shards, np.int64)
    dealt = np.empty_like(rows)
    _deal_rows(rows, owners, sizes, ends, dealt)
    starts = np.zeros(shards, np.int64)
    starts[1:] = ends[:-1]
    bounds = list(zip(starts.tolist(), ends.tolist(), strict=True))
    if beside is None:
        return [(dealt[start:end], None) for start, end in bounds]
    theirs = np.empty_like(beside)
    _deal_beside(beside, owners, starts, theirs)
    return [(dealt[start:end], theirs[start:end]) for start, end in bounds]
