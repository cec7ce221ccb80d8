"""A table of bits for states that have ranks: three bits a rank, whether reached or not."""

import time
from collections.abc import Iterator

import numpy as np

from frontrow.search.errors import FrontrowError, StoppedError
from frontrow.search.graph import Bitmap, StateGraph
from frontrow.search.rows import WORD, Origins, Rows, Stop
from frontrow.search.tables import bitmaps
from frontrow.search.tables.table import Counts, Part

PIECE_SECONDS = 0.03
"""How long a sweep may go on, about, before the stop flag is looked at."""
PIECE_ROWS = 4096
"""Rows that are expanded between two looks at the stop flag."""
OUTSIDE = 1 << 17
"""Ranks for other shards that are collected before they are given back."""
LISTED = 256
"""A layer is kept as a list if that takes no more than one part in so many of a bitmap's bytes."""
PART = 1 << 17
"""64-bit words of a bitmap that are kept together."""
_HEADER = 3


def warm(graph: StateGraph) -> None:
    """Compile or load the kernels of a rank table of a problem, with a small table of the same type."""
    sweep = graph.sweep()
    bits = np.zeros(8, np.uint64 if sweep is None else sweep.dtype)
    words, ranks = np.zeros(1, np.uint64), np.zeros(WORD, np.uint64)
    bitmaps.mark_ranks(ranks[:1], 0, WORD, bits, bits, ranks, 0)
    bitmaps.settle_ranks(ranks[:1], 0, WORD, bits, bits)
    bitmaps.settle_words(words, words.copy(), np.zeros((2, 1), np.uint64), 0, 1)
    bitmaps.list_ranks(bits, 0, WORD, 0, ranks)
    bitmaps.has_ranks(ranks[:1], 0, WORD, bits, np.empty(1, np.bool_))
    bitmaps.sort_by_owner(ranks[:1], WORD, 1, ranks[:1].copy(), np.zeros(4, np.int64))


class RankTable:
    """One shard's range of ranks: bitmaps of what was visited, of the current layer and of the next one.

    The state of rank r is bit ``r % width`` of group ``r // width``. Shard s of S has the groups from
    ``groups * s // S`` on. A small layer is a list of ranks, and nobody looks at the bitmap of the current
    layer then: closing such a layer, and expanding it, takes as long as it has states.

    Attributes:
        sweeps: whether the problem has kernels for whole bitmaps, so that `push` expands by them.
    """

    kind = "rank"

    def __init__(
        self, graph: StateGraph, shard: int = 0, shards: int = 1, *, depths: bool = False, threads: int = 1
    ) -> None:
        """Make an empty table.

        Args:
            graph: the problem; its states have ranks.
            shard: number of the shard.
            shards: how many there are.
            depths: keep the depth mod 3 of every state, in two more bitmaps.
            threads: threads that may `sweep`; each but the first takes one more bitmap.

        Raises:
            FrontrowError: if the states have no ranks.
        """
        states = graph.states()
        if states is None:
            raise FrontrowError(
                f"table: found rank for {graph.name}, expected layers or hash: it has no ranks"
            )
        self._graph, self._sweep, self._shards = graph, graph.sweep(), shards
        self.sweeps = self._sweep is not None
        self._width = WORD if self._sweep is None else self._sweep.width
        self._dtype = np.dtype(np.uint64 if self._sweep is None else self._sweep.dtype)
        self._groups = -(-states // self._width)
        self._first = self._groups * shard // shards
        self._length = self._groups * (shard + 1) // shards - self._first
        words = -(-self._length * self._dtype.itemsize // 8)
        self._visited, self._current = np.zeros(words, np.uint64), np.zeros(words, np.uint64)
        self._following = np.zeros((threads, words), np.uint64)
        """The layer that is being made: the union of these."""
        self._thirds = [np.zeros(words, np.uint64) for _ in range(2 if depths else 0)]
        self._layers = 0
        room = max(1, words // LISTED)
        self._ranks, self._fresh = np.empty(room, np.uint64), np.empty(room, np.uint64)
        self._count: int = 0
        """Ranks in `_ranks`; -1 if the current layer is a bitmap."""
        self._listed: int = 0
        """Ranks in `_fresh`; -1 if the next layer is a bitmap only."""
        self._groups_a_piece = 1 << 12
        self._outside = np.empty(0, np.uint64)

    def _bits(self, words: Rows) -> Bitmap:
        return words.view(self._dtype)[: self._length]

    @property
    def nbytes(self) -> int:
        """Bytes held now."""
        arrays = [self._visited, self._current, self._following, *self._thirds]
        return sum(array.nbytes for array in [*arrays, self._ranks, self._fresh, self._outside])

    def need(self, rows: int) -> int:
        """Bytes that may be held on top at most while so many rows are absorbed: their ranks."""
        return 8 * rows

    def absorb(self, rows: Rows, counts: Counts | None = None, origins: Origins | None = None) -> None:
        """Take in rows of this shard; ways are not counted, and origins not kept.

        Raises:
            FrontrowError: if there are counts.
        """
        if counts is not None:
            raise FrontrowError("table: found rank with numbers of ways, expected layers or hash")
        self.absorb_ranks(self._graph.rank_rows(rows).view(np.uint64)[:, None])

    def absorb_ranks(self, ranks: Rows) -> None:
        """Take in states of this shard by their ranks, shape ``(n, 1)``."""
        self._listed = bitmaps.mark_ranks(
            ranks[:, 0],
            self._first,
            self._width,
            self._bits(self._visited),
            self._bits(self._following[0]),
            self._fresh,
            self._listed,
        )

    def route(self, rows: Rows) -> list[Rows]:
        """The ranks of rows by the shard that owns them, each of shape ``(n, 1)``, in the order of rows."""
        return self._route(self._graph.rank_rows(rows).view(np.uint64))

    def _route(self, ranks: Rows) -> list[Rows]:
        if self._shards == 1:
            return [ranks[:, None]]
        ordered, bounds = np.empty_like(ranks), np.empty(self._shards + 2, np.int64)
        bitmaps.sort_by_owner(ranks, self._width, self._groups, ordered, bounds)
        return [ordered[bounds[s] : bounds[s + 1], None] for s in range(self._shards)]

    def push(self, stop: Stop) -> Iterator[tuple[int, list[Rows]]]:
        """Make the children of the current layer, piece by piece, and take in this shard's own.

        Gives for each piece how many children were made, and the ranks that other shards own, by owner, each
        of shape ``(n, 1)``. The layer may be begun again if this is left off.

        Raises:
            StoppedError: if `stop` was raised.
        """
        if self._sweep is None or self._count >= 0:
            yield from self._push_rows(stop)
        else:
            yield from self._push_groups(stop)

    def _push_rows(self, stop: Stop) -> Iterator[tuple[int, list[Rows]]]:
        own = self._first, self._first + self._length
        for rows in self.current_chunks(PIECE_ROWS):
            if stop[0]:
                raise StoppedError("stopped")
            children, _ = self._graph.expand(rows)
            parts = self.route(children)
            me = ((own[0] + 1) * self._shards - 1) // self._groups
            self.absorb_ranks(parts[me])
            parts[me] = parts[me][:0]
            yield children.shape[0], parts

    def _push_groups(self, stop: Stop) -> Iterator[tuple[int, list[Rows]]]:
        assert self._sweep is not None
        if not self._outside.size:
            self._outside = np.empty(self._sweep.reach + (OUTSIDE if self._shards > 1 else 0), np.uint64)
        self._listed = -1
        current, following = self._bits(self._current), self._bits(self._following[0])
        group = 0
        while group < self._length:
            if stop[0]:
                raise StoppedError("stopped")
            end, begun = min(group + self._groups_a_piece, self._length), time.perf_counter()
            left_off, found, generated = self._sweep.push(
                current, following, self._first, group, end, self._outside
            )
            self._pace(int(left_off) - group, time.perf_counter() - begun)
            group = int(left_off)
            yield int(generated), self._route(self._outside[:found])

    @property
    def is_swept(self) -> bool:
        """Whether the current layer is a bitmap, and this shard all there is: `sweep` can expand it."""
        return self.sweeps and self._count < 0 and self._shards == 1

    def sweep(self, thread: int, lo: int, hi: int) -> int:
        """Expand the groups from `lo` to `hi` of a layer that `is_swept`; gives how many children were made.

        Threads may do so at the same time: each marks them in a bitmap of its own.
        """
        assert self._sweep is not None
        self._listed = -1
        outside = np.empty(self._sweep.reach, np.uint64)
        bits = self._bits(self._current), self._bits(self._following[thread])
        _, _, generated = self._sweep.push(*bits, self._first, lo, hi, outside)
        return int(generated)

    @property
    def groups(self) -> int:
        """Groups of this shard."""
        return self._length

    def settle(self, lo: int, hi: int) -> int:
        """Bring words `lo` to `hi` of a layer made by `sweep` among what was visited; how many are new.

        Threads may do so at the same time for different words; `close_layer` ends the layer then.
        """
        return int(bitmaps.settle_words(self._visited, self._current, self._following, lo, hi))

    @property
    def words(self) -> int:
        """Words of 64 bits of each bitmap."""
        return self._visited.shape[0]

    def _pace(self, groups: int, seconds: float) -> None:
        """Choose how many groups the next piece has; what they hold differs, so it at most doubles."""
        wanted = int(groups * PIECE_SECONDS / max(seconds, 1e-9))
        self._groups_a_piece = max(64, min(wanted, 2 * self._groups_a_piece))

    def close_layer(self, settled: int | None = None) -> int:
        """End the layer that is being made, which becomes the current one; how many states are new in it.

        Args:
            settled: what all words of it came to, if they are settled.
        """
        third = self._layers % 3
        marked = self._thirds[third - 1] if self._thirds and third else np.empty(0, np.uint64)
        self._layers += 1
        if self._listed >= 0:
            new = self._listed
            visited, mark = self._bits(self._visited), self._bits(marked)
            bitmaps.settle_ranks(self._fresh[:new], self._first, self._width, visited, mark)
            self._ranks, self._fresh = self._fresh, self._ranks
            self._count, self._listed = new, 0
            return new
        new = self.settle(0, self.words) if settled is None else settled
        if marked.size:
            np.bitwise_or(marked, self._current, out=marked)
        self._count, self._listed = -1, 0
        # One group more than needed: `list_ranks` wants room for a whole one.
        if new + self._width <= self._ranks.shape[0]:
            bitmaps.list_ranks(self._bits(self._current), self._first, self._width, 0, self._ranks)
            self._count = new
        return new

    def current(self) -> Iterator[Part]:
        """The current layer, in parts of bounded size."""
        yield from map(Part, self.current_chunks(PART))

    def current_chunks(self, size: int) -> Iterator[Rows]:
        """The current layer in chunks of up to `size` rows, a group at least."""
        for ranks in self._current_ranks(max(size, self._width)):
            yield self._graph.unrank_rows(ranks.view(np.int64))

    def _current_ranks(self, size: int) -> Iterator[Rows]:
        if self._count >= 0:
            for lo in range(0, self._count, size):
                yield self._ranks[lo : min(lo + size, self._count)]
            return
        ranks, group = np.empty(size, np.uint64), 0
        while group < self._length:
            found, group = bitmaps.list_ranks(
                self._bits(self._current), self._first, self._width, group, ranks
            )
            if found:
                yield ranks[:found]

    def among_current(self, rows: Rows) -> Rows:
        """Those of some rows that are in this shard's part of the current layer."""
        ranks = self._graph.rank_rows(rows).view(np.uint64)
        if self._count >= 0:
            return rows[np.isin(ranks, self._ranks[: self._count])]
        own = self._own(ranks)
        return rows[own][self._have(self._current, ranks[own])]

    def _own(self, ranks: Rows) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
        lo, hi = self._first * self._width, (self._first + self._length) * self._width
        return (ranks >= np.uint64(lo)) & (ranks < np.uint64(hi))

    def _have(self, words: Rows, ranks: Rows) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
        found = np.empty(ranks.shape[0], np.bool_)
        bitmaps.has_ranks(ranks, self._first, self._width, self._bits(words), found)
        return found

    def depth_mod3(self, rows: Rows) -> "np.ndarray[tuple[int], np.dtype[np.int8]]":
        """The depth of rows mod 3, shape ``(n,)``; -1 for what was not met or belongs to other shards.

        Raises:
            FrontrowError: if depths are not kept.
        """
        if not self._thirds:
            raise FrontrowError("table: found no depths in it, expected one made with depths")
        ranks = self._graph.rank_rows(rows).view(np.uint64)
        depths = np.full(ranks.shape[0], -1, np.int8)
        own = self._own(ranks)
        ones, twos, met = (self._have(words, ranks[own]) for words in (*self._thirds, self._visited))
        depths[own] = np.where(met, ones.astype(np.int8) + 2 * twos.astype(np.int8), -1)
        return depths

    def kept(self) -> Iterator[tuple[str, Rows, Counts | None]]:
        """The bitmaps in parts, shape ``(n, 1)``.

        A part is its first group, the number of its groups, the layers closed so far, and then the groups.
        Parts without a state are left out. Besides ``visited`` and ``current`` there are ``depth1`` and
        ``depth2``, the states of these depths mod 3, if depths are kept. Parts fit any number of shards.
        """
        for role, words in zip(("visited", "depth1", "depth2"), (self._visited, *self._thirds), strict=False):
            for lo in range(0, words.shape[0], PART):
                yield from self._framed(role, lo, words[lo : lo + PART])
        if self._count < 0:
            for lo in range(0, self._current.shape[0], PART):
                yield from self._framed("current", lo, self._current[lo : lo + PART])
            return
        yield from self._kept_list()

    def _kept_list(self) -> Iterator[tuple[str, Rows, Counts | None]]:
        """The current layer from its list."""
        ranks = np.sort(self._ranks[: self._count])
        groups = PART * 8 // self._dtype.itemsize
        numbers = (ranks // np.uint64(self._width)).astype(np.int64) - self._first
        for lo in range(0, self._length, groups):
            begin, end = np.searchsorted(numbers, [lo, lo + groups])
            if begin == end:
                continue
            piece = np.zeros(min(PART, self._current.shape[0] - lo * self._dtype.itemsize // 8), np.uint64)
            bits, fresh = piece.view(self._dtype), np.empty(0, np.uint64)
            bitmaps.mark_ranks(ranks[begin:end], self._first + lo, self._width, bits, bits, fresh, -1)
            yield from self._framed("current", lo * self._dtype.itemsize // 8, piece)

    def _framed(self, role: str, lo: int, words: Rows) -> Iterator[tuple[str, Rows, None]]:
        """A part of a bitmap from its word `lo` on, if there is a state in it."""
        if words.any():
            group = lo * 8 // self._dtype.itemsize
            groups = min(words.nbytes // self._dtype.itemsize, self._length - group)
            header = np.array([self._first + group, groups, self._layers], np.uint64)
            yield role, np.concatenate([header, words])[:, None], None

    def expect(self, rows: int) -> None:
        """There is room for all states from the beginning."""

    def restored(self) -> None:
        """Every part is in its place already."""

    def restore(self, role: str, rows: Rows, counts: Counts | None = None) -> None:
        """Take over of a part what is this shard's; every shard is given every part, before anything else.

        Raises:
            FrontrowError: if the part is none of a rank table of this problem.
        """
        targets = {"visited": self._visited, "current": self._current}
        targets.update(zip(("depth1", "depth2"), self._thirds, strict=False))
        header = rows[:_HEADER, 0].tolist()
        groups = np.ascontiguousarray(rows[_HEADER:, 0]).view(self._dtype)
        fits = len(header) == _HEADER and header[1] <= groups.shape[0] and sum(header[:2]) <= self._groups
        if counts is not None or not fits or role not in (*targets, "depth1", "depth2"):
            raise FrontrowError(
                f"table: found a part {role!r} of {rows.shape[0]} words, expected one of bits"
            )
        first, length, self._layers = header
        if role == "current":
            self._count = -1
        lo, hi = max(first, self._first), min(first + length, self._first + self._length)
        if role in targets and lo < hi:
            target = self._bits(targets[role])[lo - self._first : hi - self._first]
            target |= groups[lo - first : hi - first]
