"""Where the shards of an exploration are: threads of this process, or actors of Ray."""

from typing import Protocol

from frontrow.search.graph import StateGraph
from frontrow.search.tables.choice import bitmap_bytes
from frontrow.workers.engine import Engine
from frontrow.workers.group import LocalGroup, ShardGroup
from frontrow.workers.shard import ShardPlan
from frontrow.workers.unit import available_workers

SHARE = 0.6
"""Share of the memory that is free now that an exploration may use by itself, and of the disk."""
MODEST = 256 << 20
"""Bytes of bitmaps that any machine has: for these no cluster has to be asked."""


class Place(Protocol):
    """Where groups of several shards are started."""

    name: str
    """``local`` or ``ray``."""

    def workers(self) -> int:
        """Workers that compute at the same time."""
        ...

    def memory(self, shards: int) -> int | None:
        """Bytes that so many shards may use together; None where that is for this machine to say."""
        ...

    def start(self, plan: ShardPlan) -> ShardGroup:
        """Start the shards of a plan."""
        ...

    def close(self) -> None:
        """End what was started; safe to call twice."""
        ...


class Threads:
    """This process (`Place`)."""

    name = "local"

    def __init__(self, graph: StateGraph, workers: int | None) -> None:
        """Args: graph: the problem; workers: threads; None for as many as pay."""
        self._graph = graph
        self._workers = 1 if graph.holds_interpreter else workers or available_workers()

    def workers(self) -> int:
        """Threads that compute at the same time."""
        return self._workers

    def memory(self, shards: int) -> int | None:
        """What this machine has, and nothing else."""
        return None

    def start(self, plan: ShardPlan) -> ShardGroup:
        """Make the shards; their threads come with each layer."""
        return LocalGroup(plan, self._graph, self._workers)

    def close(self) -> None:
        """Nothing outlives a layer."""


def place_for(
    graph: StateGraph, engine: str | Engine, ray_address: str | None, workers: int | None, memory: int | None
) -> Place:
    """Where the shards are to be; whoever asks closes it.

    Args:
        graph: the problem.
        engine: ``local`` or ``ray``.
        ray_address: of a cluster; implies ``ray``.
        workers: that compute at the same time; None for all there are.
        memory: bytes of all shards together; None for a share of what each machine has.
    """
    if engine == "local" and ray_address is None:
        return Threads(graph, workers)
    from frontrow.cluster.ray_shards import RayShards

    return RayShards(ray_address, workers, SHARE if memory is None else None)


def memory_in_all(graph: StateGraph, place: Place, shards: int | None, here: int, *, depths: bool) -> int:
    """Bytes for all states of a graph as bits: those of a cluster where this matters.

    Args:
        graph: the problem.
        place: where the shards are to be.
        shards: how many; None for one a worker.
        here: bytes that may be used on this machine.
        depths: whether every state's depth would be kept.
    """
    need = bitmap_bytes(graph, depths=depths and graph.lookback == 2)
    if need is None or need <= min(here, MODEST):
        return here
    there = place.memory(shards or place.workers())
    return here if there is None else there
