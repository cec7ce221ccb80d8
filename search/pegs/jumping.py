"""Kernels of peg solitaire: all jumps of many positions, and which positions are goals."""

from typing import Any

import numpy as np

from frontrow.search.bits import count_ones, lowest_one
from frontrow.search.kernel import kernel


@kernel
def expand_rows(rows: Any, flips: Any, possible: Any, places: Any, shifts: Any, masks: Any) -> Any:
    """Make all jumps of every position, in the order of `frontrow.search.pegs.jumps.Jumps`.

    Args:
        rows: shape ``(n, words)``, ``uint64``.
        flips: as in `Jumps`, like the four after it.
        possible: shape ``(chunks, entries, groups)``, ``uint64``.
        places: shape ``(chunks,)``, ``int64``.
        shifts: shape ``(chunks,)``, ``uint64``.
        masks: shape ``(chunks,)``, ``uint64``.

    Returns:
        Children, shape ``(k, words)``, ``uint64``, and each one's parent, shape ``(k,)``, ``int32``.
    """
    count, words, groups = rows.shape[0], rows.shape[1], possible.shape[2]
    found = np.empty((count, groups), np.uint64)
    total = 0
    for index in range(count):
        for group in range(groups):
            jumps = ~np.uint64(0)
            for chunk in range(shifts.shape[0]):
                value = rows[index, places[chunk]] >> shifts[chunk] & masks[chunk]
                jumps &= possible[chunk, value, group]
            found[index, group] = jumps
            total += count_ones(jumps)
    children = np.empty((total, words), np.uint64)
    parents = np.empty(total, np.int32)
    child = 0
    for index in range(count):
        for group in range(groups):
            jumps = found[index, group]
            while jumps != np.uint64(0):
                jump = group * 64 + lowest_one(jumps)
                jumps &= jumps - np.uint64(1)
                for word in range(words):
                    children[child, word] = rows[index, word] ^ flips[jump, word]
                parents[child] = index
                child += 1
    return children, parents


@kernel
def mark_equal(rows: Any, goal: Any, marks: Any) -> None:
    """Mark the rows, shape ``(n, words)``, that are one position, shape ``(words,)``."""
    for index in range(rows.shape[0]):
        same = True
        for word in range(rows.shape[1]):
            same = same and rows[index, word] == goal[word]
        marks[index] = same


@kernel
def mark_single(rows: Any, marks: Any) -> None:
    """Mark the rows, shape ``(n, words)``, with a single peg."""
    one = np.uint64(1)
    for index in range(rows.shape[0]):
        filled = 0
        powers = True
        for word in range(rows.shape[1]):
            value = rows[index, word]
            if value != np.uint64(0):
                filled += 1
                powers = powers and value & (value - one) == np.uint64(0)
        marks[index] = filled == 1 and powers
