"""Cohorts: the cells that a pattern's tiles are on, whichever is where, and the free region of the blank.

Within a cohort the blank moves for nothing, so a state is a cohort and an order of the tiles. A move of a
tile leads from one cohort to another for all orders alike; it keeps the order, or a tile passes others.
"""

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frontrow.search.bits import count_ones
from frontrow.search.kernel import inlined, kernel
from frontrow.search.patterns.places import number_set, set_numbers
from frontrow.search.sliding.board import Shape
from frontrow.search.sliding.moves import moves

_ONE = np.uint64(1)


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Moves between cohorts, each in both directions.

    Attributes:
        begin: where the moves out of each cohort begin, shape ``(cohorts + 1,)``, ``int64``.
        target: the cohorts they lead to, shape ``(edges,)``, ``int32``.
        turn: what they make of orders, ``before * tiles + after`` of `places.turns`, shape ``(edges,)``,
            ``uint8``.
    """

    begin: NDArray[np.int64]
    target: NDArray[np.int32]
    turn: NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Cohorts:
    """All cohorts of as many tiles on a board, and the moves between them.

    Attributes:
        sets: all sets of so many cells in rising order, shape ``(sets,)``, ``uint64``.
        first: the first cohort of each set, shape ``(sets + 1,)``, ``int64``; its regions follow each other
            by their lowest cells.
        kept: moves that keep the order.
        turning: moves by which a tile passes others.
    """

    sets: NDArray[np.uint64]
    first: NDArray[np.int64]
    kept: Edges
    turning: Edges

    @property
    def count(self) -> int:
        """How many cohorts there are."""
        return int(self.first[-1])

    def find(self, shape: Shape, cells: int, blank: int) -> int:
        """The cohort of a set of cells and a place of the blank."""
        number = int(np.searchsorted(self.sets, np.uint64(cells)))
        free = np.uint64(((1 << shape.cells) - 1) ^ cells)
        return int(self.first[number]) + int(find_region(np.uint64(blank), free, *_sides(shape)))


@functools.lru_cache(4)
def cohorts(shape: Shape, tiles: int) -> Cohorts:
    """The cohorts of a shape and a number of tiles."""
    table = moves(shape, False)
    count = math.comb(shape.cells, tiles)
    sets, first = np.empty(count, np.uint64), np.empty(count + 1, np.int64)
    list_sets(shape.cells, tiles, *_sides(shape), sets, first)
    cohorts = int(first[-1])
    begins = np.zeros((2, cohorts + 1), np.int64)
    nothing = np.empty(0, np.int32), np.empty(0, np.uint8)
    half = np.uint64(shape.cells // 2)
    board = (table.counts, table.targets.astype(np.uint64), tiles, np.uint64(shape.cells), *_sides(shape))
    fixed = (sets, first, *board, half, *set_numbers(shape.cells))
    list_edges(*fixed, begins, *nothing, *nothing, False)
    np.cumsum(begins, axis=1, out=begins)
    ends = begins[:, -1].tolist()
    kept = np.empty(ends[0], np.int32), np.empty(ends[0], np.uint8)
    turning = np.empty(ends[1], np.int32), np.empty(ends[1], np.uint8)
    list_edges(*fixed, begins.copy(), *kept, *turning, True)
    return Cohorts(sets, first, Edges(begins[0], *kept), Edges(begins[1], *turning))


def _sides(shape: Shape) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Columns, and the sets of cells that are not in the last and not in the first of them."""
    last = sum(1 << cell for cell in range(shape.columns - 1, shape.cells, shape.columns))
    whole = (1 << shape.cells) - 1
    return np.uint64(shape.columns), np.uint64(whole ^ last), np.uint64(whole ^ (last >> shape.columns - 1))


@inlined
def flood(seed: Any, free: Any, columns: Any, not_last: Any, not_first: Any) -> Any:
    """The cells of a set that are connected within it with those of `seed`."""
    region = seed
    while True:
        grown = region | (region & not_last) << _ONE | (region & not_first) >> _ONE
        grown |= region << columns | region >> columns
        grown &= free
        if grown == region:
            return region
        region = grown


@kernel
def find_region(cell: Any, free: Any, columns: Any, not_last: Any, not_first: Any) -> Any:
    """The number of the region of free cells that holds a cell."""
    number = 0
    rest = free
    while True:
        region = flood(rest & (~rest + _ONE), free, columns, not_last, not_first)
        if region >> cell & _ONE:
            return number
        rest &= ~region
        number += 1


@kernel
def list_sets(
    cells: Any, tiles: Any, columns: Any, not_last: Any, not_first: Any, sets: Any, first: Any
) -> Any:
    """Fill `sets` and `first` of `Cohorts`."""
    whole = (_ONE << np.uint64(cells)) - _ONE
    held = (_ONE << np.uint64(tiles)) - _ONE
    total = 0
    for number in range(sets.shape[0]):
        sets[number] = held
        first[number] = total
        rest = whole ^ held
        while rest:
            rest &= ~flood(rest & (~rest + _ONE), rest, columns, not_last, not_first)
            total += 1
        # The next greater word with as many bits (Gosper 1972).
        lowest = held & (~held + _ONE)
        carried = held + lowest
        held = carried | ((carried ^ held) >> np.uint64(2)) // lowest
    first[sets.shape[0]] = total


@kernel
def list_edges(
    sets: Any,
    first: Any,
    counts: Any,
    places: Any,
    tiles: Any,
    cells: Any,
    columns: Any,
    not_last: Any,
    not_first: Any,
    half: Any,
    low: Any,
    high: Any,
    begins: Any,
    kept: Any,
    kept_turn: Any,
    turning: Any,
    turning_turn: Any,
    fill: Any,
) -> Any:
    """Count or list the moves out of all cohorts.

    Args:
        sets: of `Cohorts`.
        first: of `Cohorts`.
        counts: neighbours of each cell.
        places: these neighbours, shape ``(cells, degree)``, ``uint64``.
        tiles: of the pattern.
        cells: of the board.
        columns: see `flood`.
        not_last: see `flood`.
        not_first: see `flood`.
        half: see `number_set`.
        low: see `number_set`.
        high: see `number_set`.
        begins: shape ``(2, cohorts + 1)``: counts of kept and turning moves are added to the entry after a
            cohort's; or, when moves are listed, where the next one of the cohort goes.
        kept: targets.
        kept_turn: turns.
        turning: targets.
        turning_turn: turns.
        fill: whether to list.
    """
    whole = (_ONE << cells) - _ONE
    for number in range(sets.shape[0]):
        held = sets[number]
        free = whole ^ held
        ordinal = 0
        for cell in range(counts.shape[0]):
            here = np.uint64(cell)
            if not held >> here & _ONE:
                continue
            for way in range(counts[cell]):
                to = places[cell, way]
                if held >> to & _ONE:
                    continue
                after = held ^ (_ONE << here) ^ (_ONE << to)
                order = count_ones(after & ((_ONE << to) - _ONE))
                kind = 0 if order == ordinal else 1
                cohort = first[number] + find_region(to, free, columns, not_last, not_first)
                if not fill:
                    begins[kind, cohort + 1] += 1
                    continue
                target = first[np.int64(number_set(after, half, low, high))]
                target += find_region(here, whole ^ after, columns, not_last, not_first)
                at = begins[kind, cohort]
                begins[kind, cohort] += 1
                if kind == 0:
                    kept[at] = target
                    kept_turn[at] = ordinal * tiles + order
                else:
                    turning[at] = target
                    turning_turn[at] = ordinal * tiles + order
            ordinal += 1
