"""Cubes of 2x2x2 and 3x3x3 cubies whose faces are turned."""

import itertools
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from frontrow.search.cube import geometry, group, net, pocket, turning
from frontrow.search.graph import StateGraph, Sweep
from frontrow.search.parameter import parameter, shown
from frontrow.search.rows import Rows
from frontrow.search.symmetry import Group

_SOLVED = "solved"
_HELP = "moves that are made on the solved cube, such as R U2 F'; or solved"


def _read_start(value: Any) -> str:
    """Read a sequence of moves from a text; `geometry.read_moves` reads it again."""
    if not isinstance(value, str):
        raise ValueError(f"found {shown(value)}, expected {_HELP}")
    if value.strip() == _SOLVED:
        return _SOLVED
    return " ".join(geometry.read_moves(value)) or _SOLVED


class Cube(StateGraph):
    """Turn the faces of a cube.

    A row is laid out as `frontrow.search.cube.geometry` says: a word for the edges of a 3x3x3 cube, and one
    for the corners. The corner DBL of a 2x2x2 cube stays where it is: only U, R and F are turned.
    """

    name: ClassVar[str] = "cube"
    version: ClassVar[int] = 1
    lookback: ClassVar[int | None] = 2
    summary_line: ClassVar[str] = "a cube of 2x2x2 or 3x3x3 cubies whose faces are turned"
    examples: ClassVar[tuple[str, ...]] = ("2x2x2", "2x2x2 qtm", '3x3x3 start="R U2 F\'"')

    size: str = parameter(choices=("2x2x2", "3x3x3"), help="cubies")
    metric: str = parameter(
        default="htm", choices=("htm", "qtm"), help="whether a half turn is one move (htm) or two (qtm)"
    )
    start: str = parameter(default=_SOLVED, parse=_read_start, help=_HELP)

    @property
    def _is_pocket(self) -> bool:
        return self.size == "2x2x2"

    @property
    def _faces(self) -> str:
        return pocket.FACES if self._is_pocket else geometry.FACES

    @property
    def _half(self) -> bool:
        return self.metric == "htm"

    @property
    def words(self) -> int:
        """One for the corners, one for the edges if there are any."""
        return 1 if self._is_pocket else 2

    def _row(self, start: str) -> Rows:
        moves = () if start == _SOLVED else geometry.read_moves(start)
        return geometry.scrambled(moves, edges=not self._is_pocket).copy()

    def initial(self) -> Rows:
        """The solved cube after the moves of `start`."""
        return self._row(self.start)

    def render(self, row: Rows) -> str:
        """A net of letters for colours."""
        return net.draw(row)

    @property
    def degree(self) -> int:
        """Moves of each face."""
        return len(self._faces) * (3 if self._half else 2)

    def expand(self, rows: Rows) -> tuple[Rows, NDArray[np.int32]]:
        """All cubes one move away, by face and amount."""
        return turning.expand(rows, self._faces, half=self._half)

    @property
    def has_goal(self) -> bool:
        """The solved cube can be reached from all that are turned."""
        return True

    def goals(self) -> Rows:
        """The solved cube."""
        return self._row(_SOLVED)

    def is_goal(self, rows: Rows) -> NDArray[np.bool_]:
        """Which cubes are solved."""
        solved: NDArray[np.bool_] = (rows == self._row(_SOLVED)).all(axis=1)
        return solved

    def symmetries(self) -> Group:
        """Rotations and reflections that leave the start where it is.

        All 48 of a solved 3x3x3 cube; of a 2x2x2 cube the 6 that leave the corner DBL where it is.
        """
        return group.fixing(tuple(self.initial()[0].tolist()))

    def states(self) -> int | None:
        """Of 2x2x2 cubes; those of 3x3x3 are more than 64 bits can number."""
        return pocket.STATES if self._is_pocket else None

    def rank(self, rows: Rows) -> NDArray[np.int64]:
        """By the permutation of the corners, then their orientations: see `frontrow.search.cube.pocket`."""
        return pocket.rank(rows)

    def unrank(self, ranks: NDArray[np.int64]) -> Rows:
        """Undo `rank`."""
        return pocket.unrank(ranks)

    def sweep(self) -> Sweep | None:
        """Layers of 2x2x2 cubes as bitmaps."""
        return pocket.PocketSweep(self._half) if self._is_pocket else None

    def move_names(self, rows: Rows) -> Sequence[str]:
        """The face and how far it is turned, as in U, U2 and U'."""
        amounts = geometry.AMOUNTS if self._half else ("", "'")
        names = [face + amount for face in self._faces for amount in amounts]
        found = []
        for row, following in itertools.pairwise(rows):
            children, _ = self.expand(row[None])
            places = np.flatnonzero((children == following).all(axis=1))
            found.append(names[places[0]] if places.size else "")
        return found

    def warm(self) -> None:
        """Compile or load all kernels that exploring needs."""
        rows = self.initial()
        children, _ = self.expand(rows)
        symmetries = self.symmetries()
        symmetries.orbits(symmetries.canonical(children))
        sweep = self.sweep()
        if sweep is not None:
            self.unrank(self.rank(children))
            bits = np.zeros(pocket.GROUP, sweep.dtype)
            sweep.push(bits, bits.copy(), 0, 0, pocket.GROUP, np.empty(sweep.reach, np.uint64))
