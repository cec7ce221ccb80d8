"""Peg solitaire: known numbers, jumps, position classes, symmetries."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontrow.search.errors import FrontrowError
from frontrow.search.graph import StateGraph
from frontrow.search.pegs import board as boards
from frontrow.search.pegs import jumps, plain, turns
from frontrow.search.problems.pegs import Pegs
from frontrow.search.rows import pack, unpack

COUNTS = Path(__file__).parents[1] / "counts"


def lines_of(name):
    """The numbers of a file of known ones, line by line."""
    text = (COUNTS / name).read_text(encoding="utf-8")
    return [line.split() for line in text.splitlines() if not line.startswith("#")]


def distinct(rows):
    """Rows without repetitions; those of one word in a fifth of the time that it takes in general."""
    return np.unique(rows)[:, None] if rows.shape[1] == 1 else np.unique(rows, axis=0)


def layers(problem: StateGraph, depth, *, symmetry=False):
    """The layers to a depth, by nothing but `expand` and `canonical`."""
    group = problem.symmetries()
    layer = problem.initial()
    yield layer
    for _ in range(depth):
        layer, _ = problem.expand(layer)
        if not layer.shape[0]:
            return
        layer = distinct(group.canonical(layer) if symmetry else layer)
        yield layer


def ways_to(problem: StateGraph):
    """The last layer, and the number of sequences of jumps to each of its rows."""
    layer, ways = problem.initial(), [1]
    while True:
        children, parents = problem.expand(layer)
        if not children.shape[0]:
            return layer, ways
        layer, places = np.unique(children, axis=0, return_inverse=True)
        sums = [0] * layer.shape[0]
        for place, parent in zip(places.ravel().tolist(), parents.tolist(), strict=True):
            sums[place] += ways[parent]
        ways = sums


DEPTH = 11


@pytest.mark.jit
def test_layers_of_the_english_board_up_to_symmetry_are_the_known_ones():
    problem = Pegs("english")
    group, known = problem.symmetries(), lines_of("pegs_english.txt")
    found = [
        [jump, layer.shape[0], int(group.orbits(layer).sum())]
        for jump, layer in enumerate(layers(problem, DEPTH, symmetry=True))
    ]
    assert found == [[int(word) for word in line] for line in known[: DEPTH + 1]]


def test_layers_of_the_english_board_are_the_known_ones():
    known = [int(line[2]) for line in lines_of("pegs_english.txt")[:6]]
    assert [layer.shape[0] for layer in layers(Pegs("english"), 5)] == known


def test_known_numbers_add_up_to_those_of_the_literature():
    known = np.array(lines_of("pegs_english.txt"), np.int64)
    assert known[:, 0].tolist() == list(range(32))
    assert known[:, 1:].sum(axis=0).tolist() == [23_475_688, 187_636_299]


def test_from_a_vacancy_without_symmetry_layers_begin_as_known():
    problem = Pegs("english", start="0,2")
    assert problem.symmetries().order == 1
    assert [layer.shape[0] for layer in layers(problem, 5, symmetry=True)] == [1, 2, 6, 29, 147, 731]


def test_sequences_on_the_triangle_are_the_known_ones():
    known = dict(lines_of("pegs_triangle15.txt"))
    anywhere = Pegs("triangle15", goal="one")
    last, ways = ways_to(anywhere)
    assert sum(way for way, goal in zip(ways, anywhere.is_goal(last), strict=True) if goal) == int(
        known.pop("total")
    )
    for hole, sequences in known.items():
        at_hole = Pegs("triangle15", goal=hole).is_goal(last)
        assert sum(way for way, goal in zip(ways, at_hole, strict=True) if goal) == int(sequences)


def test_the_triangle_up_to_symmetry_has_the_same_boards():
    problem = Pegs("triangle15")
    group = problem.symmetries()
    assert group.order == 2
    boards_a_layer = [layer.shape[0] for layer in layers(problem, 20)]
    classes = [int(group.orbits(layer).sum()) for layer in layers(problem, 20, symmetry=True)]
    assert classes == boards_a_layer
    assert len(classes) == 14


@st.composite
def positions(draw):
    """Any board of up to 150 holes, in either grid, with some positions on it."""
    width, height = draw(st.integers(1, 15)), draw(st.integers(1, 10))
    step = draw(st.sampled_from([1, 2]))
    inside = [(x, y) for y in range(height) for x in range(width) if step == 1 or (x + y) % 2 == 0]
    left_out = draw(st.sets(st.sampled_from(inside), max_size=len(inside) - 1))
    holes = [hole for hole in inside if hole not in left_out]
    text = "\n".join("".join("." if (x, y) in holes else "#" for x in range(width)) for y in range(height))
    pegs = draw(
        st.lists(st.lists(st.booleans(), min_size=len(holes), max_size=len(holes)), min_size=1, max_size=4)
    )
    return text + "\n", np.array(pegs)


@settings(max_examples=60, deadline=None)
@given(positions())
def test_kernels_make_what_the_definition_in_numpy_makes(given_positions):
    text, pegs = given_positions
    for goal in ("one", ""):
        problem = Pegs(text, goal=goal)
        rows = pack(pegs, 1)
        children, parents = problem.expand(rows)
        expected, expected_parents = plain.expand_rows(rows, jumps.find(boards.read(text, "board")))
        np.testing.assert_array_equal(children, expected)
        np.testing.assert_array_equal(parents, expected_parents)
        assert parents.dtype == np.int32
        everything = np.concatenate([rows, problem.goals(), np.zeros_like(rows[:1])])
        marks = problem.is_goal(everything)
        np.testing.assert_array_equal(marks, plain.mark_goals(everything, problem.goals()))
        assert np.bincount(parents, minlength=1).max() <= problem.degree


@settings(max_examples=60, deadline=None)
@given(positions())
def test_a_jump_takes_one_peg_over_its_neighbour_into_an_empty_hole(given_positions):
    text, pegs = given_positions
    board, problem = boards.read(text, "board"), Pegs(text)
    expected = []
    for position in pegs:
        held = {hole for hole, peg in zip(board.holes, position, strict=True) if peg}
        for (x, y), (dx, dy) in itertools.product(board.holes, board.directions):
            over, landing = (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)
            if {(x, y), over} <= held and landing in set(board.holes) - held:
                expected.append((held - {(x, y), over} | {landing}, f"{x},{y},{dx},{dy}"))
    children, parents = problem.expand(pack(pegs, 1))
    found = []
    for child, parent in zip(children, parents, strict=True):
        held = unpack(child[None], len(board.holes), 1)[0]
        (name,) = problem.move_names(np.stack([pack(pegs[parent][None], 1)[0], child]))
        found.append(({hole for hole, peg in zip(board.holes, held, strict=True) if peg}, name))
    assert found == expected


@settings(max_examples=60, deadline=None)
@given(positions())
def test_symmetries_map_jumps_to_jumps(given_positions):
    board = boards.read(given_positions[0], "board")
    found = jumps.find(board)
    flips = unpack(found.flips, len(board.holes), 1) + unpack(found.taken, len(board.holes), 1)
    names = [name for name, _ in turns.symmetries(board)]
    assert names[0] == "identity"
    assert len(set(names)) == len(names)
    for _, places in turns.symmetries(board):
        images = np.empty_like(flips)
        images[:, list(places)] = flips
        assert sorted(map(tuple, images.tolist())) == sorted(map(tuple, flips.tolist()))


@pytest.mark.parametrize(
    ("board", "order"),
    [
        ("english", 8),
        ("european", 8),
        ("triangle15", 6),
        ("../...", 1),
        (".../...", 4),
        (".../.#.", 2),
        ("....", 2),
        (".", 1),
    ],
)
def test_boards_have_the_symmetries_of_their_shape(board, order):
    assert len(turns.symmetries(boards.read(boards.NAMED.get(board, board), "board"))) == order


def test_a_hexagon_has_twelve_symmetries_that_are_a_group():
    hexagon = boards.read("#.#.#\n.#.#.\n#.#.#", "board")
    places = {element for _, element in turns.symmetries(hexagon)}
    assert len(places) == 12
    for first, second in itertools.product(places, places):
        assert tuple(first[place] for place in second) in places


@pytest.mark.parametrize(
    ("params", "order"),
    [
        ({"board": "english"}, 8),
        ({"board": "english", "goal": "one"}, 8),
        ({"board": "english", "goal": "3,0"}, 2),
        ({"board": "english", "start": "3,0", "goal": "one"}, 2),
        ({"board": "english", "start": "2,0", "goal": "5,3"}, 1),
        ({"board": "triangle15"}, 2),
    ],
)
def test_only_symmetries_that_leave_start_and_goal_are_used(params, order):
    problem = Pegs(**params)
    group = problem.symmetries()
    assert group.order == order
    assert (group.images(problem.initial()) == problem.initial()).all()
    goals = {tuple(goal) for goal in problem.goals().tolist()}
    assert all({tuple(goal) for goal in image.tolist()} == goals for image in group.images(problem.goals()))


def reached(problem):
    """All positions that can be reached, by brute force."""
    return {tuple(row) for layer in layers(problem, 100) for row in layer.tolist()}


@pytest.mark.parametrize("board", ["..../....", "..#/.../...", ".#.#./#.#.#/.#.#.", "......", "#.#/.#./#.#"])
def test_nothing_that_can_be_reached_is_called_unreachable(board):
    holes = boards.read(board, "board").holes
    for vacancy, last in itertools.product(holes, holes):
        problem = Pegs(board, start=vacancy, goal=last)
        if problem.unreachable:
            assert tuple(problem.goals()[0].tolist()) not in reached(problem)
    refused = [Pegs(board, start=hole, goal="one") for hole in holes]
    for problem in refused:
        if problem.unreachable:
            assert not reached(problem) & {tuple(goal) for goal in problem.goals().tolist()}


def test_the_classes_of_the_english_board_are_those_of_the_rule_of_three():
    # From the centre vacant the last peg can be in the centre or in the middle of an arm's end, nowhere else.
    holes = boards.read(boards.NAMED["english"], "board").holes
    possible = {hole for hole in holes if not Pegs("english", goal=hole).unreachable}
    assert possible == {(3, 3), (3, 0), (0, 3), (6, 3), (3, 6)}
    assert all(not Pegs("english", start=hole).unreachable for hole in holes)


def test_the_european_board_cannot_be_solved_from_the_centre_and_says_why():
    reason = Pegs("european").unreachable
    assert "different position classes" in reason
    names = reason.split("the holes ")[1].split(",  on")[0].split(", on")[0].split()
    board = boards.read(boards.NAMED["european"], "board")
    held = pack([[f"{x},{y}" in names for x, y in board.holes]], 1)[0, 0]
    found = jumps.find(board)
    assert all(int(flip & held).bit_count() % 2 == 0 for flip in found.flips[:, 0])
    problem = Pegs("european")
    parities = [int(row[0, 0] & held).bit_count() % 2 for row in (problem.initial(), problem.goals())]
    assert sorted(parities) == [0, 1]
    assert Pegs("european", goal="one").unreachable.startswith("no single peg is in the position class")
    assert not Pegs("european", start="2,0", goal="one").unreachable


def test_too_few_pegs_are_told():
    assert (
        "takes a peg away: the start has 1, and the goal needs 2"
        in Pegs("....", start="@...", goal="..@@").unreachable
    )
    assert "the start has 0, and the goal needs 1" in Pegs("....", start="....", goal="one").unreachable
    assert Pegs("....", start="@@..", goal="@@..").unreachable == ""


def test_rows_that_no_jump_joins_have_no_name():
    problem = Pegs("english")
    with pytest.raises(FrontrowError, match="step 1: found positions that no jump joins, expected one"):
        problem.move_names(np.concatenate([problem.initial(), problem.initial()]))
    assert problem.move_names(problem.initial()) == []


def test_several_words_hold_boards_of_up_to_256_holes():
    text = ("." * 16 + "\n") * 16
    problem = Pegs(text, start="0,0")
    assert problem.words == 4
    children, parents = problem.expand(problem.initial())
    assert problem.move_names(np.stack([problem.initial()[0], children[0]])) == ["2,0,-1,0"]
    assert parents.tolist() == [0, 0]
    assert problem.symmetries().orbits(children).tolist() == [2, 2]
    assert problem.render(children[1]).splitlines()[:3] == ["@" * 16, "." + "@" * 15, "." + "@" * 15]
