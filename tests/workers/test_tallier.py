"""What runs in a worker process, tried in this one."""

import pytest

from frontrow.workers.parcel import pack_batch, unpack_results
from frontrow.workers.tallier import Tallier, build, differing
from tests.ray_support import COUNT, GATE, trial, trial_units


@pytest.fixture
def tallier(tmp_path):
    made = Tallier()
    made.load(trial(tmp_path))
    return made


def test_a_batch_gives_the_results_of_its_units(tallier):
    results = unpack_results(tallier.tally(1, pack_batch(tuple(trial_units([(COUNT, 3), (COUNT, 4)])))))
    assert [result.counts for result in results] == [(3,), (4,)]


def test_a_halt_also_stops_batches_of_its_run_that_are_still_to_come_and_no_others(tallier):
    tallier.halt(1)
    assert tallier.tally(1, pack_batch(tuple(trial_units([(GATE, 1)])))) is None
    assert tallier.tally(2, pack_batch(tuple(trial_units([(COUNT, 1)])))) is not None


def test_equal_builds_do_not_differ():
    assert differing(build(), build()) is None


@pytest.mark.parametrize("name", ["frontrow", "kernel sources", "Python"])
def test_a_build_that_differs_is_named(name):
    theirs = build() | {name: "odd"}
    assert differing(build(), theirs) == f"found {name} odd, expected {build()[name]}"


def test_a_build_that_lacks_something_differs():
    assert differing(build(), {}) is not None
