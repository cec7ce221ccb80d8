"""Boards of pieces as pictures, and moves in words."""

import itertools

import numpy as np

from frontrow.search.blocks.picture import FREE, WALL, Cell
from frontrow.search.blocks.plan import DIRECTIONS, STEPS, Plan
from frontrow.search.rows import Rows, unpack

_Letters = dict[Cell, tuple[int, str]]
"""Kind and letter of the piece whose first cell it is."""


def draw(plan: Plan, row: Rows) -> str:
    """Draw a row, shape ``(words,)``; of alike pieces the first has the letter of the first in the start."""
    return _draw(plan, _letters(plan, row))


def draw_way(plan: Plan, rows: Rows) -> list[str]:
    """Draw the rows of a way, shape ``(steps + 1, words)``: a piece keeps its letter along it."""
    return [_draw(plan, letters) for letters in _along(plan, rows)]


def name_moves(plan: Plan, metric: str, rows: Rows) -> list[str]:
    """Name the moves along a way by letter, place (line, column) and direction, such as ``B(3,1) left 2``."""
    names = []
    ways = _along(plan, rows)
    for before, after in itertools.pairwise(ways):
        gone, come = set(before) - set(after), set(after) - set(before)
        if len(gone) != 1 or len(come) != 1:
            names.append("")
            continue
        (row, column), to = gone.pop(), come.pop()
        letter = before[row, column][1]
        names.append(f"{letter}({row},{column}) {_path(metric, (row, column), to)}")
    return names


def _path(metric: str, here: Cell, to: Cell) -> str:
    """How a piece goes, in words: a direction if it is a cell farther or the way is straight by the rules."""
    rows, columns = to[0] - here[0], to[1] - here[1]
    distance = abs(rows) + abs(columns)
    if (metric == "piece" and distance > 1) or (rows and columns):
        return f"to ({to[0]},{to[1]})"
    direction = DIRECTIONS[STEPS.index((rows // distance, columns // distance))]
    return direction if distance == 1 else f"{direction} {distance}"


def _letters(plan: Plan, row: Rows) -> _Letters:
    left = [list(letters) for letters in plan.letters]
    codes = unpack(row[None, :], len(plan.cells), plan.bits)[0].tolist()
    return {cell: (kind, left[kind].pop(0)) for cell, kind in zip(plan.cells, codes, strict=True) if kind}


def _along(plan: Plan, rows: Rows) -> list[_Letters]:
    """The letters of every row of a way; where a row is no move away from the one before, they begin anew."""
    ways: list[_Letters] = []
    for row in np.atleast_2d(rows):
        fresh = _letters(plan, row)
        if ways:
            gone, come = set(ways[-1]) - set(fresh), set(fresh) - set(ways[-1])
            kept = {cell: its for cell, its in ways[-1].items() if cell not in gone}
            if len(gone) == len(come) == 1:
                kept[come.pop()] = ways[-1][gone.pop()]
            if {cell: kind for cell, (kind, _) in kept.items()} == {c: k for c, (k, _) in fresh.items()}:
                fresh = kept
        ways.append(fresh)
    return ways


def _draw(plan: Plan, letters: _Letters) -> str:
    marks = dict.fromkeys(plan.cells, FREE)
    for (row, column), (kind, letter) in letters.items():
        for r, c in plan.shapes[kind]:
            marks[row + r, column + c] = letter
    lines = plan.puzzle.start
    return "\n".join(
        "".join(marks.get((row, column), WALL) for column in range(len(line)))
        for row, line in enumerate(lines)
    )
