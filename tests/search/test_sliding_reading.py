"""Files of sliding boards: every board with its line, or what is wrong with it."""

import numpy as np
import pytest

from frontrow.search.errors import UsageError
from frontrow.search.sliding.board import Shape
from frontrow.search.sliding.reading import read_boards, with_size

EIGHT = (1, 2, 3, 4, 5, 6, 7, 8, 0)


def boards(text):
    return [(each.shape.rows, each.shape.columns, each.board, each.error) for each in read_boards(text)]


@pytest.mark.parametrize(
    "text",
    [
        "1 2 3\n4 5 6\n7 8 0",
        "1,2,3\n4,5,6\n7,8,_\n",
        "1\t2\t3\n4, 5, 6\n 7  8  .  \n\n\n",
        "3x3\n1 2 3\n4 5 6\n7 8 0",
        "3 \xd7 3\n1,2,3,\n4,5,6,\n7,8,0,",
        "3\n1 2 3\n4 5 6\n7 8 0",
        "# eight\n3 X 3 # size\n1 2 3 # first\n# between\n4 5 6\n7 8 _",
        "1 2 3 4 5 6 7 8 0",
        "3x3\n\n1 2 3 4 5 6 7 8 0",
        "3 3\n1 2 3 4 5 6 7 8 0",
    ],
)
def test_one_board_in_many_forms(text):
    assert boards(text) == [(3, 3, EIGHT, "")]


@pytest.mark.parametrize(
    ("text", "shape", "tiles"),
    [
        ("1 2 3\n4 5 0", (2, 3), (1, 2, 3, 4, 5, 0)),
        ("1 2\n3 4\n5 0", (3, 2), (1, 2, 3, 4, 5, 0)),
        ("2x3\n1 2 3 4 5 0", (2, 3), (1, 2, 3, 4, 5, 0)),
        ("2 3\n1 2 3\n4 5 0", (2, 3), (1, 2, 3, 4, 5, 0)),
        ("1 2 0", (1, 3), (1, 2, 0)),
        ("1x4\n1 2 3 0", (1, 4), (1, 2, 3, 0)),
        ("1\n0\n2", (3, 1), (1, 0, 2)),
        ("0 1 2 3\n4 5 6 7", (2, 4), (0, 1, 2, 3, 4, 5, 6, 7)),
    ],
)
def test_boards_need_not_be_square(text, shape, tiles):
    assert boards(text) == [(*shape, tiles, "")]


def test_boards_are_divided_by_blank_lines_or_one_a_line():
    text = "1 2 3 4 5 6 7 8 0\n1 2 3 4 5 6 7 0 8\n\n1 2 3\n4 5 0\n\n\n2x2\n1 2 3 0\n1 2 0 3\n3 2 1 0\n"
    found = read_boards(text)
    assert [each.number for each in found] == [1, 2, 3, 4, 5, 6]
    assert [each.line for each in found] == [1, 2, 4, 9, 10, 11]
    assert [str(each.shape) for each in found] == ["3x3", "3x3", "2x3", "2x2", "2x2", "2x2"]
    assert not any(each.error for each in found)


def test_a_bad_board_does_not_stop_the_rest():
    text = "1 2 3\n4 5 6\n7 8 8\n\n1 2 3\n4 0\n\n1 2 3\n4 x 0\n\n1 0\n3 2"
    found = read_boards(text)
    assert [each.error for each in found] == [
        "line 1: found no blank, expected one: _, . or 0",
        "line 6: found 2 cells, expected 3 as in a 2x3 board",
        "line 9: found 'x', expected tiles from 1 on, and _, . or 0 for the blank",
        "",
    ]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("1 2 3\n4 4 0", "line 1: found tile 4 again in row 2, expected tile 5"),
        ("1 2 3\n4 7 0", "line 1: found tile 7 in row 2, expected tile 5"),
        ("1 2 3\n4 0 0", "line 1: found the blank again in row 2, expected tile 5"),
        ("1 2 3\n4 -5 0", "line 2: found '-5', expected tiles from 1 on, and _, . or 0 for the blank"),
        ("1,2,,3\n4 5 0", "line 1: found a comma without a tile before it, expected one, or _, . or 0"),
        ("1,2\n, 3,0", "line 2: found a comma without a tile before it, expected one, or _, . or 0"),
        ("3x3\n1 2 3\n4 5 0", "line 2: found 2 lines, expected 3"),
        ("1 2 3\n0", "line 2: found 1 cell, expected 3 as in a 2x3 board"),
        ("2x2\n1 2\n3 4\n0 5", "line 2: found 3 lines, expected 2"),
        ("2x2\n0", "line 2: found 1 cell, expected 4 of a 2x2 board"),
        (" ".join(map(str, range(65))), "line 1: found 65 cells, expected 1 to 64"),
    ],
)
def test_what_is_wrong_names_tile_row_and_line(text, error):
    assert [each.error for each in read_boards(text)] == [error]


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n", "4x4\n"])
def test_a_text_without_a_board_is_refused(text):
    with pytest.raises(UsageError, match="found no board"):
        read_boards(text)


@pytest.mark.parametrize("size", ["9x9", "0x0", "999 \xd7 999", "8X9", "3x1234567890"])
def test_a_size_that_is_none_does_not_stop_the_rest(size):
    text = f"1x4\n1 2 0 3\n\n{size} # none\n1 2 3\n4 5 0\n\n1 0 2 3\n\n2x2\n1 2\n0 3\n"
    found = read_boards(text)
    assert [(each.number, each.line) for each in found] == [(1, 2), (2, 4), (3, 8), (4, 11)]
    assert [str(each.shape) for each in found] == ["1x4", "0x0", "2x2", "2x2"]
    assert [bool(each.board) for each in found] == [True, False, True, True]
    assert found[1].error.startswith(
        f"line 4: found '{size}', expected rows x columns such as 3x4, at most 64"
    )


def test_a_size_that_is_none_may_be_all_there_is():
    [only] = read_boards("\n9x9\n")
    assert only.error.startswith("line 2: found '9x9', expected rows x columns")


@pytest.mark.parametrize(
    ("params", "size"),
    [
        ({"start": [[1, 2, 3], [4, 5, 0]]}, "2x3"),
        ({"start": "1,2,3,4,5,6,7,8,_"}, "3x3"),
        ({"start": [1, 2, 0]}, "1x3"),
        ({"start": "goal", "goal": [[1, 2], [3, 0]]}, "2x2"),
        ({"start": "1 2\n3 0", "goal": "snail"}, "2x2"),
        ({"size": "1x4", "start": [1, 2, 3, 0]}, "1x4"),
        ({"start": [[1, 2, 3, 0]]}, "1x4"),
        ({"start": np.array([1, 2, 3, 0])}, "2x2"),
        ({"start": np.array([[1, 2, 3, 0]])}, "1x4"),
        ({"start": ["1", "2", "3", "_"]}, "2x2"),
        ({}, None),
    ],
)
def test_the_size_follows_from_a_board(params, size):
    assert with_size(params).get("size") == size


@pytest.mark.parametrize(
    ("params", "error"),
    [
        ({"start": "x"}, "start: found 'x', expected tiles from 1 on"),
        ({"start": [[1, 2], [-3, 0]]}, "start: found -3, expected tiles from 1 on"),
        ({"start": [1, 2, 1.0, 0]}, "start: found 1.0, expected tiles from 1 on"),
        ({"start": None}, "start: found None, expected tiles row by row"),
        ({"start": "goal", "goal": [True, 0]}, "goal: found True, expected tiles from 1 on"),
    ],
)
def test_a_board_of_something_else_than_tiles_has_no_size(params, error):
    with pytest.raises(UsageError) as caught:
        with_size(params)
    assert str(caught.value).startswith(error)


def test_shapes_are_shapes():
    assert read_boards("1 2 0")[0].shape == Shape(1, 3)
