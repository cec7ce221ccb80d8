"""Shards: what one keeps, others go on from; memory has an end; numbers of any size add up."""

import itertools

import numpy as np
import pytest

from frontrow.search.errors import MemoryLimitError, StoppedError
from frontrow.search.rows import new_stop
from frontrow.search.tables.table import Part
from frontrow.workers import shard as shards_module
from frontrow.workers.shard import Closed, Shard, together, total
from frontrow.workers.sharder import Sharder
from tests.exploration_support import (
    group_of,
    grown,
    grown_on,
    kinds,
    known_layers,
    made,
    nothing,
    plan_of,
    told,
    trial,
)

GRAPHS = [trial(3000, 7), made("sliding", size="2x4"), made("pegs", board="triangle15", goal="one")]
CASES = [
    (graph, table, paths)
    for graph in GRAPHS
    for paths in (False, True)
    for table in kinds(graph, paths=paths)
]


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0].name} {case[1]}{' paths' * case[2]}")
def case(request):
    return request.param


def some_layers(graph, table, paths, depth, shards=2):
    group = group_of(graph, table, shards, paths=paths)
    return group, grown(group, graph, depth=depth)


def rest_after(graph, table, paths, depth):
    layers = known_layers(graph, False, None)[depth + 1 :]
    return [(new, ways if paths else None, goals, made) for new, _, ways, goals, _, made in layers]


def shortened(layers):
    return [(each.new, each.ways, each.goals, each.generated) for each in layers]


@pytest.mark.parametrize(("before", "after"), [(1, 1), (1, 3), (2, 1), (3, 2)])
@pytest.mark.parametrize("depth", [0, 4, 8])
def test_other_shards_go_on_from_what_some_kept(case, before, after, depth):
    graph, table, paths = case
    group, _ = some_layers(graph, table, paths, depth, before)
    other = group_of(graph, table, after, paths=paths)
    other.restore((role, rows.copy(), counts) for role, rows, counts in group.kept())
    assert shortened(grown_on(other)) == rest_after(graph, table, paths, depth)


@pytest.mark.parametrize("shards", [1, 2])
def test_what_is_kept_halfway_through_a_layer_is_the_layer_before_it(case, shards):
    graph, table, paths = case
    depth, plan = 8, plan_of(graph, table, shards, paths=paths)
    made_before, _ = some_layers(graph, table, paths, depth, shards)
    several = [Shard(plan, graph, number) for number in range(shards)]
    for role, rows, counts in made_before.kept():
        for each in several:
            each.restore(role, rows, counts)
    for each in several:
        each.restored()
        for parts in each.expand(new_stop()):
            for owner, part in enumerate(parts):
                half = part.rows.shape[0] // 2
                counts = None if part.counts is None else part.counts[:half]
                several[owner].absorb(Part(part.rows[:half], counts))
    other = group_of(graph, table, 3, paths=paths)
    other.restore(itertools.chain.from_iterable(each.kept() for each in several))
    assert shortened(grown_on(other)) == rest_after(graph, table, paths, depth)


def test_chunks_of_any_size_make_the_same_layers(case, monkeypatch):
    graph, table, paths = case
    monkeypatch.setattr(shards_module, "CHUNK", 64)
    monkeypatch.setattr(shards_module, "SLOW_CHUNK", 1)
    layers = grown(group_of(graph, table, 2, paths=paths), graph)
    assert shortened(layers) == rest_after(graph, table, paths, -1)


@pytest.mark.parametrize("table", ["layers", "hash"])
@pytest.mark.parametrize("shards", [1, 2])
def test_where_there_is_no_room_the_layer_before_is_kept(table, shards):
    graph = made("sliding", size="3x3")
    group = group_of(graph, table, shards, memory=1 << 17)
    layers = [group.begin(graph.initial())]
    with pytest.raises(MemoryLimitError):
        for _ in range(40):
            layers.append(group.layer(nothing))
    other = group_of(graph, table, 3)
    other.restore(group.kept())
    layers += grown_on(other)
    assert [each.new for each in layers] == [each.new for each in grown(group_of(graph, "rank"), graph)]
    assert max(each.nbytes for each in layers) > shards << 17


@pytest.mark.parametrize(
    ("table", "large", "factor"), [("hash", 20, 2.0), ("hash", 9, 1.36), ("layers", 9, 1.68)]
)
def test_little_more_memory_than_is_held_in_the_end_is_enough(monkeypatch, table, large, factor):
    """Sets of 2**large lines and more are parted into groups; smaller ones grow as a whole."""
    monkeypatch.setattr("frontrow.search.tables.rowset.LARGE", 1 << large)
    graph = made("sliding", size="3x3")
    layers = grown(group_of(graph, table), graph)
    memory = int(factor * max(each.nbytes for each in layers))
    assert grown(group_of(graph, table, memory=memory), graph) == layers


def test_what_has_no_room_is_not_taken_over():
    graph = made("sliding", size="2x4")
    group, _ = some_layers(graph, "hash", False, 20)
    with pytest.raises(MemoryLimitError):
        group_of(graph, "hash", 1, memory=1 << 10).restore(group.kept())


def test_a_raised_stop_flag_ends_expanding_and_the_layer_can_be_made_again():
    graph = made("sliding", size="2x4")
    for table in ("rank", "layers"):
        shard = Shard(plan_of(graph, table), graph, 0)
        shard.begin(graph.initial())
        shard.close()
        stop = new_stop()
        stop[0] = 1
        with pytest.raises(StoppedError):
            list(shard.expand(stop))
        for (part,) in shard.expand(new_stop()):
            shard.absorb(part)
        assert shard.close().new == 2


def test_chunks_are_small_where_there_is_little_memory():
    graph = made("cube", size="3x3x3")
    little, plenty = (Shard(plan_of(graph, "layers", memory=room), graph, 0) for room in (1 << 20, 1 << 40))
    assert little._chunk == shards_module.LEAST
    assert plenty._chunk == shards_module.CHUNK


def test_shards_know_depths_of_what_they_own():
    graph = made("sliding", size="2x3")
    group = group_of(graph, "rank", 3)
    plan = group._plan
    depths = shards_module.ShardPlan(plan.ref, 3, "rank", False, False, True, plan.memory)
    group = type(group)(depths, graph)
    layer = graph.initial()
    group.begin(layer)
    for depth in range(1, 6):
        group.layer(nothing)
        rows = np.concatenate(list(group.rows()))
        assert group.depths(rows).tolist() == [depth % 3] * len(rows)
        assert group.depths(layer).tolist() == [(depth - 1) % 3] * len(layer)
        layer = rows


def test_sums_of_128_bit_numbers_are_exact():
    largest = np.full((5, 2), (1 << 64) - 1, np.uint64)
    assert total(largest) == 5 * ((1 << 128) - 1)
    assert total(np.array([[1, 2], [3, 4]], np.uint64)) == 4 + (6 << 64)


def test_what_shards_found_adds_up_and_the_least_goal_is_told():
    one = Closed(3, 6, None, 1, (5, 0), None, 10, 100)
    two = Closed(4, 8, None, 2, (4, 9), None, 20, 200)
    assert one.plus(two) == Closed(7, 14, None, 3, (4, 9), None, 30, 300)
    assert one.plus(Closed(0)).goal == (5, 0)
    assert told(one.plus(Closed(0)))[1] is None


@pytest.mark.parametrize("shards", [1, 3])
@pytest.mark.parametrize("table", ["layers", "hash"])
@pytest.mark.parametrize(("metric", "ways"), [("tile", 1), ("slide", 2)])
def test_children_that_lead_back_are_not_made_whoever_owns_them(shards, table, metric, ways):
    graph = made("sliding", size="3x3", metric=metric)
    several = [Shard(plan_of(graph, table, shards), graph, number) for number in range(shards)]
    for each in several:
        each.begin(graph.initial())
        each.close()
    states = 0
    for _ in range(12):
        sent = 0
        for each in several:
            for parts in each.expand(new_stop()):
                for owner, part in zip(several, parts, strict=True):
                    owner.absorb(part)
                    sent += part.rows.shape[0]
        closed = together(each.close() for each in several)
        assert closed.generated == sent + ways * states
        states = closed.new


def test_what_goes_to_other_processes_says_how_it_was_reached():
    graph = made("sliding", size="3x3")
    shard = Sharder()
    shard.load(plan_of(graph, "hash", 2), 0)
    shard.begin(np.concatenate([graph.initial(), graph.expand(graph.initial())[0]]))
    _, mine, (rows, counts, origins) = shard.expand(2)
    assert (mine, counts) == (None, None)
    assert origins.shape == (rows.shape[0], 1)
    assert origins.all()
