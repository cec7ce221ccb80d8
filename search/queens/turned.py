"""Counts the solutions that a half turn or a quarter turn leaves unchanged: a small search of its own.

Queens are placed in the pairs or fours that the turn moves onto each other, so the tree is about as deep as
a board of half or a quarter of the size, and nothing has to be known of other solutions.
"""

import numpy as np
from numba import int64, uint64
from numpy.typing import NDArray

from frontrow.search.kernel import kernel
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


@kernel
def _count_boards(boards, weights, queens, allowed, lines, stop, counts):  # type: ignore[no-untyped-def]
    n = boards.shape[1]
    masks = np.zeros((n + 1, n), np.uint64)  # squares of every row by level
    filled = np.zeros(n + 1, np.uint64)  # rows by level
    columns = np.zeros(n + 1, np.uint64)  # free columns by level
    row_at = np.zeros(n + 1, np.int64)
    todo = np.zeros(n + 1, np.uint64)
    rows = np.zeros(4, np.int64)
    places = np.zeros(4, np.int64)
    nodes = int64(0)
    for index in range(boards.shape[0]):
        if stop[0]:
            return int64(-1)
        nodes += 1
        filled[0] = _NONE
        columns[0] = free_columns(boards[index], n)
        row = -1
        for line in lines:
            if boards[index, line] >= 0:
                filled[0] |= _ONE << uint64(line)
                continue
            masks[0, line] = free_squares(boards[index], n, line) & allowed[line]
            if row < 0:
                row = line
        if row < 0:
            counts[weights[index]] += 1
            continue
        level = 0
        row_at[0] = row
        todo[0] = masks[0, row]
        while level >= 0:
            if todo[level] == _NONE:
                level -= 1
                continue
            remaining = todo[level] & (todo[level] - _ONE)
            queen = todo[level] ^ remaining
            todo[level] = remaining
            place = 0
            while queen >> uint64(place) != _ONE:
                place += 1
            row = row_at[level]
            full = filled[level]
            left = columns[level]
            for turn in range(queens):
                rows[turn] = row
                places[turn] = place
                full |= _ONE << uint64(row)
                left &= ~(_ONE << uint64(place))
                if queens == 2:
                    row, place = n - 1 - row, n - 1 - place
                else:
                    row, place = place, n - 1 - row
            reached = _NONE
            alive = True
            following = -1
            for line in lines:
                if full >> uint64(line) & _ONE:
                    continue
                mask = masks[level, line]
                for turn in range(queens):
                    mask &= ~attacks(_ONE << uint64(places[turn]), abs(rows[turn] - line))
                if mask == _NONE:
                    alive = False
                    break
                masks[level + 1, line] = mask
                reached |= mask
                if following < 0:
                    following = line
            if not alive or reached != left:
                continue
            if following < 0:
                counts[weights[index]] += 1
                continue
            nodes += 1
            level += 1
            filled[level] = full
            columns[level] = left
            row_at[level] = following
            todo[level] = masks[level, following]
            if nodes & 4095 == 0 and stop[0]:
                return int64(-1)
    return nodes
