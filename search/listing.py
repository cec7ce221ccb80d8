"""How the solutions under some rows are listed: in the order of a depth-first walk, some at a time."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from frontrow.search import contract, tuples
from frontrow.search.errors import StoppedError
from frontrow.search.rows import Rows, Stop

if TYPE_CHECKING:
    from frontrow.search.tree import CountingTree
    from frontrow.search.tuples import Node

_AT_A_TIME = 256
"""Rows expanded together: few, since what they bring waits in memory."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A part of a list.

    Attributes:
        solutions: rows in the order of the walk, shape ``(k, words)``.
        rest: rows whose solutions come after these, in the order of the walk.
        nodes: nodes expanded.
    """

    solutions: Rows
    rest: Rows
    nodes: int


def list_solutions(
    problem: "CountingTree", rows: Rows, limit: int, budget: int, stop: Stop, *, unique: bool = False
) -> Listed:
    """List the first solutions under `rows`: parents before children, rows in their order.

    Args:
        problem: the tree.
        rows: shape ``(n, words)``; a row that is a solution itself is listed.
        limit: solutions after which the rest is handed back (at most 256 times children more may come).
        budget: nodes after which the rest is handed back.
        stop: polled between chunks.
        unique: list one solution a class, for a tree that is `symmetric`.

    Returns:
        The list and the rest. Memory is bounded by the limit and by depth times children times 256.

    Raises:
        StoppedError: if `stop` was raised.
    """
    if problem.on_tuples():
        return _list_nodes(problem, rows, limit, budget, stop, unique)
    count = rows.shape[0]
    stack = [_Waiting(rows, np.zeros(count, np.bool_), np.arange(count, dtype=np.int32))]
    none = np.empty((0, problem.words), np.uint64)
    found: list[Rows] = [none]
    solutions = nodes = 0
    while stack:
        if stop[0]:
            raise StoppedError("stopped")
        top = stack.pop()
        listed = _prefix(top.is_listed)
        if listed:
            part = top.rows[:listed]
            found.append(part[problem.is_canonical(part)] if unique else part)
            solutions += found[-1].shape[0]
        if listed == top.rows.shape[0]:
            continue
        if solutions >= limit or nodes >= budget:
            stack.append(top.cut(listed))
            break
        end = listed + min(_prefix(~top.is_listed[listed:]), _AT_A_TIME)
        if end < top.rows.shape[0]:
            stack.append(top.cut(end))
        nodes += end - listed
        stack.append(_unfold(problem, top.rows[listed:end]))
    return Listed(
        np.concatenate(found), np.concatenate([none, *(part.folded() for part in reversed(stack))]), nodes
    )


def _list_nodes(
    problem: "CountingTree", rows: Rows, limit: int, budget: int, stop: Stop, unique: bool
) -> Listed:
    """The same on tuples, one node after the other, with an explicit stack."""
    stack = tuples.to_nodes(problem, rows)[::-1]
    found: list[Node] = []
    nodes = 0
    while stack and len(found) < limit and nodes < budget:
        if stop[0]:
            raise StoppedError("stopped")
        node = stack.pop()
        nodes += 1
        if tuples.is_solved(problem, node) and (not unique or problem.is_canonical(node)):
            found.append(node)
        stack += tuples.family(problem, node)[::-1]
    return Listed(tuples.to_rows(problem, found), tuples.to_rows(problem, stack[::-1]), nodes)


@dataclass(frozen=True, slots=True)
class _Waiting:
    """Rows that wait for their turn: solutions to be listed, and rows to be expanded.

    A solution comes right before its own children; `family` is the same for it and for them.
    """

    rows: Rows
    is_listed: NDArray[np.bool_]
    family: NDArray[np.int32]

    def cut(self, start: int, end: int | None = None) -> Self:
        return type(self)(self.rows[start:end], self.is_listed[start:end], self.family[start:end])

    def folded(self) -> Rows:
        """The rows alone: a solution that was not listed yet stands for its children again."""
        covered = np.isin(self.family, self.family[self.is_listed]) & ~self.is_listed
        return self.rows[~covered]


def _prefix(flags: NDArray[np.bool_]) -> int:
    """How many flags are set before the first that is not."""
    return int(flags.size if flags.all() else flags.argmin())


def _unfold(problem: "CountingTree", rows: Rows) -> _Waiting:
    """Each row's place taken by itself, if it is a solution, and then by its children."""
    children, parents = contract.check_children(problem, rows, problem.expand(rows))
    solved = np.flatnonzero(problem.solution_mask(rows)).astype(np.int32)
    mixed = np.concatenate([rows[solved], children])
    family = np.concatenate([solved, parents])
    is_listed = np.arange(mixed.shape[0]) < solved.size
    order = np.lexsort((~is_listed, family))  # stable: children stay in their order
    return _Waiting(mixed[order], is_listed[order], family[order])
