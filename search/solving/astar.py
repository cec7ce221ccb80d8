"""Best-first search: A*, with a weight on the heuristic, and greedy, over states in buckets.

States that wait lie in buckets of equal ``(g, h)``: moves made, and moves that are left at least. A bucket is
expanded as a whole, a large one portion by portion, before the next one is begun. A* takes buckets by
``g + h``, and those of one sum by g (Hart, Nilsson and Raphael 1968): with a consistent heuristic no state is
then expanded twice, and when the goal is taken, all states of all shortest ways have been. So the first of
these ways can be told, whatever the order within a bucket.

Where the heuristic may change by more than one from a board to the next, a state may be met again with fewer
moves. It is then expanded once for every number of moves that it is met with, and nothing of the above is
lost.

With a weight w buckets are taken by ``g + w h`` (Pohl 1970): without expanding a state twice the way is at
most w times as long as the shortest one if the heuristic is consistent (Likhachev, Gordon and Thrun 2003).
Greedy takes them by h alone.

States are dealt out to shards by their hash, as explorations do, so that threads do not share tables.
"""

import heapq
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from frontrow.search.errors import FrontrowError, MemoryLimitError, StoppedError
from frontrow.search.graph import StateGraph
from frontrow.search.rows import Rows, Stop
from frontrow.search.tables.buckets import hashes, route
from frontrow.search.tables.rowlog import PART, RowLog
from frontrow.search.tables.rowset import RowSet

Lower = Callable[[Rows], NDArray[np.integer]]
"""Moves that are left at least, for rows of shape ``(n, words)``: shape ``(n,)``."""
Value = TypeVar("Value")
Pool = Callable[[Sequence[Callable[[], Value]]], list[Value]]
"""Calls functions, all at the same time if it can, and gives back what they return."""

CHUNK = 1 << 15
"""Rows that are expanded together: a stop flag is seen in between."""
PIECE = 1 << 13
"""Rows whose moves left are asked for together: heuristics take boards apart, a word a cell."""
PORTION = 1 << 18
"""Rows of a shard that are taken from a bucket at a time: some tenths of a second."""
_NEW = 1
_COPIES = 3
"""How often a child is in memory while a bucket is expanded, at most."""


class Part(NamedTuple):
    """Some states of a search, as a later one takes them over.

    Attributes:
        moves: that were made.
        left: moves that are left at least; -1 of states that were expanded.
        rows: the states, shape ``(n, words)``.
    """

    moves: int
    left: int
    rows: Rows


_EXPANDED = -1


class Standing(NamedTuple):
    """Where a search stands, besides its states.

    Attributes:
        bound: as that of `BestFirst`.
        expanded: the same.
        current: moves made and left of a bucket of which a part was expanded; None between two buckets.
    """

    bound: int
    expanded: int
    current: tuple[int, int] | None


class BestFirst:
    """A search that goes on bucket by bucket, and within one portion by portion.

    Attributes:
        weight: of the heuristic; infinite for greedy.
        bound: of A*: the sum of moves made and left that is taken now, which no way to the goal falls below.
        expanded: states expanded so far.
        length: moves to the goal; None until it was taken.
    """

    def __init__(
        self,
        graph: StateGraph,
        lower: Lower,
        weight: float,
        shards: int,
        memory: int,
        stop: Stop,
        *,
        consistent: bool = True,
    ) -> None:
        """Begin with the start.

        Args:
            graph: of moves that can be undone; no goal has h > 0.
            lower: the heuristic.
            weight: 1 for A*, ``math.inf`` for greedy.
            shards: parts of the states.
            memory: bytes that may be held.
            stop: raised to have the search end.
            consistent: whether no move changes the heuristic by more than one.
        """
        self._graph, self._lower, self._memory, self._stop = graph, lower, memory, stop
        self.weight = weight
        self._shards = shards
        self._apart = weight == 1 and not consistent
        self._sets: defaultdict[int, list[RowSet]] = defaultdict(
            lambda: [RowSet(graph.words) for _ in range(shards)]
        )
        """Of each shard the states that were expanded; by moves made if `_apart`."""
        self._waiting: dict[tuple[int, int], list[list[Rows]]] = {}
        self._heap: list[tuple[float, int, int, int]] = []
        self._closed: defaultdict[int, list[Rows]] = defaultdict(list)
        self._current: tuple[int, int] | None = None
        self._held = 0
        """Bytes of rows that wait or were expanded."""
        self.expanded = 0
        self.length: int | None = None
        start = graph.initial()
        self.bound = int(lower(start)[0])
        self._deal(0, self.bound, start)

    @property
    def nbytes(self) -> int:
        """Bytes held now; another thread may be at it."""
        known = list(self._sets.values())  # in one step of the interpreter: sets are added meanwhile
        return self._held + sum(each.nbytes for sets in known for each in sets)

    @property
    def kept_bytes(self) -> int:
        """Bytes of what `kept` gives."""
        return self._held

    def next_bucket(self) -> tuple[int, int] | None:
        """Moves made and left of the bucket that is taken next, or gone on with; None if no state waits."""
        if self._current is not None:
            return self._current
        return None if not self._heap else (self._heap[0][2], self._heap[0][3])

    def expand(self, pool: Pool[tuple[int, dict[tuple[int, int], Rows], Rows]]) -> None:
        """Expand a portion of the next bucket; another one is begun when all of it is done.

        Raises:
            MemoryLimitError: if there is no room for its children; the search is as it was.
            StoppedError: if the stop flag was raised; what `kept` gives is as it was, and the search is of
                no other use any more.
        """
        if self._current is None:
            _, _, *key = heapq.heappop(self._heap)
            self._current = key[0], key[1]
        moves, left = self._current
        if self.weight == 1:
            self.bound = max(self.bound, moves + left)
        parts = self._waiting[moves, left]
        portion, rest = zip(*map(_cut, parts), strict=True)
        sets = self._sets[moves if self._apart else 0]
        self._check_room(sets, portion)
        tasks = [
            partial(self._expand_part, known, blocks)
            for known, blocks in zip(sets, portion, strict=True)
            if blocks
        ]
        for count, children, rows in pool(tasks):
            self._close(moves, rows)
            self.expanded += count
            for (following, owner), found in children.items():
                self._put(moves + 1, following, owner, found)
        self._held -= sum(rows.nbytes for blocks in portion for rows in blocks)
        self._waiting[moves, left] = list(rest)
        if not any(rest):
            del self._waiting[moves, left]
            self._current = None
            if left == 0 and any(self._graph.is_goal(rows).any() for rows in self._closed[moves]):
                self.length = moves

    def _close(self, moves: int, rows: Rows) -> None:
        self._closed[moves].append(rows)
        self._held += rows.nbytes

    def _put(self, moves: int, left: int, owner: int, rows: Rows) -> None:
        bucket = self._waiting.get((moves, left))
        if bucket is None:
            bucket = self._waiting[moves, left] = [[] for _ in range(self._shards)]
            heapq.heappush(self._heap, (*self._key(moves, left), moves, left))
        bucket[owner].append(rows)
        self._held += rows.nbytes

    def _key(self, moves: int, left: int) -> tuple[float, int]:
        if self.weight == 1:
            return moves + left, moves
        if math.isinf(self.weight):
            return left, moves
        return moves + self.weight * left, left

    def _check_room(self, sets: Sequence[RowSet], parts: Iterable[Sequence[Rows]]) -> None:
        counts = [sum(map(len, blocks)) for blocks in parts]
        row = 8 * self._graph.words
        self._check_memory(sets, counts, sum(counts) * row * (2 + _COPIES * self._graph.degree))

    def _check_memory(self, sets: Sequence[RowSet], counts: Sequence[int], more: int) -> None:
        """See to it that so many rows, and so many bytes beside them, have room."""
        need = more + sum(each.need(count) for each, count in zip(sets, counts, strict=True))
        if self.nbytes + need > self._memory:
            raise MemoryLimitError(f"{self.nbytes + need:,} bytes")

    def _expand_part(
        self, known: RowSet, blocks: Sequence[Rows]
    ) -> tuple[int, dict[tuple[int, int], Rows], Rows]:
        """Children of what is new of one shard's part, by moves left and owner; and the new rows."""
        log = RowLog(self._graph.words)
        for rows in blocks:
            self._check_stop()
            known.insert(rows, _NEW, log=log)
        new = log.joined()
        if new.base is not None:
            new = new.copy()
        found: defaultdict[tuple[int, int], list[Rows]] = defaultdict(list)
        for lo in range(0, new.shape[0], CHUNK):
            self._check_stop()
            children, _ = self._graph.expand(new[lo : lo + CHUNK])
            left = self._left(children)
            for value in np.unique(left).tolist():
                alike = route(children[left == value], None, self._shards)
                for owner, (rows, _) in enumerate(alike):
                    if rows.shape[0]:
                        found[value, owner].append(rows)
        return new.shape[0], {key: np.concatenate(parts) for key, parts in found.items()}, new

    def _left(self, rows: Rows) -> NDArray[np.integer]:
        """Moves that are left at least, asked for in pieces: what that takes is not counted as held."""
        if rows.shape[0] <= PIECE:
            return self._lower(rows)
        return np.concatenate([self._lower(rows[lo : lo + PIECE]) for lo in range(0, rows.shape[0], PIECE)])

    def _check_stop(self) -> None:
        if self._stop[0]:
            raise StoppedError("stopped")

    # Going on later

    @property
    def standing(self) -> Standing:
        """Where it stands, for `restore`."""
        return Standing(self.bound, self.expanded, self._current)

    def kept(self) -> Iterator[Part]:
        """All states, in parts of bounded size: what a later search needs to go on from here."""
        for moves, blocks in self._closed.items():
            yield from _parts(moves, _EXPANDED, blocks)
        for (moves, left), parts in self._waiting.items():
            for blocks in parts:
                yield from _parts(moves, left, blocks)

    def restore(self, standing: Standing, parts: Iterable[Part]) -> None:
        """Take over what another search `kept`, of any number of shards; instead of beginning with the start.

        Raises:
            MemoryLimitError: if there is no room.
            StoppedError: if the stop flag was raised.
        """
        self.clear()
        for part in parts:
            self._check_stop()
            if part.left == _EXPANDED:
                self._know(part.moves, part.rows)
            else:
                self._check_memory((), (), part.rows.nbytes)
                self._deal(part.moves, part.left, part.rows)
        self.bound, self.expanded, self._current = standing
        if self._current is not None:
            self._heap.remove((*self._key(*self._current), *self._current))
            heapq.heapify(self._heap)

    def _know(self, moves: int, rows: Rows) -> None:
        """Take over states that were expanded."""
        sets, dealt = self._sets[moves if self._apart else 0], route(rows, None, self._shards)
        self._check_memory(sets, [len(each) for each, _ in dealt], rows.nbytes)
        for known, (each, _) in zip(sets, dealt, strict=True):
            known.insert(each, _NEW)
        self._close(moves, rows)

    def _deal(self, moves: int, left: int, rows: Rows) -> None:
        """Let states wait with the shards that own them."""
        for owner, (each, _) in enumerate(route(rows, None, self._shards)):
            if each.shape[0]:
                self._put(moves, left, owner, each if each.base is None else each.copy())

    def clear(self) -> None:
        """Give back all memory; only `restore` is of use then."""
        for sets in self._sets.values():
            sets.clear()  # whoever was stopped may still hold the list
        self._sets.clear()
        self._waiting.clear()
        self._closed.clear()
        self._heap.clear()
        self._current, self._held = None, 0

    def ways(self) -> "Ways":
        """The ways of the length found among the states that were expanded; of A* all shortest ones.

        Raises:
            FrontrowError: if the goal has not been taken.
        """
        if self.length is None:
            raise FrontrowError("ways: found no goal, expected one")
        return Ways(self._graph, self.length, lambda moves, near: among(near, self._closed[moves]))


def _cut(blocks: Sequence[Rows]) -> tuple[list[Rows], list[Rows]]:
    """The first `PORTION` rows of some blocks, and the rest."""
    portion, rest, room = list[Rows](), list[Rows](), PORTION
    for rows in blocks:
        if room:
            portion.append(rows[:room])
        if room < rows.shape[0]:
            rest.append(rows[room:])
        room -= min(room, rows.shape[0])
    return portion, rest


def _parts(moves: int, left: int, blocks: Iterable[Rows]) -> Iterator[Part]:
    for rows in blocks:
        for lo in range(0, rows.shape[0], PART):
            yield Part(moves, left, rows[lo : lo + PART])


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


class Ways:
    """All ways of one length from the start to the goal."""

    def __init__(self, graph: StateGraph, length: int, kept: Callable[[int, Rows], Rows]) -> None:
        """Walk back from the goal.

        Args:
            graph: of moves that can be undone.
            length: of the ways.
            kept: gives those of some rows that are so many moves from the start, as far as they are known;
                shape ``(n, words)``, in any order.
        """
        self._graph = graph
        goals = graph.goals()
        layer = np.empty((0, graph.words), np.uint64) if goals is None else kept(length, goals)
        layers = [layer]
        for moves in range(length - 1, -1, -1):
            layers.append(kept(moves, np.unique(graph.expand(layers[-1])[0], axis=0)))
        layers.reverse()
        self._known = [set(map(tuple, rows.tolist())) for rows in layers]

    def first(self) -> Rows:
        """The first of them, moves compared in the order of children, shape ``(length + 1, words)``.

        Raises:
            FrontrowError: if there is none.
        """
        for way in self._walk(1):
            return way
        raise FrontrowError(f"way of {len(self._known) - 1} moves: found none, expected one")

    def listed(self, most: int) -> list[Rows]:
        """The first ways, in order."""
        return list(self._walk(most))

    def count(self) -> int:
        """How many there are."""
        ways = dict.fromkeys(self._known[-1], 1)
        for moves in range(len(self._known) - 2, -1, -1):
            before: dict[tuple[int, ...], int] = {}
            for row in self._known[moves]:
                before[row] = sum(ways.get(child, 0) for child in self._children(row))
            ways = before
        return sum(ways.values())

    def _children(self, row: tuple[int, ...]) -> list[tuple[int, ...]]:
        return list(map(tuple, self._graph.expand(np.array([row], np.uint64))[0].tolist()))

    def _walk(self, most: int) -> Iterator[Rows]:
        """Ways in the order of their moves, at most so many; every state kept leads to the goal."""
        [start] = map(tuple, self._graph.initial().tolist())
        waiting = [[start]] if start in self._known[0] else []
        found = 0
        while waiting and found < most:
            way = waiting.pop()
            if len(way) == len(self._known):
                found += 1
                yield np.array(way, np.uint64)
                continue
            following = [row for row in self._children(way[-1]) if row in self._known[len(way)]]
            waiting += [[*way, row] for row in reversed(following)]
