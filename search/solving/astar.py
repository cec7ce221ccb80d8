"""Best-first search: A*, with a weight on the heuristic, and greedy, over states in buckets.

States that wait lie in buckets of equal ``(g, h)``: moves made, and moves that are left at least. A bucket is
expanded as a whole. A* takes buckets by ``g + h``, and those of one sum by g (Hart, Nilsson and Raphael 1968):
with a consistent heuristic no state is then expanded twice, and when the goal is taken, all states of all
shortest ways have been. So the first of these ways can be told, whatever the order within a bucket.

With a weight w buckets are taken by ``g + w h`` (Pohl 1970): without expanding a state twice the way is at most w
times as long as the shortest one if the heuristic is consistent (Likhachev, Gordon and Thrun 2003). Greedy takes
them by h alone.

States are dealt out to shards by their hash, as explorations do, so that threads do not share tables.
"""

import heapq
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from frontrow.search.errors import FrontrowError, MemoryLimitError, StoppedError
from frontrow.search.graph import StateGraph
from frontrow.search.rows import Rows, Stop
from frontrow.search.tables.buckets import hashes, route
from frontrow.search.tables.rowset import RowLog, RowSet

Lower = Callable[[Rows], NDArray[np.integer]]
"""Moves that are left at least, for rows of shape ``(n, words)``: shape ``(n,)``; consistent."""
Value = TypeVar("Value")
Pool = Callable[[Sequence[Callable[[], Value]]], list[Value]]
"""Calls functions, all at the same time if it can, and gives back what they return."""

CHUNK = 1 << 15
"""Rows that are expanded together: a stop flag is seen in between."""
_NEW = 1
_COPIES = 3
"""How often a child is in memory while a bucket is expanded, at most."""


class BestFirst:
    """A search that goes on bucket by bucket.

    Attributes:
        weight: of the heuristic; infinite for greedy.
        bound: of A*: the sum of moves made and left that is taken now, which no way to the goal falls below.
        expanded: states expanded so far.
        length: moves to the goal; None until it was taken.
    """

    def __init__(
        self, graph: StateGraph, lower: Lower, weight: float, shards: int, memory: int, stop: Stop
    ) -> None:
        """Begin with the start.

        Args:
            graph: of moves that can be undone; no goal has h > 0.
            lower: the heuristic.
            weight: 1 for A*, ``math.inf`` for greedy.
            shards: parts of the states.
            memory: bytes that may be held.
            stop: raised to have the search end.
        """
        self._graph, self._lower, self._memory, self._stop = graph, lower, memory, stop
        self.weight = weight
        self._sets = [RowSet(graph.words) for _ in range(shards)]
        self._waiting: dict[tuple[int, int], list[list[Rows]]] = {}
        self._heap: list[tuple[float, int, int, int]] = []
        self._closed: defaultdict[int, list[Rows]] = defaultdict(list)
        self._held = 0
        """Bytes of rows that wait or were expanded."""
        self.expanded = 0
        self.length: int | None = None
        start = graph.initial()
        least = int(lower(start)[0])
        self.bound = least
        for shard, (rows, _) in enumerate(route(start, None, shards)):
            if rows.shape[0]:
                self._put(0, least, shard, rows)

    @property
    def nbytes(self) -> int:
        """Bytes held now."""
        return self._held + sum(each.nbytes for each in self._sets)

    def next_bucket(self) -> tuple[int, int] | None:
        """Moves made and left of the bucket that is taken next; None if no state waits."""
        return None if not self._heap else (self._heap[0][2], self._heap[0][3])

    def expand(self, pool: Pool[tuple[int, dict[tuple[int, int], Rows], Rows]]) -> None:
        """Expand the next bucket.

        Raises:
            MemoryLimitError: if there is no room for its children.
            StoppedError: if the stop flag was raised; the search is of no use any more.
        """
        _, _, moves, left = heapq.heappop(self._heap)
        if self.weight == 1:
            self.bound = moves + left
        parts = self._waiting.pop((moves, left))
        self._check_room(parts)
        tasks = [
            (lambda shard=shard, blocks=blocks: self._expand_part(shard, blocks))
            for shard, blocks in enumerate(parts)
            if blocks
        ]
        for count, children, rows in pool(tasks):
            self._held += rows.nbytes
            self.expanded += count
            self._closed[moves].append(rows)
            for (following, owner), found in children.items():
                self._put(moves + 1, following, owner, found)
        self._held -= sum(rows.nbytes for blocks in parts for rows in blocks)
        if left == 0 and any(self._graph.is_goal(rows).any() for rows in self._closed[moves]):
            self.length = moves

    def _put(self, moves: int, left: int, owner: int, rows: Rows) -> None:
        bucket = self._waiting.get((moves, left))
        if bucket is None:
            bucket = self._waiting[moves, left] = [[] for _ in self._sets]
            heapq.heappush(self._heap, (*self._key(moves, left), moves, left))
        bucket[owner].append(rows)
        self._held += rows.nbytes

    def _key(self, moves: int, left: int) -> tuple[float, int]:
        if self.weight == 1:
            return moves + left, moves
        if math.isinf(self.weight):
            return left, moves
        return moves + self.weight * left, left

    def _check_room(self, parts: Iterable[Sequence[Rows]]) -> None:
        counts = [sum(map(len, blocks)) for blocks in parts]
        row = 8 * self._graph.words
        need = sum(each.need(count) for each, count in zip(self._sets, counts, strict=True))
        need += sum(counts) * row * (2 + _COPIES * self._graph.degree)
        if self.nbytes + need > self._memory:
            raise MemoryLimitError(f"{self.nbytes + need:,} bytes")

    def _expand_part(
        self, shard: int, blocks: Sequence[Rows]
    ) -> tuple[int, dict[tuple[int, int], Rows], Rows]:
        """Children of what is new of one shard's part, by moves left and owner; and the new rows."""
        log = RowLog(self._graph.words)
        for rows in blocks:
            self._check_stop()
            self._sets[shard].insert(rows, _NEW, log=log)
        new = log.close()
        if new.base is not None:
            new = new.copy()
        found: defaultdict[tuple[int, int], list[Rows]] = defaultdict(list)
        for lo in range(0, new.shape[0], CHUNK):
            self._check_stop()
            children, _ = self._graph.expand(new[lo : lo + CHUNK])
            left = self._lower(children)
            for value in np.unique(left).tolist():
                alike = route(children[left == value], None, len(self._sets))
                for owner, (rows, _) in enumerate(alike):
                    if rows.shape[0]:
                        found[value, owner].append(rows)
        return new.shape[0], {key: np.concatenate(parts) for key, parts in found.items()}, new

    def _check_stop(self) -> None:
        if self._stop[0]:
            raise StoppedError("stopped")

    def way(self) -> Rows:
        """The first shortest way among the states that were expanded, moves compared in their order.

        Returns:
            The boards from the start to the goal, shape ``(length + 1, words)``.

        Raises:
            FrontrowError: if the goal has not been taken.
        """
        if self.length is None:
            raise FrontrowError("way: found no goal, expected one")
        return first_way(self._graph, self.length, lambda moves, near: among(near, self._closed[moves]))


def among(rows: Rows, blocks: Iterable[Rows]) -> Rows:
    """Those of some rows that are in blocks of others; takes time linear in the others."""
    known = np.sort(hashes(rows))
    wanted = set(map(tuple, rows.tolist()))
    found: set[tuple[int, ...]] = set()
    for block in blocks:
        mixed = hashes(block)
        places = np.minimum(np.searchsorted(known, mixed), known.shape[0] - 1)
        found.update(wanted.intersection(map(tuple, block[known[places] == mixed].tolist())))
    return np.array(sorted(found), np.uint64).reshape(len(found), rows.shape[1])


def first_way(graph: StateGraph, length: int, kept: Callable[[int, Rows], Rows]) -> Rows:
    """Of all ways of a length from the start to the goal the first, moves compared in the order of children.

    Args:
        graph: of moves that can be undone.
        length: of the ways.
        kept: gives those of some rows that are so many moves from the start, as far as they are known; shape
            ``(n, words)`` and any order.

    Returns:
        The boards, shape ``(length + 1, words)``.

    Raises:
        FrontrowError: if there is no such way.
    """
    goals = graph.goals()
    layer = kept(length, goals) if goals is not None else np.empty((0, graph.words), np.uint64)
    layers = [layer]
    for moves in range(length - 1, -1, -1):
        near = np.unique(graph.expand(layers[-1])[0], axis=0)
        layers.append(kept(moves, near))
    layers.reverse()
    way = [graph.initial()]
    for rows in layers[1:]:
        there = set(map(tuple, rows.tolist()))
        children = graph.expand(way[-1])[0]
        hits = [index for index, row in enumerate(map(tuple, children.tolist())) if row in there]
        if not hits:
            raise FrontrowError(f"way of {length} moves: found it broken after {len(way) - 1}")
        way.append(children[hits[0] : hits[0] + 1])
    return np.concatenate(way)
