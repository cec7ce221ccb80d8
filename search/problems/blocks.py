"""Sliding block puzzles: pieces of any shape on a board drawn as text."""

import os
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from frontrow.search.blocks import drawing
from frontrow.search.blocks.picture import parse
from frontrow.search.blocks.plan import Plan, plan
from frontrow.search.boards import encoding_parameter, is_text, read_board_text
from frontrow.search.errors import UsageError
from frontrow.search.graph import StateGraph
from frontrow.search.parameter import parameter, shown
from frontrow.search.rows import Rows
from frontrow.search.symmetry import Group

SHIPPED = {
    # The puzzle of John Harold Fleming (US patent, 1934), in Japan "hakoiri musume", the daughter in the box.
    "klotski": "ABBC\nABBC\nDEEF\nDGHF\nI..J\n\n....\n....\n....\n.BB.\n.BB.\n",
    # Two pieces change places.
    "piece-change": "LLNO\nOFF.\n\nLLON\nOFF.\n\nsingle: OF\n",
}
"""Puzzles by name, drawn as `frontrow.search.blocks.picture` says."""
_EXPECTED = f"{', '.join(SHIPPED)} or a file that holds a board"


def _read_puzzle(value: object) -> str:
    """A name, the name of a file, or a board with its line feeds."""
    if not isinstance(value, (str, os.PathLike)) or not str(value).strip():
        raise ValueError(f"found {shown(value)}, expected {_EXPECTED}")
    return os.fsdecode(value)


class Blocks(StateGraph):
    """Push pieces about until the board is as the goal shows it.

    A row of the search is a board as `frontrow.search.blocks.plan` lays it out.
    """

    name: ClassVar[str] = "blocks"
    version: ClassVar[int] = 1
    summary_line: ClassVar[str] = "sliding block puzzles, such as Klotski, drawn as text"
    examples: ClassVar[tuple[str, ...]] = ("klotski", "piece-change", "klotski metric=piece")
    lookback: ClassVar[int | None] = 2

    puzzle: str = parameter(parse=_read_puzzle, help=_EXPECTED)
    metric: str = parameter(
        default="step",
        choices=("step", "slide", "piece"),
        help="what one move is: a step of one cell, a straight slide of any distance, any path of one piece",
    )
    encoding: str = encoding_parameter()

    def check(self) -> None:
        """Read the file, if one is named: what is kept is the board, so that nobody needs the file again.

        Raises:
            UsageError: if it cannot be read or holds no board.
        """
        if self.puzzle in SHIPPED:
            text = self.puzzle
        elif is_text(self.puzzle):
            text = parse(self.puzzle).text
        elif os.path.basename(self.puzzle) == self.puzzle and not os.path.exists(self.puzzle):
            raise UsageError(f"puzzle: found {shown(self.puzzle)}, expected {_EXPECTED}")
        else:
            text = parse(read_board_text(self.puzzle, self.encoding), self.puzzle).text
        object.__setattr__(self, "puzzle", text)
        object.__setattr__(self, "encoding", "")

    @property
    def _plan(self) -> Plan:
        return plan(SHIPPED.get(self.puzzle, self.puzzle))

    @property
    def words(self) -> int:
        """Words of a board: a few bits a cell, as many as the number of kinds of pieces needs."""
        return self._plan.words

    @property
    def degree(self) -> int:
        """Most children of a board."""
        from frontrow.search.blocks import moves

        return moves.degree(self._plan, self.metric)

    def initial(self) -> Rows:
        """The start."""
        return self._plan.start.copy()

    def expand(self, rows: Rows) -> tuple[Rows, NDArray[np.int32]]:
        """Move every piece: pieces in reading order, and of each the directions up, down, left, right."""
        from frontrow.search.blocks import moves

        return moves.expand(self._plan, self.metric, rows)

    @property
    def has_goal(self) -> bool:
        """Whether the picture has one."""
        return bool(self._plan.puzzle.goal)

    def is_goal(self, rows: Rows) -> NDArray[np.bool_]:
        """Which boards have all that the goal shows."""
        if not self.has_goal:
            return np.zeros(rows.shape[0], np.bool_)
        from frontrow.search.blocks import moves

        return moves.reached(self._plan, rows)

    def symmetries(self) -> Group:
        """The reflections and turns of the board that leave walls, start and goal as they are."""
        from frontrow.search.blocks import mirrors

        return mirrors.group(self._plan)

    def move_names(self, rows: Rows) -> Sequence[str]:
        """Letter and place (line, column) of the piece, and where it goes, such as ``B(3,1) left``."""
        return drawing.name_moves(self._plan, self.metric, rows)

    def render(self, row: Rows) -> str:
        """Draw the board; the letters of alike pieces are dealt out in reading order."""
        return drawing.draw(self._plan, row)

    def render_way(self, rows: Rows) -> Sequence[str]:
        """Draw the boards of a way; a piece keeps its letter along it."""
        return drawing.draw_way(self._plan, rows)

    def warm(self) -> None:
        """Compile or load the kernels of moves, goals and symmetries."""
        children, _ = self.expand(self.initial())
        self.is_goal(children)
        self.symmetries().canonical(children)
