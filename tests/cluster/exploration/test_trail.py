"""Ways to a goal: moves that are allowed, as many as there have to be, the same whoever found them."""

import numpy as np
import pytest

import frontrow
from frontrow.cluster.exploration import groups, trail
from frontrow.cluster.exploration.trail import Trail, walk_back
from frontrow.search.errors import FrontrowError
from tests.exploration_support import TRIAL, group_of, kinds, made, nothing, plan_of, trial

CASES = [
    ("sliding", {"size": "3x3", "start": "8,6,7,2,5,4,3,_,1"}, 31),
    ("sliding", {"size": "2x3", "start": "4,5,_,1,2,3"}, 21),
    ("sliding", {"size": "3x3", "start": "_,8,7,6,5,4,3,2,1", "metric": "slide"}, 14),
    ("blocks", {"puzzle": "piece-change"}, 44),
    ("pegs", {"board": "triangle15"}, 13),
    ("pegs", {"board": "triangle15", "start": "4,2", "goal": "one"}, 13),
    ("cube", {"size": "2x2x2", "start": "R U2 F' R"}, 4),
    ("cube", {"size": "3x3x3", "start": "L D2"}, 2),
    (TRIAL, {"n": 3000, "goal": 2760}, 13),
]


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0].rpartition('/')[2]} {case[1]}")
def case(request):
    return request.param


def follow(graph, way):
    """The rows of a way, by its pictures; every step is a move."""
    row = graph.initial()
    rows = [row]
    for picture in way.boards[1:]:
        children, _ = graph.expand(row)
        drawn = [graph.render_way(np.concatenate([*rows, child[None]]))[-1] for child in children]
        assert picture in drawn
        at = drawn.index(picture)
        row = children[at : at + 1]
        rows.append(row)
    return np.concatenate(rows)


@pytest.mark.jit
@pytest.mark.parametrize("symmetry", [False, True])
def test_ways_are_moves_to_the_goal_and_the_same_with_every_table_and_any_shards(
    case, tmp_path, monkeypatch, symmetry
):
    name, params, length = case
    monkeypatch.setattr(groups, "SMALL", 8)
    monkeypatch.setattr(groups, "SMALL_SWEPT", 8)
    graph = made(name, **params)
    found = {}
    for table in kinds(graph, symmetry=symmetry):
        for shards in (1, 2, 5):
            result = frontrow.explore(
                name,
                **params,
                until_goal=True,
                symmetry=symmetry,
                table=table,
                shards=shards,
                store=tmp_path,
                fresh=True,
            )
            assert result.table == table
            found[table, shards] = result.way
    way = next(iter(found.values()))
    assert set(found.values()) == {way}
    assert len(way.boards) == len(way.moves) + 1 == result.goal_depth + 1
    assert length == result.goal_depth
    assert way.boards[0] == graph.render_way(graph.initial())[0]
    rows = follow(graph, way)
    assert graph.goal_mask(rows).tolist() == [False] * result.goal_depth + [True]
    assert list(way.moves) == list(graph.move_names(rows))


def test_a_start_that_is_the_goal_is_the_whole_way(tmp_path):
    result = frontrow.explore("sliding", size="3x3", until_goal=True, store=tmp_path)
    assert (result.goal_depth, len(result.layers)) == (0, 1)
    assert result.way.moves == ()
    assert result.way.boards == (made("sliding", size="3x3").render(result_row()),)


def result_row():
    return made("sliding", size="3x3").initial()[0]


@pytest.mark.parametrize("in_memory", [0, 1 << 10, 1 << 30])
@pytest.mark.parametrize("graph", [trial(3000, 2760), made("sliding", size="2x3", start="4,5,_,1,2,3")])
def test_layers_in_memory_and_on_the_disk_lead_the_same_way(tmp_path, monkeypatch, in_memory, graph):
    monkeypatch.setattr(trail, "IN_MEMORY", in_memory)
    way, kept, layers = _way(graph, tmp_path)
    monkeypatch.setattr(trail, "IN_MEMORY", 1 << 30)
    assert way == _way(graph, tmp_path / "other")[0]
    on_disk = len(list(tmp_path.glob("trail-*")))
    assert {0: on_disk == layers, 1 << 10: 0 < on_disk < layers, 1 << 30: on_disk == 0}[in_memory]
    assert sorted(map(tuple, np.concatenate(list(kept.rows(2))).tolist())) == sorted(_rows_at(graph, 2))


def _rows_at(graph, depth):
    group = group_of(graph, "hash")
    group.begin(graph.initial())
    for _ in range(depth):
        group.layer(nothing)
    return [tuple(row) for rows in group.rows() for row in rows.tolist()]


def _way(graph, folder):
    group, kept, depth = group_of(graph, "hash", 2), Trail(folder, "job"), 0
    closed = group.begin(graph.initial())
    while closed.new:
        kept.add(depth, 8 * graph.words * closed.new, group.rows())
        if closed.goals:
            return walk_back(graph, None, closed.goal, depth, kept), kept, depth + 1
        closed, depth = group.layer(nothing), depth + 1
    raise AssertionError("no goal")


def test_what_is_saved_serves_a_later_run(tmp_path):
    graph = trial(3000, 2760)
    way, kept, layers = _way(graph, tmp_path)
    assert list(tmp_path.iterdir()) == []
    kept.save()
    kept.save()
    assert len(list(tmp_path.iterdir())) == layers
    goal = np.array([[2760]], np.uint64)
    assert walk_back(graph, None, (2760,), layers - 1, Trail(tmp_path, "job")) == way
    assert graph.is_goal(goal).all()


def test_a_layer_that_does_not_fit_is_an_error(tmp_path):
    graph = trial(3000, 2760)
    kept = Trail(tmp_path, "job")
    kept.add(0, 8, iter([np.array([[17]], np.uint64)]))
    with pytest.raises(FrontrowError, match="layer 0: found no state before '2760', expected one"):
        walk_back(graph, None, (2760,), 1, kept)


def test_rank_tables_know_the_way_by_depths_alone(tmp_path):
    result = frontrow.explore(
        "sliding", size="3x3", start="8,6,7,2,5,4,3,_,1", until_goal=True, table="rank", store=tmp_path
    )
    assert len(result.way.moves) == 31
    assert not plan_of(made("sliding", size="3x3"), "rank").depths
    assert not (tmp_path / "explorations").exists()
