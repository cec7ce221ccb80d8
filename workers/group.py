"""All shards of an exploration together: the contract, and the threads of one process."""

from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np

from frontrow.search.graph import StateGraph
from frontrow.search.rows import Rows, Stop, new_stop
from frontrow.search.tables.table import Counts
from frontrow.workers.exchange import Exchange
from frontrow.workers.shard import Closed, Shard, ShardPlan, together
from frontrow.workers.sweeping import Sweeping
from frontrow.workers.team import run_together

Tick = Callable[[int], None]
"""Is called every now and then while a layer is made, with the children generated so far; may raise."""
SHORT = 1 << 12
"""States of a layer up to which a single shard is done before anyone would interrupt it."""
Kept = Iterator[tuple[str, Rows, Counts | None]]


class ShardGroup(Protocol):
    """Shards that make layers together."""

    workers: int
    """Workers that compute at the same time."""
    memory: int | None
    """Bytes that all shards may use together, where that is not what was planned."""

    def begin(self, rows: Rows) -> Closed:
        """Make the layer that an exploration starts from."""
        ...

    def restore(self, kept: Kept, rows: int = 0) -> None:
        """Take over what another group `kept`, of any number of shards.

        Args:
            kept: the parts.
            rows: how many these are in all, at most; without it, large ones take long.

        Raises:
            MemoryLimitError: if a shard has no room for them.
        """
        ...

    def kept(self) -> Kept:
        """What a later group needs to go on from the current layer."""
        ...

    def layer(self, tick: Tick) -> Closed:
        """Make the next layer.

        Raises:
            MemoryLimitError: if a shard has no room; `kept` still gives the current layer.
            TableError: if a number of ways passes 128 bits.
            EngineError: if a shard is lost; the group can only be closed then.
        """
        ...

    def rows(self) -> Iterator[Rows]:
        """The current layer, in parts of bounded size."""
        ...

    def depths(self, rows: Rows) -> "np.ndarray[tuple[int], np.dtype[np.int8]]":
        """Depth mod 3 of rows in rank tables; -1 for what was not met."""
        ...

    def close(self) -> None:
        """End all workers at once; safe to call twice."""
        ...


class LocalGroup:
    """Shards in threads of this process; a single one makes short layers in the thread that calls."""

    def __init__(self, plan: ShardPlan, graph: StateGraph, workers: int | None = None) -> None:
        """Make empty shards.

        Args:
            plan: what is explored.
            graph: the problem of its reference.
            workers: shards that compute at the same time, at most; None for all.

        Raises:
            MemoryLimitError: if there is no room for them.
        """
        self._plan = plan
        self._shards = [Shard(plan, graph, number) for number in range(plan.shards)]
        self._sweeping = Sweeping.of(plan, self._shards[0])
        self.memory: int | None = None
        self._states = SHORT + 1
        """States of the current layer of a single shard; many while they are unknown."""
        self.workers = max(min(plan.shards, workers or plan.shards), plan.threads)

    def begin(self, rows: Rows) -> Closed:
        """Make the layer that an exploration starts from."""
        for shard in self._shards:
            shard.begin(rows)
        closed = together(shard.close() for shard in self._shards)
        self._states = closed.new
        return closed

    def restore(self, kept: Kept, rows: int = 0) -> None:
        """Take over what another group `kept`, of any number of shards."""
        for shard in self._shards:
            shard.expect(rows)
        for role, part, counts in kept:
            for shard in self._shards:
                shard.restore(role, part, counts)
        for shard in self._shards:
            shard.restored()

    def kept(self) -> Kept:
        """What a later group needs to go on from the current layer."""
        for shard in self._shards:
            yield from shard.kept()

    def rows(self) -> Iterator[Rows]:
        """The current layer, in parts of bounded size."""
        for shard in self._shards:
            yield from shard.rows()

    def depths(self, rows: Rows) -> "np.ndarray[tuple[int], np.dtype[np.int8]]":
        """Depth mod 3 of rows in rank tables; -1 for what was not met."""
        found = self._shards[0].depths(rows)
        for shard in self._shards[1:]:
            found = np.maximum(found, shard.depths(rows))
        return found

    def layer(self, tick: Tick) -> Closed:
        """Make the next layer."""
        if len(self._shards) > 1:
            return Exchange(self._shards, self.workers).run(tick)
        if self._sweeping is not None and self._sweeping.pays:
            return self._sweeping.layer(tick)
        if self._states <= SHORT:
            return self._alone(new_stop(), tick)
        made, stop = [0], new_stop()

        def note(generated: int) -> None:
            made[0] = generated

        run_together([lambda: self._grow(stop, note)], stop, tick=lambda: tick(made[0]))
        # A limit must not be reached within this: `kept` would give the next layer.
        return together(run_together([self._end], new_stop()))

    def _alone(self, stop: Stop, tick: Tick) -> Closed:
        self._grow(stop, tick)
        return self._end()

    def _grow(self, stop: Stop, tick: Tick) -> None:
        shard = self._shards[0]
        for (part,) in shard.expand(stop):
            shard.absorb(part)
            tick(shard.generated)

    def _end(self) -> Closed:
        closed = self._shards[0].close()
        self._states = closed.new
        return closed

    def close(self) -> None:
        """Nothing outlives a layer."""
