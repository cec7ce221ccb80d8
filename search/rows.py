"""Rows: fixed-width arrays of 64-bit words that hold the nodes of every search."""

import hashlib
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Rows: TypeAlias = NDArray[np.uint64]
"""Shape ``(n, words)``, C order: one node a row."""

Origins: TypeAlias = NDArray[np.uint8]
"""Shape ``(n, 1)``: by what sort of move each row was first reached, 1 to 63 as its graph numbers them; 0 if
that is not known."""

Stop: TypeAlias = NDArray[np.uint8]
"""Shape ``(1,)``: zero while work goes on; anything else asks every kernel to return.

`HAND_BACK` asks whoever can for what was done so far; others leave as for any other value.
"""

HAND_BACK = 2

WORD = 64


def new_stop() -> Stop:
    """Make a stop flag that is not raised."""
    return np.zeros(1, np.uint8)


def words_for(cells: int, bits: int) -> int:
    """Number of 64-bit words for `cells` fields of `bits` bits; no field straddles two words."""
    return -(-cells // (WORD // bits))


def pack(values: ArrayLike, bits: int) -> Rows:
    """Pack small integers into rows.

    Args:
        values: shape ``(n, cells)``, each in ``[0, 2**bits)``.
        bits: bits a cell, 1 to 64.

    Returns:
        Rows of shape ``(n, words_for(cells, bits))``; cell 0 is in the lowest bits of word 0.

    Raises:
        ValueError: if a value does not fit.
    """
    cells = np.asarray(values)
    if cells.ndim != 2:
        raise ValueError(f"values: found {cells.ndim} dimensions, expected 2")
    if cells.size and (cells.min() < 0 or int(cells.max()) >> bits):
        raise ValueError(f"values: found {cells.min()} to {cells.max()}, expected 0 to {2**bits - 1}")
    wide = cells.astype(np.uint64)
    per_word = WORD // bits
    rows = np.zeros((wide.shape[0], words_for(wide.shape[1], bits)), np.uint64)
    for cell in range(wide.shape[1]):
        rows[:, cell // per_word] |= wide[:, cell] << np.uint64(cell % per_word * bits)
    return rows


def unpack(rows: Rows, cells: int, bits: int) -> NDArray[np.int64]:
    """Undo `pack`: integers of shape ``(n, cells)``.

    Cells of 64 bits come back as signed numbers with the same bits.
    """
    per_word = WORD // bits
    mask = np.uint64(2**bits - 1)
    values = np.empty((rows.shape[0], cells), np.uint64)
    for cell in range(cells):
        values[:, cell] = rows[:, cell // per_word] >> np.uint64(cell % per_word * bits) & mask
    return values.view(np.int64)


def digest(rows: Rows) -> str:
    """Name an array of rows by its content and order: 32 hexadecimal digits, the same everywhere."""
    state = hashlib.blake2b(digest_size=16)
    state.update(np.asarray(rows.shape, "<u8").tobytes())
    state.update(np.ascontiguousarray(rows, "<u8").tobytes())
    return state.hexdigest()
