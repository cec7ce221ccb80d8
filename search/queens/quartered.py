"""Counting by quadrants as a whole: rows of quadrants, and boards for what a turn leaves unchanged.

Word 0 of a row says which of the two it is, as the header of a board does; a row of quadrants goes on with
the words of `frontrow.search.queens.quadrant`, and a board is followed by zeros where it is narrower.
"""

from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from frontrow.search.queens import board, counting, limits
from frontrow.search.queens import split as centre
from frontrow.search.rows import Rows, Stop, new_stop

TALLIES = ("half_turn", "quarter_turn", *limits.TALLIES)
"""What a unit counts; the last four are figures of the method."""
KIND = len(board.KINDS)
"""Kind of a row of quadrants, after those of boards."""

_HEAD = KIND * board.WEIGHTS
_HEAD_BITS = np.uint64((1 << board.BITS) - 1)
_LANES = "lanes"
_WORK = 3
"""Cost of a unit of a quadrant's work, as boards count it: 1.5 ns against 0.5."""
_PIECES = 16
"""Parts of a row, at most."""
_SWAP = np.uint64(1 << 32)
"""Where a row of quadrants says which side is grouped."""


def words(n: int) -> int:
    """64-bit words of a row."""
    return max(board.words(n), 1 + limits.WORDS)


def pad(rows: Rows, width: int) -> Rows:
    """Rows with zeros after their words."""
    wide = np.zeros((rows.shape[0], width), np.uint64)
    wide[:, : rows.shape[1]] = rows
    return wide


def kinds(rows: Rows) -> NDArray[np.int64]:
    """The kind of each row: `KIND`, or that of a board."""
    return (rows[:, 0] & _HEAD_BITS).astype(np.int64) // board.WEIGHTS


def split(n: int, order: int) -> Rows:
    """Rows whose counts add up to the whole; see `quadrant.split`."""
    from frontrow.search.queens import quadrant

    spans = quadrant.split(n, order)
    return np.concatenate([_to_rows(n, spans), pad(board.to_rows(centre.turned(n)), words(n))])


def _to_rows(n: int, spans: Rows) -> Rows:
    rows = np.zeros((spans.shape[0], words(n)), np.uint64)
    rows[:, 0] = _HEAD
    rows[:, 1 : 1 + limits.WORDS] = spans
    return rows


def _to_spans(rows: Rows) -> Rows:
    return np.ascontiguousarray(rows[:, 1 : 1 + limits.WORDS])


def cost(n: int, rows: Rows) -> NDArray[np.int64]:
    """Predicted cost of each row, at least 1, in nodes of the lanes that take as long."""
    costs = np.ones(rows.shape[0], np.int64)
    chosen = kinds(rows) == KIND
    if chosen.any():
        from frontrow.search.queens import quadrant

        costs[chosen] = np.maximum(_WORK * quadrant.cost(n, _to_spans(rows[chosen])), 1)
    if not chosen.all():
        costs[~chosen] = counting.predict(board.to_cells(rows[~chosen], n))
    return costs


def tables(n: int, rows: Rows) -> NDArray[np.int64]:
    """Which rows share tables: those of a part, while all of its quarters are tabulated; boards none."""
    from frontrow.search.queens.quadrant_tables import WHOLE_TABLE_BELOW

    names = np.where(kinds(rows) == KIND, rows[:, 1] + np.uint64(1), 0).astype(np.int64)
    return names if n < WHOLE_TABLE_BELOW else np.minimum(names, 1)


def divide(n: int, rows: Rows) -> Rows:
    """Rows that together stand for one row of quadrants: with one of its sets a, or with some of its sets c.

    A pair of sets stays as it is: the half boards of its parts would be listed again and again.
    """
    from frontrow.search.queens.quadrant import Span

    span = Span.of(n, _to_spans(rows)[0])
    if span.a[1] - span.a[0] > 1:
        parts = [replace(span, a=(a, a + 1)) for a in range(*span.a)]
    else:
        first, last = span.reach(span.a[0])
        edges = np.linspace(first, last, min(max(last - first, 1), _PIECES) + 1).astype(int).tolist()
        parts = [replace(span, c=each) for each in pairwise(edges)]
    some = [part for part in parts if (c := part.reach(part.a[0]))[0] < c[1]]
    return _to_rows(n, np.array([part.row() for part in some], np.uint64).reshape(-1, limits.WORDS))


def warm(n: int) -> None:
    """Compile or load both kernels, by counting nothing and the smallest board."""
    from frontrow.search.queens import quadrant

    counting.warm(_LANES, n)
    quadrant.tally(limits.LEAST, quadrant.split(limits.LEAST), None, new_stop())


def describe() -> str:
    """What counts quadrants on this machine, in words."""
    from frontrow.search.queens import quadrant_tables

    if quadrant_tables.PLAIN:
        return "quadrants in numpy (the JIT is disabled)"
    from frontrow.search import lanes

    return f"quadrants 8 x u64, {'AVX-512' if lanes.NATIVE else 'portable vectors'}"


def tally(n: int, rows: Rows, budget: int | None, stop: Stop) -> tuple[tuple[int, ...], int, Rows]:
    """Count what rows stand for.

    Returns:
        One number for each of `TALLIES`, the work done, and the rows that the budget left.

    Raises:
        StoppedError: if `stop` was raised.
    """
    from frontrow.search.queens import quadrant

    chosen = kinds(rows) == KIND
    counts, work, left = quadrant.tally(n, _to_spans(rows[chosen]), budget, stop)
    rest = [_to_rows(n, left)]
    turned, boards = (0, 0), rows[~chosen]
    if boards.shape[0]:
        remaining = None if budget is None else max(0, budget - work)
        (_, *some), nodes, cells = counting.tally(board.to_cells(boards, n), _LANES, remaining, stop)
        turned = (some[0], some[1])
        work += nodes
        rest.append(pad(board.to_rows(cells), words(n)))
    return (*turned, *counts), work, np.concatenate(rest)


def recount(n: int, rows: Rows, stop: Stop) -> tuple[int, ...]:
    """Count rows with the listed and the grouped side exchanged; the figures are those of a plain repeat.

    Raises:
        StoppedError: if `stop` was raised.
    """
    other = rows.copy()
    other[kinds(rows) == KIND, 1] ^= _SWAP
    counts = tally(n, other, None, stop)[0]
    figures = tally(n, rows, None, stop)[0]
    kept = len(TALLIES) - len(limits.FIGURES)
    return counts[:kept] + figures[kept:]


def solutions(n: int, totals: dict[str, int]) -> int:
    """Solutions by the numbers of the whole.

    Raises:
        FrontrowError: if they contradict each other.
    """
    from frontrow.search.queens import quadrant

    return quadrant.totals(n, tuple(totals[name] for name in limits.TALLIES))["solutions"]


def expected_solutions(totals: dict[str, float]) -> float:
    """Solutions by expected numbers."""
    kept = sum(8 / m * totals[f"m{m}"] for m in range(1, 5))
    return kept + 8 * totals["off_centre"]
