"""A layer of several shards in threads: each expands its own states and takes in what the others send."""

import functools
import queue
import threading
from collections import deque
from collections.abc import Callable

from frontrow.search.errors import StoppedError
from frontrow.search.rows import Stop, new_stop
from frontrow.search.tables.table import Part
from frontrow.workers.shard import IN_FLIGHT, Closed, Shard, together
from frontrow.workers.team import run_together


class _Chunk:
    """The children of one chunk that others have to take in; their parts share one array.

    Attributes:
        left: parts that nobody has taken in yet.
    """

    __slots__ = ("left",)

    def __init__(self, left: int) -> None:
        self.left = left


class Exchange:
    """Makes one layer. A shard waits before it makes more than `IN_FLIGHT` chunks that others still hold."""

    def __init__(self, shards: list[Shard], workers: int) -> None:
        """Args: shards: all; workers: how many of them compute at the same time."""
        self._shards = shards
        self._free = threading.Semaphore(workers)
        """Never held while a shard waits for others, so that all get on."""
        self._stop: Stop = new_stop()
        self._inboxes: list[queue.SimpleQueue[tuple[Part, _Chunk] | None]] = [
            queue.SimpleQueue() for _ in shards
        ]
        self._sending = [len(shards) - 1 for _ in shards]
        """How many others may still send something; each ends with None."""
        self._moved = threading.Condition()
        """Something was sent, or a chunk is taken in; guards `_Chunk.left`."""
        self._generated = [0] * len(shards)

    def run(self, tick: Callable[[int], None]) -> Closed:
        """Run all threads; the calling one only waits, and calls `tick` with the children made so far."""
        works = [functools.partial(self._work, shard) for shard in self._shards]
        run_together(works, self._stop, tick=lambda: tick(sum(self._generated)), wake=self._wake)
        # No shard may be a layer ahead of another one that has no room, or that a limit stops.
        return together(
            run_together([functools.partial(self._end, shard) for shard in self._shards], new_stop())
        )

    def _wake(self) -> None:
        for inbox in self._inboxes:
            inbox.put(None)
        with self._moved:
            self._moved.notify_all()

    def _end(self, shard: Shard) -> Closed:
        with self._free:
            return shard.close()

    def _work(self, shard: Shard) -> None:
        me = shard.number
        chunks, in_flight = shard.expand(self._stop), deque[_Chunk]()
        while True:
            with self._free:
                parts = next(chunks, None)
                if parts is None:
                    break
                in_flight.append(self._send(me, parts))
                shard.absorb(parts[me])
                del parts
            self._generated[me] = shard.generated
            while not self._inboxes[me].empty():
                self._take_in(shard)
            self._wait(shard, in_flight)
        for owner, inbox in enumerate(self._inboxes):
            if owner != me:
                inbox.put(None)
        with self._moved:
            self._moved.notify_all()
        while self._sending[me]:
            self._take_in(shard)

    def _send(self, me: int, parts: list[Part]) -> _Chunk:
        """Give the parts of a chunk to their owners."""
        sent = [(owner, part) for owner, part in enumerate(parts) if owner != me and part.rows.shape[0]]
        chunk = _Chunk(len(sent))
        for owner, part in sent:
            self._inboxes[owner].put((part, chunk))
        with self._moved:
            self._moved.notify_all()
        return chunk

    def _wait(self, shard: Shard, in_flight: deque[_Chunk]) -> None:
        """Take in what others send until they hold few enough chunks of a shard."""
        inbox = self._inboxes[shard.number]

        def is_due() -> bool:
            while in_flight and not in_flight[0].left:
                in_flight.popleft()
            return len(in_flight) < IN_FLIGHT

        while True:
            with self._moved:
                self._moved.wait_for(lambda: is_due() or not inbox.empty())
                if is_due():
                    return
            self._take_in(shard)

    def _take_in(self, shard: Shard) -> None:
        sent = self._inboxes[shard.number].get()
        if self._stop[0]:
            raise StoppedError("stopped")
        if sent is None:
            self._sending[shard.number] -= 1
            return
        part, chunk = sent
        with self._free:
            shard.absorb(part)
        del sent, part
        with self._moved:
            chunk.left -= 1
            if not chunk.left:
                self._moved.notify_all()
