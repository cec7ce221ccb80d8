"""Explorations come to the known layers, and say how they did."""

import re

import pytest

import frontrow
from frontrow.cluster.exploration import groups, run
from frontrow.search.errors import DisputedError, LimitError, UnreachableError, UsageError
from frontrow.search.tables import choice
from frontrow.search.tables.choice import bitmap_bytes
from tests.exploration_support import TRIAL, known_layers, lines, made, trial

CHAIN = """
from frontrow import StateGraph

class Chain(StateGraph):
    bits = 2

    def root(self):
        return (0,)

    def neighbours(self, state):
        return [(min(state[0] + 1, 3),)]
"""
SLIDING = {(size, int(place)): [*map(int, layers.split(","))] for size, place, layers in lines("sliding")}
CUBES = {(size, metric): [*map(int, layers)] for size, metric, *layers in lines("cube")}
BLOCKS = {
    (name, metric, up == "yes"): (int(goal), [*map(int, layers)])
    for name, metric, up, goal, *layers in lines("blocks")
}
ENGLISH = [(int(classes), int(boards)) for _, classes, boards in lines("pegs_english")]
TRIANGLE = {hole: int(sequences) for hole, sequences in lines("pegs_triangle15")}


@pytest.fixture
def explore(tmp_path):
    """`frontrow.explore` with a ledger of its own."""
    return lambda problem, **options: frontrow.explore(problem, store=tmp_path, **options)


def sizes(result):
    return [layer.states for layer in result.layers]


def blank_at(size, place):
    rows, columns = map(int, size.split("x"))
    tiles = [*map(str, range(1, rows * columns))]
    return ",".join([*tiles[:place], "_", *tiles[place:]])


@pytest.mark.jit
@pytest.mark.parametrize("table", ["rank", "layers", "hash"])
@pytest.mark.parametrize(("size", "place"), [case for case in SLIDING if case[0] != "2x5"])
def test_sliding_puzzles_have_the_known_layers(explore, size, place, table):
    result = explore("sliding", size=size, goal=blank_at(size, place), table=table)
    assert sizes(result) == SLIDING[size, place]
    assert result.exhausted
    assert result.table == table


@pytest.mark.slow
def test_2x5_has_the_known_layers(explore):
    assert sizes(explore("sliding", size="2x5", goal=blank_at("2x5", 0))) == SLIDING["2x5", 0]


@pytest.mark.jit
@pytest.mark.parametrize("metric", ["htm", "qtm"])
def test_the_2x2x2_cube_has_the_known_layers(explore, metric):
    result = explore("cube", size="2x2x2", metric=metric)
    assert sizes(result) == CUBES["2x2x2", metric]
    assert (result.states, result.table) == (3674160, "rank")


@pytest.mark.jit
@pytest.mark.parametrize(("metric", "depth"), [("htm", 4), ("qtm", 5)])
def test_the_3x3x3_cube_begins_with_the_known_layers(explore, metric, depth):
    result = explore("cube", size="3x3x3", metric=metric, depth=depth)
    assert sizes(result) == CUBES["3x3x3", metric][: depth + 1]
    assert not result.exhausted


@pytest.mark.jit
@pytest.mark.parametrize(("puzzle", "metric", "symmetry"), BLOCKS)
def test_block_puzzles_have_the_known_layers_and_distance_of_the_goal(explore, puzzle, metric, symmetry):
    goal, layers = BLOCKS[puzzle, metric, symmetry]
    result = explore("blocks", puzzle=puzzle, metric=metric, symmetry=symmetry)
    assert (sizes(result), result.goal_depth) == (layers, goal)


@pytest.mark.jit
@pytest.mark.parametrize("hole", [hole for hole in TRIANGLE if hole != "total"])
def test_the_triangle_of_15_holes_has_the_known_sequences(explore, hole):
    result = explore("pegs", board="triangle15", goal=hole, paths=True)
    assert result.sequences == TRIANGLE[hole]
    both = explore("pegs", board="triangle15", goal=hole, paths=True, symmetry=True)
    assert (both.sequences, both.boards) == (TRIANGLE[hole], tuple(sizes(result)))


@pytest.mark.jit
def test_english_pegs_begin_with_the_known_boards_and_classes(explore):
    boards = explore("pegs", board="english", depth=8)
    classes = explore("pegs", board="english", depth=8, symmetry=True)
    assert list(zip(sizes(classes), sizes(boards), strict=True)) == ENGLISH[:9]
    assert classes.boards == tuple(sizes(boards))


@pytest.mark.jit
def test_from_the_vacancy_0_2_english_pegs_begin_with_the_boards_of_the_half_that_is_left(explore):
    result = explore("pegs", board="english", start="0,2", depth=5, symmetry=True)
    assert result.boards == (1, 2, 6, 29, 147, 731)


@pytest.mark.slow
def test_english_pegs_have_the_known_sequences(explore):
    result = explore("pegs", board="english", symmetry=True, paths=True)
    assert list(zip(sizes(result), result.boards, strict=True)) == ENGLISH
    assert result.sequences == 40861647040079968


@pytest.mark.parametrize("shards", [1, 2, 5])
@pytest.mark.parametrize("table", ["rank", "hash"])
def test_states_that_any_earlier_layer_may_have_are_met_once(explore, monkeypatch, shards, table):
    monkeypatch.setattr(groups, "SMALL", 64)
    known = known_layers(trial(3000, 2760), False, None)
    told = []
    result = explore(TRIAL, n=3000, goal=2760, shards=shards, workers=3, table=table, on_layer=told.append)
    assert [(layer.states, layer.goals, layer.generated) for layer in result.layers] == [
        (new, goals, generated) for new, _, _, goals, _, generated in known
    ]
    assert result.layers == tuple(told)
    assert result.workers == min(shards, 3)


def test_an_answer_is_served_from_the_ledger_unless_another_table_is_asked_for(explore):
    first = explore("sliding", size="2x3")
    again = explore("sliding", size="2x3", table="rank")
    other = explore("sliding", size="2x3", table="hash")
    assert (first.table, first.from_ledger) == ("rank", False)
    assert (again.table, again.from_ledger) == ("rank", True)
    assert (other.table, other.from_ledger, sizes(other)) == ("hash", False, sizes(first))
    assert explore("sliding", size="2x3").table == "hash"


@pytest.mark.parametrize("again", [{"fresh": True}, {"table": "hash"}])
def test_layers_that_differ_from_an_earlier_run_are_disputed(explore, monkeypatch, again):
    explore("sliding", size="2x3")
    close = run.ExploreRun._take

    def other(self, closed, seconds):
        if len(self._layers) == 3:
            closed = closed.plus(type(closed)(1))
        close(self, closed, seconds)

    with monkeypatch.context() as patch:
        patch.setattr(run.ExploreRun, "_take", other)
        with pytest.raises(
            DisputedError, match=r"layer 3: found \(6, .*, expected \(5, .* in the earlier run"
        ):
            explore("sliding", size="2x3", **again)
    assert sizes(explore("sliding", size="2x3")) == SLIDING["2x3", 0]


def test_a_goal_that_cannot_be_reached_is_told_beside_a_complete_answer(explore):
    result = explore(TRIAL, n=1000, goal=1001, until_goal=True)
    assert (result.exhausted, result.goal_depth, result.way) == (True, None, None)
    with pytest.raises(UnreachableError, match="parity"):
        explore("sliding", size="2x2", start="2,1,3,_", until_goal=True)
    plain = explore("sliding", size="2x2", start="2,1,3,_")
    assert (plain.exhausted, plain.goal_depth, plain.states) == (True, None, 12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"table": "tree"}, "table: found 'tree', expected rank, layers, hash"),
        (
            {"table": "rank", "paths": True},
            "table: found rank, expected layers or hash: bits hold no numbers",
        ),
        ({"table": "rank", "memory": 40}, "table: found rank, expected layers or hash: all ranks take"),
        ({"shards": 0}, "shards: found 0"),
        ({"shards": 1025}, "shards: found 1025, expected 1 to 1024"),
        ({"memory": 0}, "memory: found 0"),
        ({"depth": -1}, "depth: found -1"),
        ({"symmetry": 1}, "symmetry: found 1"),
    ],
)
def test_bad_options_are_refused(explore, options, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        explore("sliding", size="2x3", **options)


def test_a_graph_without_a_goal_has_no_way_to_one(explore, tmp_path):
    with pytest.raises(UsageError, match=r"until_goal: found no goal, expected one \(goal=\.\.\.\)$"):
        explore(TRIAL, n=10, until_goal=True)
    own = tmp_path / "own.py"
    own.write_text(CHAIN)
    with pytest.raises(UsageError, match=r"until_goal: found no goal, expected is_goal$"):
        explore(str(own), until_goal=True)


def test_a_table_of_one_state_is_told_in_the_singular(explore):
    assert explore(TRIAL, n=1).why.startswith("1 state has a rank: its bits take ")
    assert choice._size(1) == "1 byte"


def test_rank_tables_with_depths_are_chosen_only_where_there_is_room_for_five_bitmaps(explore):
    question = {"size": "3x3", "start": "1,2,3,4,5,6,7,_,8"}
    bitmap = (bitmap_bytes(made("sliding", **question)) or 0) // 3
    room = int(4.5 * bitmap)
    assert explore("sliding", **question, depth=2, memory=room).table == "rank"
    assert explore("sliding", **question, depth=2, memory=room, until_goal=True).table == "layers"
    assert explore("sliding", **question, depth=3, memory=6 * bitmap, until_goal=True).table == "rank"


def test_the_first_layer_alone_is_another_question_than_all_layers(explore):
    first = explore("sliding", size="2x3", depth=0)
    assert (first.states, first.exhausted) == (1, False)
    whole = explore("sliding", size="2x3")
    assert (whole.states, whole.exhausted) == (360, True)
    assert first.job != whole.job


def test_no_room_for_the_start_is_a_limit(explore):
    with pytest.raises(LimitError, match="memory: found no room for the start within 100 bytes"):
        explore("sliding", size="2x3", memory=100, table="hash")
