"""What the kernels know of a puzzle: numbered cells, kinds of pieces, and rows.

A row holds for every cell that is no wall, in reading order, the number of the kind of the piece whose first
cell it is, or 0. Pieces of a kind have no names there: boards that differ only in which is which are one row.
"""

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frontrow.search.blocks.picture import Cell, Piece, Puzzle, parse
from frontrow.search.rows import Rows, pack, words_for

STEPS = ((-1, 0), (1, 0), (0, -1), (0, 1))
DIRECTIONS = ("up", "down", "left", "right")


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """A puzzle with its tables.

    Attributes:
        puzzle: as it is drawn.
        cells: those that are no walls, in reading order.
        shapes: of each kind from 1: its cells counted from the first; kind 0 has none.
        letters: of each kind from 1: the letters of its pieces in the start, in reading order.
        bits: of a field of a row.
        words: 64-bit words a row.
        start: shape ``(1, words)``.
        goal: the bits that a goal has to have in common with the second row, and these; shape ``(2, words)``.
        masks: the cells that a piece covers, a bit each, by kind and first cell; 0 where it does not fit.
            Shape ``(kinds + 1, cells)``.
        beyond: the cell next to each in the order of `STEPS`, -1 without; shape ``(4, cells)``.
        free: number of free cells.
    """

    puzzle: Puzzle
    cells: tuple[Cell, ...]
    shapes: tuple[tuple[Cell, ...], ...]
    letters: tuple[str, ...]
    bits: int
    words: int
    start: Rows
    goal: NDArray[np.uint64]
    masks: NDArray[np.uint64]
    beyond: NDArray[np.int64]
    free: int

    @property
    def pieces(self) -> int:
        """Number of pieces."""
        return sum(map(len, self.letters))


@functools.lru_cache(maxsize=32)
def plan(text: str) -> Plan:
    """The plan of a puzzle that is given as a text.

    Raises:
        UsageError: if it is none.
    """
    puzzle = parse(text)
    cells = puzzle.open
    kinds: dict[tuple[tuple[Cell, ...], str], int] = {}
    letters = [""]
    for piece in puzzle.pieces:
        key = piece.shape, puzzle.label(piece.letter)
        if key not in kinds:
            kinds[key] = len(letters)
            letters.append("")
        letters[kinds[key]] += piece.letter
    shapes = ((), *(shape for shape, _ in kinds))
    bits = len(kinds).bit_length()

    def row(pieces: tuple[Piece, ...], whole: int = 0) -> Rows:
        codes = np.zeros((1, len(cells)), np.int64)
        for piece in pieces:
            kind = kinds[piece.shape, puzzle.label(piece.letter)]
            codes[0, cells.index(piece.cells[0])] = whole or kind
        return pack(codes, bits)

    goal = np.concatenate([row(puzzle.wanted, 2**bits - 1), row(puzzle.wanted)])
    return Plan(
        puzzle,
        cells,
        shapes,
        tuple(letters),
        bits,
        words_for(len(cells), bits),
        row(puzzle.pieces),
        goal,
        _masks(cells, shapes),
        _beyond(cells),
        len(cells) - sum(len(piece.cells) for piece in puzzle.pieces),
    )


def _masks(cells: tuple[Cell, ...], shapes: tuple[tuple[Cell, ...], ...]) -> NDArray[np.uint64]:
    index = {cell: number for number, cell in enumerate(cells)}
    masks = np.zeros((len(shapes), len(cells)), np.uint64)
    for kind, shape in enumerate(shapes):
        for number, (row, column) in enumerate(cells):
            covered = [(row + r, column + c) for r, c in shape]
            if all(cell in index for cell in covered):
                masks[kind, number] = sum(1 << index[cell] for cell in covered)
    return masks


def _beyond(cells: tuple[Cell, ...]) -> NDArray[np.int64]:
    index = {cell: number for number, cell in enumerate(cells)}
    return np.array([[index.get((r + dr, c + dc), -1) for r, c in cells] for dr, dc in STEPS], np.int64)
