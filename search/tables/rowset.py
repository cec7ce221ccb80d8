"""A set of rows with tags that grows group by group."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from frontrow.search.errors import TableError
from frontrow.search.rows import Origins, Rows
from frontrow.search.tables import lines
from frontrow.search.tables.address import LINE, lines_of
from frontrow.search.tables.lines import Columns
from frontrow.search.tables.rowlog import PART, RowLog, array_of
from frontrow.search.tables.table import Counts

COMBS = 16
"""Parts that a set is given back in at least."""
LOAD = 0.8
"""Part of the slots that may be taken: 11.4 bytes a row of one word. The last quarter up to it takes three
times as long as the first, since lines are full."""
EASY = 0.6
"""Part of the slots that are taken in the end where the most rows are known: 15.2 bytes a row, and no line
in ten is full."""
AIM = 0.7
"""Part of the slots that are to be taken where the number of rows can be foreseen."""
GROUPS = 16
"""Groups of a large set."""
LARGE = 1 << 20
"""Lines of memory from which on a set is parted into groups."""
GROWTH = 2
"""By how much a group grows that is full."""
JUMP = 8
"""By how much a group may grow to the number of rows that is known to be the most."""
ROOMY = 1.03
"""Lines more than the most rows need: groups have not all as many."""
UNEVEN = 3
"""Groups held besides while all are moved one by one: one is there twice, and the first ones may grow."""
SPARE = 8
"""Lines behind the last one that a row may belong to."""
LEAST = 8
"""Lines of an empty set."""
MOST_LINES = 1 << 32
"""Lines of a group that hashes can tell apart."""


class RowSet:
    """A set of rows, each with a tag from 1 to 3 and, if wanted, a number of 128 bits or an origin.

    Attributes:
        rows: how many there are.
        nbytes: bytes held.
    """

    __slots__ = ("_extra", "_heads", "_memory", "_most", "_nothing", "_ring", "_traced", "nbytes", "words")

    def __init__(self, words: int, *, counted: bool = False, traced: bool = False, most: int = 0) -> None:
        """Make an empty set.

        Args:
            words: of a row.
            counted: whether rows have numbers.
            traced: whether rows have origins; only if they are one word and not counted.
            most: rows that there can be at most, if that is known and there is room for them: a large set
                grows to it at once.
        """
        if traced and (counted or words > 1):
            raise ValueError("traced: found rows of several words or with numbers, expected one word")
        self.words, self._extra, self._traced = words, 2 if counted else 0, traced
        self._most = int(most / (lines.SLOTS * EASY) * ROOMY)
        self._nothing = Columns(
            np.empty((0, words), np.uint64), np.empty((0, 2), np.uint64), np.empty((0, 1), np.uint8)
        )
        self._ring = np.empty((4, lines.RING), np.int64)
        self._heads, self._memory = self._made([LEAST])
        self.nbytes: int = sum(part.nbytes for part in self._memory)

    @property
    def rows(self) -> int:
        """How many there are."""
        return int(self._heads[:, lines.USED].sum())

    def reserve(self, rows: int) -> None:
        """Have room for so many rows in a set that has none yet.

        Rows in the order of their hashes, as sets give them back, would crowd at the beginning of a smaller
        set that grows while it takes them over.
        """
        count = int(rows / (lines.SLOTS * LOAD) * ROOMY) + 1
        if self.rows or count <= int(self._heads[:, lines.COUNT].sum()):
            return
        groups = 1 if count * self._stride <= LARGE * LINE else GROUPS
        self._heads, self._memory = self._made([-(-count // groups)] * groups)
        self.nbytes = sum(part.nbytes for part in self._memory)

    def insert(
        self,
        rows: Rows,
        tag: int,
        counts: Counts | None = None,
        log: RowLog | None = None,
        origins: Origins | None = None,
    ) -> None:
        """Insert rows that are not there yet; a row that is there keeps its tag.

        Args:
            rows: shape ``(n, words)``.
            tag: of the new ones.
            counts: shape ``(n, 2)`` if the set is counted; added to those of rows with the same tag.
            log: where new rows are written to as well.
            origins: shape ``(n, 1)`` if the set is traced; None for unknown ones.

        Raises:
            TableError: if a number passes 128 bits.
        """
        if origins is None or not self._traced:
            origins = np.zeros((rows.shape[0] if self._traced else 0, 1), np.uint8)
        given = Columns(rows, self._nothing.counts if counts is None else counts, origins)
        at, filled, block = 0, 0, self._nothing
        while True:
            if log is not None:
                block, filled = Columns(log.block, self._nothing.counts, log.origins), log.filled
            at, filled, why = self._insert(given, at, tag, block, filled, self._extra)
            if log is not None:
                log.filled = filled
            if why == lines.DONE:
                return
            if why == lines.ROOM and log is not None:
                log.extend()
            else:
                self._make_room(why)

    def insert_new(self, rows: Rows, tag: int, counts: Counts) -> tuple[Rows, Counts]:
        """Insert rows into a set that is not counted; those that were new, with their counts.

        They are taken from all places in turns, since they may be in the order of their hashes.
        """
        new, numbers = np.empty_like(rows), np.empty_like(counts)
        filled = 0
        log = Columns(new, numbers, self._nothing.origins)
        combs = max(COMBS, rows.shape[0] // PART + 1)
        for first in range(combs):
            some, theirs = (
                np.ascontiguousarray(rows[first::combs]),
                np.ascontiguousarray(counts[first::combs]),
            )
            given, at, why = Columns(some, theirs, self._nothing.origins), 0, lines.ROOM
            while why != lines.DONE:
                at, filled, why = self._insert(given, at, tag, log, filled, 0)
                if why != lines.DONE:
                    self._make_room(why)
        return new[:filled], numbers[:filled]

    def mark(self, rows: Rows, tag: int) -> None:
        """Give rows that are there another tag."""
        given = self._nothing._replace(rows=rows)
        lines.insert_rows(self._heads, self._ring, given, 0, tag, self._nothing, 0, self._extra, True)

    def _insert(
        self, given: Columns, at: int, tag: int, log: Columns, filled: int, extra: int
    ) -> tuple[int, int, int]:
        """Insert rows from one on, as `lines.insert_rows` says."""
        if self.words == 1 and not self._extra and not log.counts.size:
            return lines.insert_words(self._heads, self._ring, given, at, tag, log, filled)
        return lines.insert_rows(self._heads, self._ring, given, at, tag, log, filled, extra, False)

    def mark_all(self, tag: int) -> None:
        """Give all rows the same tag."""
        for start, end in self._heads[:, : lines.END + 1].tolist():
            lines.tag_all(start, end, self._stride, tag)

    def tagged(self, tag: int) -> Iterator[Rows]:
        """All rows with a tag, in parts of bounded size; the set must not change meanwhile.

        Each part has rows of all places of a group: rows in the order of their hashes would crowd at the
        beginning of a smaller set that takes them over.
        """
        for start, end in self._heads[:, : lines.END + 1].tolist():
            step = self._stride * max(COMBS, (end - start) // self._stride * lines.SLOTS // PART + 1)
            for place in range(start, min(start + step, end), self._stride):
                part = np.empty((PART + lines.SLOTS, self.words), np.uint64)
                filled = lines.read_rows(place, end, step, tag, self._nothing._replace(rows=part))
                if filled:
                    yield part[:filled]

    def take(
        self, tag: int, many: int, kept: tuple[int, ...], left: int, more: int
    ) -> tuple[Rows, Counts | None, Origins | None]:
        """Read all rows with a tag, keep those with some tags only, and make room for more.

        Args:
            tag: of the rows that are read.
            many: how many these are.
            kept: tags of the rows that stay.
            left: how many these are.
            more: rows that are expected to be inserted next; memory does not grow for their sake.

        Returns:
            The rows, shape ``(many, words)``, their counts if the set is counted, and their origins if it is
            traced.
        """
        out = Columns(
            array_of((many, self.words), np.uint64),
            np.empty((many, 2), np.uint64) if self._extra else self._nothing.counts,
            array_of((many if self._traced else 0, 1), np.uint8),
        )
        count = self._aim(left, more, int(self._heads[:, lines.COUNT].sum()))
        self._change(count, sum(1 << old for old in kept), 1 << tag, out)
        return out.rows, out.counts if self._extra else None, out.origins if self._traced else None

    def moving(self, left: int, more: int, grown: int) -> int:
        """Bytes that `take` holds twice at most while it moves rows, of a set that has `grown` by so many."""
        groups, held = self._heads.shape[0], int(self._heads[:, lines.COUNT].sum())
        count = self._aim(left, more, held + grown // self._stride)
        whole = count
        if groups > 1 or self._is_dealt(held):
            # Group by group, unless so few lines are left that they become one, or it was not dealt out.
            few = LARGE * LINE // self._stride if groups > 1 else held
            whole = max(min(count, few), UNEVEN * -(-count // GROUPS))
        return (whole + GROUPS * (SPARE + 2)) * self._stride

    def _aim(self, left: int, more: int, most: int) -> int:
        """Lines for rows that stay and are to come: `most` at most, unless those that stay need more."""
        aim = min(int((left + more) / (lines.SLOTS * AIM)), most)
        return max(LEAST, aim, int(left / (lines.SLOTS * LOAD)) + 1)

    def need(self, rows: int) -> int:
        """Bytes that may be held on top of `nbytes` at most while so many rows are inserted."""
        return sum(self.growth(rows))

    def growth(self, rows: int) -> tuple[int, int]:
        """Bytes that so many rows may add to `nbytes` at most, and those held besides until they are in."""
        groups = self._heads.shape[0]
        share = rows / groups
        # Rows fall to groups by their hashes: six standard deviations more than the mean, and a few.
        share += 6 * share**0.5 + 16 if groups > 1 else 0
        if groups == 1:
            heads = self._heads.tolist()
        else:
            heads = self._heads[self._heads[:, lines.USED] + share > self._heads[:, lines.LIMIT]].tolist()
        more = moved = 0
        for _, _, count, used, limit in heads:
            size = before = count
            while used + share > limit:
                larger = size * GROWTH if self._is_dealt(size) else self._larger(size)
                before, size, limit = size, larger, limit * larger // size
            if size > count:
                more += size - count
                moved = max(moved, before)
        if not moved:
            return 0, 0
        spare = (GROUPS * (SPARE + 2) if self._is_dealt(moved) else SPARE + 2) * self._stride
        # While a group moves, what it was before is there as well.
        return int(more) * self._stride + spare, int(moved) * self._stride

    def _larger(self, count: int) -> int:
        """Lines that a group of so many grows to."""
        most = self._most // self._heads.shape[0]
        return most if count * GROWTH < most <= count * JUMP else count * GROWTH

    def _is_dealt(self, count: int) -> bool:
        """Whether a group of so many lines, the only one, is dealt out to several ones when it is full."""
        return self._heads.shape[0] == 1 and count * self._stride >= LARGE * LINE

    @property
    def _stride(self) -> int:
        return LINE * (self.words + self._extra)

    def _made(self, counts: list[int]) -> tuple[NDArray[np.int64], list[NDArray[np.uint64]]]:
        """Empty groups of so many lines each."""
        heads, memory = [], []
        for count in counts:
            if count > MOST_LINES:
                raise TableError(f"table: found {count:,} lines of a group, expected up to {MOST_LINES:,}")
            total = (count + SPARE) * self._stride
            owner, start = lines_of(total // LINE)
            heads.append((start, start + total, count, 0, int(count * lines.SLOTS * LOAD)))
            memory.append(owner)
        return np.array(heads, np.int64), memory

    def _make_room(self, why: int) -> None:
        """Do what an insertion asks for before it goes on."""
        if why == lines.OVERFLOW:
            raise TableError("ways to a state: found 2^128 or more, expected less")
        count = int(self._heads[why, lines.COUNT])
        if self._is_dealt(count):
            self._deal(GROUPS, count * GROWTH, lines.ALL_TAGS, 0, self._nothing)
        else:
            self._replace(why, self._larger(count), lines.ALL_TAGS, 0, self._nothing, 0)

    def _change(self, count: int, kept: int, wanted: int, out: Columns) -> None:
        """Move to so many lines in all, while rows are dropped and read."""
        groups = 1 if count * self._stride <= LARGE * LINE else GROUPS
        if groups != self._heads.shape[0]:
            self._deal(groups, count, kept, wanted, out)
            return
        filled = 0
        for group in range(groups):
            filled = self._replace(group, -(-count // groups), kept, wanted, out, filled)

    def _deal(self, groups: int, count: int, kept: int, wanted: int, out: Columns) -> None:
        """Move all rows to another number of groups."""
        while True:
            heads, memory = self._made(_staggered(count, groups))
            filled = 0
            for start, end in self._heads[:, : lines.END + 1].tolist():
                if filled >= 0:
                    filled = self._move(start, end, heads, kept, wanted, out, filled)
            if filled >= 0:
                break
            count = count * GROWTH
        self._heads, self._memory = heads, memory
        self.nbytes = sum(part.nbytes for part in memory)

    def _replace(self, group: int, count: int, kept: int, wanted: int, out: Columns, filled: int) -> int:
        """Move the rows of one group to as many lines as are given, or more; how many have been read."""
        start, end = self._heads[group, : lines.END + 1].tolist()
        while True:
            heads, memory = self._made([count])
            found = self._move(start, end, heads, kept, wanted, out, filled)
            if found >= 0:
                break
            count = count * GROWTH
        self.nbytes += memory[0].nbytes - self._memory[group].nbytes
        self._heads[group], self._memory[group] = heads[0], memory[0]
        return found

    def _move(
        self,
        start: int,
        end: int,
        heads: NDArray[np.int64],
        kept: int,
        wanted: int,
        out: Columns,
        filled: int,
    ) -> int:
        if self.words == 1 and not self._extra:
            return lines.move_words(start, end, heads, kept, wanted, out, filled)
        return lines.move_rows(start, end, heads, kept, wanted, out, filled, self._extra)


def _staggered(count: int, groups: int) -> list[int]:
    """So many lines in groups of different size, so that they do not all grow at the same time."""
    parts = [GROWTH ** (group / groups) for group in range(groups)]
    return [int(count * part / sum(parts)) + 1 for part in parts]
