"""The local engine keeps the contract of `Engine`."""

import socket
import threading

import numpy as np
import pytest

from frontrow.search.count import cut
from frontrow.search.errors import UsageError
from frontrow.search.problems.queens import Queens
from frontrow.search.registry import ProblemRef
from frontrow.search.rows import HAND_BACK, new_stop
from frontrow.workers.local import LocalEngine, in_background
from frontrow.workers.unit import WorkUnit, available_workers, run_unit
from tests.ray_support import GATE, gated_units, taking, trial

PROBLEM = Queens(n=9).settle()
REF = ProblemRef.of(PROBLEM)


def units():
    """Many small units of a small problem."""
    rows = PROBLEM.split()
    return [WorkUnit(number, rows[number : number + 1], 1) for number in range(rows.shape[0])]


def run(engine, batches, stop=None):
    waiting = iter(batches)
    results = engine.map(REF, lambda: next(waiting, None), new_stop() if stop is None else stop)
    return [result for batch in results for result in batch]


@pytest.mark.parametrize("workers", [1, 2, 7])
def test_every_unit_comes_back_once_with_the_same_counts(workers):
    results = run(LocalEngine(workers), [(unit,) for unit in units()])
    expected = {unit.number: run_unit(PROBLEM, unit, new_stop(), "here").counts for unit in units()}
    assert len(results) == len(expected)
    assert {result.number: result.counts for result in results} == expected


def test_units_that_appear_after_nothing_was_left_are_still_run():
    # A budget's rest becomes new units only once a result is in: `take` says None and later has more.
    engine = LocalEngine(2)
    first, *later = units()
    batches = [(first,)]
    seen = []
    for results in engine.map(REF, lambda: batches.pop() if batches else None, new_stop()):
        if results and not seen:
            batches += [(unit,) for unit in later]
        seen += [result.number for result in results]
    assert sorted(seen) == [unit.number for unit in units()]


def test_a_raised_stop_flag_ends_the_run():
    stop = new_stop()
    stop[0] = 1
    assert run(LocalEngine(2), [(unit,) for unit in units()], stop) == []


@pytest.mark.parametrize("workers", [1, 2])
def test_what_was_done_before_a_stop_is_handed_back(tmp_path, workers):
    stop, results = new_stop(), []
    for batch in LocalEngine(workers).map(trial(tmp_path), taking(gated_units(), 2), stop):
        results += batch
        if list(tmp_path.glob("waits-*")):
            stop[0] = HAND_BACK
    part = next(result for result in results if result.number == 0)
    assert (part.counts, part.nodes, part.budget) == ((3,), 1, 1)
    assert part.rest.tolist() == [[GATE, 4]]
    assert len(results) == 1
    assert workers_alive() == []


def of_years():
    """A problem and a unit of it that would take years."""
    problem = Queens(n=28).settle()
    (rows, cost), *_ = cut(problem, problem.split())
    return ProblemRef.of(problem), WorkUnit(0, rows, cost)


def workers_alive():
    return [thread for thread in threading.enumerate() if thread.name.startswith(f"{socket.gethostname()}:")]


def test_a_stop_flag_raised_in_mid_run_ends_a_unit_that_would_take_years():
    ref, unit = of_years()
    engine, stop = LocalEngine(2), new_stop()
    batches = [(unit,)]
    ended = threading.Event()

    def drive():
        for _ in engine.map(ref, lambda: batches.pop() if batches else None, stop):
            stop[0] = 1  # the first idle tick: the unit is running
        ended.set()

    threading.Thread(target=drive, daemon=True).start()
    assert ended.wait(60)


def test_no_worker_is_left_in_a_kernel_when_a_run_is_given_up():
    # The interpreter frees the tables at its end: a thread still in the kernel would read what is gone.
    ref, unit = of_years()
    batches, stop = [(unit,)], new_stop()
    results = LocalEngine(2).map(ref, lambda: batches.pop() if batches else None, stop)
    assert next(results) == ()
    assert workers_alive()
    results.close()
    assert stop[0] == 1
    assert workers_alive() == []


def test_an_exception_in_a_unit_is_raised_to_the_caller():
    wrong = WorkUnit(0, np.zeros((1, 1), np.uint32), 1)  # no rows at all
    with pytest.raises((TypeError, ValueError, IndexError)):
        run(LocalEngine(2), [(wrong,)])


@pytest.mark.parametrize("workers", [0, -1])
def test_a_number_of_workers_below_one_is_refused(workers):
    with pytest.raises(UsageError, match="expected 1 or more"):
        LocalEngine(workers)


def test_the_default_number_of_workers_is_what_the_process_may_use():
    assert LocalEngine().workers == available_workers() >= 1


def test_background_work_gives_its_value_or_its_error():
    assert in_background(lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        in_background(lambda: 1 // 0)
