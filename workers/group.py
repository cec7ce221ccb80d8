"""All shards of an exploration together: the contract, and the threads of one process."""

import functools
import queue
import threading
from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np

from frontrow.search.errors import StoppedError
from frontrow.search.graph import StateGraph
from frontrow.search.rows import Rows, Stop, new_stop
from frontrow.search.tables.table import Counts
from frontrow.workers.shard import Closed, Part, Shard, ShardPlan, together
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
            return _Exchange(self._shards, self.workers).run(tick)
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


class _Exchange:
    """A layer of several shards: each expands its own states and absorbs what the others send."""

    def __init__(self, shards: list[Shard], workers: int) -> None:
        self._shards = shards
        self._free = threading.Semaphore(workers)
        """Never held while a shard waits for others, so that all get on."""
        self._stop: Stop = new_stop()
        self._inboxes: list[queue.SimpleQueue[Part | None]] = [queue.SimpleQueue() for _ in shards]
        self._sending = [len(shards) - 1 for _ in shards]
        """How many others may still send something; each ends with None."""
        self._generated = [0] * len(shards)

    def run(self, tick: Tick) -> Closed:
        """Run all threads; the calling one only waits."""
        works = [functools.partial(self._work, shard) for shard in self._shards]
        run_together(works, self._stop, tick=lambda: tick(sum(self._generated)), wake=self._wake)
        # No shard may be a layer ahead of another one that has no room, or that a limit stops.
        return together(
            run_together([functools.partial(self._end, shard) for shard in self._shards], new_stop())
        )

    def _wake(self) -> None:
        for inbox in self._inboxes:
            inbox.put(None)

    def _end(self, shard: Shard) -> Closed:
        with self._free:
            return shard.close()

    def _work(self, shard: Shard) -> None:
        me = shard.number
        chunks = shard.expand(self._stop)
        while True:
            with self._free:
                parts = next(chunks, None)
                if parts is None:
                    break
                for owner, part in enumerate(parts):
                    if owner != me and part.rows.shape[0]:
                        self._inboxes[owner].put(part)
                shard.absorb(parts[me])
            self._generated[me] = shard.generated
            while not self._inboxes[me].empty():
                self._take_in(shard)
        for owner, inbox in enumerate(self._inboxes):
            if owner != me:
                inbox.put(None)
        while self._sending[me]:
            self._take_in(shard)

    def _take_in(self, shard: Shard) -> None:
        part = self._inboxes[shard.number].get()
        if self._stop[0]:
            raise StoppedError("stopped")
        if part is None:
            self._sending[shard.number] -= 1
        else:
            with self._free:
                shard.absorb(part)
