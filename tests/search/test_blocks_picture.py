"""What pictures of sliding block puzzles say, and which ones say nothing."""

from pathlib import Path

import pytest

from frontrow.search.blocks.picture import parse
from frontrow.search.blocks.plan import plan
from frontrow.search.errors import UsageError
from frontrow.search.problems.blocks import SHIPPED


def kinds(text):
    """Letters that are interchangeable, kind by kind."""
    return list(plan(text).letters[1:])


def test_cells_of_a_letter_that_touch_are_one_piece_unless_it_is_single():
    assert [(p.letter, len(p.cells)) for p in parse("AA.\nB.A\n\nsingle: A\n").pieces] == [
        ("A", 1),
        ("A", 1),
        ("B", 1),
        ("A", 1),
    ]
    assert [p.cells for p in parse("AA#\n.AB\n").pieces] == [((0, 0), (0, 1), (1, 1)), ((1, 2),)]
    assert kinds("AA.AA\n") == ["AA"]


def test_pieces_of_a_shape_are_alike_unless_the_goal_shows_their_letter():
    assert kinds(SHIPPED["klotski"]) == ["ACDF", "B", "E", "GHIJ"]
    assert kinds(SHIPPED["piece-change"]) == ["L", "N", "OO", "FF"]
    assert kinds("ABC.\n") == ["ABC"]
    assert kinds("ABC.\n\n.A..\n") == ["A", "BC"]


def test_settings_say_which_pieces_are_distinct_and_which_alike():
    assert kinds("ABC.\n\ndistinct:\n") == ["A", "B", "C"]
    assert kinds("ABC.\n\ndistinct: B\n") == ["AC", "B"]
    assert kinds("ABCDE.\n\n.ABCD.\n\nalike: AC, BD\n") == ["AC", "BD", "E"]
    assert kinds("ABC.\n\ndistinct:\nalike: AC\n") == ["AC", "B"]


@pytest.mark.parametrize(
    "text",
    [
        "AA.\n#.B\n\n.AA\n...\n\ndistinct: B\n",
        "; a comment\n\n\n  A A .\n# . B\n\n\ngoal:\n.AA\n#..\nDistinct: B\n\n",
        "distinct: B\nAA.\n#.B\nGOAL:\n.AA\n...\n",
        "AA.\r\n#.B\r\n\r\n\uff0eAA\r\n...\r\n\r\ndistinct:\u3000B",
    ],
)
def test_ways_to_write_the_same_puzzle(text):
    puzzle = parse(text)
    assert (puzzle.start, puzzle.wanted) == (("AA.", "#.B"), parse(".AA\n...\n").pieces)
    again = parse(puzzle.text)
    assert (again.start, again.goal, again.settings) == (puzzle.start, puzzle.goal, puzzle.settings)
    assert again.text == puzzle.text
    assert kinds(puzzle.text) == ["A", "B"]


BAD = [
    ("", "puzzle: found no picture, expected that of the start"),
    ("; nothing\n\n", "puzzle: found no picture, expected that of the start"),
    ("..\n", "puzzle: found no piece, expected letters or digits in the start"),
    ("A.\n\nAB\nC\n", "puzzle, line 4: found 1 cells, expected 2 as in the first"),
    ("A.\n\n.A.\n", "puzzle, line 3: found 3 cells, expected 2 as in the first"),
    ("A.\n..\n\n.A\n", "puzzle, line 4: found a goal of 1 lines, expected 2 as in the start"),
    (
        "A?\n",
        "puzzle, line 1: found '?', expected letters or digits for pieces, . for a free cell, # for a wall",
    ),
    ("A.\n\n.B\n", "puzzle, line 3: found B in the goal, expected pieces of the start: A"),
    (
        "AA.\n\n..A\n",
        "puzzle, line 3: found A in the goal with 1 cells, expected the 2 of the start in the same shape",
    ),
    ("A..\n\nA.A\n", "puzzle: found 2 pieces A in the goal, expected at most the 1 of the start"),
    ("A#.\n\n.A.\n", "puzzle, line 3: found A in the goal where the start has #, expected the same walls"),
    ("A.\n\nA#\n", "puzzle, line 3: found # in the goal where the start has ., expected the same walls"),
    ("A.\n\n..\n", "puzzle, line 3: found no piece in the goal, expected at least one"),
    ("A.\n\n.A\n\nA.\n", "puzzle, line 5: found one more picture, expected a start and a goal"),
    ("A.\n\n.A\ngoal:\n.A\n", "puzzle, line 5: found one more picture, expected a start and a goal"),
    ("A.\ngoal:\n", "puzzle: found goal: and no picture below, expected one"),
    ("goal:\n.A\n", "puzzle: found goal: and no picture before, expected one"),
    ("A.\nsingle: B\n", "puzzle: found 'B' after single:, expected letters of the start"),
    (
        "AA.\n..A\n",
        (
            "puzzle: found A in lines 1 and 2 in different shapes, expected one a letter:"
            " pieces that touch need other letters, or single: A"
        ),
    ),
    (
        "A.\nalike A:\n",
        (
            "puzzle, line 2: found 'alike A:', expected a picture, goal: on its own,"
            " or once each single:, distinct:, alike:"
        ),
    ),
    ("A" + "." * 64 + "\n", "puzzle: found 65 cells that are no walls, expected at most 64"),
]


@pytest.mark.parametrize(("text", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_pictures_are_refused_in_one_line(text, message):
    with pytest.raises(UsageError) as caught:
        parse(text)
    assert str(caught.value) == message


def test_walls_round_a_board_of_64_cells_are_not_counted():
    inner = ["#A.......#", *["#........#"] * 7]
    assert len(parse("\n".join(["#" * 10, *inner, "#" * 10]) + "\n").open) == 64


def test_the_page_about_boards_shows_the_puzzles_that_ship():
    page = (Path(__file__).parents[2] / "docs/boards.md").read_text(encoding="utf-8")
    for text in SHIPPED.values():
        assert f"```text\n{text}```" in page
