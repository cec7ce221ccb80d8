"""Tables of patterns are built by breadth-first search from the goal over cohorts, with all threads."""

import functools
import itertools
import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frontrow.search.errors import StoppedError
from frontrow.search.kernel import kernel
from frontrow.search.patterns.cohorts import Cohorts, cohorts
from frontrow.search.patterns.pattern import CELLS, Pattern
from frontrow.search.patterns.places import sequences, turns
from frontrow.search.rows import Stop

UNKNOWN = 255
"""The value of a placement that cannot be brought to the goal; all lengths are below it."""
_PARTS = 8
"""Parts a thread into which the cohorts are divided, so that threads end a layer together."""
_SIDE = 64
"""Sets, and orders, of a square of a table that is turned at once."""
_ALONE = 1 << 20
"""States of the largest table that one thread builds alone: layers are too short to be divided."""

Progress = Callable[[int], None]
"""Is told how many states have been reached since the last call."""


def states(pattern: Pattern) -> int:
    """States of the search, a byte of memory each while the table is built.

    This lists the cohorts, which takes up to a second.
    """
    tiles = len(pattern.cells)
    return cohorts(pattern.shape, tiles).count * math.factorial(tiles)


def build(
    pattern: Pattern,
    layout: str,
    out: NDArray[np.uint8],
    *,
    threads: int,
    stop: Stop,
    progress: Progress = lambda states: None,
) -> None:
    """Make one table.

    Args:
        pattern: whose table it is.
        layout: `cells` or `places`.
        out: takes the table, shape ``(pattern.entries(layout),)``; entries that no placement has are left.
        threads: that build it.
        stop: polled between parts of a layer.
        progress: is told how many states have been reached.

    Raises:
        StoppedError: if `stop` was raised.
    """
    found = cohorts(pattern.shape, len(pattern.cells))
    size = found.count * math.factorial(len(pattern.cells))
    with _Team(1 if size <= _ALONE else threads, found.count, stop) as team:
        depths = _search(pattern, found, team, progress)
        team.divide(found.sets.shape[0])
        if layout == CELLS:
            orders = sequences(len(pattern.cells)).astype(np.int64)
            weights = pattern.shape.cells**orders
            team.run(functools.partial(spread_cells, depths, found.sets, found.first, weights, out))
        else:
            table = out.reshape(depths.shape[1], found.sets.shape[0])
            team.run(functools.partial(gather_places, depths, found.first, table))


class _Team:
    """Threads that take the parts of a range, one after the other."""

    def __init__(self, threads: int, length: int, stop: Stop) -> None:
        self._threads, self._stop = threads, stop
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self.divide(length)

    def divide(self, length: int) -> None:
        """Divide another range from now on."""
        count = min(length, _PARTS * self._threads * (1 + (length >> 16)))
        marks = [length * part // count for part in range(count + 1)]
        self._parts = list(itertools.pairwise(marks))

    def run(self, work: Callable[[int, int], Any]) -> int:
        """Do all parts and return the sum of what they return.

        Raises:
            StoppedError: if `stop` was raised.
        """

        def run_part(part: tuple[int, int]) -> int:
            return 0 if self._stop[0] else int(work(*part) or 0)

        mapper = map if self._pool is None else self._pool.map
        total = sum(mapper(run_part, self._parts))
        if self._stop[0]:
            raise StoppedError("stopped")
        return total

    def __enter__(self) -> "_Team":
        return self

    def __exit__(self, *error: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


def _search(pattern: Pattern, found: Cohorts, team: _Team, progress: Progress) -> NDArray[np.uint8]:
    """The least number of moves of every state, shape ``(cohorts, tiles!)``."""
    tiles = len(pattern.cells)
    depths = np.full((found.count, sequences(tiles).shape[0]), UNKNOWN, np.uint8)
    cells = sum(1 << cell for cell in pattern.cells)
    start = found.find(pattern.shape, cells, pattern.region.bit_length() - 1)
    depths[start, 0] = 0  # the tiles are numbered by their goal cells
    active, touched = np.zeros((2, found.count), np.uint8)
    active[start] = 1
    passing = turns(tiles).reshape(tiles * tiles, -1)
    for depth in range(UNKNOWN - 1):
        touched[:] = 0
        turning, kept = found.turning, found.kept
        step = (depths, active, touched, np.uint8(depth))
        reached = team.run(
            functools.partial(push_turning, *step, turning.begin, turning.target, turning.turn, passing)
        )
        team.run(functools.partial(pull_kept, *step, kept.begin, kept.target))
        progress(reached)
        if not touched.any():
            return depths
        active, touched = touched, active
    raise AssertionError(f"pattern: found more than {UNKNOWN - 2} moves")


@kernel
def push_turning(
    depths: Any,
    active: Any,
    touched: Any,
    depth: Any,
    begin: Any,
    target: Any,
    turn: Any,
    passing: Any,
    lo: Any,
    hi: Any,
) -> Any:
    """Make the moves that change the order, from all states of one depth in cohorts `lo` to `hi`.

    Threads may write to one byte at the same time, but never different values: a byte that is known is
    written as it was, one that is not becomes ``depth + 1``.

    Args:
        depths: shape ``(cohorts, orders)``.
        active: whether a cohort has states of this depth.
        touched: is set for cohorts with states of the next one.
        depth: of the states that are expanded.
        begin: of `Edges`.
        target: of `Edges`.
        turn: of `Edges`.
        passing: shape ``(turns, orders)``, see `places.turns`.
        lo: the first cohort.
        hi: the one after the last.

    Returns:
        How many states there were.
    """
    listed = np.empty(depths.shape[1], np.uint16)
    following = np.uint8(depth + 1)
    reached = 0
    for cohort in range(lo, hi):
        if not active[cohort]:
            continue
        row = depths[cohort]
        count = 0
        for order in range(row.shape[0]):
            listed[min(count, row.shape[0] - 1)] = order
            count += row[order] == depth
        reached += count
        for edge in range(begin[cohort], begin[cohort + 1]):
            other = depths[target[edge]]
            way = passing[turn[edge]]
            new = False
            for index in range(count):
                order = way[listed[index]]
                known = other[order]
                other[order] = min(known, following)
                new |= known > following
            if new:
                touched[target[edge]] = 1
    return reached


@kernel
def pull_kept(
    depths: Any, active: Any, touched: Any, depth: Any, begin: Any, target: Any, lo: Any, hi: Any
) -> None:
    """Make the moves that keep the order, into cohorts `lo` to `hi` from all that have states of this depth.

    Whole rows at once; only this thread writes to them meanwhile. Arguments as those of `push_turning`.
    """
    following = np.uint8(depth + 1)
    for cohort in range(lo, hi):
        row = depths[cohort]
        new = np.uint8(0)
        for edge in range(begin[cohort], begin[cohort + 1]):
            if not active[target[edge]]:
                continue
            other = depths[target[edge]]
            for order in range(row.shape[0]):
                known = row[order]
                now = min(known, following if other[order] == depth else np.uint8(255))
                row[order] = now
                new |= known ^ now
        if new:
            touched[cohort] = 1


@kernel
def gather_places(depths: Any, first: Any, table: Any, lo: Any, hi: Any) -> None:
    """Fill columns `lo` to `hi` of a table by places: the least of the regions of each set of cells.

    Rows become columns in squares that stay in the nearest cache.
    """
    square = np.empty((_SIDE, _SIDE), np.uint8)
    for begin in range(lo, hi, _SIDE):
        width = min(_SIDE, hi - begin)
        for top in range(0, depths.shape[1], _SIDE):
            height = min(_SIDE, depths.shape[1] - top)
            for column in range(width):
                number = begin + column
                for row in range(height):
                    square[row, column] = depths[first[number], top + row]
                for cohort in range(first[number] + 1, first[number + 1]):
                    for row in range(height):
                        square[row, column] = min(square[row, column], depths[cohort, top + row])
            for row in range(height):
                for column in range(width):
                    table[top + row, begin + column] = square[row, column]


@kernel
def spread_cells(depths: Any, sets: Any, first: Any, weights: Any, table: Any, lo: Any, hi: Any) -> None:
    """Fill a table by cells from sets `lo` to `hi`: the least of the regions of each.

    `weights` are those of the tiles of each order, shape ``(orders, tiles)``.
    """
    held = np.empty(weights.shape[1], np.int64)
    for number in range(lo, hi):
        count = 0
        for cell in range(64):
            if sets[number] >> np.uint64(cell) & np.uint64(1):
                held[count] = cell
                count += 1
        for order in range(weights.shape[0]):
            least = depths[first[number], order]
            for cohort in range(first[number] + 1, first[number + 1]):
                least = min(least, depths[cohort, order])
            index = 0
            for tile in range(count):
                index += weights[order, tile] * held[tile]
            table[index] = least
