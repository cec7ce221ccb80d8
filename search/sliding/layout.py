"""How boards are packed into rows.

Up to 16 cells a row is one word with four bits a cell, as `frontrow.search.rows.pack` makes it.

Larger boards have fields of five or six bits for all cells but the last. The blank's place is in bits 60 to
63 of the first two words, its low bits first. The field of the blank's cell holds the last cell's tile: so
two words are enough for 25 cells, and a step of the blank exchanges two fields or, to and from the last,
none.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from frontrow.search.rows import Rows, pack, unpack, words_for

Cells: TypeAlias = NDArray[np.int64]
"""Shape ``(n, cells)``: boards, 0 for the blank."""

WORD_CELLS = 16
"""Cells of the largest board that is one word."""
PLACE_SHIFT = 60
"""The lowest bit of the blank's place in the first two words of larger boards."""
_NIBBLE = 4
_FIVE_BITS = 32
"""Cells of the largest board with five bits a field."""


def field_bits(cells: int) -> int:
    """Bits of a field."""
    if cells <= WORD_CELLS:
        return 4
    return 5 if cells <= _FIVE_BITS else 6


def words(cells: int) -> int:
    """64-bit words a row."""
    return 1 if cells <= WORD_CELLS else words_for(cells - 1, field_bits(cells))


def to_rows(boards: Cells) -> Rows:
    """Pack boards of shape ``(n, cells)``."""
    cells = boards.shape[1]
    if cells <= WORD_CELLS:
        return pack(boards, field_bits(cells))
    places = (boards == 0).argmax(axis=1)
    fields = boards.copy()
    fields[np.arange(boards.shape[0]), places] = boards[:, -1]
    rows = pack(fields[:, :-1], field_bits(cells))
    halves = np.stack([places & 15, places >> _NIBBLE], axis=1).astype(np.uint64)
    rows[:, :2] |= halves << np.uint64(PLACE_SHIFT)
    return rows


def to_cells(rows: Rows, cells: int) -> Cells:
    """Undo `to_rows`."""
    if cells <= WORD_CELLS:
        return unpack(rows, cells, field_bits(cells))
    boards = np.empty((rows.shape[0], cells), np.int64)
    boards[:, :-1] = unpack(rows, cells - 1, field_bits(cells))
    halves = (rows[:, :2] >> np.uint64(PLACE_SHIFT)).astype(np.int64)
    places = halves[:, 0] | halves[:, 1] << _NIBBLE
    lines = np.arange(rows.shape[0])
    boards[:, -1] = 0
    held = boards[lines, places]
    boards[:, -1] = held
    boards[lines, places] = 0
    return boards
