"""Groups on rows: what kernels make of rows is what the definition says."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontrow.search.errors import MethodError
from frontrow.search.rows import pack, words_for
from frontrow.search.symmetry import Group

SQUARE = ("identity", "1", "2", "3", "4", "5", "6", "7")


def square_places(side):
    """Where the eight symmetries of a square take its cells, the identity first."""
    numbers = np.arange(side * side).reshape(side, side)
    return np.array([np.rot90(board, turn).ravel() for board in (numbers, numbers.T) for turn in range(4)])


def moved(values, places, changed=None):
    """The definition: what is in field i goes to ``places[i]``, changed."""
    image = np.empty_like(values)
    image[:, places] = values if changed is None else changed[np.arange(values.shape[1]), values]
    return image


def orbit_of(group, row):
    """All images of a row, each once, as tuples."""
    return {tuple(image) for image in group.images(row[None])[:, 0].tolist()}


@st.composite
def boards(draw):
    """A square board's size, and rows on it: one word or several, with fields that fill bytes or do not."""
    side, bits = draw(st.sampled_from([(2, 1), (3, 3), (4, 4), (4, 5), (5, 6), (5, 1), (9, 1), (3, 11)]))
    values = draw(
        st.lists(
            st.lists(st.integers(0, 2**bits - 1), min_size=side**2, max_size=side**2), min_size=1, max_size=3
        )
    )
    return side, bits, np.array(values)


@settings(max_examples=40, deadline=None)
@given(boards())
def test_images_are_what_moving_fields_makes(board):
    side, bits, values = board
    places = square_places(side)
    images = Group.of_fields(SQUARE, side**2, bits, places).images(pack(values, bits))
    for element in range(8):
        np.testing.assert_array_equal(images[element], pack(moved(values, places[element]), bits))


@settings(max_examples=40, deadline=None)
@given(boards())
def test_the_canonical_row_is_the_least_image_and_orbits_are_numbers_of_images(board):
    side, bits, values = board
    group, rows = Group.of_fields(SQUARE, side**2, bits, square_places(side)), pack(values, bits)
    orbits = [orbit_of(group, row) for row in rows]
    assert [tuple(row) for row in group.canonical(rows).tolist()] == [min(orbit) for orbit in orbits]
    assert group.orbits(rows).tolist() == [len(orbit) for orbit in orbits]


@settings(max_examples=20, deadline=None)
@given(boards())
def test_all_rows_of_an_orbit_have_one_canonical_row_which_is_its_own(board):
    side, bits, values = board
    group, rows = Group.of_fields(SQUARE, side**2, bits, square_places(side)), pack(values, bits)
    canonical = group.canonical(rows)
    np.testing.assert_array_equal(group.canonical(canonical), canonical)
    for image in group.images(rows):
        np.testing.assert_array_equal(group.canonical(image), canonical)
        np.testing.assert_array_equal(group.orbits(image), group.orbits(rows))
    assert (8 % group.orbits(rows) == 0).all()


def test_values_change_where_the_group_says_so():
    # A turn of three fields by which every value grows by one modulo 4, but field 2 keeps its own.
    places = np.array([(np.arange(3) + turn) % 3 for turn in range(3)])
    values = np.arange(4)[None, None, :] + np.arange(3)[:, None, None] * np.array([1, 1, 0])[None, :, None]
    images = Group.of_fields("abc", 3, 2, places, values % 4).images(pack([[3, 1, 2]], 2))
    assert images[:, 0, 0].tolist() == pack([[3, 1, 2], [2, 0, 2], [3, 2, 1]], 2)[:, 0].tolist()


@pytest.mark.parametrize("order", [2, 3, 5, 6])
@pytest.mark.parametrize("cells", [6, 66])
def test_groups_of_any_order_fill_lanes_without_counting_them(order, cells):
    places = np.tile(np.arange(cells), (order, 1))
    places[:, :order] = [np.roll(np.arange(order), turn) for turn in range(order)]
    group = Group.of_fields([str(turn) for turn in range(order)], cells, 1, places)
    values = np.zeros((3, cells), np.int64)
    values[1, 1] = values[2] = 1
    rows = pack(values, 1)
    assert group.orbits(rows).tolist() == [1, order, 1]
    assert group.canonical(rows)[:, 0].tolist() == [0, 1, rows[2, 0]]


def test_tables_by_bytes_need_no_chunks():
    # Exchanging the two words of a row.
    tables = np.zeros((2, 16, 256, 2), np.uint64)
    for byte in range(16):
        content = np.arange(256, dtype=np.uint64) << np.uint64(byte % 8 * 8)
        tables[0, byte, :, byte // 8] = content
        tables[1, byte, :, 1 - byte // 8] = content
    group = Group(("identity", "exchange"), 2, tables)
    rows = np.array([[7, 5], [5, 7], [2**64 - 1, 2**64 - 1]], np.uint64)
    assert group.canonical(rows).tolist() == [[5, 7], [5, 7], [2**64 - 1, 2**64 - 1]]
    assert group.orbits(rows).tolist() == [2, 2, 1]


def test_the_trivial_group_gives_the_rows_themselves():
    rows = pack([[1, 2], [3, 4]], 5)
    for group in (Group.trivial(1), Group.of_fields(["identity"], 2, 5, [[0, 1]])):
        assert group.order == 1
        assert group.canonical(rows) is rows
        assert group.orbits(rows).tolist() == [1, 1]
        assert group.images(rows).tolist() == [rows.tolist()]


def test_no_rows_have_no_images():
    group, none = Group.of_fields(SQUARE, 81, 1, square_places(9)), np.empty((0, words_for(81, 1)), np.uint64)
    assert group.canonical(none).shape == (0, 2)
    assert group.orbits(none).shape == (0,)
    assert group.images(none).shape == (8, 0, 2)


def test_rows_that_do_not_lie_side_by_side_are_taken_as_well():
    group, rows = Group.of_fields(SQUARE, 9, 1, square_places(3)), pack(np.eye(9, dtype=np.int64), 1)
    assert group.canonical(rows[::2]).tolist() == group.canonical(rows)[::2].tolist()
    assert group.orbits(rows[::2]).tolist() == [4, 4, 1, 4, 4]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((["a", "b"], 2, 1, [[1, 0], [0, 1]]), "found another first element .*, expected the identity first"),
        ((["a", "b"], 2, 1, [[0, 1], [1, 1]]), "found places that are used twice"),
        ((["a", "b"], 2, 1, [[0, 1]]), r"found places of shape \(1, 2\), expected \(2, 2\)"),
        ((["a", "b"], 2, 12, [[0, 1], [1, 0]]), "found fields of 12 bits, expected 1 to 11"),
        ((["a", "b"], 2, 1, [[0, 1], [1, 0]], [0, 2]), "found values from 0 to 2, expected 0 to 1"),
        ((["a", "b"], 2, 1, [[0, 1], [1, 0]], [1, 0]), "expected the identity first"),
    ],
)
def test_fields_that_make_no_group_are_refused(arguments, complaint):
    with pytest.raises(MethodError, match=complaint):
        Group.of_fields(*arguments)


@pytest.mark.parametrize(
    ("tables", "chunks", "complaint"),
    [
        (None, None, "found 2 elements without tables"),
        (np.zeros((2, 7, 256, 1), np.uint64), None, r"expected uint64 of shape \(2, 8, 256, 1\)"),
        (np.zeros((2, 1, 2, 1)), [(0, 0, 1)], "found tables of float64"),
        (np.zeros((2, 1, 2, 1), np.uint64), [(0, 0, 1)], "expected the identity first"),
        (np.zeros((2, 1, 2, 1), np.uint64), [(1, 0, 1)], "found a chunk of 1 bits at bit 0 of word 1"),
        (np.zeros((2, 1, 4, 1), np.uint64), [(0, 63, 2)], "found a chunk of 2 bits at bit 63"),
        (np.zeros((2, 2, 4, 1), np.uint64), [(0, 0, 2), (0, 1, 2)], "in two chunks"),
        (np.zeros((2, 1, 2, 1), np.uint64), [], "found chunks of shape"),
    ],
)
def test_tables_that_do_not_fit_are_refused(tables, chunks, complaint):
    with pytest.raises(MethodError, match=complaint):
        Group(("identity", "other"), 1, tables, None if chunks is None else np.array(chunks, np.int64))
