"""One suite over every problem that ships and every engine: the same words mean the same everywhere."""

import numpy as np
import pytest

from frontrow.cluster.api import count
from frontrow.search import registry
from frontrow.search.count import cut
from frontrow.search.problem import Countable, Totals
from frontrow.search.registry import ProblemRef
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
"""Questions small enough for the slow defaults; every problem that ships has some."""

CASES = [(name, params) for name, several in SMALL.items() for params in several]


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]} {case[1]}")
def problem(request):
    name, params = request.param
    return registry.find(name).from_values(params).settle()


def test_every_problem_that_ships_is_in_this_suite():
    assert sorted(SMALL) == registry.names()


def test_a_reference_makes_an_equal_problem(problem):
    assert ProblemRef.of(problem).load() == problem


def test_rows_have_the_width_that_the_problem_states(problem):
    for rows in (problem.initial(), problem.split()):
        assert rows.dtype == np.uint64
        assert rows.shape[1] == problem.words


def test_a_split_is_the_same_every_time_and_costs_are_positive(problem):
    rows = problem.split()
    assert (rows == problem.split()).all()
    costs = problem.cost(rows)
    assert costs.dtype == np.int64
    assert costs.min() >= 1


def test_units_hold_every_row_of_the_split_once_and_in_order(problem):
    units = cut(problem, problem.split())
    assert (np.concatenate([rows for rows, _ in units]) == problem.split()).all()
    assert all(cost >= 1 for _, cost in units)


def values(problem: Countable, parts):
    """What people read of some parts that make a whole."""
    totals = Totals(problem)
    for part in parts:
        totals.add(part.counts)
    return problem.summary(dict(zip(problem.tallies, totals.counts, strict=True)))


def whole(problem: Countable):
    return values(problem, [problem.tally(problem.split(), None, new_stop())])


def test_kernels_agree_with_the_default_walk_on_every_row_of_the_split(problem):
    if problem.method_used == "quadrant":
        pytest.skip("quadrants are no nodes of a tree; they are compared by their solutions")
    rows = problem.split()
    for i in range(rows.shape[0]):
        expected = CountingTree.tally(problem, rows[i : i + 1], None, new_stop())
        assert problem.tally(rows[i : i + 1], None, new_stop()).counts == expected.counts


def test_the_solutions_of_a_split_add_up_to_those_under_the_root(problem):
    listed = problem.list_under(problem.initial(), 10**9, 10**9, new_stop(), unique=False)
    assert whole(problem)["solutions"] == listed.solutions.shape[0]


def test_a_recount_gives_the_same_tallies(problem):
    rows = problem.split()
    assert problem.recount(rows, new_stop()) == problem.tally(rows, None, new_stop()).counts


def test_a_second_method_gives_the_same_values(problem):
    second = problem.second()
    if second is None:
        assert problem.method_used == "scalar"
    else:
        assert second != problem
        assert whole(second) == whole(problem)


@pytest.mark.parametrize("budget", [1, 7, 100])
def test_a_budget_and_its_rest_add_up_and_end(problem, budget):
    waiting, parts = [problem.split()], []
    while waiting:
        part = problem.tally(waiting.pop(), budget, new_stop())
        assert part.nodes > 0
        parts.append(part)
        if part.rest.shape[0]:
            waiting.append(part.rest)
    assert values(problem, parts) == whole(problem)


def test_the_root_and_its_children_can_be_drawn(problem):
    if isinstance(problem, CountingTree):
        children, parents = problem.expand(problem.initial())
        assert children.shape[0] == parents.shape[0]
        assert (np.diff(parents) >= 0).all()
        for row in (*problem.initial(), *children):
            assert isinstance(problem.render(row), str)


@pytest.mark.parametrize("workers", [1, 2, 7])
def test_the_local_engine_gives_the_same_values(problem, workers, tmp_path):
    assert count(problem, engine=LocalEngine(workers), store=tmp_path).values == whole(problem)
