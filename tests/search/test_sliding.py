import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontrow.search.errors import UsageError
from frontrow.search.problems.sliding import Sliding
from frontrow.search.registry import ProblemRef
from frontrow.search.sliding import layout
from frontrow.search.sliding.board import Shape
from tests.search.sliding_support import (
    known,
    layers_by_expand,
    plain_children,
    plain_layers,
    random_boards,
    to_boards,
    with_blank_at,
)

SIZES = st.tuples(st.integers(1, 6), st.integers(1, 6)).map(lambda pair: Shape(*pair))
KNOWN = [
    pytest.param(*key, layers, marks=[pytest.mark.jit] if sum(layers) > 1000 else [])
    for key, layers in known().items()
    if sum(layers) < 10**6
]


@pytest.mark.parametrize(("size", "place", "layers"), KNOWN)
def test_layers_are_the_known_ones(size, place, layers):
    assert layers_by_expand(with_blank_at(size, place)) == layers


@pytest.mark.parametrize("size", ["1x1", "1x2", "5x1", "2x2", "2x3", "3x2"])
def test_slides_reach_the_layers_that_a_plain_search_finds(size):
    problem = Sliding(size=size, metric="slide")
    start = to_boards(problem.initial(), problem._shape)[0]
    assert layers_by_expand(problem) == [len(layer) for layer in plain_layers(problem._shape, start, True)]


@settings(deadline=None, max_examples=150)
@given(shape=SIZES, slides=st.booleans(), count=st.integers(0, 5), seed=st.integers(0, 2**32))
def test_kernels_make_the_children_of_plain_python(shape, slides, count, seed):
    boards = random_boards(shape, count, seed).reshape(count, shape.cells)
    rows = layout.to_rows(boards)
    problem = Sliding(size=str(shape), metric="slide" if slides else "tile")
    assert rows.shape == (count, problem.words)
    assert to_boards(rows, shape) == list(map(tuple, boards.tolist()))
    children, parents = problem.expand(rows)
    expected = [plain_children(shape, board, slides) for board in boards.tolist()]
    assert to_boards(children, shape) == list(itertools.chain(*expected))
    assert parents.tolist() == [index for index, several in enumerate(expected) for _ in several]
    assert np.array_equal(layout.to_rows(layout.to_cells(children, shape.cells)), children)
    assert children.dtype == np.uint64
    assert parents.dtype == np.int32
    assert all(len(several) <= problem.degree for several in expected)


@pytest.mark.parametrize("size", ["1x64", "8x8", "2x16", "3x11", "5x7", "2x13", "3x8"])
def test_large_boards_of_any_shape_have_the_children_of_plain_python(size):
    problem = Sliding(size=size, metric="slide")
    boards = random_boards(problem._shape, 8, 1)
    children = problem.expand(layout.to_rows(boards))[0]
    expected = [plain_children(problem._shape, board, True) for board in boards.tolist()]
    assert to_boards(children, problem._shape) == list(itertools.chain(*expected))


@pytest.mark.parametrize(
    ("size", "words"), [("1x1", 1), ("4x4", 1), ("1x17", 2), ("5x5", 2), ("5x6", 3), ("6x6", 4), ("8x8", 7)]
)
def test_boards_take_few_words(size, words):
    assert Sliding(size=size).words == words


def test_the_named_goals_are_drawn():
    def drawn(size, goal):
        problem = Sliding(size=size, goal=goal)
        assert problem.start == "goal"
        return problem.render(problem.initial()[0])

    assert drawn("2x3", "blank-last") == "1 2 3\n4 5 _"
    assert drawn("2x3", "blank-first") == "_ 1 2\n3 4 5"
    assert drawn("3x4", "snail") == " 1  2  3  4\n10 11  _  5\n 9  8  7  6"
    assert drawn("3x3", "snail") == "1 2 3\n8 _ 4\n7 6 5"
    assert drawn("4x1", "snail") == "1\n2\n3\n_"
    assert drawn("1x1", "snail") == "_"


@pytest.mark.parametrize(
    "text", ["1,2,_,4,5,3", "1 2 .\n4 5 3", " 1,2,0\r\n4,5,3\n\n", [1, 2, 0, 4, 5, 3], [[1, 2, 0], [4, 5, 3]]]
)
def test_a_board_can_be_written_in_several_ways(text):
    problem = Sliding(size=" 2X3 ", start=text)
    assert problem.size == "2x3"
    assert problem.start == ((1, 2, 0), (4, 5, 3))
    assert problem.render(problem.initial()[0]) == "1 2 _\n4 5 3"


@pytest.mark.parametrize(
    "params",
    [
        {"size": "3x3"},
        {"size": "2x2", "start": "_,3,2,1", "goal": "snail"},
        {"size": "2x3", "start": "blank-first", "goal": "5,4,3,2,1,_", "metric": "slide"},
        {"size": "5x1", "start": "1,2,_,3,4"},
    ],
)
def test_a_puzzle_is_the_same_when_it_is_kept_and_read_again(params):
    problem = Sliding(**params)
    assert ProblemRef.of(problem).load() == problem


def test_a_board_that_has_a_name_is_the_same_puzzle_as_the_name():
    written = Sliding(size="2x2", start="1,2,3,_", goal="_,1,2,3")
    assert written == Sliding(size="2x2", start="blank-last", goal="blank-first")
    assert Sliding(size="2x2", start="1,2,3,_") == Sliding(size="2x2")


@pytest.mark.parametrize(
    ("params", "text"),
    [
        ({"size": "3"}, "size: found '3', expected rows x columns such as 3x4, at most 64 cells"),
        ({"size": "0x3"}, "size: found '0x3', expected"),
        ({"size": "9x8"}, "size: found '9x8', expected"),
        ({"size": "3x-3"}, "size: found '3x-3', expected"),
        ({"size": 3}, "size: found 3, expected"),
        ({"size": "2x2", "start": "1,2,3"}, "start: found 3 cells, expected 4 of a 2x2 board"),
        ({"size": "2x2", "start": ""}, "start: found 0 cells, expected 4 of a 2x2 board"),
        ({"size": "2x2", "start": "1,2\n3"}, "start: line 2: found 1 cell, expected 2"),
        ({"size": "2x2", "start": "1,2\n3,_\n4,5"}, "start: found 3 lines, expected 2"),
        ({"size": "2x2", "start": "1,2,1,_"}, "start: found tile 1 again in row 2, expected tile 3"),
        ({"size": "2x2", "start": "1,2,_,_"}, "start: found the blank again in row 2, expected tile 3"),
        ({"size": "2x2", "goal": "1,2,3,3"}, "goal: found no blank, expected one: _, . or 0"),
        ({"size": "2x2", "goal": "1,2,_,4"}, "goal: found tile 4 in row 2, expected tile 3"),
        ({"size": "2x2", "start": "1,2,-3,_"}, "start: found '-3', expected tiles from 1 on, and _, . or 0"),
        ({"size": "2x2", "start": "1 2\nx _"}, "start: found 'x' in line 2, expected tiles from 1 on"),
        ({"size": "2x2", "goal": [1, 2, True, 0]}, "goal: found True, expected tiles from 1 on"),
        ({"size": "2x2", "goal": [1, 2, -3, 0]}, "goal: found -3, expected tiles from 1 on"),
        ({"size": "2x2", "goal": [1, 2, 3.5, 0]}, "goal: found 3.5, expected tiles from 1 on"),
        ({"size": "2x2", "goal": 7}, "goal: found 7, expected tiles row by row"),
        ({"size": "2x2", "goal": "goal"}, "goal: found 'goal', expected tiles from 1 on"),
        ({"size": "2x2", "metric": "push"}, "metric: found 'push', expected tile or slide"),
    ],
)
def test_a_bad_board_is_one_line_that_names_what_is_wrong(params, text):
    with pytest.raises(UsageError) as caught:
        Sliding(**params)
    assert str(caught.value).startswith(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("size", ["1x4", "4x1", "2x2", "1x1", "1x2"])
def test_a_goal_is_called_unreachable_just_where_no_moves_lead_to_it(size):
    shape = Sliding(size=size)._shape
    start = tuple(range(shape.cells))
    reached = set().union(*plain_layers(shape, start, False))
    for goal in itertools.permutations(range(shape.cells)):
        problem = Sliding(size=size, start=start, goal=goal)
        assert (problem.unreachable == "") == (goal in reached), goal


@pytest.mark.parametrize("size", ["2x3", "3x2"])
def test_parity_tells_goals_apart_on_boards_of_both_kinds(size):
    shape = Sliding(size=size)._shape
    start = (3, 0, 5, 1, 2, 4)
    reached = set().union(*plain_layers(shape, start, False))
    for goal in map(tuple, random_boards(shape, 60, 7).tolist()):
        problem = Sliding(size=size, start=start, goal=goal)
        assert (problem.unreachable == "") == (goal in reached), goal


def test_the_goal_is_told_from_other_boards():
    for size in ("3x3", "5x5", "5x7"):
        problem = Sliding(size=size, start="blank-first")
        rows = np.concatenate([problem.initial(), problem.goals(), problem.expand(problem.goals())[0]])
        assert problem.is_goal(rows).tolist() == [False, True, False, False]
        assert problem.has_goal


@pytest.mark.parametrize(
    "params", [{"size": "2x3", "start": "2,1,3,4,5,_"}, {"size": "1x3", "start": "2,1,_"}]
)
def test_a_goal_that_cannot_be_reached_is_no_row_to_look_for(params):
    # Its rank would be that of another board.
    problem = Sliding(**params)
    assert problem.has_goal
    assert problem.goals().shape == (0, 1)
    assert not problem.is_goal(problem.unrank(np.arange(problem.states()))).any()


def test_moves_are_named_by_the_way_the_blank_goes():
    slides = Sliding(size="3x4", start="1,2,3,4\n5,_,6,7\n8,9,10,11", metric="slide")
    children = slides.expand(slides.initial())[0]
    ways = [slides.move_names(np.stack([slides.initial()[0], child])) for child in children]
    assert ways == [["U"], ["D"], ["L"], ["R"], ["R2"]]
    assert slides.move_names(slides.initial()) == []


@pytest.mark.parametrize(
    ("size", "params", "order"),
    [
        ("3x3", {}, 2),
        ("3x3", {"goal": "snail"}, 8),
        ("3x3", {"start": "blank-first"}, 1),
        ("3x3", {"start": "2,1,3,4,_,5,6,7,8", "goal": "1,2,3,4,_,5,6,7,8"}, 1),
        ("3x3", {"start": "8,7,6,5,_,4,3,2,1", "goal": "1,2,3,4,_,5,6,7,8"}, 8),
        ("1x3", {"goal": "1,_,2"}, 2),
        ("3x1", {"goal": "1,_,2"}, 2),
        ("1x1", {}, 1),
        ("3x4", {}, 1),
        ("2x3", {"goal": "1,_,2,3,4,5"}, 2),
        ("3x5", {"goal": "1,2,3,4,5,6,7,_,8,9,10,11,12,13,14"}, 4),
        ("4x4", {"metric": "slide"}, 2),
        ("5x5", {}, 2),
        ("5x5", {"goal": "snail"}, 8),
        ("6x6", {"goal": "blank-first"}, 2),
    ],
)
def test_symmetries_keep_start_and_goal_and_send_children_to_children(size, params, order):
    problem = Sliding(size=size, **params)
    group = problem.symmetries()
    assert group.order == order
    assert (group.images(problem.initial()) == problem.initial()).all()
    goal = Sliding(size=size, goal=problem.goal).initial()
    assert (group.images(goal) == goal).all()
    steps = [problem.initial()]
    for _ in range(4):
        steps.append(problem.expand(steps[-1])[0][-40:])
    rows = np.concatenate(steps)
    images = group.images(rows)
    assert len({image.tobytes() for image in images}) == order
    children = problem.expand(rows)[0]
    for element, image in enumerate(images):
        found = np.unique(problem.expand(image)[0], axis=0)
        assert np.array_equal(found, np.unique(group.images(children)[element], axis=0))
    several = images.transpose(1, 0, 2).tolist()
    assert group.canonical(rows).tolist() == [min(each) for each in several]
    assert group.orbits(rows).tolist() == [len(set(map(tuple, each))) for each in several]


def test_everything_that_exploring_needs_can_be_loaded_beforehand():
    for params in ({"size": "2x2"}, {"size": "1x3"}, {"size": "5x5"}, {"size": "3x2", "metric": "slide"}):
        Sliding(**params).warm()


@pytest.mark.parametrize("metric", ["tile", "slide"])
@pytest.mark.parametrize("size", ["1x4", "2x2", "3x3", "2x5", "4x4", "2x8"])
def test_what_the_way_back_leaves_out_has_been_met(size, metric):
    puzzle = Sliding(size=size, metric=metric)
    assert puzzle.has_origins
    grandparents = puzzle.initial()
    for _ in range(3):
        unknown = np.zeros((grandparents.shape[0], 1), np.uint8)
        rows, origins, left_out = puzzle.expand_onward(grandparents, unknown)
        everything, parents = puzzle.expand(grandparents)
        assert rows.tolist() == everything.tolist()
        assert (left_out, set(origins[:, 0].tolist()) - set(range(1, 64))) == (0, set())
        for index, parent in enumerate(parents.tolist()):
            row = slice(index, index + 1)
            onward, _, left_out = puzzle.expand_onward(rows[row], origins[row])
            children, _ = puzzle.expand(rows[row])
            known = {*everything[parents == parent, 0].tolist(), int(grandparents[parent, 0])}
            missing = set(children[:, 0].tolist()) - set(onward[:, 0].tolist())
            assert int(grandparents[parent, 0]) in missing
            assert missing <= known
            assert len(missing) == left_out == children.shape[0] - onward.shape[0]
        grandparents = np.unique(rows, axis=0)[:20]


def test_boards_of_several_words_have_no_origins():
    assert not Sliding(size="3x6").has_origins


@pytest.mark.parametrize("metric", ["tile", "slide"])
def test_a_board_of_one_cell_has_no_move_and_no_way_back(metric):
    puzzle = Sliding(size="1x1", metric=metric)
    children, origins, left_out = puzzle.expand_onward(puzzle.initial(), np.zeros((1, 1), np.uint8))
    assert (children.shape, origins.shape, left_out) == ((0, 1), (0, 1), 0)
