"""Boards on paper: with lines and letters, and as pictures."""

import functools
import math
from collections.abc import Sequence

Board = Sequence[int]
"""The queen's column row by row, -1 for a free row; as many columns as rows."""

FREE, QUEEN = " ", "Q"
COLUMN, ROW, RISING, FALLING = "|", "-", "/", "\\"
"""How a square is attacked; of several ways the first in this order is drawn. Row 0 is at the top, so a
rising diagonal runs from bottom left to top right."""

_SQUARE = 40
"""Side of a square in a picture."""
_GAP = 24
"""Space round boards in a picture."""
_LIGHT, _DARK, _LINE, _PIECE, _ATTACK = "#f3ede2", "#d9c9ae", "#6b5d4a", "#26221d", "#b3402a"
_BALL = "a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0z"
_CROWN = f"M8 14l6 8 6-11 6 11 6-8-3 15H11zM10 31h20v3H10zM5 13{_BALL}M17.5 9{_BALL}M30 13{_BALL}"
"""A queen in a square."""
_SHAPES = {
    QUEEN: ("queen", f'fill="{_PIECE}" stroke="none" d="{_CROWN}"'),
    COLUMN: ("column", 'd="M20 12v16"'),
    ROW: ("row", 'd="M12 20h16"'),
    RISING: ("rising", 'd="M14 26l12-12"'),
    FALLING: ("falling", 'd="M14 14l12 12"'),
}
"""Name and path of what can be in a square."""


def squares(board: Board, *, attacks: bool) -> list[list[str]]:
    """What is on every square: a queen, nothing, or how it is attacked.

    No queen stands between another and a square of its lines, as none attacks another.
    """
    size = range(len(board))
    places = [(row, column) for row, column in enumerate(board) if column >= 0]
    columns, rows = {column for _, column in places}, {row for row, _ in places}
    rising, falling = {row + column for row, column in places}, {row - column for row, column in places}

    def content(row: int, column: int) -> str:
        if board[row] == column:
            return QUEEN
        ways = (
            (COLUMN, column in columns),
            (ROW, row in rows),
            (RISING, row + column in rising),
            (FALLING, row - column in falling),
        )
        return next((mark for mark, attacked in ways if attacks and attacked), FREE)

    return [[content(row, column) for column in size] for row in size]


def draw(board: Board, *, attacks: bool = False) -> str:
    """Draw a board with lines and letters."""
    edge = "+" + "---+" * len(board)
    if attacks:
        lines = ["".join(f" {content} |" for content in line) for line in squares(board, attacks=True)]
    else:
        lines = [_line(len(board), column) for column in board]
    return "\n".join([edge, *(text for line in lines for text in (f"|{line}", edge))])


@functools.cache
def _line(n: int, column: int) -> str:
    """A row with a queen in a column, or without one; drawing a long list takes long enough."""
    return "".join(f" {QUEEN if place == column else FREE} |" for place in range(n))


def picture(boards: Sequence[Board], *, attacks: bool = False) -> str:
    """Draw boards of one size, at least one, as an SVG document: side by side in a grid."""
    n = len(boards[0])
    across = math.ceil(math.sqrt(len(boards)))
    down = math.ceil(len(boards) / across)
    step = n * _SQUARE + _GAP
    width, height = across * step + _GAP, down * step + _GAP
    title = f"{len(boards)} boards of {n} queens" if len(boards) > 1 else f"A board of {n} queens"
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
        f"<title>{title}</title>",
        "<defs>",
        *(f'<path id="{name}" {shape}/>' for name, shape in _SHAPES.values()),
        "</defs>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for number, board in enumerate(boards):
        left, top = _GAP + number % across * step, _GAP + number // across * step
        lines += [f'<g transform="translate({left} {top})">', *_drawn(board, attacks), "</g>"]
    return "\n".join([*lines, "</svg>", ""])


def _drawn(board: Board, attacks: bool) -> list[str]:
    """The elements of one board, its top left corner at the origin."""
    n, side = len(board), len(board) * _SQUARE
    dark = "".join(
        f"M{column * _SQUARE} {row * _SQUARE}h{_SQUARE}v{_SQUARE}h-{_SQUARE}z"
        for row in range(n)
        for column in range(n)
        if (row + column) % 2
    )
    uses = [
        f'<use href="#{_SHAPES[content][0]}" x="{column * _SQUARE}" y="{row * _SQUARE}"/>'
        for row, line in enumerate(squares(board, attacks=attacks))
        for column, content in enumerate(line)
        if content != FREE
    ]
    return [
        f'<rect width="{side}" height="{side}" fill="{_LIGHT}"/>',
        *([f'<path d="{dark}" fill="{_DARK}"/>'] if dark else []),
        f'<g stroke="{_ATTACK}" stroke-width="3" stroke-linecap="round">',
        *uses,
        "</g>",
        f'<rect width="{side}" height="{side}" fill="none" stroke="{_LINE}" stroke-width="2"/>',
    ]
