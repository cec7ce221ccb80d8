"""The command line of explorations: the table, files, exit statuses, limits, and what the ledger shows."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from frontrow.cluster.command.app import run
from frontrow.cluster.command.explore import interrupted_line
from frontrow.cluster.command.interrupt import SAVING, Interruption
from frontrow.cluster.exploration import saving
from frontrow.cluster.result import Progress
from frontrow.search.errors import FrontrowError
from frontrow.workers.group import LocalGroup
from frontrow.workers.team import Halted
from tests.exploration_support import TRIAL

Captured = pytest.CaptureFixture[str]
Asked = Callable[..., tuple[int, str, str]]
PATIENCE = 60
LAYERS_2X2 = [
    "1",
    "2",
    "2",
    "2",
    "2",
    "2",
    "1",
]  # OEIS A151944 has such numbers; here tests/counts/sliding.txt
LONG = """
import sys
from frontrow.cluster.exploration import run, saving
saving.CHECKPOINT, saving.CHEAP = 0.0, 0.0
take = run.ExploreRun._take
def told(self, closed, seconds):
    take(self, closed, seconds)
    if len(self._layers) == 12:
        print("ready", file=sys.stderr, flush=True)
        sys.stdin.read()
run.ExploreRun._take = told
from frontrow.cluster.command.app import main
main()
"""
"""Waits after layer 11 until its input is closed."""


@pytest.fixture
def asked(capfd: Captured, tmp_path: Path) -> Asked:
    """Run a command on a ledger of its own: status, output and errors."""

    def ask(*words: str) -> tuple[int, str, str]:
        status = run([*words, "--store", str(tmp_path / "store")])
        out, err = capfd.readouterr()
        return status, out, err

    return ask


def columns(text: str) -> list[list[str]]:
    """The cells of the table's lines."""
    return [line.split() for line in text.partition("\n\n")[0].splitlines()]


def test_the_table_has_a_line_for_every_layer_and_the_summary_below(asked: Asked) -> None:
    status, out, err = asked("explore", "sliding", "2x2", "--quiet")
    assert (status, err) == (0, "")
    head, *lines = columns(out)
    assert head == ["depth", "new", "total", "generated", "duplicates", "states/s", "memory", "B/state"]
    assert [line[:2] for line in lines] == [[str(d), new] for d, new in enumerate(LAYERS_2X2)]
    assert [line[2] for line in lines] == ["1", "3", "5", "7", "9", "11", "12"]
    assert [line[3:5] for line in lines[1:]] == [
        ["2", "0"],
        ["4", "2"],
        ["4", "2"],
        ["4", "2"],
        ["4", "2"],
        ["4", "3"],
    ]
    below = out.partition("\n\n")[2].splitlines()
    assert below[0] == "12 states of sliding size=2x2 start=goal goal=blank-last metric=tile"
    said = dict(line.split(None, 1) for line in below[2:])
    assert said["depth"] == "6"
    assert said["table"].startswith("rank: 12 states have ranks")


def test_an_answer_of_the_ledger_looks_the_same(asked: Asked) -> None:
    first = asked("explore", "pegs", "triangle15", "--symmetry", "--paths")[1]
    second = asked("explore", "pegs", "triangle15", "--symmetry", "--paths")[1]
    assert columns(second) == columns(first)
    assert columns(first)[0][2:4] == ["boards", "paths"]
    assert "repeat with --fresh to compute again" in second
    assert "6,816 of fewest moves to the goal" in second


def test_json_has_numbers_as_strings_where_they_can_be_large(asked: Asked) -> None:
    status, out, err = asked("explore", "pegs", "triangle15", "--symmetry", "--paths", "--json", "--quiet")
    assert (status, err) == (0, "")
    told = json.loads(out)
    texts = {"layers", "boards", "paths", "generated"}
    assert all(isinstance(number, str) for name in texts for number in told[name])
    assert len({len(told[name]) for name in texts}) == 1
    assert (told["states"], told["sequences"]) == (str(sum(map(int, told["layers"]))), "6816")
    assert (told["depth"], told["goal_depth"]) == (13, 13)
    assert (told["verb"], told["problem"], told["table"], told["engine"]) == (
        "explore",
        "pegs",
        "layers",
        "local",
    )
    assert told["params"]["board"] == "triangle15"
    assert (told["options"], told["exhausted"], told["way"]) == (
        {"paths": True, "symmetry": True},
        True,
        None,
    )
    assert (told["complete"], told["from_ledger"], told["resumed"]) == (True, False, 0)
    assert isinstance(told["workers"], int)
    assert isinstance(told["seconds"], float)
    assert isinstance(told["setup_seconds"], float)
    assert len(told["job"]) == 16


def test_json_of_a_graph_without_ways_and_goals_has_nulls(asked: Asked) -> None:
    told = json.loads(asked("explore", TRIAL, "n=100", "--json")[1])
    assert [told[name] for name in ("boards", "paths", "sequences", "goal_depth", "way")] == [None] * 5
    assert told["file"].endswith("trial_graph.py")


def test_until_goal_shows_the_way_step_by_step(asked: Asked) -> None:
    status, out, _ = asked("explore", "blocks", "piece-change", "--until-goal", "--symmetry")
    assert status == 0
    steps = [line for line in out.splitlines() if line.startswith("step ")]
    assert steps[0] == "step 0"
    assert [line.split()[1].rstrip(":") for line in steps] == [str(step) for step in range(45)]
    assert out.endswith("LLON\nOFF.\n")
    told = json.loads(asked("explore", "blocks", "piece-change", "--until-goal", "--symmetry", "--json")[1])
    assert (len(told["way"]["moves"]), len(told["way"]["boards"])) == (44, 45)


def test_csv_and_plots_are_written(asked: Asked, tmp_path: Path) -> None:
    table, picture, drawing = (tmp_path / name for name in ("a.csv", "a.png", "a.svg"))
    assert asked("explore", "sliding", "2x2", "--csv", str(table), "--plot", str(picture))[0] == 0
    assert asked("explore", "sliding", "2x2", "--quiet", "--plot", str(drawing))[0] == 0
    lines = [line.split(",") for line in table.read_text().splitlines()]
    assert lines[0] == ["depth", "states", "generated", "boards", "paths", "goals", "seconds", "nbytes"]
    assert [line[:2] for line in lines[1:]] == [[str(d), new] for d, new in enumerate(LAYERS_2X2)]
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in drawing.read_bytes()


def test_a_plot_without_matplotlib_is_refused_before_anything_is_computed(
    asked: Asked, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    status, out, err = asked("explore", "sliding", "2x2", "--plot", "a.png")
    assert (status, out) == (2, "")
    assert err == "frontrow: plot: found no matplotlib, expected it (pip install 'frontrow[plot]')\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--plot", "a.pdf"], "plot: found 'a.pdf', expected a name that ends in .png or .svg"),
        (["--table", "tree"], "table: found 'tree', expected rank, layers, hash"),
        (
            ["--table", "rank", "--paths"],
            "table: found rank, expected layers or hash: bits hold no numbers of ways",
        ),
        (["--memory", "much"], "memory: found 'much', expected a size such as 4G or 500M"),
        (["--disk", "0"], "disk: found '0', expected a size such as 4G or 500M"),
        (["--shards", "0"], "shards: found '0', expected"),
        (["--shards", "1025"], "shards: found 1025, expected 1 to 1024"),
        (["--csv", "."], "csv: found .: Is a directory, expected a file to write to"),
        (["--csv", "-"], "csv: found -, expected a file to write to, or /dev/stdout"),
        (["--csv", "none/a.csv"], "csv: found none/a.csv: No such file or directory, expected a file to"),
        (["--plot", "none/a.svg"], "plot: found none/a.svg: No such file or directory, expected a file to"),
        (["--depth", "-1"], "depth: found '-1', expected"),
        (["--memory", "1"], "table: found rank, expected"),
    ],
)
def test_bad_options_are_one_line_with_status_2(asked: Asked, words: list[str], message: str) -> None:
    extra = ["--table", "rank"] if words == ["--memory", "1"] else []
    status, out, err = asked("explore", "sliding", "2x2", *words, *extra)
    assert (status, out) == (2, "")
    assert err.startswith(f"frontrow: {message}")
    assert err.count("\n") == 1


def test_counting_a_graph_and_exploring_a_tree_are_refused(asked: Asked) -> None:
    for verb, problem in (("count", "sliding"), ("explore", "queens")):
        status, out, err = asked(verb, problem, "3x3" if verb == "count" else "8")
        assert (status, out, err.count("\n")) == (2, "", 1)


def test_only_graphs_are_expected_instead_of_an_unknown_name(asked: Asked) -> None:
    status, out, err = asked("explore", "nope")
    assert (status, out, "sliding" in err, "queens" in err) == (2, "", True, False)


def test_one_state_is_told_in_the_singular(asked: Asked) -> None:
    assert "\n1 state of sliding " in asked("explore", "sliding", "2x2", "--depth", "0")[1]
    assert (
        "\n1 class of states of pegs " in asked("explore", "pegs", "english", "--depth", "0", "--symmetry")[1]
    )


def test_what_was_interrupted_goes_on_only_if_a_checkpoint_is_there() -> None:
    begun = Progress("exploring", units_done=1, nodes=1)
    assert interrupted_line(begun, False) == (
        "interrupted in layer 1 (1 state before it); the same command begins anew"
    )
    assert interrupted_line(Progress("starting", kept=3), True) == (
        "interrupted before it went on; the same command without --fresh goes on from the last checkpoint"
    )
    assert interrupted_line(None, False) == "interrupted before the first layer; the same command begins anew"
    assert interrupted_line(Progress("saving", units_done=3, nodes=5), False) == (
        "interrupted in layer 3 (5 states before it); layer 2 is being written down, and the same command "
        "goes on from it"
    )


def test_an_interrupted_run_may_write_its_last_layer_down(
    monkeypatch: pytest.MonkeyPatch, capfd: Captured, tmp_path: Path
) -> None:
    def interrupted(group: LocalGroup, tick: object) -> None:
        raise Halted

    words = ["explore", "sliding", "2x2", "--store", str(tmp_path), "-q"]
    interruption = Interruption()
    with monkeypatch.context() as patched:
        patched.setattr(LocalGroup, "layer", interrupted)
        assert run(words, interruption) == 130
    assert interruption.grace == SAVING
    assert "the same command goes on from the last checkpoint" in capfd.readouterr().err
    assert run(words) == 0
    assert "went on from layer 0" in capfd.readouterr().out


@pytest.mark.parametrize("error", [SystemError, FrontrowError])
def test_an_error_that_came_of_a_signal_is_an_interruption(
    asked: Asked, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def signalled(*args: object, **options: object) -> None:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as cause:
            raise error("a result with an exception set") from cause

    monkeypatch.setattr("frontrow.cluster.explore.explore", signalled)
    words = ["explore", "sliding", "2x2"]
    assert asked(*words)[0] == 1
    interruption = Interruption()
    interruption.received = True
    monkeypatch.setattr("frontrow.cluster.command.app.Interruption", lambda: interruption)
    status, _, err = asked(*words)
    assert (status, err) == (
        130,
        "frontrow: interrupted before the first layer; the same command begins anew\n",
    )


def test_a_goal_that_is_not_reached_has_status_3_under_until_goal_only(asked: Asked) -> None:
    words = ("explore", TRIAL, "n=100", "goal=1000", "--quiet")
    assert asked(*words)[0] == 0
    status, out, err = asked(*words, "--until-goal")
    assert (status, err) == (3, "")
    assert "\ngoal   cannot be reached\n" in out
    assert asked(*words, "--until-goal", "--json")[0] == 3
    assert asked(*words, "--until-goal", "--depth", "1")[0] == 0
    assert asked("explore", "sliding", "2x2", "start=2,1,3,_")[0] == 0
    status, out, err = asked("explore", "sliding", "2x2", "start=2,1,3,_", "--until-goal")
    assert (status, err.count("\n"), "parity" in out + err) == (3, 1, True)
    status, out, err = asked("explore", "sliding", "2x2", "start=2,1,3,_", "--until-goal", "--json")
    told = json.loads(out)
    assert (status, told["complete"], told["goal_depth"], told["params"]["size"]) == (3, True, None, "2x2")
    assert err == f"frontrow: {told['reason']}\n"


def test_a_limit_has_status_4_and_the_same_command_goes_on(asked: Asked) -> None:
    words = ("explore", "sliding", "3x3", "--table", "hash", "--quiet")
    status, out, err = asked(*words, "--memory", "1M")
    assert status == 4
    assert err.startswith("frontrow: memory: found no room for layer ")
    assert err.endswith(" are done; with more --memory the same command goes on from there\n")
    assert err.count("\n") == 1
    layers = len(columns(out)) - 1
    job = asked("jobs")[1].splitlines()[1].split()
    assert job[1] == "interrupted"
    shown = asked("show", job[0])[1]
    assert len(columns(shown)) - 1 == layers
    assert "goes on with: frontrow explore sliding" in shown
    status, out, _ = asked("explore", "sliding", "3x3", "--shards", "2")
    assert status == 0
    assert f"went on from layer {layers - 1}" in out
    assert [line[0] for line in columns(out)[1:]] == [str(depth) for depth in range(32)]
    assert columns(out)[-1][2] == "181,440"


def test_a_time_limit_has_status_4(asked: Asked) -> None:
    status, _, err = asked("explore", "sliding", "3x3", "--time-limit", "0.0001")
    assert status == 4
    assert "the time limit of 0.0001 s was reached" in err
    assert err.count("\n") == 1


def test_jobs_and_show_know_explorations(asked: Asked) -> None:
    answer = asked("explore", "pegs", "triangle15", "--symmetry", "--paths", "--depth", "5")[1]
    [line] = asked("jobs")[1].splitlines()[1:]
    assert line.endswith(" explore pegs board=triangle15 start=4,0 goal=4,0 --depth 5 --paths --symmetry")
    job = line.split()[0]
    shown = asked("show", job[:4])[1]
    assert columns(shown) == columns(answer)
    assert re.search(r"^depth +5 \(there is more beyond\)$", shown, re.MULTILINE)
    assert "units" not in shown
    told = json.loads(asked("show", job, "--json")[1])
    assert (told["state"], told["layers"][:3], told["paths"][0]) == ("done", ["1", "1", "4"], "1")
    [listed] = json.loads(asked("jobs", "--json")[1])
    assert listed == told


def test_forget_deletes_checkpoints_too(asked: Asked, tmp_path: Path) -> None:
    assert asked("explore", "sliding", "3x3", "--table", "hash", "--memory", "1M")[0] == 4
    [folder] = (tmp_path / "store" / "explorations").iterdir()
    assert list(folder.iterdir())
    status, out, _ = asked("forget", folder.name)
    assert (status, out) == (0, f"forgot {folder.name}\n")
    assert not folder.exists()
    assert asked("jobs")[1] == "no jobs\n"


@pytest.mark.parametrize("words", [["export", "{job}", "{file}"], ["verify", "{job}"]])
def test_what_is_for_counts_only_says_so(asked: Asked, tmp_path: Path, words: list[str]) -> None:
    job = json.loads(asked("explore", "sliding", "2x2", "--json")[1])["job"]
    status, out, err = asked(*(word.format(job=job, file=tmp_path / "file") for word in words))
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "found a job of explore, expected one of count" in err
    assert not (tmp_path / "file").exists()


def test_another_table_computes_again_and_is_shown(asked: Asked) -> None:
    first = asked("explore", "sliding", "2x2")[1]
    second = asked("explore", "sliding", "2x2", "--table", "hash")[1]
    assert "hash: as asked for" in second
    assert "repeat with --fresh" not in second
    assert [line[:5] for line in columns(second)] == [line[:5] for line in columns(first)]


@pytest.mark.parametrize("quiet", [(), ("-q",)], ids=["plain", "quiet"])
def test_a_damaged_checkpoint_is_told_on_stderr(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quiet: tuple[str, ...]
) -> None:
    monkeypatch.setattr(saving, "CHECKPOINT", 0.0)
    monkeypatch.setattr(saving, "CHEAP", 0.0)
    words = ("explore", "sliding", "3x3", "--table", "hash")
    assert asked(*words, "--memory", "1M")[0] == 4
    last = max((tmp_path / "store" / "explorations").glob("*/layer-*"))
    last.write_bytes(last.read_bytes()[:-10])
    status, out, err = asked(*words, *quiet)
    assert status == 0
    [line] = [line for line in err.splitlines() if "checkpoint" in line]
    assert line.startswith(f"frontrow: {last}, byte ")
    assert line.endswith("; the checkpoint before it is used")
    assert "181,440 states" in out


@pytest.mark.jit
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_a_run_that_goes_on(asked: Asked, tmp_path: Path, number: signal.Signals) -> None:
    words = ["explore", "sliding", "2x4", "--quiet", "--store", str(tmp_path / "store")]
    with subprocess.Popen(
        [sys.executable, "-c", LONG, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        while process.stderr.readline() != "ready\n":
            assert process.poll() is None
        os.kill(process.pid, number)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    cause = "" if number == signal.SIGINT else "SIGTERM: "
    assert err == (
        f"frontrow: {cause}interrupted in layer 12 (390 states before it); the same command goes on from the "
        "last checkpoint\n"
    )
    assert len(columns(out)) == 13
    told = json.loads(asked("explore", "sliding", "2x4", "--json")[1])
    assert (told["states"], told["resumed"]) == ("20160", 11)
