import numpy as np
import pytest

from frontrow.search.patterns import places
from frontrow.search.patterns.lookup import Lookup
from frontrow.search.patterns.partition import Partition
from frontrow.search.patterns.pattern import CELLS, PLACES, Pattern
from frontrow.search.sliding.board import Shape, blank_first, blank_last, snail
from frontrow.search.sliding.turns import grid
from tests.search.patterns_support import GOALS, opened, plain_table, walked
from tests.search.sliding_support import plain_layers

OWN = (3, 1, 5, 0, 8, 2, 7, 6, 4)
WHOLE = [
    pytest.param(Shape(2, 3), "blank-last", "pdb:3-2", id="2x3"),
    pytest.param(Shape(2, 3), "snail", "pdb:1,5/2,3,4", id="2x3-own-patterns"),
    pytest.param(Shape(3, 2), "blank-first", "pdb", id="3x2-exact"),
    pytest.param(Shape(2, 4), "blank-last", "pdb:4-3", id="2x4", marks=pytest.mark.jit),
    pytest.param(Shape(4, 2), "blank-first", "pdb:3-3-1", id="4x2", marks=pytest.mark.jit),
    *(
        pytest.param(Shape(3, 3), goal, text, id=f"3x3-{name}-{text}", marks=pytest.mark.jit)
        for name, goal in (*((name, name) for name in GOALS), ("own", OWN))
        for text in ("pdb", "pdb:4-4", "pdb:1,4,8/2,3,5/6,7")
    ),
]


def goal_of(shape, goal):
    return GOALS[goal](shape) if isinstance(goal, str) else goal


@pytest.mark.parametrize(("shape", "goal", "text"), WHOLE)
def test_sums_are_never_above_the_distance_and_of_its_parity(shape, goal, text):
    goal = goal_of(shape, goal)
    lookup, values = opened(shape, goal, text)
    for distance, layer in enumerate(plain_layers(shape, goal, False)):
        bounds = lookup.bounds(np.array(sorted(layer)), values)
        assert bounds.max() <= distance
        assert not ((distance - bounds) % 2).any()


def test_one_pattern_with_all_tiles_is_exact():
    shape = Shape(2, 3)
    lookup, values = opened(shape, blank_last(shape), "pdb:5")
    for distance, layer in enumerate(plain_layers(shape, blank_last(shape), False)):
        assert (lookup.bounds(np.array(sorted(layer)), values) == distance).all()


@pytest.mark.jit
def test_sums_are_those_of_plain_tables_straight_and_mirrored():
    shape, goal = Shape(3, 3), (4, 1, 0, 5, 2, 6, 7, 3, 8)
    parts = ((1, 2, 4), (3, 7, 8), (5, 6))
    lookup, values = opened(shape, goal, "pdb:" + "/".join(",".join(map(str, part)) for part in parts))
    assert lookup.sides == 2
    cells = [[goal.index(tile) for tile in part] for part in parts]
    sides = [cells, [grid(shape)["antidiagonal"][part].tolist() for part in cells]]
    plain = {tuple(part): plain_table(shape, part, 2) for side in sides for part in side}
    for board in walked(shape, goal, 200, seed=3):
        sums = [
            sum(plain[tuple(part)][tuple(board.index(goal[cell]) for cell in part)] for part in side)
            for side in sides
        ]
        assert lookup.bounds(np.array([board]), values)[0] == max(sums)


STEPS = [
    (Shape(3, 3), blank_first, "pdb:4-4"),
    (Shape(3, 4), snail, "pdb:4-4-3"),
    (Shape(4, 4), blank_last, "pdb:6-6-3"),
    (Shape(5, 2), blank_last, "pdb:3-3-3"),
]


@pytest.mark.parametrize(("shape", "goal", "text"), STEPS)
def test_a_step_leads_to_the_index_of_the_next_board(shape, goal, text):
    goal = goal(shape)
    lookup = Lookup.of(shape, goal, Partition.parse(text, shape, goal))
    boards = np.array(walked(shape, goal, 150, seed=1))
    indices = lookup.keys(boards)
    assert lookup.tables.layout == CELLS
    np.testing.assert_array_equal(indices, lookup.indices(boards))
    blanks = (boards == 0).argmax(axis=1)
    moves = {-shape.columns: 0, shape.columns: 1, -1: 2, 1: 3}
    for number in range(len(boards) - 1):
        move, tile = moves[blanks[number + 1] - blanks[number]], boards[number][blanks[number + 1]]
        expected = indices[number].copy()
        for side in range(lookup.sides):
            slot = lookup.slot[side, tile]
            expected[slot : slot + 1] += lookup.steps[side, 4 * tile + move]
        np.testing.assert_array_equal(indices[number + 1], expected)


@pytest.mark.parametrize(
    ("shape", "goal", "text"), [(Shape(4, 4), blank_last, "pdb:7-8"), (Shape(4, 5), snail, "pdb:7-6-6")]
)
def test_a_key_moves_to_that_of_the_next_board(shape, goal, text):
    goal = goal(shape)
    lookup = Lookup.of(shape, goal, Partition.parse(text, shape, goal))
    boards = np.array(walked(shape, goal, 150, seed=2))
    keys, indices = lookup.keys(boards), lookup.indices(boards)
    assert lookup.tables.layout == PLACES
    half = np.uint64(shape.cells // 2)
    moves = {-shape.columns: 0, shape.columns: 1, -1: 2, 1: 3}
    blanks = (boards == 0).argmax(axis=1)
    for number in range(len(boards) - 1):
        old, new = blanks[number + 1], blanks[number]
        move, tile = moves[old - new], boards[number][old]
        expected = keys[number].copy()
        for side in range(lookup.sides):
            slot = lookup.slot[side, tile]
            expected[slot] = places.move_key(
                expected[slot], slot, 4 * new + move, 4 * tile + move, boards[number],
                lookup.toggles, lookup.passed, lookup.changes[side],
            )  # fmt: skip
        np.testing.assert_array_equal(keys[number + 1], expected)
        for slot in range(expected.shape[0]):
            index = lookup.base[slot] + places.index_key(
                expected[slot], lookup.counts[slot], half, lookup.low, lookup.high
            )
            assert index == indices[number + 1, slot]
    assert indices.max() < lookup.tables.entries


@pytest.mark.jit
def test_both_layouts_have_the_same_values(monkeypatch):
    shape = Shape(3, 4)
    boards = np.array(walked(shape, blank_last(shape), 300, seed=5))
    sparse, values = opened(shape, blank_last(shape), "pdb:6-5")
    monkeypatch.setattr("frontrow.search.patterns.lookup.layout_for", lambda *args: PLACES)
    dense, packed = opened(shape, blank_last(shape), "pdb:6-5")
    assert (sparse.tables.layout, dense.tables.layout) == (CELLS, PLACES)
    assert packed.nbytes < values.nbytes
    np.testing.assert_array_equal(dense.bounds(boards, packed), sparse.bounds(boards, values))


@pytest.mark.jit
def test_sums_of_the_fifteen_puzzle_are_never_above_the_moves_made():
    shape = Shape(4, 4)
    for goal in (*(make(shape) for make in GOALS.values()), tuple(np.random.default_rng(9).permutation(16))):
        goal = tuple(map(int, goal))
        lookup, values = opened(shape, goal, "pdb:5-5-4-1" if goal[5] else "pdb")
        for seed in range(20):
            boards = np.array(walked(shape, goal, 60, seed))
            bounds = lookup.bounds(boards, values)
            assert (bounds <= np.arange(61)).all()
            assert not ((np.arange(61) - bounds) % 2).any()
            assert bounds[0] == 0


def test_the_mirror_only_raises_bounds_and_reads_the_same_tables():
    shape = Shape(2, 2)
    goal = blank_last(shape)
    assert Lookup.of(shape, goal, Partition.parse("pdb:2-1", shape, goal)).sides == 2
    shape = Shape(3, 3)
    goal = blank_last(shape)
    partition = Partition.parse("pdb:1,2,3/4,5,6/7,8", shape, goal)
    both, one = Lookup.of(shape, goal, partition), Lookup.of(shape, goal, partition, mirrored=False)
    assert (both.sides, one.sides) == (2, 1)
    assert both.tables == one.tables
    boards = np.array(walked(shape, goal, 30, seed=4))
    np.testing.assert_array_equal(both.indices(boards)[:, :3], one.indices(boards))


@pytest.mark.parametrize("text", ["pdb:1,4,7/2,5,8/3,6", "pdb:2,3,6/4,7,8/1,5"])
def test_there_is_a_mirror_only_if_it_has_other_patterns(text):
    shape = Shape(3, 3)
    goal = blank_last(shape)
    expected = 2 if text.endswith("3,6") else 1
    assert Lookup.of(shape, goal, Partition.parse(text, shape, goal)).sides == expected


def test_boards_that_are_not_square_have_no_mirror_for_a_corner():
    shape = Shape(3, 4)
    goal = blank_last(shape)
    assert Lookup.of(shape, goal, Partition.parse("pdb", shape, goal)).sides == 1


@pytest.mark.parametrize("shape", [Shape(3, 3), Shape(2, 4), Shape(3, 5)], ids=str)
def test_turned_patterns_share_a_table(shape):
    pattern = Pattern.of(shape, (0, 1, shape.columns), shape.cells - 1)
    for goes in grid(shape).values():
        cells = tuple(goes[list(pattern.cells)].tolist())
        turned = Pattern.of(shape, cells, int(goes[shape.cells - 1]))
        found, image = turned.canonical()
        assert found == pattern.canonical()[0]
        assert tuple(sorted(image[list(turned.cells)].tolist())) == found.cells


def test_three_patterns_of_the_24_puzzle_share_a_table():
    shape = Shape(5, 5)
    for make in (blank_first, blank_last):
        goal = make(shape)
        lookup = Lookup.of(shape, goal, Partition.parse("pdb", shape, goal))
        assert (lookup.patterns, lookup.sides, len(lookup.tables.patterns)) == (4, 2, 2)
        assert lookup.tables.entries == 2 * 25**6
