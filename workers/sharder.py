"""What runs in a worker process on another machine to hold one shard; no Ray in here."""

import functools
import os
import socket
from collections.abc import Callable, Iterator
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np

from frontrow.search.errors import UsageError
from frontrow.search.graph import StateGraph
from frontrow.search.own.blame import explained
from frontrow.search.rows import Origins, Rows, new_stop
from frontrow.search.tables.table import Counts, Part
from frontrow.workers.memory import available_memory
from frontrow.workers.shard import Closed, Shard, ShardPlan, warm
from frontrow.workers.tallier import build
from frontrow.workers.unit import load

ROUND = 8 << 20
"""Bytes of children that a shard makes before all shards exchange what they have."""

Sent = tuple[Rows, Counts | None, Origins | None]
"""A part as it travels."""
Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")
Call = Callable[Concatenate["Sharder", Arguments], Answer]


def _explained(call: Call[Arguments, Answer]) -> Call[Arguments, Answer]:
    """Have what a person's own code raises told by file and line, as long as the traceback is there."""

    @functools.wraps(call)
    def explaining(self: "Sharder", /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Answer:
        with explained(self.graph):
            return call(self, *args, **kwargs)

    return explaining


class Sharder:
    """Holds one shard; its calls come one after the other."""

    def __init__(self) -> None:
        """Start without a shard."""
        self.graph: StateGraph | None = None
        self._shard: Shard | None = None
        self._chunks: Iterator[list[Part]] | None = None
        self._kept: Iterator[tuple[str, Rows, Counts | None]] | None = None
        self._rows: Iterator[Rows] | None = None

    def hello(self) -> dict[str, Any]:
        """Who this is and on which machine, the bytes that are free there, and the build."""
        host = socket.gethostname()
        return {"name": f"ray:{host}:{os.getpid()}", "host": host, "memory": available_memory()} | build()

    def load(self, plan: ShardPlan, number: int) -> None:
        """Make an empty shard, and load the problem and its kernels."""
        graph = load(StateGraph, "explore", plan.ref)
        self.graph = graph
        with explained(graph):
            warm(plan, graph)
            self._shard = Shard(plan, graph, number)

    @property
    def _mine(self) -> Shard:
        if self._shard is None:
            raise UsageError("shard: found none loaded, expected one")
        return self._shard

    @_explained
    def begin(self, rows: Rows) -> Closed:
        """Enter the first layer."""
        self._mine.begin(rows)
        return self._mine.close()

    @_explained
    def expect(self, rows: int) -> None:
        """Make room for this one's share of so many rows that other shards kept."""
        self._mine.expect(rows)

    @_explained
    def restored(self) -> None:
        """All parts were taken over."""
        self._mine.restored()

    @_explained
    def restore(self, role: str, rows: Rows, counts: Counts | None) -> None:
        """Take over a part of what other shards kept."""
        self._mine.restore(role, rows, counts)

    @_explained
    def expand(self, shards: int) -> tuple[Any, ...]:
        """Expand some more of the current layer.

        Returns:
            How many children were made and whether there is more to expand; then the children by owner.
        """
        shard = self._mine
        if self._chunks is None:
            self._chunks = shard.expand(new_stop())
        held: list[list[Part]] = [[] for _ in range(shards)]
        before, nbytes = shard.generated, 0
        for parts in self._chunks:
            shard.absorb(parts[shard.number])
            for owner, part in enumerate(parts):
                if owner != shard.number and part.rows.shape[0]:
                    held[owner].append(part)
                    nbytes += part.rows.nbytes
            if nbytes >= ROUND:
                return ((shard.generated - before, True), *map(_joined, held))
        self._chunks = None
        return ((shard.generated - before, False), *map(_joined, held))

    @_explained
    def absorb(self, *sent: Sent | None) -> None:
        """Take in what other shards found."""
        for each in sent:
            if each is not None:
                self._mine.absorb(Part(*each))

    @_explained
    def close(self) -> Closed:
        """End the layer."""
        return self._mine.close()

    @_explained
    def next_kept(self, *, first: bool) -> tuple[str, Rows, Counts | None] | None:
        """One part after the other of what a later run needs; None after the last."""
        if first or self._kept is None:
            self._kept = self._mine.kept()
        return next(self._kept, None)

    @_explained
    def next_rows(self, *, first: bool) -> Rows | None:
        """One part after the other of the current layer; None after the last."""
        if first or self._rows is None:
            self._rows = self._mine.rows()
        return next(self._rows, None)

    @_explained
    def depths(self, rows: Rows) -> Any:
        """Depth mod 3 of rows in a rank table; -1 for what was not met here."""
        return self._mine.depths(rows)


def _joined(parts: list[Part]) -> Sent | None:
    if not parts:
        return None
    rows = np.concatenate([part.rows for part in parts])
    counts = [part.counts for part in parts if part.counts is not None]
    origins = [part.origins for part in parts if part.origins is not None]
    return rows, np.concatenate(counts) if counts else None, np.concatenate(origins) if origins else None
