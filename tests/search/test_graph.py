"""Graphs: what a person's own says, on tuples or on rows, and what is derived from it."""

import numpy as np
import pytest

from frontrow import StateGraph, UsageError
from frontrow.search.errors import MethodError
from frontrow.search.graph import Classes
from frontrow.search.symmetry import Group


class Walk(StateGraph):
    """A walk on a line of `n` places from its middle; both ends are goals."""

    n: int
    bits = 8

    def root(self):
        return (self.n // 2,)

    def neighbours(self, state):
        [place] = state
        return [(other,) for other in (place - 1, place + 1) if 0 <= other < self.n]

    def is_goal(self, state):
        return state[0] in (0, self.n - 1)

    def canonical(self, state):
        return (min(state[0], self.n - 1 - state[0]),)

    def states(self):
        return self.n

    def rank(self, state):
        return state[0]

    def unrank(self, rank):
        return (rank,)


class Plain(StateGraph):
    """The same walk on rows, without any claim."""

    words = 1
    n: int

    def initial(self):
        return np.array([[self.n // 2]], np.uint64)

    def expand(self, rows):
        places = rows[:, :1].astype(np.int64) + np.array([-1, 1])
        parents, sides = np.nonzero((places >= 0) & (places < self.n))
        return places[parents, sides].astype(np.uint64)[:, None], parents


def rows_of(*places):
    return np.array(places, np.uint64)[:, None]


def test_rows_are_derived_from_tuples():
    graph = Walk(n=7)
    assert graph.words == 1
    assert graph.initial().tolist() == [[3]]
    assert graph.render(graph.initial()[0]) == "3"
    children, parents = graph.expand(rows_of(0, 3))
    assert (children.tolist(), parents.tolist()) == ([[1], [2], [4]], [0, 1, 1])
    assert graph.goal_mask(rows_of(0, 1, 6)).tolist() == [True, False, True]
    assert graph.rank_rows(rows_of(5, 2)).tolist() == [5, 2]
    assert graph.unrank_rows(np.array([5, 2])).tolist() == [[5], [2]]
    assert graph.symmetries().canonical(rows_of(5, 2)).tolist() == [[1], [2]]
    assert graph.symmetries().orbits(rows_of(5, 2)) is None


def test_what_is_not_said_has_a_default():
    graph = Plain(n=7)
    assert not graph.has_goal
    assert graph.goal_mask(graph.initial()).tolist() == [False]
    assert graph.states() is graph.goals() is graph.lookback is None
    group = graph.symmetries()
    assert isinstance(group, Group)
    assert group.order == 1
    assert graph.render(graph.initial()[0]) == "3"


def test_a_goal_is_one_that_is_said():
    assert Walk(n=7).has_goal

    class Masked(Plain):
        def goal_mask(self, rows):
            return rows[:, 0] == 0

    assert Masked(n=7).has_goal
    assert Masked(n=7).goal_mask(rows_of(0, 1)).tolist() == [True, False]


def test_plain_python_holds_the_interpreter_and_expand_on_rows_does_not():
    class Both(Walk):
        def expand(self, rows):
            return Plain(n=self.n).expand(rows)

    assert (Walk(n=7).holds_interpreter, Walk(n=7).kernel) == (True, "python")
    assert (Plain(n=7).holds_interpreter, Plain(n=7).kernel) == (False, "its own")
    assert (Both(n=7).holds_interpreter, Both(n=7).kernel) == (False, "its own")


def test_canonical_has_to_leave_the_start_where_it_is():
    assert isinstance(Walk(n=7).symmetries(), Classes)
    with pytest.raises(MethodError, match=r"canonical: found 3 for the start 4, expected the start itself"):
        Walk(n=8).symmetries()


@pytest.mark.parametrize("verdict", [None, np.array([True]), "no", [], (1,)])
def test_a_goal_that_is_no_truth_is_refused(verdict):
    class Odd(Walk):
        def is_goal(self, state):
            return verdict

    with pytest.raises(MethodError, match=r"is_goal: found .*, expected True or False"):
        Odd(n=7).goal_mask(rows_of(3))


@pytest.mark.parametrize("verdict", [True, 1, 2.5, np.bool_(True), np.int8(1)])
def test_a_goal_may_be_told_by_a_number(verdict):
    class Odd(Walk):
        def is_goal(self, state):
            return verdict

    assert Odd(n=7).goal_mask(rows_of(3)).tolist() == [True]


@pytest.mark.parametrize("rank", [-1, 7, 1.5, "1", None, True, 2**63])
def test_a_rank_that_a_table_has_no_room_for_is_refused(rank):
    class Odd(Walk):
        def rank(self, state):
            return rank

    with pytest.raises(MethodError, match="rank: found"):
        Odd(n=7).rank_rows(rows_of(3))


def test_ranks_of_rows_are_checked_as_well():
    class Odd(Plain):
        def states(self):
            return self.n

        def rank(self, rows):
            return rows[:, 0] + np.uint64(1)

        def unrank(self, ranks):
            return ranks

    assert Odd(n=7).rank_rows(rows_of(5)).tolist() == [6]
    with pytest.raises(MethodError, match=r"rank: found 7, expected ranks from 0 to 6 \(states\(\) = 7\)"):
        Odd(n=7).rank_rows(rows_of(5, 6))
    with pytest.raises(MethodError, match=r"unrank: found int64 of shape \(1,\), expected uint64 of shape"):
        Odd(n=7).unrank_rows(np.array([1]))


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("root", lambda self: [3], "root: found [3], expected a tuple of one integer or more"),
        ("root", lambda self: (), "root: found (), expected a tuple of one integer or more"),
        (
            "root",
            lambda self: (256,),
            "root: found the state (256,), expected a tuple of as many integers as",
        ),
        ("states", lambda self: 0, "states: found 0, expected an integer from 1"),
        ("lookback", 3, "lookback: found 3, expected 0 if no state is met in two layers, 2 if"),
        ("lookback", True, "lookback: found True, expected 0 if no state is met in two layers, 2 if"),
        ("bits", property(lambda self: 64), "bits: found 64, expected an integer from 1 to 63"),
    ],
)
def test_what_cannot_be_explored_is_refused_before_a_run(name, value, text):
    odd = type("Odd", (Walk,), {name: value, "__annotations__": {}})
    with pytest.raises((UsageError, MethodError)) as caught:
        odd(n=7)
    assert str(caught.value).startswith(text)


def test_a_start_of_two_rows_is_refused():
    class Two(Plain):
        def initial(self):
            return rows_of(1, 2)

    with pytest.raises(MethodError, match="initial: found 2 rows, expected one: the start"):
        Two(n=7)


def test_the_words_of_a_graph_are_no_names_for_parameters():
    with pytest.raises(UsageError, match="lookback: found a parameter, expected another name"):
        type("Odd", (Walk,), {"__annotations__": {"lookback": int}})
