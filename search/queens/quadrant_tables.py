"""Quarter boards: lists of the words of all placements in one quadrant, by rows and columns used.

A word is the set of a placement's diagonals that another quadrant can meet. Coordinates in a quadrant
are distances from the centre, 0 to h - 1, h = n // 2. With g = 1 for even n and 2 for odd n, the cell
in row i and column j lies on the diagonals

    ==  =============  =============
        u              v
    ==  =============  =============
    NE  i + j + g      i - j
    NW  i - j          i + j + g
    SE  j - i          -(i + j + g)
    SW  -(i + j + g)   j - i
    ==  =============  =============

Diagonals beyond h - 1 lie in one quadrant only and are not part of a word; a word has 2 (2h - 1) bits or
less, at most 54 for n = 28.
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from frontrow.search.errors import StoppedError
from frontrow.search.kernel import inlined, kernel
from frontrow.search.queens.limits import ORDERS
from frontrow.search.queens.quadrant_lanes import lowest
from frontrow.search.rows import Stop

NE, NW, SE, SW = range(4)
NORTH = 1 << 63
"""Marks the words of northern quadrants, so that the padding, all ones, meets every word."""
SOUTH = 1 << 62
"""Marks the words of southern quadrants."""
_CONFIG: Any = numba.config
PLAIN = bool(_CONFIG.DISABLE_JIT)
"""Whether kernels are not compiled, so that their vector operations cannot run."""
WHOLE_TABLE_BELOW = 22
"""Boards smaller than this keep the lists of all row sets of a size; greater ones those of a unit."""
SHARED_BYTES = 320 << 20
"""Most memory of the tables that the threads of a process share; at least one table is kept."""


class Quarters(NamedTuple):
    """The lists of one quadrant for some row sets.

    Attributes:
        words: uint64, the lists one after the other.
        first: int32 of shape ``(row sets, column sets + 1)``: where each list begins and ends.
        column: uint16, the column set's number of every word; empty if the lists are padded.
        addresses: where the three arrays are, and how many numbers each row set has in `first`.
    """

    words: Any
    first: Any
    column: Any
    addresses: tuple[int, int, int, int]


@dataclass(frozen=True)
class Part:
    """All placements with the same queens on the centre lines and the same number of queens a quadrant.

    Attributes:
        n: size of the board.
        i: for odd n the distance, less one, of the middle column's queen north of the centre, or -1 if a
            queen stands in the centre; -1 for even n.
        j: the same for the middle row's queen, east of the centre.
        k: queens in the north-eastern quadrant.
        order: number of the total order of sets, an index of `ORDERS`.
    """

    n: int
    i: int
    j: int
    k: int
    order: int

    @property
    def h(self) -> int:
        """Rows and columns of a quadrant."""
        return self.n // 2

    @property
    def all(self) -> int:
        """The set of all rows, or columns, of a quadrant."""
        return (1 << self.h) - 1

    @property
    def north(self) -> int:
        """Rows of the northern quadrants that need a queen."""
        return self.all if self.i < 0 else self.all ^ 1 << self.i

    @property
    def east(self) -> int:
        """Columns of the eastern quadrants that need a queen."""
        return self.all if self.j < 0 else self.all ^ 1 << self.j

    @cached_property
    def a(self) -> NDArray[np.int64]:
        """Row sets of the north-eastern quadrant, in order."""
        return subsets(self.north, self.k, self.order)

    @cached_property
    def b(self) -> NDArray[np.int64]:
        """Column sets of the north-eastern quadrant, in order."""
        return subsets(self.east, self.k, self.order)

    @cached_property
    def c(self) -> NDArray[np.int64]:
        """Row sets, and column sets, of the south-western quadrant, in order."""
        return subsets(self.all, self.k if self.i < 0 else self.k + 1, self.order)

    @property
    def flagged(self) -> bool:
        """Whether solutions are kept by their greatest flag: they are unless all eight images differ."""
        return self.i < 0

    @property
    def balanced(self) -> bool:
        """Whether a set and its complement are equally great."""
        return self.flagged and 2 * self.k == self.h

    def partners(self, a: int) -> tuple[int, int]:
        """Numbers of the first set and of the one after the last that are not greater than row set a.

        Sets of half of the rows are not to have a greater complement either.
        """
        if not self.flagged:
            return 0, self.c.size
        return (self.a.size - 1 - a if self.balanced else 0), a + 1

    def reach(self, a: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """What `partners` gives, for many a."""
        if not self.flagged:
            return np.zeros_like(a), np.full_like(a, self.c.size)
        return (self.a.size - 1 - a if self.balanced else np.zeros_like(a)), a + 1

    @property
    def blocked(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Diagonals u and v that the queens on the centre lines attack."""
        if self.n % 2 == 0:
            return (), ()
        if self.i < 0:
            return (0,), (0,)
        return (self.i + 1, self.j + 1), (self.i + 1, -(self.j + 1))

    @property
    def bits(self) -> int:
        """Length of a word."""
        return len(layout(self.h, *self.blocked))

    def rows(self, quadrant: int, first: int, last: int) -> NDArray[np.int64]:
        """Row sets of a quadrant for the numbers `first` to ``last - 1`` of `a` or, in the south, of `c`."""
        if quadrant in (NE, NW):
            chosen = self.a[first:last]
            return chosen if quadrant == NE else self.north ^ chosen
        chosen = self.c[first:last]
        return chosen if quadrant == SW else self.all ^ chosen

    def columns(self, quadrant: int) -> NDArray[np.int64]:
        """Column sets of a quadrant: by the number of `b` in the east, of SW's set in the west."""
        if quadrant == NE:
            return self.b
        if quadrant == SE:
            return self.east ^ self.b
        return self.c if quadrant == SW else self.all ^ self.c

    def outer(self, quadrant: int) -> bool:
        """Whether the quadrant has fewer queens than its partner in a half board, and so shorter lists."""
        size = self.k if self.flagged else self.k + 1
        east, west = self.k <= self.h - size, size <= self.north.bit_count() - self.k
        return {NE: east, SE: not east, SW: west, NW: not west}[quadrant]


@lru_cache(maxsize=256)
def subsets(of: int, size: int, order: int) -> NDArray[np.int64]:
    """All subsets of a set that have `size` members, as bits, from the least to the greatest."""
    members = [bit for bit in range(of.bit_length()) if of >> bit & 1]
    sets = [sum(1 << bit for bit in chosen) for chosen in combinations(members, size)]
    keys = {
        "value": lambda bits: bits,
        "reversed": lambda bits: int(f"{bits:020b}"[::-1], 2),
        "negated": lambda bits: -bits,
    }
    return np.array(sorted(sets, key=keys[ORDERS[order]]), np.int64)


@lru_cache(maxsize=256)
def layout(h: int, no_u: tuple[int, ...], no_v: tuple[int, ...]) -> dict[tuple[str, int], int]:
    """Bit of every diagonal in a word; the most central one has the highest, blocked ones have none."""
    values = [0, *(sign * distance for distance in range(1, h) for sign in (1, -1))]
    names = [
        (letter, value)
        for value in values
        for letter, without in (("u", no_u), ("v", no_v))
        if value not in without
    ]
    return {name: len(names) - 1 - place for place, name in enumerate(names)}


def diagonals(quadrant: int, gap: int, i: int, j: int) -> tuple[int, int]:
    """Diagonals u and v of a cell; `gap` is g above."""
    far = i + j + gap
    return ((far, i - j), (i - j, far), (j - i, -far), (-far, j - i))[quadrant]


@lru_cache(maxsize=8)
def cell_words(n: int, i: int, j: int, quadrant: int) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Word of each cell, shape ``(h, h)``, and the columns that are free in each row, shape ``(h,)``.

    Args:
        n: size of the board.
        i: as in `Part`.
        j: as in `Part`.
        quadrant: `NE`, `NW`, `SE` or `SW`.
    """
    part = Part(n, i, j, 0, 0)
    places = layout(part.h, *part.blocked)
    no_u, no_v = part.blocked
    missing = part.all ^ part.east if quadrant in (NE, SE) else 0
    words = np.zeros((part.h, part.h), np.uint64)
    free = np.zeros(part.h, np.int64)
    for row in range(part.h):
        for column in range(part.h):
            u, v = diagonals(quadrant, 1 + n % 2, row, column)
            words[row, column] = sum(1 << places[name] for name in (("u", u), ("v", v)) if name in places)
            if u not in no_u and v not in no_v and not missing >> column & 1:
                free[row] |= 1 << column
    return words, free


def quarters(part: Part, quadrant: int, first: int, last: int, stop: Stop) -> Quarters:
    """List the placements of one quadrant for the row sets `first` to ``last - 1``.

    Lists of the quadrant with more queens are padded to whole vectors with words of all ones. About 10 ns
    a placement.

    Raises:
        StoppedError: if `stop` was raised.
    """
    rows = part.rows(quadrant, first, last)
    columns = part.columns(quadrant)
    number = np.full(1 << part.h, -1, np.int32)
    number[columns] = np.arange(columns.size, dtype=np.int32)
    words, free = cell_words(part.n, part.i, part.j, quadrant)
    mark = np.uint64(NORTH if quadrant in (NE, NW) else SOUTH)
    pad = 1 if part.outer(quadrant) else 8
    first_of = np.zeros((rows.size, columns.size + 1), np.int32)
    # Small arrays stand in for what the counting pass does not write.
    none = np.empty(0, np.uint64), np.empty(0, np.uint16)
    _list_quarters(rows, words, free, number, mark, pad, first_of, *none, stop)
    size = int(first_of[-1, -1]) if rows.size else 0
    listed = np.full(size + 8, 2**64 - 1, np.uint64)
    column = np.empty(size if pad == 1 else 0, np.uint16)
    _list_quarters(rows, words, free, number, mark, pad, first_of, listed, column, stop)
    if stop[0]:
        raise StoppedError("stopped")
    addresses = listed.ctypes.data, first_of.ctypes.data, column.ctypes.data, columns.size + 1
    return Quarters(listed, first_of, column, addresses)


def _lowest_plainly(bits: int) -> int:
    """Number of the lowest one of a set that is not empty."""
    return (int(bits) & -int(bits)).bit_length() - 1


_lowest: Any = _lowest_plainly if PLAIN else lowest


@inlined
def _finish(
    cells: Any,
    taken: Any,
    here: Any,
    words: Any,
    number: Any,
    at: Any,
    fill: bool,
    pad: int,
    out: Any,
    column: Any,
) -> None:
    """Count or list all placements of the last queen."""
    while cells:
        s = number[taken | cells & -cells]
        if fill:
            out[at[s]] = here | words[_lowest(cells)]
            if pad == 1:
                column[at[s]] = s
        at[s] += 1
        cells &= cells - 1


@kernel
def _list_quarters(
    rows: Any,
    words: Any,
    free: Any,
    number: Any,
    mark: Any,
    pad: int,
    first: Any,
    out: Any,
    column: Any,
    stop: Any,
) -> None:
    """Count the placements by row set and column set, or, where `out` has room, list them.

    Args:
        rows: int64, row sets.
        words: uint64 of shape ``(h, h)``, word of each cell.
        free: int64, columns allowed in each row.
        number: int32 of shape ``(2**h,)``, number of each column set.
        mark: uint64, set in every word.
        pad: lists begin at multiples of it.
        first: int32 of shape ``(row sets, column sets + 1)``; written by the counting pass.
        out: uint64; empty in the counting pass.
        column: uint16; written if `pad` is 1.
        stop: stop flag; once it is raised the lists are not complete.
    """
    h = free.size
    sets = first.shape[1] - 1
    at = np.zeros(sets + 1, np.int64)
    line = np.zeros(h + 1, np.int64)
    open_ = np.zeros(h + 1, np.int64)
    used = np.zeros(h + 1, np.int64)
    sums = np.zeros(h + 1, np.int64)
    differences = np.zeros(h + 1, np.int64)
    word = np.zeros(h + 1, np.uint64)
    filling = out.size > 0
    end = np.int64(0)
    for t in range(rows.size):
        last = -1
        for i in range(h):
            if rows[t] >> i & 1:
                last += 1
                line[last] = i
        for s in range(sets):
            at[s] = first[t, s] if filling else 0
        if last < 0:
            if filling:
                out[at[0]] = mark
                if pad == 1:
                    column[at[0]] = 0
            at[0] += 1
        depth = 0 if last >= 0 else -1
        word[0] = mark
        open_[0] = free[line[0]]
        while depth >= 0:
            if depth == 0 and stop[0]:
                return
            i = line[depth]
            if depth == last:
                _finish(
                    open_[depth], used[depth], word[depth], words[i], number, at, filling, pad, out, column
                )
                depth -= 1
                continue
            cell = open_[depth] & -open_[depth]
            if cell == 0:
                depth -= 1
                continue
            open_[depth] ^= cell
            word[depth + 1] = word[depth] | words[i, _lowest(cell)]
            taken = used[depth] | cell
            used[depth + 1] = taken
            sums[depth + 1] = sums[depth] | cell << i
            differences[depth + 1] = differences[depth] | cell << (h - 1 - i)
            depth += 1
            i = line[depth]
            open_[depth] = free[i] & ~(taken | sums[depth] >> i | differences[depth] >> (h - 1 - i))
        if not filling:
            for s in range(sets):
                first[t, s] = end
                end += -(-at[s] // pad) * pad
            first[t, sets] = end


class _Shared:
    """Whole tables that all threads of the process read; the oldest leave first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._making: dict[Part, threading.Lock] = {}
        self._kept: OrderedDict[Part, tuple[dict[int, Quarters], int]] = OrderedDict()
        self._bytes = 0

    def get(self, part: Part, stop: Stop) -> dict[int, Quarters]:
        """Find the tables of all row sets of a part, by quadrant, or list them.

        Threads that want the same part wait for the first of them; others list theirs meanwhile.

        Raises:
            StoppedError: if `stop` was raised.
        """
        with self._lock:
            found = self._find(part)
            making = self._making.setdefault(part, threading.Lock())
        if found is not None:
            return found
        with making:
            with self._lock:
                found = self._find(part)
            if found is not None:
                return found
            sizes = {NE: part.a.size, NW: part.a.size, SE: part.c.size, SW: part.c.size}
            tables = {quadrant: quarters(part, quadrant, 0, sizes[quadrant], stop) for quadrant in sizes}
            with self._lock:
                self._keep(part, tables)
        return tables

    def _find(self, part: Part) -> dict[int, Quarters] | None:
        if part not in self._kept:
            return None
        self._kept.move_to_end(part)
        return self._kept[part][0]

    def _keep(self, part: Part, tables: dict[int, Quarters]) -> None:
        size = sum(array.nbytes for table in tables.values() for array in table[:3])
        self._kept[part] = tables, size
        self._bytes += size
        while self._bytes > SHARED_BYTES and len(self._kept) > 1:
            self._bytes -= self._kept.popitem(last=False)[1][1]


shared = _Shared()
