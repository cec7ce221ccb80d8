"""Paths are replayed on plain tuples, and moves are written in three notations."""

import pytest

from frontrow.search.errors import FrontrowError
from frontrow.search.sliding.board import Shape
from frontrow.search.solving.notation import written
from frontrow.search.solving.replay import checked, replay

SHAPE = Shape(2, 3)
START = (1, 2, 3, 0, 4, 5)
GOAL = (1, 2, 3, 4, 5, 0)


def test_every_board_of_a_path_is_given():
    assert checked(SHAPE, START, GOAL, ["R", "R"]) == [START, (1, 2, 3, 4, 0, 5), GOAL]


def test_a_slide_moves_several_tiles():
    assert checked(SHAPE, START, GOAL, ["R2"]) == [START, GOAL]


def test_no_move_leaves_the_start():
    assert replay(SHAPE, START, []) == [START]


@pytest.mark.parametrize("move", ["D", "L"])
def test_a_move_off_the_board_is_refused(move):
    with pytest.raises(FrontrowError, match=f"move 1: found {move} off the board"):
        replay(SHAPE, START, [move])


@pytest.mark.parametrize("move", ["X", "", "u", "R1", "RR", 3])
def test_what_is_no_move_is_refused(move):
    with pytest.raises((FrontrowError, TypeError), match="move 2|expected string"):
        replay(SHAPE, START, ["R", move])


def test_a_path_that_ends_elsewhere_is_refused():
    with pytest.raises(FrontrowError, match="at its end, expected"):
        checked(SHAPE, START, GOAL, ["R"])


@pytest.mark.parametrize(
    ("notation", "expected"),
    [("blank", ("U", "R", "D", "R")), ("tile", ("D", "L", "U", "L")), ("number", ("1", "2", "4", "5"))],
)
def test_moves_are_written_by_blank_tile_and_number(notation, expected):
    moves = ["U", "R", "D", "R"]
    assert written(SHAPE, replay(SHAPE, START, moves), moves, notation) == expected


@pytest.mark.parametrize(
    ("moves", "notation", "expected"),
    [
        (["R2"], "number", ("4+5",)),
        (["R2", "L2"], "number", ("4+5", "5+4")),
        (["R2"], "tile", ("L2",)),
        (["U", "D"], "number", ("1", "1")),
    ],
)
def test_slides_name_the_tile_next_to_the_blank_first(moves, notation, expected):
    assert written(SHAPE, replay(SHAPE, START, moves), moves, notation) == expected
