import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontrow.search.errors import UsageError
from frontrow.search.problems.sliding import Sliding
from frontrow.search.sliding import layout, ranking
from frontrow.search.sliding.board import parity
from tests.search.sliding_support import (
    known,
    layers_by_expand,
    layers_by_sweep,
    random_boards,
    with_blank_at,
)

SMALL = ["1x1", "1x5", "6x1", "2x2", "2x3", "3x2"]
LARGER = [pytest.param(size, marks=pytest.mark.jit) for size in ("2x4", "4x2", "3x3")]


def _plain_rank(problem, board):
    """The rank by its definition: the order of the tiles but for two, then the blank's place."""
    left, group = sorted(set(board) - {0}), 0
    for tile in [tile for tile in board if tile][:-2]:
        group = group * len(left) + left.index(tile)
        left.remove(tile)
    return group * problem._shape.cells + board.index(0)


@pytest.mark.parametrize("size", SMALL + LARGER)
@pytest.mark.parametrize("goal", ["blank-last", "blank-first"])
def test_ranks_are_a_bijection_with_what_can_be_reached(size, goal):
    problem = Sliding(size=size, goal=goal)
    ranks = np.arange(problem.states())
    rows = problem.unrank(ranks)
    assert rows.dtype == np.uint64
    assert np.array_equal(problem.rank(rows), ranks)
    assert np.unique(rows, axis=0).shape[0] == ranks.size
    assert ranks.size == sum(layers_by_expand(problem))
    # With the start among them and all their children, they are all boards that can be reached.
    children = problem.expand(rows)[0]
    assert np.array_equal(problem.unrank(problem.rank(children)), children)
    assert np.array_equal(problem.unrank(problem.rank(problem.initial())), problem.initial())


@pytest.mark.parametrize("size", ["1x20", "36x1"])
def test_long_lines_are_ranked_by_where_the_blank_is(size):
    problem = Sliding(size=size)
    rows = problem.unrank(np.arange(problem.states()))
    assert np.array_equal(problem.rank(rows), np.arange(problem._shape.cells))
    assert np.array_equal(rows[-1:], problem.initial())
    assert np.array_equal(np.unique(problem.rank(problem.expand(rows)[0])), np.arange(problem._shape.cells))


@settings(deadline=None, max_examples=60)
@given(
    size=st.sampled_from(["2x2", "2x4", "3x3", "2x5", "5x2", "3x4", "4x3", "2x6", "6x2"]),
    seed=st.integers(0, 2**32),
)
def test_ranks_follow_their_definition(size, seed):
    boards = random_boards(Sliding(size=size)._shape, 4, seed)
    for board in boards.tolist():
        problem = Sliding(size=size, start=board)
        row = layout.to_rows(np.array([board]))
        rank = problem.rank(row)
        assert rank.tolist() == [_plain_rank(problem, board)]
        assert 0 <= rank[0] < problem.states()
        assert np.array_equal(problem.unrank(rank), row)


@settings(deadline=None, max_examples=30)
@given(size=st.sampled_from(["3x4", "4x3", "2x6", "6x2"]), seed=st.integers(0, 2**32))
def test_every_rank_of_a_large_board_comes_back(size, seed):
    problem = Sliding(size=size)
    assert problem.states() == 239_500_800
    ranks = np.random.default_rng(seed).integers(0, problem.states(), 20)
    ranks[:2] = 0, problem.states() - 1
    rows = problem.unrank(ranks)
    assert np.array_equal(problem.rank(rows), ranks)
    odd = {parity(problem._shape, tuple(board)) for board in layout.to_cells(rows, 12).tolist()}
    assert odd == {parity(problem._shape, problem._start)}


def test_boards_that_are_too_large_have_no_ranks():
    for size in ("2x7", "4x4", "5x5"):
        problem = Sliding(size=size)
        assert problem.states() is None
        assert problem.sweep() is None
        with pytest.raises(UsageError, match=f"size: found {size}, expected at most {ranking.MOST} cells"):
            problem.rank(problem.initial())
        with pytest.raises(UsageError, match="size: found"):
            problem.unrank(np.zeros(1, np.int64))


@pytest.mark.parametrize("size", ["2x2", "2x3", "3x2", *LARGER, pytest.param("2x5", marks=pytest.mark.jit)])
def test_a_sweep_sets_the_bits_of_all_children(size):
    for goal in ("blank-last", "blank-first"):
        problem = Sliding(size=size, goal=goal)
        sweep = problem.sweep()
        groups = problem.states() // sweep.width
        chosen = np.flatnonzero(np.random.default_rng(5).random(problem.states()) < 0.3)
        current, following = np.zeros((2, groups), sweep.dtype)
        bits = (1 << chosen % sweep.width).astype(sweep.dtype)
        np.bitwise_or.at(current, chosen // sweep.width, bits)
        children = problem.expand(problem.unrank(chosen))[0]
        done = sweep.push(current, following, 0, 0, groups, np.empty(0, np.uint64))
        assert done == (groups, 0, children.shape[0])
        found = np.flatnonzero(following[:, None] >> np.arange(sweep.width) & 1)
        assert np.array_equal(found, np.unique(problem.rank(children)))


@pytest.mark.jit
@settings(deadline=None, max_examples=20)
@given(size=st.sampled_from(["3x4", "4x3", "2x6", "6x2"]), seed=st.integers(0, 2**32))
def test_a_sweep_over_a_few_groups_of_a_large_board_makes_their_children(size, seed):
    problem = Sliding(size=size)
    sweep = problem.sweep()
    random = np.random.default_rng(seed)
    first = int(random.integers(0, problem.states() // sweep.width - 1000))
    chosen = random.choice(1000 * sweep.width, 500, replace=False)
    current, following = np.zeros((2, 1000), sweep.dtype)
    np.bitwise_or.at(current, chosen // sweep.width, (1 << chosen % sweep.width).astype(sweep.dtype))
    outside = np.empty(2000 + sweep.reach, np.uint64)
    children = problem.expand(problem.unrank(np.sort(chosen) + first * sweep.width))[0]
    left_off, count, generated = sweep.push(current, following, first, 0, 1000, outside)
    assert (left_off, generated) == (1000, children.shape[0])
    inside = np.flatnonzero(following[:, None] >> np.arange(sweep.width) & 1) + first * sweep.width
    found = np.concatenate([inside, outside[:count].astype(np.int64)])
    assert np.array_equal(np.unique(found), np.unique(problem.rank(children)))


@pytest.mark.parametrize(
    ("size", "place"),
    [
        pytest.param(*key, marks=pytest.mark.jit) if sum(value) > 400 else key
        for key, value in known().items()
    ],
)
def test_sweeps_find_the_known_layers(size, place):
    layers = known()[size, place]
    assert layers_by_sweep(with_blank_at(size, place))[0] == layers


@pytest.mark.parametrize("shards", [1, 2, 3, 7])
def test_shards_with_little_room_find_the_layers_of_one(shards):
    problem = Sliding(size="2x3", goal="blank-first")
    expected = layers_by_sweep(problem)
    assert expected[0] == known()["2x3", 0]
    assert layers_by_sweep(problem, shards, room=0, step=11) == expected


def test_a_sweep_leaves_off_where_there_is_no_room_for_one_more_group():
    problem = Sliding(size="3x2")
    sweep = problem.sweep()
    current, following = np.full((2, 30), (1 << sweep.width) - 1, sweep.dtype)
    for room in range(sweep.reach, 4 * sweep.reach):
        outside = np.full(room, 7 * 10**9, np.uint64)
        left_off, count, _ = sweep.push(current, following, 30, 0, 30, outside)
        assert 0 < count <= room
        assert left_off == 30 or room - count < sweep.reach
        assert (outside[:count] < 360).all()
    assert sweep.push(current, following, 30, 0, 30, outside[: sweep.reach - 1]) == (0, 0, 0)


def test_slides_have_ranks_and_no_sweep():
    problem = Sliding(size="2x3", metric="slide")
    assert problem.states() == 360
    assert problem.sweep() is None
