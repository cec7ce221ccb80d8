"""Tables of patterns made in the plainest way, and boards to look up."""

import collections
import itertools

import numpy as np

from frontrow.search.patterns.files import build_all
from frontrow.search.patterns.lookup import Lookup
from frontrow.search.patterns.partition import Partition
from frontrow.search.rows import new_stop
from frontrow.search.sliding.board import blank_first, blank_last, snail
from tests.search.sliding_support import plain_children

GOALS = {"blank-first": blank_first, "blank-last": blank_last, "snail": snail}


def plain_table(shape, cells, blank):
    """The least moves of tiles whose goal cells these are, by the cells that they are on, in their order."""
    start = (tuple(cells), blank)
    depths = {start: 0}
    todo = collections.deque([start])
    while todo:
        state = todo.popleft()
        placed, hole = state
        row, column = divmod(hole, shape.columns)
        for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            if not (0 <= row + down < shape.rows and 0 <= column + right < shape.columns):
                continue
            to = (row + down) * shape.columns + column + right
            moved = tuple(hole if cell == to else cell for cell in placed)
            depth = depths[state] + (to in placed)
            if depth < depths.get((moved, to), 10**6):
                depths[moved, to] = depth
                (todo.append if to in placed else todo.appendleft)((moved, to))
    table = {}
    for (placed, _), depth in depths.items():
        table[placed] = min(depth, table.get(placed, 10**6))
    return table


def opened(shape, goal, text, threads=2, mirrored=True):
    """A lookup and its values."""
    lookup = Lookup.of(shape, goal, Partition.parse(text, shape, goal), mirrored=mirrored)
    return lookup, build_all(lookup.tables, threads=threads, stop=new_stop())


def placements(board, tiles):
    """All ways to put so many tiles on a board."""
    return itertools.permutations(range(board), tiles)


def walked(shape, goal, moves, seed):
    """Boards of a random walk from the goal that does not turn back, the goal first."""
    rng = np.random.default_rng(seed)
    boards = [tuple(goal)]
    for _ in range(moves):
        children = [board for board in plain_children(shape, boards[-1], False) if board not in boards[-2:]]
        boards.append(children[rng.integers(len(children))])
    return boards
