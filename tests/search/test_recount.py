"""Second computations: they give the same, by other code, so that a wrong kernel is found."""

import dataclasses

import numpy as np
import pytest

from frontrow.search import tree
from frontrow.search.errors import StoppedError
from frontrow.search.problem import Countable, Slice
from frontrow.search.problems.queens import Queens
from frontrow.search.queens import counting, small
from frontrow.search.rows import new_stop
from frontrow.search.tree import CountingTree


def twice(problem: Countable) -> tuple[tuple[int, ...], tuple[int, ...]]:
    rows = problem.split()
    return problem.tally(rows, None, new_stop()).counts, problem.recount(rows, new_stop())


@pytest.mark.parametrize(
    "problem",
    [
        *(Queens(n=n, method="scalar") for n in (0, 1, 2, 3, 4, 5, 7, 8, 9)),
        Queens(n=8, fixed="-,-,3"),
        *(pytest.param(Queens(n=n, method="lanes"), marks=pytest.mark.jit) for n in (1, 4, 8, 11, 12, 13)),
        *(pytest.param(Queens(n=n, method="scalar"), marks=pytest.mark.jit) for n in (12, 13)),
        pytest.param(Queens(n=31, fixed="1,3,5,7,9,11,13,15,17,19,21,23,0"), marks=pytest.mark.jit),
    ],
    ids=repr,
)
def test_queens_come_out_the_same_a_second_time(problem: Queens) -> None:
    first, second = twice(problem.settle())
    assert first == second


@pytest.mark.jit
def test_boards_beyond_what_the_slow_kernel_counts_come_out_the_same(monkeypatch) -> None:
    monkeypatch.setattr(counting, "RECOUNTED", 1000)
    monkeypatch.setattr(tree, "RECOUNTED", 10)
    first, second = twice(Queens(n=13, method="lanes"))
    assert first == second


def one_more(kernel):
    """A kernel that finds one solution too many of weight 1 on every call."""

    def wrong(boards, weights, lines, stop):
        found, nodes = kernel(boards, weights, lines, stop)
        found = found.copy()
        found[1] += 1
        return found, nodes

    return wrong


def test_a_wrong_kernel_of_small_boards_is_found(monkeypatch) -> None:
    monkeypatch.setattr(small, "tally_boards", one_more(small.tally_boards))
    first, second = twice(Queens(n=7, method="scalar"))
    assert (first[0] != 40, second[0]) == (True, 40)


@pytest.mark.jit
def test_wrong_lanes_are_found(monkeypatch) -> None:
    monkeypatch.setattr(counting, "_count_by_lanes", one_more(counting._count_by_lanes))
    first, second = twice(Queens(n=12, method="lanes"))
    assert (first[0] != 14200, second[0]) == (True, 14200)


@pytest.mark.jit
def test_a_wrong_scalar_kernel_is_found(monkeypatch) -> None:
    from frontrow.search.queens import scalar

    monkeypatch.setattr(scalar, "tally_boards", one_more(scalar.tally_boards))
    first, second = twice(Queens(n=12, method="scalar"))
    assert (first[0] != 14200, second[0]) == (True, 14200)


@pytest.mark.jit
def test_a_wrong_kernel_of_boards_that_a_turn_leaves_unchanged_is_found(monkeypatch) -> None:
    from frontrow.search.queens import turned

    def wrong(kind, *args):
        return one_more(lambda *rest: honest(kind, *rest))(*args)

    honest = turned.tally_boards
    monkeypatch.setattr(turned, "tally_boards", wrong)
    first, second = twice(Queens(n=12, method="lanes"))
    assert (first[1] != 80, second[1:]) == (True, (80, 8))


class Doubling(CountingTree):
    """The binary tree of a depth; its kernel is as wrong as `error` says."""

    words = 1
    depth: int
    error: int = 0

    def initial(self):
        return np.zeros((1, 1), np.uint64)

    def render(self, row):
        return str(row)

    def expand(self, rows):
        inner = np.flatnonzero(rows[:, 0] < self.depth)
        parents = np.repeat(inner, 2).astype(np.int32)
        return rows[parents] + np.uint64(1), parents

    def is_solution(self, rows):
        return rows[:, 0] == self.depth

    def tally(self, rows, budget, stop):
        leaves = sum(2 ** (self.depth - int(level)) for level in rows[:, 0])
        return Slice((leaves + self.error,), rows.shape[0], rows[:0])


def test_a_kernel_of_any_tree_is_compared_with_the_plain_walk() -> None:
    assert twice(Doubling(depth=6)) == ((64,), (64,))
    assert twice(Doubling(depth=6, error=1)) == ((65,), (64,))


def test_what_is_beyond_the_plain_walk_is_left_to_the_kernel(monkeypatch) -> None:
    monkeypatch.setattr(tree, "RECOUNTED", 20)
    assert Doubling(depth=12).recount(Doubling(depth=12).initial(), new_stop()) == (4096,)


def test_a_recount_stops() -> None:
    stop = new_stop()
    stop[0] = 1
    for problem in (Doubling(depth=6), Queens(n=9, method="scalar")):
        with pytest.raises(StoppedError):
            problem.recount(problem.split(), stop)


@pytest.mark.jit
@pytest.mark.parametrize(("n", "method"), [(12, "lanes"), (12, "scalar"), (14, "lanes"), (16, "quadrant")])
def test_a_second_method_asks_the_same_question(n: int, method: str) -> None:
    problem = Queens(n=n, method=method).settle()
    second = problem.second()
    assert second is not None
    assert second == dataclasses.replace(problem, method=second.method, order=second.order)
    assert (second.method, second.order) != (problem.method, problem.order)
    assert second.settle() == second


def test_small_boards_have_no_second_method() -> None:
    assert Queens(n=8).settle().second() is None
