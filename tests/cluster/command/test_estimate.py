"""The ``estimate`` command: what it prints, what it refuses, and how it ends early."""

import dataclasses
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from frontrow.cluster.command.app import run
from frontrow.cluster.command.estimate import estimate_text
from frontrow.cluster.estimates.forecast import Estimate
from frontrow.search.estimates.interval import Interval

PATIENCE = 120
Captured = pytest.CaptureFixture[str]

SAMPLED = Estimate(
    problem="queens",
    params={"n": 22, "fixed": []},
    silent=frozenset({"fixed"}),
    values={
        "solutions": Interval(2.69e12, 2.5e12, 2.91e12),
        "half_turn": Interval(1250692, 1250692, 1250692),
    },
    greatest={"depth": 17},
    nodes=Interval(4.1e11, 3.9e11, 4.3e11),
    core_seconds=Interval(3600.0, 3500.0, 3800.0),
    wall_seconds=Interval(60.0, 55.0, 80.0),
    workers=64,
    units=1944,
    ledger_bytes=1_100_000,
    memory_bytes=205_000_000,
    depth=None,
    method="quadrant",
    kernel="quadrants 8 x u64",
    sampled_by="units",
    samples=170,
    share=0.0061,
    slowdown=2.0,
    exact=False,
    doubts={},
    seed=0,
    seconds=10.0,
    setup_seconds=0.5,
)

UNKNOWN = Estimate(
    problem="mine",
    params={},
    values={},
    greatest={},
    nodes=None,
    core_seconds=None,
    wall_seconds=None,
    workers=1,
    units=None,
    ledger_bytes=None,
    memory_bytes=None,
    depth=726,
    method="tree",
    kernel="python",
    sampled_by="probes",
    samples=4,
    share=0.0,
    slowdown=1.0,
    exact=False,
    doubts={"all": "the tree is too deep"},
    seed=0,
    seconds=10.0,
    setup_seconds=0.5,
)


def test_an_estimate_is_told_with_its_intervals() -> None:
    assert estimate_text(SAMPLED, {"half_turn": "unchanged by a half turn"}) == (
        "solutions of queens n=22  2.69e12  (2.5e12 to 2.91e12)\n"
        "unchanged by a half turn  1,250,692\n"
        "depth                     at least 17\n"
        "\n"
        "time        1 min  (55 s to 1 min 20 s) with 64 workers\n"
        "core-hours  1  (0.972 to 1.06)\n"
        "nodes       4.1e11  (3.9e11 to 4.3e11)\n"
        "memory      about 205 MB a worker\n"
        "ledger      about 1 MB\n"
        "units       1,944\n"
        "\n"
        "sampled  170 slices of units (0.61 % of the work) in 10 s; intervals of 95 %\n"
        "machine  others computed here as well: 2.0 times as slow as alone\n"
        "method   quadrant\n"
        "kernel   quadrants 8 x u64"
    )


def test_of_values_that_are_all_unknown_the_reason_is_told_once() -> None:
    named = dataclasses.replace(UNKNOWN, values={"solutions": None, "leaves": None})
    assert estimate_text(named, {}) == estimate_text(UNKNOWN, {})


def test_what_is_unknown_is_told_with_its_reason() -> None:
    assert estimate_text(UNKNOWN, {}) == (
        "values of mine  unknown: the tree is too deep\n"
        "\n"
        "time        unknown\n"
        "core-hours  unknown\n"
        "nodes       unknown\n"
        "ledger      unknown\n"
        "units       made during the count\n"
        "\n"
        "sampled  4 probes in 10 s; intervals of 95 %\n"
        "depth    at least 726\n"
        "method   tree\n"
        "kernel   python"
    )


def test_a_small_board_is_told_exactly(capfd: Captured) -> None:
    assert run(["estimate", "queens", "8", "--quiet"]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    assert out.startswith("solutions of queens n=8        92\nup to rotation and reflection  12\n")
    assert "units       1\n" in out
    assert ": the values are exact\n" in out


def test_json_is_one_object(capfd: Captured) -> None:
    words = [
        "estimate",
        "queens",
        "7",
        "--json",
        "--workers",
        "64",
        "--seed",
        "5",
        "--time",
        "2",
        "--method",
        "scalar",
    ]
    assert run(words) == 0
    told = json.loads(capfd.readouterr().out)
    assert (told["verb"], told["problem"], told["params"]["n"]) == ("estimate", "queens", 7)
    assert (told["workers"], told["seed"], told["method"], told["exact"]) == (64, 5, "scalar", True)
    assert told["values"]["solutions"] == {"expected": "40", "low": "40", "high": "40"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--time", "0"], "time: found '0', expected 0.1 to 86400 seconds"),
        (["--time", "soon"], "time: found 'soon', expected 0.1 to 86400 seconds"),
        (["--seed", "-1"], "seed: found '-1', expected an integer from 0 to"),
        (["--workers", "0"], "workers: found '0', expected an integer from 1 to"),
        (["65"], "n: found '65', expected an integer from 0 to 64"),
        (["--store", "x"], "option: found '--store', expected"),
    ],
)
def test_a_bad_option_is_one_line_and_status_two(words: list[str], message: str, capfd: Captured) -> None:
    board = [] if words == ["65"] else ["8"]
    assert run(["estimate", "queens", *board, *words]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith(f"frontrow: {message}")
    assert err.count("\n") == 1


@pytest.mark.jit
def test_an_interrupted_estimate_ends_at_once_and_leaves_nothing(tmp_path: Path) -> None:
    store = tmp_path / "store"
    process = subprocess.Popen(
        [sys.executable, "-m", "frontrow", "estimate", "queens", "24", "--time", "600"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "FRONTROW_STORE": str(store)},
    )
    assert process.stderr is not None
    for line in process.stderr:
        if "sampling for 600 s" in line:
            break
    else:
        pytest.fail("the process ended before it sampled")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert out == ""
    assert err.splitlines()[-1] == "frontrow: interrupted; an estimate keeps nothing"
    assert not store.exists()
