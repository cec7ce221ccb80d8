"""Ranks of boards of one word: a bijection with the boards of the start's parity.

The rank of a board is ``cells * group + place``. The place is the blank's; the group is the rank of the
order of the other tiles, row by row: its Lehmer code (Laisant 1888) without the last two digits, which
parity settles. So the boards of a group differ by moves along rows alone. On a board of one row or column
there is one group.
"""

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frontrow.search.kernel import kernel
from frontrow.search.rows import Rows
from frontrow.search.sliding import layout, moves
from frontrow.search.sliding.board import Shape

MOST = 12
"""Cells of the largest board with ranks: 239,500,800 of them; the next has 43,589,145,600."""

_LABELS = np.uint64(0xFEDCBA9876543210)
_UNITS = np.uint64(0x1111111111111111)
_NIBBLE, _ONE, _TWO, _FOUR = np.uint64(15), np.uint64(1), np.uint64(2), np.uint64(4)


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """What the kernels need to know of a shape and a parity.

    Attributes:
        cells: cells of the board.
        groups: orders of the tiles but for the last two.
        weights: of the digits, shape ``(cells - 3,)``.
        odds: the parity that the order of the tiles has where the blank is at each place, shape ``(cells,)``.
    """

    cells: int
    groups: int
    weights: NDArray[np.uint32]
    odds: NDArray[np.uint64]

    @property
    def states(self) -> int:
        """How many ranks there are."""
        return self.cells * self.groups


@functools.lru_cache(64)
def ranking(shape: Shape, parity: int) -> Ranking | None:
    """The ranks of a shape, at least two rows and two columns, whose boards have a parity.

    None for boards that are too large, or of one row or column.
    """
    cells = shape.cells
    if shape.is_line or cells > MOST:
        return None
    tiles = cells - 1
    weights = [math.factorial(tiles - 1 - digit) // 2 for digit in range(tiles - 2)]
    rows = np.arange(cells) // shape.columns
    odds = (parity + rows * (shape.columns - 1)) % 2
    return Ranking(cells, math.factorial(tiles) // 2, np.array(weights, np.uint32), odds.astype(np.uint64))


def rank(table: Ranking, rows: Rows) -> NDArray[np.int64]:
    """Ranks of rows, shape ``(n,)``."""
    ranks = np.empty(rows.shape[0], np.int64)
    rank_rows(rows, table.cells, moves.padding(table.cells), table.weights, ranks)
    return ranks


def unrank(table: Ranking, ranks: NDArray[np.int64]) -> Rows:
    """Undo `rank`; shape ``(n, 1)``."""
    rows = np.empty((ranks.shape[0], 1), np.uint64)
    unrank_ranks(ranks, table.cells, table.weights, table.odds, rows)
    return rows


@functools.lru_cache(8)
def line_rows(order: tuple[int, ...]) -> Rows:
    """All boards of one row or column, by the blank's place; shape ``(cells, words)``.

    Args:
        order: the tiles in their order.
    """
    boards = [(*order[:place], 0, *order[place:]) for place in range(len(order) + 1)]
    rows = layout.to_rows(np.array(boards, np.int64))
    rows.setflags(write=False)
    return rows


def rank_line(rows: Rows, cells: int) -> NDArray[np.int64]:
    """Ranks of rows of a board of one row or column: where the blank is."""
    places: NDArray[np.int64] = (layout.to_cells(rows, cells) == 0).argmax(axis=1)
    return places


@kernel
def rank_rows(rows: Any, cells: Any, pad: Any, weights: Any, ranks: Any) -> None:
    """Rank rows.

    A word holds for each tile, four bits each, how many smaller ones are left: so a digit is one look-up, and
    taking a tile away one subtraction. No nibble borrows: one is taken from those alone that count the tile.

    Args:
        rows: shape ``(n, 1)``.
        cells: cells of the board, 4 to 16.
        pad: ones in the nibbles that are no cells.
        weights: of the digits.
        ranks: written, shape ``(n,)``, ``int64``: exact up to 16 cells.
    """
    for index in range(rows.shape[0]):
        place = moves.find_blank(rows[index, 0] | pad)
        before = (_ONE << (place << _TWO)) - _ONE
        # The tiles alone: those behind the blank move up by one.
        tiles = rows[index, 0] & before | rows[index, 0] >> _FOUR & ~before
        smaller = _LABELS
        group = np.int64(0)
        for digit in range(weights.shape[0]):
            shift = (tiles >> np.uint64(4 * digit) & _NIBBLE) << _TWO
            # Tiles count from 1, so that a tile's own shift is that of the next nibble.
            group += np.int64(smaller >> (shift - _FOUR) & _NIBBLE) * np.int64(weights[digit])
            smaller -= _UNITS << shift
        ranks[index] = group * cells + np.int64(place)


@kernel
def unrank_ranks(ranks: Any, cells: Any, weights: Any, odds: Any, rows: Any) -> None:
    """Undo `rank_rows`.

    Args:
        ranks: shape ``(n,)``; groups have to fit 32 bits, whose divisions take half as long.
        cells: cells of the board, 4 to 13.
        weights: of the digits, ``uint32``.
        odds: the parity that the order of the tiles has to have, by the blank's place; ``uint64``.
        rows: written, shape ``(n, 1)``.
    """
    width = np.uint64(cells)
    for index in range(ranks.shape[0]):
        left_over = np.uint32(np.uint64(ranks[index]) // width)
        place = np.uint64(ranks[index]) - np.uint64(left_over) * width
        free = _LABELS >> _FOUR  # the tiles that are left, the least one lowest
        odd = odds[place]
        tiles = np.uint64(0)
        end = np.uint64(0)
        for digit in range(weights.shape[0]):
            chosen = np.uint32(left_over // weights[digit])
            left_over = np.uint32(left_over - np.uint32(chosen * weights[digit]))
            odd ^= np.uint64(chosen)
            shift = np.uint64(chosen) << _TWO
            tiles |= (free >> shift & _NIBBLE) << end
            end += _FOUR
            below = (_ONE << shift) - _ONE
            free = free & below | free >> _FOUR & ~below
        one, other = free & _NIBBLE, free >> _FOUR & _NIBBLE
        swapped = (one ^ other) * (odd & _ONE)
        tiles |= (one ^ swapped) << end | (other ^ swapped) << end + _FOUR
        before = (_ONE << (place << _TWO)) - _ONE
        rows[index, 0] = tiles & before | (tiles & ~before) << _FOUR
