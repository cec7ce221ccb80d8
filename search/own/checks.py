"""Whether a problem keeps its word: its methods are compared with each other and with the slow defaults."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from frontrow.search import contract, tuples
from frontrow.search.count import cut
from frontrow.search.errors import ProblemError, UsageError
from frontrow.search.graph import StateGraph
from frontrow.search.own import graphs
from frontrow.search.own.blame import explained
from frontrow.search.own.explored import Explored
from frontrow.search.own.kernels import check_budgets, check_kernel, check_stop
from frontrow.search.own.order import check_order, check_repetition
from frontrow.search.own.subject import (
    MOST_NODES,
    SAMPLE,
    InapplicableError,
    MismatchError,
    Subject,
    compare,
    many,
)
from frontrow.search.problem import Countable, Problem
from frontrow.search.registry import ProblemRef
from frontrow.search.rows import Rows, new_stop
from frontrow.search.tree import CountingTree, look_at_root


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a check went.

    Attributes:
        name: the check's name.
        holds: whether it holds; None if it does not apply.
        note: what was looked at, why it does not apply, or what was found and what was expected.
        row: the row at which it fails, shape ``(words,)``, if it can be told.
    """

    name: str
    holds: bool | None
    note: str
    row: Rows | None = None


def check_parameters(subject: Subject) -> str:
    """A reference to the problem, as it is stored and sent, makes the same problem again."""
    again = ProblemRef.of(subject.problem).load()
    if again != subject.problem:
        raise MismatchError(f"found {again!r} when it is made again, expected {subject.problem!r}")
    return "the problem is made again from what is stored and sent"


def check_split(subject: Subject) -> str:
    """Rows of the split are the same every time, and units hold each once."""
    problem, rows = subject.problem, subject.split
    if not np.array_equal(rows, contract.check_rows(problem, problem.split(), "split")):
        raise MismatchError("found other rows at the second split, expected the same")
    costs = contract.check_costs(rows, problem.cost(rows))
    singly = [int(contract.check_costs(row[None], problem.cost(row[None]))[0]) for row in rows[:SAMPLE]]
    for row, cost, alone in zip(rows, costs.tolist(), singly, strict=False):
        if cost != alone or cost < 1:
            raise MismatchError(
                f"found the cost {cost} of a row, {alone} by itself, expected the same, 1 or more", row
            )
    units = cut(problem, rows)
    if units and not np.array_equal(np.concatenate([part for part, _ in units]), rows):
        raise MismatchError("found other rows in the units than in the split, expected the same")
    return f"{many(rows.shape[0], 'row')} of {many(problem.words, 'word')}, the same every time"


def check_packing(subject: Subject) -> str:
    """Nodes come back from their rows as they were."""
    tree, rows = subject.tree, subject.sample
    if not tree.on_tuples():
        raise InapplicableError("nodes are rows already")
    nodes = tuples.to_nodes(tree, rows)
    for row, node, again in zip(rows, nodes, tuples.to_nodes(tree, tuples.to_rows(tree, nodes)), strict=True):
        if node != again:
            raise MismatchError(f"found {again} when {node} is packed and unpacked, expected the same", row)
    return f"{many(len(nodes), 'node')} packed and unpacked"


def check_children(subject: Subject) -> str:
    """Children of rows are the same, alone or together, and by both methods where both are there."""
    tree, rows = subject.tree, subject.sample
    together, parents = contract.check_children(tree, rows, tree.expand(rows))
    both = tree.on_tuples() and type(tree).expand is not CountingTree.expand
    for index, row in enumerate(rows):
        alone, _ = contract.check_children(tree, row[None], tree.expand(row[None]))
        if not np.array_equal(alone, together[parents == index]):
            raise MismatchError(
                "found other children of a row by itself than among others, expected the same", row
            )
        if both and not np.array_equal(alone, tuples.expand(tree, row[None])[0]):
            raise MismatchError("found other children by expand than by children, expected the same", row)
    return f"those of {many(rows.shape[0], 'node')}, alone and together" + (
        ", by both methods" if both else ""
    )


def check_measures(subject: Subject) -> str:
    """What nodes add to the tallies is the same every time, alone or together."""
    tree, rows = subject.nodes_tree, subject.sample
    together = contract.check_measures(tree, rows, tree.measure(rows))
    for row, expected in zip(rows, together.tolist(), strict=True):
        [alone] = contract.check_measures(tree, row[None], tree.measure(row[None])).tolist()
        if alone != expected:
            raise MismatchError(f"found that a node adds {alone} by itself and {expected} among others", row)
    return f"what {many(rows.shape[0], 'node')} add, alone and together"


def check_parts(subject: Subject) -> str:
    """The rows of the split, counted one by one, add up to the whole."""
    parts = [subject.tally(row[None]).counts for row in subject.split]
    compare(subject.values(parts), subject.answer, "row by row", "as all at once")
    return f"{many(len(parts), 'row')} counted one by one add up"


def check_recount(subject: Subject) -> str:
    """A recount, which tells a wrong kernel from a right one, comes to the same."""
    if type(subject.problem).recount in (Countable.recount, CountingTree.recount):
        raise InapplicableError("no other computation to recount by")
    again = subject.problem.recount(subject.split, new_stop())
    compare(subject.values([again]), subject.answer, "by the recount", "as by tally")
    return "another computation comes to the same"


def check_second(subject: Subject) -> str:
    """Another method comes to the same values."""
    second = subject.problem.second()
    if second is None:
        raise InapplicableError("no second method")
    compare(Subject(second).answer, subject.answer, "by the second method", "as by the first")
    return f"another method ({second.method_used}) comes to the same"


def check_root(subject: Subject) -> str:
    """The solutions of an own split add up to those under the root."""
    tree = subject.tree
    if type(tree).split is CountingTree.split:
        raise InapplicableError("no split of its own")
    found, expected = _solutions(subject), _listed(subject).shape[0]
    if found != expected:
        raise MismatchError(f"found {found} solutions in the split, expected {expected} as under the root")
    return f"{many(found, 'solution')} in the split as under the root"


def check_list(subject: Subject) -> str:
    """As many solutions are listed as are counted, each of them one."""
    tree, rows = subject.tree, _listed(subject)
    counted = _solutions(subject)
    for row in rows[~contract.check_mask(rows, tree.solution_mask(rows))]:
        raise MismatchError("found a row in the list that is no solution, expected solutions only", row)
    if rows.shape[0] != counted:
        raise MismatchError(f"found {rows.shape[0]} solutions in the list, expected {counted} as counted")
    return f"{many(counted, 'solution')} listed and counted"


def _solutions(subject: Subject) -> int:
    found = subject.answer.get("solutions")
    if found is None:
        raise InapplicableError("no value called solutions")
    return found


def _listed(subject: Subject) -> Rows:
    """All solutions under the root."""
    tree = subject.tree
    waiting, found = tree.initial(), list[Rows]()
    while waiting.shape[0]:
        part = tree.list_under(waiting, MOST_NODES, 10 * MOST_NODES, new_stop(), unique=False)
        found.append(part.solutions)
        waiting = part.rest
    return np.concatenate([np.empty((0, tree.words), np.uint64), *found])


def check_drawing(subject: Subject) -> str:
    """Rows can be drawn."""
    is_tree = isinstance(subject.problem, CountingTree) and subject.problem.unfolds()
    rows = subject.sample if is_tree else subject.split[:SAMPLE]
    for row in rows:
        drawn = subject.problem.render(row)
        if not isinstance(drawn, str):
            raise MismatchError(f"found the {type(drawn).__name__} {drawn!r}, expected a text")
    return f"{many(rows.shape[0], 'row')} drawn"


CHECKS: dict[str, Callable[[Subject], str]] = {
    "parameters": check_parameters,
    "split": check_split,
    "order": check_order,
    "packing": check_packing,
    "children": check_children,
    "measures": check_measures,
    "repetition": check_repetition,
    "parts": check_parts,
    "budgets": check_budgets,
    "stop": check_stop,
    "kernel": check_kernel,
    "recount": check_recount,
    "second": check_second,
    "root": check_root,
    "list": check_list,
    "drawing": check_drawing,
}


def run(problem: Problem) -> Iterator[Outcome]:
    """Make all checks, one after the other.

    Raises:
        UsageError: if the root is no node, the question too large, or the problem neither a tree nor a graph.
    """
    if isinstance(problem, StateGraph):
        explored = Explored(problem)
        with explained(problem):
            problem.warm()
            _ = explored.depths
        for name, judge in graphs.CHECKS.items():
            yield _outcome(name, problem, partial(judge, explored))
        return
    if not isinstance(problem, Countable):
        raise UsageError(f"problem: found {problem.name}, expected a tree or a graph to check")
    subject = Subject(problem)
    with explained(problem, UsageError):
        look_at_root(problem)
    with explained(problem):
        problem.warm()
        _ = subject.whole
    for name in CHECKS:
        yield check(subject, name)


def check(subject: Subject, name: str) -> Outcome:
    """Make one check of a tree."""
    return _outcome(name, subject.problem, partial(CHECKS[name], subject))


def _outcome(name: str, problem: Problem, judge: Callable[[], str]) -> Outcome:
    try:
        with explained(problem):
            return Outcome(name, True, judge())
    except InapplicableError as error:
        return Outcome(name, None, str(error))
    except MismatchError as error:
        return Outcome(name, False, error.text, error.row)
    except ProblemError as error:
        return Outcome(name, False, str(error))
