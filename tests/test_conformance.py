"""One suite over every problem that ships and every engine: the same words mean the same everywhere."""

from pathlib import Path

import numpy as np
import pytest

from frontrow.cluster.api import count
from frontrow.search import registry
from frontrow.search.own import checks
from frontrow.search.problem import Countable, Totals
from frontrow.search.rows import new_stop
from frontrow.search.tree import CountingTree
from frontrow.workers.local import LocalEngine

SMALL = {
    "queens": [
        {"n": 0},
        {"n": 1},
        {"n": 5},
        {"n": 6, "method": "scalar"},
        {"n": 7},
        {"n": 8, "method": "lanes"},
        {"n": 9, "fixed": "-,0"},
        {"n": 8, "method": "quadrant"},
        {"n": 9, "method": "quadrant", "order": 1},
    ],
}
"""Questions small enough for the slow defaults; graphs have a suite of their own."""

PLAIN = Path(__file__).parents[1] / "benchmarks/problems/plain.py"
CASES = [(name, params) for name, several in SMALL.items() for params in several]


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]} {case[1]}")
def problem(request):
    name, params = request.param
    return registry.find(name).from_values(params).settle()


def test_every_problem_that_is_counted_is_in_this_suite():
    counted = [name for name in registry.names() if issubclass(registry.find(name), Countable)]
    assert sorted(SMALL) == counted


@pytest.mark.parametrize("name", checks.CHECKS)
def test_a_check_holds_or_does_not_apply(problem, name):
    outcome = checks.check(checks.Subject(problem), name)
    assert outcome.holds is not False, outcome.note


def test_every_check_applies_to_something(tmp_path, monkeypatch):
    queens = registry.find("queens")
    with monkeypatch.context() as patch:
        patch.setenv("FRONTROW_CACHE", str(tmp_path))  # for the copy of the file, not for kernels
        plain = registry.find(str(PLAIN))
    made = [queens(n=6), queens(n=6, method="quadrant"), plain(size=50)]
    outcomes = [outcome for each in made for outcome in checks.run(each.settle())]
    assert {outcome.name for outcome in outcomes if outcome.holds} == set(checks.CHECKS)


def test_a_split_is_made_of_rows_whose_costs_are_positive(problem):
    assert problem.split().dtype == np.uint64
    assert problem.cost(problem.split()).min() >= 1


def values(problem: Countable, parts):
    """What people read of some parts that make a whole."""
    totals = Totals(problem)
    for part in parts:
        totals.add(part.counts)
    return problem.summary(dict(zip(problem.tallies, totals.counts, strict=True)))


def whole(problem: Countable):
    return values(problem, [problem.tally(problem.split(), None, new_stop())])


def test_a_second_method_gives_the_same_values(problem):
    second = problem.second()
    if second is None:
        assert problem.method_used == "scalar"
    else:
        assert second != problem
        assert whole(second) == whole(problem)


@pytest.mark.parametrize("unique", [False, True])
def test_solutions_are_listed_as_the_default_lists_them_and_as_many_as_are_counted(problem, unique):
    if not isinstance(problem, CountingTree) or (unique and not problem.symmetric):
        return
    found, rows = [], problem.initial()
    while rows.shape[0]:
        part = problem.list_under(rows, 10, 1000, new_stop(), unique=unique)
        found += part.solutions.tolist()
        rows = part.rest
    expected = CountingTree.list_under(problem, problem.initial(), 10**9, 10**9, new_stop(), unique=unique)
    assert found == expected.solutions.tolist()
    if not unique and problem.tallies[0] == "solutions":
        assert len(found) == CountingTree.tally(problem, problem.initial(), None, new_stop()).counts[0]


@pytest.mark.parametrize("workers", [1, 2, 7])
def test_the_local_engine_gives_the_same_values(problem, workers, tmp_path):
    assert count(problem, engine=LocalEngine(workers), store=tmp_path).values == whole(problem)
