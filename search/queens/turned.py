"""Counts the solutions that a half turn or a quarter turn leaves unchanged: a small search of its own.

Queens are placed in the pairs or fours that the turn moves onto each other, so the tree is about as deep as
a board of half or a quarter of the size, and nothing has to be known of other solutions.
"""

from typing import Any

import numpy as np
from numba import int64, uint64
from numpy.typing import NDArray

from frontrow.search.kernel import inlined, kernel
from frontrow.search.queens.board import HALF_TURN, QUARTER_TURN, peaceful
from frontrow.search.queens.scalar import attacks, free_columns, free_squares
from frontrow.search.rows import Stop

_ONE = np.uint64(1)
_NONE = np.uint64(0)


def tally_boards(
    kind: int, boards: NDArray[np.int8], weights: NDArray[np.int64], lines: NDArray[np.int64], stop: Stop
) -> tuple[NDArray[np.int64], int]:
    """Count the completions of boards by queens that come in pairs or fours.

    Args:
        kind: `HALF_TURN` or `QUARTER_TURN`.
        boards: shape ``(k, n)``: the queen's column row by row, -1 for a free row; the turn leaves each
            board unchanged.
        weights: shape ``(k,)``, 0 to 15.
        lines: the n rows in the order in which they are filled.
        stop: polled every 4,096 nodes.

    Returns:
        Completions by weight, shape ``(16,)``, and the nodes visited, or -1 if `stop` was raised; 64-bit
        numbers, which hold a century's work.
    """
    n = boards.shape[1]
    bits = np.uint64(1) << np.arange(n, dtype=np.uint64)
    allowed = np.where(peaceful(n, kind), bits, np.uint64(0)).sum(axis=1, dtype=np.uint64)
    queens = {HALF_TURN: 2, QUARTER_TURN: 4}[kind]
    counts = np.zeros(16, np.int64)
    nodes = _count_boards(boards, weights, queens, allowed, lines, stop, counts)
    return counts, int(nodes)


@inlined
def _orbit(queens: Any, n: Any, row: Any, column: Any, rows: Any, columns: Any) -> Any:
    """Write the squares that take a queen together with one square."""
    for turn in range(queens):
        rows[turn], columns[turn] = row, column
        if queens == 2:
            row, column = n - 1 - row, n - 1 - column
        else:
            row, column = column, n - 1 - row


@inlined
def _narrow(queens: Any, rows: Any, columns: Any, lines: Any, filled: Any, masks: Any, children: Any) -> Any:
    """Take what new queens attack out of the masks of the free rows.

    Returns:
        The columns that the free rows still reach, none if one of them has no square left, and the first
        free row, or -1.
    """
    reached = _NONE
    following = -1
    for line in lines:
        if filled >> uint64(line) & _ONE:
            continue
        mask = masks[line]
        for turn in range(queens):
            mask &= ~attacks(_ONE << uint64(columns[turn]), abs(rows[turn] - line))
        if mask == _NONE:
            return _NONE, line
        children[line] = mask
        reached |= mask
        if following < 0:
            following = line
    return reached, following


@inlined
def _begin(board: Any, n: Any, allowed: Any, lines: Any, masks: Any) -> Any:
    """Write the masks of a board's free rows; return the filled rows and the first free row, or -1."""
    filled = _NONE
    first = -1
    for line in lines:
        if board[line] >= 0:
            filled |= _ONE << uint64(line)
            continue
        masks[line] = free_squares(board, n, line) & allowed[line]
        if first < 0:
            first = line
    return filled, first


@kernel
def _count_boards(
    boards: Any, weights: Any, queens: Any, allowed: Any, lines: Any, stop: Any, counts: Any
) -> Any:
    n = boards.shape[1]
    masks = np.zeros((n + 1, n), np.uint64)  # squares of every row by level
    filled = np.zeros(n + 1, np.uint64)  # rows by level
    free = np.zeros(n + 1, np.uint64)  # columns by level
    todo = np.zeros(n + 1, np.uint64)  # squares still to try by level
    line = np.zeros(n + 1, np.int64)  # the row they are in
    rows, columns = np.zeros(4, np.int64), np.zeros(4, np.int64)
    nodes = int64(0)
    for index in range(boards.shape[0]):
        if stop[0]:
            return int64(-1)
        nodes += 1
        filled[0], line[0] = _begin(boards[index], n, allowed, lines, masks[0])
        if line[0] < 0:
            counts[weights[index]] += 1
            continue
        free[0] = free_columns(boards[index], n)
        todo[0] = masks[0, line[0]]
        level = 0
        while level >= 0:
            if todo[level] == _NONE:
                level -= 1
                continue
            column = 0
            while not todo[level] >> uint64(column) & _ONE:
                column += 1
            todo[level] &= todo[level] - _ONE
            _orbit(queens, n, line[level], column, rows, columns)
            filled[level + 1], free[level + 1] = filled[level], free[level]
            for turn in range(queens):
                filled[level + 1] |= _ONE << uint64(rows[turn])
                free[level + 1] &= ~(_ONE << uint64(columns[turn]))
            reached, following = _narrow(
                queens, rows, columns, lines, filled[level + 1], masks[level], masks[level + 1]
            )
            if reached != free[level + 1]:
                continue
            if following < 0:
                counts[weights[index]] += 1
                continue
            level += 1
            line[level] = following
            todo[level] = masks[level, following]
            nodes += 1
            if nodes & 4095 == 0 and stop[0]:
                return int64(-1)
    return nodes
