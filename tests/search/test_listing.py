"""Listing: every solution once, in the order of the walk, whatever the limit and the budget."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontrow import CountingTree, StoppedError
from frontrow.search.listing import list_solutions
from frontrow.search.problems.queens import Queens
from frontrow.search.rows import new_stop


class Even(CountingTree):
    """Words over 0, 1, 2 up to four letters; those with an even sum are solutions, inner nodes too."""

    cells, bits = 4, 2

    def children(self, node):
        return [(*node, letter) for letter in range(3)] if len(node) < 4 else []

    def is_solution(self, node):
        return sum(node) % 2 == 0


def walk(problem, node):
    if problem.is_solution(node):
        yield node
    for child in problem.children(node):
        yield from walk(problem, child)


def listed(problem, limit, budget):
    rows, found = problem.initial(), []
    while rows.shape[0]:
        part = list_solutions(problem, rows, limit, budget, new_stop())
        found += [problem.render(row) for row in part.solutions]
        rows = part.rest
    return found


@given(st.integers(1, 50), st.integers(1, 50))
def test_parents_come_before_children_for_every_limit_and_budget(limit, budget):
    expected = [",".join(map(str, node)) for node in walk(Even(), ())]
    assert listed(Even(), limit, budget) == expected


@pytest.mark.parametrize("n", range(9))
def test_listed_queens_are_as_many_as_counted_ones_and_in_order(n):
    problem = Queens(n=n)
    part = list_solutions(problem, problem.initial(), 10**9, 10**9, new_stop())
    totals = problem.tally(problem.split(), None, new_stop()).counts
    assert part.solutions.shape[0] == totals[0]
    assert part.rest.shape == (0, problem.words)


def test_listing_obeys_the_stop_flag():
    stop = new_stop()
    stop[0] = 1
    with pytest.raises(StoppedError):
        list_solutions(Even(), Even().initial(), 1, 1, stop)
