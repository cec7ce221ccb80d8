"""A problem under test: what several checks need of it, and how they say what they found."""

from functools import cached_property

import numpy as np

from frontrow.search import contract
from frontrow.search.errors import UsageError
from frontrow.search.problem import Countable, Slice, Totals
from frontrow.search.rows import Rows, new_stop
from frontrow.search.tree import CountingTree

MOST_NODES = 100_000
"""Nodes of a question that is small enough: every check walks all of them."""
SAMPLE = 200
"""Nodes whose methods are looked at one by one: the first of the tree, level by level."""


class MismatchError(Exception):
    """Two ways to the same thing that come to different ends."""

    def __init__(self, text: str, row: Rows | None = None) -> None:
        """Args: text: ``found X, expected Y``; row: where, shape ``(words,)``."""
        super().__init__(text)
        self.text, self.row = text, row


class InapplicableError(Exception):
    """A check that a problem has nothing to offer for."""


class Subject:
    """A problem under test and what several checks need of it."""

    def __init__(self, problem: Countable) -> None:
        """Args: problem: with a question that is small enough (`MOST_NODES`)."""
        self.problem = problem

    @cached_property
    def split(self) -> Rows:
        """The rows that the problem is split into."""
        return contract.check_rows(self.problem, self.problem.split(), "split")

    @cached_property
    def whole(self) -> Slice:
        """All of it, counted at once.

        Raises:
            UsageError: if that is too much.
        """
        whole = self.tally(self.split, MOST_NODES)
        if whole.rest.shape[0]:
            raise UsageError(
                f"problem {self.problem.name}: found more than {MOST_NODES:,} nodes, expected fewer"
            )
        return whole

    @cached_property
    def sample(self) -> Rows:
        """The first nodes, level by level, at most `SAMPLE`."""
        tree = self.tree
        level = contract.check_rows(tree, tree.initial(), "initial")
        levels = [level]
        while level.shape[0] and sum(each.shape[0] for each in levels) < SAMPLE:
            level = contract.check_children(tree, level, tree.expand(level))[0]
            levels.append(level)
        return np.concatenate(levels)[:SAMPLE]

    @property
    def tree(self) -> CountingTree:
        """The problem as a tree.

        Raises:
            InapplicableError: if it does not say how nodes unfold.
        """
        if not isinstance(self.problem, CountingTree) or not self.problem.unfolds():
            raise InapplicableError("neither expand nor children")
        return self.problem

    def tally(self, rows: Rows, budget: int | None = None) -> Slice:
        """Count rows by the problem's own `tally`."""
        return contract.check_slice(self.problem, self.problem.tally(rows, budget, new_stop()), budget)

    def default(self, rows: Rows) -> Slice:
        """Count rows by the default walk."""
        return CountingTree.tally(self.tree, rows, None, new_stop())

    @property
    def has_kernel(self) -> bool:
        """Whether the default walk counts what a `tally` of the problem's own counts."""
        problem = self.problem
        return (
            isinstance(problem, CountingTree)
            and problem.unfolds()
            and problem.splits_into_nodes
            and type(problem).tally is not CountingTree.tally
        )

    @cached_property
    def nodes_walked(self) -> int:
        """Nodes that the default walk visits."""
        return self.default(self.split).nodes

    @property
    def nodes_tree(self) -> CountingTree:
        """The problem as a tree whose split consists of nodes.

        Raises:
            InapplicableError: if it is none.
        """
        if not self.tree.splits_into_nodes:
            raise InapplicableError("the split consists of other things than nodes")
        return self.tree

    def values(self, parts: list[tuple[int, ...]]) -> dict[str, int | None]:
        """What people read of the counts of parts that make up the whole."""
        totals = Totals(self.problem)
        for counts in parts:
            totals.add(counts)
        named = dict(zip(self.problem.tallies, totals.counts, strict=True))
        return contract.check_values(self.problem.summary(named))

    @property
    def answer(self) -> dict[str, int | None]:
        """What people read of the whole."""
        return self.values([self.whole.counts])


def compare(found: dict[str, int | None], expected: dict[str, int | None], how: str, than: str) -> None:
    """Compare values that people read.

    Raises:
        MismatchError: if they differ.
    """
    if found != expected:
        raise MismatchError(f"found {_read(found)} {how}, expected {_read(expected)} {than}")


def _read(values: dict[str, int | None]) -> str:
    return ", ".join(f"{value} {name}" for name, value in values.items() if value is not None)


def many(number: int, word: str) -> str:
    """A number and what there are so many of."""
    return f"{number:,} {word}" + ("" if number == 1 else "s")


def counted(counts: tuple[int, ...], nodes: int) -> str:
    """What was counted, in how many nodes."""
    return f"{', '.join(map(str, counts))} in {many(nodes, 'node')}"
