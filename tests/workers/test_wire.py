"""What is written as bytes comes back the same, and foreign bytes are refused."""

import msgpack
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontrow.workers.wire import decode, encode

numbers = st.integers(-(2**200), 2**200)
records = st.recursive(
    st.none() | st.booleans() | numbers | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=10,
)


@given(records)
def test_records_round_trip(record):
    assert decode(encode(record)) == record


@pytest.mark.parametrize("edge", [2**63 - 1, 2**64 - 1, 2**64, -(2**63), -(2**63) - 1, 2**127, -(2**127)])
def test_integers_around_the_limits_of_a_word_round_trip(edge):
    assert decode(encode([edge, edge + 1, edge - 1])) == [edge, edge + 1, edge - 1]


@given(st.integers(0, 5), st.integers(1, 4), st.integers(0, 2**64 - 1))
def test_rows_round_trip_with_their_shape(count, words, value):
    rows = np.full((count, words), value, np.uint64)
    again = decode(encode({"rows": rows}))["rows"]
    assert again.dtype == np.uint64
    assert again.shape == rows.shape
    assert (again == rows).all()
    again[:] = 0  # a worker may write into its rows


def test_rows_are_little_endian_words_after_their_shape():
    rows = np.array([[1, 2**63]], np.uint64)
    assert encode(rows)[-19:] == b"\x92\x01\x02" + b"\x01" + bytes(7) + bytes(7) + b"\x80"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xc1",
        encode([1]) + b"\x00",
        encode(np.zeros((2, 2), np.uint64))[:-1],
        msgpack.packb(msgpack.ExtType(9, b"")),
        msgpack.packb(msgpack.ExtType(1, b"\x92\x02\x02" + bytes(8))),
        msgpack.packb(msgpack.ExtType(1, b"\x01")),
        b"\x81" + msgpack.packb(msgpack.ExtType(1, b"\x92\x00\x01")) + b"\x01",
    ],
)
def test_foreign_bytes_are_refused(data):
    with pytest.raises(ValueError, match="found"):
        decode(data)


def test_objects_that_are_no_records_are_refused():
    with pytest.raises(TypeError, match="expected rows, text"):
        encode(object())
