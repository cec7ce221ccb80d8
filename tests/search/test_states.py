"""States as tuples of small integers, all of one length."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontrow import StateGraph
from frontrow.search import states
from frontrow.search.errors import MethodError
from frontrow.search.rows import pack


class Ring(StateGraph):
    """`size` places that hold numbers; a move turns the ring one place to the left or to the right."""

    size: int
    width: int = 3

    @property
    def bits(self):
        return self.width

    def root(self):
        return tuple(place % 2**self.width for place in range(self.size))

    def neighbours(self, state):
        return [(*state[1:], state[0]), (state[-1], *state[:-1])]


@given(st.integers(1, 70), st.integers(1, 63), st.data())
def test_states_of_any_size_round_trip_through_rows_that_kernels_can_read(size, width, data):
    form = Ring(size=size, width=width)
    integers = st.lists(st.integers(0, 2**width - 1), min_size=size, max_size=size).map(tuple)
    found = data.draw(st.lists(integers, max_size=4))
    rows = states.to_rows(form, found, "neighbours")
    assert rows.shape == (len(found), form.words) == (len(found), -(-size // (64 // width)))
    assert states.to_states(form, rows) == found
    assert np.array_equal(rows, pack(np.array(found, np.uint64).reshape(-1, size), width))


@pytest.mark.parametrize(
    "state", [(8, 0, 0), (-1, 0, 0), (0, 0), (0, 0, 0, 0), [0, 0, 0], (0, 0, 1.0), (0, 0, "1"), None, 7]
)
def test_a_state_that_does_not_fit_is_refused(state):
    with pytest.raises(MethodError) as caught:
        states.to_rows(Ring(size=3), [(0, 1, 2), state], "neighbours")
    assert str(caught.value) == (
        f"neighbours: found the state {state!r}, expected a tuple of as many integers as root() has (3),"
        " each from 0 to 7 (bits = 3)"
    )


def test_integers_of_numpy_of_several_types_are_integers():
    mixed = (np.uint64(7), np.int8(2), True)
    assert states.to_states(Ring(size=3), states.to_rows(Ring(size=3), [mixed], "root")) == [(7, 2, 1)]


def test_expansion_gives_neighbours_in_order_with_their_parents():
    form = Ring(size=3)
    children, parents = states.expand(form, states.to_rows(form, [(0, 1, 2), (5, 5, 6)], "root"))
    assert states.to_states(form, children) == [(1, 2, 0), (2, 0, 1), (5, 6, 5), (6, 5, 5)]
    assert parents.tolist() == [0, 0, 1, 1]
    assert parents.dtype == np.int32
    assert states.expand(form, np.empty((0, 1), np.uint64))[0].shape == (0, 1)
