import re

import pytest

from frontrow.search.errors import UsageError
from frontrow.search.patterns.partition import Partition
from frontrow.search.patterns.pattern import CELLS, MOST_TILES, PLACES, layout_for
from frontrow.search.sliding.board import Shape, blank_first, blank_last, snail

SIZES = ((2, 2), (2, 3), (3, 2), (2, 9), (3, 3), (3, 4), (5, 3), (4, 4), (4, 5), (5, 5), (5, 6), (6, 6))
SHAPES = [Shape(*size) for size in SIZES]


def connected(shape, cells):
    found, todo = set(), [min(cells)]
    while todo:
        cell = todo.pop()
        if cell in cells and cell not in found:
            found.add(cell)
            todo += [cell - shape.columns, cell + shape.columns]
            column = cell % shape.columns
            todo += [cell - 1] * (column > 0) + [cell + 1] * (column < shape.columns - 1)
    return found == set(cells)


@pytest.mark.parametrize("make", [blank_first, blank_last, snail])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_defaults_are_connected_patterns_of_all_tiles(shape, make):
    goal = make(shape)
    partition = Partition.parse("pdb", shape, goal)
    assert sorted(tile for part in partition.parts for tile in part) == list(range(1, shape.cells))
    assert max(map(len, partition.parts)) <= 6
    assert layout_for(shape, tuple(map(len, partition.parts))) == CELLS
    for part in partition.parts[:-1]:
        assert connected(shape, {goal.index(tile) for tile in part})


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_partition_reads_back_what_it_says(shape):
    partition = Partition.parse("pdb", shape, snail(shape))
    assert Partition.parse(str(partition), shape, snail(shape)) == partition


def test_the_fifteen_puzzle_has_the_known_partitions():
    shape = Shape(4, 4)
    first = blank_first(shape)
    assert str(Partition.parse("pdb", shape, first)) == "pdb:1,2,4,5,8,9/3,6,7,10,11,15/12,13,14"
    assert str(Partition.parse("pdb:7-7-1", shape, first)) == "pdb:1,4,5,8,9,12,13/2,3,6,7,10,11,15/14"
    assert str(Partition.parse("pdb:7-8", shape, first)) == "pdb:2,3,6,7,10,11,14,15/1,4,5,8,9,12,13"
    # The last cell is where a half turn takes the first one.
    last = Partition.parse("pdb:6-6-3", shape, blank_last(shape))
    assert str(last) == "pdb:1,5,6,9,10,13/7,8,11,12,14,15/2,3,4"
    assert Partition.parse("pdb:3-6-6", shape, blank_last(shape)) == last


def test_layouts_follow_the_largest_pattern():
    assert layout_for(Shape(4, 4), (7, 7, 1)) == CELLS
    assert layout_for(Shape(4, 4), (7, 8)) == PLACES
    assert layout_for(Shape(5, 5), (6, 6, 6, 6)) == CELLS
    assert layout_for(Shape(4, 5), (7, 6, 6)) == PLACES


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pdb:", "expected pdb"),
        ("pdp", "expected pdb"),
        ("pdb:6-", "expected pdb"),
        ("pdb:a/b", "expected pdb"),
        ("pdb:4-3", "found patterns of 7 tiles in all, expected 8 of a 3x3 board"),
        ("pdb:0-8", "found a pattern of 0 tiles, expected 1 to 8"),
        ("pdb:1,2,3/4,5,6/7", "found no pattern with tile 8"),
        ("pdb:1,2,3/4,5,6/7,7,8", "found tile 7 in two patterns"),
        ("pdb:1,2,3/4,5,6/7,8,9", "found tile 9, expected 1 to 8"),
        ("pdb:0,1,2,3/4,5,6/7,8", "found tile 0, expected 1 to 8"),
    ],
)
def test_what_is_no_partition_is_refused(text, said):
    with pytest.raises(UsageError, match=re.escape(said)):
        Partition.parse(text, Shape(3, 3), blank_last(Shape(3, 3)))


def test_large_patterns_lines_and_large_boards_are_refused():
    shape = Shape(4, 4)
    with pytest.raises(UsageError, match=f"found a pattern of 9 tiles, expected 1 to {MOST_TILES}"):
        Partition.parse("pdb:9-6", shape, blank_last(shape))
    for shape in (Shape(1, 5), Shape(7, 7)):
        with pytest.raises(UsageError, match="two columns at least and 36 cells at most"):
            Partition.parse("pdb", shape, blank_last(shape))
