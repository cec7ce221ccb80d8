"""Depth first search with rising bounds (IDA*, Korf 1985) on boards of one shape and goal."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frontrow.search.rows import Rows, Stop
from frontrow.search.sliding.board import Board, Shape
from frontrow.search.solving.additive import Additive


@dataclass(frozen=True, slots=True, eq=False)
class Packets:
    """Parts of a search, in lexicographic order of the moves that lead to them.

    Attributes:
        rows: shape ``(n, words + 1)``: a board as `frontrow.search.sliding.layout` packs it, then a word with
            moves made, state of the automaton, moves left to try and number of the packet (`packet.py`).
        prefixes: the moves that lead to each, shape ``(n, depth)``, ``uint8``: 0 U, 1 D, 2 L, 3 R of the blank;
            only as many of a line count as its packet has moves made.
    """

    rows: Rows
    prefixes: NDArray[np.uint8]

    def __len__(self) -> int:
        """How many there are."""
        return int(self.rows.shape[0])


@dataclass(frozen=True, slots=True)
class Deepened:
    """What a search of some packets up to a bound came to.

    Attributes:
        nodes: boards expanded.
        generated: children made, also those beyond the bound.
        place: the first packet with a solution of at most `bound` moves; -1 if none was found.
        moves: all moves of that solution from the start, the lexicographically first one; empty without one.
        next_bound: the least length above the bound that was met; -1 if none was.
        finished: the first packet that is not searched, since a budget ran out or a solution was found.
        rest: rows of what is left of packets that a budget cut short, then of those not begun.
    """

    nodes: int
    generated: int
    place: int
    moves: tuple[int, ...]
    next_bound: int
    finished: int
    rest: Rows


@dataclass(frozen=True, slots=True)
class Counted:
    """All solutions of one length.

    Attributes:
        solutions: how many there are.
        listed: the lexicographically first ones, as moves.
        nodes: boards expanded.
        generated: children made.
    """

    solutions: int
    listed: tuple[tuple[int, ...], ...]
    nodes: int
    generated: int


class Finder:
    """Searches boards of one shape for one goal, with one heuristic; safe to use from several threads."""

    def __init__(self, shape: Shape, goal: Board, heuristic: str, tables: Additive | None = None) -> None:
        """Make what the kernels need.

        Args:
            shape: of the boards.
            goal: the board to reach.
            heuristic: ``manhattan``, ``linear-conflict``, ``walking``, or ``pdb:...`` with its tables.
            tables: pattern databases of the goal, for ``pdb:...``.

        Raises:
            UsageError: if the heuristic is not for the shape.
        """
        raise NotImplementedError

    def lower_bound(self, rows: Rows) -> NDArray[np.int64]:
        """Moves that each board takes at least, shape ``(n,)``; rows as the problem ``sliding`` has them."""
        raise NotImplementedError

    def packets(self, row: Rows, wanted: int) -> Packets:
        """Divide the search from one board (shape ``(1, words)``) into at least so many parts, if it has them.

        With 1 it is the search as a whole. The same packets on every machine.
        """
        raise NotImplementedError

    def deepen(
        self, packets: Packets, lo: int, hi: int, bound: int, budget: int | None, stop: Stop
    ) -> Deepened:
        """Search packets `lo` to `hi` in order for a solution of at most `bound` moves, and end with the first.

        Args:
            packets: of `packets`.
            lo: the first.
            hi: the one after the last.
            bound: most moves, prefix included.
            budget: nodes after which to end, nearly; None for no limit.
            stop: polled at least every 0.1 s.

        Raises:
            StoppedError: if `stop` was raised.
        """
        raise NotImplementedError

    def count_all(self, row: Rows, length: int, listed: int, stop: Stop) -> Counted:
        """Count all solutions of exactly `length` moves, the length of the shortest, and list the first ones.

        Raises:
            StoppedError: if `stop` was raised.
        """
        raise NotImplementedError

    def replay(self, row: Rows, moves: Sequence[int]) -> Rows:
        """The boards of a solution from the first to the last, shape ``(len(moves) + 1, words)``."""
        raise NotImplementedError
