"""The sum of the distances of all tiles from their goal cells."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from frontrow.search.kernel import lean, lean_inlined
from frontrow.search.rows import Stop
from frontrow.search.sliding.board import Board, Shape
from frontrow.search.sliding.layout import Cells
from frontrow.search.solving.automaton import MOVES, step_table
from frontrow.search.solving.descent import Ground, Task, Trail, descend
from frontrow.search.solving.heuristic import Heuristic

TILE_BITS = np.uint64(8)
"""Cells of one tile's part of `costs`: 64 places and four moves."""
_ZERO, _ONE, _TWO = np.uint64(0), np.uint64(1), np.uint64(2)


class Tables(NamedTuple):
    """What is looked up.

    Attributes:
        costs: by how much the distance of a tile grows when the blank moves, plus one, at
            ``256 * tile + 4 * cell of the tile + move of the blank``; ``uint8``.
    """

    costs: NDArray[np.uint8]


class Manhattan(Heuristic):
    """Each tile's distance by rows and columns: one addition a move."""

    def __init__(self, shape: Shape, goal: Board) -> None:
        """Args: shape: of the board; goal: the board to reach."""
        self._distances = distances(shape, goal)
        self._tables = Tables(costs(shape, self._distances))

    def begin(self, boards: Cells) -> NDArray[np.uint64]:
        """The sum, shape ``(n, 1)``."""
        sums: NDArray[np.int64] = self._distances[boards, np.arange(boards.shape[1])].sum(axis=1)
        return sums.astype(np.uint64)[:, None]

    def read(self, begun: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The sum, shape ``(n,)``."""
        return begun[:, 0].astype(np.int64)

    def search(self, ground: Ground, task: Task, trail: Trail, stop: Stop) -> int:
        """Run the kernel."""
        return int(search_manhattan(self._tables, ground, task, trail, stop))


def distances(shape: Shape, goal: Board) -> NDArray[np.int64]:
    """How far each tile is from its goal at each cell, shape ``(cells, cells)``; 0 for the blank."""
    rows, columns = np.divmod(np.arange(shape.cells), shape.columns)
    goals = np.argsort(goal)
    found: NDArray[np.int64] = np.abs(rows - rows[goals][:, None]) + np.abs(columns - columns[goals][:, None])
    found[0] = 0
    return found


def costs(shape: Shape, measured: NDArray[np.int64]) -> NDArray[np.uint8]:
    """The entries of `Tables.costs` for distances of tiles."""
    table = np.zeros((shape.cells, 1 << int(TILE_BITS)), np.uint8)
    for place, steps in enumerate(step_table(shape)):
        for move, before in enumerate(steps):
            if before >= 0:
                table[:, before * MOVES + move] = measured[:, place] - measured[:, before] + 1
    return table.reshape(-1)


@lean_inlined
def cost_of(table: Any, tile: Any, before: Any, move: Any) -> Any:
    """What a move adds to the distance, plus one."""
    return np.uint64(table[tile << TILE_BITS | before << _TWO | move])


@lean_inlined
def _begin(tables: Any, begun: Any, packet: Any, trail: Any) -> Any:
    return begun[packet, 0], _ZERO, begun[packet, 0]


@lean_inlined
def _advance(
    tables: Any, trail: Any, a: Any, b: Any, tile: Any, place: Any, before: Any, move: Any, most: Any
) -> Any:
    lower = a + cost_of(tables.costs, tile, before, move) - _ONE
    return lower, lower, _ZERO, (_ZERO, _ZERO, _ZERO, _ZERO)


@lean_inlined
def _commit(tables: Any, trail: Any, depth: Any, tile: Any, before: Any, move: Any, four: Any) -> Any:
    pass


@lean_inlined
def _undo(tables: Any, trail: Any, depth: Any, tile: Any, before: Any, move: Any) -> Any:
    pass


@lean
def search_manhattan(tables: Any, ground: Any, task: Any, trail: Any, stop: Any) -> Any:
    """`frontrow.search.solving.descent.descend` with the sum of distances."""
    return descend(_begin, _advance, _commit, _undo, tables, ground, task, trail, stop)
