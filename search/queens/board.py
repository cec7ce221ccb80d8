"""Boards as cells, a header and every row's queen: which squares a queen may take, and what comes first.

A board's cells are ``[header, row 0, ..., row n-1]``, `BITS` bits each. A row's cell is its queen's column
plus one, and zero while the row is free. The header holds the kind of placement and the weight of its leaves.
"""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frontrow.search.rows import Rows, pack, unpack, words_for

BITS = 7
WEIGHTS = 16
"""The header is ``kind * WEIGHTS + weight``."""

ALL = 0
"""Kind of a board whose queens are placed one by one."""
HALF_TURN = 1
"""Kind of a board whose queens are placed in pairs that a half turn swaps."""
QUARTER_TURN = 2
"""Kind of a board whose queens are placed in fours that a quarter turn moves round."""
KINDS = (ALL, HALF_TURN, QUARTER_TURN)

Cells = NDArray[np.int64]
"""Shape ``(k, n + 1)``: boards as cells."""


def words(n: int) -> int:
    """64-bit words of a board of n rows."""
    return words_for(n + 1, BITS)


def to_rows(cells: Cells) -> Rows:
    """Pack boards, shape ``(k, n + 1)``."""
    return pack(cells, BITS)


def to_cells(rows: Rows, n: int) -> Cells:
    """Undo `to_rows`."""
    return unpack(rows, n + 1, BITS)


def root(n: int, kind: int, fixed: Sequence[int | None]) -> Cells:
    """The board, shape ``(1, n + 1)``, on which only the fixed queens stand; its weight is 1."""
    cells = np.zeros((1, n + 1), np.int64)
    cells[0, 0] = kind * WEIGHTS + 1
    for row, column in enumerate(fixed):
        if column is not None:
            cells[0, row + 1] = column + 1
    return cells


def attacks(first: tuple[int, int], second: tuple[int, int]) -> bool:
    """Whether queens on two squares attack each other; a queen does not attack itself."""
    down, across = first[0] - second[0], first[1] - second[1]
    return first != second and (down == 0 or across == 0 or abs(down) == abs(across))


@functools.cache
def peaceful(n: int, kind: int) -> NDArray[np.bool_]:
    """Squares, shape ``(n, n)``, whose queen does not attack those that a kind puts with it."""
    table = np.ones((n, n), np.bool_)
    if kind == ALL:
        return table
    row, column = np.indices((n, n))
    other_row, other_column = row, column
    for _ in range(1 if kind == HALF_TURN else 2):  # the other squares of an orbit are these, turned
        if kind == HALF_TURN:
            other_row, other_column = n - 1 - row, n - 1 - column
        else:
            other_row, other_column = other_column, n - 1 - other_row
        down, across = np.abs(row - other_row), np.abs(column - other_column)
        table &= ((down == 0) == (across == 0)) & ((down != across) | (down == 0))
    table.setflags(write=False)
    return table


def candidates(cells: Cells, lines: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Columns, shape ``(k, n)``, in which a queen in row ``lines[i]`` of board i is not attacked.

    Costs about ``3 k n`` steps.
    """
    count, n = cells.shape[0], cells.shape[1] - 1
    free = np.ones((count, n), np.bool_)
    for row in range(n):
        column = cells[:, row + 1] - 1
        for shift in (-1, 0, 1):
            hit = column + shift * (row - lines)
            boards = np.flatnonzero((column >= 0) & (hit >= 0) & (hit < n))
            free[boards, hit[boards]] = False
    return free


def fill(cells: Cells, lines: NDArray[np.int64]) -> tuple[Cells, NDArray[np.int32]]:
    """Put a queen in one row of every board, in all ways, with those that the board's kind demands.

    Args:
        cells: shape ``(k, n + 1)``.
        lines: shape ``(k,)``: a free row of each board, or -1 where nothing is to come of it.

    Returns:
        The children, in the order of their parents and then of the queen's column, and each one's parent.
    """
    n = cells.shape[1] - 1
    parents: list[NDArray[np.int64]] = []
    columns: list[NDArray[np.int64]] = []
    for kind in KINDS:
        chosen = np.flatnonzero((lines >= 0) & (cells[:, 0] // WEIGHTS == kind))
        if chosen.size:
            line = lines[chosen]
            free = candidates(cells[chosen], line)
            if kind != ALL:
                free &= peaceful(n, kind)[line]
            board, column = np.nonzero(free)
            parents.append(chosen[board])
            columns.append(column)
    if not parents:
        return cells[:0], np.zeros(0, np.int32)
    parent, column = np.concatenate(parents), np.concatenate(columns)
    order = np.argsort(parent, kind="stable")
    parent, column = parent[order], column[order]
    children = cells[parent]
    place(children, lines[parent], column)
    return children, parent.astype(np.int32)


def first_free(cells: Cells, lines: NDArray[np.int64]) -> NDArray[np.int64]:
    """The free row of every board that comes first in `lines` (all n rows), or -1; shape ``(k,)``."""
    free = cells[:, lines + 1] == 0
    if not free.size:
        return np.full(cells.shape[0], -1)
    return np.where(free.any(axis=1), lines[free.argmax(axis=1)], -1)


def place(cells: Cells, lines: NDArray[np.int64], columns: NDArray[np.int64]) -> None:
    """Put a queen on square ``(lines[i], columns[i])`` of board i, with those that its kind demands."""
    n = cells.shape[1] - 1
    board = np.arange(cells.shape[0])
    kinds = cells[:, 0] // WEIGHTS
    row, column = lines, columns
    for turn in range(4):
        chosen = (turn == 0) | ((kinds == HALF_TURN) & (turn == 2)) | (kinds == QUARTER_TURN)
        cells[board[chosen], row[chosen] + 1] = column[chosen] + 1
        row, column = column, n - 1 - row


def group(free: NDArray[np.bool_], weights: NDArray[np.int64]) -> NDArray[np.int64]:
    """An order in which boards with the same free rows, and then the same weight, follow each other.

    Args:
        free: free rows, shape ``(k, n)``.
        weights: shape ``(k,)``.
    """
    bits = np.uint64(1) << np.arange(free.shape[1], dtype=np.uint64)
    return np.lexsort((weights, np.where(free, bits, np.uint64(0)).sum(axis=1, dtype=np.uint64)))


def are_smallest(columns: NDArray[np.signedinteger[Any]]) -> NDArray[np.bool_]:
    """Which boards come before their seven images by rotation and reflection, or equal them.

    Args:
        columns: full boards, shape ``(k, n)``.
    """
    smallest = np.ones(columns.shape[0], np.bool_)
    n = columns.shape[1]
    if not n:
        return smallest
    turned = columns
    for _ in range(2):
        for rows in (turned, turned[:, ::-1]):
            for image in (rows, n - 1 - rows):
                difference = image - columns
                place = (difference != 0).argmax(axis=1)
                smallest &= difference[np.arange(place.size), place] >= 0
        turned = columns.argsort(axis=1)  # rows and columns change places
    return smallest
