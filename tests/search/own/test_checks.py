"""The checks of a problem find what they are there to find, and say where."""

import os

import numpy as np
import pytest

from frontrow import CountingTree, Slice, UsageError
from frontrow.search import registry, tuples
from frontrow.search.own import checks
from frontrow.search.tree import CountingTree as Default


class Words(CountingTree):
    """Words of `n` letters a and b without two letters b in a row, on tuples."""

    n: int
    cells, bits = 12, 1

    def children(self, node):
        if len(node) < self.n:
            yield (*node, 0)
            if not node or not node[-1]:
                yield (*node, 1)

    def is_solution(self, node):
        return len(node) == self.n


class Halves(CountingTree):
    """Rows are numbers; one above 1 has its two halves as children, and 1 is a solution."""

    words = 1
    n: int

    def initial(self):
        return np.array([[self.n]], np.uint64)

    def expand(self, rows):
        parents = np.repeat(np.flatnonzero(rows[:, 0] > 1), 2)
        children = rows[parents] // np.uint64(2)
        children[1::2] += rows[parents[1::2]] % np.uint64(2)
        return children, parents

    def is_solution(self, rows):
        return rows[:, 0] == 1


HASHED = """
from frontrow import CountingTree

class Hashed(CountingTree):
    n: int
    cells, bits = 3, 5

    def children(self, node):
        letters = "abcdefghijklmnopqrstuvwxyz"
        return [(*node, ord(letter) - 96) for letter in LISTED] if len(node) < self.n else []

    def is_solution(self, node):
        return len(node) == self.n
"""
SEEN = """
from frontrow import CountingTree

seen = set()

class Sets(CountingTree):
    n: int
    cells, bits = 12, 2

    def children(self, node):
        for letter in range(3 if len(node) < self.n else 0):
            child = tuple(sorted((*node, letter)))
            if child not in seen:
                seen.add(child)
                yield child

    def is_solution(self, node):
        return len(node) == self.n
"""


def failures(problem):
    outcomes = list(checks.run(problem))
    assert [outcome.name for outcome in outcomes] == list(checks.CHECKS)
    return {outcome.name: outcome for outcome in outcomes if outcome.holds is False}


def applying(problem):
    return {outcome.name for outcome in checks.run(problem) if outcome.holds}


@pytest.fixture(autouse=True)
def no_parameters_check(monkeypatch):
    """Classes of a test have no file that workers could be sent."""
    monkeypatch.setitem(checks.CHECKS, "parameters", lambda subject: "not looked at")


def test_a_right_tree_on_tuples_passes_what_applies_to_it():
    assert failures(Words(n=6)) == {}
    inapplicable = {"kernel", "recount", "second", "root"}
    assert applying(Words(n=6)) == checks.CHECKS.keys() - inapplicable


def test_a_right_tree_on_rows_passes_what_applies_to_it():
    assert failures(Halves(n=13)) == {}
    assert applying(Halves(n=13)) == checks.CHECKS.keys() - {"packing", "kernel", "recount", "second", "root"}


def test_a_wrong_kernel_is_caught_at_the_deepest_row_that_shows_it():
    class Wrong(Halves):
        def tally(self, rows, budget, stop):
            part = Default.tally(self, rows, None, stop)
            return Slice((part.counts[0] + int((rows == 3).any()),), part.nodes, part.rest)

    failed = failures(Wrong(n=3))
    assert failed["kernel"].row.tolist() == [3]
    assert failed["kernel"].note == "found (4,) by tally, expected (3,) as by the default walk"
    assert failed.keys() == {"kernel", "list"}

    class Deeper(Halves):
        def tally(self, rows, budget, stop):
            part = Default.tally(self, rows, None, stop)
            depth = int(rows.max())
            return Slice((part.counts[0] + (depth >= 5),), part.nodes, part.rest)

    assert failures(Deeper(n=23))["kernel"].row.tolist() in ([5], [6])


def test_a_kernel_that_loses_what_a_budget_leaves_is_caught():
    class Loses(Halves):
        def tally(self, rows, budget, stop):
            part = Default.tally(self, rows, budget, stop)
            return Slice(part.counts, part.nodes, part.rest[1:])

    assert "budgets" in failures(Loses(n=50))


def test_a_split_that_loses_a_part_is_caught():
    class Loses(Halves):
        def split(self):
            return self.expand(self.initial())[0][1:]

    failed = failures(Loses(n=10))
    assert failed["root"].note == "found 5 solutions in the split, expected 10 as under the root"
    assert failed.keys() == {"root", "list"}


def test_an_answer_that_depends_on_what_came_before_is_caught():
    class Moody(Words):
        seen = []

        def is_solution(self, node):
            self.seen.append(node)
            return len(node) == self.n and len(self.seen) % 2

    assert "repetition" in failures(Moody(n=5))


def test_an_answer_that_depends_on_earlier_calls_is_caught_at_the_row():
    class Tiring(Words):
        calls = []

        def is_solution(self, node):
            self.calls.append(node)
            return len(node) == self.n and len(self.calls) % 7 != 0

    assert "order" in failures(Tiring(n=5))


def test_a_set_of_nodes_that_were_seen_is_caught_though_all_later_calls_agree(tmp_path, monkeypatch):
    monkeypatch.setenv("FRONTROW_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "seen.py"
    path.write_text(SEEN, encoding="utf-8")
    problem = registry.find(str(path))(n=4)
    failed = failures(problem)
    assert failed.keys() == {"order"}
    children = "found the children [] the second time, expected [(0,), (1,), (2,)] as the first time"
    assert failed["order"].note.startswith(children)
    assert problem.render(failed["order"].row) == ""


@pytest.mark.parametrize("listed", ["set(letters)", "sorted(set(letters))"])
def test_children_in_the_order_of_a_set_are_caught_by_other_processes(listed, tmp_path, monkeypatch):
    monkeypatch.setenv("FRONTROW_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "hashed.py"
    path.write_text(HASHED.replace("LISTED", listed), encoding="utf-8")
    failed = failures(registry.find(str(path))(n=2))
    assert list(failed) == ([] if "sorted" in listed else ["order"])
    for outcome in failed.values():
        assert outcome.note.startswith("found children [[")
        assert "in another process, expected [[" in outcome.note


def test_what_fails_in_another_process_alone_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("FRONTROW_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("ASKED_HERE", str(os.getpid()))
    path = tmp_path / "hashed.py"
    fault = "import os\nif os.environ['ASKED_HERE'] != str(os.getpid()):\n    raise ValueError('not here')\n"
    path.write_text(fault + HASHED.replace("LISTED", "letters"), encoding="utf-8")
    note = failures(registry.find(str(path))(n=2))["order"].note
    assert "hashed.py, line 3: ValueError: not here" in note
    assert note.endswith("in another process, expected the answers of this one")


def test_a_cache_is_no_state_that_matters():
    known = {}

    class Cached(Words):
        def children(self, node):
            if (self.n, node) not in known:
                known[self.n, node] = list(super().children(node))
            return known[self.n, node]

    assert failures(Cached(n=5)) == {}


def test_a_kernel_that_counts_other_nodes_is_caught_unless_it_says_so():
    class Fewer(Halves):
        def tally(self, rows, budget, stop):
            part = Default.tally(self, rows, budget, stop)
            return Slice(part.counts, part.nodes + part.counts[0], part.rest)

    failed = failures(Fewer(n=5))
    assert failed["kernel"].row.tolist() == [1]
    assert failed["kernel"].note.startswith("found 2 nodes by tally, expected 1 as by the default walk")

    class Told(Fewer):
        own_nodes = True

    assert "kernel" not in failures(Told(n=5))


def test_rows_that_a_budget_leaves_are_counted_by_the_default_walk_as_well():
    class Marked(Halves):
        """Marks what it leaves, and knows to take the mark off again, which `expand` does not."""

        def tally(self, rows, budget, stop):
            plain = rows & np.uint64(2**32 - 1)
            part = Default.tally(self, plain, budget, stop)
            return Slice(part.counts, part.nodes, part.rest | np.uint64(2**32))

    failed = failures(Marked(n=9))
    assert failed.keys() == {"budgets"}
    assert failed["budgets"].row.tolist() == [2]
    assert failed["budgets"].note.startswith("found 0 in 1 node by tally with a budget of 1 node and ")
    assert failed["budgets"].note.endswith(", expected 2 in 3 nodes together")


def test_a_kernel_that_no_budget_stops_is_no_failure_and_no_success():
    class Whole(Halves):
        def tally(self, rows, budget, stop):
            return Default.tally(self, rows, None, stop)

    assert failures(Whole(n=9)) == {}
    assert "budgets" not in applying(Whole(n=9))


def test_a_kernel_that_gives_half_an_answer_when_it_is_stopped_is_caught():
    class Half(Halves):
        def tally(self, rows, budget, stop):
            part = Default.tally(self, rows, 3 if stop[0] else budget, np.zeros(1, np.uint8))
            return Slice(part.counts, part.nodes, part.rest[: 0 if stop[0] else None])

    failed = failures(Half(n=9))
    assert failed.keys() == {"stop"}
    expected = "expected StoppedError, or 9 in 17 nodes as without"
    assert failed["stop"].note == f"found 0 in 3 nodes with stop[0] set, {expected}"


def test_a_split_that_is_another_one_every_time_is_caught():
    class Turning(Halves):
        turns = []

        def split(self):
            self.turns.append(1)
            return self.expand(self.initial())[0][:: 1 if len(self.turns) % 2 else -1]

    assert failures(Turning(n=5))["split"].note.startswith("found other rows at the second split")


def test_costs_that_depend_on_the_company_or_are_too_small_are_caught():
    class Ranked(Halves):
        def split(self):
            return self.expand(self.initial())[0]

        def cost(self, rows):
            return np.arange(1, rows.shape[0] + 1)

    class Free(Halves):
        def cost(self, rows):
            return np.zeros(rows.shape[0], np.int64)

    assert failures(Ranked(n=8))["split"].row.tolist() == [4]
    assert failures(Free(n=8))["split"].note.startswith("found the cost 0")


def test_children_and_measures_that_depend_on_the_company_are_caught():
    class Spoilt(Halves):
        def expand(self, rows):
            children, parents = super().expand(rows)
            return (children, parents) if rows.shape[0] < 3 else (children[:-1], parents[:-1])

    class Praised(Halves):
        def measure(self, rows):
            return super().measure(rows) * rows.shape[0]

    assert "children" in failures(Spoilt(n=16))
    assert "measures" in failures(Praised(n=16))


def test_expand_and_children_that_differ_are_caught_at_the_row():
    class Two(Words):
        def expand(self, rows):
            children, parents = super().expand(rows)
            alive = [node != (0, 1) for node in tuples.to_nodes(self, children)]
            return children[alive], parents[alive]

    failed = failures(Two(n=3))
    assert tuples.to_nodes(Two(n=3), failed["children"].row[None]) == [(0,)]
    assert "by expand than by children" in failed["children"].note


def test_solutions_that_are_listed_and_not_counted_are_caught():
    class Shy(Words):
        def measure_node(self, node):
            return (len(node) == self.n and node[0],)

    assert failures(Shy(n=4))["list"].note == "found 8 solutions in the list, expected 3 as counted"


def test_a_drawing_that_is_no_text_is_caught():
    class Drawn(Words):
        def show(self, node):
            return 5

    assert failures(Drawn(n=2)).keys() == {"drawing"}


def test_tallies_beyond_64_bits_are_checked_like_others():
    class Huge(Words):
        tallies = ("solutions", "huge")

        def measure_node(self, node):
            return self.is_solution(node), -(10**30)

    assert failures(Huge(n=4)) == {}


def test_a_method_that_breaks_its_contract_fails_the_checks_that_meet_it():
    class Broken(Halves):
        def is_solution(self, rows):
            return rows[:, 0] if rows.shape[0] == 1 and rows[0, 0] == 1 else rows[:, 0] == 1

    assert "is_solution: found uint64" in failures(Broken(n=4))["measures"].note


def test_a_question_that_is_too_large_is_refused():
    with pytest.raises(UsageError, match="more than 100,000 nodes"):
        list(checks.run(Halves(n=60_000)))


def test_a_problem_that_only_counts_is_checked_as_far_as_that_goes():
    class Counts(Halves):
        expand = Default.expand

        def tally(self, rows, budget, stop):
            return Slice((int(rows.sum()),), rows.shape[0], rows[:0])

    assert applying(Counts(n=5)) == {
        "parameters",
        "split",
        "repetition",
        "parts",
        "budgets",
        "order",
        "drawing",
    }
