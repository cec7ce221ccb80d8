"""All shards of an exploration together: the contract, and the threads of one process."""

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

TICK = 0.1
"""Seconds between two calls of a `Tick`, about."""
PATIENCE = 2.0
"""Seconds that workers have to leave their kernels when a layer is given up."""

Tick = Callable[[int], None]
"""Is called every now and then while a layer is made, with the children generated so far; may raise."""
Kept = Iterator[tuple[str, Rows, Counts | None]]


class ShardGroup(Protocol):
    """Shards that make layers together."""

    workers: int
    """Workers that compute at the same time."""

    def begin(self, rows: Rows) -> Closed:
        """Make the layer that an exploration starts from."""
        ...

    def restore(self, kept: Kept) -> None:
        """Take over what another group `kept`, of any number of shards."""
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
    """Shards in threads of this process; a single one runs in the thread that calls."""

    def __init__(self, plan: ShardPlan, graph: StateGraph, workers: int | None = None) -> None:
        """Make empty shards.

        Args:
            plan: what is explored.
            graph: the problem of its reference.
            workers: shards that compute at the same time, at most; None for all.
        """
        self._plan = plan
        self._shards = [Shard(plan, graph, number) for number in range(plan.shards)]
        self.workers = min(plan.shards, workers or plan.shards)

    def begin(self, rows: Rows) -> Closed:
        """Make the layer that an exploration starts from."""
        for shard in self._shards:
            shard.begin(rows)
        return self._closed()

    def _closed(self) -> Closed:
        return together(shard.close() for shard in self._shards)

    def restore(self, kept: Kept) -> None:
        """Take over what another group `kept`, of any number of shards."""
        for role, rows, counts in kept:
            for shard in self._shards:
                shard.restore(role, rows, counts)

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
        return self._alone(tick) if len(self._shards) == 1 else _Layer(self._shards, self.workers).run(tick)

    def _alone(self, tick: Tick) -> Closed:
        shard, generated = self._shards[0], 0
        for (part,) in shard.expand(new_stop()):
            shard.absorb(part)
            generated += part.rows.shape[0]
            tick(generated)
        return shard.close()

    def close(self) -> None:
        """Nothing outlives a layer."""


class _Layer:
    """One layer made by several threads: each expands its own states and absorbs what the others send."""

    def __init__(self, shards: list[Shard], workers: int) -> None:
        self._shards = shards
        self._free = threading.Semaphore(workers)
        """Never held while a shard waits for others, so that all get on."""
        self._stop: Stop = new_stop()
        self._inboxes: list[queue.SimpleQueue[Part | None]] = [queue.SimpleQueue() for _ in shards]
        self._sending = [len(shards) - 1 for _ in shards]
        """How many others may still send something; each ends with None."""
        self._done: queue.SimpleQueue[Closed | BaseException] = queue.SimpleQueue()
        self._generated = [0] * len(shards)

    def run(self, tick: Tick) -> Closed:
        """Run all threads; the calling one only waits."""
        threads = [
            threading.Thread(
                target=self._work, args=(shard,), daemon=True, name=f"frontrow-shard-{shard.number}"
            )
            for shard in self._shards
        ]
        for thread in threads:
            thread.start()
        patience = None
        try:
            closed, left = Closed(0, 0, 0, goal_ways=0), len(threads)
            while left:
                try:
                    result = self._done.get(timeout=TICK)
                except queue.Empty:
                    tick(sum(self._generated))
                    continue
                if isinstance(result, BaseException):
                    raise result
                closed, left = closed.plus(result), left - 1
            return closed
        except KeyboardInterrupt:
            patience = PATIENCE
            raise
        finally:
            self._end(threads, patience)

    def _end(self, threads: list[threading.Thread], patience: float | None) -> None:
        """Make all threads leave; without a limit of patience nobody uses the shards afterwards."""
        self._stop[0] = 1
        for inbox in self._inboxes:
            inbox.put(None)
        for thread in threads:
            thread.join(patience)

    def _work(self, shard: Shard) -> None:
        me = shard.number
        try:
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
                self._generated[me] += sum(part.rows.shape[0] for part in parts)
                while not self._inboxes[me].empty():
                    self._take_in(shard)
            for owner, inbox in enumerate(self._inboxes):
                if owner != me:
                    inbox.put(None)
            while self._sending[me]:
                self._take_in(shard)
            with self._free:
                closed = shard.close()
            self._done.put(closed)
        except StoppedError:
            return  # another one failed and says why
        except BaseException as error:  # noqa: BLE001 - raised again by `run`
            self._done.put(error)

    def _take_in(self, shard: Shard) -> None:
        part = self._inboxes[shard.number].get()
        if self._stop[0]:
            raise StoppedError("stopped")
        if part is None:
            self._sending[shard.number] -= 1
        else:
            with self._free:
                shard.absorb(part)
