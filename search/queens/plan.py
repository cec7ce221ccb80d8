"""Works off boards in pieces: what they cost, which lines are filled first, and what a budget leaves over."""

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frontrow.search.errors import StoppedError
from frontrow.search.queens import board, small
from frontrow.search.queens.split import centre_out
from frontrow.search.rows import HAND_BACK, Stop

Boards = NDArray[np.int8]
"""Shape ``(k, n)``: the queen's column row by row, -1 for a free row."""
Weights = NDArray[np.int64]
"""Shape ``(k,)``, 0 to 15."""
Counter = Callable[[Boards, Weights, NDArray[np.int64], Stop], tuple[NDArray[np.int64], int]]
"""What counts boards: completions by weight and nodes; see `frontrow.search.queens.lanes.tally_boards`."""

PIECE = 100_000_000
"""Predicted nodes that a kernel is given at a time: about 0.05 s of the lanes, 2 s of the scalar kernel."""
SMALLEST = 100_000
"""Predicted nodes below which a budget cuts no piece."""
MOST = 1 << 15
"""Boards in a piece at most; it bounds memory where they are small."""
HIGHEST = 1 << 42
"""Largest predicted cost: 3 * 10**5 boards of it still add up in 63 bits."""
NARROW = 22
"""Largest n whose lanes have 16 bits and not 32: the columns in the middle that do not fit are filled before
the rows, so there must not be many."""

_TOGETHER = {board.ALL: 1, board.HALF_TURN: 2, board.QUARTER_TURN: 4}
"""Queens that are placed together, by kind."""
_TURNED_COST = 7
"""Logarithm of how many nodes of the lanes take as long as one of the turned boards' kernel."""
_POINT = 10
"""Bits after the point of a logarithm."""


def kept_columns(n: int) -> int:
    """Columns that a lane has room for: the outer ones, half of them on each side."""
    return 16 if n <= NARROW else 32


@functools.cache
def _logarithms() -> NDArray[np.int64]:
    """Logarithms to base 2 of 0 (taken as 0) to 64, rounded down; by integers, the same on every machine."""
    exact = [(number ** (1 << _POINT)).bit_length() - 1 for number in range(1, 65)]
    return np.array([0, *exact], np.int64)


def _powers(logarithms: NDArray[np.int64]) -> NDArray[np.int64]:
    """Two to the power of each logarithm, between 1 and `HIGHEST`, at most 6 % too high."""
    limited = np.clip(logarithms, 0, (HIGHEST.bit_length() - 1) << _POINT)
    whole, part = limited >> _POINT, limited & ((1 << _POINT) - 1)
    powers: NDArray[np.int64] = ((1 << _POINT) + part << whole) >> _POINT
    return powers


def predict(boards: Boards, kind: int) -> NDArray[np.int64]:
    """Predicted cost of each board, at least 1: nodes of the lanes that take as long.

    The logarithm of the nodes is close to linear in the sum of the logarithms of how many squares each free
    row has left, and in the number of free rows. The factors were fitted to 1,500 boards of n = 12 to 24; the
    spread is a factor of 1.4 either way. A turn that leaves the board unchanged takes the square root, and
    the quarter turn takes it twice.
    """
    if boards.shape[1] <= small.LARGEST:
        return np.full(boards.shape[0], SMALLEST // 4)
    from frontrow.search.queens import scalar

    sums = np.zeros(boards.shape[0], np.int64)
    scalar.sum_logarithms(boards, _logarithms(), sums)
    free = (boards < 0).sum(axis=1)
    nodes = (sums * 66 + (285 - 110 * free << _POINT)) // 100
    if kind != board.ALL:
        nodes = nodes // _TOGETHER[kind] + (_TURNED_COST << _POINT)
    return _powers(np.where(sums < 0, 0, nodes))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What boards came to.

    Attributes:
        solutions: completions times weights.
        nodes: nodes visited.
        boards: boards left over.
        weights: their weights.
    """

    solutions: int
    nodes: int
    boards: Boards
    weights: Weights


@dataclass(frozen=True, slots=True)
class _Part:
    """Boards that are still to be counted, with their weights and predicted costs."""

    boards: Boards
    weights: Weights
    costs: NDArray[np.int64]

    def take(self, chosen: slice | NDArray[np.bool_] | NDArray[np.int64]) -> "_Part":
        """Some of the boards."""
        return _Part(self.boards[chosen], self.weights[chosen], self.costs[chosen])

    def first_piece(self, limit: int) -> int:
        """How many of the first boards cost `limit` together; at least one, if there is one."""
        affordable = int(np.searchsorted(np.cumsum(self.costs), limit, "right"))
        return min(max(affordable, 1), MOST, self.costs.size)


def tally(
    boards: Boards, weights: Weights, kind: int, count: Counter, budget: int | None, stop: Stop
) -> Outcome:
    """Count the completions of boards, piece by piece.

    A board that is predicted to take long is expanded by a line first. So the memory needed is small, and a
    budget takes effect soon, whatever the size of the board. Pieces depend on the boards only, and on whether
    there is a budget: then each is as large as all before it.

    Args:
        boards: boards to count.
        weights: their weights.
        kind: their kind of placement.
        count: the kernel.
        budget: nodes after which no further piece is begun.
        stop: raised by others; where it is `HAND_BACK` and there is a budget, it is like a budget of the
            nodes visited so far.

    Raises:
        StoppedError: if `stop` was raised otherwise.
    """
    lines = centre_out(boards.shape[1])
    solutions = nodes = 0
    stack = [_Part(boards, weights, predict(boards, kind))]
    while stack and (budget is None or nodes < budget) and not stop[0]:
        limit = PIECE if budget is None else min(PIECE, max(SMALLEST, nodes))
        whole = part = stack.pop()
        others = len(stack)
        cut = part.first_piece(limit)
        if cut < part.costs.size:
            stack.append(part.take(slice(cut, None)))
        part = part.take(slice(cut))
        # A full board has no line that could be filled, whatever it is predicted to cost.
        wide = has_gap(part.boards, kind) | (part.costs > limit) & (part.boards < 0).any(axis=1)
        if wide.any():
            nodes += int(wide.sum())
            stack += [part.take(~wide), _children(part.take(wide), kind)]
        elif cut:
            part = part.take(board.group(part.boards < 0, part.weights))
            found, visited = count(part.boards, part.weights, lines, stop)
            if visited < 0:
                stack[others:] = [whole]
                break
            solutions += sum(weight * number for weight, number in enumerate(found.tolist()))
            nodes += visited
    if stop[0] and stack and (stop[0] != HAND_BACK or budget is None):
        raise StoppedError("queens: stopped")
    left_boards = [boards[:0], *(part.boards for part in reversed(stack))]
    left_weights = [weights[:0], *(part.weights for part in reversed(stack))]
    return Outcome(solutions, nodes, np.concatenate(left_boards), np.concatenate(left_weights))


def _children(part: _Part, kind: int) -> _Part:
    """The next line of every board filled in all ways."""
    boards, parents = expand(part.boards, kind)
    return _Part(boards, part.weights[parents], predict(boards, kind))


def gap(n: int) -> tuple[int, int]:
    """The columns in the middle, from and to, for which a lane has no room."""
    kept = kept_columns(n)
    return (kept // 2, n - kept // 2) if n > kept else (0, 0)


def has_gap(boards: Boards, kind: int) -> NDArray[np.bool_]:
    """Which boards have a free column in the middle that has to be filled before the rows."""
    missing = np.zeros(boards.shape[0], np.bool_)
    if kind == board.ALL:
        for column in range(*gap(boards.shape[1])):
            missing |= ~(boards == column).any(axis=1)
    return missing


def expand(boards: Boards, kind: int) -> tuple[Boards, NDArray[np.int64]]:
    """Fill the next line of every board in all ways; the children, and each one's parent."""
    count, n = boards.shape
    lines = centre_out(n)
    if kind == board.ALL:
        from frontrow.search.queens import scalar

        children, parents = np.empty((count * n, n), np.int8), np.empty(count * n, np.int64)
        found = scalar.fill_line(boards, lines, *gap(n), children, parents)
        return children[:found], parents[:found]
    header = np.full((count, 1), kind * board.WEIGHTS + 1)
    cells = np.concatenate([header, boards.astype(np.int64) + 1], axis=1)
    filled, origins = board.fill(cells, board.first_free(cells, lines))
    return (filled[:, 1:] - 1).astype(np.int8), origins.astype(np.int64)
