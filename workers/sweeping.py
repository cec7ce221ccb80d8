"""A layer of a table of bits that several threads make, each from any part of it."""

import functools
import itertools
import threading
from collections.abc import Callable
from typing import TypeVar

from frontrow.search.errors import StoppedError
from frontrow.search.rows import Stop, new_stop
from frontrow.search.tables.ranked import RankTable
from frontrow.workers.shard import Closed, Shard, ShardPlan
from frontrow.workers.team import run_together

Value = TypeVar("Value")

FEW = 1 << 13
"""Words of a bitmap up to which a single thread is as soon done with a layer."""
PIECES = 16
"""Pieces that are left at least where there is more than a little: they shrink, so that all end together."""
LEAST, MOST = 1 << 10, 1 << 18
"""Groups of a piece."""


class Sweeping:
    """The threads of a shard that is all there is.

    Every thread marks children in a bitmap of its own, so none waits for another; they are joined when the
    layer is ended.
    """

    def __init__(self, shard: Shard, table: RankTable, threads: int) -> None:
        """Args: shard: all states; table: its table, made for so many threads."""
        self._shard, self._table, self._threads = shard, table, threads

    @classmethod
    def of(cls, plan: ShardPlan, shard: Shard) -> "Sweeping | None":
        """The threads of a plan's only shard; None where a single one makes its layers."""
        return cls(shard, shard.ranks, plan.threads) if plan.threads > 1 and shard.ranks else None

    @property
    def pays(self) -> bool:
        """Whether the threads make the next layer sooner than a single one."""
        return self._table.is_swept and self._table.words > FEW

    def layer(self, tick: Callable[[int], None]) -> Closed:
        """Make the next layer; see `ShardGroup.layer`."""
        pieces = _Pieces(self._table.groups, self._threads)
        stop = new_stop()

        def sweep(thread: int) -> None:
            while (piece := pieces.next(thread)) is not None:
                if stop[0]:
                    raise StoppedError("stopped")
                pieces.generated[thread] += self._table.sweep(thread, *piece)

        self._together(sweep, stop, lambda: tick(sum(pieces.generated)))
        words = self._table.words

        def settle(thread: int) -> int:
            ends = (words * number // self._threads for number in (thread, thread + 1))
            return self._table.settle(*ends)

        settled = sum(self._together(settle, new_stop()))
        return self._shard.close_swept(sum(pieces.generated), settled)

    def _together(
        self, work: Callable[[int], Value], stop: Stop, tick: Callable[[], None] | None = None
    ) -> list[Value]:
        """Run a function in all threads, with the number of each."""
        return run_together(
            [functools.partial(work, thread) for thread in range(self._threads)], stop, tick=tick
        )


class _Pieces:
    """The groups of a layer, handed out piece by piece.

    Each thread begins with a range of its own, since most children are near their parents; then it takes from
    the end of what another one has left.

    Attributes:
        generated: children made so far, by thread.
    """

    def __init__(self, groups: int, threads: int) -> None:
        ends = [groups * thread // threads for thread in range(threads + 1)]
        self._left = list(itertools.pairwise(ends))
        self._lock = threading.Lock()
        self.generated = [0] * threads

    def next(self, thread: int) -> tuple[int, int] | None:
        """The first group of the next piece, and the one after its last; None after the last piece."""
        with self._lock:
            lo, hi = self._left[thread]
            if lo < hi:
                cut = lo + _size(hi - lo)
                self._left[thread] = cut, hi
                return lo, cut
            other = max(
                range(len(self._left)), key=lambda number: self._left[number][1] - self._left[number][0]
            )
            lo, hi = self._left[other]
            if lo == hi:
                return None
            cut = hi - _size(hi - lo)
            self._left[other] = lo, cut
            return cut, hi


def _size(groups: int) -> int:
    """Groups of the next piece of so many."""
    return min(groups, max(LEAST, min(groups // PIECES, MOST)))
