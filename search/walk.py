"""The default walk of a tree on rows: depth first, in chunks of rows that unfold together."""

from typing import TYPE_CHECKING

import numpy as np

from frontrow.search import contract
from frontrow.search.errors import StoppedError
from frontrow.search.problem import Slice, Totals
from frontrow.search.rows import Rows, Stop
from frontrow.search.tuples import MOST_WAITING

if TYPE_CHECKING:
    from frontrow.search.tree import CountingTree

CHUNK = 4096
"""Rows that are unfolded together at most, and rows that they should unfold to, as far as can be foreseen."""

NARROW = 4
"""Children of a row up to which rows of several depths are taken together."""

PROBE = 32
"""Rows that are unfolded first, when nothing is known about their children."""


class _Stack:
    """Rows that wait, the deepest on top; remembers how many children the rows of a depth had."""

    def __init__(self, rows: Rows) -> None:
        self._parts = [(rows, 0)] if rows.shape[0] else []
        self._fans: dict[int, int] = {}
        self.size = rows.shape[0]

    def take(self, most: int) -> tuple[Rows, int]:
        """Take up to `most` rows off, and the depth of the first.

        Where they have few children they come from several depths, so that narrow deep trees fill a chunk;
        where they have many, few are taken, so that what waits at each depth stays about a `CHUNK`.
        """
        taken: list[Rows] = []
        first, left, room = self._parts[-1][1], min(most, CHUNK), CHUNK
        while self._parts and left and room > 0:
            rows, depth = self._parts[-1]
            known = self._fans.get(depth, self._fans.get(depth - 1))
            if known is None:  # the first rows of all: a few tell how wide the tree is
                left = min(left, PROBE)
            fan = max(known or 1, 1)
            if taken and fan > NARROW:
                break
            self._parts.pop()
            size = min(left, max(room // fan, 1), rows.shape[0])
            taken.append(rows[:size])
            left -= size
            room -= size * fan
            if size < rows.shape[0]:
                self._parts.append((rows[size:], depth))
                break
        chunk = np.concatenate(taken)
        self.size -= chunk.shape[0]
        return chunk, first

    def put(self, children: Rows, parents: int, depth: int) -> None:
        """Put the children of so many rows on top, the first of which was taken from a depth."""
        self._fans[depth] = children.shape[0] // parents
        self.size += children.shape[0]
        if children.shape[0]:
            self._parts.append((children, depth + 1))

    def rest(self, words: int) -> Rows:
        """All that waits, in the order of the walk."""
        return np.concatenate([np.empty((0, words), np.uint64), *(rows for rows, _ in reversed(self._parts))])


def walk(problem: "CountingTree", rows: Rows, budget: int | None, stop: Stop) -> Slice:
    """Count the subtrees of rows by `expand` and `measure`.

    Memory is bounded by depth times `CHUNK`, or the children of one row if they are more.

    Args:
        problem: the tree.
        rows: shape ``(n, words)``.
        budget: nodes after which the rest is handed back, or when `MOST_WAITING` more rows wait than at the
            beginning; None for no limit.
        stop: polled between chunks.

    Raises:
        StoppedError: if `stop` was raised.
        MethodError: if a method gives what it must not.
    """
    totals = Totals(problem)
    stack = _Stack(rows)
    nodes, most = 0, rows.shape[0] + MOST_WAITING
    while stack.size and (budget is None or (nodes < budget and stack.size <= most)):
        if stop[0]:
            raise StoppedError("stopped")
        chunk, depth = stack.take(CHUNK if budget is None else budget - nodes)
        nodes += chunk.shape[0]
        totals.add_rows(contract.check_measures(problem, chunk, problem.measure(chunk)))
        children, _ = contract.check_children(problem, chunk, problem.expand(chunk))
        stack.put(children, chunk.shape[0], depth)
    return Slice(totals.counts, nodes, stack.rest(problem.words))
