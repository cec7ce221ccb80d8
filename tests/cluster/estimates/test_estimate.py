"""Estimates from Python: right, bounded, repeatable, and without a trace in the ledger."""

import dataclasses
import json
import os
import threading
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import frontrow
from frontrow.cluster.api import count
from frontrow.cluster.estimates import estimate as module
from frontrow.cluster.estimates.estimate import estimate, ledger_bytes
from frontrow.cluster.estimates.sampler import Sampler, sample_tree, within
from frontrow.cluster.result import Progress
from frontrow.search.count import cut
from frontrow.search.errors import ProblemError, UsageError
from frontrow.search.estimates.estimate import conclude
from frontrow.search.estimates.interval import Interval
from frontrow.search.estimates.sampling import Frame
from frontrow.search.parameter import parameter
from frontrow.search.problem import Slice
from frontrow.search.problems.queens import Queens
from frontrow.search.rows import Rows, Stop, new_stop
from tests.search.estimates.heap import Bushes, Heap

TREE = """
from frontrow import CountingTree, parameter

class Columns(CountingTree):
    cells, bits = 16, 5
    n: int = parameter(low=1, high=15, help="queens")

    def children(self, node):
        row = len(node)
        return [(*node, c) for c in range(self.n)
                if all(c != d and abs(c - d) != row - i for i, d in enumerate(node))] if row < self.n else []

    def is_solution(self, node):
        return len(node) == self.n
"""


WAITING = """
import os, threading
from frontrow import CountingTree

class Waiting(CountingTree):
    cells, bits = 1, 1

    def children(self, node):
        while not os.path.exists({gate!r}):
            threading.Event().wait(0.01)
        return []

    def is_solution(self, node):
        return True
"""


class Blocked(Heap):
    """Waits at a gate, whatever the stop flag says."""

    gate: ClassVar[threading.Event] = threading.Event()

    def tally(self, rows: Rows, budget: int | None, stop: Stop) -> Slice:
        self.gate.wait()
        return super().tally(rows, budget, stop)


class Failing(Heap):
    """Cannot be tallied."""

    def tally(self, rows: Rows, budget: int | None, stop: Stop) -> Slice:
        raise ZeroDivisionError("a unit that cannot be tallied")


class Deceiving(Heap):
    """Takes longer than its cost says by far, if it is not stopped."""

    patience: int = parameter(
        default=10**6, low=1, high=10**9, help="numbers looked at for every cost of one"
    )

    def tally(self, rows: Rows, budget: int | None, stop: Stop) -> Slice:
        part = super().tally(rows, budget, stop)
        if int(rows[0, 0]) % 7 == 0:
            for _ in range(self.patience):
                super().tally(rows, None, stop)
        return part


def is_near(interval: Interval | None, truth: float) -> bool:
    """Whether the truth is in an interval twice as wide on a logarithmic scale, which hardly ever fails."""
    return (
        interval is not None
        and interval.low**2 / interval.expected < truth < interval.high**2 / interval.expected
    )


@pytest.mark.parametrize("n", [0, 1, 2, 3, 6, 8, 10])
def test_a_small_board_is_told_exactly(n: int) -> None:
    told = estimate("queens", n=n, seconds=5)
    values = count("queens", n=n).values
    assert told.exact
    assert {name: (each.low, each.expected, each.high) for name, each in told.values.items() if each} == {
        name: (value, value, value) for name, value in values.items() if value is not None
    }
    assert not told.doubts
    assert told.share == 1
    assert told.core_seconds is not None
    assert told.wall_seconds is not None
    assert 0 <= told.core_seconds.low <= told.core_seconds.expected <= told.core_seconds.high


@pytest.mark.jit
def test_a_large_board_is_told_with_intervals_that_hold() -> None:
    told = estimate("queens", n=20, method="lanes", seconds=1, seed=3)
    solutions = told.values["solutions"]
    assert solutions is not None
    assert is_near(solutions, 39029188884)
    assert is_near(told.values["unique"], 4878666808)
    assert solutions.high < 2 * solutions.low
    assert not told.exact
    assert 0 < told.share < 0.5
    problem = Queens(n=20, method="lanes")
    assert told.units == len(cut(problem, problem.split()))
    assert told.ledger_bytes is not None
    assert told.ledger_bytes > 24 * problem.split().shape[0]
    assert is_near(told.nodes, 7.9e10)
    assert (told.method, told.sampled_by) == ("lanes", "units")


def test_more_workers_take_as_many_core_hours_and_less_time(tmp_path: Path) -> None:
    (tmp_path / "columns.py").write_text(TREE)
    one, many = (estimate(f"{tmp_path}/columns.py", n=12, seconds=1, seed=5, workers=k) for k in (1, 1000))
    assert one.core_seconds is not None
    assert many.core_seconds is not None
    assert one.wall_seconds is not None
    assert many.wall_seconds is not None
    assert one.core_seconds.high > many.core_seconds.low
    assert one.core_seconds.low < many.core_seconds.high
    assert many.wall_seconds.high < one.wall_seconds.low / 10
    assert (one.workers, many.workers) == (1, 1000)


def test_a_tree_in_a_file_is_estimated_by_probes(tmp_path: Path) -> None:
    (tmp_path / "columns.py").write_text(TREE)
    told = estimate(f"{tmp_path}/columns.py", n=12, seconds=1.5, seed=1)
    assert is_near(told.values["solutions"], 14200)
    assert is_near(told.nodes, 856189)
    assert (told.sampled_by, told.units, told.ledger_bytes) == ("probes", None, None)
    assert told.depth is not None
    assert 8 <= told.depth <= 12
    small = estimate(f"{tmp_path}/columns.py", n=6, seconds=60)
    assert small.exact
    assert small.to_json()["values"] == {"solutions": {"expected": "4", "low": "4", "high": "4"}}


def test_a_tally_called_depth_is_the_only_depth(tmp_path: Path) -> None:
    more = """
    tallies, maxima = ("solutions", "depth"), ("depth",)

    def measure_node(self, node):
        return self.is_solution(node), len(node)
"""
    (tmp_path / "columns.py").write_text(TREE + more)
    told = estimate(f"{tmp_path}/columns.py", n=14, seconds=0.5, seed=1)
    assert (told.depth, told.greatest.keys()) == (None, {"depth"})


def test_nothing_is_written_to_the_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRONTROW_STORE", str(tmp_path / "store"))
    estimate("queens", n=8, seconds=5)
    assert not (tmp_path / "store").exists()


def test_an_estimate_shows_itself_and_is_public() -> None:
    told = frontrow.estimate("queens", n=6, seconds=5, workers=2)
    assert isinstance(told, frontrow.Estimate)
    assert repr(told).startswith(
        "<estimate queens(n=6): solutions=4, unique=1, half_turn=4, quarter_turn=0, "
    )
    assert repr(told).endswith("; 2 workers, scalar>")
    with pytest.raises(dataclasses.FrozenInstanceError):
        told.seed = 3  # type: ignore[misc]


def test_json_has_strings_where_numbers_can_be_large() -> None:
    told = estimate("queens", n=9, seconds=5).to_json()
    assert json.loads(json.dumps(told)) == told
    assert told["verb"] == "estimate"
    assert told["values"]["solutions"] == {"expected": "352", "low": "352", "high": "352"}
    for name in ("units", "ledger_bytes", "memory_bytes"):
        assert isinstance(told[name], str), name
    for name in ("core_hours", "wall_seconds"):
        assert set(told[name]) == {"expected", "low", "high"}
        assert all(isinstance(value, float) for value in told[name].values())
    assert isinstance(told["nodes"]["low"], str)
    assert (told["exact"], told["doubts"], told["sampled_by"]) == (True, {}, "units")


def test_an_unknown_number_is_null_with_its_reason() -> None:
    told = module._estimate(  # a run that found nothing
        module.Run(module.unknown("no unit ended in the time given")),
        Queens(n=9).settle(),
        2,
        params={"n": 9},
        kernel="",
        memory_bytes=None,
        seed=0,
        seconds=1.0,
        setup_seconds=0.0,
    )
    assert told.to_json()["wall_seconds"] is None
    assert told.to_json()["memory_bytes"] is None
    names = ("solutions", "unique", "half_turn", "quarter_turn")
    assert told.to_json()["values"] == dict.fromkeys(names)
    assert told.doubts == {"all": "no unit ended in the time given"}
    assert "wall_seconds=unknown" in repr(told)
    assert not told.exact


def test_every_value_has_its_key_also_if_no_sample_ended() -> None:
    problem = Queens(n=12, method="scalar").settle()
    frame = Frame(problem, problem.split(), problem.cost(problem.split()), 1.0)
    told = module._estimate(
        module.Run(conclude(frame, []), frame),
        problem,
        2,
        params={"n": 12},
        kernel="",
        memory_bytes=None,
        seed=0,
        seconds=1.0,
        setup_seconds=0.0,
    )
    names = ("solutions", "unique", "half_turn", "quarter_turn")
    assert told.to_json()["values"] == dict.fromkeys(names)
    assert told.doubts == dict.fromkeys((*names, "nodes", "seconds"), "too few samples in the time given")


def test_the_same_seed_draws_the_same() -> None:
    runs = [Sampler(Heap(rows=300), 1, 100.0, seed, new_stop()).run() for seed in (1, 1, 2)]
    assert all(run.outcome.counts is not None for run in runs)
    assert runs[0].outcome.counts == runs[1].outcome.counts == runs[2].outcome.counts


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_together_tally_everything_once(threads: int) -> None:
    problem = Heap(rows=300)
    run = Sampler(problem, threads, 100.0, 0, new_stop()).run()
    assert run.outcome.counts == problem.tally(problem.split(), None, new_stop()).counts
    assert run.share == pytest.approx(1)
    assert run.frame is not None
    assert run.frame.units.sum() == 300


def test_what_does_not_stop_is_left_alone() -> None:
    Blocked.gate.clear()
    stop = new_stop()
    try:
        problem = Blocked(rows=300)
        found = within(0.05, stop, lambda: Sampler(problem, 1, 0.05, 0, stop).run(), lambda: None)
    finally:
        Blocked.gate.set()
    assert found is None
    assert stop[0]


def test_a_tree_whose_children_never_come_is_given_up(tmp_path: Path) -> None:
    gate = tmp_path / "open"
    (tmp_path / "waiting.py").write_text(WAITING.format(gate=str(gate)))
    told: list[str] = []

    def ask() -> None:
        told.append(estimate(f"{tmp_path}/waiting.py", seconds=0.05).doubts["all"])

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(20)
    gate.touch()  # lets the thread that was left alone end
    assert told == ["one step took longer than the time given"]


def test_a_cost_that_deceives_is_told() -> None:
    stop = new_stop()
    problem = Deceiving(rows=2000)
    run = within(0.5, stop, lambda: Sampler(problem, 1, 0.5, 1, stop).run(), lambda: None)
    assert run is not None
    assert run.outcome.doubt in (
        "a unit took far longer than its cost predicts",
        "no unit ended in the time given",
    )


def test_a_stopped_tree_is_told() -> None:
    stop = new_stop()
    stop[0] = 1
    assert sample_tree(Bushes(depth=30), 5.0, 0, stop).outcome.doubt


def test_an_interrupt_raises_the_stop_flag() -> None:
    Blocked.gate.clear()
    stop = new_stop()

    def interrupt() -> None:
        raise KeyboardInterrupt

    try:
        with pytest.raises(KeyboardInterrupt):
            within(1000, stop, lambda: Sampler(Blocked(rows=9), 2, 1000, 0, stop).run(), interrupt)
    finally:
        Blocked.gate.set()
    assert stop[0]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_an_error_in_a_unit_is_raised() -> None:
    with pytest.raises(ZeroDivisionError, match="a unit that cannot be tallied"):
        Sampler(Failing(rows=300), 2, 100.0, 0, new_stop()).run()


def test_an_error_in_a_file_names_its_line(tmp_path: Path) -> None:
    text = TREE.replace("return len(node) == self.n", "return 1 / 0")
    (tmp_path / "columns.py").write_text(text)
    with pytest.raises(ProblemError, match=r"columns\.py, line 14 in is_solution: ZeroDivisionError"):
        estimate(f"{tmp_path}/columns.py", n=13, seconds=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seconds": 0}, "seconds: found 0, expected a number above 0"),
        ({"seconds": float("inf")}, "seconds: found inf, expected"),
        ({"seconds": "5"}, "seconds: found '5', expected a number above 0"),
        ({"workers": 0}, "workers: found 0, expected an integer from 1"),
        ({"workers": 1.5}, "workers: found 1.5, expected an integer from 1"),
        ({"seed": -1}, "seed: found -1, expected an integer from 0"),
        ({"progress": 5}, "progress: found 5, expected a function"),
        ({"m": 3}, "queens: found 'm', expected the parameters"),
    ],
)
def test_a_bad_option_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        estimate("queens", n=8, **options)  # type: ignore[arg-type]


def test_progress_says_what_goes_on() -> None:
    seen: list[Progress] = []
    estimate("queens", n=8, seconds=5, progress=seen.append)
    assert seen[-1].phase == "sampling for 5 s"


@pytest.mark.jit
@pytest.mark.parametrize(("n", "method"), [(17, "lanes"), (18, "lanes")])
def test_the_size_of_the_ledger_is_about_that_of_a_real_one(n: int, method: str, tmp_path: Path) -> None:
    problem = Queens(n=n, method=method)
    count(problem, store=tmp_path)
    real = sum(os.path.getsize(file) for file in tmp_path.iterdir() if file.is_file())
    rows = np.array([part.shape[0] for part, _ in cut(problem, problem.split())])
    assert real * 0.6 < ledger_bytes(rows, problem.words) < real * 1.6


def test_memory_is_not_below_what_the_heaviest_units_need() -> None:
    told = estimate("queens", n=28, seconds=0.2, workers=1)
    assert told.memory_bytes is not None
    assert told.memory_bytes >= Queens(28).worker_bytes > Queens(22).worker_bytes > 0
    assert (Queens(21).worker_bytes, Queens(28, method="lanes").worker_bytes) == (0, 0)
