"""Whether a `tally` of a problem's own counts what the default walk counts, whole or in slices."""

from frontrow.search import contract
from frontrow.search.count import deal
from frontrow.search.errors import StoppedError
from frontrow.search.own.subject import InapplicableError, MismatchError, Subject, compare, counted, many
from frontrow.search.problem import Slice, Totals
from frontrow.search.rows import Rows, new_stop
from frontrow.search.tree import CountingTree

MOST_PARTS = 500
"""Parts that a budget may cut the whole into."""
PIECES = 3
"""Pieces that a rest is dealt out to, as for several workers."""
SMALL = 300
"""Nodes under a row that is small enough for an example."""
TRIES = 3000
"""Rows and budgets that are tried to find an example."""


def check_budgets(subject: Subject) -> str:
    """What budgets leave, counted later, adds up to the whole."""
    nodes = subject.whole.nodes
    budgets = sorted(
        {max(1, nodes // MOST_PARTS), max(7, nodes // 50), max(100, nodes // 3), nodes - 1} - {0}
    )
    names = ", ".join(map(str, budgets))
    leaves = nodes < 2
    try:
        for budget in budgets:
            leaves |= _compare_slices(subject, budget)
    except MismatchError as error:
        _look_for_example(subject)
        raise error from None
    if not leaves:
        raise InapplicableError(f"tally left nothing at budgets of {names} nodes: one worker would do it all")
    return f"budgets of {names} nodes add up"


def _compare_slices(subject: Subject, budget: int) -> bool:
    """Count the whole in slices; whether there was more than one."""
    first = subject.tally(subject.split, budget)
    if subject.has_kernel:
        _compare_rest(subject, subject.whole, first, budget)
    waiting = [rows for rows, _ in deal(first.rest, PIECES)]
    parts, nodes = [first.counts], first.nodes
    while waiting:
        if len(parts) > 4 * MOST_PARTS + subject.split.shape[0]:
            raise MismatchError(f"found no end with budgets of {budget} nodes, expected one")
        part = subject.tally(waiting.pop(), budget)
        parts.append(part.counts)
        nodes += part.nodes
        waiting += [part.rest] if part.rest.shape[0] else []
    compare(subject.values(parts), subject.answer, f"with budgets of {budget} nodes", "without")
    if nodes != subject.whole.nodes:
        expected = many(subject.whole.nodes, "node")
        raise MismatchError(
            f"found {many(nodes, 'node')} with budgets of {budget}, expected {expected} as without"
        )
    return len(parts) > 1


def _compare_rest(subject: Subject, whole: Slice, first: Slice, budget: int, row: Rows | None = None) -> None:
    """Have the default walk count what a budget left.

    Raises:
        MismatchError: if that and what was counted before are not the whole.
    """
    # Wrong rows may have no end of nodes under them.
    rest = CountingTree.tally(subject.tree, first.rest, subject.nodes_walked + 1, new_stop())
    totals = Totals(subject.problem)
    for counts in (first.counts, rest.counts):
        totals.add(counts)
    alike = subject.nodes_walked == subject.whole.nodes
    nodes = first.nodes + rest.nodes if alike else whole.nodes
    endless = rest.rest.shape[0] > 0
    if endless or (totals.counts, nodes) != (whole.counts, whole.nodes):
        under = f"{'more than ' if endless else ''}{counted(rest.counts, rest.nodes)}"
        raise MismatchError(
            f"found {counted(first.counts, first.nodes)} by tally with a budget of {many(budget, 'node')} and"
            f" {under} under the {many(first.rest.shape[0], 'row')} that it left,"
            f" expected {counted(whole.counts, whole.nodes)} together",
            row,
        )


def _look_for_example(subject: Subject) -> None:
    """Look for a small row and a small budget that are not right.

    Raises:
        MismatchError: for the first that is found.
    """
    if not subject.has_kernel:
        return
    tries = 0
    for row in subject.sample[::-1]:
        whole = CountingTree.tally(subject.tree, row[None], SMALL, new_stop())
        if whole.rest.shape[0]:
            return
        kernel = subject.tally(row[None])
        for budget in range(1, kernel.nodes if kernel.counts == whole.counts else 1):
            _compare_rest(subject, kernel, subject.tally(row[None], budget), budget, row)
            tries += 1
            if tries > TRIES:
                return


def check_stop(subject: Subject) -> str:
    """A tally that is told to stop raises StoppedError, or has finished before it looked."""
    stop, budget = new_stop(), max(1, subject.whole.nodes // 2)
    stop[0] = 1
    finished = 0
    for limit, expected in ((None, subject.whole), (budget, subject.tally(subject.split, budget))):
        try:
            part = contract.check_slice(
                subject.problem, subject.problem.tally(subject.split, limit, stop), limit
            )
        except StoppedError:
            continue
        finished += 1
        if (part.counts, part.nodes) != (expected.counts, expected.nodes):
            raise MismatchError(
                f"found {counted(part.counts, part.nodes)} with stop[0] set, expected StoppedError, or"
                f" {counted(expected.counts, expected.nodes)} as without"
            )
    if finished:
        raise InapplicableError("tally was done before it looked at stop")
    return "StoppedError when stop[0] is set"


def check_kernel(subject: Subject) -> str:
    """An own `tally` and the default walk come to the same, also in how many nodes."""
    tree = subject.nodes_tree
    if type(tree).tally is CountingTree.tally:
        raise InapplicableError("no tally of its own")
    for row in subject.split:
        if _differ(subject, row[None]):
            worst = _smallest_difference(subject, row[None])
            found, expected = subject.tally(worst), subject.default(worst)
            if found.counts != expected.counts:
                text = f"found {found.counts} by tally, expected {expected.counts} as by the default walk"
            else:
                text = (
                    f"found {many(found.nodes, 'node')} by tally, expected"
                    f" {expected.nodes} as by the default walk (own_nodes = True allows others)"
                )
            raise MismatchError(text, worst[0])
    nodes = "" if tree.own_nodes else f" and {many(subject.whole.nodes, 'node')}"
    return f"tally and the default walk agree on {many(subject.split.shape[0], 'row')}{nodes}"


def _differ(subject: Subject, rows: Rows) -> bool:
    found, expected = subject.tally(rows), subject.default(rows)
    return found.counts != expected.counts or (found.nodes != expected.nodes and not subject.tree.own_nodes)


def _smallest_difference(subject: Subject, row: Rows) -> Rows:
    """The deepest row under one at which `tally` and the default walk differ; shape ``(1, words)``."""
    while True:
        children, _ = contract.check_children(subject.tree, row, subject.tree.expand(row))
        for child in children:
            if _differ(subject, child[None]):
                row = child[None]
                break
        else:
            return row
