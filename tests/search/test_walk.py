"""The default walk on rows: exact with every budget, and bounded in memory whatever a tree looks like."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontrow import CountingTree, StoppedError
from frontrow.search import tuples, walk
from frontrow.search.rows import new_stop


class Irregular(CountingTree):
    """Rows of five words: depth, a number that tells how many children follow, and the path's sum."""

    words = 5
    tallies = ("solutions", "nodes", "depth", "sum")
    maxima = ("depth",)
    n: int
    most: int = 150

    def initial(self):
        return np.array([[0, 7, 0, 0, 0]], np.uint64)

    def expand(self, rows):
        counts = np.where(rows[:, 0] < self.n, rows[:, 1] * rows[:, 1] % np.uint64(self.most), 0)
        parents = np.repeat(np.arange(rows.shape[0]), counts.astype(np.int64))
        children = rows[parents]
        first = np.flatnonzero(np.diff(parents, prepend=-1))
        place = np.arange(parents.size) - np.repeat(first, np.diff(first, append=parents.size))
        children[:, 0] += np.uint64(1)
        children[:, 1] = (children[:, 1] * np.uint64(31) + place.astype(np.uint64)) % np.uint64(1009)
        children[:, 4] += children[:, 1]
        return children, parents

    def is_solution(self, rows):
        return rows[:, 1] % np.uint64(5) == 0

    def measure(self, rows):
        solved = self.is_solution(rows).astype(np.uint64)
        return np.stack([solved, np.ones_like(solved), rows[:, 0], rows[:, 4]], axis=1)


def recursive(problem, row):
    """The same by plain recursion, one row at a time."""
    solved, nodes, depth, total = problem.measure(row)[0].tolist()
    for child in problem.expand(row)[0]:
        below = recursive(problem, child[None])
        solved, nodes, total = solved + below[0], nodes + below[1], total + below[3]
        depth = max(depth, below[2])
    return solved, nodes, depth, total


@pytest.mark.parametrize(("n", "most"), [(0, 150), (1, 150), (3, 40), (5, 9), (9, 4)])
def test_totals_are_those_of_plain_recursion(n, most):
    problem = Irregular(n=n, most=most)
    part = problem.tally(problem.initial(), None, new_stop())
    assert part.counts == recursive(problem, problem.initial())
    assert (part.nodes, part.rest.shape) == (part.counts[1], (0, 5))


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 3000), st.sampled_from([(3, 40), (5, 9), (9, 4)]))
def test_a_budget_is_kept_exactly_and_its_rest_adds_up(budget, shape):
    problem = Irregular(n=shape[0], most=shape[1])
    whole = problem.tally(problem.initial(), None, new_stop())
    solved = nodes = depth = total = 0
    rows = problem.initial()
    while rows.shape[0]:
        part = problem.tally(rows, budget, new_stop())
        assert part.nodes == budget or not part.rest.shape[0]
        solved, nodes, total = solved + part.counts[0], nodes + part.counts[1], total + part.counts[3]
        depth, rows = max(depth, part.counts[2]), part.rest
    assert (solved, nodes, depth, total) == whole.counts


class Full(CountingTree):
    """Every node above depth `n` has `fan` children; remembers the largest number of rows that unfolded."""

    words = 2
    n: int
    fan: int

    def initial(self):
        return np.zeros((1, 2), np.uint64)

    def expand(self, rows):
        SEEN.append(rows.shape[0])
        parents = np.repeat(np.flatnonzero(rows[:, 0] < self.n), self.fan)
        return rows[parents] + np.uint64(1), parents

    def is_solution(self, rows):
        return rows[:, 0] == self.n


SEEN: list[int] = []


def test_wide_trees_unfold_in_small_parts_and_their_leaves_in_large_ones(monkeypatch):
    largest = [0]
    put = walk._Stack.put

    def watched(stack, children, parents, depth):
        put(stack, children, parents, depth)
        largest[0] = max(largest[0], stack.size)

    monkeypatch.setattr(walk._Stack, "put", watched)
    SEEN.clear()
    problem = Full(n=3, fan=120)
    part = problem.tally(problem.initial(), None, new_stop())
    assert (part.counts, part.nodes) == ((120**3,), 1 + 120 + 120**2 + 120**3)
    assert largest[0] < 4 * walk.CHUNK
    assert len(SEEN) < 2 * part.nodes / walk.CHUNK + 500


def test_an_endless_tree_leaves_off_before_it_fills_the_memory():
    problem = Full(n=1 << 60, fan=2)
    part = problem.tally(problem.initial(), 1 << 40, new_stop())
    assert tuples.MOST_WAITING < part.rest.shape[0] < 2 * tuples.MOST_WAITING
    again = problem.tally(part.rest, 1 << 40, new_stop())
    assert again.nodes > 0


def test_the_walk_obeys_the_stop_flag():
    stop = new_stop()
    stop[0] = 1
    with pytest.raises(StoppedError):
        Full(n=3, fan=2).tally(np.zeros((1, 2), np.uint64), None, stop)


def test_the_words_of_a_row_are_its_drawing_unless_there_is_a_better_one():
    assert Full(n=3, fan=2).render(np.array([3, 5], np.uint64)) == "3,5"
