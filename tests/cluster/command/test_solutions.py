"""``frontrow solutions``: what goes where, what is refused, and what an interrupted list leaves behind."""

import json
import os
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import IO

import pytest
from click.shell_completion import BashComplete

from frontrow.cluster.command import progress
from frontrow.cluster.command import solutions as cli_solutions
from frontrow.cluster.command.app import app, run
from frontrow.search.problems.queens import Queens

FRONTROW = (sys.executable, "-m", "frontrow")
PATIENCE = 120
"""Seconds after which a process that should have ended fails its test."""

Captured = pytest.CaptureFixture[str]

OWN = """
from frontrow import CountingTree

class Words(CountingTree):
    n: int
    cells, bits = 8, 1

    def children(self, node):
        print("looking at", node)
        return [(*node, letter) for letter in (0, 1)] if len(node) < self.n else []

    def is_solution(self, node):
        return len(node) == self.n
"""

GIVEN = Queens(n=6, fixed="-,-,2")


@pytest.fixture
def own(tmp_path: Path) -> str:
    path = tmp_path / "words.py"
    path.write_text(OWN, encoding="utf-8")
    return str(path)


def printed(capfd: Captured, *words: str) -> str:
    """What a command that succeeds prints."""
    assert run(["solutions", *words]) == 0
    return capfd.readouterr().out


def refused(capfd: Captured, *words: str) -> str:
    """The one line by which a command is refused with status 2."""
    status = run(["solutions", *words])
    out, err = capfd.readouterr()
    assert status == 2
    assert out == ""
    assert err.count("\n") == 1
    return err.removeprefix("frontrow: ").strip()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["queens", "4"], "1,3,0,2\n2,0,3,1\n"),
        (["queens", "4", "--unique"], "1,3,0,2\n"),
        (["queens", "n=4", "--limit", "1", "--workers", "1"], "1,3,0,2\n"),
        (["queens", "4", "--limit", "0"], ""),
        (["queens", "4", "fixed=-,-,3"], "2,0,3,1\n"),
        (["queens", "4", "--json"], "[1,3,0,2]\n[2,0,3,1]\n"),
        (["queens", "4", "--format", "json", "--json"], "[1,3,0,2]\n[2,0,3,1]\n"),
        (["queens", "4", "--format", "csv", "--limit", "1"], "row0,row1,row2,row3\n1,3,0,2\n"),
        (["queens", "3"], ""),
        (["queens", "3", "--format", "csv"], "row0,row1,row2\n"),
        (["queens", "0"], "\n"),
        (["queens", "1", "--format", "board"], "+---+\n| Q |\n+---+\n"),
    ],
)
def test_what_is_listed(words: list[str], expected: str, capfd: Captured) -> None:
    assert printed(capfd, *words) == expected


def test_boards_have_a_blank_line_between_them(capfd: Captured) -> None:
    boards = printed(capfd, "queens", "6", "--format", "board").split("\n\n")
    assert len(boards) == 4
    assert boards[0].splitlines()[:2] == ["+---+---+---+---+---+---+", "|   | Q |   |   |   |   |"]
    assert boards[3].endswith("+\n")


def test_the_given_board_is_drawn_with_the_squares_under_attack(capfd: Captured) -> None:
    expected = GIVEN.draw(GIVEN.initial()[0], attacks=True) + "\n"
    assert printed(capfd, "queens", "6", "fixed=-,-,2", "--limit", "0", "--attacks") == expected


def test_solutions_are_drawn_with_the_squares_under_attack(capfd: Captured) -> None:
    out = printed(capfd, "queens", "4", "--attacks", "--limit", "1")
    assert out.splitlines()[1] == "| | | Q | | | | |"


def test_a_problem_of_ones_own_is_listed_and_its_prints_go_aside(own: str, capfd: Captured) -> None:
    assert run(["solutions", own, "2"]) == 0
    out, err = capfd.readouterr()
    assert out == "0,0\n0,1\n1,0\n1,1\n"
    assert "looking at (0,)" in err
    assert printed(capfd, own, "1", "--format", "board") == "0\n\n1\n"
    assert printed(capfd, own, "1", "--format", "csv").splitlines()[1] == "0,,,,,,,"


def test_a_list_goes_to_a_file(tmp_path: Path, capfd: Captured) -> None:
    path = tmp_path / "list.txt"
    assert printed(capfd, "queens", "6", "--out", str(path)) == ""
    assert path.read_text().splitlines()[0] == "1,3,5,0,2,4"
    assert printed(capfd, "queens", "4", "--out", str(path), "--format", "csv") == ""
    assert path.read_text() == "row0,row1,row2,row3\n1,3,0,2\n2,0,3,1\n"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("words", "boards", "queens"),
    [
        (["queens", "6"], 1, 6),
        (["queens", "6", "--limit", "3"], 3, 18),
        (["queens", "6", "--limit", "9"], 4, 24),
        (["queens", "10", "--limit", "100"], 100, 1000),
        (["queens", "6", "fixed=-,-,2", "--limit", "0"], 1, 1),
    ],
)
def test_a_picture_shows_as_many_boards_as_are_listed(
    words: list[str], boards: int, queens: int, tmp_path: Path, capfd: Captured
) -> None:
    path = tmp_path / "boards.svg"
    printed(capfd, *words, "--svg", str(path))
    text = path.read_text()
    assert text.count("<g transform") == boards
    assert text.count('href="#queen"') == queens
    ElementTree.fromstring(text)


def test_a_picture_may_show_attacks_beside_any_list(tmp_path: Path, capfd: Captured) -> None:
    path = tmp_path / "board.svg"
    words = ["queens", "6", "fixed=-,-,2", "--limit", "0", "--attacks", "--svg", str(path)]
    assert printed(capfd, *words) == GIVEN.draw(GIVEN.initial()[0], attacks=True) + "\n"
    assert path.read_text() == GIVEN.picture(GIVEN.initial(), attacks=True)
    assert printed(capfd, "queens", "4", "--format", "csv", "--attacks", "--svg", str(path)).count("\n") == 3
    assert 'href="#column"' in path.read_text()


def test_a_picture_without_a_solution_is_an_error(tmp_path: Path, capfd: Captured) -> None:
    path = tmp_path / "board.svg"
    assert run(["solutions", "queens", "3", "--svg", str(path)]) == 1
    assert capfd.readouterr() == ("", "frontrow: svg: found no solution to draw, expected one\n")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["queens", "4", "--format", "xml"], "format: found 'xml', expected list or board or json or csv"),
        (["queens", "4", "--format", "csv", "--json"], "format: found csv and --json, expected one of them"),
        (["queens", "4", "--limit", "-1"], "limit: found '-1', expected an integer from 0"),
        (["queens", "4", "--limit", "x"], "limit: found 'x', expected an integer from 0"),
        (["queens", "4", "--limit", "1.5"], "limit: found '1.5', expected an integer from 0"),
        (["queens", "4", "--limit"], "--limit: found no value, expected one (see frontrow"),
        (["queens", "4", "--attacks", "--json"], "attacks: found the format json, expected board, or --svg"),
        (["queens", "4", "--attacks", "--format", "list"], "attacks: found the format list, expected board"),
        (["queens", "6", "-,2", "--unique"], "unique: found no symmetries in this queens problem"),
        (["queens", "4", "--workers", "0"], "workers: found '0', expected an integer from 1 to 1024"),
        (["queens", "4", "--out", "-"], "out: found -, expected a file to write to, or /dev/stdout"),
        (["queens", "4", "--svg", "-"], "svg: found -, expected a file to write to, or /dev/stdout"),
        (["queens", "4", "--out", ""], "out: found '', expected a file to write to"),
        (["queens", "4", "--svg", " "], "svg: found ' ', expected a file to write to"),
        (
            ["queens", "10", "--svg", "a.svg", "--limit", "101"],
            "limit: found 101 with --svg, expected 0 to 100",
        ),
        (["queens", "65"], "n: found '65', expected an integer from 0 to 64"),
        (["queens", "-1", "--json"], "n: found '-1', expected an integer from 0 to 64"),
        (["queens", "5", "0,1"], "fixed: found queens that attack each other"),
        (["quens", "4"], "problem: found 'quens', expected queens"),
        (["queens", "4", "--fresh"], "option: found '--fresh', expected "),
    ],
)
def test_a_mistake_is_one_line_that_says_what_was_expected(
    words: list[str], line: str, capfd: Captured
) -> None:
    assert refused(capfd, *words).startswith(line)


def test_a_problem_without_boards_or_symmetries_says_so(own: str, tmp_path: Path, capfd: Captured) -> None:
    no_board = "found words, which has no board, expected a problem with boards"
    assert refused(capfd, own, "2", "--attacks") == f"attacks: {no_board}"
    assert refused(capfd, own, "2", "--svg", str(tmp_path / "a.svg")) == f"svg: {no_board}"
    assert (
        refused(capfd, own, "2", "--unique")
        == "unique: found no symmetries in this words problem, expected some"
    )


def test_a_place_that_cannot_be_written_to_is_refused(tmp_path: Path, capfd: Captured) -> None:
    missing = str(tmp_path / "missing" / "file")
    for option in ("out", "svg"):
        line = refused(capfd, "queens", "4", f"--{option}", missing)
        assert line == f"{option}: found {missing}: No such file or directory, expected a file to write to"
    assert not list(tmp_path.iterdir())


def test_progress_stays_silent_where_the_list_is_seen(
    capfd: Captured, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    quiet = []

    def reporter(stream: object, *, quiet_now: bool) -> progress.Silent:
        quiet.append(quiet_now)
        return progress.Silent()

    monkeypatch.setattr(progress, "reporter", lambda stream, quiet: reporter(stream, quiet_now=quiet))
    for is_terminal in (False, True):
        monkeypatch.setattr(cli_solutions, "_is_terminal", lambda stream, value=is_terminal: value)
        printed(capfd, "queens", "4")
        printed(capfd, "queens", "4", "--out", str(tmp_path / "list"))
        printed(capfd, "queens", "4", "--quiet")
    assert quiet == [False, False, True, True, False, True]


@pytest.mark.parametrize(
    ("words", "beginning", "expected"),
    [
        (["solutions"], "que", ["queens"]),
        (["solutions", "queens"], "fi", ["fixed="]),
        (["solutions", "queens", "--format"], "", ["list", "board", "json", "csv"]),
    ],
)
def test_words_are_completed(words: list[str], beginning: str, expected: list[str]) -> None:
    complete = BashComplete(app, {}, "frontrow", "_FRONTROW_COMPLETE")
    assert [item.value for item in complete.get_completions(words, beginning)] == expected


# In processes of their own


def begun(*words: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [*FRONTROW, "solutions", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def await_line(stream: IO[str] | None, text: str) -> str:
    assert stream is not None
    for line in stream:
        if text in line:
            return line
    pytest.fail(f"the process ended before it said {text!r}")


@pytest.mark.parametrize(("number", "cause"), [(signal.SIGINT, ""), (signal.SIGTERM, "SIGTERM: ")])
def test_an_interrupted_list_leaves_the_file_as_it_was(
    number: signal.Signals, cause: str, tmp_path: Path
) -> None:
    path = tmp_path / "list.txt"
    path.write_text("before")
    process = begun("queens", "20", "--out", str(path))
    await_line(process.stderr, "solutions so far")
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert out == ""
    last = err.splitlines()[-1]
    assert last.startswith(f"frontrow: {cause}interrupted after ")
    assert last.endswith(f" solutions; {path} was not written")
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_text() == "before"


def test_a_list_begins_before_it_ends_and_its_reader_may_leave() -> None:
    with begun("queens", "20", "--quiet") as process:
        assert await_line(process.stdout, ",") == "0,2,4,1,3,12,14,11,17,19,16,8,15,18,7,9,6,13,5,10\n"
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(timeout=PATIENCE) == 1


def test_a_limit_ends_a_list_that_would_not_end() -> None:
    process = begun("queens", "20", "--limit", "3", "--json")
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert [len(json.loads(line)) for line in out.splitlines()] == [20, 20, 20]
    assert "interrupted" not in err


LOADED = """
import sys
from frontrow.cluster.command.app import run
assert run(sys.argv[2:]) == 0
print(*sorted(set(sys.argv[1].split(",")) & set(sys.modules)), file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("absent", "words"),
    [
        ("numpy,numba,ray,rich,sqlite3", ["solutions", "--help"]),
        ("numba,ray,rich,sqlite3,loky", ["solutions", "queens", "6", "--quiet"]),
    ],
)
def test_a_short_list_loads_little(absent: str, words: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED, absent, *words],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        env={**os.environ, "NO_COLOR": "1"},
    )
    assert done.stderr == "\n", done.stderr


def test_picture_and_list_cannot_be_the_same_file(capfd, tmp_path: Path) -> None:
    same = str(tmp_path / "same")
    assert run(["solutions", "queens", "4", "--svg", same, "--out", same]) == 2
    assert "expected another file" in capfd.readouterr().err
    assert not (tmp_path / "same").exists()
