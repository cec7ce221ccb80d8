"""Whether what a problem says depends on what it was asked before: no two workers are asked the same."""

import random

import numpy as np

from frontrow.search import contract, tuples
from frontrow.search.own.elsewhere import Answers, check_elsewhere
from frontrow.search.own.files import load_again
from frontrow.search.own.subject import MismatchError, Subject, counted, many
from frontrow.search.parameter import shown
from frontrow.search.problem import Countable
from frontrow.search.rows import Rows, new_stop
from frontrow.search.tree import CountingTree

ASKED = 50
"""Nodes that a `tally` of a problem's own may visit of each row that it is asked about."""
TALLIED = 30
"""Rows that a `tally` is asked about, where it is all there is."""
SHUFFLES = 3
"""Orders, drawn at random, in which all rows are asked about."""
SEED = 1
"""Shuffles the rows; the same in every check."""


def check_order(subject: Subject) -> str:
    """What is said of a row is the same a second time, in other orders, and by a file imported anew."""
    first, other = (Subject(_countable(load_again(subject.problem))) for _ in range(2))
    rows = _rows(other)
    places = list(range(rows.shape[0]))
    answers = {place: answers_of(first.problem, rows[place]) for place in places}
    draw = random.Random(SEED)
    for asked, order, when in (
        (first, places, "the second time, expected {} as the first time"),
        (first, places[::-1], "in the opposite order, expected {} as in the first order"),
        *(
            (other, draw.sample(places, len(places)), "after other calls, expected {} as before them")
            for _ in range(SHUFFLES)
        ),
    ):
        for place in order:
            for name, found in answers_of(asked.problem, rows[place]).items():
                expected = answers[place][name]
                if found != expected:
                    told, wanted = _told(name, found, expected)
                    raise MismatchError(
                        f"found {told} {when.format(wanted)}: nothing may depend on earlier calls",
                        rows[place],
                    )
    _compare_wholes(subject)
    elsewhere = check_elsewhere(first.problem, rows, answers_of)
    return f"{many(len(places), 'row')} asked about again in {SHUFFLES + 2} orders, also afresh{elsewhere}"


def _compare_wholes(subject: Subject) -> None:
    """Count the whole by a file imported anew, as in a new process, which nothing was asked before."""
    fresh, used = Subject(_countable(load_again(subject.problem))).whole, subject.whole
    if (fresh.counts, fresh.nodes) != (used.counts, used.nodes):
        raise MismatchError(
            f"found {counted(used.counts, used.nodes)} after other calls, expected"
            f" {counted(fresh.counts, fresh.nodes)} as in a new process: nothing may depend on earlier calls"
        )


def _countable(problem: object) -> Countable:
    assert isinstance(problem, Countable)
    return problem


def _rows(subject: Subject) -> Rows:
    problem = subject.problem
    if isinstance(problem, CountingTree) and problem.unfolds():
        return subject.sample
    return subject.split[:TALLIED]


def answers_of(problem: Countable, row: Rows) -> Answers:
    """What a problem says of one row, shape ``(words,)``."""
    rows = row[None].copy()
    answers = dict[str, object]()
    if isinstance(problem, CountingTree) and problem.unfolds():
        children, _ = contract.check_children(problem, rows, problem.expand(rows))
        lines = tuples.to_nodes(problem, children) if problem.on_tuples() else children.tolist()
        answers["children"] = lines
        if problem.splits_into_nodes:
            [adds] = contract.check_measures(problem, rows, problem.measure(rows)).tolist()
            answers["measure"] = adds
    if type(problem).tally is not CountingTree.tally:
        part = contract.check_slice(problem, problem.tally(rows, ASKED, new_stop()), ASKED)
        answers["tally"] = (part.counts, part.nodes, part.rest.tolist())
    return answers


def _told(name: str, found: object, expected: object) -> tuple[str, str]:
    """Two answers that differ, for a message."""
    if name == "children":
        return f"the children {shown(found)}", shown(expected)
    if name == "measure":
        return f"that a node adds {shown(found)}", shown(expected)
    return f"{shown(found)} by tally (counts, nodes, rest)", shown(expected)


def check_repetition(subject: Subject) -> str:
    """Counting twice comes to the same."""
    budget = max(1, subject.whole.nodes // 3)
    for limit in (None, budget):
        one, two = (subject.tally(subject.split, limit) for _ in range(2))
        if (one.counts, one.nodes) != (two.counts, two.nodes) or not np.array_equal(one.rest, two.rest):
            raise MismatchError(
                f"found {counted(two.counts, two.nodes)} the second time, expected"
                f" {counted(one.counts, one.nodes)} as the first time"
            )
    return f"{counted(subject.whole.counts, subject.whole.nodes)}, every time"
