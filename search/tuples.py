"""Nodes as tuples of small integers: the form in which a person writes a first problem."""

import operator
from collections.abc import Iterable, Sequence
from typing import ClassVar, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from frontrow.search.errors import StoppedError
from frontrow.search.rows import Rows, Stop, pack, unpack, words_for

Node: TypeAlias = tuple[int, ...]


class TupleForm(Protocol):
    """What a problem on tuples states; see `frontrow.search.tree.CountingTree`."""

    cells: ClassVar[int]
    """Most integers a node has."""
    bits: ClassVar[int]
    """Bits that the largest of them needs."""
    tallies: ClassVar[tuple[str, ...]]
    """Names of the counts."""
    maxima: ClassVar[tuple[str, ...]]
    """Those that are combined by the maximum."""

    def children(self, node: Node) -> Iterable[Node]:
        """The children of a node, in order."""
        ...

    def measure_node(self, node: Node) -> Sequence[int]:
        """What a node adds to each tally."""
        ...


def row_words(form: TupleForm) -> int:
    """64-bit words a row: cells are stored plus one, so that zero ends a shorter node."""
    return max(1, words_for(form.cells, form.bits + 1))


def to_rows(form: TupleForm, nodes: Sequence[Node]) -> Rows:
    """Pack nodes into rows of shape ``(len(nodes), row_words(form))``.

    Raises:
        ValueError: if a node is no tuple of at most `cells` integers of `bits` bits.
    """
    values = np.zeros((len(nodes), form.cells), np.uint64)
    for index, node in enumerate(nodes):
        if not isinstance(node, tuple) or len(node) > form.cells:
            raise ValueError(f"node: found {node!r}, expected a tuple of at most {form.cells} integers")
        for cell, value in enumerate(node):
            if not 0 <= operator.index(value) < 1 << form.bits:
                raise ValueError(f"node: found {node!r}, expected integers from 0 to {2**form.bits - 1}")
            values[index, cell] = value + 1
    if not form.cells:
        return np.zeros((len(nodes), 1), np.uint64)
    return pack(values, form.bits + 1)


def to_nodes(form: TupleForm, rows: Rows) -> list[Node]:
    """Undo `to_rows`."""
    values = unpack(rows, form.cells, form.bits + 1)
    lengths = np.count_nonzero(values, axis=1).tolist()
    return [tuple(line[:length]) for line, length in zip((values - 1).tolist(), lengths, strict=True)]


def expand(form: TupleForm, rows: Rows) -> tuple[Rows, NDArray[np.int32]]:
    """Children of every row, in row order, and the index of each one's parent."""
    families = [list(form.children(node)) for node in to_nodes(form, rows)]
    parents = np.repeat(np.arange(len(families), dtype=np.int32), [len(family) for family in families])
    return to_rows(form, [child for family in families for child in family]), parents


def walk(
    form: TupleForm, rows: Rows, budget: int | None, stop: Stop
) -> tuple[tuple[int, ...], int, list[Node]]:
    """Walk the subtrees of some rows depth first with an explicit stack.

    Returns:
        The counts, the nodes visited, and the nodes that the budget left, in the order of the walk.

    Raises:
        StoppedError: if `stop` was raised.
    """
    folds = [max if name in form.maxima else operator.add for name in form.tallies]
    counts = [0] * len(folds)
    stack = to_nodes(form, rows)[::-1]
    children, measure, limit = form.children, form.measure_node, -1 if budget is None else budget
    nodes = 0
    while stack and nodes != limit:
        if stop[0]:
            raise StoppedError("stopped")
        node = stack.pop()
        nodes += 1
        for index, value in enumerate(measure(node)):
            if value:
                counts[index] = folds[index](counts[index], value)
        stack += list(children(node))[::-1]
    return tuple(counts), nodes, stack[::-1]
