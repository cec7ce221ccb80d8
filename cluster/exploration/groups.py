"""Which shards make the layers: one of this process while layers are small, then those of all workers."""

import time
from collections.abc import Callable, Iterator, Sequence

from frontrow.cluster.exploration.result import Layer
from frontrow.cluster.exploration.wanted import Wanted
from frontrow.search.graph import StateGraph
from frontrow.search.registry import ProblemRef
from frontrow.search.rows import Rows
from frontrow.search.tables.choice import bitmap_bytes
from frontrow.search.tables.table import Counts
from frontrow.workers.group import Kept, LocalGroup, ShardGroup
from frontrow.workers.local import in_background
from frontrow.workers.shard import ShardPlan

SMALL = 1 << 15
"""States of a layer up to which it is not worth to wake other workers."""
SMALL_SWEPT = 1 << 21
"""The same where whole bitmaps are swept, which takes some nanoseconds a state, if they are little."""
LITTLE = 16 << 20
"""Bytes of bitmaps up to which they are."""

Start = Callable[[ShardPlan], ShardGroup]
"""Starts a group of several workers."""


class Groups:
    """The shards of one run, one group of them after the other.

    Attributes:
        starting: seconds that it took to start groups of several workers.
    """

    def __init__(
        self,
        ref: ProblemRef,
        graph: StateGraph,
        wanted: Wanted,
        table: str,
        memory: int,
        start: Start,
        shards: int,
        workers: int,
        tell: Callable[[], None],
        check: Callable[[], None],
    ) -> None:
        """Begin without a group.

        Args:
            ref: the problem.
            graph: the problem of it.
            wanted: what is asked.
            table: kind of the tables.
            memory: bytes of all shards together.
            start: makes a group of several shards.
            shards: how many these are.
            workers: that compute at the same time.
            tell: is called before several workers are started.
            check: is called every now and then while a group takes over a layer; may raise.
        """
        self._ref, self._graph, self._wanted, self._table = ref, graph, wanted, table
        self._memory, self._start, self._shards, self._workers = memory, start, shards, workers
        self._tell, self._check = tell, check
        self._sweeps_little = (
            table == "rank" and graph.sweep() is not None and (bitmap_bytes(graph) or 0) <= LITTLE
        )
        self._group: ShardGroup | None = None
        self.alone = True
        """Whether there is one shard only."""
        self.starting = 0.0

    @property
    def current(self) -> ShardGroup:
        """The group that has the current layer."""
        assert self._group is not None
        return self._group

    @property
    def by_depth(self) -> bool:
        """Whether ways are walked back by the depths of states instead of kept layers."""
        return self._table == "rank" and self._graph.lookback == 2

    @property
    def memory(self) -> int:
        """Bytes that all shards may use together."""
        found = None if self._group is None else self._group.memory
        return self._memory if found is None else found

    def plan(self, shards: int) -> ShardPlan:
        """What so many shards have in common."""
        return ShardPlan(
            self._ref,
            shards,
            self._table,
            self._wanted.symmetry,
            self._wanted.paths,
            self._keeps_depths,
            self._memory // shards,
            self._wanted.depth is None and not self._wanted.until_goal,
            self._workers if self._shards == 1 else 1,
        )

    @property
    def _keeps_depths(self) -> bool:
        return self.by_depth and self._wanted.until_goal

    def begin(self) -> None:
        """Have an empty group for the start."""
        self._open(alone=True)

    def go_on(self, layers: Sequence[Layer], kept: Kept) -> None:
        """Have a group that takes over what is `kept` of the last of these layers."""
        self._open(alone=self.is_small(layers[-1]))
        self._restore(layers, kept)

    def widen(self, layers: Sequence[Layer]) -> None:
        """Let all workers in once the last of these layers, the current one, is large.

        Raises:
            MemoryLimitError: if they have no room for it; the group that has it stays.
            EngineError: if they cannot be started.
        """
        if not self.alone or self._shards == 1 or self.is_small(layers[-1]):
            return
        before = self.current
        try:
            self._open(alone=False)
            self._restore(layers, before.kept())
        except BaseException:
            if self._group is not before:
                self.close()
            self._group, self.alone = before, True
            raise
        before.close()

    def _open(self, *, alone: bool) -> None:
        # Two groups are there for a moment when others are let in: too many for large bitmaps.
        large = 2 * (bitmap_bytes(self._graph, depths=self._keeps_depths) or 0) > self._memory
        self.alone = self._shards == 1 or (alone and not (self._table == "rank" and large))
        plan = self.plan(1 if self.alone else self._shards)
        if self.alone:
            self._group = LocalGroup(plan, self._graph)
            return
        begun = time.perf_counter()
        self._tell()
        self._group = self._start(plan)
        self.starting += time.perf_counter() - begun

    def rows(self, layers: Sequence[Layer]) -> int:
        """States that are needed to go on from the last of these layers."""
        lookback = self._graph.lookback
        needed = layers if lookback is None else layers[-max(lookback, 1) :]
        return sum(layer.states for layer in needed)

    def kept_bytes(self, layers: Sequence[Layer]) -> int:
        """Bytes of what the current group keeps of them, about."""
        if self._table == "rank":
            return bitmap_bytes(self._graph, depths=self._keeps_depths) or 0
        return 8 * (self._graph.words + (2 if self._wanted.paths else 0)) * self.rows(layers)

    def _restore(self, layers: Sequence[Layer], kept: Kept) -> None:
        group, rows = self.current, self.rows(layers)
        in_background(lambda: group.restore(self._checked(kept), rows))

    def _checked(self, kept: Kept) -> Iterator[tuple[str, Rows, Counts | None]]:
        for part in kept:
            self._check()
            yield part

    def is_small(self, layer: Layer) -> bool:
        """Whether a layer is one that it is not worth to wake other workers for."""
        return layer.states <= (SMALL_SWEPT if self._sweeps_little else SMALL)

    def close(self) -> None:
        """End all workers of the current group and give its tables back; safe to call twice."""
        if self._group is not None:
            self._group.close()
            self._group = None
