"""How boards of peg solitaire are drawn and how a question is put."""

import pytest

from frontrow.search.errors import UsageError
from frontrow.search.problems.pegs import Pegs
from frontrow.search.registry import ProblemRef

CROSS = " ..\n....\n ..\n"


def asked(*words):
    """Board, start and goal as a question keeps them."""
    problem = Pegs.from_words(words, {})
    return problem.board, problem.start, problem.goal


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (("english",), ("english", "3,3", "3,3")),
        (("english", "start=centre", "goal=center"), ("english", "3,3", "3,3")),
        (("english", "start=(0, 2)"), ("english", "0,2", "0,2")),
        (("english", "0,2", "one"), ("english", "0,2", "one")),
        (("european", "goal=6,3"), ("european", "3,3", "6,3")),
        (("triangle15",), ("triangle15", "4,0", "4,0")),
        (("..../....",), ("....\n....", "0,0", "0,0")),
        (("....", "start=@@.@", "goal=...@"), ("....", "2,0", "3,0")),
        (("@.@@",), ("....", "1,0", "1,0")),
        (("@..@",), ("....", "@..@", "one")),
        (("@..@", "start=1,0"), ("....", "1,0", "1,0")),
        (("@@@@",), ("....", "0,0", "0,0")),
    ],
)
def test_every_question_is_kept_one_way(words, kept):
    assert asked(*words) == kept


def test_a_file_is_kept_as_its_board(tmp_path):
    path = tmp_path / "board.txt"
    path.write_bytes("\ufeff\r\n   ###\r\n   \uff20@\r\n  @o@@ \r\n   @@\r\n\r\n".encode())
    problem = Pegs(str(path))
    assert (problem.board, problem.start, problem.encoding) == (CROSS.rstrip("\n"), "1,1", "")
    path.unlink()
    again = ProblemRef.of(problem).load()
    assert again == problem
    assert again.render(again.initial()[0]) == " @@\n@.@@\n @@"


def test_a_file_in_another_encoding_is_read_if_it_is_named(tmp_path):
    path = tmp_path / "board.txt"
    path.write_bytes(CROSS.translate({32: 0x3000, 46: 0xFF0E}).encode("shift_jis"))
    assert Pegs(str(path), encoding="shift_jis").board == CROSS.rstrip("\n")
    with pytest.raises(UsageError, match="try --encoding shift_jis"):
        Pegs(str(path))


def test_start_and_goal_may_be_files(tmp_path):
    start, goal = tmp_path / "start.txt", tmp_path / "goal.txt"
    start.write_text("@@.@@\n", encoding="utf-8")
    goal.write_text("..@..\n", encoding="utf-8")
    assert asked(".....", str(start), str(goal)) == (".....", "2,0", "2,0")


def test_a_drawing_of_a_known_board_is_that_board(tmp_path):
    problem = Pegs("triangle15")
    assert Pegs(problem.render(problem.initial()[0])) == problem


def test_holes_set_off_line_by_line_make_a_triangular_grid():
    problem = Pegs("#@#\n@#@\n", start="#@#\n@#@\n")
    assert problem.degree == 0
    triangle = Pegs("##.##\n#.#.#\n.#.#.")
    assert [triangle.start, triangle.degree] == ["2,0", 3]
    assert triangle.expand(triangle.initial())[0].shape[0] == 2


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("hexagon",), "board: found 'hexagon', expected english, european, triangle15, a picture or a file"),
        (
            ("..x/...\n",),
            "board: line 1: found 'x', expected @ for a peg, . or o for an empty hole, # or a blank",
        ),
        (("###",), "board: found a board of 0 holes, expected 1 to 256"),
        (("." * 257,), "board: found a board of 257 holes, expected 1 to 256"),
        (("english", "start=0,0"), "start: found 0,0, which is no hole, expected one such as 4,6"),
        (("triangle15", "goal=centre"), "goal: found centre, which is no hole"),
        (
            ("english", "start=one"),
            "start: found 'one', expected a hole such as 3,3, centre, a picture or a file",
        ),
        (
            ("english", "goal=two"),
            "goal: found 'two', expected a hole such as 3,3, centre, one, a picture or a file",
        ),
        (
            ("..../....", "start=@@@@/@@@"),
            r"start: found another board \(line 2, column 4\), expected the same",
        ),
        ((" ",), "board: found ' ', expected english or european or triangle15, a picture or a file"),
    ],
)
def test_what_is_no_board_is_refused_in_one_line(words, complaint):
    with pytest.raises(UsageError, match=complaint) as caught:
        Pegs.from_words(words, {})
    assert "\n" not in str(caught.value)


def test_a_bad_line_of_a_file_is_named(tmp_path):
    path = tmp_path / "board.txt"
    path.write_text("...\n.?.\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"board\.txt: line 2: found '\?', expected @"):
        Pegs(str(path))


@pytest.mark.parametrize("value", [3, None, ["english"], b"english"])
def test_values_from_python_that_are_no_texts_are_refused(value):
    with pytest.raises(UsageError, match="board: found"):
        Pegs(board=value)


def test_holes_from_python_may_be_pairs():
    assert Pegs("english", start=(0, 2), goal=[3, 3]).goal == "3,3"
    with pytest.raises(UsageError, match="start: found"):
        Pegs("english", start=3)
