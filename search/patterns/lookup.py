"""The arrays by which kernels look patterns up, for one goal and one partition, also in a mirror."""

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from frontrow.search.patterns import places
from frontrow.search.patterns.partition import Partition
from frontrow.search.patterns.pattern import CELLS, PLACES, Pattern, layout_for
from frontrow.search.sliding.board import Board, Shape
from frontrow.search.sliding.layout import Cells
from frontrow.search.sliding.turns import grid

Parts: TypeAlias = list[tuple[int, ...]]
"""The goal cells of each pattern."""
Found = TypeVar("Found", bound="Lookup")
_MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1))
"""What the moves of the blank, U, D, L and R, add to its row and column."""


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
        steps: layout `cells`: what is added to the index of a tile's slot when the tile makes way for the
            blank, shape ``(sides, 4 * cells)``, ``uint64`` (adding wraps round), at ``4 * tile + move`` of
            the blank: 0 U, 1 D, 2 L, 3 R.
        sizes: tiles a slot, shape ``(slots,)``, ``uint64``.
        counts: layout `places`: sets of cells of the sizes, shape ``(slots,)``, ``uint64``.
        toggles: layout `places`: the cells that a tile leaves and enters when it makes way for the blank, as
            bits of the slot's table, shape ``(slots, 4 * cells)``, ``uint64``, at ``4 * place + move``.
        passed: layout `places`: the cells whose tiles it passes, shape ``(slots, 4 * cells, columns - 1)``,
            ``uint8``; the cell that it leaves where there is none.
        changes: layout `places`: what is added to the order for each tile that it passes, shape
            ``(sides, 4 * cells, cells)``, ``int16``, at ``4 * tile + move`` and the tile that is passed; 0
            for tiles of other slots and for itself.
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
    counts: NDArray[np.uint64]
    toggles: NDArray[np.uint64]
    passed: NDArray[np.uint8]
    changes: NDArray[np.int16]
    low: NDArray[np.uint32]
    high: NDArray[np.uint32]

    @classmethod
    def of(cls, shape: Shape, goal: Board, partition: Partition, *, mirrored: bool = True) -> Self:
        """Make the arrays.

        Args:
            shape: of the board.
            goal: the board to reach.
            partition: of its tiles.
            mirrored: also look the mirror image up, where there is one.
        """
        parts = [tuple(goal.index(tile) for tile in part) for part in partition.parts]
        sides = [parts]
        if mirrored:
            sides += _mirror(shape, parts, goal.index(0))
        return _Assembly(shape, goal, sides).lookup(cls)

    @property
    def places(self) -> bool:
        """Whether the layout is by places, so that a search carries keys and no indices."""
        return self.tables.layout == PLACES

    def keys(self, boards: Cells) -> NDArray[np.uint64]:
        """What a search carries for each slot of some boards, shape ``(n, slots)``.

        Indices into the values, or with the layout `places` keys as `places.py` explains them.
        """
        count = boards.shape[0]
        cell_of = np.argsort(boards, axis=1)
        found = np.zeros((count, self.base.shape[0]), np.uint64)
        if self.places:
            held = np.zeros((count, self.base.shape[0], self.shape.cells), np.int64)
            for side, tile, slot in self._filled():
                image = self.images[slot][cell_of[:, tile]]
                held[np.arange(count), slot, image] = self.digit[side, tile] + 1
            for slot in range(found.shape[1]):
                found[:, slot] = places.pack(held[:, slot], int(self.sizes[slot]))
            return found
        found += self.base
        for side, tile, slot in self._filled():
            image = self.images[slot][cell_of[:, tile]].astype(np.uint64)
            found[:, slot] += self.weights[side, tile] * image
        return found

    def indices(self, boards: Cells) -> NDArray[np.uint64]:
        """Indices of boards into the values, shape ``(n, slots)``."""
        keys = self.keys(boards)
        if self.places:
            for slot in range(keys.shape[1]):
                keys[:, slot] = self.base[slot] + places.indices(
                    keys[:, slot], int(self.sizes[slot]), self.shape.cells
                )
        return keys

    def bounds(self, boards: Cells, values: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Moves that boards take at least, shape ``(n,)``.

        Args:
            boards: shape ``(n, cells)``.
            values: the tables.
        """
        held = values[self.indices(boards)].astype(np.int64)
        sums = held.reshape(boards.shape[0], self.sides, self.patterns).sum(axis=2)
        greatest: NDArray[np.int64] = sums.max(axis=1)
        return greatest

    def _filled(self) -> Iterator[tuple[int, int, int]]:
        """Side, tile and slot of all tiles on all sides."""
        for side in range(self.sides):
            for tile in range(1, self.shape.cells):
                yield side, tile, int(self.slot[side, tile])


def _mirror(shape: Shape, parts: Parts, blank: int) -> list[Parts]:
    """The partition turned or reflected so that the blank's goal cell stays; nothing if that changes nothing.

    The turned board has as many moves to the goal as the board, and its tables are those of the partition.
    """
    before = {frozenset(part) for part in parts}
    for goes in grid(shape).values():
        image = [tuple(goes[list(part)].tolist()) for part in parts]
        if goes[blank] == blank and {frozenset(part) for part in image} != before:
            return [image]
    return []


class _Assembly:
    """Makes the arrays of a `Lookup` from the goal cells of the patterns of each side."""

    def __init__(self, shape: Shape, goal: Board, sides: list[Parts]) -> None:
        self.shape, self.goal, self.sides = shape, goal, sides
        self.found = [Pattern.of(shape, part, goal.index(0)).canonical() for parts in sides for part in parts]
        layout = layout_for(shape, tuple(len(pattern.cells) for pattern, _ in self.found))
        self.tables = TableSet(tuple(sorted({pattern for pattern, _ in self.found})), layout)

    def lookup(self, kind: type[Found]) -> Found:
        """All arrays."""
        cells, sides, patterns = self.shape.cells, len(self.sides), len(self.sides[0])
        offsets = dict(zip(self.tables.patterns, self.tables.offsets, strict=False))
        images = np.array([goes for _, goes in self.found])
        slot, digit = np.zeros((2, sides, cells), np.uint8)
        weights, steps = np.zeros((sides, cells), np.uint64), np.zeros((sides, 4 * cells), np.uint64)
        for number, (pattern, goes) in enumerate(self.found):
            side = number // patterns
            for order, cell in enumerate(pattern.cells):
                tile = self.goal[int(np.flatnonzero(goes == cell)[0])]
                slot[side, tile], digit[side, tile] = number, order
                if self.tables.layout == CELLS:
                    weight = cells**order
                    weights[side, tile] = weight
                    shifts = np.array([-weight * step for step in self._shifts(goes)], np.int64)
                    steps[side, 4 * tile : 4 * tile + 4] = shifts.view(np.uint64)
        sizes = [len(pattern.cells) for pattern, _ in self.found]
        toggles, passed = self._ways(images)
        return kind(
            shape=self.shape,
            goal=self.goal,
            tables=self.tables,
            sides=sides,
            patterns=patterns,
            slot=slot,
            base=np.array([offsets[pattern] for pattern, _ in self.found], np.uint64),
            images=images.astype(np.uint8),
            digit=digit,
            weights=weights,
            steps=steps,
            sizes=np.array(sizes, np.uint64),
            counts=np.array([math.comb(cells, size) for size in sizes], np.uint64),
            toggles=toggles,
            passed=passed,
            changes=self._changes(slot, digit),
            low=places.set_numbers(cells)[0],
            high=places.set_numbers(cells)[1],
        )

    def _shifts(self, goes: NDArray[np.int64]) -> list[int]:
        """What the moves of the blank add to the image of its cell: the same wherever it is."""
        board = goes.reshape(self.shape.rows, self.shape.columns)
        down, right = int(board[1, 0] - board[0, 0]), int(board[0, 1] - board[0, 0])
        return [-down, down, -right, right]

    def _ways(self, images: NDArray[np.int64]) -> tuple[NDArray[np.uint64], NDArray[np.uint8]]:
        """`toggles` and `passed` of `Lookup`; empty where no kernel needs them."""
        cells, columns = self.shape.cells, self.shape.columns
        slots = len(images) if self.tables.layout == PLACES else 0
        toggles = np.zeros((slots, 4 * cells), np.uint64)
        passed = np.zeros((slots, 4 * cells, columns - 1), np.uint8)
        for place, (move, (down, right)) in itertools.product(range(cells), enumerate(_MOVES)):
            row, column = place // columns + down, place % columns + right
            if not (0 <= row < self.shape.rows and 0 <= column < columns):
                continue
            way, before = 4 * place + move, row * columns + column
            for slot, goes in enumerate(images[:slots]):
                low, high = sorted((int(goes[before]), int(goes[place])))
                between = np.flatnonzero((goes > low) & (goes < high))
                toggles[slot, way] = 1 << low | 1 << high
                passed[slot, way] = before
                passed[slot, way, : between.size] = between
        return toggles, passed

    def _changes(self, slot: NDArray[np.uint8], digit: NDArray[np.uint8]) -> NDArray[np.int16]:
        """`changes` of `Lookup`; empty where no kernel needs them."""
        sides, cells = slot.shape
        if self.tables.layout == CELLS:
            return np.zeros((sides, 0, cells), np.int16)
        changes = np.zeros((sides, 4 * cells, cells), np.int16)
        for number, (pattern, goes) in enumerate(self.found):
            side = number // len(self.sides[0])
            tiles = 1 + np.flatnonzero(slot[side, 1:] == number)
            digits = digit[side, tiles]
            added = places.changes(len(pattern.cells))[np.ix_(digits, digits)]
            for move, shift in enumerate(self._shifts(goes)):
                # Tiles go the other way than the blank.
                changes[side][np.ix_(4 * tiles + move, tiles)] = added if shift < 0 else -added
        return changes
