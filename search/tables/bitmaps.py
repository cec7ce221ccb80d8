"""Kernels on bitmaps of ranks: a bit a state, `width` states a group.

Bitmaps are one-dimensional arrays of unsigned integers; that of a shard begins with the group `first`. Where
a whole layer passes through a kernel, bitmaps are seen as 64-bit words, whatever their groups.
"""

from typing import Any

import numpy as np
from numba import int64, uint64

from frontrow.search.bits import count_ones, lowest_one
from frontrow.search.kernel import kernel

BLOCK = 1 << 9
"""Words that are settled together, in the innermost cache."""
_ONE = np.uint64(1)
_NONE = np.uint64(0)


@kernel
def mark_ranks(
    ranks: Any, first: Any, width: Any, visited: Any, following: Any, fresh: Any, listed: Any
) -> Any:
    """Set the bits of ranks in the layer that is being made.

    Args:
        ranks: of this shard, shape ``(n,)``, ``uint64``.
        first: the shard's first group.
        width: states a group.
        visited: the states of earlier layers.
        following: written: the layer that is being made.
        fresh: written: the ranks that are new, as long as there is room for them.
        listed: how many `fresh` has; -1 if it does not have all.

    Returns:
        `listed` afterwards.
    """
    for i in range(ranks.shape[0]):
        rank = int64(ranks[i])
        group = rank // width
        bit = _ONE << uint64(rank - group * width)
        group -= first
        if listed < 0:
            following[group] = uint64(following[group]) | bit
        elif (uint64(following[group]) | uint64(visited[group])) & bit == _NONE:
            following[group] = uint64(following[group]) | bit
            if listed < fresh.shape[0]:
                fresh[listed] = rank
                listed += 1
            else:
                listed = -1
    return listed


@kernel
def settle_ranks(fresh: Any, first: Any, width: Any, visited: Any, mark: Any) -> None:
    """End a layer all of which is listed. Its bits stay where the next layer is made: they are known there.

    Args:
        fresh: the ranks of the layer, shape ``(n,)``, ``uint64``.
        first: the shard's first group.
        width: states a group.
        visited: written.
        mark: a bitmap in which the layer is marked as well, or an array of length 0.
    """
    for i in range(fresh.shape[0]):
        rank = int64(fresh[i])
        group = rank // width
        bit = _ONE << uint64(rank - group * width)
        group -= first
        visited[group] = uint64(visited[group]) | bit
        if mark.shape[0]:
            mark[group] = uint64(mark[group]) | bit


@kernel
def settle_words(visited: Any, current: Any, following: Any, lo: Any, hi: Any) -> Any:
    """End a layer: what is new in it becomes `current` and is visited; returns how many states.

    Args:
        visited: shape ``(n,)``, ``uint64``.
        current: likewise.
        following: the layer in k parts, whose union it is, shape ``(k, n)``; emptied.
        lo: the first word to be settled.
        hi: the one after the last.
    """
    total = 0
    for start in range(lo, hi, BLOCK):
        end = min(start + BLOCK, hi)
        known, layer, found = visited[start:end], current[start:end], following[0, start:end]
        for part in range(1, following.shape[0]):
            more = following[part, start:end]
            for i in range(more.shape[0]):
                found[i] |= more[i]
            for i in range(more.shape[0]):
                more[i] = _NONE
        for i in range(found.shape[0]):
            new = found[i] & ~known[i]
            known[i] |= new
            layer[i] = new
            found[i] = _NONE
            total += count_ones(new)
    return total


@kernel
def list_ranks(bitmap: Any, first: Any, width: Any, start: Any, ranks: Any) -> Any:
    """Write the ranks of the states of a bitmap to `ranks`, ascending.

    Args:
        bitmap: groups from `first` on.
        first: number of the first group.
        width: states a group.
        start: the group to begin with, counted from the first.
        ranks: written, ``uint64``; at least `width` long.

    Returns:
        How many there are, and the group at which it left off: the number of groups if it came to the end.
    """
    count = 0
    for group in range(start, bitmap.shape[0]):
        left = uint64(bitmap[group])
        if left == _NONE:
            continue
        if count + width > ranks.shape[0]:
            return count, group
        base = (first + group) * width
        while left:
            ranks[count] = base + lowest_one(left)
            left &= left - _ONE
            count += 1
    return count, bitmap.shape[0]


@kernel
def has_ranks(ranks: Any, first: Any, width: Any, bitmap: Any, found: Any) -> None:
    """Write which ranks are in a bitmap to `found`, shape ``(n,)``; none is outside of its groups."""
    for i in range(ranks.shape[0]):
        rank = int64(ranks[i])
        group = rank // width
        bit = uint64(rank - group * width)
        found[i] = (uint64(bitmap[group - first]) >> bit) & _ONE != _NONE


@kernel
def sort_by_owner(ranks: Any, width: Any, groups: Any, sorted_ranks: Any, bounds: Any) -> None:
    """Bring ranks into the order of their owners, otherwise as they are.

    Args:
        ranks: shape ``(n,)``, ``uint64``.
        width: states a group.
        groups: of all shards.
        sorted_ranks: written, shape ``(n,)``.
        bounds: written, shape ``(shards + 2,)``; those of owner s lie from ``bounds[s]`` to the next one.
    """
    shards = bounds.shape[0] - 2
    bounds[:] = 0
    for i in range(ranks.shape[0]):
        owner = ((int64(ranks[i]) // width + 1) * shards - 1) // groups
        bounds[owner + 2] += 1
    for owner in range(2, shards + 2):
        bounds[owner] += bounds[owner - 1]
    for i in range(ranks.shape[0]):
        owner = ((int64(ranks[i]) // width + 1) * shards - 1) // groups
        sorted_ranks[bounds[owner + 1]] = ranks[i]
        bounds[owner + 1] += 1
