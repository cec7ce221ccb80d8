"""Reflections and turns of a board that leave the start and the goal as they are."""

import itertools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from frontrow.search.blocks.picture import Cell, Piece
from frontrow.search.blocks.plan import Plan
from frontrow.search.rows import WORD
from frontrow.search.symmetry import Group

_CHUNK = 9
"""Most bits that are looked up together: tables of 4 KiB each for rows of a word. Fields are narrower."""

_Turn = Callable[[int, int, int, int], Cell]
_TURNS: dict[str, _Turn] = {
    "identity": lambda r, c, height, width: (r, c),
    "left-right": lambda r, c, height, width: (r, width - 1 - c),
    "top-bottom": lambda r, c, height, width: (height - 1 - r, c),
    "half turn": lambda r, c, height, width: (height - 1 - r, width - 1 - c),
}
_SQUARE: dict[str, _Turn] = {
    "diagonal": lambda r, c, height, width: (c, r),
    "quarter turn": lambda r, c, height, width: (c, height - 1 - r),
    "three-quarter turn": lambda r, c, height, width: (width - 1 - c, r),
    "antidiagonal": lambda r, c, height, width: (width - 1 - c, height - 1 - r),
}
"""What square boards have on top of it."""


def group(plan: Plan) -> Group:
    """The reflections and turns that map walls, start and goal to themselves; pieces may change kinds.

    A piece is noted at its first cell, and what was its last one is its first in a mirror, so where a field
    goes depends on what is in it.
    """
    height, width = len(plan.puzzle.start), len(plan.puzzle.start[0])
    names, fields = [], []
    for name, turn in (_TURNS | (_SQUARE if height == width else {})).items():
        moved = {cell: turn(*cell, height, width) for cell in itertools.product(range(height), range(width))}
        found = _fields(plan, moved)
        if found is not None:
            names.append(name)
            fields.append(found)
    if len(names) == 1:
        return Group.trivial(plan.words)
    return _group(plan, names, np.stack(fields))


def _fields(plan: Plan, moved: dict[Cell, Cell]) -> NDArray[np.uint64] | None:
    """What each field becomes, shape ``(cells, 2**bits, words)``; None if the map is no symmetry."""
    puzzle = plan.puzzle
    if {moved[cell] for cell in plan.cells} != set(plan.cells):
        return None
    there = {piece.cells: puzzle.label(piece.letter) for piece in puzzle.pieces}
    kinds = {(shape, label): kind for kind, (shape, label) in enumerate(_kinds(plan), 1)}
    becomes: dict[int, int] = {}
    for piece in puzzle.pieces:
        image = Piece(piece.letter, tuple(sorted(moved[cell] for cell in piece.cells)))
        if image.cells not in there:
            return None
        old = kinds[piece.shape, puzzle.label(piece.letter)]
        new = kinds[image.shape, there[image.cells]]
        if becomes.setdefault(old, new) != new:
            return None
    fields = np.zeros((len(plan.cells), 2**plan.bits, plan.words), np.uint64)
    per_word = WORD // plan.bits
    for number, (row, column) in enumerate(plan.cells):
        for old, new in becomes.items():
            if plan.masks[old, number]:
                place = plan.cells.index(min(moved[row + r, column + c] for r, c in plan.shapes[old]))
                fields[number, old, place // per_word] = new << place % per_word * plan.bits
    return fields if _keeps_goal(plan, fields) else None


def _kinds(plan: Plan) -> list[tuple[tuple[Cell, ...], str]]:
    """Shape and label of each kind from 1."""
    return [
        (shape, plan.puzzle.label(letters[0]))
        for shape, letters in zip(plan.shapes[1:], plan.letters[1:], strict=True)
    ]


def _keeps_goal(plan: Plan, fields: NDArray[np.uint64]) -> bool:
    """Whether what the goal says of some fields is what it says of their images."""
    per_word = WORD // plan.bits
    image = np.zeros(plan.words, np.uint64)
    for number in range(len(plan.cells)):
        value = int(plan.goal[1, number // per_word]) >> number % per_word * plan.bits
        image |= fields[number, value & (2**plan.bits - 1)]
    return bool((image == plan.goal[1]).all())


def _group(plan: Plan, names: list[str], fields: NDArray[np.uint64]) -> Group:
    """The group from what fields become, shape ``(order, cells, 2**bits, words)``."""
    per_word, fused = WORD // plan.bits, max(1, _CHUNK // plan.bits)
    starts = [
        (first, word * per_word + first)
        for word in range(plan.words)
        for first in range(0, min(per_word, len(plan.cells) - word * per_word), fused)
    ]
    chunks = []
    tables = np.zeros((len(names), len(starts), 2 ** (fused * plan.bits), plan.words), np.uint64)
    values = np.arange(tables.shape[2])
    for chunk, (turn, cell) in enumerate(starts):
        size = min(fused, per_word - turn, len(plan.cells) - cell)
        chunks.append((cell // per_word, turn * plan.bits, size * plan.bits))
        for number in range(size):
            codes = values >> number * plan.bits & (2**plan.bits - 1)
            tables[1:, chunk] |= fields[1:, cell + number, codes]
        # The identity leaves also those numbers as they are that no field ever holds.
        tables[0, chunk, :, cell // per_word] = values.astype(np.uint64) << np.uint64(turn * plan.bits)
    widest = max(bits for _, _, bits in chunks)
    return Group(tuple(names), plan.words, tables[:, :, : 2**widest], np.array(chunks, np.int64))
