"""Counts small boards level by level in numpy: done before a kernel could be loaded."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frontrow.search.queens import board
from frontrow.search.rows import Stop

LARGEST = 11
"""Largest n that is counted here."""


@dataclass(frozen=True, slots=True)
class _Level:
    """Boards of one level.

    Attributes:
        weights: shape ``(k,)``.
        rows: free rows, shape ``(k, n)``.
        columns: free columns, shape ``(k, n)``.
        squares: squares of free rows that no queen attacks, shape ``(k, n, n)``.
    """

    weights: NDArray[np.int64]
    rows: NDArray[np.bool_]
    columns: NDArray[np.bool_]
    squares: NDArray[np.bool_]

    def take(self, chosen: NDArray[np.bool_] | NDArray[np.int64]) -> "_Level":
        """Some of the boards."""
        return _Level(self.weights[chosen], self.rows[chosen], self.columns[chosen], self.squares[chosen])

    def alive(self) -> "_Level":
        """The boards on which every free row and every free column still has a square."""
        rows = (self.squares.any(axis=2) == self.rows).all(axis=1)
        columns = (self.squares.any(axis=1) == self.columns).all(axis=1)
        return self.take(rows & columns)

    def place(self, line: int, attacked: NDArray[np.bool_]) -> "_Level":
        """Put a queen in one row, free on every board, in all ways."""
        parent, place = np.nonzero(self.squares[:, line])
        children = self.take(parent)
        squares = children.squares & ~attacked[line, place]
        children.rows[:, line] = False
        children.columns[np.arange(place.size), place] = False
        return _Level(children.weights, children.rows, children.columns, squares)


def _attacks(n: int) -> NDArray[np.bool_]:
    """Whether a queen on square ``(r, c)`` attacks or occupies ``(i, j)``; shape ``(n, n, n, n)``."""
    row, column, other_row, other_column = np.ogrid[:n, :n, :n, :n]
    down, across = abs(row - other_row), abs(column - other_column)
    attacked: NDArray[np.bool_] = (down == 0) | (across == 0) | (down == across)
    return attacked


def _level(boards: NDArray[np.int8], weights: NDArray[np.int64]) -> _Level:
    count, n = boards.shape
    cells = np.column_stack([weights, boards.astype(np.int64) + 1])
    rows = cells[:, 1:] == 0
    used = np.zeros((count, n + 1), np.bool_)
    np.put_along_axis(used, cells[:, 1:], True, axis=1)
    squares = np.zeros((count, n, n), np.bool_)
    for row in range(n):
        squares[:, row] = board.candidates(cells, np.full(count, row)) & rows[:, row, None]
    return _Level(weights, rows, ~used[:, 1:], squares)


def tally_boards(
    boards: NDArray[np.int8], weights: NDArray[np.int64], lines: NDArray[np.int64], stop: Stop
) -> tuple[NDArray[np.int64], int]:
    """Count the completions of boards: the words and the nodes of `frontrow.search.queens.scalar`.

    All boards of a level are in memory at once, a few megabytes at n = 11.
    """
    attacked = _attacks(boards.shape[1])
    level = _level(boards, weights).alive()
    nodes = boards.shape[0]
    for line in lines.tolist():
        if stop[0]:
            return np.zeros(16, np.int64), -1
        free = level.rows[:, line]
        placed = level.take(free).place(line, attacked).alive()
        nodes += int((placed.rows.sum(axis=1) >= 3).sum())
        kept = level.take(~free)
        level = _Level(
            np.concatenate([kept.weights, placed.weights]),
            np.concatenate([kept.rows, placed.rows]),
            np.concatenate([kept.columns, placed.columns]),
            np.concatenate([kept.squares, placed.squares]),
        )
    return np.bincount(level.weights, minlength=16), nodes


def tally_turned(
    kind: int, boards: NDArray[np.int8], weights: NDArray[np.int64], lines: NDArray[np.int64], stop: Stop
) -> tuple[NDArray[np.int64], int]:
    """Count the completions of boards that a turn leaves unchanged; every board made is a node."""
    cells = np.column_stack([kind * board.WEIGHTS + weights, boards.astype(np.int64) + 1])
    counts, nodes = np.zeros(16, np.int64), 0
    while cells.shape[0]:
        if stop[0]:
            return counts, -1
        nodes += cells.shape[0]
        full = cells[:, 1:].all(axis=1)
        counts += np.bincount(cells[full, 0] % board.WEIGHTS, minlength=16)
        cells, _ = board.fill(cells, board.first_free(cells, lines))
    return counts, nodes
