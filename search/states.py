"""States as tuples of small integers, all of one length: the form in which a person writes a first graph.

Integer i of a state is field i of its row as it is (see `frontrow.search.rows.pack`): kernels can read it.
"""

from collections.abc import Iterable, Sequence
from typing import ClassVar, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from frontrow.search import tuples
from frontrow.search.errors import MethodError
from frontrow.search.parameter import shown
from frontrow.search.rows import Rows, pack, unpack, words_for

State: TypeAlias = tuple[int, ...]


class StateForm(Protocol):
    """What a graph on tuples states; see `frontrow.search.graph.StateGraph`."""

    bits: ClassVar[int]
    """Bits that the largest integer of a state needs."""

    @property
    def length(self) -> int:
        """Integers of every state."""
        ...

    def neighbours(self, state: State) -> Iterable[State]:
        """The states that a move leads to."""
        ...


def length_of(root: object) -> int:
    """Integers of a state, as the first one has them.

    Raises:
        MethodError: if it is no tuple, or an empty one.
    """
    if not isinstance(root, tuple) or not 0 < len(root) <= tuples.MOST_SIZE["cells"]:
        raise MethodError("root", f"found {shown(root)}, expected a tuple of one integer or more")
    return len(root)


def row_words(form: StateForm) -> int:
    """64-bit words a row.

    Raises:
        MethodError: if `bits` is no sensible number, or `root` no state.
    """
    return words_for(form.length, tuples.check_size("bits", form.bits, low=1))


def to_rows(form: StateForm, states: Sequence[State], method: str) -> Rows:
    """Pack states into rows of shape ``(len(states), row_words(form))``.

    Args:
        form: the problem.
        states: tuples of as many integers as `root` has, of `bits` bits each.
        method: the method that gave the states, for the message.

    Raises:
        MethodError: if a state is anything else.
    """
    length, bits = form.length, tuples.check_size("bits", form.bits, low=1)
    if all(isinstance(state, tuple) and len(state) == length for state in states):
        flat = tuples.integers_of([value for state in states for value in state], bits)
        if flat is not None:
            return pack(flat.reshape(len(states), length), bits)
    bad = next(state for state in states if not _fits(state, length, bits))
    raise MethodError(
        method,
        f"found the state {shown(bad)}, expected a tuple of as many integers as root() has ({length}),"
        f" each from 0 to {2**bits - 1} (bits = {bits})",
    )


def _fits(state: object, length: int, bits: int) -> bool:
    return (
        isinstance(state, tuple)
        and len(state) == length
        and tuples.integers_of(list(state), bits) is not None
    )


def to_states(form: StateForm, rows: Rows) -> list[State]:
    """Undo `to_rows`."""
    return list(map(tuple, unpack(rows, form.length, form.bits).tolist()))


def verdict(answer: object) -> bool:
    """What `is_goal` says of a state: a truth value, or a number that stands for one.

    Raises:
        MethodError: for anything else: a text that says no would count as yes.
    """
    if answer.__class__ is not bool and not isinstance(answer, int | float | np.bool_ | np.number):
        raise MethodError("is_goal", f"found {shown(answer)}, expected True or False")
    return bool(answer)


def expand(form: StateForm, rows: Rows) -> tuple[Rows, NDArray[np.int32]]:
    """What the moves from every row lead to, in row order, and the index of each one's parent."""
    families = [tuples.unfolded(form.neighbours, state) for state in to_states(form, rows)]
    found = [state for each in families for state in each]
    return to_rows(form, found, "neighbours"), tuples.parents_of(families)
