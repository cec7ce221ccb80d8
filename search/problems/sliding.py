"""Sliding puzzles of any shape: tiles are pushed into the one blank cell."""

import itertools
from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from frontrow.search.errors import UsageError
from frontrow.search.graph import StateGraph, Sweep
from frontrow.search.parameter import parameter
from frontrow.search.rows import Origins, Rows
from frontrow.search.sliding import board, layout, moves, ranking, sweep, turns
from frontrow.search.symmetry import Group

_START = "goal"
"""The word for a start that is the goal."""
_GOALS = " or ".join(board.NAMED)


def _read_start(value: Any) -> str | board.Lines:
    return board.read_board(value, (_START, *board.NAMED))


def _read_goal(value: Any) -> str | board.Lines:
    return board.read_board(value, board.NAMED)


class Sliding(StateGraph):
    """Push tiles into the blank cell until the board is the goal.

    A row is a board as `frontrow.search.sliding.layout` lays it out.
    """

    name: ClassVar[str] = "sliding"
    version: ClassVar[int] = 1
    lookback: ClassVar[int | None] = 2
    summary_line: ClassVar[str] = "sliding puzzles of any shape, such as the 15-puzzle"
    examples: ClassVar[tuple[str, ...]] = ("3x3", "2x5 goal=blank-first", "3x3 metric=slide")

    size: str = parameter(parse=board.read_shape, help=board.SHAPE_HELP)
    start: str | board.Lines = parameter(
        default=_START, parse=_read_start, help=f"{_START}, or {board.BOARD_HELP}"
    )
    goal: str | board.Lines = parameter(
        default="blank-last", parse=_read_goal, help=f"{_GOALS}, or {board.BOARD_HELP}"
    )
    metric: str = parameter(
        default="tile",
        choices=("tile", "slide"),
        help="what counts as one move: one tile, or the tiles of a row or column up to the blank together",
    )

    def check(self) -> None:
        """Refuse boards that do not have every tile once; a goal that has a name is called by it."""
        start, goal = self._board("start"), self._board("goal")
        object.__setattr__(self, "goal", self._named(goal))
        object.__setattr__(self, "start", _START if start == goal else self._shape.lines(start))

    def _board(self, name: str) -> board.Board:
        value = getattr(self, name)
        if value == _START:
            return self._board("goal")
        if isinstance(value, str):
            return board.NAMED[value](self._shape)
        return board.to_board(name, value, self._shape)

    def _named(self, tiles: board.Board) -> str | board.Lines:
        """The name of a board, or else the board."""
        for name, make in board.NAMED.items():
            if make(self._shape) == tiles:
                return name
        return self._shape.lines(tiles)

    @cached_property
    def _shape(self) -> board.Shape:
        return board.to_shape(self.size)

    @cached_property
    def _start(self) -> board.Board:
        return self._board("start")

    @cached_property
    def _goal_row(self) -> Rows:
        row = layout.to_rows(np.array([self._board("goal")], np.int64))
        row.setflags(write=False)
        return row

    @property
    def shape(self) -> board.Shape:
        """Rows and columns."""
        return self._shape

    @property
    def start_board(self) -> board.Board:
        """The tiles at the start."""
        return self._start

    @property
    def goal_board(self) -> board.Board:
        """The tiles at the goal."""
        return self._board("goal")

    @property
    def slides(self) -> bool:
        """Whether several tiles may move together."""
        return self._slides

    @property
    def _slides(self) -> bool:
        return self.metric == "slide"

    @cached_property
    def _ranking(self) -> ranking.Ranking | None:
        return ranking.ranking(self._shape, board.parity(self._shape, self._start))

    @property
    def words(self) -> int:
        """One word up to 16 cells, two up to 25, four for 36."""
        return layout.words(self._shape.cells)

    def initial(self) -> Rows:
        """The start, shape ``(1, words)``."""
        return layout.to_rows(np.array([self._start], np.int64))

    def render(self, row: Rows) -> str:
        """The tiles of a board line by line, ``_`` for the blank."""
        cells = layout.to_cells(row[None, :], self._shape.cells)[0]
        return board.draw(self._shape, tuple(cells.tolist()))

    @property
    def degree(self) -> int:
        """Most moves that a board has."""
        return moves.moves(self._shape, self._slides).degree

    def expand(self, rows: Rows) -> tuple[Rows, NDArray[np.int32]]:
        """Move the blank up, down, left and right; first by one cell, then, in the slide metric, further."""
        return moves.expand(self._shape, self._slides, rows)

    @property
    def has_origins(self) -> bool:
        """Where a board is one word."""
        return self._shape.cells <= layout.WORD_CELLS

    def expand_onward(self, rows: Rows, origins: Origins) -> tuple[Rows, Origins, int]:
        """Move the blank in all ways but back; in the slide metric not along the same line once more."""
        return moves.expand_onward(self._shape, self._slides, rows, origins)

    @property
    def has_goal(self) -> bool:
        """There always is one."""
        return True

    def is_goal(self, rows: Rows) -> NDArray[np.bool_]:
        """Which boards are the goal, shape ``(n,)``."""
        goal = self._goal_row
        reached: NDArray[np.bool_] = rows[:, 0] == goal[0, 0]
        for word in range(1, goal.shape[1]):
            reached &= rows[:, word] == goal[0, word]
        return reached

    def goals(self) -> Rows:
        """The goal, shape ``(1, words)``; none if it cannot be reached, since it has no rank then."""
        return self._goal_row[:0] if self.unreachable else self._goal_row

    @property
    def unreachable(self) -> str:
        """What keeps the start from the goal: parity, or tiles that would have to pass each other."""
        return self._obstacle

    @cached_property
    def _obstacle(self) -> str:
        return board.explain_unreachable(self._shape, self._start, self._board("goal"))

    def symmetries(self) -> Group:
        """Turns and reflections that leave the start and the goal, once their tiles are named anew."""
        return turns.symmetries(self._shape, self._start, self._board("goal"))

    def states(self) -> int | None:
        """How many boards have the start's parity, up to 12 cells; or the order of its tiles, in one line."""
        if self._shape.is_line:
            return self._shape.cells
        return None if self._ranking is None else self._ranking.states

    def rank(self, rows: Rows) -> NDArray[np.int64]:
        """Numbers of boards that can be reached from the start, shape ``(n,)``.

        Raises:
            UsageError: if the board is too large.
        """
        if self._shape.is_line:
            return ranking.rank_line(rows, self._shape.cells)
        return ranking.rank(self._ranked(), rows)

    def unrank(self, ranks: NDArray[np.int64]) -> Rows:
        """Undo `rank`.

        Raises:
            UsageError: if the board is too large.
        """
        if self._shape.is_line:
            return ranking.line_rows(tuple(tile for tile in self._start if tile))[ranks]
        return ranking.unrank(self._ranked(), ranks)

    def _ranked(self) -> ranking.Ranking:
        if self._ranking is None:
            raise UsageError(f"size: found {self.size}, expected at most {ranking.MOST} cells for ranks")
        return self._ranking

    def sweep(self) -> Sweep | None:
        """The kernel for single moves on bitmaps, where boards have ranks and two rows and columns."""
        if self._slides:
            return None
        return sweep.sweep(self._shape, board.parity(self._shape, self._start))

    def move_names(self, rows: Rows) -> Sequence[str]:
        """The ways the blank goes: U, D, L and R, with the number of tiles that move if it is not one."""
        places = (layout.to_cells(rows, self._shape.cells) == 0).argmax(axis=1).tolist()
        return [moves.name_move(self._shape, *pair) for pair in itertools.pairwise(places)]

    def warm(self) -> None:
        """Compile or load the kernels for expanding and ranking, and those of the symmetries."""
        row = self.initial()
        self.expand(row)
        self.symmetries().canonical(row)
        if self.states() is not None:
            self.unrank(self.rank(row))
        bitmaps = self.sweep()
        if bitmaps is not None:
            layer = np.zeros((2, 1), bitmaps.dtype)
            bitmaps.push(layer[0], layer[1], 0, 0, 1, np.empty(0, np.uint64))
