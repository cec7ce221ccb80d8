import math

import numpy as np
import pytest

from frontrow.search.errors import StoppedError
from frontrow.search.patterns import places
from frontrow.search.patterns.build import UNKNOWN, build, states
from frontrow.search.patterns.pattern import CELLS, PLACES, Pattern
from frontrow.search.rows import new_stop
from frontrow.search.sliding.board import Shape
from tests.search.patterns_support import placements, plain_table

PATTERNS = [
    pytest.param(Shape(2, 2), (0, 1), 3, id="2x2"),
    pytest.param(Shape(2, 3), (0, 2, 3), 5, id="2x3"),
    pytest.param(Shape(3, 2), (1, 4), 0, id="3x2"),
    pytest.param(Shape(2, 3), (0, 1, 2, 3, 4), 5, id="2x3-whole"),
    pytest.param(Shape(2, 4), (1, 5), 0, id="2x4-two-regions"),
    pytest.param(Shape(2, 4), (1, 5), 3, id="2x4-the-other-region"),
    pytest.param(Shape(3, 3), (1, 3, 6), 0, id="3x3-corner", marks=pytest.mark.jit),
    pytest.param(Shape(3, 3), (0, 2, 5, 7), 4, id="3x3-middle", marks=pytest.mark.jit),
    pytest.param(Shape(5, 2), (0, 3, 4, 8), 9, id="5x2", marks=pytest.mark.jit),
]


def built(pattern, layout, threads=1):
    table = np.full(pattern.entries(layout), 99, np.uint8)
    build(pattern, layout, table, threads=threads, stop=new_stop())
    return table


@pytest.mark.parametrize("layout", [CELLS, PLACES])
@pytest.mark.parametrize(("shape", "cells", "blank"), PATTERNS)
def test_tables_are_those_of_a_plain_search(shape, cells, blank, layout):
    expected = plain_table(shape, cells, blank)
    table = built(Pattern.of(shape, cells, blank), layout)
    for placed in placements(shape.cells, len(cells)):
        if layout == CELLS:
            index = sum(shape.cells**number * cell for number, cell in enumerate(placed))
        else:
            held = np.zeros((1, shape.cells), np.int64)
            held[0, list(placed)] = np.arange(1, len(cells) + 1)
            index = int(places.indices(places.pack(held, len(cells)), len(cells), shape.cells)[0])
        assert table[index] == expected.get(placed, UNKNOWN), placed


def test_where_the_blank_ends_matters_if_it_cannot_get_everywhere():
    shape = Shape(2, 4)
    left, right = (built(Pattern.of(shape, (1, 5), blank), CELLS) for blank in (0, 3))
    assert not np.array_equal(left, right)
    assert Pattern.of(shape, (1, 5), 2) == Pattern.of(shape, (1, 5), 7)


@pytest.mark.jit
@pytest.mark.parametrize("threads", [2, 3, 7])
@pytest.mark.parametrize("layout", [CELLS, PLACES])
def test_any_number_of_threads_makes_the_same_table(layout, threads):
    pattern = Pattern.of(Shape(4, 4), (1, 2, 4, 5, 8, 9), 0)
    assert states(pattern) > 1 << 20  # so that threads share it
    np.testing.assert_array_equal(built(pattern, layout, threads), built(pattern, layout))


def test_progress_adds_up_to_all_states_that_are_reached():
    pattern, told = Pattern.of(Shape(2, 3), (0, 2, 3), 5), []
    table = np.zeros(pattern.entries(PLACES), np.uint8)
    build(pattern, PLACES, table, threads=1, stop=new_stop(), progress=told.append)
    assert sum(told) == states(pattern)
    assert told[0] == 1


def test_a_stop_ends_the_building():
    stop = new_stop()
    pattern = Pattern.of(Shape(2, 3), (0, 2, 3), 5)

    def raise_it(reached):
        stop[0] = 1

    table = np.zeros(pattern.entries(CELLS), np.uint8)
    with pytest.raises(StoppedError):
        build(pattern, CELLS, table, threads=1, stop=stop, progress=raise_it)


@pytest.mark.parametrize(("cells", "tiles"), [(4, 2), (9, 4), (12, 3), (16, 7), (16, 8)])
def test_sets_of_cells_are_numbered_without_gaps(cells, tiles):
    low, high = places.set_numbers(cells)
    half = np.uint64(cells // 2)
    sets = [word for word in range(1 << cells) if word.bit_count() == tiles]
    tried = range(0, len(sets), max(1, len(sets) // 200))
    assert [int(places.number_set(np.uint64(sets[index]), half, low, high)) for index in tried] == list(tried)


@pytest.mark.parametrize(("cells", "tiles"), [(4, 1), (4, 4), (6, 5), (8, 4), (9, 3)])
def test_every_placement_has_an_entry_of_its_own(cells, tiles):
    placed = np.array(list(placements(cells, tiles)))
    held = np.zeros((len(placed), cells), np.int64)
    np.put_along_axis(held, placed, np.arange(1, tiles + 1), axis=1)
    keys = places.pack(held, tiles)
    entries = places.indices(keys, tiles, cells)
    np.testing.assert_array_equal(np.sort(entries), np.arange(math.perm(cells, tiles)))
    half, (low, high), count = (
        np.uint64(cells // 2),
        places.set_numbers(cells),
        np.uint64(math.comb(cells, tiles)),
    )
    assert [int(places.index_key(key, count, half, low, high)) for key in keys[:50]] == entries[:50].tolist()


@pytest.mark.parametrize("tiles", [1, 2, 3, 5])
def test_the_number_of_an_order_is_that_of_its_sequence(tiles):
    orders = places.sequences(tiles).astype(np.int64)
    np.testing.assert_array_equal(places.pack(orders + 1, tiles) >> np.uint64(40), np.arange(len(orders)))
    assert orders[0].tolist() == list(range(tiles))


@pytest.mark.parametrize("tiles", [1, 2, 3, 5])
def test_a_tile_that_passes_the_next_adds_what_both_say(tiles):
    orders, turns, changes = places.sequences(tiles), places.turns(tiles), places.changes(tiles)
    assert not changes.diagonal().any()
    for before in range(tiles - 1):
        for number, order in enumerate(orders):
            tile, other = order[before : before + 2]
            assert turns[before, before + 1, number] == number + changes[tile, other]
            assert changes[other, tile] == -changes[tile, other]


@pytest.mark.parametrize("tiles", [1, 2, 3, 5])
def test_turns_move_one_tile_past_others(tiles):
    orders, turns = places.sequences(tiles).tolist(), places.turns(tiles)
    for before in range(tiles):
        for after in range(tiles):
            for number, order in enumerate(orders):
                moved = order[:before] + order[before + 1 :]
                moved.insert(after, order[before])
                assert orders[turns[before, after, number]] == moved
