"""The arrays by which kernels look patterns up, for one goal and one partition, also in a mirror."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from frontrow.search.patterns import places
from frontrow.search.patterns.partition import Partition
from frontrow.search.patterns.pattern import CELLS, Pattern, layout_for
from frontrow.search.sliding.board import Board, Shape
from frontrow.search.sliding.layout import Cells
from frontrow.search.sliding.turns import grid

_STEPS = ((-1, 0), (1, 0), (0, -1), (0, 1))
"""What the blank's moves U, D, L, R add to its row and column."""


@dataclass(frozen=True, slots=True)
class TableSet:
    """The different tables of a partition, one after the other: what a file holds.

    Attributes:
        patterns: canonical ones, in rising order.
        layout: `cells` or `places`.
    """

    patterns: tuple[Pattern, ...]
    layout: str

    @property
    def offsets(self) -> list[int]:
        """Where each table begins, and where the last one ends."""
        sizes = [pattern.entries(self.layout) for pattern in self.patterns]
        return [sum(sizes[:number]) for number in range(len(sizes) + 1)]

    @property
    def entries(self) -> int:
        """Bytes of all tables."""
        return self.offsets[-1]


@dataclass(frozen=True, slots=True, eq=False)
class Lookup:
    """How boards are looked up.

    A slot is a pattern of one side: side 0 is the partition, side 1 its mirror image, which is missing where
    no turn or reflection keeps the blank's goal cell and changes the partition. Slots of side 0 come first.
    The lower bound is the greater of the sums over both sides. Arrays are made so that one kernel serves
    all boards; tiles and cells are those of the board itself.

    Attributes:
        shape: of the board.
        goal: the board to reach.
        tables: what `values` holds.
        sides: 1, or 2 with a mirror.
        patterns: slots a side.
        slot: which slot holds a tile, shape ``(sides, cells)``, ``uint8``; the blank's means nothing.
        base: where each slot's table begins in the values, shape ``(slots,)``, ``uint64``.
        images: where a slot's table has each cell, shape ``(slots, cells)``, ``uint8``.
        digit: the number of a tile within its slot, shape ``(sides, cells)``, ``uint8``.
        weights: layout `cells`: by what the image of a tile's cell is multiplied, shape ``(sides, cells)``,
            ``uint64``; 0 for the blank.
        steps: layout `cells`: what is added to the index of a tile's slot when the blank moves, shape
            ``(sides, 4 * cells)``, ``uint64`` (adding wraps round), at ``4 * tile + move``: 0 U, 1 D, 2 L, 3 R.
        sizes: tiles a slot, shape ``(slots,)``, ``uint64``.
        orders: factorials of the sizes, shape ``(slots,)``, ``uint64``.
        begins: layout `places`: where a slot's part of `turns` begins, shape ``(slots,)``, ``uint64``.
        turns: layout `places`: see `places.turns`, flat, of all sizes.
        low: layout `places`: see `places.set_numbers`.
        high: layout `places`.
    """

    shape: Shape
    goal: Board
    tables: TableSet
    sides: int
    patterns: int
    slot: NDArray[np.uint8]
    base: NDArray[np.uint64]
    images: NDArray[np.uint8]
    digit: NDArray[np.uint8]
    weights: NDArray[np.uint64]
    steps: NDArray[np.uint64]
    sizes: NDArray[np.uint64]
    orders: NDArray[np.uint64]
    begins: NDArray[np.uint64]
    turns: NDArray[np.uint16]
    low: NDArray[np.uint32]
    high: NDArray[np.uint32]

    @classmethod
    def of(cls, shape: Shape, goal: Board, partition: Partition, *, mirrored: bool = True) -> Self:
        """Make the arrays.

        Args:
            shape: of the board.
            goal: the board to reach.
            partition: of its tiles.
            mirrored: also look the mirror image up.
        """
        raise NotImplementedError

    def keys(self, boards: Cells) -> NDArray[np.uint64]:
        """What a search carries: indices into the values (layout `cells`), else keys; shape ``(n, slots)``."""
        raise NotImplementedError

    def indices(self, boards: Cells) -> NDArray[np.uint64]:
        """Indices into the values, shape ``(n, slots)``."""
        raise NotImplementedError

    def bounds(self, boards: Cells, values: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Moves that boards take at least, shape ``(n,)``."""
        raise NotImplementedError
