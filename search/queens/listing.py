"""Lists the completions of boards in lexicographic order, with a kernel that places queens row by row."""

from typing import Any

import numpy as np
from numba import int64, uint64
from numpy.typing import NDArray

from frontrow.search.errors import StoppedError
from frontrow.search.kernel import inlined, kernel
from frontrow.search.queens import board
from frontrow.search.queens.board import Cells
from frontrow.search.queens.scalar import all_columns, free_squares, sort_free_rows
from frontrow.search.rows import Stop

MOST = 8192
"""Boards that the kernel lists at a time."""
_ONE = np.uint64(1)
_NONE = np.uint64(0)


@inlined
def column_of(queen: Any) -> Any:
    """The column of a queen, given as a bit."""
    column = int64(0)
    while queen > _ONE:
        queen >>= _ONE
        column += 1
    return column


@inlined
def lowest(squares: Any) -> Any:
    """The lowest bit that is set."""
    return squares & (~squares + _ONE)


@inlined
def edge(row: Any, n: Any, first: Any) -> Any:
    """Squares of a row that may hold a queen of a board that is the smallest of its eight images.

    The queens on the four edges, seen from either end, start the images; none may come before `first`, the
    column of the queen in row 0.
    """
    if row == 0:
        return all_columns((n + 1) // 2)
    squares = all_columns(n)
    last = n - 1 - first
    if row < first or row > last:
        squares &= ~(_ONE | _ONE << uint64(n - 1))
    if row == n - 1:
        squares &= all_columns(last + 1) & ~all_columns(first)
    return squares


@inlined
def complete(board: Any, rows: Any, queens: Any, count: Any, target: Any) -> Any:
    """Write a board with queens, given as bits, in the first `count` of its free rows to `target`."""
    for row in range(board.shape[0]):
        target[row] = board[row]
    for place in range(count):
        target[rows[place]] = column_of(queens[place])


@inlined
def spill(board: Any, rows: Any, queens: Any, todo: Any, level: Any, rest: Any) -> Any:
    """Write the boards that are still to do, those of the lowest level first; return how many there are."""
    count = 0
    for above in range(level, -1, -1):
        while todo[above] != _NONE:
            queens[above] = lowest(todo[above])
            todo[above] ^= queens[above]
            complete(board, rows, queens, above + 1, rest[count])
            count += 1
    return count


@kernel
def list_boards(boards: Any, unique: Any, budget: Any, stop: Any, found: Any, rest: Any) -> Any:
    """List completions, board by board; those of a board in lexicographic order of their columns.

    Args:
        boards: shape ``(k, n)``, ``int8``.
        unique: leave out most boards that are not the smallest of their eight images.
        budget: boards begun and queens placed after which the rest is handed back.
        stop: polled every 4,096 queens.
        found: written, shape ``(m, n)``, ``int8``: at most m completions.
        rest: written, shape ``(n * n, n)``, ``int8``: boards whose completions come next.

    Returns:
        Boards begun, completions, boards in `rest`, and nodes: boards begun and queens placed, -1 if `stop`
        was raised.
    """
    n = boards.shape[1]
    lines = np.arange(n)
    rows = np.empty(n, np.int64)
    masks = np.zeros(n, np.uint64)
    queens = np.zeros(n + 1, np.uint64)
    todo = np.zeros(n + 1, np.uint64)
    columns = np.zeros(n + 1, np.uint64)
    left = np.zeros(n + 1, np.uint64)
    right = np.zeros(n + 1, np.uint64)
    nodes = int64(0)
    solutions = 0
    for index in range(boards.shape[0]):
        if stop[0]:
            return index, solutions, 0, int64(-1)
        if solutions >= found.shape[0] or nodes >= budget:
            return index, solutions, 0, nodes
        nodes += 1
        count = sort_free_rows(boards[index], lines, rows)
        if count == 0:
            complete(boards[index], rows, queens, 0, found[solutions])
            solutions += 1
            continue
        for place in range(count):
            masks[place] = free_squares(boards[index], n, rows[place])
        first = int64(boards[index, 0])
        todo[0] = masks[0] & edge(rows[0], n, first) if unique else masks[0]
        level = 0
        while level >= 0:
            if todo[level] == _NONE:
                level -= 1
                continue
            if solutions >= found.shape[0] or nodes >= budget:
                return index + 1, solutions, spill(boards[index], rows, queens, todo, level, rest), nodes
            queen = lowest(todo[level])
            todo[level] ^= queen
            queens[level] = queen
            nodes += 1
            if nodes & 4095 == 0 and stop[0]:
                return index, solutions, 0, int64(-1)
            if level == count - 1:
                complete(boards[index], rows, queens, count, found[solutions])
                solutions += 1
                continue
            if rows[level] == 0:
                first = column_of(queen)
            down = uint64(rows[level + 1] - rows[level])
            columns[level + 1] = columns[level] | queen
            left[level + 1] = (left[level] | queen) << down
            right[level + 1] = (right[level] | queen) >> down
            level += 1
            todo[level] = masks[level] & ~(columns[level] | left[level] | right[level])
            if unique:
                todo[level] &= edge(rows[level], n, first)
    return boards.shape[0], solutions, 0, nodes


def list_cells(
    cells: Cells, limit: int, budget: int, stop: Stop, *, unique: bool
) -> tuple[Cells, Cells, int]:
    """List completions of boards as `frontrow.search.listing.list_solutions` does.

    Args:
        cells: boards; only those whose queens are placed one by one have solutions.
        limit: solutions after which the rest is handed back; up to `MOST` more may come.
        budget: nodes after which the rest is handed back.
        stop: raised by others.
        unique: list only boards that are the smallest of their images.

    Returns:
        Solutions, boards whose solutions come after them, and nodes.

    Raises:
        StoppedError: if `stop` was raised.
    """
    n = cells.shape[1] - 1
    cells = cells[cells[:, 0] // board.WEIGHTS == board.ALL]
    boards = (cells[:, 1:] - 1).astype(np.int8)
    rest = np.empty((n * n, n), np.int8)
    parts, solutions, nodes = [boards[:0]], 0, 0
    while boards.shape[0] and solutions < limit and nodes < budget:
        found = np.empty((MOST if unique else min(MOST, limit - solutions), n), np.int8)
        begun, count, left_over, used = list_boards(boards, unique, budget - nodes, stop, found, rest)
        if used < 0:
            raise StoppedError("stopped")
        parts.append(found[:count][board.are_smallest(found[:count])] if unique else found[:count])
        solutions += parts[-1].shape[0]
        nodes += used
        boards = np.concatenate([rest[:left_over], boards[begun:]])
    return _cells(np.concatenate(parts)), _cells(boards), nodes


def _cells(boards: NDArray[np.int8]) -> Cells:
    header = np.full((boards.shape[0], 1), board.ALL * board.WEIGHTS + 1)
    return np.concatenate([header, boards.astype(np.int64) + 1], axis=1)
