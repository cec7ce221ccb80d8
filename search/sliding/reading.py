"""Files of boards: several in one file, each with its shape, and what is wrong with those that are none."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from numbers import Number
from typing import Any

from frontrow.search.errors import UsageError
from frontrow.search.sliding.board import (
    MOST,
    NAMED,
    Board,
    Lines,
    Shape,
    counted,
    read_board,
    read_shape,
    to_board,
    to_shape,
)

_SIZE = re.compile(r"\s*[0-9]+\s*[xX\xd7]\s*[0-9]+\s*")
_NUMBERS = re.compile(r"[0-9]{1,9}(?:[\s,]+[0-9]{1,9})?")
_NO_SHAPE = Shape(0, 0)


@dataclass(frozen=True, slots=True)
class Drawn:
    """One board of a text.

    Attributes:
        number: which one it is, from 1.
        line: the line of the text at which it begins, from 1.
        shape: of the board; 0x0 if its size is none.
        board: its tiles; empty if it is none.
        error: what is wrong with it, as ``found X, expected Y``; else empty.
    """

    number: int
    line: int
    shape: Shape
    board: Board
    error: str = ""


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    text: str
    tiles: tuple[int, ...]
    error: str


def read_boards(text: str) -> list[Drawn]:
    """All boards of a text: a blank line between two, or one a line; docs/boards.md has the format.

    A size that is none is a board that is none, with the lines below it; what follows is read without a size.

    Raises:
        UsageError: if there is none.
    """
    found: list[Drawn] = []
    size: Shape | None = None
    for block in _blocks(text):
        try:
            declared = _declared(block)
        except ValueError as error:
            size, text = None, f"line {block[0].number}: {error}"
            found.append(Drawn(len(found) + 1, block[0].number, _NO_SHAPE, (), text))
            continue
        if declared is not None:
            size, block = declared, block[1:]
        if not block:
            continue
        parts = [[line] for line in block] if _one_a_line(block, size) else [block]
        found += [_read(part, size, len(found) + number) for number, part in enumerate(parts, 1)]
    if not found:
        raise UsageError("found no board, expected rows of tiles such as 1 2 3")
    return found


def _blocks(text: str) -> Iterator[list[_Line]]:
    """Lines that belong together; comments are left out, and lines of comments only divide nothing."""
    block: list[_Line] = []
    for number, line in enumerate([*text.splitlines(), ""], 1):
        bare, mark, _ = line.partition("#")
        if bare.strip():
            block.append(_read_line(number, bare.strip()))
        elif not mark and block:
            yield block
            block = []


def _read_line(number: int, text: str) -> _Line:
    try:
        lines = read_board(text, ())
    except ValueError as error:
        return _Line(number, text, (), f"line {number}: {error}")
    assert not isinstance(lines, str)
    return _Line(number, text, lines[0], "")


def _declared(block: list[_Line]) -> Shape | None:
    """The shape that a block's first line says: ``3x4``, or numbers that cannot be a row of what follows.

    Raises:
        ValueError: if it says one that no board has.
    """
    text = block[0].text
    if _SIZE.fullmatch(text):
        return to_shape(read_shape(text))
    numbers = block[0].tiles
    if not _NUMBERS.fullmatch(text) or 0 in numbers or len(block) < 2:
        return None
    rows, columns = numbers[0], numbers[-1]
    following = block[1].tiles
    if len(following) == len(numbers) or len(following) not in (columns, rows * columns):
        return None
    return Shape(rows, columns)


def _one_a_line(block: list[_Line], size: Shape | None) -> bool:
    """Whether every line of a block is a board of its own."""
    if len(block) == 1 or (size is not None and size.rows == 1):
        return True
    counts = [len(line.tiles) for line in block if not line.error]
    if size is not None:
        return size.columns not in counts and size.cells in counts
    whole = sum(_is_whole(line.tiles) and _root(len(line.tiles)) is not None for line in block)
    return whole > 0 and sum(0 in line.tiles for line in block) > 1


def _is_whole(tiles: tuple[int, ...]) -> bool:
    return sorted(tiles) == list(range(len(tiles)))


def _root(cells: int) -> int | None:
    """The side of a square of so many cells; None if there is none, or it has no four cells."""
    side = math.isqrt(cells)
    return side if side * side == cells and side > 1 else None


def _read(block: list[_Line], size: Shape | None, number: int) -> Drawn:
    shape = size or _shape_of(tuple(line.tiles for line in block if not line.error))
    for line in block:
        if line.error:
            return Drawn(number, line.number, shape, (), line.error)
    begun = block[0].number
    try:
        if not 1 <= shape.cells <= MOST:
            raise UsageError(f"line {begun}: found {counted(shape.cells, 'cell')}, expected 1 to {MOST}")
        _check_rows(block, shape)
        lines = tuple(line.tiles for line in block)
        board = to_board(f"line {begun}", lines, shape)
    except UsageError as error:
        return Drawn(number, begun, shape, (), str(error))
    return Drawn(number, begun, shape, board)


def _check_rows(block: list[_Line], shape: Shape) -> None:
    """Refuse a ragged row by its own line.

    Raises:
        UsageError: if a row is too long or too short.
    """
    if len(block) == 1:
        return
    for line in block:
        if len(line.tiles) != shape.columns:
            found = counted(len(line.tiles), "cell")
            raise UsageError(
                f"line {line.number}: found {found}, expected {shape.columns} as in a {shape} board"
            )


def _shape_of(lines: Lines) -> Shape:
    """The shape of a board of some lines: one line of a square number of tiles is a square."""
    if len(lines) > 1:
        return Shape(len(lines), len(lines[0]))
    cells = len(lines[0]) if lines else 0
    side = _root(cells)
    return Shape(1, cells) if side is None else Shape(side, side)


def gathered(value: Any, depth: int = 3) -> Any:
    """A board, or several, that can be gone through as often as one likes: iterators become lists.

    Args:
        value: whatever was given as a board, or as several.
        depth: how deep iterators may be within each other: boards, rows, tiles.
    """
    if not depth or isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        return value
    if hasattr(value, "__array__"):
        return value
    items = [gathered(item, depth - 1) for item in value]
    return tuple(items) if isinstance(value, tuple) else items


def with_size(params: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of a puzzle with its size, which follows from a start or goal given row by row.

    One line of a square number of tiles is a square board. What cannot be told is left as it is.

    Raises:
        UsageError: if a board that would tell it has something else than tiles.
    """
    found = dict(params)
    for name in ("start", "goal"):
        if "size" in found or name not in found:
            continue
        try:
            found[name] = gathered(found[name])
            lines = read_board(found[name], ("goal", *NAMED))
        except ValueError as error:
            raise UsageError(f"{name}: {error}") from error
        if isinstance(lines, str) or not lines or not lines[0]:
            continue
        in_rows = not isinstance(found[name], str) and not isinstance(next(iter(found[name])), (str, Number))
        found["size"] = str(Shape(len(lines), len(lines[0])) if in_rows else _shape_of(lines))
    return found
