"""Trees whose solutions are counted and listed."""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from frontrow.search import contract, tuples
from frontrow.search.errors import MethodError, UsageError
from frontrow.search.listing import Listed, list_solutions
from frontrow.search.own.blame import explained
from frontrow.search.parameter import shown
from frontrow.search.problem import Countable, Problem, Slice, Totals
from frontrow.search.rows import Rows, Stop, new_stop
from frontrow.search.tuples import Node
from frontrow.search.walk import walk

RECOUNTED = 100_000
"""Nodes that the default walk counts of a unit that a kernel has counted before: about 0.3 s."""


class CountingTree(Countable):
    """A tree whose solutions are counted and listed.

    On rows, `expand` and `is_solution` (with `words`, `initial` and `render`) are enough. On tuples of small
    integers, `root`, `children` and `is_solution` are, together with `cells` and `bits`; the rest is derived,
    and `show` draws a node.

    Attributes:
        cells: most integers that a node has, if nodes are tuples; may depend on the parameters.
        bits: bits that the largest of them needs.
        heading: what the head of a table calls an integer of a node; its place is appended.
        own_nodes: whether a `tally` counts nodes in its own way, such as one that looks ahead and visits
            fewer; otherwise they are those of the default walk.
    """

    cells: ClassVar[int] = 0
    bits: ClassVar[int] = 0
    heading: ClassVar[str] = "cell"
    own_nodes: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Check the parameters, the sizes that follow from them, and how nodes are drawn.

        Raises:
            UsageError: for what cannot be used; it names the parameter, or the line of a person's file.
        """
        super().__post_init__()
        with explained(self, UsageError):
            contract.check_words(self.words)
            is_mixed = self.on_tuples() and type(self).render is not CountingTree.render
            if is_mixed and contract.is_own(self):
                raise MethodError("render", "found it beside children, expected show, which draws a tuple")

    @classmethod
    def on_tuples(cls) -> bool:
        """Whether nodes are tuples and not rows."""
        return cls.children is not CountingTree.children

    @classmethod
    def unfolds(cls) -> bool:
        """Whether it is said how nodes unfold, so that the default walk counts; a `tally` needs that not."""
        return cls.on_tuples() or cls.expand is not CountingTree.expand

    def root(self) -> Node:
        """The node that the tree starts from; by default the empty tuple."""
        return ()

    def children(self, node: Node) -> Iterable[Node]:
        """Children of a node, in order."""
        raise MethodError("children", "found neither it nor expand, expected one")

    def is_solution(self, rows: Any) -> Any:
        """Which rows are solutions, shape ``(n,)``; on tuples: whether one node is."""
        raise MethodError("is_solution", "found none, expected one")

    @property
    def symmetric(self) -> bool:
        """Whether solutions form classes, one of each of which `is_canonical` tells from the others."""
        return False

    def is_canonical(self, rows: Any) -> Any:
        """Which solutions stand for their class, shape ``(n,)``; on tuples: whether one node does."""
        raise MethodError("is_canonical", "found none, expected one")

    def measure_node(self, node: Node) -> Sequence[int]:
        """What one node adds to each tally (on tuples)."""
        return (tuples.is_solved(self, node),)

    @property
    def words(self) -> int:
        """64-bit words a row."""
        return tuples.row_words(self)

    def initial(self) -> Rows:
        """The root, shape ``(1, words)``."""
        return tuples.to_rows(self, [self.root()], "root")

    def rows_of(self, nodes: Sequence[Node]) -> Rows:
        """Nodes on tuples as rows, shape ``(len(nodes), words)``: for a `split` of one's own."""
        return tuples.to_rows(self, nodes, "rows_of")

    def show(self, node: Node) -> str:
        """Draw a node as text (on tuples); by default its integers, with commas."""
        return ",".join(map(str, node))

    def render(self, row: Rows) -> str:
        """Draw one row (shape ``(words,)``) as text: by `show` on tuples; on rows its words, with commas.

        Raises:
            MethodError: if `show` gives anything but a text.
        """
        if not self.on_tuples():
            return ",".join(map(str, row))
        text = self.show(tuples.to_nodes(self, row[None, :])[0])
        if not isinstance(text, str):
            raise MethodError("show", f"found {shown(text)}, expected a text")
        return text

    def integers(self, rows: Rows) -> NDArray[Any]:
        """The integers as which rows are listed, shape ``(n, k)``; -1 after the end of a shorter node.

        Those of nodes on tuples; otherwise the words of the rows.
        """
        return tuples.to_integers(self, rows) if self.on_tuples() else rows

    def expand(self, rows: Rows) -> tuple[Rows, NDArray[np.int32]]:
        """Children of every row, in row order, and the index of each one's parent."""
        return tuples.expand(self, rows)

    def solution_mask(self, rows: Rows) -> NDArray[np.bool_]:
        """Which rows are solutions; shape ``(n,)``."""
        if self.on_tuples():
            return np.array([tuples.is_solved(self, node) for node in tuples.to_nodes(self, rows)], np.bool_)
        return contract.check_mask(rows, self.is_solution(rows))

    def measure(self, rows: Rows) -> NDArray[Any]:
        """What each row itself adds to each tally, shape ``(n, len(tallies))``.

        64-bit integers, or Python's own (as objects) where one of them needs more.
        """
        if self.on_tuples():
            return tuples.measures(self, rows)
        return self.solution_mask(rows).astype(np.int64)[:, None]

    def split(self) -> Rows:
        """The root alone; it is split further while it is counted."""
        return self.initial()

    def cost(self, rows: Rows) -> NDArray[np.int64]:
        """One for every row: nothing is known about subtrees in general."""
        return np.ones(rows.shape[0], np.int64)

    @property
    def splits_into_nodes(self) -> bool:
        """Whether the rows of `split` are nodes, so that the default walk counts what `tally` counts."""
        return True

    @property
    def predictable(self) -> bool:
        """Whether the problem has a `split` and a `cost` of its own."""
        return type(self).cost is not CountingTree.cost and type(self).split is not CountingTree.split

    @property
    def kernel(self) -> str:
        """What counts: ``its own`` for a `tally` or an `expand` of a person's file, which may be compiled."""
        return "its own" if contract.is_own(self) and not self.holds_interpreter else super().kernel

    @property
    def holds_interpreter(self) -> bool:
        """Whether counting runs in Python alone, so that it takes processes and not threads to share it."""
        return self.on_tuples() and type(self).tally is CountingTree.tally

    def warm(self) -> None:
        """Count one node, so that kernels are compiled before the clock runs; on tuples try some nodes."""
        if self.holds_interpreter:
            tuples.probe(self)
        else:
            self.tally(contract.check_rows(self, self.initial(), "initial"), 1, new_stop())

    def tally(self, rows: Rows, budget: int | None, stop: Stop) -> Slice:
        """Depth first with an explicit stack: see `frontrow.search.walk`, and `frontrow.search.tuples`."""
        if self.on_tuples():
            counts, visited, left = tuples.walk(
                self, rows, budget, stop, simple=type(self).measure_node is CountingTree.measure_node
            )
            return Slice(counts, visited, tuples.to_rows(self, left))
        return walk(self, rows, budget, stop)  # pyright: ignore[reportArgumentType] - two names of one file

    def recount(self, rows: Rows, stop: Stop) -> tuple[int, ...]:
        """Where there is a kernel, the default walk counts the first `RECOUNTED` nodes, and it the rest."""
        if type(self).tally is CountingTree.tally or not self.unfolds():
            return super().recount(rows, stop)
        first = CountingTree.tally(self, rows, RECOUNTED, stop)
        totals = Totals(self)
        totals.add(first.counts)
        if first.rest.shape[0]:
            totals.add(self.tally(first.rest, None, stop).counts)
        return totals.counts

    def list_under(self, rows: Rows, limit: int, budget: int, stop: Stop, *, unique: bool) -> Listed:
        """List the first solutions under rows; see `frontrow.search.listing.list_solutions`."""
        # Pyright reads this file under two names, and takes the class for two.
        return list_solutions(self, rows, limit, budget, stop, unique=unique)  # pyright: ignore[reportArgumentType]


def look_at_root(problem: Problem) -> None:
    """Look at the root of a person's own tree, which is a matter of usage and not of a run.

    Raises:
        MethodError: if it is no node.
    """
    if not isinstance(problem, CountingTree) or not contract.is_own(problem):
        return
    if problem.on_tuples() or type(problem).initial is not CountingTree.initial:
        contract.check_rows(problem, problem.initial(), "initial")
