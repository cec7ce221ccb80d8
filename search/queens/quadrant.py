"""Counting n queens by quadrants: the split into rows, and the counts of rows.

The board's four quadrants are h by h, h = n // 2. Rows and columns are numbered by distance from the
centre. If NE uses the rows a and the columns b, and SW the rows c and the columns d, then NW uses the
other northern rows and the other western columns, and SE the other southern rows and the other eastern
columns. For even n this makes the number of solutions the sum over a, b, c, d of equal size k of

    quadruples in Q(a, b) x Q(~a, ~d) x Q(~c, ~b) x Q(c, d) without a common diagonal,

Q(R, C) being all placements in a quadrant on exactly these rows and columns. A row of the split fixes a
and some c. The eastern half boards (NE and SE, for all b) and the western ones (for all d) are listed, and
the pairs without a common diagonal are counted (`frontrow.search.queens.quadrant_match`).

Symmetry. The eight images of a solution bring each of its flags a, b, c, d, ~a, ~b, ~c, ~d to the place of a
exactly once. Kept are the solutions whose a is the greatest flag: larger than all of smaller size (only
k <= h / 2 is looked at), and among those of equal size the greatest by a total order, which for
k = h / 2 has to reverse under complement. If the greatest flag occurs m times, m of the eight images are
kept, so that a kept solution stands for 8 / m. The sums for each m are whole numbers, a check.

Odd n. With a queen in the centre everything is as above, without the diagonals through the centre.
Otherwise one queen stands in the middle column, at distance i + 1, one in the middle row, at j + 1, and
i != j as they would attack each other. All eight images differ; one of them has the first queen in the
north, the second in the east, and i < j. Row i is missing in the north, column j in the east, so that c and d
have k + 1 members.

The idea of tabulated quadrants and matched half boards is EvgenyKluev's (N-Queens-Count-Sol); this
symmetry rule, the splitting by diagonals that both sides use, and the code are Frontrow's own.
"""

import threading
from collections.abc import Iterator
from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

from frontrow.search.errors import FrontrowError, StoppedError, UsageError
from frontrow.search.queens.quadrant_match import Lists, Workspace, _tally_pairs
from frontrow.search.queens.quadrant_plain import tally_plainly
from frontrow.search.queens.quadrant_tables import (
    NE,
    NW,
    SE,
    SW,
    WHOLE_TABLE_BELOW,
    Part,
    Quarters,
    quarters,
    shared,
)
from frontrow.search.rows import Rows, Stop

LEAST, MOST = 2, 28
"""Smallest and greatest board."""
WORDS = 3
"""Words a row."""
TALLIES = ("m1", "m2", "m3", "m4", "off_centre", "east", "west", "groups", "survivors")
"""What is counted: kept solutions by m, those of odd n without a queen in the centre, and figures to check."""
_UNLIMITED = 1 << 62
_SHAPES = ((18, 4, 7), (20, 5, 6), (24, 5, 7), (28, 6, 7))
"""Greatest n // 2 * 2, low chunks, bits a chunk: each is a variant of the kernels."""
_TIES = 1 << 20
"""Longest list of half boards with a tie; an eighth of it is seen at n = 24."""


@dataclass(frozen=True, slots=True)
class Span:
    """A row in words: a rectangle of half boards.

    Attributes:
        part: the queens on the centre lines, and k.
        swap: whether the side is grouped that would be listed.
        a: number of the north-eastern row set.
        c: numbers of the first south-western row set and of the one after the last.
        b: the same for the north-eastern column sets.
        d: the same for the south-western column sets.
    """

    part: Part
    swap: bool
    a: int
    c: tuple[int, int]
    b: tuple[int, int]
    d: tuple[int, int]

    def row(self) -> tuple[int, int, int]:
        """The row's words."""
        part = self.part
        fields = (self.a, part.k, part.i + 1, part.j + 1, part.order, int(self.swap))
        head = sum(field << shift for field, shift in zip(fields, (0, 16, 24, 32, 40, 48), strict=True))
        return head, _packed(*self.c, *self.b), _packed(*self.d)

    @classmethod
    def of(cls, n: int, row: NDArray[np.uint64]) -> "Span":
        """Read a row."""
        head, second, third = row.tolist()
        i, j, order = (head >> 24 & 255) - 1, (head >> 32 & 255) - 1, head >> 40 & 255
        c0, c1, b0, b1 = (second >> shift & 0xFFFF for shift in (0, 16, 32, 48))
        part = Part(n, i, j, head >> 16 & 255, order)
        d = third & 0xFFFF, third >> 16 & 0xFFFF
        return cls(part, bool(head >> 48 & 1), head & 0xFFFF, (c0, c1), (b0, b1), d)


def _packed(*fields: int) -> int:
    return sum(field << 16 * place for place, field in enumerate(fields))


def check(n: int) -> None:
    """Refuse boards that the method is not made for.

    Raises:
        UsageError: unless n is from 2 to 28.
    """
    if not LEAST <= n <= MOST:
        raise UsageError(f"n: found {n}, expected an integer from {LEAST} to {MOST} for the quadrant counter")


def parts(n: int, order: int = 0) -> Iterator[Part]:
    """All parts of a board, those with a queen in the centre first."""
    h = n // 2
    for k in range(h // 2 + 1):
        yield Part(n, -1, -1, k, order)
    if n % 2:
        for i in range(h):
            for j in range(i + 1, h):
                for k in range(h):
                    yield Part(n, i, j, k, order)


def split(n: int, order: int = 0, swap: bool = False) -> Rows:
    """Rows whose counts add up to the whole, fixed by n, the same everywhere.

    Args:
        n: size of the board, 2 to 28.
        order: number of the total order of sets; each gives other rows and the same total.
        swap: group the side that would be listed.

    Returns:
        Rows of shape ``(rows, 3)``; neighbours share most of what is tabulated for them.

    Raises:
        UsageError: unless n is from 2 to 28.
    """
    check(n)
    together = _together(n)
    rows = []
    for part in parts(n, order):
        count, others = part.a.size, part.c.size
        for a in range(count):
            low, high = (count - 1 - a if part.balanced else 0, a + 1) if part.flagged else (0, others)
            b = (low, high) if part.flagged else (0, count)
            for c in range(low, high, together):
                span = Span(part, swap, a, (c, min(c + together, high)), b, (low, high))
                rows.append(span.row())
    return np.array(rows, np.uint64).reshape(-1, WORDS)


def _together(n: int) -> int:
    """Row sets c in a row."""
    if n % 2:
        return 1 << 16
    return {20: 16, 22: 8, 24: 4, 26: 16, 28: 64}.get(n, 1 << 16)


def tally(n: int, rows: Rows, budget: int | None, stop: Stop) -> tuple[tuple[int, ...], int, Rows]:
    """Count the solutions that rows stand for.

    Args:
        n: size of the board.
        rows: shape ``(rows, 3)``.
        budget: work after which the rest is handed back; ``None`` for no limit.
        stop: polled for every group of 512 half boards.

    Returns:
        One number for each of `TALLIES`, the work done (about 1 ns each), and the rows left. No number of a
        unit or of the whole reaches 2**63 for n up to 28: there are about 2e18 solutions.

    Raises:
        StoppedError: if `stop` was raised; nothing is kept.
    """
    counts = np.zeros(16, np.int64)
    figures = np.zeros(8, np.int64)
    limit = _UNLIMITED if budget is None else budget
    rest: list[tuple[int, int, int]] = []
    for at in range(rows.shape[0]):
        if figures[4] >= limit:
            return _result(counts, figures, rest + [tuple(row) for row in rows[at:].tolist()])
        rest += [left.row() for left in _tally_span(Span.of(n, rows[at]), limit, counts, figures, stop)]
    return _result(counts, figures, rest)


def _result(
    counts: NDArray[np.int64], figures: NDArray[np.int64], rest: list[tuple[int, int, int]]
) -> tuple[tuple[int, ...], int, Rows]:
    numbers = (*counts[1:6].tolist(), *figures[:4].tolist())
    return numbers, int(figures[4]), np.array(rest, np.uint64).reshape(-1, WORDS)


def _tally_span(
    span: Span, budget: int, counts: NDArray[np.int64], figures: NDArray[np.int64], stop: Stop
) -> list[Span]:
    """Add one row's numbers; returns what the budget left of it."""
    part, a = span.part, span.a
    other = part.a.size - 1 - a if part.balanced else -1
    flags = np.array([a, other, a, other, 1] if part.flagged else [-1, -1, -1, -1, 5], np.int64)
    step = span.c[1] - span.c[0] if part.n < WHOLE_TABLE_BELOW else _batch(part.n)
    for c in range(span.c[0], span.c[1], step):
        upto = min(c + step, span.c[1])
        box = np.array([c, upto, *span.b, *span.d], np.int64)
        tables = _tables(part, a, c, upto)
        if stop[0]:
            raise StoppedError("stopped")
        if numba.config.DISABLE_JIT:
            tally_plainly(part, tables, box, flags, counts, figures)
        else:
            _tally_tables(span, tables, box, flags, budget, counts, figures, stop)
        if stop[0]:
            raise StoppedError("stopped")
        if box[0] < upto:
            return _left(span, box)
    return []


Tables = dict[int, tuple[Quarters, int, int]]
"""By quadrant: the lists, the first row set, and the step from one c to the next."""


def _tables(part: Part, a: int, c: int, upto: int) -> Tables:
    if part.n < WHOLE_TABLE_BELOW:
        if getattr(_thread, "part", None) != part:
            _thread.whole = shared.get(part)
            _thread.part = part
        whole = _thread.whole
        return {NE: (whole[NE], a, 0), NW: (whole[NW], a, 0), SE: (whole[SE], c, 1), SW: (whole[SW], c, 1)}
    if getattr(_thread, "north_of", None) != (part, a):
        _thread.north = {quadrant: (quarters(part, quadrant, a, a + 1), 0, 0) for quadrant in (NE, NW)}
        _thread.north_of = part, a
    south: Tables = {quadrant: (quarters(part, quadrant, c, upto), 0, 1) for quadrant in (SE, SW)}
    return south | _thread.north


def _batch(n: int) -> int:
    """Row sets c that are listed at a time, so that their lists take a few tens of MB."""
    return {22: 16, 23: 16, 24: 4, 25: 4}.get(n, 1)


def _tally_tables(
    span: Span,
    tables: Tables,
    box: NDArray[np.int64],
    flags: NDArray[np.int64],
    budget: int,
    counts: NDArray[np.int64],
    figures: NDArray[np.int64],
    stop: Stop,
) -> None:
    part = span.part
    east = (NE, SE) if part.outer(NE) else (SE, NE)
    west = (SW, NW) if part.outer(SW) else (NW, SW)
    lists = [Lists(*tables[quadrant][0].addresses, *tables[quadrant][1:]) for quadrant in east + west]
    other = part.a.size - 1 - span.a if part.balanced else -1
    ties = (span.a, other) if part.flagged else (-1, -1)
    _tally_pairs(
        *lists, box, ties, ties, 1 if part.flagged else 5, part.bits, _chunk(part.n), span.swap, budget,
        _workspace(part.n).space, counts, figures, stop,
    )  # fmt: skip


def _left(span: Span, box: NDArray[np.int64]) -> list[Span]:
    """The rows that remain where a budget ran out: of the block of b, of the row set c, and of the row."""
    c, _, b, b_end, d, _ = box.tolist()
    pieces = [
        Span(span.part, span.swap, span.a, (c, c + 1), (b, b_end), (d, span.d[1])),
        Span(span.part, span.swap, span.a, (c, c + 1), (b_end, span.b[1]), span.d),
        Span(span.part, span.swap, span.a, (c + 1, span.c[1]), span.b, span.d),
    ]
    if d == span.d[0]:
        pieces[:2] = [Span(span.part, span.swap, span.a, (c, c + 1), (b, span.b[1]), span.d)]
        if b == span.b[0]:
            return [Span(span.part, span.swap, span.a, (c, span.c[1]), span.b, span.d)]
    return [piece for piece in pieces if min(s[1] - s[0] for s in (piece.b, piece.c, piece.d)) > 0]


def _chunk(n: int) -> int:
    """Bits a chunk of a word."""
    return 6 if n < 20 or n == 21 else 7


def _limit(n: int) -> int:
    """Words of a block of half boards; a greater number only costs memory that is not touched."""
    return 1 << (18 if n < 20 else 20 if n < 22 else 22)


_thread = threading.local()


def _workspace(n: int) -> Workspace:
    key = _limit(n)
    if getattr(_thread, "limit", None) != key:
        _thread.workspace = Workspace(key, _TIES, 8, 7)
        _thread.limit = key
    space: Workspace = _thread.workspace
    return space


def totals(n: int, counts: tuple[int, ...]) -> dict[str, int]:
    """Turn the numbers of the whole, or of all rows of some k, into solutions.

    Raises:
        FrontrowError: if solutions counted m times are not a whole number: some count is wrong.
    """
    solutions = 8 * counts[4]
    for m in range(1, 5):
        whole, left = divmod(8 * counts[m - 1], m)
        if left:
            raise FrontrowError(
                f"queens {n}: found {counts[m - 1]} solutions kept {m} times, expected a multiple of {m} in 8 times that"
            )
        solutions += whole
    return {"solutions": solutions}
