"""Boards on paper."""

import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontrow.search.problem import Drawn
from frontrow.search.problems.queens import Queens
from frontrow.search.queens import board
from frontrow.search.queens.drawing import FREE, QUEEN, draw, picture, squares

SVG = "{http://www.w3.org/2000/svg}"

ONE_QUEEN = r"""
+---+---+---+---+---+---+
| \ |   | | |   | / |   |
+---+---+---+---+---+---+
|   | \ | | | / |   |   |
+---+---+---+---+---+---+
| - | - | Q | - | - | - |
+---+---+---+---+---+---+
|   | / | | | \ |   |   |
+---+---+---+---+---+---+
| / |   | | |   | \ |   |
+---+---+---+---+---+---+
|   |   | | |   |   | \ |
+---+---+---+---+---+---+
"""


def test_the_squares_under_attack_of_a_partial_board():
    problem = Queens(n=6, fixed="-,-,2")
    assert problem.draw(problem.initial()[0], attacks=True) == ONE_QUEEN.strip()


def test_a_board_without_attacks():
    assert draw([1, -1]) == "+---+---+\n|   | Q |\n+---+---+\n|   |   |\n+---+---+"
    problem = Queens(n=2, fixed=[1])
    assert problem.render(problem.initial()[0]) == draw([1, -1])


@pytest.mark.parametrize(
    ("columns", "square", "expected"),
    [
        ([0, -1, 1, -1], (1, 0), "|"),  # the column of the first queen before the second queen's diagonal
        ([-1, 3, 0, -1], (1, 0), "|"),  # a column before a row
        ([-1, 3, 0, -1], (2, 2), "-"),  # a row before a falling diagonal
        ([0, -1, -1, 1], (2, 2), "/"),  # queens at (0, 0) and (3, 1): both diagonals, the rising one first
    ],
)
def test_of_several_attacks_the_first_in_order_is_drawn(columns, square, expected):
    found = squares(columns, attacks=True)[square[0]][square[1]]
    assert found == expected


@given(st.integers(0, 9), st.data())
def test_a_square_is_marked_if_and_only_if_a_queen_attacks_it(n, data):
    columns = [-1] * n
    for row in range(n):
        free = [
            column
            for column in range(n)
            if not any(board.attacks((row, column), (r, c)) for r, c in enumerate(columns) if c >= 0)
        ]
        columns[row] = data.draw(st.sampled_from([-1, *free]))
    queens = [(row, column) for row, column in enumerate(columns) if column >= 0]
    for row, line in enumerate(squares(columns, attacks=True)):
        for column, found in enumerate(line):
            attackers = [queen for queen in queens if board.attacks((row, column), queen)]
            if (row, column) in queens:
                assert found == QUEEN
            else:
                assert (found == FREE) == (not attackers)
                ways = {
                    "|": any(c == column for _, c in attackers),
                    "-": any(r == row for r, _ in attackers),
                    "/": any(r + c == row + column for r, c in attackers),
                    "\\": any(r - c == row - column for r, c in attackers),
                    FREE: True,
                }
                assert found == next(mark for mark, is_seen in ways.items() if is_seen)


def uses(text, name):
    return [each for each in ElementTree.fromstring(text).iter(f"{SVG}use") if each.get("href") == f"#{name}"]


def test_a_picture_has_a_queen_on_each_of_their_squares():
    [one, two] = uses(picture([[1, -1, 0]]), "queen")
    assert (one.get("x"), one.get("y")) == ("40", "0")
    assert (two.get("x"), two.get("y")) == ("0", "80")


def test_attacks_in_a_picture_are_those_of_the_drawing():
    text = picture([[-1, -1, 2, -1, -1, -1]], attacks=True)
    assert [len(uses(text, name)) for name in ("column", "row", "rising", "falling")] == [5, 5, 4, 5]
    assert not uses(picture([[-1, -1, 2, -1, -1, -1]]), "row")


@pytest.mark.parametrize("count", [1, 2, 5, 100])
def test_boards_of_a_picture_lie_side_by_side_within_it(count):
    root = ElementTree.fromstring(picture([[1, 3, 0, 2]] * count))
    _, _, width, height = map(int, root.get("viewBox").split())
    assert (root.get("width"), root.get("height")) == (str(width), str(height))
    corners = {
        tuple(map(int, each.get("transform").removeprefix("translate(").removesuffix(")").split()))
        for each in root.iter(f"{SVG}g")
        if each.get("transform")
    }
    assert len(corners) == count
    for left, top in corners:
        assert left + 160 < width
        assert top + 160 < height
        assert all(abs(left - x) >= 160 or abs(top - y) >= 160 for x, y in corners - {(left, top)})


def test_an_empty_board_can_be_drawn():
    assert draw([]) == "+"
    ElementTree.fromstring(picture([[]]))


def test_queens_are_drawn():
    assert isinstance(Queens(n=4), Drawn)
