"""A person's own graph on the command line: begun, explored, explained, checked."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from frontrow.cluster.api import count
from frontrow.cluster.command.app import run
from frontrow.cluster.explore import explore
from frontrow.search.errors import ProblemError, UsageError

PATIENCE = 120
"""Seconds after which a process that should have ended fails its test."""
Captured = pytest.CaptureFixture[str]

GRAPH = """
from frontrow import StateGraph, parameter

class Mine(StateGraph):
    n: int = parameter(low=0, high=30, help="places")
    bits = 5

    def root(self):
        return (self.n // 2, 0)

    def neighbours(self, state):
        place, left = state
        return [(place + step, left) for step in (-1, 1) if 0 <= place + step < self.n]

    def is_goal(self, state):
        return state[0] == 0
"""
ROWS = """
import numpy as np
from frontrow import StateGraph, kernel

@kernel
def halve(rows):
    children = np.empty((2 * rows.shape[0], 3), np.uint64)
    for index in range(rows.shape[0]):
        half = rows[index, 2] // np.uint64(2)
        for side in range(2):
            children[2 * index + side] = rows[index]
            children[2 * index + side, 2] = half + np.uint64(side)
    return children, np.arange(2 * rows.shape[0]) // 2

class Halves(StateGraph):
    words = 3
    n: int

    def initial(self):
        return np.array([[7, 2**64 - 1, self.n]], np.uint64)

    def expand(self, rows):
        return halve(rows)

    def canonical(self, rows):
        return rows

    def is_goal(self, rows):
        return rows[:, 2] == 1
"""


@pytest.fixture(autouse=True)
def folders(tmp_path, monkeypatch):
    """A ledger and a working folder of the test's own."""
    monkeypatch.setenv("FRONTROW_STORE", str(tmp_path / "store"))
    monkeypatch.chdir(tmp_path)


def write(text: str, name: str = "mine.py") -> str:
    Path(name).write_text(text, encoding="utf-8")
    return f"./{name}"


def told(capfd: Captured, *words: str, status: int = 0) -> str:
    """What a command prints when its status is as expected; of one that fails, its only line."""
    assert run([*words, "-q"] if words[0] == "explore" else list(words)) == status
    out, err = capfd.readouterr()
    if status in (1, 2):
        assert out == "" or status == 1
        assert err.count("\n") == 1
        return err.removeprefix("frontrow: ").rstrip("\n")
    return out


def layers(capfd: Captured, *words: str) -> list[int]:
    return [int(layer) for layer in json.loads(told(capfd, "explore", *words, "--json"))["layers"]]


def test_a_new_graph_is_explored_and_passes_its_checks(capfd: Captured) -> None:
    assert run(["new", "graph", "my-tower.py"]) == 0
    assert capfd.readouterr() == ("wrote my-tower.py; try: frontrow explore my-tower.py n=8\n", "")
    found = json.loads(told(capfd, "explore", "my-tower.py", "n=8", "--json"))
    assert (found["states"], found["depth"], found["goal_depth"]) == (str(3**8), 255, 255)
    assert (found["table"], found["file"]) == ("layers", "my-tower.py")
    lines = told(capfd, "check", "my-tower.py", "n=4").splitlines()
    assert lines[-1] == "my-tower.py n=4: all 9 checks hold"
    assert {line.split()[0] for line in lines[:-2]} == {"ok", "-"}


def test_what_a_new_graph_leaves_in_comments_works_as_well(capfd: Captured) -> None:
    assert run(["new", "graph", "mine.py"]) == 0
    text = Path("mine.py").read_text(encoding="utf-8")
    before, mark, after = text.partition("    # def states(self)")
    assert mark
    write(before + (mark + after).replace("    # ", "    ").replace("    #\n", "\n"), "more.py")
    capfd.readouterr()
    assert told(capfd, "check", "more.py", "n=4").splitlines()[-1] == "more.py n=4: all 10 checks hold"
    found = json.loads(told(capfd, "explore", "more.py", "n=5", "--json"))
    assert (found["table"], found["states"]) == ("rank", "243")


def test_tables_and_shards_make_the_same_layers_of_a_graph_on_tuples(capfd: Captured) -> None:
    assert run(["new", "graph", "mine.py"]) == 0
    before, mark, after = Path("mine.py").read_text(encoding="utf-8").partition("    # def states(self)")
    path = write(before + (mark + after).replace("    # ", "    "))
    known = explore(path, n=4, table="hash")
    # Mirror images of the 81 states are alike, and only the start is its own.
    assert (known.states, known.depth, known.goal_depth, known.layers[15].goals) == (81, 15, 15, 2)
    for table in ("rank", "layers", "hash"):
        for shards in (1, 3):
            found = explore(path, n=4, table=table, shards=shards, fresh=True, until_goal=True)
            assert [layer.states for layer in found.layers] == [layer.states for layer in known.layers]
            assert found.way is not None
            assert (len(found.way.boards), found.way.boards[0]) == (16, "A A A A")
            assert found.way.boards[15] in ("B B B B", "C C C C")
            if table != "rank":
                found = explore(path, n=4, table=table, shards=shards, fresh=True, symmetry=True, paths=True)
                assert (found.states, found.boards) == (41, None)
    paths = explore(path, n=4, paths=True).paths
    assert found.paths == paths


def test_a_graph_on_rows_of_three_words_is_explored_by_its_kernel(capfd: Captured) -> None:
    path = write(ROWS)
    assert layers(capfd, path, "n=100", "--shards", "3") == [1, 2, 2, 3, 3, 3, 2, 1]
    assert told(capfd, "check", path, "n=100").splitlines()[-1] == "mine.py n=100: all 7 checks hold"
    out = told(capfd, "explore", path, "n=9", "--until-goal")
    assert "step 0\n7,18446744073709551615,9\n" in out
    assert out.endswith("step 3\n7,18446744073709551615,1\n")


def test_classes_of_unknown_size_have_no_boards(capfd: Captured) -> None:
    path = write(GRAPH + "\n    def canonical(self, state):\n        return state\n")
    out = told(capfd, "explore", path, "n=7", "--symmetry", "--paths")
    assert out.splitlines()[0].split()[:4] == ["depth", "new", "paths", "total"]
    assert "boards" not in out
    found = json.loads(told(capfd, "explore", path, "n=7", "--symmetry", "--json"))
    assert (found["boards"], found["layers"]) == (None, ["1", "2", "2", "2"])


def test_that_there_is_no_symmetry_is_said(capfd: Captured) -> None:
    path = write(GRAPH)
    assert run(["explore", path, "n=7", "--symmetry"]) == 0
    line = "found no symmetry of ./mine.py that fixes the start and the goal, so every state is counted by"
    assert f"frontrow: --symmetry: {line} itself\n" in capfd.readouterr().err
    assert run(["explore", path, "n=7", "--symmetry", "-q"]) == 0
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("old", "new", "status", "line"),
    [
        ("return (self.n // 2, 0)", "return [1, 2]", 2, "line 8 in root: found [1, 2], expected a tuple"),
        ("return (self.n // 2, 0)", "return (32, 0)", 2, "line 8 in root: found the state (32, 0)"),
        ("return (self.n // 2, 0)", "return 1 // 0", 2, "line 9 in root: ZeroDivisionError: integer"),
        ("(place + step, left) for", "(place + step,) for", 1, "line 11 in neighbours: found the state (2,)"),
        ("(place + step, left) for", "place + step for", 1, "line 11 in neighbours: found the state 2"),
        ("(place + step, left) for", "(place + 9 * step, 40) for", 1,
         "line 11 in neighbours: found the state (-6, 40), expected a tuple of as many integers as root()"),
        ("place, left = state\n", "place, left = state\n        [0][state[0] == 5]\n", 1,
         "line 13 in neighbours: IndexError: list index out of range"),
        ("return [(place", "[(place", 1, "line 11 in neighbours: found 'NoneType' object is not iterable"),
        ("return state[0] == 0", "state[0] == 0", 1, "line 15 in is_goal: found None, expected True"),
        ("return state[0] == 0", "return state[7] == 0", 1, "line 16 in is_goal: IndexError: tuple index"),
        ("    bits = 5\n", "", 2, "line 4: class Mine: found no bits, expected them"),
        ("bits = 5", "bits = 99", 2, "line 6: class Mine: bits: found 99, expected an integer from 1 to 63"),
    ],
)  # fmt: skip
def test_what_a_file_does_wrong_is_one_line_that_names_it(
    old: str, new: str, status: int, line: str, capfd: Captured
) -> None:
    assert old in GRAPH
    found = told(capfd, "explore", write(GRAPH.replace(old, new)), "n=7", status=status)
    assert found.startswith(f"mine.py, {line}")


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("return halve(rows)", "return rows.tolist()", "line 22 in expand: found the list"),
        ("return halve(rows)", "return rows[:, :2], [0]", "line 22 in expand: found uint64 of shape (1, 2)"),
        (
            "return halve(rows)",
            "return rows[:0], halve(rows)[1]",
            "line 22 in expand: found the parents int64",
        ),
        (
            "return halve(rows)",
            "return halve(rows) if len(rows) == 1 else (rows[:, :2], [0])",
            "line 22 in expand: found uint64 of shape (2, 2), expected uint64 of shape (k, 3)",
        ),
        ("return rows[:, 2] == 1", "return rows[:, 2]", "line 28 in is_goal: found uint64 of shape"),
    ],
)
def test_what_a_file_does_wrong_with_rows_is_one_line_that_names_it(
    old: str, new: str, line: str, capfd: Captured
) -> None:
    assert old in ROWS
    found = told(capfd, "explore", write(ROWS.replace(old, new)), "n=7", status=1)
    assert found.startswith(f"mine.py, {line}")


def test_a_start_that_a_symmetry_moves_is_refused_before_a_run(capfd: Captured) -> None:
    path = write(GRAPH + "\n    def canonical(self, state):\n        return (0, 0)\n")
    assert told(capfd, "explore", path, "n=7", "--symmetry", status=2) == (
        "mine.py, line 18 in canonical: found 0,0 for the start 3,0, expected the start itself: symmetries"
        " have to leave it where it is"
    )
    with pytest.raises(UsageError, match=r"mine.py, line 18 in canonical: found 0,0 for the start"):
        explore(path, n=7, symmetry=True)


def test_verbs_of_trees_and_graphs_name_each_other(capfd: Captured) -> None:
    path = write(GRAPH)
    wanted = "problem: found the graph mine.py, expected a tree: explore takes graphs, {} does not"
    assert told(capfd, "count", path, "n=7", status=2) == wanted.format("count")
    assert told(capfd, "estimate", path, "n=7", status=2) == wanted.format("estimate")
    assert told(capfd, "explore", "queens", "n=7", status=2) == (
        "problem: found the tree queens, expected a graph: count takes trees, explore does not"
    )
    with pytest.raises(UsageError, match="found the graph sliding, expected a tree"):
        count("sliding", size="2x2")


def test_what_a_graph_prints_never_spoils_the_answer(capfd: Captured) -> None:
    text = GRAPH.replace("place, left = state", "print('aside'); place, left = state")
    assert layers(capfd, write(text), "n=7") == [1, 2, 2, 2]


def test_a_script_explores_its_own_class() -> None:
    write(
        GRAPH
        + "\nif __name__ == '__main__':\n    import frontrow\n    print(frontrow.explore(Mine(n=7)).states)\n"
    )
    done = subprocess.run(
        [sys.executable, "mine.py"], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (done.stdout, done.stderr) == ("7\n", "")


def test_a_check_that_fails_draws_the_state_and_gives_status_1(capfd: Captured) -> None:
    path = write(GRAPH.replace("bits = 5", "bits, lookback = 5, 0"))
    assert run(["check", path, "n=7"]) == 1
    lines = capfd.readouterr().out.splitlines()
    at = lines.index(
        "FAILED  lookback    found a child in layer 0 of a state in layer 1, expected none before layer 2"
        " (lookback = 0)"
    )
    assert lines[at + 1] == "        2,0"
    assert lines[-1] == "mine.py n=7: 1 of 8 checks failed: lookback"


# On Ray


@pytest.mark.ray
def test_a_graph_of_a_file_is_explored_and_explained_on_ray(
    one_ray: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("frontrow.cluster.exploration.groups.SMALL", 1)
    found = explore(write(GRAPH), n=20, engine="ray", workers=2)
    assert [layer.states for layer in found.layers] == [1, *[2] * 9, 1]
    assert (found.engine, found.workers) == ("ray", 2)
    path = write(GRAPH.replace("place, left = state", "place, left = state\n        [0][state[0] == 3]"))
    with pytest.raises(
        ProblemError, match=r"^mine\.py, line 13 in neighbours: IndexError: list index out of"
    ):
        explore(path, n=20, engine="ray", workers=2)


# Boards from files


PICTURE = "LLNO\nOFF.\n\nLLON\nOFF.\n\nsingle: OF\n"
WIDE = PICTURE.partition("single")[0].translate({code: code + 0xFEE0 for code in range(0x21, 0x7F)})


@pytest.mark.parametrize(
    ("data", "options"),
    [
        (b"\xef\xbb\xbf" + PICTURE.replace("\n", "\r\n").encode() + b"\r\n\r\n", []),
        (f"; 箱入り娘\n{WIDE}single: OF\n".encode("shift_jis"), ["--encoding", "shift_jis"]),
        (PICTURE.encode("utf-16"), ["--encoding", "utf-16"]),
    ],
)
def test_a_board_file_of_any_encoding_is_the_question_itself(
    data: bytes, options: list[str], capfd: Captured
) -> None:
    Path("my.txt").write_bytes(data)
    found = json.loads(told(capfd, "explore", "blocks", "./my.txt", *options, "--json"))
    assert (found["states"], found["depth"], found["goal_depth"]) == ("540", 56, 44)
    assert found["params"] == {"puzzle": PICTURE, "metric": "step"}
    Path("my.txt").unlink()  # workers, and whoever goes on with the job, have the board
    assert run(["show", found["job"]]) == 0
    shown = capfd.readouterr().out
    assert "blocks 'puzzle=LLNO/OFF.//LLON/OFF.//single: OF'" in shown


def test_a_file_of_another_encoding_is_told_with_the_option_for_it(capfd: Captured) -> None:
    Path("my.txt").write_bytes("; 箱入り娘\n".encode("shift_jis"))
    assert told(capfd, "explore", "blocks", "./my.txt", status=2) == (
        "./my.txt: found byte 0x94 at 2 (line 1), expected UTF-8; try --encoding shift_jis"
    )
    assert told(capfd, "explore", "blocks", "./my.txt", "--encoding", "klingon", status=2) == (
        "encoding: found 'klingon', expected an encoding such as utf-8 or shift_jis"
    )
    assert told(capfd, "explore", "blocks", "./gone.txt", status=2) == (
        "./gone.txt: found no such file, expected a text file"
    )


def test_a_peg_board_comes_from_a_file_as_well(capfd: Captured) -> None:
    Path("my.txt").write_bytes(b"\xef\xbb\xbf@@@.\r\n@..@\r\n")
    assert layers(capfd, "pegs", "./my.txt") == layers(capfd, "pegs", "board=@@@.\n@..@\n")
