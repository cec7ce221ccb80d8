"""Lower bounds are never above the distance, keep its parity and change by one a move."""

import numpy as np
import pytest

from frontrow.search.errors import UsageError
from frontrow.search.sliding import layout
from frontrow.search.sliding.board import Shape, blank_first, blank_last
from frontrow.search.solving.conflict import LinearConflict, line_conflicts
from frontrow.search.solving.finder import Finder
from frontrow.search.solving.walking import Walking, lines
from tests.search.sliding_support import plain_children, random_boards
from tests.search.solving.finder_support import HEURISTICS, PUZZLES, distances, finder


@pytest.mark.parametrize("puzzle", ["2x2", "2x3", "2x3 middle", "3x3", "3x3 snail", "2x4"])
@pytest.mark.parametrize("heuristic", HEURISTICS)
def test_lower_bounds_are_below_distances_and_have_their_parity(puzzle, heuristic):
    far = distances(puzzle)
    boards = list(far)[:: max(1, len(far) // 2000)]
    found = finder(*PUZZLES[puzzle], heuristic).lower_bound(layout.to_rows(np.array(boards)))
    known = np.array([far[board] for board in boards])
    assert (found <= known).all()
    assert ((known - found) % 2 == 0).all()
    assert (found[known > 0] > 0).all()
    assert found[0] == 0


@pytest.mark.parametrize("heuristic", HEURISTICS[:3])
@pytest.mark.parametrize("size", [(3, 3), (3, 4), (4, 4)])
def test_lower_bounds_change_by_one_a_move(heuristic, size):
    shape = Shape(*size)
    found = Finder(shape, blank_last(shape), heuristic)
    for board in map(tuple, random_boards(shape, 40, seed=3).tolist()):
        family = [board, *plain_children(shape, board, slides=False)]
        bounds = found.lower_bound(layout.to_rows(np.array(family)))
        assert (abs(bounds[1:] - bounds[0]) == 1).all()


@pytest.mark.parametrize("size", [(3, 3), (4, 4), (3, 5), (2, 6), (5, 5)])
def test_conflicts_and_walking_are_never_below_the_distances(size):
    shape = Shape(*size)
    goal = blank_first(shape)
    rows = layout.to_rows(random_boards(shape, 200, seed=4))
    distance = Finder(shape, goal, "manhattan").lower_bound(rows)
    conflict = Finder(shape, goal, "linear-conflict").lower_bound(rows)
    assert (conflict >= distance).all()
    assert (conflict > distance).any()
    if size != (5, 5) and size != (2, 6):
        walking = Finder(shape, goal, "walking").lower_bound(rows)
        assert (walking >= distance).all()
        assert (walking > distance).any()


def test_conflicts_of_a_row_count_the_tiles_that_have_to_leave():
    table = line_conflicts(4)

    def moves(*tiles):
        return int(table[sum(tile * 5**place for place, tile in enumerate(tiles))])

    assert moves(1, 2, 3, 4) == moves(0, 2, 0, 3) == 0
    assert moves(2, 1, 3, 4) == moves(4, 1, 2, 3) == 2
    assert moves(3, 4, 1, 2) == 4
    assert moves(4, 3, 2, 1) == 6


def test_a_row_the_wrong_way_round_adds_its_conflicts():
    shape = Shape(3, 3)
    board = np.array([[3, 2, 1, 4, 5, 6, 7, 8, 0]])
    found = LinearConflict(shape, blank_last(shape))
    assert found.bounds(board).tolist() == [4 + 4]


def test_lines_that_are_too_long_have_no_conflicts():
    shape = Shape(2, 9)
    goal = blank_last(shape)
    found = LinearConflict(shape, goal)
    assert found.bounds(np.array([(2, 1, *goal[2:])])).tolist() == [2]


def test_walking_distances_of_the_fifteen_puzzle_have_known_size():
    assert lines(4, 4, 0).table.shape == (24964 << 3,)
    found = Walking(Shape(4, 4), blank_first(Shape(4, 4)))
    assert found.bounds(np.arange(16)[None]).tolist() == [0]


@pytest.mark.parametrize("size", [(2, 9), (6, 6)])
def test_walking_distances_with_large_tables_are_refused(size):
    shape = Shape(*size)
    with pytest.raises(UsageError, match="heuristic: found walking for [0-9]+ lines of [0-9]+ cells"):
        Finder(shape, blank_last(shape), "walking")
