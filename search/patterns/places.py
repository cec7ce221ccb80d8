"""The layout by places: numbers of sets of cells and of orders of tiles, and how a move changes them.

A key is ``set | order << 40``: bit c of the set is cell c of the table's board; the order is the number of
the sequence of the pattern's tiles (0 to k - 1) from the lowest cell up: the sum of ``tile! * behind`` over
the tiles, where ``behind`` counts the smaller tiles that come after it. So a tile that passes another adds
or takes off the factorial of the greater of both, whatever the order is, and a move needs no large table.

The number of a set is the sum of ``C(cell, i)`` over its cells, the i-th from below (the combinatorial number
system). Both halves of the cells have a table of their own, so that these stay in the nearest caches. The
entry of a key is ``order * sets + number``: half of the moves keep the order, and stay nearby in the table.
"""

import functools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frontrow.search.kernel import inlined

ORDER_SHIFT = 40
"""The lowest bit of the order in a key."""
MOST_ORDINAL = 8
"""Cells of the largest set that is numbered."""
BELOW_SHIFT = 16
"""The lowest bit of the count in the first table of `set_numbers`; C(18, 8) is less than 2^16."""
_SHIFT = np.uint64(ORDER_SHIFT)
_SET = np.uint64((1 << ORDER_SHIFT) - 1)
_BELOW = np.uint64(BELOW_SHIFT)
_LOW = np.uint64((1 << BELOW_SHIFT) - 1)
_ONE = np.uint64(1)


@functools.lru_cache(16)
def sequences(tiles: int) -> NDArray[np.uint8]:
    """All orders of tiles by their numbers, shape ``(tiles!, tiles)``."""
    found = np.zeros((1, 0), np.uint8)
    for tile in range(tiles):
        found = np.concatenate([np.insert(found, tile - behind, tile, axis=1) for behind in range(tile + 1)])
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


def changes(tiles: int) -> NDArray[np.int16]:
    """What is added to an order when a tile moves up past the next one, shape ``(tiles, tiles)``."""
    numbers = range(tiles)
    added = [[math.factorial(max(a, b)) * ((a < b) - (a > b)) for b in numbers] for a in numbers]
    return np.array(added, np.int16)


@functools.lru_cache(16)
def set_numbers(cells: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """The two tables that `number_set` adds up: of the low cells, and by how many these hold of the others.

    The first also has how many cells are held, from bit `BELOW_SHIFT` on.

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
    low |= held[: low.size].astype(np.uint32) << BELOW_SHIFT
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
    factorials = np.array([math.factorial(tile) for tile in range(tiles)])
    for place in range(tiles):
        behind = (ordered[:, place + 1 :] < ordered[:, place : place + 1]).sum(axis=1)
        orders += behind * factorials[ordered[:, place]]
    keys: NDArray[np.uint64] = (sets | orders << ORDER_SHIFT).astype(np.uint64)
    return keys


def indices(keys: NDArray[np.uint64], tiles: int, cells: int) -> NDArray[np.uint64]:
    """The entries of keys within their table, shape ``(n,)``."""
    low, high = set_numbers(cells)
    half = cells // 2
    sets = (keys & _SET).astype(np.int64)
    lower = low[sets & ((1 << half) - 1)].astype(np.uint64)
    numbers = (lower & _LOW) + high[lower >> _BELOW, sets >> half]
    found: NDArray[np.uint64] = (keys >> _SHIFT) * np.uint64(math.comb(cells, tiles)) + numbers
    return found


@inlined
def number_set(cells: Any, half: Any, low: Any, high: Any) -> Any:
    """The number of a set of cells among the sets of its size; see `set_numbers` (`half` as ``uint64``)."""
    lower = np.uint64(low[cells & ((_ONE << half) - _ONE)])
    return (lower & _LOW) + np.uint64(high[lower >> _BELOW, cells >> half])


@inlined
def move_key(
    key: Any, slot: Any, way: Any, step: Any, board: Any, toggles: Any, passed: Any, changes: Any
) -> Any:
    """The key of a slot after a tile of its pattern has moved; see `frontrow.search.patterns.lookup.Lookup`.

    Args:
        key: before the move.
        slot: of the tile (``uint64``).
        way: ``4 * place + move`` of the blank (``uint64``).
        step: ``4 * tile + move`` (``uint64``).
        board: the tile on each cell, before the move or after it.
        toggles: of `Lookup`.
        passed: of `Lookup`.
        changes: of `Lookup`, of the slot's side.
    """
    order = np.int64(key >> _SHIFT)
    # As many times for every move: it costs less than to ask which moves pass any cell.
    for number in range(passed.shape[2]):
        order += np.int64(changes[step, np.uint64(board[np.uint64(passed[slot, way, number])])])
    return ((key & _SET) ^ toggles[slot, way]) | np.uint64(order) << _SHIFT


@inlined
def index_key(key: Any, count: Any, half: Any, low: Any, high: Any) -> Any:
    """The entry of a key within its table, if there are `count` sets."""
    return number_set(key & _SET, half, low, high) + (key >> _SHIFT) * count
