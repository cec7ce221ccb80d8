"""Pictures of sliding block puzzles: what is a piece, which pieces are alike, and what is wanted.

A puzzle is a text: a picture of the start, an empty line, a picture of the goal (or none), and settings::

    LLNO
    OFF.

    LLON
    OFF.

    single: OF

A character is a cell: ``#`` a wall, ``.`` a free cell, a letter or digit a piece. Blanks between cells are
left out, lines that begin with ``;`` as well. ``goal:`` on a line of its own may stand above the goal.

*Pieces.* Cells of one letter that touch side by side are one piece; ``single: OF`` makes every O and every F
a piece of its own. A letter may be used for several pieces if they have the same shape. Capitals and small
letters differ.

*Alike.* Pieces of the same shape are interchangeable whatever their letters, except those whose letter the
goal shows: these are interchangeable with others of their letter only. ``distinct: AB`` says the same of
letters that the goal does not show, ``distinct:`` of all letters. ``alike: AC DE`` takes A and C for one
letter, and D and E, also where the goal shows them.

*Goal.* A cell with a letter has to hold such a piece, whole pieces only; ``.`` may hold anything. Walls may
be left out.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from frontrow.search.boards import rows_of_text
from frontrow.search.errors import UsageError
from frontrow.search.parameter import shown

FREE, WALL, COMMENT = ".", "#", ";"
MOST_CELLS = 64
"""Most cells that are no walls: a set of them is one 64-bit word."""
_SETTINGS = ("single", "distinct", "alike")

Cell = tuple[int, int]
"""Line and column, from 0."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece on a picture.

    Attributes:
        letter: what it is drawn with.
        cells: in reading order; the first is where it is said to be.
    """

    letter: str
    cells: tuple[Cell, ...]

    @property
    def shape(self) -> tuple[Cell, ...]:
        """Its cells counted from the first."""
        row, column = self.cells[0]
        return tuple((r - row, c - column) for r, c in self.cells)


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A puzzle as it is drawn.

    Attributes:
        name: what errors call it.
        start: the lines of the start, of one length.
        goal: those of the goal; empty if there is none.
        first: number of the first line of the start, and of the goal.
        settings: the words after each setting that is used.
    """

    name: str
    start: tuple[str, ...]
    goal: tuple[str, ...]
    first: tuple[int, int]
    settings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The puzzle as a text that says the same, without what was left out."""
        parts = [self.start, *([self.goal] if self.goal else [])]
        lines = [f"{name}: {' '.join(words)}".rstrip() for name, words in sorted(self.settings.items())]
        return "\n".join("".join(f"{line}\n" for line in part) for part in [*parts, lines] if part)

    @property
    def open(self) -> tuple[Cell, ...]:
        """The cells that are no walls, in reading order."""
        return tuple(
            (r, c) for r, line in enumerate(self.start) for c, mark in enumerate(line) if mark != WALL
        )

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The pieces of the start, in reading order of their first cells."""
        return _pieces(self.start, self._singles)

    @property
    def wanted(self) -> tuple[Piece, ...]:
        """The pieces of the goal."""
        return _pieces(self.goal, self._singles)

    @property
    def _singles(self) -> frozenset[str]:
        return frozenset("".join(self.settings.get("single", ())))

    def label(self, letter: str) -> str:
        """What tells a piece from others of its shape: a letter, or nothing."""
        groups = [group for group in self.settings.get("alike", ()) if letter in group]
        same = set("".join(groups)) | {letter}
        distinct = self.settings.get("distinct")
        if distinct == ():
            return min(same)
        told = set("".join(distinct or ())).union(*self.goal)
        return min(same) if same & told else ""


def parse(text: str, name: str = "puzzle") -> Puzzle:
    """Read a puzzle.

    Args:
        text: as this module describes it.
        name: what errors call it.

    Raises:
        UsageError: naming the line, what was found and what was expected.
    """
    pictures, goal, settings = _sections(text, name)
    if not pictures:
        raise UsageError(f"{name}: found no picture, expected that of the start")
    if len(pictures) > 2 or (len(pictures) > 1 and goal not in (None, 1)):
        raise UsageError(
            f"{name}, line {pictures[-1][0]}: found one more picture, expected a start and a goal"
        )
    if goal == len(pictures) or goal == 0:
        raise UsageError(
            f"{name}: found goal: and no picture {'before' if goal == 0 else 'below'}, expected one"
        )
    for first, lines in pictures:
        _check_lines(lines, first, name, len(pictures[0][1][0]))
    start, wanted = pictures[0], pictures[1] if len(pictures) > 1 else (0, [])
    puzzle = Puzzle(name, tuple(start[1]), tuple(wanted[1]), (start[0], wanted[0]), settings)
    _check_start(puzzle)
    if puzzle.goal:
        _check_goal(puzzle)
    return puzzle


_Picture = tuple[int, list[str]]
"""Number of the first line, and the lines."""


def _sections(text: str, name: str) -> tuple[list[_Picture], int | None, dict[str, tuple[str, ...]]]:
    """The pictures of a text, how many of them stand before ``goal:``, and the settings."""
    pictures: list[_Picture] = []
    settings: dict[str, tuple[str, ...]] = {}
    goal, inside = None, False
    for number, line in enumerate(rows_of_text(text), 1):
        if line.lstrip().startswith(COMMENT):
            continue
        word, colon, rest = line.partition(":")
        word = word.strip().lower()
        if not colon:
            cells = "".join(line.split())
            if cells and inside:
                pictures[-1][1].append(cells)
            elif cells:
                pictures.append((number, [cells]))
            inside = cells != ""
            continue
        inside = False
        if word == "goal" and not rest.strip() and goal is None:
            goal = len(pictures)
        elif word in _SETTINGS and word not in settings:
            settings[word] = tuple(rest.replace(",", " ").split())
        else:
            raise UsageError(
                f"{name}, line {number}: found {shown(line.strip())}, expected a picture, goal: on its own,"
                f" or once each {', '.join(each + ':' for each in _SETTINGS)}"
            )
    return pictures, goal, settings


def _check_lines(lines: list[str], first: int, name: str, width: int) -> None:
    for number, line in enumerate(lines, first):
        for mark in line:
            if not (mark.isalnum() or mark in (FREE, WALL)):
                raise UsageError(
                    f"{name}, line {number}: found {shown(mark)}, expected letters or digits for pieces,"
                    f" {FREE} for a free cell, {WALL} for a wall"
                )
        if len(line) != width:
            raise UsageError(
                f"{name}, line {number}: found {len(line)} cells, expected {width} as in the first"
            )


def _check_start(puzzle: Puzzle) -> None:
    """Refuse a start without pieces or too large, letters of several shapes, settings of unknown letters."""
    pieces = puzzle.pieces
    if not pieces:
        raise UsageError(f"{puzzle.name}: found no piece, expected letters or digits in the start")
    if len(puzzle.open) > MOST_CELLS:
        raise UsageError(
            f"{puzzle.name}: found {len(puzzle.open)} cells that are no walls, expected at most {MOST_CELLS}"
        )
    for setting, words in puzzle.settings.items():
        for letter in "".join(words):
            if all(piece.letter != letter for piece in pieces):
                raise UsageError(
                    f"{puzzle.name}: found {shown(letter)} after {setting}:, expected letters of the start"
                )
    first: dict[str, Piece] = {}
    for piece in pieces:
        other = first.setdefault(piece.letter, piece)
        if piece.shape != other.shape:
            lines = [puzzle.first[0] + each.cells[0][0] for each in (other, piece)]
            raise UsageError(
                f"{puzzle.name}: found {piece.letter} in lines {lines[0]} and {lines[1]} in different shapes,"
                f" expected one a letter: pieces that touch need other letters, or single: {piece.letter}"
            )


def _check_goal(puzzle: Puzzle) -> None:
    """Refuse a goal of another size, with other walls or with other pieces than the start has."""
    name, line, wanted = puzzle.name, puzzle.first[1], puzzle.wanted
    if len(puzzle.goal) != len(puzzle.start):
        raise UsageError(
            f"{name}, line {line}: found a goal of {len(puzzle.goal)} lines,"
            f" expected {len(puzzle.start)} as in the start"
        )
    for row, (drawn, there) in enumerate(zip(puzzle.goal, puzzle.start, strict=True)):
        for mark, old in zip(drawn, there, strict=True):
            if mark != FREE and (mark == WALL) != (old == WALL):
                raise UsageError(
                    f"{name}, line {line + row}: found {mark} in the goal where the start has {old},"
                    " expected the same walls"
                )
    if not wanted:
        raise UsageError(f"{name}, line {line}: found no piece in the goal, expected at least one")
    _check_pieces(puzzle, wanted)


def _check_pieces(puzzle: Puzzle, wanted: tuple[Piece, ...]) -> None:
    shapes = {piece.letter: piece.shape for piece in puzzle.pieces}
    for piece in wanted:
        place = f"{puzzle.name}, line {puzzle.first[1] + piece.cells[0][0]}"
        if piece.letter not in shapes:
            raise UsageError(
                f"{place}: found {piece.letter} in the goal, expected pieces of the start: {' '.join(shapes)}"
            )
        if piece.shape != shapes[piece.letter]:
            raise UsageError(
                f"{place}: found {piece.letter} in the goal with {len(piece.cells)} cells, expected the"
                f" {len(shapes[piece.letter])} of the start in the same shape"
            )
    there = _numbers(puzzle, puzzle.pieces)
    for kind, number in _numbers(puzzle, wanted).items():
        if number > there[kind]:
            raise UsageError(
                f"{puzzle.name}: found {number} pieces {kind[1]} in the goal,"
                f" expected at most the {there[kind]} of the start"
            )


def _numbers(puzzle: Puzzle, pieces: Iterable[Piece]) -> dict[tuple[tuple[Cell, ...], str], int]:
    """How many pieces there are of each shape and label."""
    numbers: dict[tuple[tuple[Cell, ...], str], int] = {}
    for piece in pieces:
        kind = piece.shape, puzzle.label(piece.letter)
        numbers[kind] = numbers.get(kind, 0) + 1
    return numbers


def _pieces(lines: tuple[str, ...], singles: frozenset[str]) -> tuple[Piece, ...]:
    """The pieces of a picture, in reading order of their first cells."""
    marks = {(r, c): mark for r, line in enumerate(lines) for c, mark in enumerate(line)}
    left = {cell for cell, mark in marks.items() if mark not in (FREE, WALL)}
    pieces = []
    for cell in sorted(left):
        if cell not in left:
            continue
        letter, found, waiting = marks[cell], {cell}, [cell]
        while waiting and letter not in singles:
            row, column = waiting.pop()
            for near in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
                if marks.get(near) == letter and near not in found:
                    found.add(near)
                    waiting.append(near)
        left -= found
        pieces.append(Piece(letter, tuple(sorted(found))))
    return tuple(pieces)
