"""Trees whose solutions are counted and listed."""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from frontrow.search import tuples
from frontrow.search.errors import StoppedError
from frontrow.search.problem import Countable, Slice, Totals
from frontrow.search.rows import Rows, Stop, new_stop
from frontrow.search.tuples import Node

CHUNK = 4096
"""Rows that the default walk hands to `CountingTree.expand` at a time."""


class CountingTree(Countable):
    """A tree whose solutions are counted and listed.

    On rows, `expand` and `is_solution` (with `words`, `initial` and `render`) are enough. On tuples of small
    integers, `root`, `children` and `is_solution` are, together with `cells` and `bits`; the rest is derived.

    Attributes:
        cells: most integers that a node has, if nodes are tuples; may depend on the parameters.
        bits: bits that the largest of them needs.
    """

    cells: ClassVar[int] = 0
    bits: ClassVar[int] = 0

    @classmethod
    def on_tuples(cls) -> bool:
        """Whether nodes are tuples and not rows."""
        return cls.children is not CountingTree.children

    def root(self) -> Node:
        """The node that the tree starts from; by default the empty tuple."""
        return ()

    def children(self, node: Node) -> Iterable[Node]:
        """Children of a node, in order."""
        raise NotImplementedError(f"{type(self).__name__}: found neither expand nor children, expected one")

    def is_solution(self, rows: Any) -> Any:
        """Which rows are solutions, shape ``(n,)``; on tuples: whether one node is."""
        raise NotImplementedError(f"{type(self).__name__}: found no is_solution, expected it")

    def measure_node(self, node: Node) -> Sequence[int]:
        """What one node adds to each tally (on tuples)."""
        return (int(self.is_solution(node)),)

    @property
    def words(self) -> int:
        """64-bit words a row."""
        return tuples.row_words(self)

    def initial(self) -> Rows:
        """The root, shape ``(1, words)``."""
        return tuples.to_rows(self, [self.root()])

    def render(self, row: Rows) -> str:
        """The integers of a node, with commas."""
        [node] = tuples.to_nodes(self, row[None, :])
        return ",".join(map(str, node))

    def expand(self, rows: Rows) -> tuple[Rows, NDArray[np.int32]]:
        """Children of every row, in row order, and the index of each one's parent."""
        return tuples.expand(self, rows)

    def solution_mask(self, rows: Rows) -> NDArray[np.bool_]:
        """Which rows are solutions; shape ``(n,)``."""
        if self.on_tuples():
            return np.array([bool(self.is_solution(node)) for node in tuples.to_nodes(self, rows)], np.bool_)
        mask: NDArray[np.bool_] = self.is_solution(rows)
        return mask

    def measure(self, rows: Rows) -> NDArray[np.int64]:
        """What each row itself adds to each tally, shape ``(n, len(tallies))``."""
        if self.on_tuples():
            lines = [self.measure_node(node) for node in tuples.to_nodes(self, rows)]
            return np.array(lines, np.int64).reshape(len(lines), len(self.tallies))
        return self.solution_mask(rows).astype(np.int64)[:, None]

    def split(self) -> Rows:
        """The root alone; it is split further while it is counted."""
        return self.initial()

    def cost(self, rows: Rows) -> NDArray[np.int64]:
        """One for every row: nothing is known about subtrees in general."""
        return np.ones(rows.shape[0], np.int64)

    @property
    def predictable(self) -> bool:
        """Whether the problem has a `cost` of its own."""
        return type(self).cost is not CountingTree.cost

    @property
    def holds_interpreter(self) -> bool:
        """Whether counting runs in Python alone, so that it takes processes and not threads to share it."""
        return self.on_tuples() and type(self).tally is CountingTree.tally

    def warm(self) -> None:
        """Count one node, so that kernels are compiled before the clock runs."""
        self.tally(self.initial(), 1, new_stop())

    def tally(self, rows: Rows, budget: int | None, stop: Stop) -> Slice:
        """Depth first in chunks of rows; memory is bounded by depth times children times `CHUNK`."""
        if self.on_tuples():
            counts, visited, left = tuples.walk(self, rows, budget, stop)
            return Slice(counts, visited, tuples.to_rows(self, left))
        totals = Totals(self)
        nodes = 0
        stack = [rows]
        while stack and (budget is None or nodes < budget):
            if stop[0]:
                raise StoppedError("stopped")
            chunk = _pop(stack, CHUNK if budget is None else min(CHUNK, budget - nodes))
            nodes += chunk.shape[0]
            totals.add_rows(self.measure(chunk))
            children, _ = self.expand(chunk)
            if children.shape[0]:
                stack.append(children)
        rest = np.concatenate(stack[::-1]) if stack else np.empty((0, self.words), np.uint64)
        return Slice(totals.counts, nodes, rest)


def _pop(stack: list[Rows], most: int) -> Rows:
    """Take up to `most` rows off a stack of arrays: from several, so that narrow deep trees fill a chunk."""
    taken: list[Rows] = []
    room = most
    while stack and room:
        top = stack.pop()
        taken.append(top[:room])
        if top.shape[0] > room:
            stack.append(top[room:])
        room -= taken[-1].shape[0]
    return np.concatenate(taken)
