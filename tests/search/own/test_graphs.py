"""The checks of a graph find what they are there to find, and say where."""

import numpy as np
import pytest

from frontrow import StateGraph, UsageError
from frontrow.search import registry
from frontrow.search.own import checks, graphs
from frontrow.search.problem import Problem

HANOI = """
import numpy as np
from frontrow import StateGraph

class Hanoi(StateGraph):
    n: int
    bits, lookback = 2, 2

    def root(self):
        return (0,) * self.n

    def neighbours(self, state):
        for disc, peg in enumerate(state):
            smaller = state[:disc]
            for other in range(3):
                if other != peg and not {peg, other} & set(smaller):
                    yield (*smaller, other, *state[disc + 1 :])

    def is_goal(self, state):
        return state[0] > 0 and len(set(state)) == 1

    def canonical(self, state):
        return min(state, tuple((0, 2, 1)[peg] for peg in state))

    def states(self):
        return 3**self.n

    def rank(self, state):
        return sum(peg * 3**disc for disc, peg in enumerate(state))

    def unrank(self, rank):
        return tuple(rank // 3**disc % 3 for disc in range(self.n))

    def expand(self, rows):
        discs = np.uint64(2) * np.arange(self.n, dtype=np.uint64)
        pegs = (rows >> discs & np.uint64(3)).astype(int)
        found, parents = [], []
        for index, state in enumerate(pegs.tolist()):
            for other in self.neighbours(tuple(state)):
                found.append([sum(peg << 2 * disc for disc, peg in enumerate(other))])
                parents.append(index)
        return np.array(found, np.uint64).reshape(-1, 1), np.array(parents, int)
"""


class Down(StateGraph):
    """From a number to those that are one or two less, on rows: a state may be met in two layers."""

    words = 1
    n: int

    def initial(self):
        return np.array([[self.n]], np.uint64)

    def expand(self, rows):
        steps = rows.astype(np.int64) - np.array([1, 2])
        parents, sides = np.nonzero(steps >= 0)
        return steps[parents, sides].astype(np.uint64)[:, None], parents


def made(tmp_path, old="", new="", text=HANOI, **params) -> Problem:
    """The problem of a file in which something is replaced."""
    assert old in text
    (tmp_path / "mine.py").write_text(text.replace(old, new) if old else text, encoding="utf-8")
    return registry.find(str(tmp_path / "mine.py"))(**params)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FRONTROW_CACHE", str(tmp_path / "cache"))


def outcomes(problem):
    found = {outcome.name: outcome for outcome in checks.run(problem)}
    assert list(found) == list(graphs.CHECKS)
    return found


def test_a_right_graph_passes_all_checks(tmp_path):
    found = outcomes(made(tmp_path, n=3))
    assert all(outcome.holds for outcome in found.values())
    assert found["start"].note == "27 states of 1 word, all there are"
    assert found["kernel"].note == "expand as neighbours: the same of 27 states"
    assert found["symmetry"].note == "27 states in classes, 14 in all, of like moves and goals"
    assert found["goal"].note == "2 goals among all 27 states"


def test_of_a_large_graph_some_thousand_states_are_looked_at(tmp_path):
    found = outcomes(made(tmp_path, n=12))
    assert all(outcome.holds for outcome in found.values())
    assert found["start"].note.startswith("5,0")
    assert "all" not in found["start"].note + found["goal"].note


def test_a_graph_on_rows_without_claims_passes_what_applies_to_it(monkeypatch):
    monkeypatch.setitem(graphs.CHECKS, "parameters", lambda subject: "a class of a test has no file")
    found = outcomes(Down(n=9))
    assert {name for name, outcome in found.items() if outcome.holds is None} == {
        "packing", "kernel", "lookback", "goal", "symmetry", "rank",
    }  # fmt: skip
    assert not [name for name, outcome in found.items() if outcome.holds is False]
    assert found["lookback"].note == "lookback = None claims nothing"


def test_a_claim_that_could_be_made_is_suggested(tmp_path):
    found = outcomes(made(tmp_path, "bits, lookback = 2, 2", "bits = 2", n=3))["lookback"]
    assert (found.holds, found.note) == (
        None,
        "lookback = None claims nothing; every move seen can be undone: lookback = 2 saves memory",
    )


RANK = "    def rank(self, state):\n"
LEAST = "min(state, tuple((0, 2, 1)[peg] for peg in state))"
DEFECTS = {
    "lookback": [
        (
            "lookback = 2, 2",
            "lookback = 2, 0",
            "found a child in layer 0 of a state in layer 1, expected none",
        ),
    ],
    "kernel": [("peg << 2 * disc for", "max(peg, 1) << 2 * disc for", "by expand, expected")],
    "children": [
        ("parents.append(index)", "parents.append(len(rows) - 1)", "found other children of a state"),
    ],
    "symmetry": [
        (LEAST, "tuple((0, 2, 1)[peg] for peg in state)", "found another canonical state"),
        (LEAST, "tuple(sorted(state))", "found states of one class 1 and 3 moves from the start"),
        (LEAST, "state if state[0] else (0, *min(state[1:], state[:0:-1]))", "found states of one class"),
        (LEAST, "(1,) * self.n", "canonical: found 1,1,1 for the start 0,0,0, expected the start itself"),
        ("state[0] > 0 and", "state[0] == 1 and", "found a goal in a class with states that are none"),
    ],
    "rank": [
        ("3**disc for disc, peg", "2**disc for disc, peg", "found rank 4 of '2,1,0' as well"),
        ("rank // 3**disc % 3", "rank // 2**disc % 3", "by unrank of rank"),
        ("return 3**self.n", "return 3**self.n - 1", "found 26, expected ranks from 0 to 25"),
    ],
    "drawing": [
        (RANK, f"    def show(self, state):\n        return 5\n\n{RANK}", "found the int 5, expected a text"),
        (
            RANK,
            f"    def move_names(self, rows):\n        return ['x']\n\n{RANK}",
            "found ['x'] by move_names",
        ),
    ],
}


@pytest.mark.parametrize(
    ("name", "old", "new", "text"), [(name, *each) for name, several in DEFECTS.items() for each in several]
)
def test_what_is_wrong_is_found_by_the_check_that_is_there_for_it(tmp_path, name, old, new, text):
    found = outcomes(made(tmp_path, old, new, n=3))[name]
    assert found.holds is False
    assert text in found.note


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("start", "return (0,) * self.n", "return (len(seen) % 2,) * self.n"),
        (
            "order",
            "enumerate(state):\n            smaller",
            "enumerate(state[len(seen) % 5 :]):\n            smaller",
        ),
        ("goal", "return state[0] > 0", "return len(seen) % 5 == 1 or state[0] > 0"),
        ("order", "return sum(peg", "return (len(seen) > 40) + sum(peg"),
    ],
)
def test_what_depends_on_earlier_calls_is_found(tmp_path, name, old, new):
    assert old in HANOI
    counting = HANOI.replace("import numpy as np", "import numpy as np\nseen = []").replace(old, new)
    method = counting[: counting.index(new)].rindex("):\n        ") + len("):\n")
    text = f"{counting[:method]}        seen.append(1)\n{counting[method:]}"
    assert outcomes(made(tmp_path, text=text, n=3))[name].holds is False


def test_one_way_moves_disprove_that_all_can_be_undone(tmp_path):
    text = """
from frontrow import StateGraph

class Wheel(StateGraph):
    n: int
    bits, lookback = 8, 2

    def root(self):
        return (0,)

    def neighbours(self, state):
        return [((state[0] + 1) % self.n,)]
"""
    found = outcomes(made(tmp_path, text=text, n=3))["lookback"]
    assert found.holds is False
    assert (
        found.note
        == "found a child in layer 0 of a state in layer 2, expected none before layer 1 (lookback = 2)"
    )
    found = outcomes(
        made(tmp_path, "% self.n", "", text=text.replace("[(", "[(").replace("8, 2", "20, 2"), n=3)
    )
    assert found["lookback"].note == "found a move that cannot be undone, expected none (lookback = 2)"


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (
            "    def neighbours(",
            "    def children(",
            "found neither neighbours nor expand, expected one of them, not",
        ),
        (
            "    bits, lookback = 2, 2\n",
            "",
            "found no bits, expected them: a state is a tuple of integers of",
        ),
        ("    def root(", "    def start(", "found no root, expected it: the state to start from"),
        (
            "lookback = 2, 2",
            "lookback = 2, 5",
            "lookback: found 5, expected 0 if no state is met in two layers",
        ),
        ("bits, lookback = 2, 2", "bits = '2'", "bits: found '2', expected an integer from 1 to 63"),
        (
            "    def unrank(",
            "    def unranked(",
            "found no unrank, expected states, rank and unrank together",
        ),
        ("    def states(", "    def number(", "found no states, expected states, rank and unrank together"),
    ],
)
def test_a_class_that_is_no_graph_is_told_by_its_line(tmp_path, old, new, line):
    text = HANOI[: HANOI.index("    def expand(")]
    with pytest.raises(UsageError) as caught:
        made(tmp_path, old, new, text, n=3)
    assert str(caught.value).startswith("mine.py, line ")
    assert f": class Hanoi: {line}" in str(caught.value)


def test_a_graph_on_rows_needs_words_and_a_start(tmp_path):
    text = """
from frontrow import StateGraph

class Mine(StateGraph):
    def expand(self, rows):
        return rows, range(len(rows))
"""
    with pytest.raises(UsageError, match="class Mine: found no initial and no words, expected them beside"):
        made(tmp_path, text=text)
