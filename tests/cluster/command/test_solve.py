"""``frontrow solve``: boards from files and words, what is printed, exit statuses."""

import io
import json
import os
import re
import sys
import xml.etree.ElementTree as ET

import pytest

from frontrow.cluster.command.app import run
from frontrow.cluster.command.solved import play, threshold_line
from frontrow.cluster.exploration.limits import TimeLimitError
from frontrow.cluster.solve import solve
from frontrow.cluster.solving.result import Threshold

HARDEST = "start=8,6,7,2,5,4,3,_,1"
FIRST = "U U L D D R R U U L D L D R R U U L D L D R R U U L L D D R R"
pytestmark = pytest.mark.jit


@pytest.fixture
def solving(tmp_path, capsys):
    """Runs ``frontrow solve sliding`` with a ledger of its own: status, standard output, standard error."""

    def call(*words):
        status = run(["solve", "sliding", "--store", str(tmp_path / "store"), *words])
        return status, *capsys.readouterr()

    return call


@pytest.fixture
def board(tmp_path, monkeypatch):
    """Writes a file in the working directory and gives its name."""
    monkeypatch.chdir(tmp_path)

    def write(text, name="board.txt", encoding="utf-8"):
        (tmp_path / name).write_bytes(text.encode(encoding))
        return name

    return write


def test_a_solution_is_printed_with_its_proof_and_moves(solving):
    status, out, _ = solving("3x3", HARDEST, "-q")
    lines = out.splitlines()
    assert status == 0
    assert lines[0].startswith("31 moves, proved optimal: sliding size=3x3 start=8,6,7,2,5,4,3,0,1")
    assert lines[1] == FIRST
    assert "moves     U D L R: the way the blank goes" in lines


def test_what_is_proved_of_a_length_is_rounded_up(solving):
    first = solving("3x3", HARDEST, "--method", "greedy", "-q")[1].splitlines()[0]
    length, lower, ratio = re.match(
        r"(\d+) moves, at least (\d+) are needed: at most ([\d.]+) times the shortest", first
    ).groups()
    assert (int(length), int(lower), ratio) == (45, 21, "2.15")  # 45/21 is 2.1428...


@pytest.mark.parametrize(
    ("way", "proof"),
    [
        ([], "24 moves, proved optimal: "),
        (["--method", "astar"], "24 moves, proved optimal: "),
        (["--weight", "1.01"], "24 moves, proved optimal, not always the first: "),
    ],
)
def test_a_shortest_solution_that_need_not_be_the_first_says_so(solving, way, proof):
    board = ("3x3", "start=4,6,3,2,5,8,7,0,1", "goal=1,0,8,6,3,5,2,7,4")
    assert solving(*board, *way, "-q")[1].startswith(proof)


def test_rounds_are_told_on_standard_error(solving):
    _, _, err = solving("3x3", HARDEST)
    bounds = re.findall(r"^bound (\d+): [\d,]+ nodes, .* nodes/s$", err, re.MULTILINE)
    assert bounds == ["21", "23", "25", "27", "29", "31"]
    assert solving("3x3", HARDEST, "-q", "--fresh")[2] == ""


def test_the_size_may_be_left_out(solving):
    assert json.loads(solving(HARDEST, "--json")[1])["params"]["size"] == "3x3"


@pytest.mark.parametrize(
    ("moves", "first", "stated"),
    [
        ("blank", "R U U", "U D L R: the way the blank goes"),
        ("tile", "L D D", "U D L R: the way the tile goes"),
        ("number", "6 3 2", "the number of the tile that moves"),
    ],
)
def test_the_notation_is_stated(solving, moves, first, stated):
    _, out, _ = solving("3x3", "start=1,4,2,5,_,6,7,8,3", "--moves", moves, "-q")
    assert stated in out
    found = json.loads(solving("3x3", "start=1,4,2,5,_,6,7,8,3", "--moves", moves, "--json")[1])
    assert found["notation"] == moves
    assert out.splitlines()[1] == " ".join(found["moves"])


def test_the_json_object_has_its_fields(solving):
    found = json.loads(solving("3x3", HARDEST, "--json", "--all", "--limit", "2")[1])
    assert (found["verb"], found["problem"], found["solved"], found["optimal"]) == (
        "solve",
        "sliding",
        True,
        True,
    )
    assert (found["length"], found["lower"], found["upper"]) == (31, 31, 31)
    assert " ".join(found["moves"]) == FIRST
    assert (len(found["boards"]), found["boards"][-1]) == (32, "1 2 3\n4 5 6\n7 8 _")
    assert (found["solutions"], len(found["listed"])) == ("40", 2)
    assert isinstance(found["expanded"], str)
    assert (found["method"], found["heuristic"], found["reason"]) == ("ida", "manhattan", None)
    assert [each["bound"] for each in found["thresholds"]] == [21, 23, 25, 27, 29, 31]
    assert found["complete"]


@pytest.mark.parametrize("words", [["--steps"], ["--animate"]])
def test_every_board_is_shown_from_step_0(solving, words):
    _, out, _ = solving("2x3", "start=1,2,3,_,4,5", "-q", *words)
    assert out.endswith("step 0\n1 2 3\n_ 4 5\n\nstep 1: R\n1 2 3\n4 _ 5\n\nstep 2: R\n1 2 3\n4 5 _\n")


def test_steps_and_pictures_go_to_files(solving, tmp_path):
    text, picture = tmp_path / "way.txt", tmp_path / "way.svg"
    solving("2x3", "start=1,2,3,_,4,5", "-q", "--out", str(text), "--svg", str(picture))
    assert text.read_text().startswith("2 moves, proved optimal: ")
    assert text.read_text().endswith("step 2: R\n1 2 3\n4 5 _\n")
    root = ET.fromstring(picture.read_text())
    texts = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert [each for each in texts if each.startswith("step")] == ["step 0", "step 1: R", "step 2: R"]
    assert len(texts) == 3 + 3 * 5


def test_a_picture_shows_every_board(solving, board, tmp_path):
    solving(board(MANY), "-q", "--svg", "way.svg")
    root = ET.fromstring((tmp_path / "way.svg").read_text())
    titles = [each.text for each in root.iter("{http://www.w3.org/2000/svg}title")]
    assert len(titles) == 2
    assert all(each.endswith(": 1 move") for each in titles)
    inner = [each for each in root if each.tag.endswith("svg")]
    assert float(inner[1].get("y")) == float(inner[0].get("height"))


@pytest.mark.parametrize("option", ["--out", "--svg"])
@pytest.mark.parametrize("place", ["nowhere/way", "."])
def test_files_that_cannot_be_made_are_refused_before_the_search(solving, board, option, place, monkeypatch):
    monkeypatch.setattr("frontrow.cluster.solving.solver.Solver.solve", None)
    status, out, err = solving(board("1 2 3\n4 _ 5\n"), option, place)
    assert (status, out) == (2, "")
    assert err.startswith(f"frontrow: {option[2:]}: found {place}: ")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--out", "./board.txt"], "out: found ./board.txt, which the board names as well"),
        (["--svg", "link.txt"], "svg: found link.txt, which the board names as well"),
        (["--out", "way", "--svg", "way"], "svg: found way, which out names as well"),
    ],
)
def test_no_file_is_written_over_what_is_read_or_written(solving, board, tmp_path, words, line):
    name = board("1 2 3\n4 _ 5\n")
    (tmp_path / "link.txt").symlink_to(tmp_path / name)
    status, out, err = solving(name, *words)
    assert (status, out, err) == (2, "", f"frontrow: {line}, expected another file\n")
    assert (tmp_path / name).read_text() == "1 2 3\n4 _ 5\n"


@pytest.mark.parametrize("option", ["--out", "--svg"])
def test_a_dash_is_no_file_to_write_to(solving, board, tmp_path, option):
    status, out, err = solving(board("1 2 3\n4 _ 5\n"), option, "-")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"frontrow: {option[2:]}: found -, expected a file to write to, or /dev/stdout")
    assert not (tmp_path / "-").exists()


def test_what_is_no_file_may_be_written_twice(solving, board):
    assert solving(board("1 2 3\n4 _ 5\n"), "-q", "--out", os.devnull, "--svg", os.devnull)[0] == 0


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["board.txt", "other.txt"], "board: found board.txt other.txt, expected one file"),
        (["board.txt", "-"], "board: found board.txt -, expected one file"),
        (
            ["3x3", "board.txt"],
            "board: found 3x3 beside board.txt, expected one of them: a file has a size",
        ),
        (["-", "3x3"], "board: found 3x3 beside -, expected one of them: a file has a size"),
        (["board.txt", "size=3x3"], "board: found size=3x3 beside board.txt, expected one of them"),
        (["board.txt", "start=1,0"], "board: found start=1,0 beside board.txt, expected one of them"),
        (["3x3", "other.txt"], "start: found 'other.txt', expected tiles from 1 on"),
    ],
)
def test_one_board_file_is_enough(solving, board, words, line):
    board(MANY)
    status, out, err = solving(*words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"frontrow: {line}")


def test_a_board_may_follow_its_size(solving):
    assert solving("2x3", "1,2,3,4,_,5", "-q")[0] == 0


def test_a_file_stays_as_it_was_if_nothing_is_solved(solving, board, tmp_path):
    (tmp_path / "way.txt").write_text("before")
    solving("3x3", "start=2,1,3,4,5,6,7,8,_", "--out", "way.txt")
    assert (tmp_path / "way.txt").read_text() == "before"
    assert not list(tmp_path.glob(".*.part"))


def test_a_solution_is_played_in_one_place():
    written = []
    play(solve("sliding", start=[[1, 2, 3], [0, 4, 5]]), written.append, pause=0.0)
    assert len(written) == 3
    assert written[0] == "\r\x1b[Kstep 0 of 2\n\r\x1b[K1 2 3\n\r\x1b[K_ 4 5\n"
    assert all(frame.startswith("\x1b[3A") for frame in written[1:])


def test_without_a_terminal_the_steps_of_each_board_follow_it(solving, board):
    out = solving(board(MANY), "-q", "--animate")[1]
    assert "\n\nstep 1: R\n1 2 3\n4 5 6\n7 8 _\n\nboard 4 (board.txt, line 13)\n1 move, " in out
    assert out.endswith("step 0\n1 2 3\n4 _ 5\n\nstep 1: R\n1 2 3\n4 5 _\n")


@pytest.mark.parametrize(("term", "plays"), [("xterm", True), ("dumb", False), (None, False)])
def test_only_a_terminal_that_can_go_back_plays(solving, monkeypatch, term, plays):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    monkeypatch.delenv("TERM", raising=False)
    if term is not None:
        monkeypatch.setenv("TERM", term)
    out = solving("2x3", "start=1,2,3,_,4,5", "-q", "--animate")[1]
    assert ("\x1b[3A" in out, "step 2: R of 2" in out, "step 2: R\n" in out) == (plays, plays, not plays)


def test_ctrl_c_ends_a_film_and_that_is_all(solving, monkeypatch):
    def interrupt(seconds):
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("time.sleep", interrupt)
    status, out, err = solving("2x3", "start=1,2,3,_,4,5", "-q", "--animate")
    assert (status, err) == (0, "")
    assert ", proved optimal: " in out
    assert "step 0 of 2" in out
    assert "step 1" not in out


def test_without_standard_output_nothing_is_asked_but_for_files(solving, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(sys, "stdout", None)
    status, _, err = solving("2x3", "start=1,2,3,_,4,5", "-q")
    assert (status, err) == (
        2,
        "frontrow: standard output: found it closed, expected it open, or --out or --svg\n",
    )
    assert solving("2x3", "start=1,2,3,_,4,5", "-q", "--out", str(tmp_path / "way.txt"))[0] == 0
    assert (tmp_path / "way.txt").read_text().startswith("2 moves, ")


def test_nothing_is_played_into_json(solving):
    status, out, err = solving("2x3", "start=1,2,3,_,4,5", "--json", "--animate")
    assert (status, out) == (2, "")
    assert err == "frontrow: animate: found it with --json, expected one of them\n"


def wide(text):
    """A text as an East Asian input method writes it."""
    return text.translate({ord(one): ord(one) + 0xFEE0 for one in "0123456789_"} | {ord(" "): 0x3000})


@pytest.mark.parametrize(
    ("text", "encoding", "words"),
    [
        ("1 2 3\n4 5 6\n7 _ 8\n", "utf-8", []),
        ("3x3\r\n1,2,3\r\n4,5,6\r\n7,.,8\r\n", "utf-8-sig", []),
        ("# 盤面\n" + wide("1 2 3\n4 5 6\n7 0 8\n"), "utf-8", []),
        ("# 盤面\n" + wide("1 2 3\n4 5 6\n7 _ 8\n"), "shift_jis", ["--encoding", "shift_jis"]),
    ],
)
def test_board_files_of_any_kind(solving, board, text, encoding, words):
    status, out, _ = solving(board(text, "盤.txt", encoding), "-q", *words)
    assert (status, out.splitlines()[1]) == (0, "R")


@pytest.mark.parametrize("size", ["3x3", "3\xd73", "\uff13\uff58\uff13", "size=3\xd73"])
def test_words_may_be_full_width(solving, size):
    status, out, _ = solving(size, "start=" + wide("1 2 3 4 5 6 7 0 8").replace("\u3000", "\uff0c"), "-q")
    assert (status, out.splitlines()[1]) == (0, "R")


def test_another_encoding_is_suggested(solving, board):
    status, out, err = solving(board("# 盤面\n1 2 0\n", "盤.txt", "shift_jis"))
    assert (status, out) == (2, "")
    assert "盤.txt: found byte" in err
    assert "try --encoding shift_jis" in err


def test_standard_input_is_a_file(solving, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1 2 3\n4 _ 5\n")))
    status, out, _ = solving("-", "-q")
    assert (status, out.splitlines()[1]) == (0, "R")


MANY = "1 2 3\n4 5 6\n7 _ 8\n\n2 1 3\n4 5 6\n7 8 _\n\n1 2 3\n4 5 5\n7 8 _\n\n1 2 3\n4 _ 5\n"


def test_a_bad_board_does_not_stop_the_rest(solving, board):
    status, out, err = solving(board(MANY), "-q")
    assert status == 2
    assert out.count("1 move, proved optimal") == 2
    assert "board 1 (board.txt, line 1)\n" in out
    assert "board 4 (board.txt, line 13)\n" in out
    assert "frontrow: board 2 (board.txt, line 5): the goal cannot be reached" in err
    assert "frontrow: board.txt: line 9: found tile 5 again in row 2, expected tile 6" in err


def test_a_bad_size_does_not_stop_the_rest(solving, board):
    text = "3x3\n1 2 3\n4 5 6\n7 0 8\n\n8x9\n1 2 3\n\n2x2\n1 2\n0 3\n"
    status, out, err = solving(board(text), "-q")
    assert (status, out.count("1 move, proved optimal")) == (2, 2)
    assert err.startswith("frontrow: board.txt: line 6: found '8x9', expected rows x columns")
    assert "board 3 (board.txt, line 10)\n" in out


@pytest.mark.parametrize("way", [["--method", "astar"], ["--heuristic", "walking"], ["--weight", "1.5"]])
def test_a_board_of_one_row_keeps_the_status_of_its_file(solving, board, way):
    status, out, err = solving(board("1 2 3\n4 5 6\n7 _ 8\n\n1x4\n1 2 0 3\n"), "-q", *way)
    assert (status, out.count("1 move, proved optimal"), err) == (0, 2, "")


def test_a_file_of_steps_tells_of_bad_boards_as_well(solving, board, tmp_path):
    solving(board(MANY), "-q", "--out", "way.txt")
    parts = re.split(r"^(board \d) .*\n", (tmp_path / "way.txt").read_text(), flags=re.MULTILINE)
    assert parts[1::2] == ["board 1", "board 2", "board 3", "board 4"]
    assert parts[2].startswith("1 move, proved optimal: ")
    assert parts[4].startswith("the goal cannot be reached: ")
    assert parts[4].count("\n") == 2
    assert parts[6] == "board.txt: line 9: found tile 5 again in row 2, expected tile 6\n\n"


@pytest.mark.parametrize(
    ("words", "title"),
    [
        (["2x2", "start=1,2,0,3"], "start=1,2,0,3 goal=blank-last"),
        (["2x2", "start=snail", "goal=3,0,2,1"], "start=1,2,0,3 goal=3,0,2,1"),
        (["2x2", "start=1,2,0,3", "goal=snail"], "start=goal goal=snail"),
    ],
)
def test_a_board_is_called_by_its_tiles_unless_it_is_the_goal(solving, words, title):
    assert f"sliding size=2x2 {title} " in solving(*words, "-q")[1].splitlines()[0]


GOAL = "# to here\n1 2 3\n8 _ 4\n7 6 5\n"


def test_the_goal_may_be_a_file(solving, board, tmp_path):
    board(GOAL, "goal.txt")
    found = json.loads(solving("3x3", "start=1,2,3,8,4,_,7,6,5", "goal=goal.txt", "--json")[1])
    assert (found["moves"], found["params"]["goal"]) == (["L"], "snail")
    many = board("1 2 3\n8 4 _\n7 6 5\n\n1 2 3\n8 6 4\n7 _ 5\n")
    status, out, _ = solving(many, "goal=goal.txt", "-q")
    assert (status, out.count("1 move, proved optimal")) == (0, 2)
    (tmp_path / "盤.txt").write_bytes(("# 盤面\n" + GOAL).encode("shift_jis"))
    assert solving("start=1,2,3,8,4,_,7,6,5", "goal=盤.txt", "--encoding", "shift_jis", "-q")[0] == 0


@pytest.mark.parametrize(
    ("text", "words", "line"),
    [
        (GOAL + "\n" + GOAL, [], "goal: found 2 boards in goal.txt, expected one"),
        ("1 2 3\n8 _ 8\n7 6 5\n", [], "goal.txt: line 1: found tile 8 again in row 2, expected tile 4"),
        ("1 2\n3 4\n5 _\n", [], "goal: line 1: found 2 cells, expected 3"),
        ("", [], "goal.txt: found no board, expected rows of tiles such as 1 2 3"),
        (
            GOAL,
            ["--out", "goal.txt"],
            "out: found goal.txt, which the goal names as well, expected another file",
        ),
    ],
)
def test_a_file_that_is_no_goal_is_named(solving, board, text, words, line):
    board(text, "goal.txt")
    status, out, err = solving("2x3", "start=1,2,3,4,_,5", "goal=goal.txt", *words)
    assert (status, out, err) == (2, "", f"frontrow: {line}\n")


def test_what_can_be_read_as_a_goal_is_no_file(solving, board):
    for name in ("snail", "1,2,3,4,_,5"):
        board("nothing", name)
        assert solving("2x3", "start=1,2,3,4,5,_", f"goal={name}", "-q")[0] in (0, 3)


def test_several_boards_are_a_list_in_json(solving, board):
    found = json.loads(solving(board(MANY), "--json")[1])
    assert [each["solved"] for each in found] == [True, False, False, True]
    assert [each["board"].partition(" (")[0] for each in found] == [f"board {n}" for n in (1, 2, 3, 4)]
    assert "found tile 5 again" in found[2]["reason"]


def test_names_of_files_that_are_no_text_are_written_as_escapes(solving, board, tmp_path):
    name = os.fsdecode(b"\x94two\x1b.txt")
    status, out, _ = solving(board("1 2 3\n4 _ 5\n\n1 2\n0 3\n", name), "-q", "--out", "way.txt")
    assert status == 0
    assert out.startswith("board 1 (\\udc94two\\x1b.txt, line 1)\n1 move, ")
    assert (tmp_path / "way.txt").read_text().startswith("board 1 (\\udc94two\\x1b.txt, line 1)\n1 move, ")


def test_a_goal_of_other_tiles_than_the_start_is_refused(solving, board):
    status, _, err = solving(board("1 2 3\n4 5 0\n"), "goal=1,2,3,4,6,0")
    assert status == 2
    assert "goal: found tile 6 in row 2, expected tile 5" in err


@pytest.mark.parametrize("words", [["3x3", "start=2,1,3,4,5,6,7,8,_"], ["1x3", "start=2,1,_"]])
def test_what_cannot_be_solved_has_exit_status_3(solving, words):
    status, out, err = solving(*words)
    assert (status, out) == (3, "")
    assert err.startswith("frontrow: the goal cannot be reached: ")
    status, out, _ = solving(*words, "--json")
    found = json.loads(out)
    assert (status, found["solved"], found["length"], found["moves"]) == (3, False, None, None)
    assert found["reason"].startswith("the goal cannot be reached")


def test_a_limit_has_exit_status_4_and_tells_the_bounds(solving, monkeypatch):
    def over(self):
        raise TimeLimitError("the time limit of 1 s was reached")

    monkeypatch.setattr("frontrow.cluster.solving.deepening.Deepening.run", over)
    status, out, err = solving("3x3", HARDEST, "--json", "--time-limit", "1")
    found = json.loads(out)
    assert (status, found["complete"], found["solved"]) == (4, False, False)
    assert found["lower"] == 21
    assert found["upper"] >= 31
    assert "21 moves at least" in err
    assert "the same command goes on from there" in err


def test_what_is_solved_already_has_no_moves(solving):
    status, out, _ = solving("4x4", "-q")
    assert status == 0
    assert out.startswith("0 moves, proved optimal: ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "board: found none, expected a file, - or start="),
        (["nothing.txt"], "nothing.txt: found no such file"),
        (["3x3", "start=1,2"], "start: found 2 cells, expected 9 of a 3x3 board"),
        (["3x3", HARDEST, "--method", "dfs"], "method: found 'dfs'"),
        (["3x3", HARDEST, "--limit", "3"], "limit: found 3 without --all"),
        (["3x3", HARDEST, "--weight", "0.5"], "weight: found '0.5', expected a number from 1"),
        (["3x3", HARDEST, "--moves", "arrows"], "moves: found 'arrows'"),
        (["3x3", HARDEST, "--disk", "0"], "disk: found '0', expected a size such as 4G or 500M"),
        (["3x3", HARDEST, "--heuristic", "pdb:9-9"], "heuristic: found"),
        (["3x3", HARDEST, "--encoding", "utf-8"], "encoding: found utf-8 without a file"),
    ],
)
def test_what_does_not_fit_is_one_line_and_exit_status_2(solving, words, message):
    status, out, err = solving(*words)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("problem", ["queens", "pegs"])
def test_other_problems_are_refused_with_what_to_do(problem, capsys):
    assert run(["solve", problem, "6"]) == 2
    assert f"problem: found {problem}, expected sliding" in capsys.readouterr().err


def test_jobs_show_and_forget_know_solutions(solving, tmp_path, capsys):
    job = json.loads(solving("3x3", HARDEST, "--json")[1])["job"]
    store = ["--store", str(tmp_path / "store")]
    assert run(["jobs", *store]) == 0
    assert "solve sliding size=3x3" in capsys.readouterr().out
    assert run(["show", job, *store]) == 0
    shown = capsys.readouterr().out
    assert FIRST in shown
    assert "heuristic  manhattan" in shown
    assert run(["show", job, "--json", *store]) == 0
    assert json.loads(capsys.readouterr().out)["length"] == 31
    assert run(["forget", job, *store]) == 0


def test_one_of_anything_is_one(solving):
    out = solving("3x3", "start=1,2,3,4,5,6,7,_,8", "--all", "-q")[1]
    assert "1 solution is as short" in out
    assert not re.search(r"\b1 \w+s\b", out.replace("with 1 workers", ""))


def test_a_round_is_one_line():
    assert threshold_line(Threshold(41, 1, 0.5)).startswith("bound 41: 1 node, ")
    assert threshold_line(Threshold(41, 1_234_567, 0.5)) == (
        "bound 41: 1,234,567 nodes, 0.5 s, 2.47 M nodes/s"
    )
