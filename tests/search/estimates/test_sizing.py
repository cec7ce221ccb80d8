"""Probes are right on average, honest one by one, and say so where they cannot know."""

import itertools
import time
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest

from frontrow.search.errors import StoppedError
from frontrow.search.estimates import sizing
from frontrow.search.estimates.interval import Guess
from frontrow.search.estimates.probing import Prober
from frontrow.search.estimates.sizing import size_tree
from frontrow.search.parameter import parameter
from frontrow.search.problem import Countable, Slice
from frontrow.search.problems.queens import Queens
from frontrow.search.rows import Rows, Stop, new_stop
from frontrow.search.tree import CountingTree
from tests.search.estimates.heap import Bushes

LATER = 1e9
"""Seconds from now that no test takes."""


class Hidden(Countable):
    """The bushes behind a `tally` alone: no children to be seen."""

    depth: int = parameter(low=0, high=40, help="deepest level")

    @property
    def words(self) -> int:
        return self._tree.words

    @property
    def _tree(self) -> Bushes:
        return Bushes(depth=self.depth)

    def initial(self) -> Rows:
        return self._tree.initial()

    def render(self, row: Rows) -> str:
        return self._tree.render(row)

    def split(self) -> Rows:
        return self.initial()

    def cost(self, rows: Rows) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
        return np.ones(rows.shape[0], np.int64)

    def tally(self, rows: Rows, budget: int | None, stop: Stop) -> Slice:
        return self._tree.tally(rows, budget, stop)


class Needle(CountingTree):
    """A full binary tree of 2^17 leaves, of which the very first has a million nodes below it."""

    cells: ClassVar[int] = 1
    bits: ClassVar[int] = 60

    def root(self) -> tuple[int, ...]:
        return (1,)

    def children(self, node: tuple[int, ...]) -> list[tuple[int, ...]]:
        [place] = node
        if place < 2**17:
            return [(2 * place,), (2 * place + 1,)]
        below = place == 2**17 or 2**40 <= place < 2**40 + 10**6
        return [(max(place + 1, 2**40),)] if below else []

    def is_solution(self, rows: tuple[int, ...]) -> bool:
        return rows[0] >= 2**40


def means(problem: Countable, probes: int, width: int, seed: int) -> list[Guess]:
    prober = Prober(problem, problem.initial(), seed, new_stop())
    prober._late = time.perf_counter() + LATER
    found = prober._down(probes, width)
    return [Guess.mean(column) for column in found.values.T]


@pytest.mark.parametrize("width", [1, 4, 30])
@pytest.mark.parametrize("problem", [Bushes(depth=9), Hidden(depth=9), Queens(n=7)], ids=repr)
def test_probes_are_right_on_average(problem: Countable, width: int) -> None:
    tree = problem if isinstance(problem, CountingTree) else Bushes(depth=9)
    truth = CountingTree.tally(tree, problem.initial(), None, new_stop())
    guesses = means(problem, 100 if isinstance(problem, Hidden) else 600, width, 3)
    for guess, expected in zip(guesses[:2], (truth.nodes, truth.counts[0]), strict=True):
        assert abs(guess.expected - expected) <= 4 * guess.error * guess.expected + 1e-9


def test_probes_that_keep_everything_are_exact() -> None:
    problem = Bushes(depth=6)
    truth = problem.tally(problem.initial(), None, new_stop())
    found = Prober(problem, problem.initial(), 0, new_stop()).send(time.perf_counter() + LATER)
    assert truth.nodes > 50
    assert found.exact or found.values.shape[0] > 1
    widest = Prober(problem, problem.initial(), 0, new_stop())
    widest._late = time.perf_counter() + LATER
    all_of_it = widest._down(1, 10**6)
    assert all_of_it.exact
    assert all_of_it.values.tolist() == [[truth.nodes, truth.counts[0]]]
    assert all_of_it.depth == 6


def test_intervals_of_probes_hold_the_truth() -> None:
    problem = Bushes(depth=12)
    truth = problem.tally(problem.initial(), None, new_stop())
    for expected, place in ((truth.nodes, 0), (truth.counts[0], 1)):
        told = [means(problem, 40, 8, seed)[place].interval() for seed in range(40)]
        held = [interval for interval in told if interval and interval.low <= expected <= interval.high]
        assert len(held) >= 36


def test_a_small_tree_is_counted_at_first_sight() -> None:
    problem = Bushes(depth=5)
    truth = problem.tally(problem.initial(), None, new_stop())
    outcome = size_tree(problem, 1000.0, 0, new_stop())
    assert outcome.counts == truth.counts
    assert outcome.nodes.is_exact
    assert outcome.nodes.expected == truth.nodes


def test_a_large_tree_is_estimated_with_its_time() -> None:
    problem = Bushes(depth=30)
    outcome = size_tree(problem, 0.6, 0, new_stop())
    assert not outcome.doubt
    assert outcome.counts is None
    assert 20 < outcome.depth <= 30
    nodes, leaves, seconds = outcome.nodes, outcome.values["solutions"], outcome.seconds
    assert 2**29 < nodes.expected < 2**32  # two children a node on average
    assert leaves.expected < nodes.expected
    assert nodes.interval() is not None
    assert seconds.expected > 0


def test_a_subtree_that_probes_miss_is_noticed_by_the_first_look() -> None:
    outcome = size_tree(Needle(), 1.0, 1, new_stop())
    interval = outcome.nodes.interval()
    assert outcome.doubt or interval is None or interval.low <= 2**18 + 10**6 <= interval.high


def test_a_stopped_estimate_ends() -> None:
    stop = new_stop()
    stop[0] = 1
    with pytest.raises(StoppedError):
        size_tree(Bushes(depth=30), 1000.0, 0, stop)
    with pytest.raises(StoppedError):
        Prober(Bushes(depth=30), Bushes(depth=30).initial(), 0, stop).send(time.perf_counter() + LATER)


class Endless(CountingTree):
    """Every node has a hundred children, and adds what no float holds."""

    cells, bits = 1, 8
    tallies = ("solutions", "huge")

    def children(self, node: tuple[int, ...]) -> list[tuple[int, ...]]:
        return [(letter,) for letter in range(100)]

    def is_solution(self, node: tuple[int, ...]) -> bool:
        return True

    def measure_node(self, node: tuple[int, ...]) -> tuple[int, int]:
        return 1, 10**400


def test_a_tree_of_more_nodes_than_a_float_holds_is_unknown_without_a_warning() -> None:
    outcome = size_tree(Endless(), 1.0, 0, new_stop())
    assert outcome.doubt == "a probe did not come to its end: the tree is too deep or too wide"


def test_the_first_piece_is_one_node_which_may_be_slow() -> None:
    problem = Bushes(depth=30)
    counter = sizing._Counter(problem, 1e9, new_stop())
    rest = problem.split()
    for _ in range(4):
        rest = counter.count(rest).rest
    assert [nodes for _, nodes in counter.pieces] == [1, 8, 64, 512]


def test_pieces_stay_short_if_nodes_wait_for_something(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = itertools.count()  # a second passes between two looks at the clock, and no processor time
    clock = SimpleNamespace(perf_counter=lambda: float(next(ticks)), thread_time=lambda: 0.0)
    monkeypatch.setattr(sizing, "time", clock)
    problem = Bushes(depth=30)
    counter, rest = sizing._Counter(problem, 2.0, new_stop()), problem.split()
    for _ in range(4):
        rest = counter.count(rest).rest
    assert [nodes for _, nodes in counter.pieces] == [1, 2, 4, 8]
