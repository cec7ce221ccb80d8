"""One suite over every graph that ships, every table, any number of shards: the same layers everywhere."""

import pytest

from frontrow.search import registry
from frontrow.search.graph import StateGraph
from tests.exploration_support import group_of, grown, kinds, known_layers, made, told, trial

CASES = {
    "sliding": [
        ({"size": "1x4"}, None),
        ({"size": "2x2"}, None),
        ({"size": "2x3"}, None),
        ({"size": "2x3", "metric": "slide", "goal": "blank-first"}, None),
        ({"size": "3x3", "start": "1,2,3,4,_,5,6,7,8", "goal": "1,2,3,4,_,5,6,7,8"}, 9),
        ({"size": "5x5"}, 6),
    ],
    "blocks": [
        ({"puzzle": "piece-change"}, None),
        ({"puzzle": "piece-change", "metric": "piece"}, None),
        ({"puzzle": "klotski", "metric": "slide"}, 8),
    ],
    "pegs": [
        ({"board": "triangle15"}, None),
        ({"board": "triangle15", "start": "4,2", "goal": "one"}, None),
        ({"board": "english"}, 5),
        ({"board": "english", "start": "0,2"}, 5),
    ],
    "cube": [
        ({"size": "2x2x2"}, 4),
        ({"size": "2x2x2", "metric": "qtm", "start": "R"}, 4),
        ({"size": "3x3x3"}, 2),
    ],
}
"""Questions small enough for Python's dicts, and how many layers of each."""
ALL = [(name, *case) for name, several in CASES.items() for case in several]


def test_every_graph_that_ships_is_in_this_suite():
    graphs = [name for name in registry.names() if issubclass(registry.find(name), StateGraph)]
    assert sorted(CASES) == graphs


@pytest.fixture(params=[*ALL, ("trial", {"n": 3000, "goal": 2760}, None)], ids=lambda c: f"{c[0]} {c[1]}")
def case(request):
    name, params, depth = request.param
    return trial(**params) if name == "trial" else made(name, **params), depth


@pytest.mark.parametrize("symmetry", [False, True])
@pytest.mark.parametrize("paths", [False, True])
def test_layers_are_the_same_in_every_table_with_any_number_of_shards(case, symmetry, paths):
    graph, depth = case
    known = known_layers(graph, symmetry, depth)
    if not paths:
        known = [(new, boards, None, goals, None, made) for new, boards, _, goals, _, made in known]
    found = {}
    for table in kinds(graph, symmetry=symmetry, paths=paths):
        for shards in (1, 2, 3, 7):
            group = group_of(graph, table, shards, symmetry=symmetry, paths=paths)
            found[table, shards] = list(map(told, grown(group, graph, depth=depth)))
    assert found
    assert all(layers == known for layers in found.values()), found


def test_every_kind_of_table_is_in_this_suite():
    assert {kind for name, params, _ in ALL for kind in kinds(made(name, **params))} == {
        "rank",
        "layers",
        "hash",
    }
