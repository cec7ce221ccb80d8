"""The layout by places: numbers of sets of cells and of orders of tiles, and how a move changes them.

A key is ``set | order << 40``: bit c of the set is cell c of the table's board; the order is the
lexicographic rank of the sequence of the pattern's tiles (0 to k - 1) from the lowest cell up. The number of
a set is the sum of ``C(cell, i)`` over its cells, the i-th from below (the combinatorial number system). Both
halves of the cells have a table of their own, so that these stay in the nearest caches.
"""

import functools
import itertools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frontrow.search.bits import count_ones
from frontrow.search.kernel import inlined

ORDER_SHIFT = 40
"""The lowest bit of the order in a key."""
MOST_ORDINAL = 8
"""Cells of the largest set that is numbered."""
_SHIFT = np.uint64(ORDER_SHIFT)
_SET = np.uint64((1 << ORDER_SHIFT) - 1)
_ONE = np.uint64(1)


@functools.lru_cache(16)
def sequences(tiles: int) -> NDArray[np.uint8]:
    """All orders of tiles in lexicographic order, shape ``(tiles!, tiles)``."""
    flat = itertools.chain.from_iterable(itertools.permutations(range(tiles)))
    found = np.fromiter(flat, np.uint8, math.factorial(tiles) * tiles).reshape(-1, tiles)
    found.setflags(write=False)
    return found


@functools.lru_cache(16)
def turns(tiles: int) -> NDArray[np.uint16]:
    """What becomes of an order when a tile passes others; shape ``(tiles, tiles, tiles!)``.

    ``turns[a, b, order]`` is the order after the a-th tile has become the b-th.
    """
    orders = sequences(tiles)
    scale = 8 ** np.arange(tiles, dtype=np.int64)[:-1]
    ranks = np.zeros(8 ** max(tiles - 1, 1), np.uint16)
    ranks[orders[:, :-1] @ scale] = np.arange(orders.shape[0])
    codes = orders.astype(np.int64)
    table = np.empty((tiles, tiles, orders.shape[0]), np.uint16)
    for before in range(tiles):
        for after in range(tiles):
            moved = [tile for tile in range(tiles) if tile != before]
            moved.insert(after, before)
            table[before, after] = ranks[codes[:, moved[:-1]] @ scale]
    table.setflags(write=False)
    return table


@functools.lru_cache(16)
def set_numbers(cells: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """The two tables that `number_set` adds up: of the low cells, and by how many these hold of the others.

    Returns:
        Shapes ``(2^half,)`` and ``(half + 1, 2^(cells - half))``, where half is ``cells // 2``.
    """
    half = cells // 2
    low, high = np.zeros(1 << half, np.uint32), np.zeros((half + 1, 1 << (cells - half)), np.uint32)
    held = np.zeros(max(low.size, high.shape[1]), np.int64)
    for bit in range(cells - half):
        held[1 << bit : 2 << bit] = held[: 1 << bit] + 1
    for bit in range(half):
        new = slice(1 << bit, 2 << bit)
        low[new] = low[: 1 << bit] + _binomials(bit, held[new])
    for below in range(half + 1):
        for bit in range(cells - half):
            new = slice(1 << bit, 2 << bit)
            high[below, new] = high[below, : 1 << bit] + _binomials(bit + half, held[new] + below)
    return low, high


def _binomials(cell: int, ordinals: NDArray[np.int64]) -> NDArray[np.uint32]:
    """``C(cell, i)``, 0 for sets that are too large to be numbered with 32 bits."""
    known = [math.comb(cell, i) if i <= MOST_ORDINAL else 0 for i in range(int(ordinals.max()) + 1)]
    return np.array(known, np.uint32)[ordinals]


def pack(held: NDArray[np.int64], tiles: int) -> NDArray[np.uint64]:
    """The keys of placements of some tiles, shape ``(n,)``.

    Args:
        held: the number of the tile on each cell of the table's board from 1 on, 0 for none; ``(n, cells)``.
        tiles: of the pattern.
    """
    taken = held > 0
    sets = (taken * (1 << np.arange(held.shape[1]))).sum(axis=1)
    ordered = held[taken].reshape(-1, tiles) - 1
    orders = np.zeros(held.shape[0], np.int64)
    for place in range(tiles):
        smaller = (ordered[:, place + 1 :] < ordered[:, place : place + 1]).sum(axis=1)
        orders += smaller * math.factorial(tiles - 1 - place)
    keys: NDArray[np.uint64] = (sets | orders << ORDER_SHIFT).astype(np.uint64)
    return keys


def indices(keys: NDArray[np.uint64], tiles: int, cells: int) -> NDArray[np.uint64]:
    """The entries of keys within their table, shape ``(n,)``."""
    low, high = set_numbers(cells)
    half = cells // 2
    sets = (keys & _SET).astype(np.int64)
    lower = sets & ((1 << half) - 1)
    below = (lower[:, None] >> np.arange(half) & 1).sum(axis=1)
    numbers = low[lower].astype(np.uint64) + high[below, sets >> half]
    found: NDArray[np.uint64] = numbers * np.uint64(math.factorial(tiles)) + (keys >> _SHIFT)
    return found


@inlined
def number_set(cells: Any, half: Any, low: Any, high: Any) -> Any:
    """The number of a set of cells among the sets of its size; see `set_numbers` (`half` as ``uint64``)."""
    lower = cells & ((_ONE << half) - _ONE)
    return np.uint64(low[lower]) + np.uint64(high[np.uint64(count_ones(lower)), cells >> half])


@inlined
def move_key(key: Any, old: Any, new: Any, tiles: Any, orders: Any, begin: Any, turns: Any) -> Any:
    """The key after a tile of the pattern has moved.

    Args:
        key: before the move.
        old: the tile's cell before the move, as the table's board has it (``uint64``).
        new: its cell afterwards.
        tiles: tiles of the pattern (``uint64``).
        orders: ``tiles!`` (``uint64``).
        begin: where the pattern's turns begin (``uint64``).
        turns: flat, shape ``(any,)``.
    """
    cells = key & _SET
    order = key >> _SHIFT
    before = np.uint64(count_ones(cells & ((_ONE << old) - _ONE)))
    cells ^= (_ONE << old) | (_ONE << new)
    after = np.uint64(count_ones(cells & ((_ONE << new) - _ONE)))
    if before != after:
        order = np.uint64(turns[begin + (before * tiles + after) * orders + order])
    return cells | order << _SHIFT


@inlined
def index_key(key: Any, orders: Any, half: Any, low: Any, high: Any) -> Any:
    """The entry of a key within its table."""
    return number_set(key & _SET, half, low, high) * orders + (key >> _SHIFT)
