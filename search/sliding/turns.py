"""Symmetries of sliding boards: turns and reflections of the board, with the tiles named anew."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frontrow.search.rows import Rows
from frontrow.search.sliding import layout
from frontrow.search.sliding.board import Board, Shape
from frontrow.search.symmetry import Group

_VALUES = 16
"""Numbers that a field of a row of one word can hold."""
_NAMES = (
    "identity",
    "half-turn",
    "mirror-columns",
    "mirror-rows",
    "quarter-turn",
    "three-quarter-turn",
    "diagonal",
    "antidiagonal",
)


def grid(shape: Shape) -> dict[str, NDArray[np.int64]]:
    """Where the turns and reflections of a board take each place, each once; shape ``(cells,)``."""
    places = np.arange(shape.cells).reshape(shape.rows, shape.columns)
    images = [places, places[::-1, ::-1], places[:, ::-1], places[::-1]]
    if shape.rows == shape.columns:
        images += [np.rot90(places), np.rot90(places, 3), places.T, places[::-1, ::-1].T]
    found: dict[str, NDArray[np.int64]] = {}
    for name, image in zip(_NAMES, images, strict=False):
        # `image` says what is at a place afterwards; where a place goes is the inverse.
        goes = np.argsort(image, axis=None)
        if not any(np.array_equal(goes, other) for other in found.values()):
            found[name] = goes
    return found


def symmetries(shape: Shape, start: Board, goal: Board) -> Group:
    """The group of those that leave the start and the goal as they are.

    Turning the board makes another board of the start; if the blank stays, the tiles can be given other
    numbers so that it is the start again. That this holds for the goal with the same numbers is a matter
    of luck, if it is not the start.
    """
    before, after = np.array(start), np.array(goal)
    names, places, values = [], [], []
    for name, goes in grid(shape).items():
        tiles = np.empty(shape.cells, np.int64)
        tiles[before] = before[goes]
        if tiles[0] == 0 and np.array_equal(tiles[after], after[goes]):
            names.append(name)
            places.append(goes)
            values.append(tiles)
    if len(names) == 1:
        return Group.trivial(layout.words(shape.cells))
    if shape.cells > layout.WORD_CELLS:
        return BoardGroup(
            tuple(names), layout.words(shape.cells), places=np.array(places), values=np.array(values)
        )
    wide = np.tile(np.arange(_VALUES), (len(names), 1, 1))
    wide[:, 0, : shape.cells] = values
    return Group.of_fields(names, shape.cells, 4, np.array(places), wide)


@dataclass(frozen=True, slots=True, eq=False)
class BoardGroup(Group):
    """A group on rows of several words, whose fields are not those of the cells: it unpacks them.

    Attributes:
        places: where each cell's tile goes, shape ``(order, cells)``.
        values: which tile it becomes there, shape ``(order, cells)``.
    """

    places: Any = None
    values: Any = None

    def images(self, rows: Rows) -> Rows:
        """What each element makes of each row, shape ``(order, n, words)``."""
        boards = layout.to_cells(rows, self.places.shape[1])
        turned = np.empty_like(boards)
        images = np.empty((self.order, *rows.shape), np.uint64)
        for element in range(self.order):
            turned[:, self.places[element]] = self.values[element][boards]
            images[element] = layout.to_rows(turned)
        return images

    def canonical(self, rows: Rows) -> Rows:
        """The least image of each row, words compared from the first; shape ``(n, words)``."""
        images = self.images(rows)
        least: Rows = images[0]
        for image in images[1:]:
            at = (image != least).argmax(axis=1)[:, None]
            less = np.take_along_axis(image, at, 1) < np.take_along_axis(least, at, 1)
            least = np.where(less, image, least)
        return least

    def orbits(self, rows: Rows) -> NDArray[np.int64]:
        """How many different images each row has, shape ``(n,)``."""
        # The order of a group is the size of an orbit times the number of elements that leave a row as it is.
        kept = (self.images(rows) == rows).all(axis=2).sum(axis=0)
        sizes: NDArray[np.int64] = self.order // kept
        return sizes
