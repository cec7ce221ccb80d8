"""Boards of peg solitaire as pictures: which holes there are, and which of them hold a peg."""

from collections.abc import Sequence
from dataclasses import dataclass

from frontrow.search.boards import rows_of_text
from frontrow.search.errors import UsageError
from frontrow.search.parameter import shown

MOST_HOLES = 256
"""Holes of the largest board."""

_PEG, _EMPTY, _OUTSIDE = "@", ".oO", "# "
_CHARACTERS = f"{_PEG}{_EMPTY}{_OUTSIDE}"

NAMED = {
    "english": "  ...\n  ...\n.......\n.......\n.......\n  ...\n  ...",
    "european": "  ...\n .....\n.......\n.......\n.......\n .....\n  ...",
    "triangle15": "    .\n   . .\n  . . .\n . . . .\n. . . . .",
}
"""Pictures of the boards that have names: 33 and 37 holes in a square grid, 15 in a triangular one."""

Hole = tuple[int, int]
"""Column x from the left and line y from the top, as in the picture without its margin; both from 0."""

_SQUARE: tuple[Hole, ...] = ((-1, 0), (1, 0), (0, -1), (0, 1))
_TRIANGULAR: tuple[Hole, ...] = ((-2, 0), (2, 0), (-1, -1), (1, -1), (-1, 1), (1, 1))


@dataclass(frozen=True, slots=True)
class Board:
    """The holes of a board, numbered line by line, and where its pegs are in a picture.

    Attributes:
        holes: in the order in which they are numbered.
        pegs: whether each holds a peg.
    """

    holes: tuple[Hole, ...]
    pegs: tuple[bool, ...]

    @property
    def is_triangular(self) -> bool:
        """Whether the grid is triangular: no two holes are drawn side by side or one below the other."""
        return len({(x + y) % 2 for x, y in self.holes}) == 1

    @property
    def directions(self) -> tuple[Hole, ...]:
        """The steps from a hole to its neighbours."""
        return _TRIANGULAR if self.is_triangular else _SQUARE

    @property
    def centre(self) -> int | None:
        """The hole at the centre of gravity of all holes; None if there is none."""
        count, xs, ys = len(self.holes), sum(x for x, _ in self.holes), sum(y for _, y in self.holes)
        return next((i for i, (x, y) in enumerate(self.holes) if (x * count, y * count) == (xs, ys)), None)

    def number(self, hole: Hole) -> int | None:
        """The number of a hole; None if it is none."""
        return self.holes.index(hole) if hole in self.holes else None

    def draw(self, pegs: Sequence[object]) -> str:
        """The picture of a position, given as what is true of every hole that holds a peg."""
        lines = [
            [" "] * (1 + max(x for x, _ in self.holes)) for _ in range(1 + max(y for _, y in self.holes))
        ]
        for (x, y), peg in zip(self.holes, pegs, strict=True):
            lines[y][x] = _PEG if peg else _EMPTY[0]
        return "\n".join("".join(line).rstrip() for line in lines)


def is_picture(value: str) -> bool:
    """Whether a value is a picture and not a name: several lines, or lines between slashes."""
    return "\n" in value or (value.strip() != "" and set(value) <= set(_CHARACTERS + "/"))


def read(text: str, what: str) -> Board:
    """Read a picture.

    Args:
        text: its lines; where all is in one line, a slash stands between two.
        what: the parameter or the file that it comes from, for messages.

    Raises:
        UsageError: if there is no hole, too many, or anything else in it.
    """
    found = {}
    for y, line in enumerate(rows_of_text(text if "\n" in text else text.replace("/", "\n"))):
        for x, character in enumerate(line):
            if character not in _CHARACTERS:
                expected = "@ for a peg, . or o for an empty hole, # or a blank outside"
                raise UsageError(f"{what}: line {y + 1}: found {shown(character)}, expected {expected}")
            if character not in _OUTSIDE:
                found[x, y] = character == _PEG
    if not 1 <= len(found) <= MOST_HOLES:
        raise UsageError(f"{what}: found a board of {len(found)} holes, expected 1 to {MOST_HOLES}")
    left, top = min(x for x, _ in found), min(y for _, y in found)
    return Board(tuple((x - left, y - top) for x, y in found), tuple(found.values()))
