"""Patterns: which goal cells their tiles have, and which of them have the same table."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from frontrow.search.sliding.board import Shape
from frontrow.search.sliding.turns import grid

MOST_TILES = 8
"""Tiles of the largest pattern: their orders are numbered with 16 bits."""
MOST_CELLS = 36
"""Cells of the largest board: sets of cells and orders share a word."""
CELLS, PLACES = "cells", "places"
"""The layouts, see `frontrow.search.patterns`."""
_MOST_SPARSE = 1 << 28
"""Entries of the largest table that is laid out by cells: seven tiles on 16 cells."""


@dataclass(frozen=True, slots=True, order=True)
class Pattern:
    """The goal cells of some tiles, and where the blank may be in the end.

    Attributes:
        rows: of the board.
        columns: of the board.
        cells: goal cells in rising order.
        region: the set (bit c is cell c) of the cells that the blank reaches in the goal without moving a
            tile of the pattern.
    """

    rows: int
    columns: int
    cells: tuple[int, ...]
    region: int

    @classmethod
    def of(cls, shape: Shape, cells: tuple[int, ...], blank: int) -> Self:
        """The pattern of some goal cells, with the blank's goal cell."""
        taken, todo, region = set(cells), [blank], {blank}
        while todo:
            row, column = divmod(todo.pop(), shape.columns)
            for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1)):
                cell = (row + down) * shape.columns + column + right
                inside = 0 <= row + down < shape.rows and 0 <= column + right < shape.columns
                if inside and cell not in taken and cell not in region:
                    region.add(cell)
                    todo.append(cell)
        return cls(shape.rows, shape.columns, tuple(sorted(cells)), sum(1 << cell for cell in region))

    @property
    def shape(self) -> Shape:
        """Of the board."""
        return Shape(self.rows, self.columns)

    def entries(self, layout: str) -> int:
        """Bytes of the table."""
        board, tiles = self.shape.cells, len(self.cells)
        return int(board**tiles) if layout == CELLS else math.perm(board, tiles)

    def canonical(self) -> tuple[Self, NDArray[np.int64]]:
        """The least of its turned and reflected images, which has the same table, and where cells go in it.

        Returns:
            The image, and the image of each cell, shape ``(cells,)``.
        """
        kind = type(self)
        images = []
        for goes in grid(self.shape).values():
            cells = tuple(sorted(goes[list(self.cells)].tolist()))
            region = sum(1 << int(goes[cell]) for cell in range(goes.size) if self.region >> cell & 1)
            images.append((kind(self.rows, self.columns, cells, region), goes))
        return min(images, key=lambda image: image[0])


def layout_for(shape: Shape, sizes: tuple[int, ...]) -> str:
    """By cells if no table has more than 2^28 entries then, else by places."""
    return CELLS if shape.cells ** max(sizes) <= _MOST_SPARSE else PLACES
