"""Who gets which batch, and who is blamed for a dead worker."""

import numpy as np
import pytest

from frontrow.search.errors import EngineError
from frontrow.search.problems.queens import Queens
from frontrow.search.registry import ProblemRef
from frontrow.workers.dispatch import WINDOW_MOST, Dispatch
from frontrow.workers.engine import ATTEMPTS
from frontrow.workers.unit import UnitResult
from tests.ray_support import COUNT, taking, trial_units

QUEENS = ProblemRef.of(Queens(n=4))


def numbers(batch):
    return [unit.number for unit in batch]


def hand_out(dispatch, *workers):
    """Fill the windows and say who got what."""
    sent = []
    dispatch.hand_out(workers, lambda worker, batch: sent.append((worker, batch)) or batch)
    return sent


def results(batch, seconds):
    rest = np.zeros((0, 2), np.uint64)
    return tuple(
        UnitResult(
            number=unit.number,
            attempt=unit.attempt,
            budget=unit.budget,
            counts=(1,),
            nodes=1,
            rest=rest,
            seconds=seconds,
            worker="w",
            host="h",
            kernel="python",
        )
        for unit in batch
    )


@pytest.fixture
def ten():
    """Ten units in batches of two."""
    return Dispatch(taking(trial_units([(COUNT, 1)] * 10), 2), QUEENS)


def test_every_worker_gets_a_batch_before_any_gets_a_second(ten):
    sent = hand_out(ten, "a", "b")
    assert [(worker, numbers(batch)) for worker, batch in sent] == [
        ("a", [0, 1]),
        ("b", [2, 3]),
        ("a", [4, 5]),
        ("b", [6, 7]),
    ]


def test_short_batches_widen_the_window_up_to_its_limit():
    dispatch = Dispatch(taking(trial_units([(COUNT, 1)] * 100)), QUEENS)
    [(_, first), _] = hand_out(dispatch, "a")
    dispatch.landed("a", results(first, 0.0))
    assert len(hand_out(dispatch, "a")) == WINDOW_MOST - 1


def test_one_short_batch_after_long_ones_does_not_widen_the_window():
    dispatch = Dispatch(taking(trial_units([(COUNT, 1)] * 100)), QUEENS)
    for seconds in (1.0, 1.0, 0.0):
        hand_out(dispatch, "a")
        dispatch.landed("a", results(dispatch.first("a"), seconds))
    assert len(hand_out(dispatch, "a")) == 1


def test_a_run_is_over_when_nothing_flies_and_nothing_is_left():
    dispatch = Dispatch(taking(trial_units([(COUNT, 1)])), QUEENS)
    assert not dispatch.over
    [(_, batch)] = hand_out(dispatch, "a")
    assert not dispatch.over
    dispatch.landed("a", results(batch, 1.0))
    assert not dispatch.over  # the result may have brought new units
    assert hand_out(dispatch, "a") == []
    assert dispatch.over


def test_after_none_nothing_is_taken_until_a_result_is_back():
    left = [(unit,) for unit in trial_units([(COUNT, 1)] * 3)]
    script = [left[0], None, left[1], None]
    dispatch = Dispatch(lambda: script.pop(0), QUEENS)
    [(_, first)] = hand_out(dispatch, "a")
    assert hand_out(dispatch, "a") == []
    dispatch.landed("a", results(first, 1.0))
    [(_, second)] = hand_out(dispatch, "a")
    assert numbers(second) == [1]


def test_a_crash_puts_the_running_batch_back_unit_by_unit_and_the_waiting_one_whole(ten):
    hand_out(ten, "a")
    ten.crashed("a", "killed")
    again = [batch for _, batch in hand_out(ten, "b", "c", "d")]
    assert [numbers(batch) for batch in again] == [[0], [1], [2, 3]]
    assert {unit.attempt for batch in again for unit in batch} == {1}


def test_what_goes_again_is_alone_with_its_worker(ten):
    hand_out(ten, "a", "busy")
    ten.crashed("a", "killed")
    assert [(worker, numbers(batch)) for worker, batch in hand_out(ten, "b", "busy")] == [("b", [0])]
    ten.landed("b", results(ten.first("b"), 1.0))
    assert [(worker, numbers(batch)) for worker, batch in hand_out(ten, "b", "busy")] == [("b", [1])]


def work(dispatch, worker, killer):
    """Work batches off until the worker dies of a unit."""
    while True:
        hand_out(dispatch, worker)
        batch = dispatch.first(worker)
        if killer in numbers(batch):
            dispatch.crashed(worker, "killed")
            return
        dispatch.landed(worker, results(batch, 1.0))


def test_a_unit_that_loses_all_its_workers_is_named_and_its_neighbours_are_not(ten):
    for worker in range(ATTEMPTS - 1):
        work(ten, worker, killer=1)
    with pytest.raises(EngineError) as caught:
        work(ten, "last", killer=1)
    assert str(caught.value) == (
        f"queens: found {ATTEMPTS} workers lost while they tallied unit 1 (killed), expected a result"
    )


def test_waiting_behind_a_killer_is_no_failure():
    dispatch = Dispatch(taking(trial_units([(COUNT, 1)] * 2)), QUEENS)
    assert len(hand_out(dispatch, "a")) == 2
    dispatch.crashed("a", "killed")
    for worker in range(ATTEMPTS - 1):
        work(dispatch, worker, killer=1)
    assert [numbers(batch) for _, batch in hand_out(dispatch, "next")] == [[1]]


def test_a_batch_without_results_goes_out_again(ten):
    hand_out(ten, "a")
    ten.landed("a", None)
    worker, batch = hand_out(ten, "a", "b")[0]
    assert (worker, numbers(batch)) == ("b", [0, 1])
