"""The moves of a board, and the kernels that make all children of rows."""

import functools
import itertools
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from frontrow.search.kernel import inlined, kernel
from frontrow.search.rows import Origins, Rows
from frontrow.search.sliding import layout
from frontrow.search.sliding.board import Shape

_DIRECTIONS = (("U", -1, 0), ("D", 1, 0), ("L", 0, -1), ("R", 0, 1))
"""Names of the ways the blank moves, in the order of children, and what they add to its row and column."""
_BACK = (1, 0, 3, 2)
"""The way back of each."""

_NIBBLE = np.uint64(15)
_LOWEST = np.uint64(0x1111111111111111)
_ONE, _TWO, _FOUR = np.uint64(1), np.uint64(2), np.uint64(4)
_PLACE = np.uint64(layout.PLACE_SHIFT)


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """Where the blank can go from each place.

    Attributes:
        degree: most moves from a place.
        counts: moves from each place, shape ``(cells,)``.
        targets: their places, shape ``(cells, degree)``.
        goes_on: whether a move goes on from where the move before it came to, one tile further in its
            direction; shape ``(cells, degree)``.
        origins: what a board that a move leads to remembers of it, from 1 on: the direction or, if tiles
            slide, the line; shape ``(cells, degree)``.
        leads_back: the origin of boards that a move leads back from; the same shape.
    """

    degree: int
    counts: NDArray[np.int64]
    targets: NDArray[np.int64]
    goes_on: NDArray[np.bool_]
    origins: NDArray[np.uint8]
    leads_back: NDArray[np.uint8]


class Onward(NamedTuple):
    """Moves by origin and place, those that lead back left out; of origin 0 all.

    Attributes:
        counts: shape ``(origins, cells)``.
        shifts: four times their places, shape ``(origins, cells, degree)``, ``uint64``.
        goes_on: as in `Moves`; none of a line is left out without all of it.
        origins: as in `Moves`.
    """

    counts: NDArray[np.int64]
    shifts: NDArray[np.uint64]
    goes_on: NDArray[np.bool_]
    origins: NDArray[np.uint8]


@functools.lru_cache(64)
def moves(shape: Shape, slides: bool) -> Moves:
    """The moves on boards of a shape: one tile each or, if it slides, all the tiles up to a place."""
    reached: list[list[tuple[int, bool, int, int]]] = []
    for place in range(shape.cells):
        reached.append([])
        for way, (_, down, right) in enumerate(_DIRECTIONS):
            # One slide more along the same line comes to where one slide less could have come to.
            origin, back = (way // 2, way // 2) if slides else (way, _BACK[way])
            row, column = divmod(place, shape.columns)
            for step in range(max(shape.rows, shape.columns) - 1 if slides else 1):
                row, column = row + down, column + right
                if 0 <= row < shape.rows and 0 <= column < shape.columns:
                    reached[-1].append((row * shape.columns + column, step > 0, origin, back))
    degree = max(map(len, reached))
    size = shape.cells, degree
    targets, goes_on = np.zeros(size, np.int64), np.zeros(size, np.bool_)
    made, leads_back = np.zeros(size, np.uint8), np.zeros(size, np.uint8)
    for place, found in enumerate(reached):
        for index, (target, further, origin, back) in enumerate(found):
            targets[place, index], goes_on[place, index] = target, further
            made[place, index], leads_back[place, index] = origin + 1, back + 1
    counts = np.array([len(found) for found in reached], np.int64)
    for array in (counts, targets, goes_on, made, leads_back):
        array.setflags(write=False)
    return Moves(degree, counts, targets, goes_on, made, leads_back)


def name_move(shape: Shape, before: int, after: int) -> str:
    """What a move of the blank between two places is called: ``U``, or ``U2`` over two cells."""
    down = after // shape.columns - before // shape.columns
    right = after % shape.columns - before % shape.columns
    distance = abs(down) + abs(right)
    for name, *way in _DIRECTIONS:
        if [distance * part for part in way] == [down, right]:
            return name if distance == 1 else f"{name}{distance}"
    raise ValueError(f"places: found {before} and {after}, expected two of one row or column")


def expand(shape: Shape, slides: bool, rows: Rows) -> tuple[Rows, NDArray[np.int32]]:
    """Children of every row, shape ``(k, words)``, and the index of each one's parent."""
    counts, targets, goes_on = _tables(shape, slides)
    most = rows.shape[0] * goes_on.shape[1]
    children, parents = np.empty((most, rows.shape[1]), np.uint64), np.empty(most, np.int32)
    if shape.cells <= layout.WORD_CELLS:
        count = expand_word(rows, padding(shape.cells), counts, targets, goes_on, children, parents)
    else:
        bits = np.uint64(layout.field_bits(shape.cells))
        count = expand_words(rows, bits, counts, targets, goes_on, children, parents)
    return children[:count], parents[:count]


def expand_onward(shape: Shape, slides: bool, rows: Rows, origins: Origins) -> tuple[Rows, Origins, int]:
    """Children of rows of one word but for those that are known by how each row was reached.

    Returns:
        Them, shape ``(k, 1)``, their origins, and how many were left out.
    """
    most = rows.shape[0] * moves(shape, slides).degree
    children, made = np.empty((most, 1), np.uint64), np.empty((most, 1), np.uint8)
    onward = _onward(shape, slides)
    count, left_out = expand_word_onward(rows, origins, padding(shape.cells), onward, children, made)
    return children[:count], made[:count], left_out


@functools.lru_cache(64)
def _tables(shape: Shape, slides: bool) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.bool_]]:
    """The moves as kernels take them: places, or four times that, which is how far a nibble is shifted."""
    table = moves(shape, slides)
    scale = 4 if shape.cells <= layout.WORD_CELLS else 1
    return table.counts, table.targets.astype(np.uint64) * np.uint64(scale), table.goes_on


@functools.lru_cache(64)
def _onward(shape: Shape, slides: bool) -> Onward:
    """The moves from each place that do not lead back, by origin."""
    table = moves(shape, slides)
    counts, shifts, goes_on = _tables(shape, slides)
    number = int(table.origins.max(initial=0)) + 1
    onward = Onward(
        np.zeros((number, *counts.shape), counts.dtype),
        np.zeros((number, *shifts.shape), shifts.dtype),
        np.zeros((number, *goes_on.shape), goes_on.dtype),
        np.zeros((number, *goes_on.shape), np.uint8),
    )
    for origin, place in itertools.product(range(number), range(shape.cells)):
        kept = np.flatnonzero(table.leads_back[place, : counts[place]] != origin)
        onward.counts[origin, place] = kept.size
        onward.shifts[origin, place, : kept.size] = shifts[place, kept]
        onward.goes_on[origin, place, : kept.size] = goes_on[place, kept]
        onward.origins[origin, place, : kept.size] = table.origins[place, kept]
    return onward


@functools.lru_cache(64)
def padding(cells: int) -> np.uint64:
    """Ones in the nibbles of a word that are no cells."""
    return np.uint64(2**64 - 2 ** (4 * cells))


@inlined
def find_blank(word: Any) -> Any:
    """The number of the one nibble that is zero."""
    filled = word | word >> _ONE
    bit = ~(filled | filled >> _TWO) & _LOWEST
    place = np.uint64(bit & np.uint64(0x1010101010101010) != 0)
    place |= np.uint64(bit & np.uint64(0x1100110011001100) != 0) << _ONE
    place |= np.uint64(bit & np.uint64(0x1111000011110000) != 0) << _TWO
    return place | np.uint64(bit & np.uint64(0x1111111100000000) != 0) << np.uint64(3)


@inlined
def _slide(board: Any, blank: Any, target: Any) -> Any:
    """Exchange the blank with a tile; both are given by how far their nibbles are shifted."""
    tile = board >> target & _NIBBLE
    return board ^ (tile << target | tile << blank), target


@kernel
def expand_word(
    rows: Any, pad: Any, counts: Any, shifts: Any, goes_on: Any, children: Any, parents: Any
) -> Any:
    """Make all children of rows of one word.

    Args:
        rows: shape ``(n, 1)``.
        pad: ones in the nibbles that are no cells.
        counts: moves from each place.
        shifts: four times their places, shape ``(cells, degree)``, ``uint64``.
        goes_on: whether a move starts from the child before it; same shape.
        children: written, shape ``(n * degree, 1)``.
        parents: written, shape ``(n * degree,)``, ``int32``.

    Returns:
        Number of children.
    """
    total = 0
    for index in range(rows.shape[0]):
        row = rows[index, 0]
        place = find_blank(row | pad)
        child, shift = row, place << _TWO
        for move in range(counts[place]):
            if not goes_on[place, move]:
                child, shift = row, place << _TWO
            child, shift = _slide(child, shift, shifts[place, move])
            children[total, 0] = child
            parents[total] = index
            total += 1
    return total


@kernel
def expand_word_onward(
    rows: Any, origins: Any, pad: Any, onward: Any, children: Any, child_origins: Any
) -> Any:
    """Make the children of rows of one word that are not known by how each row was reached.

    Args:
        rows: shape ``(n, 1)``.
        origins: how each was reached, shape ``(n, 1)``.
        pad: ones in the nibbles that are no cells.
        onward: an `Onward`.
        children: written, shape ``(n * degree, 1)``.
        child_origins: written, shape ``(n * degree, 1)``.

    Returns:
        Number of children, and of those left out.
    """
    counts, shifts, goes_on, made = onward
    total, there = 0, 0
    for index in range(rows.shape[0]):
        row, origin = rows[index, 0], np.uint64(origins[index, 0])
        place = find_blank(row | pad)
        child, shift = row, place << _TWO
        for move in range(counts[origin, place]):
            if not goes_on[origin, place, move]:
                child, shift = row, place << _TWO
            child, shift = _slide(child, shift, shifts[origin, place, move])
            children[total, 0] = child
            child_origins[total, 0] = made[origin, place, move]
            total += 1
        there += counts[0, place]
    return total, there - total


@kernel
def expand_words(
    rows: Any, bits: Any, counts: Any, targets: Any, goes_on: Any, children: Any, parents: Any
) -> Any:
    """Make all children of rows of several words.

    Args:
        rows: shape ``(n, words)``.
        bits: bits of a field.
        counts: moves from each place.
        targets: their places, shape ``(cells, degree)``, ``uint64``.
        goes_on: whether a move starts from the child before it; same shape.
        children: written, shape ``(n * degree, words)``.
        parents: written, shape ``(n * degree,)``, ``int32``.

    Returns:
        Number of children.
    """
    last = np.uint64(counts.shape[0] - 1)
    fields = _PLACE // bits
    mask = (_ONE << bits) - _ONE
    below = (_ONE << _PLACE) - _ONE
    total = 0
    for index in range(rows.shape[0]):
        start = rows[index, 0] >> _PLACE | rows[index, 1] >> _PLACE << _FOUR
        for move in range(counts[start]):
            if goes_on[start, move]:
                for word in range(rows.shape[1]):
                    children[total, word] = children[total - 1, word]
                place = targets[start, move - 1]
            else:
                for word in range(rows.shape[1]):
                    children[total, word] = rows[index, word]
                place = start
            target = targets[start, move]
            if place != last and target != last:
                one, other = place // fields, target // fields
                one_shift, other_shift = place % fields * bits, target % fields * bits
                change = (children[total, one] >> one_shift ^ children[total, other] >> other_shift) & mask
                children[total, one] ^= change << one_shift
                children[total, other] ^= change << other_shift
            children[total, 0] = children[total, 0] & below | target << _PLACE
            children[total, 1] = children[total, 1] & below | target >> _FOUR << _PLACE
            parents[total] = index
            total += 1
    return total
