"""Peg solitaire on any board: a peg jumps over its neighbour into an empty hole, and the neighbour goes."""

import functools
import itertools
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from frontrow.search.boards import encoding_parameter, read_board_text
from frontrow.search.errors import FrontrowError, UsageError
from frontrow.search.graph import StateGraph
from frontrow.search.parameter import parameter, shown
from frontrow.search.pegs import board as boards
from frontrow.search.pegs import classes, jumps, turns
from frontrow.search.pegs.board import Board
from frontrow.search.rows import Rows, pack, unpack
from frontrow.search.symmetry import Group

_ONE = "one"
_CENTRE = "centre"
_HOLE = re.compile(r"\(?\s*([0-9]{1,3})\s*,\s*([0-9]{1,3})\s*\)?")
_PICTURE = "centre, a picture or a file with one"

Position = tuple[bool, ...]


def _read_text(value: Any) -> str:
    """A name, a picture or a file; pictures keep their margin."""
    if not isinstance(value, (str, Path)) or not str(value).strip():
        raise ValueError(f"found {shown(value)}, expected {' or '.join(boards.NAMED)}, a picture or a file")
    text = str(value)
    return text if boards.is_picture(text) else text.strip()


def _read_position(value: Any) -> str:
    """A hole as ``x,y``, a word, a picture or a file; empty for what is chosen."""
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        value = ",".join(map(str, value))
    if not isinstance(value, (str, Path)):
        raise ValueError(f"found {shown(value)}, expected a hole such as 3,3, {_PICTURE}")
    text = str(value)
    if boards.is_picture(text):
        return text
    hole = _HOLE.fullmatch(text.strip())
    if hole:
        return f"{int(hole[1])},{int(hole[2])}"
    return _CENTRE if text.strip() == "center" else text.strip()


class Pegs(StateGraph):
    """Which positions can be reached from a start by jumps, each of which takes one peg away.

    A row has a bit for every hole, line by line from the lowest on: whether it holds a peg.
    """

    name: ClassVar[str] = "pegs"
    version: ClassVar[int] = 1
    summary_line: ClassVar[str] = "peg solitaire on any board, square or triangular"
    examples: ClassVar[tuple[str, ...]] = ("triangle15", "english --symmetry", "english start=0,2 goal=one")
    lookback: ClassVar[int | None] = 0

    board: str = parameter(
        parse=_read_text, help=f"{' or '.join(boards.NAMED)}, a picture or a file with one"
    )
    start: str = parameter(
        default="",
        parse=_read_position,
        help=f"the hole without a peg as x,y (column, line), {_PICTURE}; by default the centre",
    )
    goal: str = parameter(
        default="",
        parse=_read_position,
        help=f"the last peg's hole as x,y, {_PICTURE}, or one for any hole; by default the start's hole",
    )
    encoding: str = encoding_parameter()

    def check(self) -> None:
        """Read pictures and write every question one way, whichever way it was put.

        A picture with pegs and empty holes is the start as well, unless that is given.
        """
        drawn = self._read("board", boards.NAMED.get(self.board, self.board))
        shape = drawn.draw([False] * len(drawn.holes))
        start = self._start(drawn)
        goal = self._goal(drawn, start)
        named = {picture: name for name, picture in boards.NAMED.items()}
        object.__setattr__(self, "board", named.get(shape, shape))
        object.__setattr__(self, "start", _written(drawn, start, peg=False))
        object.__setattr__(self, "goal", _ONE if goal is None else _written(drawn, goal, peg=True))
        object.__setattr__(self, "encoding", "")

    def _read(self, name: str, value: str) -> Board:
        """Read a picture, or the file that holds it."""
        if boards.is_picture(value):
            return boards.read(value, name)
        if not Path(value).exists():
            choices = [*boards.NAMED] if name == "board" else ["a hole such as 3,3", _CENTRE]
            choices += [_ONE] * (name == "goal")
            raise UsageError(
                f"{name}: found {shown(value)}, expected {', '.join(choices)}, a picture or a file with one"
            )
        return boards.read(read_board_text(value, self.encoding), value)

    def _start(self, drawn: Board) -> Position:
        if self.start:
            return self._position("start", drawn, self.start, peg=False)
        if any(drawn.pegs) and not all(drawn.pegs):
            return drawn.pegs
        return _single(drawn, drawn.centre or 0, peg=False)

    def _goal(self, drawn: Board, start: Position) -> Position | None:
        """The position to be reached; None for a single peg anywhere."""
        if self.goal == _ONE or (not self.goal and start.count(False) != 1):
            return None
        if not self.goal:
            return _single(drawn, start.index(False), peg=True)
        return self._position("goal", drawn, self.goal, peg=True)

    def _position(self, name: str, drawn: Board, value: str, *, peg: bool) -> Position:
        """The position that a parameter says: all holes alike but one, or a picture."""
        hole = _HOLE.fullmatch(value)
        if hole or value == _CENTRE:
            number = drawn.number((int(hole[1]), int(hole[2]))) if hole else drawn.centre
            if number is None:
                last = ",".join(map(str, drawn.holes[-1]))
                raise UsageError(f"{name}: found {value}, which is no hole, expected one such as {last}")
            return _single(drawn, number, peg=peg)
        picture = self._read(name, value)
        if picture.holes != drawn.holes:
            differing = sorted(set(picture.holes) ^ set(drawn.holes), key=lambda hole: hole[::-1])
            x, y = differing[0]
            raise UsageError(
                f"{name}: found another board (line {y + 1}, column {x + 1}), expected the same holes"
            )
        return picture.pegs

    @functools.cached_property
    def _drawn(self) -> Board:
        return boards.read(boards.NAMED.get(self.board, self.board), "board")

    @functools.cached_property
    def _jumps(self) -> jumps.Jumps:
        return jumps.find(self._drawn)

    @functools.cached_property
    def _initial(self) -> Rows:
        return pack([self._position("start", self._drawn, self.start, peg=False)], 1)

    @functools.cached_property
    def _goals(self) -> Rows:
        if self.goal == _ONE:
            return pack(np.eye(len(self._drawn.holes), dtype=np.int64), 1)
        return pack([self._position("goal", self._drawn, self.goal, peg=True)], 1)

    @property
    def words(self) -> int:
        """As many as a bit for every hole needs."""
        return int(self._initial.shape[1])

    @property
    def degree(self) -> int:
        """Threes of holes in a line, since no two jumps of one can both be made."""
        return self._jumps.lines

    def initial(self) -> Rows:
        """The start, shape ``(1, words)``."""
        return self._initial.copy()

    def expand(self, rows: Rows) -> tuple[Rows, NDArray[np.int32]]:
        """Make all jumps of every position."""
        from frontrow.search.pegs import jumping

        children, parents = jumping.expand_rows(np.ascontiguousarray(rows), *self._jumps.arrays)
        return children, parents

    @property
    def has_goal(self) -> bool:
        """Always."""
        return True

    def is_goal(self, rows: Rows) -> NDArray[np.bool_]:
        """Which positions are the goal, or have a single peg."""
        from frontrow.search.pegs import jumping

        marks = np.empty(rows.shape[0], np.bool_)
        if self.goal == _ONE:
            jumping.mark_single(np.ascontiguousarray(rows), marks)
        else:
            jumping.mark_equal(np.ascontiguousarray(rows), self._goals[0], marks)
        return marks

    def goals(self) -> Rows:
        """All goals, shape ``(k, words)``."""
        return self._goals.copy()

    @property
    def unreachable(self) -> str:
        """Too few pegs, or another position class than that of every goal."""
        start, goals = _to_integers(self._initial)[0], _to_integers(self._goals)
        if start in goals:
            return ""
        pegs, left = start.bit_count(), goals[0].bit_count()
        if pegs <= left:
            return f"every jump takes a peg away: the start has {pegs}, and the goal needs {left}"
        kept = classes.conserved(_to_integers(self._jumps.flips), len(self._drawn.holes))
        witnesses = [classes.witness(kept, start, goal) for goal in goals]
        if None in witnesses:
            return ""
        if self.goal == _ONE:
            return "no single peg is in the position class of the start, and no jump leaves its class"
        held = next(held for held in witnesses if held is not None)
        names = " ".join(f"{x},{y}" for i, (x, y) in enumerate(self._drawn.holes) if held >> i & 1)
        start_is, goal_is = ("odd", "even") if (held & start).bit_count() % 2 else ("even", "odd")
        return (
            "start and goal are in different position classes: every jump changes an even number of the holes"
            f" {names}, on which the start has an {start_is} number of pegs and the goal an {goal_is} one"
        )

    def symmetries(self) -> Group:
        """The turns and mirrors of the board that leave the start and the goal as they are."""
        return self._symmetries

    @functools.cached_property
    def _symmetries(self) -> Group:
        count = len(self._drawn.holes)
        fixed = [unpack(self._initial, count, 1)[0]]
        if self.goal != _ONE:
            fixed.append(unpack(self._goals, count, 1)[0])
        found = [
            (name, places)
            for name, places in turns.symmetries(self._drawn)
            if all((pegs[list(places)] == pegs).all() for pegs in fixed)
        ]
        return Group.of_fields([name for name, _ in found], count, 1, [places for _, places in found])

    def move_names(self, rows: Rows) -> Sequence[str]:
        """Jumps as ``x,y,dx,dy``: the peg on x,y jumps over the one on x+dx,y+dy to x+2dx,y+2dy.

        Raises:
            FrontrowError: if there is no jump from one row to the next.
        """
        names = [self._jumps.name(*pair) for pair in itertools.pairwise(rows)]
        if None in names:
            raise FrontrowError(
                f"step {names.index(None) + 1}: found positions that no jump joins, expected one"
            )
        return [name for name in names if name is not None]

    def warm(self) -> None:
        """Compile or load the kernels."""
        start, group = self.initial(), self.symmetries()
        self.expand(start)
        self.is_goal(start)
        group.orbits(group.canonical(start))

    def render(self, row: Rows) -> str:
        """The picture of a position."""
        return self._drawn.draw(unpack(row[None], len(self._drawn.holes), 1)[0].tolist())


def _single(drawn: Board, number: int, *, peg: bool) -> Position:
    """A peg alone in one hole, or all but that."""
    return tuple((hole == number) == peg for hole in range(len(drawn.holes)))


def _written(drawn: Board, pegs: Position, *, peg: bool) -> str:
    """The hole in which alone there is a peg, or none, as ``x,y``; the picture of anything else."""
    if pegs.count(peg) == 1:
        return ",".join(map(str, drawn.holes[pegs.index(peg)]))
    return drawn.draw(pegs)


def _to_integers(rows: Rows) -> list[int]:
    """Rows as integers of any size."""
    return [int.from_bytes(row.astype("<u8").tobytes(), "little") for row in rows]
