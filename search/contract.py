"""What the methods of a problem have to give back, checked where a person's own code hands something over."""

import operator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from frontrow.search.errors import MethodError
from frontrow.search.parameter import shown
from frontrow.search.problem import Countable, Problem, Slice
from frontrow.search.rows import Rows

if TYPE_CHECKING:
    from frontrow.search.tree import CountingTree

MOST_LOOKBACK = 2
"""Layers that `frontrow.search.tables.layers` looks back at most."""


def is_own(problem: Problem) -> bool:
    """Whether a problem is a person's own, so that what it gives has to be checked."""
    return not type(problem).__module__.startswith("frontrow.")


def check_words(words: Any) -> int:
    """The words of a row, as a problem says them.

    Raises:
        MethodError: if they are no sensible number.
    """
    if not isinstance(words, int) or isinstance(words, bool) or words < 1:
        raise MethodError("words", f"found {shown(words)}, expected an integer from 1")
    return words


def check_rows(problem: Problem, rows: Any, method: str) -> Rows:
    """Rows as a method of the problem gives them.

    Raises:
        MethodError: if they are no rows of the problem.
    """
    words = check_words(problem.words)
    if not isinstance(rows, np.ndarray) or rows.dtype != np.uint64 or rows.shape[1:] != (words,):
        raise MethodError(method, f"found {_looks(rows)}, expected uint64 of shape (k, {words})")
    return np.ascontiguousarray(rows)


def check_children(problem: Problem, rows: Rows, pair: Any) -> tuple[Rows, NDArray[np.int32]]:
    """What `expand` gives: children and the index of each one's parent.

    Raises:
        MethodError: if it gives anything else.
    """
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise MethodError("expand", f"found {_looks(pair)}, expected children and each one's parent")
    children, parents = check_rows(problem, pair[0], "expand"), pair[1]
    if not _is_whole(parents) or parents.shape != children.shape[:1]:
        wanted = f"integers of shape ({children.shape[0]},)"
        raise MethodError("expand", f"found the parents {_looks(parents)}, expected {wanted}")
    if parents.size and (
        parents[0] < 0 or parents[-1] >= rows.shape[0] or (parents[1:] < parents[:-1]).any()
    ):
        wanted = f"rising integers from 0 to {rows.shape[0] - 1}"
        raise MethodError("expand", f"found the parents {shown(parents.tolist())}, expected {wanted}")
    return children, parents.astype(np.int32, copy=False)


def check_mask(rows: Rows, mask: Any, method: str = "is_solution") -> NDArray[np.bool_]:
    """What `is_solution`, or a method like it, gives for rows, shape ``(n,)``.

    Raises:
        MethodError: if it gives anything else.
    """
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != rows.shape[:1]:
        raise MethodError(method, f"found {_looks(mask)}, expected bool of shape ({rows.shape[0]},)")
    return mask


def check_start(rows: Rows) -> None:
    """Refuse what `initial` of a graph gives if it is not one state.

    Raises:
        MethodError: if there are none or several.
    """
    if rows.shape[0] != 1:
        raise MethodError("initial", f"found {rows.shape[0]} rows, expected one: the start")


def check_alike(problem: Problem, rows: Rows, others: Any, method: str) -> Rows:
    """Rows that a method gives for other rows, one for each.

    Raises:
        MethodError: if it gives anything else.
    """
    found = check_rows(problem, others, method)
    if found.shape != rows.shape:
        raise MethodError(method, f"found {found.shape[0]} rows for {rows.shape[0]}, expected one for each")
    return found


def check_states(states: Any) -> int | None:
    """What `states` gives: how many ranks there are.

    Raises:
        MethodError: if it gives anything else.
    """
    if states is None:
        return None
    if isinstance(states, bool) or not isinstance(states, (int, np.integer)) or not 1 <= states < 1 << 63:
        raise MethodError("states", f"found {shown(states)}, expected an integer from 1 to 2^63 - 1, or None")
    return int(states)


def check_ranks(states: int | None, rows: Rows, ranks: Any) -> NDArray[np.int64]:
    """What `rank` gives for rows, shape ``(n,)``.

    Raises:
        MethodError: if it gives anything else.
    """
    if states is None:
        raise MethodError("states", "found None, expected the number of ranks beside rank")
    if not _is_whole(ranks) or ranks.shape != rows.shape[:1]:
        raise MethodError("rank", f"found {_looks(ranks)}, expected integers of shape ({rows.shape[0]},)")
    if ranks.size and (ranks.min() < 0 or int(ranks.max()) >= states):
        bad = ranks.min() if ranks.min() < 0 else ranks.max()
        raise MethodError("rank", f"found {bad}, expected ranks from 0 to {states - 1} (states() = {states})")
    whole: NDArray[np.int64] = ranks.astype(np.int64, copy=False)
    return whole


def check_lookback(lookback: Any) -> int | None:
    """How many layers back the children of a layer may be met, as a graph says it.

    Raises:
        MethodError: if it is no such number.
    """
    if lookback is None or (type(lookback) is int and 0 <= lookback <= MOST_LOOKBACK):
        return lookback
    wanted = "0 if no state is met in two layers, 2 if every move can be undone, or None"
    raise MethodError("lookback", f"found {shown(lookback)}, expected {wanted}")


def check_measures(problem: "CountingTree", rows: Rows, measures: Any) -> NDArray[Any]:
    """What `measure` gives, shape ``(n, len(tallies))``: 64-bit integers, or objects that are integers.

    Raises:
        MethodError: if it gives anything else.
    """
    shape = (rows.shape[0], len(problem.tallies))
    if not (_is_whole(measures) or _is_large(measures)) or measures.shape != shape:
        names = ", ".join(problem.tallies)
        raise MethodError(
            "measure", f"found {_looks(measures)}, expected integers of shape {shape}: {names} of each row"
        )
    if measures.dtype == np.uint64 and measures.size and measures.max() >> np.uint64(63):
        raise MethodError("measure", f"found {measures.max()}, expected integers below 2^63")
    if measures.dtype == object:
        return measures  # type: ignore[no-any-return]
    whole: NDArray[np.int64] = measures.astype(np.int64, copy=False)
    return whole


def check_costs(rows: Rows, costs: Any) -> NDArray[np.int64]:
    """What `cost` gives, shape ``(n,)``.

    Raises:
        MethodError: if it gives anything else.
    """
    if not _is_whole(costs) or costs.shape != rows.shape[:1]:
        raise MethodError("cost", f"found {_looks(costs)}, expected integers of shape ({rows.shape[0]},)")
    whole: NDArray[np.int64] = costs.astype(np.int64, copy=False)
    return whole


def check_slice(problem: Countable, part: Any, budget: int | None) -> Slice:
    """What `tally` gives.

    Raises:
        MethodError: if it gives anything else, or no step forward.
    """
    if not isinstance(part, Slice):
        raise MethodError("tally", f"found {_looks(part)}, expected a Slice")
    width = len(problem.tallies)
    try:
        given = tuple(part.counts)
    except TypeError as error:
        raise MethodError("tally", f"found {_looks(part.counts)}, expected {width} counts") from error
    names = problem.tallies if len(given) == width else range(len(given))
    counts = tuple(
        _count(value, f"count {place} ({name})" if name != place else f"count {place}")
        for place, (name, value) in enumerate(zip(names, given, strict=True))
    )
    nodes = _count(part.nodes, "nodes")
    if len(counts) != width or nodes < 0:
        raise MethodError(
            "tally",
            f"found the counts {counts} and {nodes} nodes, expected {width} counts and 0 nodes or more",
        )
    rest = check_rows(problem, part.rest, "tally")
    if rest.shape[0] and (budget is None or not nodes):
        wanted = "none without a budget" if budget is None else "at least one node to be visited"
        raise MethodError("tally", f"found {rest.shape[0]} rows left, expected {wanted}")
    return Slice(counts, nodes, rest)


def _count(value: object, what: str) -> int:
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError as error:
        raise MethodError("tally", f"found {_looks(value)} for {what}, expected an integer") from error


def check_values(values: Any) -> dict[str, int | None]:
    """What `summary` gives.

    Raises:
        MethodError: if it gives anything else.
    """
    try:
        return {str(name): None if value is None else operator.index(value) for name, value in values.items()}
    except (AttributeError, TypeError) as error:
        wanted = "a dict of names and integers (or None)"
        raise MethodError("summary", f"found {shown(values)}, expected {wanted}") from error


def _is_whole(array: Any) -> bool:
    return isinstance(array, np.ndarray) and array.dtype.kind in "iub"


def _is_large(array: Any) -> bool:
    """Whether an array holds Python's integers, which have any size."""
    return isinstance(array, np.ndarray) and array.dtype == object and all(type(n) is int for n in array.flat)


def _looks(value: object) -> str:
    """What something is, for a message."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} of shape {value.shape}"
    return f"the {type(value).__name__} {shown(value)}"
