"""One shard of an exploration: expands its states, and keeps those that it owns."""

import functools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from frontrow.search.contract import check_children, is_own
from frontrow.search.errors import MemoryLimitError, StoppedError
from frontrow.search.graph import StateGraph, Symmetry
from frontrow.search.registry import ProblemRef
from frontrow.search.rows import Rows, Stop
from frontrow.search.tables import ranked
from frontrow.search.tables.buckets import route
from frontrow.search.tables.hashed import HashTable
from frontrow.search.tables.layers import LayerPair
from frontrow.search.tables.ranked import RankTable
from frontrow.search.tables.table import Counts, Part, Table

CHUNK = 1 << 17
"""Rows that are expanded together, at most."""
LEAST = 1 << 8
"""And at least."""
IN_FLIGHT = 2
"""Chunks of a shard whose children others have still to take in, at most."""
COPIES = 2 + IN_FLIGHT
"""Copies of the children of a chunk, about: as they were made, as they are kept, and by owner."""
SCRATCH = 32
"""The children of a chunk take at most one part in so many of a shard's memory: there are several copies."""
WARM = 1 << 10
"""Rows with which tables are tried out: enough for them to grow."""
BYTES = 16
"""Bytes a state and word that a hash table for all states takes, about."""
MOST_FULL = 0.8
"""Part of a shard's memory that the table of all states may take; the rest is for rows of layers."""
FEW = 1 << 10
"""Rows that are taken in together where there is little room."""
SLOW_CHUNK = 1 << 8
"""Rows of a chunk where expanding is done in Python: a stop flag is to be seen soon."""


@dataclass(frozen=True, slots=True)
class ShardPlan:
    """What all shards of an exploration have in common.

    Attributes:
        ref: the problem.
        shards: how many there are.
        table: kind of the tables.
        symmetry: whether states are taken up to symmetry.
        paths: whether ways to each state are counted.
        depths: whether a rank table keeps every state's depth mod 3, to walk back from a goal.
        memory: bytes that each shard may use.
        whole: whether all layers are wanted, so that all states that there are may be met.
        threads: threads that sweep over a single shard of bits.
    """

    ref: ProblemRef
    shards: int
    table: str
    symmetry: bool
    paths: bool
    depths: bool
    memory: int
    whole: bool = False
    threads: int = 1


@dataclass(frozen=True, slots=True)
class Closed:
    """One shard's, or all shards', finished layer.

    Attributes:
        new: states, up to symmetry if that is asked for.
        boards: states with all their images; None without symmetry.
        ways: ways to all of them; None if they are not counted.
        goals: states that are goals.
        goal: the least of these as integers, word by word.
        goal_ways: ways to the goals; None if they are not counted.
        generated: children of the layer before, those included that were known beforehand to be met again.
        nbytes: bytes held.
    """

    new: int
    boards: int | None = None
    ways: int | None = None
    goals: int = 0
    goal: tuple[int, ...] | None = None
    goal_ways: int | None = None
    generated: int = 0
    nbytes: int = 0

    def plus(self, other: "Closed") -> "Closed":
        """Both shards' together."""
        found = [row for row in (self.goal, other.goal) if row is not None]
        return Closed(
            self.new + other.new,
            _sum(self.boards, other.boards),
            _sum(self.ways, other.ways),
            self.goals + other.goals,
            min(found, default=None),
            _sum(self.goal_ways, other.goal_ways),
            self.generated + other.generated,
            self.nbytes + other.nbytes,
        )


def together(closed: Iterable[Closed]) -> Closed:
    """The layer of all shards, one at least."""
    return functools.reduce(Closed.plus, closed)


def _sum(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a + b


class Shard:
    """The states of one owner; one thread uses it at a time."""

    def __init__(self, plan: ShardPlan, graph: StateGraph, number: int) -> None:
        """Make an empty shard.

        Args:
            plan: what is explored.
            graph: the problem of `plan.ref`.
            number: 0 to ``plan.shards - 1``.

        Raises:
            MemoryLimitError: if there is no room for it.
        """
        self._plan, self._graph, self.number = plan, graph, number
        self._group: Symmetry | None = graph.symmetries() if plan.symmetry else None
        self._own = is_own(graph)
        self._chunk = _chunk(plan, graph)
        scratch = COPIES * min(self._chunk * _width(plan, graph), plan.memory // SCRATCH)
        self._scratch = scratch if plan.table != "rank" else 0
        """Bytes for children that no table has taken in."""
        self._generated = 0
        self._ranks: RankTable | None = None
        if plan.table == "rank":
            self._ranks = RankTable(graph, number, plan.shards, depths=plan.depths, threads=plan.threads)
        self._table: Table = self._ranks or _row_table(plan, graph)
        self._check_room(0)

    def begin(self, rows: Rows) -> None:
        """Enter the layer that an exploration starts from, as far as it is this shard's."""
        counts = None
        if self._plan.paths:
            counts = np.zeros((rows.shape[0], 2), np.uint64)
            counts[:, 0] = 1
        self.absorb(self._route(Part(rows, counts))[self.number])

    def expect(self, rows: int) -> None:
        """Make room for this shard's share of so many rows that all shards will be given.

        Raises:
            MemoryLimitError: if there is none.
        """
        share = rows / self._plan.shards
        # Rows fall to shards by their hashes: six standard deviations more than the mean, and a few.
        share += 6 * share**0.5 + 16 if self._plan.shards > 1 else 0
        self._table.expect(math.ceil(share))
        self._check_room(0)

    def restored(self) -> None:
        """All parts were taken over."""
        self._table.restored()

    def restore(self, role: str, rows: Rows, counts: Counts | None) -> None:
        """Take over what `kept` gave, of any number of shards, as far as it is this shard's.

        Raises:
            MemoryLimitError: if there is no room for it.
        """
        if self._ranks is not None:
            self._ranks.restore(role, rows, counts)
            return
        part = self._route(Part(rows, counts))[self.number]
        self._check_room(part.rows.shape[0])
        self._table.restore(role, part.rows, part.counts)

    def kept(self) -> Iterator[tuple[str, Rows, Counts | None]]:
        """What a later run needs to go on from the current layer, in parts of bounded size."""
        return self._table.kept()

    def expand(self, stop: Stop) -> Iterator[list[Part]]:
        """Expand the current layer; for each chunk the children, one part for each owner.

        Raises:
            StoppedError: if `stop` was raised; the layer can be expanded again.
        """
        if self._ranks is not None and self._ranks.sweeps:
            for generated, outside in self._ranks.push(stop):
                self._generated += generated
                yield [Part(ranks) for ranks in outside]
            return
        for part in self._current():
            if stop[0]:
                raise StoppedError("stopped")
            rows, counts = part.rows, part.counts
            if part.origins is not None:
                children, origins, left_out = self._graph.expand_onward(rows, part.origins)
                self._generated += children.shape[0] + left_out
                yield self._route(Part(children, None, origins))
                continue
            children, parents = self._graph.expand(rows)
            if self._own:
                children, parents = check_children(self._graph, rows, (children, parents))
            self._generated += children.shape[0]
            if self._group is not None:
                children = self._group.canonical(children)
            yield self._route(Part(children, None if counts is None else counts[parents]))

    @property
    def generated(self) -> int:
        """Children of the current layer so far, as `Closed.generated` counts them."""
        return self._generated

    def _current(self) -> Iterator[Part]:
        """The current layer in chunks."""
        if self._ranks is not None:
            yield from map(Part, self._ranks.current_chunks(self._chunk))
            return
        for part in self._table.current():
            for lo in range(0, part.rows.shape[0], self._chunk):
                yield part.between(lo, lo + self._chunk)

    def _route(self, part: Part) -> list[Part]:
        if self._ranks is not None:
            return [Part(ranks) for ranks in self._ranks.route(part.rows)]
        shards = self._plan.shards
        if shards == 1:
            return [part]
        if part.origins is not None:
            return [Part(rows, None, origins) for rows, origins in route(part.rows, part.origins, shards)]
        return [Part(rows, counts) for rows, counts in route(part.rows, part.counts, shards)]

    def absorb(self, part: Part) -> None:
        """Take in children that this shard owns.

        Raises:
            MemoryLimitError: if there is no room for all of them; the layer cannot be ended then.
            TableError: if a number of ways passes 128 bits.
        """
        rows = part.rows.shape[0]
        if not rows:
            return
        if rows > FEW and not self._has_room(rows):
            # Most are known already: who takes them in little by little need not have room for all.
            self.absorb(part.between(0, rows // 2))
            self.absorb(part.between(rows // 2, rows))
            return
        self._check_room(rows)
        if self._ranks is not None:
            self._ranks.absorb_ranks(part.rows)
        else:
            self._table.absorb(part.rows, part.counts, part.origins)

    def _check_room(self, rows: int) -> None:
        if not self._has_room(rows):
            raise MemoryLimitError("memory: found no room")

    def _has_room(self, rows: int) -> bool:
        return self._table.nbytes + self._table.need(rows) + self._scratch <= self._plan.memory

    @property
    def ranks(self) -> RankTable | None:
        """The table, if it is one of bits."""
        return self._ranks

    def close_swept(self, generated: int, settled: int) -> Closed:
        """End a layer all words of which are settled; see `RankTable.sweep`.

        Args:
            generated: children of it.
            settled: states that are new in it.
        """
        assert self._ranks is not None
        self._generated = generated
        return self._close(self._ranks.close_layer(settled))

    def close(self) -> Closed:
        """End the layer that was absorbed; it is the current one then."""
        return self._close(self._table.close_layer())

    def _close(self, new: int) -> Closed:
        """What the layer that was just ended has."""
        generated, self._generated = self._generated, 0
        boards = None if self._group is None else 0
        ways = 0 if self._plan.paths else None
        goals, goal, goal_ways = 0, None, ways
        if new and (self._group is not None or self._plan.paths or self._graph.has_goal):
            for part in self._current_for_goals():
                rows, counts = part.rows, part.counts
                if self._group is not None and boards is not None:
                    orbits = self._group.orbits(rows)
                    boards = None if orbits is None else boards + int(orbits.sum())
                if counts is not None and ways is not None:
                    ways += total(counts)
                mask = self._graph.goal_mask(rows) if self._graph.has_goal else None
                if mask is None or not mask.any():
                    continue
                found = rows[mask]
                goals += found.shape[0]
                least = tuple(min(found.tolist()))
                goal = least if goal is None else min(goal, least)
                if counts is not None and goal_ways is not None:
                    goal_ways += total(counts[mask])
        return Closed(new, boards, ways, goals, goal, goal_ways, generated, self._table.nbytes)

    def _current_for_goals(self) -> Iterator[Part]:
        """The current layer; of a rank table only its goals, where these are known."""
        goals = self._graph.goals()
        if self._ranks is None or goals is None:
            yield from self._current()
        else:
            yield Part(self._ranks.among_current(goals))

    def rows(self) -> Iterator[Rows]:
        """The current layer, in parts of bounded size."""
        for part in self._current():
            yield part.rows

    def depths(self, rows: Rows) -> "np.ndarray[tuple[int], np.dtype[np.int8]]":
        """Depth mod 3 of rows in a rank table; -1 for what this shard has not met or does not own."""
        assert self._ranks is not None
        return self._ranks.depth_mod3(rows)


def _chunk(plan: ShardPlan, graph: StateGraph) -> int:
    """Rows that are expanded together."""
    if graph.holds_interpreter:
        return SLOW_CHUNK
    return min(CHUNK, max(LEAST, plan.memory // SCRATCH // _width(plan, graph)))


def _width(plan: ShardPlan, graph: StateGraph) -> int:
    """Bytes of all children of a state."""
    return 8 * (graph.words + (2 if plan.paths else 0)) * max(graph.degree, 1)


def _row_table(plan: ShardPlan, graph: StateGraph) -> HashTable | LayerPair:
    # A canonical row was not reached by the move that the row it stands for was reached by.
    traced = graph.has_origins and not plan.paths and not plan.symmetry
    if plan.table == "hash":
        most = _most(plan, graph)
        return HashTable(graph.words, graph.lookback, paths=plan.paths, traced=traced, most=most)
    assert graph.lookback is not None
    return LayerPair(graph.words, graph.lookback, paths=plan.paths, traced=traced)


def _most(plan: ShardPlan, graph: StateGraph) -> int:
    """States that a shard can have at most; 0 if nobody knows, or if they leave little of its room."""
    states = graph.states()
    if states is None or not plan.whole or plan.symmetry:
        return 0
    most = -(-states // plan.shards)
    return most if BYTES * graph.words * most <= MOST_FULL * plan.memory else 0


def warm(plan: ShardPlan, graph: StateGraph) -> None:
    """Compile or load every kernel that shards of a plan need, in each process that has some."""
    graph.warm()
    rows = graph.initial()
    if plan.table == "rank":
        ranked.warm(graph)
        graph.unrank_rows(graph.rank_rows(rows))
    else:
        table = _row_table(plan, graph)
        some = np.arange(WARM * graph.words, dtype=np.uint64).reshape(WARM, graph.words)
        for _ in range(2):
            counts = np.ones((WARM, 2), np.uint64) if plan.paths else None
            for part, passed in route(some, counts, 2):
                table.absorb(part, passed)
            table.close_layer()
    if plan.symmetry:
        group = graph.symmetries()
        group.orbits(group.canonical(rows))
    if graph.has_goal:
        graph.goal_mask(rows)


def total(counts: Counts) -> int:
    """Sum of 128-bit numbers as a plain integer."""
    low, high = counts[:, 0], counts[:, 1]
    half = np.uint64(0xFFFFFFFF)
    lower = int((low & half).sum()) + (int((low >> np.uint64(32)).sum()) << 32)
    upper = int((high & half).sum()) + (int((high >> np.uint64(32)).sum()) << 32)
    return lower + (upper << 64)
