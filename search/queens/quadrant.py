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
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from frontrow.search.errors import FrontrowError, StoppedError, UsageError
from frontrow.search.queens.limits import LEAST, MOST, WORDS
from frontrow.search.queens.quadrant_cost import range_cost
from frontrow.search.queens.quadrant_group import Workspace
from frontrow.search.queens.quadrant_match import Lists, tally_pairs
from frontrow.search.queens.quadrant_plain import tally_plainly
from frontrow.search.queens.quadrant_tables import (
    NE,
    NW,
    PLAIN,
    SE,
    SW,
    WHOLE_TABLE_BELOW,
    Part,
    Quarters,
    quarters,
    shared,
)
from frontrow.search.rows import HAND_BACK, Rows, Stop

_UNLIMITED = 1 << 62
_TIES = 1 << 23
"""Longest list of half boards with a tie: up to 2**21 was seen at n = 28; what is not used costs nothing."""
_WHOLE = 0xFFFF
"""End of a range that goes as far as there are sets."""


@dataclass(frozen=True, slots=True)
class Span:
    """A row in words: ranges of the numbers of sets, each from its first to the one after its last.

    Attributes:
        part: the queens on the centre lines, and k.
        swap: whether the side is grouped that would be listed.
        a: row sets in the north-east.
        c: row sets in the south-west, as far as they are not greater than a.
        b: column sets in the north-east, as far as they are not greater than a.
        d: column sets in the south-west, as far as they are not greater than a.
    """

    part: Part
    swap: bool
    a: tuple[int, int]
    c: tuple[int, int]
    b: tuple[int, int] = (0, _WHOLE)
    d: tuple[int, int] = (0, _WHOLE)

    def reach(self, a: int) -> tuple[int, int]:
        """Row sets c from first to last that belong to a."""
        low, high = self.part.partners(a)
        return max(self.c[0], low), min(self.c[1], high)

    def row(self) -> tuple[int, int, int]:
        """The row's words."""
        part = self.part
        fields = part.k, part.i + 1, part.j + 1, part.order, int(self.swap)
        head = sum(field << 8 * place for place, field in enumerate(fields))
        return head, _packed(*self.a, *self.c), _packed(*self.b, *self.d)

    @classmethod
    def of(cls, n: int, row: NDArray[np.uint64]) -> "Span":
        """Read a row."""
        head, second, third = row.tolist()
        k, i, j, order, swap = (head >> 8 * place & 255 for place in range(5))
        a0, a1, c0, c1 = (second >> 16 * place & 0xFFFF for place in range(4))
        b0, b1, d0, d1 = (third >> 16 * place & 0xFFFF for place in range(4))
        return cls(Part(n, i - 1, j - 1, k, order), bool(swap), (a0, a1), (c0, c1), (b0, b1), (d0, d1))


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
    a_step, c_step = _steps(n)
    rows = []
    for part in parts(n, order):
        first_a, first_c = np.arange(0, part.a.size, a_step), np.arange(0, part.c.size, c_step)
        c0, a0 = (ranges.ravel() for ranges in np.meshgrid(first_c, first_a, indexing="ij"))
        a1, c1 = np.minimum(a0 + a_step, part.a.size), np.minimum(c0 + c_step, part.c.size)
        if part.flagged:
            # The last a of a row has the most partners.
            low = part.a.size - a1 if part.balanced else np.zeros_like(a1)
            some = np.maximum(c0, low) < np.minimum(c1, a1)
            a0, a1, c0, c1 = a0[some], a1[some], c0[some], c1[some]
        head, _, third = Span(part, swap, (0, 0), (0, 0)).row()
        second = (a0 | a1 << 16 | c0 << 32 | c1 << 48).astype(np.uint64)
        whole = np.full((second.size, WORDS), (head, 0, third), np.uint64)
        whole[:, 1] = second
        rows.append(whole)
    return np.concatenate(rows)


def _steps(n: int) -> tuple[int, int]:
    """Row sets a and row sets c in a row of the split."""
    far = 1 << 14
    if n < 20:
        return (8 if n % 2 else 1), far
    steps = {
        20: (1, 16),
        22: (8, 8),
        23: (16, 16),
        24: (4, 4),
        25: (24, 24),
        26: (4, 4),
        27: (48, 48),
        28: (8, 8),
    }
    return steps.get(n, (1, far))


def cost(n: int, rows: Rows) -> NDArray[np.int64]:
    """Predicted work of rows, about 1.5 ns each; rows that a budget left count as whole pairs."""
    costs = np.empty(rows.shape[0], np.int64)
    heads, index = np.unique(rows[:, 0], return_inverse=True)
    for place, head in enumerate(heads.tolist()):
        here = np.flatnonzero(index == place)
        fields = rows[here, 1][:, None] >> np.arange(0, 64, 16, dtype=np.uint64) & np.uint64(0xFFFF)
        part = Span.of(n, np.array([head, 0, 0], np.uint64)).part
        ranges = fields.astype(np.int64)
        ranges[:, 3] = np.minimum(ranges[:, 3], part.c.size)
        costs[here] = range_cost(part, ranges)
    return costs


def tally(n: int, rows: Rows, budget: int | None, stop: Stop) -> tuple[tuple[int, ...], int, Rows]:
    """Count the solutions that rows stand for.

    Args:
        n: size of the board.
        rows: shape ``(rows, 3)``.
        budget: work after which the rest is handed back; ``None`` for no limit.
        stop: polled for every group of 512 half boards; `HAND_BACK` is like a budget of the work done so far.

    Returns:
        One number for each of `limits.TALLIES`, the work done (about 1 ns each), and the rows left. No number
        of a unit or of the whole reaches 2**63 for n up to 28: there are about 2e18 solutions.

    Raises:
        StoppedError: if `stop` was raised before anything was done, or with another value; nothing is kept.
        FrontrowError: if a list does not fit, which is not known to happen.
    """
    counts = np.zeros(16, np.int64)
    figures = np.zeros(8, np.int64)
    limit = _UNLIMITED if budget is None else budget
    rest: list[tuple[int, int, int]] = []
    for at in range(rows.shape[0]):
        before = figures[4]
        if before < limit and not stop[0]:
            left = _tally_span(Span.of(n, rows[at]), limit, counts, figures, stop)
            if not stop[0] or figures[4] > before:
                rest += [span.row() for span in left]
                continue
        rest += [tuple(row) for row in rows[at:].tolist()]
        break
    if stop[0] and rest and (stop[0] != HAND_BACK or not figures[4]):
        raise StoppedError("stopped")
    return _result(counts, figures, rest)


def _result(
    counts: NDArray[np.int64], figures: NDArray[np.int64], rest: list[tuple[int, int, int]]
) -> tuple[tuple[int, ...], int, Rows]:
    numbers = (*counts[1:6].tolist(), *figures[:4].tolist())
    return numbers, int(figures[4]), np.array(rest, np.uint64).reshape(-1, WORDS)


def _tally_span(
    span: Span, budget: int, counts: NDArray[np.int64], figures: NDArray[np.int64], stop: Stop
) -> list[Span]:
    """Add one row's numbers; returns what the budget, or a stop, left of it."""
    step = _WHOLE if span.part.n < WHOLE_TABLE_BELOW else _batch(span.part.n)
    for c in range(span.c[0], span.c[1], step):
        batch = replace(span, c=(c, min(c + step, span.c[1])))
        for a in range(*span.a):
            left = _tally_pairs_of(batch, a, budget, counts, figures, stop)
            if left:
                later = [replace(batch, a=(a + 1, span.a[1])), replace(span, c=(batch.c[1], span.c[1]))]
                return left + [rest for rest in later if rest.a[0] < rest.a[1] and rest.c[0] < rest.c[1]]
    return []


def _tally_pairs_of(
    batch: Span, a: int, budget: int, counts: NDArray[np.int64], figures: NDArray[np.int64], stop: Stop
) -> list[Span]:
    """Add the numbers of one row set a; returns what the budget, or a stop, left of it."""
    part = batch.part
    c0, c1 = batch.reach(a)
    if c0 >= c1:
        return []
    b_low, b_high = part.partners(a) if part.flagged else (0, part.b.size)
    d_low, d_high = part.partners(a)
    b = max(batch.b[0], b_low), min(batch.b[1], b_high)
    d = max(batch.d[0], d_low), min(batch.d[1], d_high)
    box = np.array([c0, c1, *b, *d], np.int64)
    whole = replace(batch, a=(a, a + 1), c=(c0, c1), b=b, d=d)
    try:
        tables = _tables(batch, a, c0, stop)
    except StoppedError:
        return _left(whole, box)
    other = part.a.size - 1 - a if part.balanced else -1
    ties = (a, other) if part.flagged else (-1, -1)
    m = 1 if part.flagged else 5
    if PLAIN:
        tally_plainly(part, tables, box, ties, m, counts, figures)
    else:
        east = (NE, SE) if part.outer(NE) else (SE, NE)
        west = (SW, NW) if part.outer(SW) else (NW, SW)
        east_lists, west_lists = ([_lists(tables[quadrant]) for quadrant in side] for side in (east, west))
        tally_pairs(
            east_lists[0], east_lists[1], west_lists[0], west_lists[1], box, ties, ties, m, part.bits,
            batch.swap, budget, _workspace(part).space, counts, figures, stop,
        )  # fmt: skip
    if box[1] < 0:
        raise FrontrowError(
            f"queens {part.n}: found more half boards with a tie than {_TIES}, expected fewer"
        )
    return _left(whole, box) if box[0] < c1 else []


Tables = dict[int, tuple[Quarters, int, int]]
"""By quadrant: the lists, the first row set, and the step from one c to the next."""


def _lists(table: tuple[Quarters, int, int]) -> Lists:
    quarters, row, step = table
    return Lists(*quarters.addresses, row, step)


def _tables(batch: Span, a: int, c: int, stop: Stop) -> Tables:
    """The lists for row set a and the row sets from c on of a batch; the last ones are kept by the thread."""
    part = batch.part
    if part.n < WHOLE_TABLE_BELOW:
        if getattr(_thread, "part", None) != part:
            _thread.whole = shared.get(part, stop)
            _thread.part = part
        whole = _thread.whole
        return {NE: (whole[NE], a, 0), NW: (whole[NW], a, 0), SE: (whole[SE], c, 1), SW: (whole[SW], c, 1)}
    if getattr(_thread, "south_of", None) != (part, batch.c):
        _thread.south = _thread.south_of = None  # up to 290 MB at n = 28, which are not to be there twice
        _thread.south = {quadrant: quarters(part, quadrant, *batch.c, stop) for quadrant in (SE, SW)}
        _thread.south_of = part, batch.c
    if getattr(_thread, "north_of", None) != (part, a):
        _thread.north = _thread.north_of = None
        _thread.north = {quadrant: (quarters(part, quadrant, a, a + 1, stop), 0, 0) for quadrant in (NE, NW)}
        _thread.north_of = part, a
    south: Tables = {quadrant: (lists, c - batch.c[0], 1) for quadrant, lists in _thread.south.items()}
    north: Tables = _thread.north
    return south | north


def _batch(n: int) -> int:
    """Row sets c that are listed at a time, so that their lists take a few tens of MB."""
    return {22: 8, 23: 16, 24: 4, 25: 8, 26: 2, 27: 4}.get(n, 1)


def _left(span: Span, box: NDArray[np.int64]) -> list[Span]:
    """What a budget left of one a: of the block of b, of the row set c, and of the others."""
    c, _, b, b_end, d, _ = box.tolist()
    pair = replace(span, c=(c, c + 1))
    pieces = [
        replace(pair, b=(b, b_end), d=(d, span.d[1])),
        replace(pair, b=(b_end, span.b[1])),
        replace(span, c=(c + 1, span.c[1])),
    ]
    if (b, d) == (span.b[0], span.d[0]):
        pieces = [replace(span, c=(c, span.c[1]))]
    return [piece for piece in pieces if all(first < last for first, last in (piece.b, piece.c, piece.d))]


def _limit(part: Part) -> int:
    """Words of a block of half boards at most.

    Half as many take half of the memory, and 1.6 times as long where lists are longer (n = 26); so only
    the parts with the longest quarter lists, under 1 % of the work, have shorter blocks.
    """
    n = part.n
    if n >= 26 and part.k <= 3:
        return 1 << 23
    return 1 << (18 if n < 20 else 20 if n < 22 else 22 if n < 24 else 24)


_thread = threading.local()


def _workspace(part: Part) -> Workspace:
    key = _limit(part)
    if getattr(_thread, "limit", None) != key:
        _thread.workspace = Workspace(key, _TIES)
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
                f"queens {n}: found {counts[m - 1]} solutions kept {m} times,"
                f" expected a number that 8 times makes a multiple of {m}"
            )
        solutions += whole
    return {"solutions": solutions}
