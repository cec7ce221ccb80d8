"""Kernels that work on one board at a time: exact for every n up to 64, with or without the JIT.

Boards are arrays of small integers, shape ``(n,)``: the queen's column row by row, -1 for a free row. The
squares of a row are the bits of one 64-bit word, and squares are taken out by shifting single queens along
their diagonals, row by row, so that no diagonal needs more than 64 bits.
"""

from typing import Any

import numpy as np
from numba import int64, uint64
from numpy.typing import NDArray

from frontrow.search.kernel import inlined, kernel
from frontrow.search.rows import Stop

_ONE = np.uint64(1)
_NONE = np.uint64(0)


@inlined
def attacks(queen: Any, distance: Any) -> Any:
    """Squares that a queen, given as a bit, attacks in a row at a distance of 1 to 63."""
    return queen | queen << uint64(distance) | queen >> uint64(distance)


@inlined
def all_columns(n: Any) -> Any:
    """The n lowest bits."""
    return ~_NONE >> uint64(64 - n) if n else _NONE


@inlined
def free_squares(board: Any, n: Any, row: Any) -> Any:
    """Squares of a free row that no queen of the board attacks."""
    squares = all_columns(n)
    for other in range(n):
        if board[other] >= 0:
            squares &= ~attacks(_ONE << uint64(board[other]), abs(row - other))
    return squares


@inlined
def free_columns(board: Any, n: Any) -> Any:
    """Columns without a queen."""
    columns = all_columns(n)
    for row in range(n):
        if board[row] >= 0:
            columns &= ~(_ONE << uint64(board[row]))
    return columns


@inlined
def sort_free_rows(board: Any, lines: Any, rows: Any) -> Any:
    """Write the free rows of a board to `rows` in the order of `lines`; return how many there are."""
    count = 0
    for line in lines:
        if board[line] < 0:
            rows[count] = line
            count += 1
    return count


@kernel
def fill_line(boards: Any, lines: Any, gap_begin: Any, gap_end: Any, children: Any, parents: Any) -> Any:
    """Put a queen on the next line of every board, in all ways.

    That line is the first free column of `lines` within the gap, or else the first free row of `lines`;
    nothing comes of a board without either.

    Args:
        boards: shape ``(k, n)``, ``int8``.
        lines: the n rows, or columns, in the order in which they are filled.
        gap_begin: first column that has to be filled before the rows.
        gap_end: one past the last such column.
        children: written, shape ``(k * n, n)``, ``int8``.
        parents: written, shape ``(k * n,)``, ``int64``.

    Returns:
        Number of children.
    """
    n = boards.shape[1]
    count = 0
    for parent in range(boards.shape[0]):
        board = boards[parent]
        columns = free_columns(board, n)
        column = -1
        row = -1
        for line in lines:
            if column < 0 and gap_begin <= line < gap_end and columns >> uint64(line) & _ONE:
                column = line
            if row < 0 and board[line] < 0:
                row = line
        if row < 0:
            continue
        squares = free_squares(board, n, row)
        for place in range(n):
            if column >= 0:
                if board[place] >= 0 or not free_squares(board, n, place) >> uint64(column) & _ONE:
                    continue
                row, target = place, column
            elif squares >> uint64(place) & _ONE:
                target = place
            else:
                continue
            for other in range(n):
                children[count, other] = board[other]
            children[count, row] = target
            parents[count] = parent
            count += 1
    return count


@kernel
def count_boards(boards: Any, weights: Any, lines: Any, stop: Any, counts: Any) -> Any:
    """Count the completions of boards, one after the other.

    A board lives on if every free row still has a square and the rows together still reach every free
    column; see `frontrow.search.queens.lanes`, which counts the same nodes.

    Args:
        boards: shape ``(k, n)``, ``int8``.
        weights: shape ``(k,)``, 0 to 15.
        lines: the n rows in the order in which they are filled.
        stop: polled every 4,096 nodes.
        counts: shape ``(16,)``, ``int64``: the completions are added to the entry of the board's weight. It
            overflows after centuries.

    Returns:
        Nodes visited: the boards given, and those with three free rows or more; -1 if `stop` was raised.
    """
    n = boards.shape[1]
    rows = np.empty(n, np.int64)
    masks = np.zeros((n + 1, n + 1), np.uint64)
    todo = np.zeros(n + 1, np.uint64)
    columns = np.zeros(n + 1, np.uint64)
    nodes = int64(0)
    steps = 0
    for index in range(boards.shape[0]):
        if stop[0]:
            return int64(-1)
        nodes += 1
        count = sort_free_rows(boards[index], lines, rows)
        columns[0] = free_columns(boards[index], n)
        reached = _NONE
        alive = True
        for place in range(count):
            mask = free_squares(boards[index], n, rows[place])
            alive = alive and mask != _NONE
            reached |= mask
            masks[0, place] = mask
        if not alive or reached != columns[0]:
            continue
        if count <= 1:
            counts[weights[index]] += 1
            continue
        level = 0
        todo[0] = masks[0, 0]
        while level >= 0:
            if todo[level] == _NONE:
                level -= 1
                continue
            remaining = todo[level] & (todo[level] - _ONE)
            queen = todo[level] ^ remaining
            todo[level] = remaining
            reached = _NONE
            alive = True
            for place in range(level + 1, count):
                mask = masks[level, place] & ~attacks(queen, abs(rows[level] - rows[place]))
                if mask == _NONE:
                    alive = False
                    break
                reached |= mask
                masks[level + 1, place] = mask
            if not alive or reached != columns[level] ^ queen:
                continue
            left = count - level - 1
            if left == 1:
                counts[weights[index]] += 1
                continue
            level += 1
            columns[level] = reached
            todo[level] = masks[level, level]
            if left >= 3:
                nodes += 1
            steps += 1
            if steps & 4095 == 0 and stop[0]:
                return int64(-1)
    return nodes


@kernel
def sum_logarithms(boards: Any, logarithms: Any, sums: Any) -> Any:
    """Add up the logarithms of how many squares each free row has left.

    Args:
        boards: shape ``(k, n)``, ``int8``.
        logarithms: shape ``(65,)``, ``int64``: the logarithm of each number in fixed point.
        sums: written, shape ``(k,)``, ``int64``; -1 for a board with a free row that has no square.
    """
    n = boards.shape[1]
    for index in range(boards.shape[0]):
        total = int64(0)
        for row in range(n):
            if boards[index, row] < 0:
                squares = free_squares(boards[index], n, row)
                found = 0
                while squares != _NONE:
                    squares &= squares - _ONE
                    found += 1
                if found == 0:
                    total = int64(-1)
                    break
                total += logarithms[found]
        sums[index] = total


def tally_boards(
    boards: NDArray[np.int8], weights: NDArray[np.int64], lines: NDArray[np.int64], stop: Stop
) -> tuple[NDArray[np.int64], int]:
    """Count the completions of boards; the same words as `frontrow.search.queens.lanes.count_boards`."""
    counts = np.zeros(16, np.int64)
    return counts, int(count_boards(boards, weights, lines, stop, counts))
