"""Units are pure: the same unit gives the same result."""

from frontrow.search.problems.queens import Queens
from frontrow.search.rows import new_stop
from frontrow.workers.unit import WorkUnit, run_unit


def test_a_unit_that_runs_twice_gives_the_same_result():
    problem = Queens(n=8).settle()
    unit = WorkUnit(3, problem.split(), 1, budget=100)
    one, two = (run_unit(problem, candidate, new_stop(), "w") for candidate in (unit, unit.again()))
    assert (one.counts, one.nodes, one.rest.tolist()) == (two.counts, two.nodes, two.rest.tolist())
    assert (one.attempt, two.attempt) == (0, 1)


def test_another_attempt_keeps_number_rows_and_budget():
    unit = WorkUnit(3, Queens(n=4).split(), 5, budget=100)
    again = unit.again()
    assert (again.number, again.cost, again.budget, again.rows is unit.rows) == (3, 5, 100, True)
