"""What is known about workers between two results."""

import numpy as np
import pytest

from frontrow.cluster.pace import LEAST, Pace
from frontrow.workers.unit import UnitResult


def result(worker, seconds):
    return UnitResult(0, 0, None, (1,), 1, np.zeros((0, 1), np.uint64), seconds, worker, "host", "kernel")


def test_workers_that_never_wait_are_fully_efficient():
    pace = Pace(2, 100.0)
    pace.came([result("a", 1.0), result("a", 1.0)], 102.0)
    pace.came([result("a", 3.0)], 105.0)
    assert pace.efficiency == pytest.approx(1.0)


def test_time_between_two_batches_of_a_worker_is_lost():
    pace = Pace(1, 0.0)
    pace.came([result("a", 1.0)], 1.0)
    pace.came([result("a", 1.0)], 3.0)
    assert pace.efficiency == pytest.approx(2 / 3)


def test_workers_in_flight_are_counted_from_when_they_were_last_heard_of():
    pace = Pace(2, 10.0)
    assert pace.flying(11.0) == pytest.approx(2.0)  # both have been silent since the beginning
    pace.came([result("a", 2.0)], 12.0)
    assert pace.flying(13.0) == pytest.approx(1.0 + 3.0)


def test_an_efficiency_of_nothing_is_not_believed():
    pace = Pace(1, 0.0)
    pace.came([result("a", 0.0)], 1.0)
    pace.came([result("a", 0.0)], 50.0)
    assert pace.efficiency == LEAST
