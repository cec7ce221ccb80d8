"""Distances plus linear conflicts (Hansson, Mayer and Yung 1992).

Of the tiles that are in their goal row, those that stay there keep their order; the others have to leave it
and come back, two moves each that the distances do not know of. The fewest that have to leave are all but a
longest rising sequence. The same holds for columns.
"""

import bisect
import functools
import itertools
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
from frontrow.search.solving.manhattan import TILE_BITS, cost_of, costs, distances

LONGEST = 7
"""Cells of the longest line whose conflicts are tabulated (2 MB); those of longer ones are not looked at."""
_ZERO, _ONE, _TWO = np.uint64(0), np.uint64(1), np.uint64(2)
_KEY = np.uint64((1 << 32) - 1)
_WRAP = np.uint64(1 << 32)


class Tables(NamedTuple):
    """What is looked up.

    A line's key is its digits: for each of its cells 0, or one more than the goal's place within the line
    of a tile that is in its goal line; plus where the keys of lines of its length begin.

    Attributes:
        costs: see `frontrow.search.solving.manhattan.Tables`.
        lines: the goal line of a tile that leaves it or comes to it, at the same index, ``uint8``;
            one after the last for none.
        changes: what is added to its key modulo 2^32, ``uint32``.
        slides: the line within which the tile moves if that is its goal line: its order stays.
        shifts: what is added to its key.
        conflicts: moves that a line of a key takes besides, ``uint8``.
    """

    costs: NDArray[np.uint8]
    lines: NDArray[np.uint8]
    changes: NDArray[np.uint32]
    slides: NDArray[np.uint8]
    shifts: NDArray[np.uint32]
    conflicts: NDArray[np.uint8]


@functools.lru_cache(8)
def line_conflicts(cells: int) -> NDArray[np.uint8]:
    """The moves that lines of so many cells take besides, by the digits of base ``cells + 1`` of a key."""
    table = np.zeros((cells + 1) ** cells, np.uint8)
    scale = (cells + 1) ** np.arange(cells, dtype=np.int64)
    for count in range(2, cells + 1):
        for tiles in itertools.permutations(range(1, cells + 1), count):
            rising: list[int] = []
            for tile in tiles:
                rising[(at := bisect.bisect(rising, tile)) : at + 1] = [tile]
            moves = 2 * (count - len(rising))
            for places in itertools.combinations(range(cells), count) if moves else ():
                table[sum(int(scale[place]) * tile for place, tile in zip(places, tiles, strict=True))] = (
                    moves
                )
    table.setflags(write=False)
    return table


class LinearConflict(Heuristic):
    """Distances, and conflicts of rows and columns of up to `LONGEST` cells."""

    def __init__(self, shape: Shape, goal: Board) -> None:
        """Args: shape: of the board; goal: the board to reach."""
        self.keys = shape.rows + shape.columns + 1
        self._distances = distances(shape, goal)
        self._lay_out(shape, goal)
        conflicts = [np.zeros(1, np.uint8)]
        self._firsts = np.zeros(self.keys, np.uint64)
        for lines, length in ((slice(shape.rows), shape.columns), (slice(shape.rows, -1), shape.rows)):
            if length <= LONGEST:
                self._firsts[lines] = sum(table.size for table in conflicts)
                conflicts.append(line_conflicts(length))
        self._tables = self._tabulate(shape, np.concatenate(conflicts))

    def _lay_out(self, shape: Shape, goal: Board) -> None:
        """What a tile adds to the keys of its row and its column at each cell, shape ``(cells, cells)``."""
        rows, columns = np.divmod(np.arange(shape.cells), shape.columns)
        goals = np.argsort(goal)
        self._lines = rows, shape.rows + columns
        self._digits = []
        for line, place, length in ((rows, columns, shape.columns), (columns, rows, shape.rows)):
            scale = (length + 1) ** place if length <= LONGEST else np.zeros_like(place)
            digits = np.where(line == line[goals][:, None], (place[goals][:, None] + 1) * scale, 0)
            digits[0] = 0
            self._digits.append(digits)

    def _tabulate(self, shape: Shape, conflicts: NDArray[np.uint8]) -> Tables:
        lines = np.full((2, shape.cells, 1 << int(TILE_BITS)), self.keys - 1, np.uint8)
        changes = np.zeros(lines.shape, np.int64)
        for place, steps in enumerate(step_table(shape)):
            for move, before in enumerate(steps):
                if before < 0:
                    continue
                # A tile that moves up or down leaves a row, comes to another and stays in its column.
                index = before * MOVES + move
                for kind, way in enumerate((move // 2, 1 - move // 2)):
                    for cell, sign in ((before, -1), (place, 1)):
                        digits = self._digits[way][:, cell]
                        touched = digits > 0
                        lines[kind, touched, index] = self._lines[way][cell]
                        changes[kind, touched, index] += sign * digits[touched]
        left, along = lines.reshape(2, -1)
        change, shift = changes.reshape(2, -1).astype(np.uint32)
        return Tables(costs(shape, self._distances), left, change, along, shift, conflicts)

    def begin(self, boards: Cells) -> NDArray[np.uint64]:
        """Lower bounds, then the key of each line, shape ``(n, 1 + lines + 1)``."""
        keys = np.tile(self._firsts, (boards.shape[0], 1))
        cells = np.arange(boards.shape[1])
        for digits, lines in zip(self._digits, self._lines, strict=True):
            for cell in cells:
                keys[:, lines[cell]] += digits[boards[:, cell], cell].astype(np.uint64)
        sums = self._distances[boards, cells].sum(axis=1) + self._tables.conflicts[keys].sum(
            axis=1, dtype=int
        )
        return np.concatenate([sums.astype(np.uint64)[:, None], keys], axis=1)

    def read(self, begun: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Distances and conflicts, shape ``(n,)``."""
        return begun[:, 0].astype(np.int64)

    def search(self, ground: Ground, task: Task, trail: Trail, stop: Stop) -> int:
        """Run the kernel."""
        return int(search_conflicts(self._tables, ground, task, trail, stop))


@lean_inlined
def _begin(tables: Any, begun: Any, packet: Any, trail: Any) -> Any:
    for line in range(trail.keys.size):
        trail.keys[line] = begun[packet, line + 1]
    return begun[packet, 0], _ZERO, begun[packet, 0]


@lean_inlined
def _advance(
    tables: Any, trail: Any, a: Any, b: Any, tile: Any, place: Any, before: Any, move: Any, most: Any
) -> Any:
    index = tile << TILE_BITS | before << _TWO | move
    line = np.uint64(tables.lines[index])
    old = trail.keys[line]
    new = old + np.uint64(tables.changes[index]) & _KEY
    lower = a + cost_of(tables.costs, tile, before, move) + np.uint64(tables.conflicts[new])
    lower -= np.uint64(tables.conflicts[old]) + _ONE
    return lower, lower, _ZERO, (index, line, new, _ZERO)


@lean_inlined
def _commit(tables: Any, trail: Any, depth: Any, tile: Any, before: Any, move: Any, four: Any) -> Any:
    trail.keys[four[1]] = four[2]
    line = np.uint64(tables.slides[four[0]])
    trail.keys[line] = trail.keys[line] + np.uint64(tables.shifts[four[0]]) & _KEY


@lean_inlined
def _undo(tables: Any, trail: Any, depth: Any, tile: Any, before: Any, move: Any) -> Any:
    index = tile << TILE_BITS | before << _TWO | move
    line = np.uint64(tables.lines[index])
    trail.keys[line] = trail.keys[line] + _WRAP - np.uint64(tables.changes[index]) & _KEY
    line = np.uint64(tables.slides[index])
    trail.keys[line] = trail.keys[line] + _WRAP - np.uint64(tables.shifts[index]) & _KEY


@lean
def search_conflicts(tables: Any, ground: Any, task: Any, trail: Any, stop: Any) -> Any:
    """`frontrow.search.solving.descent.descend` with distances and conflicts."""
    return descend(_begin, _advance, _commit, _undo, tables, ground, task, trail, stop)
