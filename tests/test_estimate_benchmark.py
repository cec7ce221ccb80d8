"""The honesty check of estimates compares with known totals and real counts, and fails where too few hold."""

import json

import pytest

from benchmarks import estimate
from frontrow import Interval
from frontrow.search.problems.queens import Queens


def test_small_boards_are_told_exactly(capsys: pytest.CaptureFixture[str]) -> None:
    estimate.main(["5", "8", "--runs", "2", "--time", "0.5", "--json", "--workers", "1"])
    lines = json.loads(capsys.readouterr().out)
    assert [(line["n"], line["of"]) for line in lines] == [(5, "total"), (8, "total")]
    assert all((line["held"], line["estimates"], line["exact"]) == (2, 2, 2) for line in lines)


def test_a_real_count_gives_its_seconds() -> None:
    core, wall = estimate.counted(Queens(n=6), 1)
    assert core > 0
    assert wall > 0


def test_too_few_intervals_that_hold_are_told() -> None:
    held = [estimate.Pair(Interval(10, 9, 11), 10.5, False)] * 8
    missed = [estimate.Pair(Interval(10, 9, 11), 12.0, False)] * 2
    unknown = [estimate.Pair(None, 12.0, False)]
    line = estimate.line(18, "lanes", "total", held + missed + unknown)
    assert (line.held, line.estimates, line.runs) == (8, 10, 11)
    assert not line.is_honest
    assert "8/10 TOO FEW" in estimate.text(line)
    assert estimate.line(18, "lanes", "total", held + unknown).is_honest


def test_known_totals_are_read() -> None:
    assert estimate.totals()[8] == 92
    assert estimate.totals()[20] == 39029188884
