"""The table that keeps the last layers only."""

from collections.abc import Iterator

import numpy as np

from frontrow.search.rows import WORD, Origins, Rows
from frontrow.search.tables.rowlog import Given, parts
from frontrow.search.tables.rowset import RowSet
from frontrow.search.tables.table import Counts, Part

TAGS = 3


class LayerPair:
    """The layer that is being made and, where every move can be undone, the two before it.

    The layers share one set of rows, each with its own tag. When a layer is closed, its rows are read from
    the set, and those of the layer that is too old are left out of it: one pass over memory.
    """

    kind = "layers"

    def __init__(self, words: int, lookback: int, *, paths: bool = False, traced: bool = False) -> None:
        """Make an empty table.

        Args:
            words: of a row.
            lookback: 0 if no state is met in two layers; 1 or 2 if it may be met in so many earlier ones.
            paths: whether ways are counted.
            traced: whether the origins of the current layer are kept; only of rows of one word, without ways.
        """
        if not 0 <= lookback < TAGS:
            raise ValueError(f"lookback: found {lookback}, expected 0 to {TAGS - 1}")
        self._lookback = lookback
        self._set = RowSet(words, counted=paths, traced=traced)
        self._depth = 0
        self._old: tuple[int, int] = (0, 0)
        """Rows in the set of the current layer and of the one before it."""
        self._current: Rows = np.empty((0, words), np.uint64)
        self._counts: Counts | None = np.empty((0, 2), np.uint64) if paths else None
        self._origins: Origins | None = np.empty((0, 1), np.uint8) if traced else None
        self._given = Given()

    def _tag(self, back: int) -> int:
        """The tag of a layer so many before the one that is being made."""
        return (self._depth - back) % TAGS + 1

    @property
    def made(self) -> int:
        """States that are new so far in the layer that is being made."""
        return int(self._set.rows - sum(self._old))

    @property
    def nbytes(self) -> int:
        """Bytes held now."""
        held: int = self._set.nbytes + self._current.nbytes + self._given.nbytes
        return held + sum(each.nbytes for each in (self._counts, self._origins) if each is not None)

    def need(self, rows: int) -> int:
        """Bytes that may be held on top of `nbytes` at most while so many rows are absorbed.

        Closing the layer then is counted as well.
        """
        growth, besides = self._set.growth(rows)
        made = self.made + rows
        stay = sum((made, self._old[0])[: self._lookback])
        moving = self._set.moving(stay, made, growth)
        return growth + max(besides, self._listing(made) + moving)

    def closed(self, rows: int) -> int:
        """Bytes held on top of `nbytes` at most when so many rows are absorbed and the layer is closed."""
        return self._set.growth(rows)[0] + self._listing(self.made + rows)

    def _listing(self, made: int) -> int:
        """Bytes by which a list of so many rows is larger than that of the current layer."""
        width: int = self._current.shape[1] + (2 if self._counts is not None else 0)
        more: int = max(0, made - self._current.shape[0])
        return more * (width * WORD // 8 + (self._origins is not None))

    def absorb(self, rows: Rows, counts: Counts | None = None, origins: Origins | None = None) -> None:
        """Take in rows, with the ways to each if ways are counted, and their origins if these are kept.

        Raises:
            TableError: if a number of ways passes 128 bits.
        """
        self._set.insert(rows, self._tag(0), counts, origins=origins)

    def close_layer(self) -> int:
        """End the layer that is being made; how many states are new in it."""
        new = self.made
        self.forget()
        stay = (new, self._old[0])[: self._lookback]
        kept = tuple(self._tag(back) for back in range(self._lookback))
        # The next layer is guessed to be as large as this one.
        self._current, self._counts, self._origins = self._set.take(self._tag(0), new, kept, sum(stay), new)
        self._old = (sum(stay[:1]), sum(stay[1:]))
        self._depth += 1
        return new

    def forget(self) -> None:
        """Give back the memory of the current layer's rows; those in the set stay."""
        self._current = self._current[:0].copy()
        if self._counts is not None:
            self._counts = self._counts[:0].copy()
        if self._origins is not None:
            self._origins = self._origins[:0].copy()

    def current(self) -> Iterator[Part]:
        """The current layer as one part, valid until the next layer is closed."""
        yield Part(self._current, self._counts, self._origins)

    def kept(self) -> Iterator[tuple[str, Rows, Counts | None]]:
        """What a table of the same graph needs to go on from here; nothing may be absorbed meanwhile."""
        yield from parts("current", self._current, self._counts)
        if self._lookback > 1:
            for part in self._set.tagged(self._tag(2)):
                yield "before", part, None

    def expect(self, rows: int) -> None:
        """Make room for about so many rows that will be restored."""
        if self._lookback:
            self._set.reserve(rows)

    def restore(self, role: str, rows: Rows, counts: Counts | None) -> None:
        """Take over a part of what an earlier table `kept`."""
        back = 1 if role == "current" else 2
        if role == "visited":
            return
        if self._lookback >= back:
            numbers = np.zeros((rows.shape[0], 2), np.uint64) if counts is None else counts
            self._set.insert(rows, self._tag(back), numbers)
            current, before = self._old
            held = self._set.rows
            self._old = (held - before, before) if back == 1 else (current, held - current)
        if back == 1:
            self._given.add("rows", rows)
            if counts is not None:
                self._given.add("counts", counts)

    def restored(self) -> None:
        """All parts were taken over."""
        self._current = self._given.take("rows", self._set.words)
        if self._counts is not None:
            self._counts = self._given.take("counts", 2)
        if self._origins is not None:
            self._origins = np.zeros((self._current.shape[0], 1), np.uint8)
