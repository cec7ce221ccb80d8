"""Tables of bits against plain sets, with any number of shards, by rows and by bitmaps."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontrow.search.errors import FrontrowError, StoppedError
from frontrow.search.graph import StateGraph
from frontrow.search.parameter import parameter
from frontrow.search.problems.cube import Cube
from frontrow.search.rows import new_stop
from frontrow.search.tables import ranked
from frontrow.search.tables.ranked import RankTable
from tests.search import cube_support
from tests.search.tables.table_support import current_of

quick = settings(max_examples=40, deadline=None)


class Wheel(StateGraph):
    """Numbers below n; x leads to x + a, x + b and 3 x."""

    lookback: ClassVar[int | None] = None
    n: int = parameter(help="states", low=1)
    a: int = parameter(help="a step", default=1)
    b: int = parameter(help="another step", default=5)
    groups: int = parameter(help="states a group of the sweep; 0 for no sweep", default=0)

    @property
    def words(self):
        return 1

    def initial(self):
        return np.zeros((1, 1), np.uint64)

    def render(self, row):
        return str(row[0])

    def leads_to(self, x):
        return [(x + self.a) % self.n, (x + self.b) % self.n, 3 * x % self.n]

    def expand(self, rows):
        children = [child for (x,) in rows.tolist() for child in self.leads_to(x)]
        parents = np.repeat(np.arange(rows.shape[0], dtype=np.int32), 3)
        return np.array(children, np.uint64).reshape(-1, 1), parents

    def states(self):
        return self.n

    def rank(self, rows):
        return rows[:, 0].astype(np.int64)

    def unrank(self, ranks):
        return ranks.astype(np.uint64)[:, None]

    def sweep(self):
        return PlainSweep(self) if self.groups else None


@dataclass(frozen=True)
class PlainSweep:
    """The contract of a sweep, bit by bit."""

    graph: Wheel
    dtype: ClassVar[type] = np.uint16

    @property
    def width(self):
        return self.graph.groups

    @property
    def reach(self):
        return 3 * self.width

    def push(self, current, following, first, lo, hi, outside):
        count = generated = 0
        for group in range(lo, hi):
            if len(outside) - count < self.reach:
                return group, count, generated
            for bit in range(self.width):
                if not current[group] >> bit & 1:
                    continue
                for child in self.graph.leads_to((first + group) * self.width + bit):
                    generated += 1
                    target = child // self.width - first
                    if 0 <= target < len(following):
                        following[target] |= np.uint16(1 << child % self.width)
                    else:
                        outside[count] = child
                        count += 1
        return hi, count, generated


def explored(graph):
    """Layers as sets."""
    layer, seen = {0}, {0}
    while layer:
        yield layer
        layer = {child for x in layer for child in graph.leads_to(x)} - seen
        seen |= layer


def push(tables):
    """One layer of all shards by bitmaps or rows; how many children were made."""
    parts, total = [], 0
    for table in tables:
        for generated, outside in table.push(new_stop()):
            total += generated
            parts += [(owner, ranks.copy()) for owner, ranks in enumerate(outside) if ranks.size]
    for owner, ranks in parts:
        tables[owner].absorb_ranks(ranks)
    return total


def absorb(graph, tables):
    """The same by rows alone."""
    parts, total = [], 0
    for table in tables:
        for rows in table.current_chunks(7):
            children, _ = graph.expand(rows)
            total += len(children)
            parts += list(enumerate(table.route(children)))
    for owner, ranks in parts:
        tables[owner].absorb_ranks(ranks)
    return total


def begin(graph, shards, **options):
    tables = [RankTable(graph, number, shards, **options) for number in range(shards)]
    for table, ranks in zip(tables, tables[0].route(graph.initial()), strict=True):
        table.absorb_ranks(ranks)
    return tables


def close(tables):
    """The layer that is closed, as a sorted list of ranks, after looking at it in every way."""
    counts = [table.close_layer() for table in tables]
    rows = [current_of(table).rows for table in tables]
    assert counts == [len(part) for part in rows]
    return sorted(int(x) for part in rows for (x,) in part)


wheels = st.builds(
    Wheel,
    n=st.sampled_from([1, 2, 63, 64, 65, 1000]) | st.integers(1, 3000),
    a=st.integers(1, 50),
    b=st.integers(1, 50),
    groups=st.sampled_from([0, 1, 12, 16]),
)
shards = st.integers(1, 7)


@quick
@given(graph=wheels, shards=shards, by_rows=st.booleans())
def test_layers_are_those_of_a_plain_set(graph, shards, by_rows):
    tables = begin(graph, shards)
    for layer in explored(graph):
        assert close(tables) == sorted(layer)
        generated = absorb(graph, tables) if by_rows else push(tables)
        assert generated == 3 * len(layer)
    assert close(tables) == []


@quick
@given(graph=wheels, shards=st.tuples(shards, shards), depth=st.integers(0, 12), depths=st.booleans())
def test_what_is_kept_goes_on_with_another_number_of_shards(graph, shards, depth, depths):
    layers = list(explored(graph))
    depth = min(depth, len(layers) - 1)
    tables = begin(graph, shards[0], depths=depths)
    for _ in range(depth):
        close(tables)
        push(tables)
    assert close(tables) == sorted(layers[depth])
    kept = [part for table in tables for part in table.kept()]
    assert {role for role, _, _ in kept} <= {"visited", "current", "depth1", "depth2"}
    tables = [RankTable(graph, number, shards[1], depths=depths) for number in range(shards[1])]
    for table in tables:
        for role, rows, counts in reversed(kept):
            table.restore(role, rows, counts)
    assert sorted(int(x) for table in tables for (x,) in current_of(table).rows) == sorted(layers[depth])
    for layer in layers[depth + 1 :]:
        push(tables)
        assert close(tables) == sorted(layer)
    if depths:
        found = np.max([table.depth_mod3(graph.unrank(np.arange(graph.n))) for table in tables], axis=0)
        assert found.tolist() == expected_depths(graph)


def expected_depths(graph):
    found = np.full(graph.n, -1)
    for depth, layer in enumerate(explored(graph)):
        found[list(layer)] = depth % 3
    return found.tolist()


@quick
@given(graph=wheels, shards=shards)
def test_depths_are_kept_for_what_was_met_by_the_shard_that_owns_it(graph, shards):
    tables = begin(graph, shards, depths=True)
    while close(tables):
        push(tables)
    everything = graph.unrank(np.arange(graph.n))
    found = np.array([table.depth_mod3(everything) for table in tables])
    assert found.max(axis=0).tolist() == expected_depths(graph)
    assert ((found >= 0).sum(axis=0) <= 1).all()


@quick
@given(graph=wheels, shards=shards, depth=st.integers(0, 6))
def test_rows_of_the_current_layer_are_found(graph, shards, depth):
    layers = list(explored(graph))
    depth = min(depth, len(layers) - 1)
    tables = begin(graph, shards)
    close(tables)
    for _ in range(depth):
        push(tables)
        close(tables)
    everything = graph.unrank(np.arange(graph.n))
    found = [int(x) for table in tables for (x,) in table.among_current(everything)]
    assert sorted(found) == sorted(layers[depth])


@quick
@given(graph=wheels, shards=shards)
def test_a_layer_that_was_left_off_is_made_again(graph, shards):
    tables = begin(graph, shards)
    for layer in explored(graph):
        assert close(tables) == sorted(layer)
        for _ in tables[0].push(new_stop()):
            break
        push(tables)
    assert close(tables) == []


@pytest.mark.parametrize("groups", [0, 16])
def test_a_raised_flag_stops_a_push(groups):
    (table,) = begin(Wheel(5000, groups=groups), 1)
    stop = new_stop()
    for _ in range(12):
        assert table.close_layer()
        for _ in table.push(stop):
            pass
    table.close_layer()
    stop[0] = 1
    with pytest.raises(StoppedError):
        next(table.push(stop))


def test_chunks_of_the_current_layer_are_bounded(monkeypatch):
    monkeypatch.setattr(ranked, "LISTED", 1 << 40)
    (table,) = begin(Wheel(5000, groups=16), 1)
    while table.close_layer() < 200:
        push([table])
    chunks = list(table.current_chunks(20))
    assert max(map(len, chunks)) <= 20
    assert len(np.unique(np.concatenate(chunks))) == len(current_of(table).rows) == sum(map(len, chunks))


def test_small_layers_are_listed_and_large_ones_are_not(monkeypatch):
    monkeypatch.setattr(ranked, "LISTED", 4)
    graph = Wheel(5000)
    (table,) = begin(graph, 1)
    sizes = set()
    for layer in explored(graph):
        assert close([table]) == sorted(layer)
        room = table.nbytes // 4 // 20
        sizes.add(len(layer) > room)
        push([table])
    assert sizes == {False, True}


def test_a_part_of_another_problem_is_refused():
    (table,) = begin(Wheel(100), 1)
    (other,) = begin(Wheel(1000), 1)
    other.close_layer()
    parts = [part for part in other.kept() if part[0] == "visited"]
    with pytest.raises(
        FrontrowError, match=r"^table: found a part 'visited' of \d+ words, expected one of bits$"
    ):
        table.restore("visited", parts[0][1])
    with pytest.raises(FrontrowError, match="found a part 'before'"):
        table.restore("before", parts[0][1])


def test_states_without_ranks_and_numbers_of_ways_are_refused():
    with pytest.raises(FrontrowError, match="^table: found rank for cube, expected layers or hash"):
        RankTable(Cube("3x3x3"))
    (table,) = begin(Wheel(100), 1)
    with pytest.raises(FrontrowError, match="ways"):
        table.absorb(np.zeros((1, 1), np.uint64), np.ones((1, 2), np.uint64))
    with pytest.raises(FrontrowError, match="depths"):
        table.depth_mod3(np.zeros((1, 1), np.uint64))


def test_half_a_byte_a_state_is_enough():
    graph = Cube("2x2x2")
    bits = 3 * 4 * graph.states() / 27
    assert bits <= RankTable(graph).nbytes < 1.01 * bits < 0.5 * graph.states()


@pytest.mark.jit
@pytest.mark.parametrize("metric", ["htm", "qtm"])
@pytest.mark.parametrize("shards", [1, 2, 5])
def test_all_2x2x2_cubes_are_met_in_the_known_layers(metric, shards):
    tables = begin(Cube("2x2x2", metric), shards, depths=True)
    sizes = []
    while new := sum(table.close_layer() for table in tables):
        sizes.append(new)
        assert push(tables) == new * Cube("2x2x2", metric).degree
    assert sizes == cube_support.known("2x2x2", metric)
    everything = Cube("2x2x2").unrank(np.arange(3_674_160))
    found = np.max([table.depth_mod3(everything) for table in tables], axis=0)
    assert np.bincount(found).tolist() == [sum(sizes[third::3]) for third in range(3)]


@pytest.mark.jit
def test_cubes_by_bitmaps_are_cubes_by_rows():
    graph = Cube("2x2x2", start="R U2 F'")
    swept, plain = begin(graph, 2), begin(graph, 1)
    for _ in range(8):
        assert sum(table.close_layer() for table in swept) == sum(table.close_layer() for table in plain)
        push(swept)
        absorb_cubes(graph, plain[0])
    swept_rows = np.concatenate([current_of(table).rows for table in swept])
    assert np.array_equal(np.sort(swept_rows, axis=0), np.sort(current_of(plain[0]).rows, axis=0))


def absorb_cubes(graph, table):
    for rows in list(table.current_chunks(10_000)):
        table.absorb(graph.expand(rows)[0])


@pytest.mark.parametrize(
    "graph", [Wheel(100), Wheel(100, groups=16), Cube("2x2x2")], ids=["words", "16", "cube"]
)
def test_warming_up_needs_no_table(graph):
    ranked.warm(graph)
