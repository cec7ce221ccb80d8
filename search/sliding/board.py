"""Shapes and boards of sliding puzzles: how they are read, checked and drawn, and what can be reached.

A board is the tuple of its tiles row by row, 0 for the blank.
"""

import operator
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from frontrow.search.boards import narrow
from frontrow.search.errors import UsageError
from frontrow.search.parameter import shown

Board: TypeAlias = tuple[int, ...]
Lines: TypeAlias = tuple[tuple[int, ...], ...]
"""A board as it was given: line by line, or all in one line."""

MOST = 64
"""Cells of the largest board: a tile has to fit six bits."""
SHAPE_HELP = f"rows x columns such as 3x4, at most {MOST} cells"
BOARD_HELP = "tiles row by row such as 1,2,3,4,5,6,7,_,8 or line by line, with _, . or 0 for the blank"

_SHAPE = re.compile(r"\s*([0-9]{1,9})\s*[xX\xd7]\s*([0-9]{1,9})\s*")
_TILE = re.compile(r"[0-9]{1,9}")
_BLANKS = ("_", ".", "0")
_GAP = re.compile(r",\s*,|^\s*,")
"""Where a tile is missing; a comma at the end of a line is none."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A number of rows and a number of columns."""

    rows: int
    columns: int

    def __str__(self) -> str:
        return f"{self.rows}x{self.columns}"

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return self.rows * self.columns

    @property
    def is_line(self) -> bool:
        """Whether there is one row or one column only, so that no tile can pass another."""
        return 1 in (self.rows, self.columns)

    def lines(self, board: Board) -> Lines:
        """A board row by row."""
        return tuple(board[k : k + self.columns] for k in range(0, self.cells, self.columns))


def read_shape(value: Any) -> str:
    """Read a shape such as ``3x4``; in its canonical form.

    Raises:
        ValueError: if it is none, or is too large.
    """
    found = _SHAPE.fullmatch(narrow(value)) if isinstance(value, str) else None
    if not found:
        raise ValueError(f"found {shown(value)}, expected {SHAPE_HELP}")
    shape = Shape(int(found[1]), int(found[2]))
    if not 1 <= shape.cells <= MOST:
        raise ValueError(f"found {shown(value)}, expected {SHAPE_HELP}")
    return str(shape)


def to_shape(text: str) -> Shape:
    """The shape that `read_shape` read."""
    rows, columns = map(int, text.split("x"))
    return Shape(rows, columns)


def blank_last(shape: Shape) -> Board:
    """The tiles in order, then the blank."""
    return (*range(1, shape.cells), 0)


def blank_first(shape: Shape) -> Board:
    """The blank, then the tiles in order."""
    return tuple(range(shape.cells))


def snail(shape: Shape) -> Board:
    """The tiles in order along a spiral that starts in the top left corner and turns inwards to the blank."""
    board = [0] * shape.cells
    top, left, bottom, right = 0, 0, shape.rows - 1, shape.columns - 1
    path: list[tuple[int, int]] = []
    while top <= bottom and left <= right:
        path += [(top, column) for column in range(left, right + 1)]
        path += [(row, right) for row in range(top + 1, bottom + 1)]
        if top < bottom and left < right:
            path += [(bottom, column) for column in range(right - 1, left - 1, -1)]
            path += [(row, left) for row in range(bottom - 1, top, -1)]
        top, left, bottom, right = top + 1, left + 1, bottom - 1, right - 1
    for tile, (row, column) in enumerate(path[:-1], 1):
        board[row * shape.columns + column] = tile
    return tuple(board)


NAMED: dict[str, Callable[[Shape], Board]] = {
    "blank-last": blank_last,
    "blank-first": blank_first,
    "snail": snail,
}
"""Boards that have a name."""


def read_board(value: Any, words: Iterable[str]) -> str | Lines:
    """Read a board from a text or from numbers, flat or in rows; or one of some words that stand for one.

    Full-width digits and signs are taken for the usual ones.

    Raises:
        ValueError: for anything that is neither a tile nor the blank.
    """
    if not isinstance(value, str):
        return _read_numbers(value)
    if value.strip() in words:
        return value.strip()
    lines = narrow(value).strip().splitlines()
    return tuple(
        _read_line(line, f" in line {number}" if len(lines) > 1 else "")
        for number, line in enumerate(lines, 1)
    )


def _read_line(line: str, where: str) -> tuple[int, ...]:
    if _GAP.search(line):
        raise ValueError(f"found a comma without a tile before it{where}, expected one, or _, . or 0")
    return tuple(_read_tile(word, where) for word in line.replace(",", " ").split())


def _read_numbers(value: Any) -> Lines:
    if not isinstance(value, Iterable) or isinstance(value, (bytes, dict)):
        raise ValueError(f"found {shown(value)}, expected {BOARD_HELP}")
    items = list(value)
    if items and all(isinstance(item, Iterable) and not isinstance(item, str) for item in items):
        return tuple(tuple(_read_tile(tile) for tile in item) for item in items)
    return (tuple(_read_tile(item) for item in items),)


def _read_tile(tile: Any, where: str = "") -> int:
    """One tile, from a text or a number."""
    complaint = f"found {shown(tile)}{where}, expected tiles from 1 on, and _, . or 0 for the blank"
    if isinstance(tile, str):
        if tile in _BLANKS:
            return 0
        if not _TILE.fullmatch(tile):
            raise ValueError(complaint)
        return int(tile)
    try:
        number = operator.index(tile)
    except TypeError as error:
        raise ValueError(complaint) from error
    if isinstance(tile, bool) or number < 0:
        raise ValueError(complaint)
    return number


def counted(number: int, word: str) -> str:
    """A number of things, of which there may be one."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def to_board(name: str, lines: Lines, shape: Shape) -> Board:
    """The board that lines make.

    Args:
        name: the parameter that messages name.
        lines: as many as the board has rows, or all of it in one.
        shape: what the board has to fit.

    Raises:
        UsageError: if a line or a tile is missing, is there twice or does not belong to the board.
    """
    board = tuple(tile for line in lines for tile in line)
    if len(lines) < 2 and len(board) != shape.cells:
        cells = counted(len(board), "cell")
        raise UsageError(f"{name}: found {cells}, expected {shape.cells} of a {shape} board")
    for number, line in enumerate(lines, 1):
        if len(lines) > 1 and len(line) != shape.columns:
            found = counted(len(line), "cell")
            raise UsageError(f"{name}: line {number}: found {found}, expected {shape.columns}")
    if len(lines) not in (1, shape.rows):
        raise UsageError(f"{name}: found {counted(len(lines), 'line')}, expected {shape.rows}")
    _check_tiles(name, board, shape)
    return board


def _check_tiles(name: str, board: Board, shape: Shape) -> None:
    """Refuse a board of the right size that does not hold each tile once.

    Raises:
        UsageError: it names the tile and its row.
    """
    if 0 not in board:
        raise UsageError(f"{name}: found no blank, expected one: _, . or 0")
    missing = sorted(set(range(shape.cells)) - set(board))
    seen: set[int] = set()
    for place, tile in enumerate(board):
        row = place // shape.columns + 1
        if tile >= shape.cells:
            raise UsageError(f"{name}: found tile {tile} in row {row}, expected tile {missing[0]}")
        if tile in seen:
            what = f"tile {tile}" if tile else "the blank"
            raise UsageError(f"{name}: found {what} again in row {row}, expected tile {missing[0]}")
        seen.add(tile)


def draw(shape: Shape, board: Board) -> str:
    """A board as lines of aligned numbers, ``_`` for the blank."""
    width = len(str(shape.cells - 1))
    return "\n".join(" ".join(str(tile or "_").rjust(width) for tile in line) for line in shape.lines(board))


def parity(shape: Shape, board: Board) -> int:
    """What no move changes, 0 or 1: the parity of the order of the tiles, with the blank's row if it counts.

    A tile that moves up or down passes ``columns - 1`` others, one that moves sideways none. On boards with
    two rows and two columns at least, all boards of one parity can be reached from each other (Johnson and
    Story 1879).
    """
    tiles = [tile for tile in board if tile]
    odd = sum(a > b for index, b in enumerate(tiles) for a in tiles[:index])
    return (odd + board.index(0) // shape.columns * (shape.columns - 1)) % 2


def explain_unreachable(shape: Shape, start: Board, goal: Board) -> str:
    """Why no moves lead from one board to another; empty if some do."""
    if shape.is_line:
        if [tile for tile in start if tile] == [tile for tile in goal if tile]:
            return ""
        line = "row" if shape.rows == 1 else "column"
        return (
            f"on a board of one {line} tiles cannot pass each other, and the goal has them in another order"
        )
    if parity(shape, start) == parity(shape, goal):
        return ""
    return "every move keeps the parity of the board, and that of the goal is the other one"
