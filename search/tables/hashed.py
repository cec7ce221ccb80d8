"""The table that keeps all states."""

from collections.abc import Iterator

import numpy as np

from frontrow.search.rows import Origins, Rows
from frontrow.search.tables.layers import LayerPair
from frontrow.search.tables.rowlog import Given, RowLog, parts
from frontrow.search.tables.rowset import COMBS, RowSet
from frontrow.search.tables.table import Counts

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
        self._log = RowLog(words, traced=traced)
        self._making = LayerPair(words, 0, paths=True) if paths else None
        self._current: Rows = np.empty((0, words), np.uint64)
        self._before = self._current
        self._origins: Origins = np.empty((0, 1), np.uint8)
        self._counts: Counts | None = np.empty((0, 2), np.uint64) if paths else None
        self._given = Given()

    @property
    def nbytes(self) -> int:
        """Bytes held now."""
        held: int = self._set.nbytes + self._log.nbytes + self._current.nbytes + self._before.nbytes
        held += self._given.nbytes + self._origins.nbytes
        if self._making is not None and self._counts is not None:
            held += self._making.nbytes + self._counts.nbytes
        return held

    def need(self, rows: int) -> int:
        """Bytes that may be held on top of `nbytes` at most while so many rows are absorbed."""
        if self._making is None:
            return self._set.need(rows) + self._log.need(rows)
        # When the layer is closed, its rows are compared with all states.
        made: int = self._making.made + rows
        width: int = self._current.shape[1]
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
        self._before = self._current if self._lookback else self._before[:0]
        if self._making is None:
            self._current, self._origins = self._log.close()
            self._log = RowLog(self._current.shape[1], traced=self._traced)
        else:
            self._making.close_layer()
            counts = self._making.current_counts()
            assert counts is not None
            self._current, self._counts = self._set.insert_new(self._making.current(), _VISITED, counts)
            self._making.forget()
        return int(self._current.shape[0])

    def current(self) -> Rows:
        """The current layer, shape ``(n, words)``: valid until the next layer is closed."""
        return self._current

    def current_counts(self) -> Counts | None:
        """The number of ways to each row of `current`, if ways are counted."""
        return self._counts

    def current_origins(self) -> Origins | None:
        """How each row of `current` was first reached, if that is kept."""
        return self._origins if self._traced else None

    def kept(self) -> Iterator[tuple[str, Rows, Counts | None]]:
        """What a table of the same graph needs to go on from here; nothing may be absorbed meanwhile."""
        yield from parts("current", self._current, self._counts)
        if self._lookback is not None:
            yield from parts("before", self._before, None)
            return
        # Neither are the rows of a layer that is given up halfway among the visited ones.
        for rows in (self._current, *self._log.blocks()):
            for _, some, _ in parts("", rows, None):  # one by one: this may be interrupted
                self._set.mark(some, _MARKED)
        try:
            for part in self._set.tagged(_VISITED):
                yield "visited", part, None
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
        self._current = self._given.take("current", self._set.words)
        self._before = self._given.take("before", self._set.words)
        self._origins = np.zeros((self._current.shape[0] if self._traced else 0, 1), np.uint8)
        if self._counts is not None:
            self._counts = self._given.take("counts", 2)
