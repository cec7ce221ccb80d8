"""Moves that a solution takes at least, and moves that are enough, where no search has told yet."""

import numpy as np
from numpy.typing import NDArray

from frontrow.search.errors import MemoryLimitError
from frontrow.search.graph import StateGraph
from frontrow.search.problems.sliding import Sliding
from frontrow.search.rows import Rows, Stop, new_stop
from frontrow.search.sliding import layout
from frontrow.search.solving.astar import BestFirst, Lower
from frontrow.search.solving.conflict import LinearConflict
from frontrow.search.solving.manhattan import Manhattan
from frontrow.workers.local import in_background

UPPER_BOARDS = 20_000
"""Boards that are expanded with one weight, when an upper bound is wanted: some tenths of a second. It is no
time, so that the bound is the same whenever and wherever it is looked for."""
UPPER_WEIGHTS = (3.0, 2.0, 10.0)
"""Weights that are tried for it: the second one if the first one came to a solution, else the third one."""
UPPER_MEMORY = 256 << 20
"""Bytes for it, at most."""


def distances_of(problem: Sliding, rows: Rows) -> NDArray[np.int64]:
    """The sum of the distances of all tiles from their goal cells: known before any kernel is there."""
    cells = layout.to_cells(rows, problem.shape.cells)
    return Manhattan(problem.shape, problem.goal_board).bounds(cells)


def conflicts_of(problem: Sliding) -> Lower:
    """What tells how many moves boards take at least, by distances and conflicts in lines."""
    bounds = LinearConflict(problem.shape, problem.goal_board).bounds
    return lambda rows: bounds(layout.to_cells(rows, problem.shape.cells))


def upper_bound(problem: Sliding, memory: int) -> int | None:
    """Moves that are enough, as far as that is soon found; None if it is not.

    Args:
        problem: the puzzle, of which one tile moves at a time.
        memory: bytes that may be held.
    """
    stop, room = new_stop(), min(UPPER_MEMORY, memory)
    try:
        return in_background(lambda: enough(problem, conflicts_of(problem), room, stop))
    finally:
        stop[0] = 1


def enough(graph: StateGraph, lower: Lower, memory: int, stop: Stop) -> int | None:
    """Moves of the shortest solution that is found with large weights in a few boards; None if none is.

    Args:
        graph: the puzzle.
        lower: the heuristic.
        memory: bytes that may be held.
        stop: raised to have it end.

    Raises:
        StoppedError: if it was.
    """
    first, second, last = UPPER_WEIGHTS
    best = _length(graph, lower, first, memory, stop)
    if best is None:
        return _length(graph, lower, last, memory, stop)
    other = _length(graph, lower, second, memory, stop)
    return best if other is None else min(best, other)


def _length(graph: StateGraph, lower: Lower, weight: float, memory: int, stop: Stop) -> int | None:
    """Moves of the solution that one weight finds in `UPPER_BOARDS`; None if it finds none."""
    search = BestFirst(graph, lower, weight, 1, memory, stop)
    try:
        while search.length is None and search.expanded < UPPER_BOARDS and search.next_bucket() is not None:
            search.expand(lambda tasks: [task() for task in tasks])
    except MemoryLimitError:
        return None
    finally:
        search.clear()
    return search.length
