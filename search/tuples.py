"""Nodes as tuples of small integers: the form in which a person writes a first problem."""

import operator
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from frontrow.search.errors import MethodError, StoppedError
from frontrow.search.parameter import shown
from frontrow.search.rows import WORD, Rows, Stop, pack, unpack, words_for

Node: TypeAlias = tuple[int, ...]

MOST_SIZE = {"cells": 1 << 16, "bits": WORD - 1}
"""Integers of a node, and bits of one; in a row a bit more is needed, since zero ends a shorter node."""
MOST_CHILDREN = 1 << 20
"""Children of one node; a generator that never ends must not fill the memory."""
MOST_WAITING = 1 << 17
"""Nodes more that may wait during a walk with a budget: a tree that never ends must not fill the memory."""
PROBED = 200
"""Nodes that are looked at closely before a count begins."""
PROBE_SECONDS = 0.5
"""Seconds after which no more of them are looked at: of slow methods the first answers have to do."""


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

    def root(self) -> Node:
        """The node that the tree starts from."""
        ...

    def children(self, node: Node) -> Iterable[Node]:
        """The children of a node, in order."""
        ...

    def is_solution(self, rows: Any) -> Any:
        """Whether a node is a solution."""
        ...

    def measure_node(self, node: Node) -> Sequence[int]:
        """What a node adds to each tally."""
        ...


def row_words(form: TupleForm) -> int:
    """64-bit words a row: cells are stored plus one, so that zero ends a shorter node.

    Raises:
        MethodError: if `cells` or `bits` is no sensible number.
    """
    cells, bits = check_size("cells", form.cells), check_size("bits", form.bits, low=1)
    return max(1, words_for(cells, bits + 1))


def check_size(name: str, value: Any, *, low: int = 0) -> int:
    """The value of `cells` or `bits`.

    Raises:
        MethodError: if it is no sensible number.
    """
    high = MOST_SIZE[name]
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise MethodError(name, f"found {shown(value)}, expected an integer from {low} to {high}")
    return value


def to_rows(form: TupleForm, nodes: Sequence[Node], method: str = "children") -> Rows:
    """Pack nodes into rows of shape ``(len(nodes), row_words(form))``.

    Args:
        form: the problem.
        nodes: tuples of at most `cells` integers of `bits` bits.
        method: the method that gave the nodes, for the message.

    Raises:
        MethodError: if a node is anything else.
    """
    words, cells, bits = row_words(form), form.cells, form.bits
    lengths = [len(node) if isinstance(node, tuple) else cells + 1 for node in nodes]
    if max(lengths, default=0) <= cells:
        flat = integers_of([value for node in nodes for value in node], bits)
        if flat is not None:
            values = np.zeros((len(nodes), cells), np.uint64)
            values[np.arange(cells) < np.array(lengths, np.int64)[:, None]] = flat + np.uint64(1)
            return pack(values, bits + 1) if cells else np.zeros((len(nodes), words), np.uint64)
    bad = next(node for node in nodes if not _fits(node, cells, bits))
    raise MethodError(
        method,
        f"found the node {shown(bad)}, expected a tuple of at most {cells} integers from 0 to {2**bits - 1}"
        f" (cells = {cells}, bits = {bits})",
    )


def integers_of(values: list[int], bits: int) -> NDArray[np.uint64] | None:
    """Integers of so many bits as an array; None if one of them is anything else."""
    try:
        found = np.array(values or np.zeros(0, np.int64))
        if found.dtype.kind == "f":  # integers of several types of numpy, or none at all
            found = np.array([operator.index(value) for value in values])
    except (TypeError, ValueError, OverflowError):
        return None
    if found.ndim != 1 or found.dtype.kind not in "iub":
        return None
    if found.size and (found.min() < 0 or int(found.max()) >> bits):
        return None
    return found.astype(np.uint64)


def _fits(node: object, cells: int, bits: int) -> bool:
    return (
        isinstance(node, tuple)
        and len(node) <= cells
        and all(isinstance(value, (int, np.integer, np.bool_)) and 0 <= value < 1 << bits for value in node)
    )


def to_integers(form: TupleForm, rows: Rows) -> NDArray[np.int64]:
    """The integers of nodes, shape ``(n, cells)``; -1 after the end of a shorter one."""
    return unpack(rows, form.cells, form.bits + 1) - 1


def to_nodes(form: TupleForm, rows: Rows) -> list[Node]:
    """Undo `to_rows`."""
    values = unpack(rows, form.cells, form.bits + 1)
    lengths = np.count_nonzero(values, axis=1).tolist()
    return [tuple(line[:length]) for line, length in zip((values - 1).tolist(), lengths, strict=True)]


def family(form: TupleForm, node: Node) -> list[Node]:
    """The children of a node.

    Raises:
        MethodError: if `children` gives something else, or too many.
    """
    return unfolded(form.children, node)


def unfolded(method: Callable[[Node], Iterable[Node]], node: Node) -> list[Node]:
    """What `children`, or a method like it, gives for a node.

    Raises:
        MethodError: if that is nothing to go through, or too much.
    """
    name = method.__name__
    try:
        found = list(islice(method(node), MOST_CHILDREN))
    except TypeError as error:
        if error.__traceback__ is not None and error.__traceback__.tb_next is None:
            raise MethodError(name, f"found {error}, expected tuples of integers") from error
        raise  # from inside the person's own code
    if len(found) == MOST_CHILDREN:
        raise MethodError(name, f"found no end for the node {shown(node)}, expected fewer than 2^20")
    return found


def is_solved(form: TupleForm, node: Node) -> bool:
    """Whether a node is a solution: what Python takes as true, but for None.

    Raises:
        MethodError: for None, which a forgotten ``return`` gives.
    """
    return truth(form.is_solution(node), "is_solution")


def truth(verdict: object, method: str) -> bool:
    """What Python takes a method's answer for, but for None.

    Raises:
        MethodError: for None, which a forgotten ``return`` gives.
    """
    if verdict is None or isinstance(verdict, np.ndarray):
        raise MethodError(method, f"found {shown(verdict)}, expected True or False")
    return bool(verdict)


def measured(form: TupleForm, node: Node) -> list[int]:
    """What a node adds to each tally.

    Raises:
        MethodError: if it is not one integer a tally.
    """
    values, width = form.measure_node(node), len(form.tallies)
    if not hasattr(values, "__len__") or len(values) != width:
        names = ", ".join(form.tallies)
        raise MethodError("measure_node", f"found {shown(values)}, expected one integer each for {names}")
    return [value if value.__class__ is int else _whole(value) for value in values]


def measures(form: TupleForm, rows: Rows) -> NDArray[Any]:
    """What each of some nodes adds to each tally, shape ``(n, len(tallies))``.

    64-bit integers, or objects, which are integers of any size, if one does not fit.
    """
    lines = [measured(form, node) for node in to_nodes(form, rows)]
    kind = np.int64 if all(-(1 << 63) <= value < 1 << 63 for line in lines for value in line) else object
    return np.array(lines, kind).reshape(len(lines), len(form.tallies))


def _whole(value: object) -> int:
    if isinstance(value, (bool, np.bool_)):
        return int(value)
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError as error:
        raise MethodError("measure_node", f"found {shown(value)}, expected an integer") from error


def numbers(values: Sequence[object], method: str) -> NDArray[np.int64]:
    """Integers that a method gave, one a call, as an array.

    Raises:
        MethodError: for anything else, or from 2^63 on.
    """
    for value in values:
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
            raise MethodError(method, f"found {shown(value)}, expected an integer")
        if not -(1 << 63) <= value < 1 << 63:
            raise MethodError(method, f"found {shown(value)}, expected an integer below 2^63")
    return np.array(values, np.int64)


def expand(form: TupleForm, rows: Rows) -> tuple[Rows, NDArray[np.int32]]:
    """Children of every row, in row order, and the index of each one's parent."""
    families = [family(form, node) for node in to_nodes(form, rows)]
    return to_rows(form, [child for each in families for child in each]), parents_of(families)


def parents_of(families: Sequence[Sequence[Node]]) -> NDArray[np.int32]:
    """The index of its family for each member."""
    return np.repeat(np.arange(len(families), dtype=np.int32), [len(each) for each in families])


def probe(form: TupleForm) -> None:
    """Look closely at the first nodes, so that what cannot work is told at once and not after an hour.

    Raises:
        MethodError: if a method gives what it must not.
    """
    began = time.perf_counter()
    stack = [form.root()]
    to_rows(form, stack, "root")
    for looked in range(PROBED):
        if not stack or (looked and time.perf_counter() - began > PROBE_SECONDS):
            return
        node = stack.pop()
        measured(form, node)
        children = family(form, node)
        to_rows(form, children)
        stack += children[::-1]


def walk(
    form: TupleForm, rows: Rows, budget: int | None, stop: Stop, *, simple: bool
) -> tuple[tuple[int, ...], int, list[Node]]:
    """Walk the subtrees of some rows depth first with an explicit stack.

    Args:
        form: the problem.
        rows: shape ``(n, row_words(form))``.
        budget: nodes after which the rest is handed back, or when `MOST_WAITING` more nodes wait than at the
            beginning; None for no limit.
        stop: polled at every node.
        simple: whether solutions are all that is counted.

    Returns:
        The counts, the nodes visited, and the nodes that the budget left, in the order of the walk.

    Raises:
        StoppedError: if `stop` was raised.
        MethodError: if a method gives what it must not.
    """
    is_solution, measure, children = form.is_solution, form.measure_node, form.children
    folds = [max if name in form.maxima else operator.add for name in form.tallies]
    counts, nodes, limit = [0] * len(folds), 0, -1 if budget is None else budget
    stack = to_nodes(form, rows)[::-1]
    most = sys.maxsize if budget is None else len(stack) + MOST_WAITING
    node: Node = ()
    try:
        # The inner loop: the usual case is taken in line, whatever is odd is left to functions.
        while 0 < len(stack) <= most and nodes != limit:
            if stop[0]:
                raise StoppedError("stopped")
            node = stack.pop()
            nodes += 1
            if simple:
                verdict = is_solution(node)
                if verdict is True or (verdict is not False and is_solved(form, node)):
                    counts[0] += 1
            else:
                values = measure(node)
                if values.__class__ is not tuple or len(values) != len(counts):
                    values = measured(form, node)
                for index, value in enumerate(values):
                    if value:
                        if value.__class__ is not int and value.__class__ is not bool:
                            value = _whole(value)
                        counts[index] = folds[index](counts[index], value)
            found = children(node)
            if not isinstance(found, list):
                found = list(islice(found, MOST_CHILDREN))
                if len(found) == MOST_CHILDREN:
                    family(form, node)
            stack += found[::-1]
    except TypeError:
        family(form, node)  # says what was wrong, unless it is in the person's own code
        raise
    return tuple(map(int, counts)), nodes, stack[::-1]
