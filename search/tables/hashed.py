"""The table that keeps all states."""

from collections.abc import Iterator

import numpy as np

from frontrow.search.rows import Origins, Rows
from frontrow.search.tables.layers import LayerPair
from frontrow.search.tables.rowlog import Given, RowLog, parts
from frontrow.search.tables.rowset import COMBS, RowSet
from frontrow.search.tables.table import Counts, Part

_VISITED, _MARKED = 1, 2


class HashTable:
    """All states that were met, and the rows of the last layers.

    Where ways are counted, a layer is made in a table of its own, with the counts, and compared with all
    states when it is closed.
    """

    kind = "hash"

    def __init__(
        self,
        words: int,
        lookback: int | None = None,
        *,
        paths: bool = False,
        traced: bool = False,
        most: int = 0,
    ) -> None:
        """Make an empty table.

        Args:
            words: of a row.
            lookback: of the graph: where it is not None, few layers are enough to go on, so that only these
                are `kept`.
            paths: whether ways are counted.
            traced: whether the origins of the current layer are kept; only of rows of one word, without ways.
            most: states that there can be at most, if that is known and there is room for them; else 0.
        """
        self._lookback = lookback
        self._set = RowSet(words, traced=traced, most=most)
        self._traced = traced
        self._making = LayerPair(words, 0, paths=True) if paths else None
        self._log, self._current, self._before = (RowLog(words, traced=traced) for _ in range(3))
        self._counts: Counts | None = np.empty((0, 2), np.uint64) if paths else None
        self._given = Given()

    @property
    def nbytes(self) -> int:
        """Bytes held now."""
        held: int = self._set.nbytes + self._log.nbytes + self._current.nbytes + self._before.nbytes
        held += self._given.nbytes
        if self._making is not None and self._counts is not None:
            held += self._making.nbytes + self._counts.nbytes
        return held

    def need(self, rows: int) -> int:
        """Bytes that may be held on top of `nbytes` at most while so many rows are absorbed."""
        if self._making is None:
            return self._set.need(rows) + self._log.need(rows)
        # When the layer is closed, its rows are compared with all states.
        made: int = self._making.made + rows
        width = self._set.words
        # They are listed, and given to the set of all states part by part.
        listed = self._set.need(made) + (made + made // COMBS) * 8 * (width + 2)
        return max(self._making.need(rows), self._making.closed(rows) + listed)

    def absorb(self, rows: Rows, counts: Counts | None = None, origins: Origins | None = None) -> None:
        """Take in rows, with the ways to each if ways are counted, and their origins if these are kept.

        Raises:
            TableError: if a number of ways passes 128 bits.
        """
        if self._making is None:
            self._set.insert(rows, _VISITED, log=self._log, origins=origins)
        else:
            self._making.absorb(rows, counts)

    def close_layer(self) -> int:
        """End the layer that is being made; how many states are new in it."""
        if self._making is not None:
            self._making.close_layer()
            made = next(self._making.current())
            assert made.counts is not None
            rows, self._counts = self._set.insert_new(made.rows, _VISITED, made.counts)
            self._making.forget()
            self._log.add(rows)
        # The blocks of the oldest list are filled again: fresh memory costs as much as what is written there.
        if self._lookback:
            self._log, self._current, self._before = self._before, self._log, self._current
        else:
            self._log, self._current = self._current, self._log
        new = self._current.rows
        if self._making is None:
            self._log.clear(new)
        else:
            self._log = RowLog(self._set.words)
        return new

    def current(self) -> Iterator[Part]:
        """The current layer, in parts; they are valid until the next layer is closed."""
        at = 0
        for rows, origins in self._current.parts():
            counts = None if self._counts is None else self._counts[at : at + rows.shape[0]]
            yield Part(rows, counts, origins if self._traced else None)
            at += rows.shape[0]

    def kept(self) -> Iterator[tuple[str, Rows, Counts | None]]:
        """What a table of the same graph needs to go on from here; nothing may be absorbed meanwhile."""
        for part in self.current():
            yield from parts("current", part.rows, part.counts)
        if self._lookback is not None:
            for rows, _ in self._before.parts():
                yield from parts("before", rows, None)
            return
        # Neither are the rows of a layer that is given up halfway among the visited ones.
        for rows, _ in (*self._current.parts(), *self._log.parts()):
            for _, some, _ in parts("", rows, None):  # one by one: this may be interrupted
                self._set.mark(some, _MARKED)
        try:
            for rows in self._set.tagged(_VISITED):
                yield "visited", rows, None
        finally:
            self._set.mark_all(_VISITED)

    def expect(self, rows: int) -> None:
        """Make room for about so many rows that will be restored."""
        self._set.reserve(rows)

    def restore(self, role: str, rows: Rows, counts: Counts | None) -> None:
        """Take over a part of what an earlier table `kept`."""
        self._set.insert(rows, _VISITED)
        if role == "current" or (role == "before" and self._lookback):
            self._given.add(role, rows)
        if counts is not None:
            self._given.add("counts", counts)

    def restored(self) -> None:
        """All parts were taken over."""
        self._current.add(self._given.take("current", self._set.words))
        self._before.add(self._given.take("before", self._set.words))
        if self._counts is not None:
            self._counts = self._given.take("counts", 2)
