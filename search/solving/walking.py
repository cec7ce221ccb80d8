"""Walking distance (Takahashi 2001): rows and columns apart.

For the rows, all tiles of one goal row look alike, and so do all cells of a row: what counts is how many
tiles of each goal row are in each row, and which row the blank is in. The least number of moves up and down
to the goal follows by breadth-first search; the same for columns. Their sum is a lower bound, never below the
sum of distances.
"""

import functools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from frontrow.search.errors import UsageError
from frontrow.search.kernel import lean, lean_inlined
from frontrow.search.rows import Stop
from frontrow.search.sliding.board import Board, Shape
from frontrow.search.sliding.layout import Cells
from frontrow.search.solving.automaton import Numbers
from frontrow.search.solving.descent import Ground, Task, Trail, descend
from frontrow.search.solving.heuristic import Heuristic

MOST = 1 << 20
"""States of the largest table: 4x4 has 24,964, 5x5 would have 65,650,495."""
STATE_BITS = 22
"""An entry is a state, and its distance above these bits."""
_WORD = 64
_ZERO, _ONE, _TWO = np.uint64(0), np.uint64(1), np.uint64(2)
_SHIFT, _STATE = np.uint64(STATE_BITS), np.uint64((1 << STATE_BITS) - 1)


class Tables(NamedTuple):
    """What is looked up.

    Attributes:
        down: entries of rows after a move, ``uint32``, at
            ``state << shift | move << (shift - 1) | goal row``.
        across: the same for columns.
        down_shift: see `down`.
        across_shift: the same for columns.
        rows: the goal row of each tile, ``uint8``.
        columns: its goal column.
    """

    down: NDArray[np.uint32]
    across: NDArray[np.uint32]
    down_shift: np.uint64
    across_shift: np.uint64
    rows: NDArray[np.uint8]
    columns: NDArray[np.uint8]


class Lines:
    """All ways in which tiles are distributed over lines of some length, up to what lines they belong to."""

    def __init__(self, lines: int, length: int, blank: int) -> None:
        """Args: lines: how many; length: cells of each; blank: the goal's line of the blank.

        Raises:
            UsageError: if there are too many states.
        """
        self._lines, self._length = lines, length
        bits = length.bit_length()
        # What a line holds of the last kind follows from the rest.
        digits = bits * lines * (lines - 1)
        fits = digits + lines.bit_length() < _WORD
        last = np.arange(lines) == lines - 1
        places = np.arange(lines)[:, None] * (lines - 1) + np.arange(lines)
        self._weights = np.where(last, 0, 1 << np.where(last, 0, bits * places)) if fits else places
        self._blank = 1 << digits if fits else 0
        goal = np.eye(lines, dtype=np.int64) * length
        goal[blank, blank] -= 1
        if not fits or not self._search(goal, blank):
            raise UsageError(
                f"heuristic: found walking for {lines} lines of {length} cells, expected another one: "
                f"its table would have more than {MOST} states"
            )
        self._link()

    def keys(self, counts: Numbers, blanks: Numbers) -> Numbers:
        """Numbers of states. Args: counts: shape ``(n, lines, lines)``; blanks: the blank's line."""
        found: Numbers = (counts * self._weights).sum(axis=(1, 2)) + blanks * self._blank
        return found

    def entries(self, counts: Numbers, blanks: Numbers) -> NDArray[np.uint64]:
        """The entries of states, shape ``(n,)``."""
        states = np.searchsorted(self._known, self.keys(counts, blanks))
        return (states | self._distances[states] << STATE_BITS).astype(np.uint64)

    def _search(self, goal: Numbers, blank: int) -> bool:
        """Find all states, layer by layer; whether they are few enough."""
        counts, blanks = goal[None], np.array([blank])
        layers, before = [(self.keys(counts, blanks), counts, blanks)], np.empty(0, np.int64)
        total = 1
        while blanks.size and total <= MOST:
            children = [self._move(counts, blanks, way, kind)[1:] for way in (-1, 1) for kind in self._kinds]
            counts = np.concatenate([child[0] for child in children])
            blanks = np.concatenate([child[1] for child in children])
            keys, first = np.unique(self.keys(counts, blanks), return_index=True)
            # A move can be undone and changes the blank's line, so a child is of the layer before or new.
            new = ~np.isin(keys, before, assume_unique=True)
            before, first = layers[-1][0], first[new]
            counts, blanks = counts[first], blanks[first]
            layers.append((keys[new], counts, blanks))
            total += blanks.size
        self._known, order = np.unique(np.concatenate([keys for keys, _, _ in layers]), return_index=True)
        self._distances = np.repeat(np.arange(len(layers)), [keys.size for keys, _, _ in layers])[order]
        self._counts = np.concatenate([counts for _, counts, _ in layers])[order]
        self._blanks = np.concatenate([blanks for _, _, blanks in layers])[order]
        return total <= MOST

    @property
    def _kinds(self) -> range:
        return range(self._lines)

    def _move(
        self, counts: Numbers, blanks: Numbers, way: int, kind: int
    ) -> tuple[Numbers, Numbers, Numbers]:
        """Which states can move a tile of a kind into the blank's line, and what they become."""
        target = blanks + way
        inside = (target >= 0) & (target < self._lines)
        can = np.flatnonzero(inside)[counts[inside, target[inside], kind] > 0]
        children, lines = counts[can], np.arange(can.size)
        children[lines, target[can], kind] -= 1
        children[lines, blanks[can], kind] += 1
        return can, children, target[can]

    def _link(self) -> None:
        """Make the table of what follows which state."""
        self.shift = (self._lines - 1).bit_length() + 1
        self.table = np.zeros(self._known.size << self.shift, np.uint32)
        for number, way in enumerate((-1, 1)):
            for kind in self._kinds:
                can, counts, blanks = self._move(self._counts, self._blanks, way, kind)
                index = can << self.shift | number << (self.shift - 1) | kind
                self.table[index] = self.entries(counts, blanks)
        self.table.setflags(write=False)
        del self._counts, self._blanks


@functools.lru_cache(8)
def lines(count: int, length: int, blank: int) -> Lines:
    """The lines of a shape and of the goal's blank.

    Raises:
        UsageError: if there are too many states.
    """
    return Lines(count, length, blank)


class Walking(Heuristic):
    """The sum of the walking distances of rows and columns."""

    def __init__(self, shape: Shape, goal: Board) -> None:
        """Args: shape: of the board; goal: the board to reach.

        Raises:
            UsageError: if the tables would be too large.
        """
        self._shape = shape
        goals = np.argsort(goal)
        self._goals = goals // shape.columns, goals % shape.columns
        row, column = divmod(goal.index(0), shape.columns)
        self._down = lines(shape.rows, shape.columns, row)
        self._across = lines(shape.columns, shape.rows, column)
        self._tables = Tables(
            self._down.table,
            self._across.table,
            np.uint64(self._down.shift),
            np.uint64(self._across.shift),
            self._goals[0].astype(np.uint8),
            self._goals[1].astype(np.uint8),
        )

    def begin(self, boards: Cells) -> NDArray[np.uint64]:
        """The entries of rows and columns, shape ``(n, 2)``."""
        rows, columns = np.divmod(np.arange(boards.shape[1]), self._shape.columns)
        places = (boards == 0).argmax(axis=1)
        found = []
        for known, line, kinds in (
            (self._down, rows, self._goals[0]),
            (self._across, columns, self._goals[1]),
        ):
            count = int(line.max()) + 1
            counts = np.zeros((boards.shape[0], count, count), np.int64)
            for cell in range(boards.shape[1]):
                tiles = boards[:, cell]
                held = np.flatnonzero(tiles)
                counts[held, line[cell], kinds[tiles[held]]] += 1
            found.append(known.entries(counts, line[places]))
        return np.stack(found, axis=1)

    def read(self, begun: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The sum, shape ``(n,)``."""
        distances: NDArray[np.int64] = (begun >> _SHIFT).astype(np.int64).sum(axis=1)
        return distances

    def search(self, ground: Ground, task: Task, trail: Trail, stop: Stop) -> int:
        """Run the kernel."""
        return int(search_walking(self._tables, ground, task, trail, stop))


@lean_inlined
def _begin(tables: Any, begun: Any, packet: Any, trail: Any) -> Any:
    a, b = begun[packet, 0], begun[packet, 1]
    return a, b, (a >> _SHIFT) + (b >> _SHIFT)


@lean_inlined
def _advance(
    tables: Any, trail: Any, a: Any, b: Any, tile: Any, place: Any, before: Any, move: Any, most: Any
) -> Any:
    if move < _TWO:
        shift = tables.down_shift
        index = (a & _STATE) << shift | move << (shift - _ONE) | np.uint64(tables.rows[tile])
        a = np.uint64(tables.down[index])
    else:
        shift = tables.across_shift
        index = (b & _STATE) << shift | (move - _TWO) << (shift - _ONE) | np.uint64(tables.columns[tile])
        b = np.uint64(tables.across[index])
    return (a >> _SHIFT) + (b >> _SHIFT), a, b, (_ZERO, _ZERO, _ZERO, _ZERO)


@lean_inlined
def _commit(tables: Any, trail: Any, depth: Any, tile: Any, before: Any, move: Any, four: Any) -> Any:
    pass


@lean_inlined
def _undo(tables: Any, trail: Any, depth: Any, tile: Any, before: Any, move: Any) -> Any:
    pass


@lean
def search_walking(tables: Any, ground: Any, task: Any, trail: Any, stop: Any) -> Any:
    """`frontrow.search.solving.descent.descend` with walking distances."""
    return descend(_begin, _advance, _commit, _undo, tables, ground, task, trail, stop)
