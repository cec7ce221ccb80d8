"""The last line of a solution that was interrupted says from where the same command goes on."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from frontrow.cluster.command.app import run
from frontrow.cluster.command.interrupt import SAVING, Interruption
from frontrow.cluster.command.progress import Silent
from frontrow.cluster.command.unfinished import Unfinished
from frontrow.cluster.result import Progress

PATIENCE = 60
HARDEST = ("3x3", "start=8,6,7,2,5,4,3,_,1")
LONG = """
import os, threading
from frontrow.search.solving import astar
astar.PORTION = 500
check_stop = astar.BestFirst._check_stop
def slow(self):
    if self.expanded > 3000:
        os.write(2, b"ready\\n")  # at once: several threads come here
        while not self._stop[0]:
            threading.Event().wait(0.01)
    check_stop(self)
astar.BestFirst._check_stop = slow
from frontrow.cluster.command.app import main
main()
"""
"""Stays in a portion until it is stopped."""


def line(*told: Progress | int, fresh: bool = False, name: str = "") -> str:
    """What is said after some progress and rounds that are over."""
    unfinished = Unfinished(Interruption(), Silent(), fresh=fresh)
    unfinished.begin(name)
    for each in told:
        if isinstance(each, int):
            unfinished.note_round(each)
        else:
            unfinished.note(each)
    return unfinished.line()


def test_a_search_in_buckets_tells_its_checkpoint() -> None:
    begun = Progress("searching", nodes=1)
    assert line(begun) == (
        "interrupted after 1 board expanded; the same command begins anew but keeps what is proved"
    )
    assert line(Progress("searching", kept=7_000)) == (
        "interrupted; the same command goes on from its last checkpoint, after 7,000 boards"
    )
    assert line(Progress("searching", nodes=9_000, kept=7_000), fresh=True) == (
        "interrupted after 9,000 boards expanded; the same command without --fresh goes on from its last "
        "checkpoint, after 7,000 boards"
    )
    saving = Progress("saving", nodes=9_000, kept=7_000)
    assert line(begun, saving) == (
        "interrupted after 9,000 boards expanded; that is being written down, and the same command goes on "
        "from there"
    )
    assert line(begun, saving, Progress("searching", nodes=9_000, kept=9_000)) == (
        "interrupted after 9,000 boards expanded; the same command goes on from there"
    )


def test_rounds_that_are_over_are_told_and_the_share_of_the_next() -> None:
    there = "; the same command goes on from there"
    assert line(Progress("starting")) == "interrupted; the same command keeps what is proved"
    assert line(54, 56) == f"interrupted after the round of 56 moves{there}"
    counting = Progress("counting", share=0.25)
    assert line(54, counting) == f"interrupted after the round of 54 moves and 25.0 % of the next{there}"
    assert line(counting) == f"interrupted after 25.0 % of a round{there}"
    assert line(counting, 56) == f"interrupted after the round of 56 moves{there}"
    assert line(56, name="board.txt, line 3") == (
        f"interrupted at board.txt, line 3 after the round of 56 moves{there}"
    )


def test_layers_are_told_as_those_of_an_exploration() -> None:
    assert line(Progress("exploring", units_done=3, nodes=5, kept=2)) == (
        "interrupted in layer 3 (5 states before it); the same command goes on from the last checkpoint"
    )


def test_what_is_written_down_has_time() -> None:
    interruption, kept = Interruption(), Silent()
    unfinished = Unfinished(interruption, kept, fresh=False)
    unfinished.note(Progress("saving"))
    assert (interruption.grace, kept.last) == (SAVING, Progress("saving"))


@pytest.mark.jit
def test_tables_that_are_being_built_are_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*args: object, progress: object, **rest: object) -> None:
        progress(0.25)  # type: ignore[operator]
        raise KeyboardInterrupt

    monkeypatch.setattr("frontrow.search.patterns.files.open_tables", interrupted)
    words = ["solve", "sliding", *HARDEST, "--heuristic", "pdb:4-4", "-q", "--store", str(tmp_path)]
    assert run(words) == 130
    assert capfd.readouterr().err == (
        "frontrow: interrupted while tables were built; the same command builds them from the beginning\n"
    )


@pytest.mark.jit
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_keeps_a_search_in_buckets(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], number: signal.Signals
) -> None:
    words = ["solve", "sliding", *HARDEST, "--method", "astar", "-q", "--store", str(tmp_path)]
    with subprocess.Popen(
        [sys.executable, "-c", LONG, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        try:
            while process.stderr.readline() != "ready\n":
                assert process.poll() is None
            process.send_signal(number)
            out, err = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    assert (process.returncode, out) == (130, "")
    cause = "" if number == signal.SIGINT else "SIGTERM: "
    told = re.fullmatch(
        rf"(?:ready\n)*frontrow: {cause}interrupted after ([\d,]+) boards expanded; "
        r"(?:that is being written down, and )?the same command goes on from there\n",
        err,
    )
    assert told is not None, err
    assert run([word for word in words if word != "-q"]) == 0
    out, err = capfd.readouterr()
    assert f"going on from {told[1]} boards expanded, " in err
    assert out.startswith("31 moves, proved optimal: ")
