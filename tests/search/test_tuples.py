"""Problems on tuples of small integers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontrow import CountingTree, StoppedError
from frontrow.search import tuples
from frontrow.search.contract import check_measures
from frontrow.search.errors import MethodError
from frontrow.search.problem import Totals
from frontrow.search.rows import new_stop


class Words(CountingTree):
    """All words of at most `n` letters a, b, c, as numbers; words of `n` letters are solutions."""

    n: int
    tallies = ("solutions", "nodes", "longest")
    maxima = ("longest",)
    bits = 2

    @property
    def cells(self):
        return self.n

    def children(self, node):
        return [(*node, letter) for letter in range(3)] if len(node) < self.n else []

    def is_solution(self, node):
        return len(node) == self.n

    def measure_node(self, node):
        return self.is_solution(node), 1, len(node)


@given(st.lists(st.lists(st.integers(0, 3), max_size=70).map(tuple), max_size=5))
def test_nodes_of_any_length_round_trip_through_rows(nodes):
    form = Words(n=70)
    assert tuples.to_nodes(form, tuples.to_rows(form, nodes)) == nodes


def test_a_node_may_have_no_integers_at_all():
    form = Words(n=0)
    assert tuples.to_nodes(form, form.initial()) == [()]
    assert form.tally(form.initial(), None, new_stop()).counts == (1, 1, 0)


@pytest.mark.parametrize("node", [(4,), (-1,), (0,) * 6, [1, 2]])
def test_a_node_that_does_not_fit_is_refused(node):
    with pytest.raises(MethodError, match="children: found the node"):
        tuples.to_rows(Words(n=5), [node])


def test_expansion_gives_children_in_order_with_their_parents():
    form = Words(n=5)
    rows = tuples.to_rows(form, [(), (2, 1)])
    children, parents = form.expand(rows)
    assert tuples.to_nodes(form, children) == [(0,), (1,), (2,), (2, 1, 0), (2, 1, 1), (2, 1, 2)]
    assert parents.tolist() == [0, 0, 0, 1, 1, 1]


def test_sums_and_maxima_of_a_whole_tree_are_right():
    form = Words(n=5)
    assert form.tally(form.initial(), None, new_stop()).counts == (3**5, (3**6 - 1) // 2, 5)


@given(st.integers(1, 400))
def test_a_budget_is_kept_exactly_and_its_rest_adds_up(budget):
    form = Words(n=5)
    solutions = nodes = longest = 0
    rows = form.initial()
    while rows.shape[0]:
        part = form.tally(rows, budget, new_stop())
        assert part.nodes == budget or not part.rest.shape[0]
        solutions, nodes, longest = (
            solutions + part.counts[0],
            nodes + part.counts[1],
            max(longest, part.counts[2]),
        )
        rows = part.rest
    assert (solutions, nodes, longest) == (3**5, (3**6 - 1) // 2, 5)


def test_the_walk_obeys_the_stop_flag():
    stop = new_stop()
    stop[0] = 1
    with pytest.raises(StoppedError):
        Words(n=5).tally(Words(n=5).initial(), None, stop)


def test_a_tree_without_children_says_what_is_missing():
    class Empty(CountingTree):
        words = 1

    with pytest.raises(MethodError, match="children: found neither it nor expand"):
        Empty().expand(Words(n=5).initial())


def test_parameters_come_from_plain_annotations():
    assert Words(n=" 7 ").n == 7
    assert Words.name == "words"
    with pytest.raises(TypeError):
        Words()


class Endless(CountingTree):
    """A binary tree without end."""

    n: int = 0
    cells, bits = 1, 20

    def children(self, node):
        return [(1,), (2,)]

    def is_solution(self, node):
        return node == (1,)


def test_an_endless_tree_leaves_off_before_it_fills_the_memory():
    part = Endless().tally(Endless().initial(), 1 << 40, new_stop())
    assert part.nodes == part.rest.shape[0] - 1 == tuples.MOST_WAITING + 1


def test_children_without_end_are_refused(monkeypatch):
    monkeypatch.setattr(tuples, "MOST_CHILDREN", 100)

    class Generous(Endless):
        def children(self, node):
            while True:
                yield (1,)

    with pytest.raises(MethodError, match=r"children: found no end for the node \(\), expected fewer"):
        Generous().tally(Generous().initial(), None, new_stop())


def test_of_slow_methods_only_the_first_nodes_are_looked_at_before_a_count(monkeypatch):
    asked = []

    class Slow(Words):
        def children(self, node):
            asked.append(node)
            return super().children(node)

    tuples.probe(Slow(n=20))
    assert len(asked) == tuples.PROBED
    asked.clear()
    monkeypatch.setattr(tuples, "PROBE_SECONDS", 0.0)
    tuples.probe(Slow(n=20))
    assert asked == [()]


def test_the_largest_integers_round_trip():
    class Wide(Endless):
        cells, bits = 3, 63

    nodes = [(2**63 - 1, 0, 2**62), (5,), ()]
    assert tuples.to_nodes(Wide(), tuples.to_rows(Wide(), nodes)) == nodes


def test_numbers_of_numpy_are_numbers():
    import numpy as np

    class Numpy(Words):
        def children(self, node):
            return [(*node, np.int8(letter)) for letter in range(3)] if len(node) < self.n else []

        def measure_node(self, node):
            return np.bool_(len(node) == self.n), np.int64(1 << 62), len(node)

    part = Numpy(n=3).tally(Numpy(n=3).initial(), None, new_stop())
    assert part.counts == (27, 40 << 62, 3)
    assert [type(count) for count in part.counts] == [int] * 3


def test_measures_of_any_size_are_exact():
    class Huge(Words):
        tallies = ("solutions", "huge")
        maxima = ()

        def measure_node(self, node):
            return self.is_solution(node), -(10**30) * len(node)

    form = Huge(n=2)
    rows = tuples.to_rows(form, [(), (1,), (1, 2)])
    measures = check_measures(form, rows, form.measure(rows))
    assert measures.tolist() == [[0, 0], [0, -(10**30)], [1, -2 * 10**30]]
    assert form.measure(rows[:1]).dtype == "int64"
    totals = Totals(form)
    totals.add_rows(measures)
    assert totals.counts == (1, -3 * 10**30)
    assert form.tally(form.initial(), None, new_stop()).counts == (9, -21 * 10**30)


def test_a_node_is_drawn_by_show():
    class Drawn(Words):
        def show(self, node):
            return "".join("abc"[letter] for letter in node) if node else None

    rows = tuples.to_rows(Drawn(n=2), [(1, 2), ()])
    assert Drawn(n=2).render(rows[0]) == "bc"
    assert Words(n=2).render(rows[0]) == "1,2"
    with pytest.raises(MethodError, match="show: found None, expected a text"):
        Drawn(n=2).render(rows[1])


def test_what_counts_is_told():
    class Own(Words):
        def tally(self, rows, budget, stop):
            return super().tally(rows, budget, stop)

    assert (Words(n=2).kernel, Own(n=2).kernel) == ("python", "its own")
