"""Packets: parts of a search that are searched one after the other, or by different workers."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from frontrow.search.rows import Rows
from frontrow.search.sliding import layout
from frontrow.search.solving.automaton import MOVES, SHIFT, Automaton, Numbers
from frontrow.search.solving.descent import ENTRY_BIT, FRESH_BIT, MOVES_BITS, NUMBER_BIT

MOST = 1 << (ENTRY_BIT - NUMBER_BIT)
"""Packets that have different numbers."""
_LEFT = np.uint64((1 << SHIFT) - 1)


@dataclass(frozen=True, slots=True, eq=False)
class Packets:
    """Boards to search from, in lexicographic order of the moves that lead to them.

    Attributes:
        boards: shape ``(n, cells)``, ``uint8``.
        marks: moves made, state and number of each, shape ``(n,)``; see `mark`.
        begun: what the heuristic carries, shape ``(n, any)``, ``uint64``.
        prefixes: the moves that lead to each, shape ``(n, depth)``, ``uint8`` (0 U, 1 D, 2 L, 3 R of the
            blank). Of a line as many count as moves were made; none are known of packets that came as rows.
    """

    boards: NDArray[np.uint8]
    marks: NDArray[np.uint64]
    begun: NDArray[np.uint64]
    prefixes: NDArray[np.uint8]

    def __len__(self) -> int:
        """How many there are."""
        return int(self.marks.shape[0])

    @property
    def rows(self) -> Rows:
        """Shape ``(n, words + 1)``: a board as `frontrow.search.sliding.layout` packs it, then its mark."""
        return to_rows(self.boards, self.marks)

    def prefix(self, place: int) -> tuple[int, ...]:
        """The moves that lead to a packet."""
        made = moves_made(self.marks[place : place + 1])[0]
        return tuple(self.prefixes[place, :made].tolist())


def to_rows(boards: NDArray[np.uint8], marks: NDArray[np.uint64]) -> Rows:
    """Boards and marks as rows."""
    return np.concatenate([layout.to_rows(boards.astype(np.int64)), marks[:, None]], axis=1)


def mark(entries: Numbers, moves: Numbers, numbers: Numbers, *, fresh: bool) -> NDArray[np.uint64]:
    """Marks of packets.

    Args:
        entries: of the automaton; the moves in it are those that are left to try.
        moves: made so far.
        numbers: of the packets.
        fresh: whether the boards have not been counted as nodes yet.
    """
    marks = entries << ENTRY_BIT | numbers << NUMBER_BIT | int(fresh) << FRESH_BIT | moves
    return marks.astype(np.uint64)


def numbers(marks: NDArray[np.uint64]) -> Numbers:
    """The numbers of packets."""
    return (marks >> np.uint64(NUMBER_BIT)).astype(np.int64) & (MOST - 1)


def moves_made(marks: NDArray[np.uint64]) -> Numbers:
    """The moves that led to packets."""
    return marks.astype(np.int64) & ((1 << MOVES_BITS) - 1)


@dataclass(slots=True, eq=False)
class Frontier:
    """A search from one board, breadth first, that keeps the order of the moves.

    A board that was met before, after fewer moves or after as many that come earlier, is dropped, since no
    first shortest solution passes it, unless every solution is looked for. The goal stays as it is.
    """

    boards: NDArray[np.uint8]
    entries: Numbers
    prefixes: NDArray[np.uint8]
    moves: Numbers

    @classmethod
    def of(cls, board: NDArray[np.uint8], automaton: Automaton) -> Self:
        """Args: board: shape ``(1, cells)``; automaton: of the shape."""
        entry = automaton.start[board[0].argmin()]
        return cls(board, np.array([entry], np.int64), np.empty((1, 0), np.uint8), np.zeros(1, np.int64))

    def widen(
        self, wanted: int, goal: NDArray[np.uint8], automaton: Automaton, steps: Numbers, *, every: bool
    ) -> None:
        """Go on until there are so many boards, or until only the goal is left or nothing.

        Args:
            wanted: how many boards.
            goal: the board to reach.
            automaton: of the shape.
            steps: of `frontrow.search.solving.automaton.step_table`.
            every: whether boards that were met before stay.
        """
        seen = None if every else {self.boards[0].tobytes()}
        while self.moves.size < wanted:
            open_ones = (self.boards != goal).any(axis=1)
            if not open_ones.any():
                return
            self._step(open_ones, automaton, steps, seen)

    def _step(
        self, open_ones: NDArray[np.bool_], automaton: Automaton, steps: Numbers, seen: set[bytes] | None
    ) -> None:
        """Replace every open board by its children; a closed one stays, as if it had one child."""
        ways = (self.entries[:, None] >> np.arange(MOVES) & 1).astype(np.bool_)
        ways[~open_ones] = [True, False, False, False]
        parents, moved = np.nonzero(ways)
        opened = open_ones[parents]
        boards, lines = self.boards[parents], np.arange(parents.size)
        before = boards.argmin(axis=1)
        after = np.where(opened, steps[before, moved], before)
        boards[lines, before], boards[lines, after] = boards[lines, after], 0
        following = automaton.next[(self.entries[parents] >> SHIFT) * MOVES + moved].astype(np.int64)
        kept = np.ones(parents.size, np.bool_)
        if seen is not None:
            for line in np.flatnonzero(opened).tolist():
                key = boards[line].tobytes()
                kept[line] = key not in seen
                seen.add(key)
        prefixes = np.concatenate([self.prefixes[parents], moved[:, None].astype(np.uint8)], axis=1)
        self.boards, self.prefixes = boards[kept], prefixes[kept]
        self.entries = np.where(opened, following, self.entries[parents])[kept]
        self.moves = (self.moves[parents] + opened)[kept]


def unwind(
    board: NDArray[np.uint8],
    blank: int,
    entries: NDArray[np.uint32],
    made: NDArray[np.uint8],
    steps: Numbers,
) -> tuple[NDArray[np.uint8], Numbers, Numbers]:
    """The boards of a stack on which moves are left, the deepest first.

    Args:
        board: the deepest, whatever its blank cell holds.
        blank: that cell.
        entries: of the automaton at each depth, less the moves tried.
        made: four times the tile plus the move at each depth but the last.
        steps: of `frontrow.search.solving.automaton.step_table`.

    Returns:
        Boards, shape ``(k, cells)``, their entries and their depths.
    """
    boards, depths = [], []
    board = board.copy()
    for depth in range(entries.size - 1, -1, -1):
        board[blank] = 0
        if entries[depth] & int(_LEFT):
            boards.append(board.copy())
            depths.append(depth)
        if depth:
            board[blank] = made[depth - 1] >> 2
            blank = int(steps[blank, made[depth - 1] & 3 ^ 1])
    shape = (len(boards), board.size)
    found = np.array(depths, np.int64)
    return np.array(boards, np.uint8).reshape(shape), entries[found].astype(np.int64), found
