"""Depth first search with rising bounds (IDA*, Korf 1985) on boards of one shape and goal."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from frontrow.search.errors import StoppedError, UsageError
from frontrow.search.parameter import shown
from frontrow.search.patterns.lookup import Lookup
from frontrow.search.rows import Rows, Stop
from frontrow.search.sliding import layout
from frontrow.search.sliding.board import Board, Shape
from frontrow.search.solving import descent, packet
from frontrow.search.solving.automaton import Automaton, automaton, longest_pattern, step_table
from frontrow.search.solving.descent import Ground, Task, Trail, new_trail
from frontrow.search.solving.heuristic import Heuristic
from frontrow.search.solving.packet import Packets

PLAIN = ("manhattan", "linear-conflict", "walking")
"""Heuristics without pattern databases."""
_ENDLESS = (1 << 63) - 1
_STRAIGHT_BACK = 2
"""Patterns that only forbid to go straight back: no solution is pruned."""


class Tables(Protocol):
    """Pattern databases of one goal and partition."""

    @property
    def lookup(self) -> Lookup:
        """The arrays that kernels take."""
        ...

    @property
    def values(self) -> NDArray[np.uint8]:
        """What these index, flat."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """Pattern databases that are open.

    Attributes:
        lookup: the arrays that kernels take.
        values: what these index, flat.
    """

    lookup: Lookup
    values: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Deepened:
    """What a search of some packets up to a bound came to.

    Attributes:
        nodes: boards expanded.
        generated: children made, also those beyond the bound.
        place: the first packet with a solution of at most `bound` moves; -1 if none was found.
        moves: the moves of the first solution there (0 U, 1 D, 2 L, 3 R of the blank), from the start if the
            packets know what led to them, else from the packet; empty without one.
        next_bound: the least length above the bound that was met; -1 if none was.
        rest: rows of what is left of a packet that the budget cut short, then of those not begun; empty
            without a budget, or if a solution was found.
    """

    nodes: int
    generated: int
    place: int
    moves: tuple[int, ...]
    next_bound: int
    rest: Rows


@dataclass(frozen=True, slots=True)
class Counted:
    """All shortest solutions in some packets.

    Attributes:
        solutions: how many there are.
        listed: the lexicographically first ones, as moves.
        nodes: boards expanded.
        generated: children made.
        rest: rows of what a budget left of the packets; empty without one.
    """

    solutions: int
    listed: tuple[tuple[int, ...], ...]
    nodes: int
    generated: int
    rest: Rows


class Finder:
    """Searches boards of one shape for one goal, with one heuristic; safe to use from several threads.

    Boards have to be such that the goal can be reached. Bounds start with `lower_bound` and rise to
    `Deepened.next_bound`: then the first solution found is a shortest one, and of these the first in
    lexicographic order (U < D < L < R of the blank), whatever the heuristic and the packets.
    """

    def __init__(self, shape: Shape, goal: Board, heuristic: str, tables: Tables | None = None) -> None:
        """Make what the kernels need.

        Args:
            shape: of the boards.
            goal: the board to reach.
            heuristic: one of `PLAIN`, or ``pdb:...`` with its tables.
            tables: pattern databases of the goal, for ``pdb:...``.

        Raises:
            UsageError: if the heuristic is unknown or not for the shape.
        """
        self._shape, self._goal = shape, goal
        self._heuristic = _heuristic(shape, goal, heuristic, tables)
        self._automaton = automaton(shape, longest_pattern(shape))
        self._plain = automaton(shape, _STRAIGHT_BACK)
        self._steps = step_table(shape)
        self._last = (b"", np.empty((0, 0), np.uint64))
        self._targets = np.maximum(self._steps, 0).astype(np.uint8).reshape(-1)

    def lower_bound(self, rows: Rows) -> NDArray[np.int64]:
        """Moves that each board takes at least, shape ``(n,)``; rows as the problem ``sliding`` has them."""
        return self._heuristic.read(self._begin(layout.to_cells(rows, self._shape.cells)))

    def packets(self, row: Rows, wanted: int, *, every: bool = False) -> Packets:
        """Divide the search from one board (shape ``(1, words)``) into so many parts or more, if it has them.

        With 1 it is the search as a whole. The same packets on every machine. They are for `count` if
        `every` solution is looked for, else for `deepen`.
        """
        board = layout.to_cells(row, self._shape.cells).astype(np.uint8)
        moves, goal = self._plain if every else self._automaton, np.array(self._goal, np.uint8)
        front = packet.Frontier.of(board, moves)
        front.widen(min(wanted, packet.MOST // 4), goal, moves, self._steps, every=every)
        marks = packet.mark(front.entries, front.moves, np.arange(front.moves.size), fresh=True)
        return self._packets(front.boards, marks, front.prefixes)

    def from_rows(self, rows: Rows) -> Packets:
        """Packets that came as rows: `Packets.rows` or `Deepened.rest`."""
        boards = layout.to_cells(rows[:, :-1], self._shape.cells).astype(np.uint8)
        return self._packets(boards, rows[:, -1].copy(), np.empty((rows.shape[0], 0), np.uint8))

    def _packets(
        self, boards: NDArray[np.uint8], marks: NDArray[np.uint64], prefixes: NDArray[np.uint8]
    ) -> Packets:
        begun = self._begin(boards.astype(np.int64))
        return Packets(np.ascontiguousarray(boards), marks, begun, prefixes)

    def _begin(self, boards: layout.Cells) -> NDArray[np.uint64]:
        """What the heuristic carries; that of one board is remembered, since every bound begins with it."""
        if boards.shape[0] != 1:
            return np.ascontiguousarray(self._heuristic.begin(boards))
        key, last = boards.tobytes(), self._last
        if last[0] != key:
            self._last = last = key, np.ascontiguousarray(self._heuristic.begin(boards))
        return last[1]

    def deepen(
        self, packets: Packets, lo: int, hi: int, bound: int, budget: int | None, stop: Stop
    ) -> Deepened:
        """Search packets `lo` to `hi` in order for a solution of at most `bound` moves; end with the first.

        Args:
            packets: of `packets` or `from_rows`.
            lo: the first.
            hi: the one after the last.
            bound: most moves, those before the packet included.
            budget: nodes after which to end, nearly; None for no limit.
            stop: polled about every 10 ms.

        Raises:
            StoppedError: if `stop` was raised.
        """
        task = Task(lo, hi, bound, _ENDLESS if budget is None else budget, descent.FIRST_SOLUTION)
        ending, trail = self._run(packets, self._automaton, task, stop)
        counts = trail.counts.tolist()
        depth, place, moves = counts[descent.DEPTH], -1, ()
        if ending == descent.FOUND:
            place = counts[descent.PACKET]
            below = tuple((trail.made[:depth] & 3).tolist())
            moves = packets.prefix(place) + below if packets.prefixes.shape[1] else below
        rest = self._rest(packets, ending, trail, hi)
        least = counts[descent.LEAST]
        next_bound = -1 if least == descent.NOTHING else least
        return Deepened(counts[descent.NODES], counts[descent.GENERATED], place, moves, next_bound, rest)

    def _run(self, packets: Packets, moves: Automaton, task: Task, stop: Stop) -> tuple[int, Trail]:
        """Run the kernel.

        Raises:
            StoppedError: if `stop` was raised.
        """
        ground = Ground(packets.boards, packets.marks, packets.begun, moves.next, self._targets)
        trail = new_trail(self._shape.cells, max(task.bound, 0) + 2, self._heuristic.keys, task.listed)
        ending = self._heuristic.search(ground, task, trail, stop)
        if ending == descent.STOPPED:
            raise StoppedError("stopped")
        return ending, trail

    def _rest(self, packets: Packets, ending: int, trail: Trail, hi: int) -> Rows:
        """What is left if a budget ran out."""
        if ending != descent.SPENT:
            return np.empty((0, layout.words(self._shape.cells) + 1), np.uint64)
        counts = trail.counts.tolist()
        place, depth = counts[descent.PACKET], counts[descent.DEPTH]
        boards, entries, depths = packet.unwind(
            trail.board, counts[descent.BLANK], trail.entries[: depth + 1], trail.made, self._steps
        )
        before = packets.marks[place : place + 1]
        moves = depths + packet.moves_made(before)
        number = np.full(depths.size, packet.numbers(before)[0])
        marks = packet.mark(entries, moves, number, fresh=False)
        return np.concatenate(
            [
                packet.to_rows(boards, marks),
                packet.to_rows(packets.boards[place + 1 : hi], packets.marks[place + 1 : hi]),
            ]
        )

    def count_all(
        self, row: Rows, length: int, listed: int, stop: Stop, budget: int | None = None
    ) -> Counted:
        """`count` without packets."""
        return self.count(self.packets(row, 1, every=True), 0, 1, length, listed, budget, stop)

    def count(
        self, packets: Packets, lo: int, hi: int, length: int, listed: int, budget: int | None, stop: Stop
    ) -> Counted:
        """Count all solutions of `length` moves, which has to be the length of the shortest; list the first.

        Args:
            packets: of `packets` for every solution, or what was left of them.
            lo: the first.
            hi: the one after the last.
            length: moves, those before the packet included.
            listed: how many to list; not 0 for one packet only, which knows what led to it.
            budget: nodes after which to end, nearly; None for no limit.
            stop: polled about every 10 ms.

        Raises:
            StoppedError: if `stop` was raised.
        """
        task = Task(lo, hi, length, _ENDLESS if budget is None else budget, listed)
        ending, trail = self._run(packets, self._plain, task, stop)
        counts = trail.counts.tolist()
        before = packets.prefix(lo) if listed else ()
        below = trail.solutions[: counts[descent.SOLUTIONS], : length - len(before)].tolist()
        return Counted(
            counts[descent.SOLUTIONS],
            tuple((*before, *moves) for moves in below),
            counts[descent.NODES],
            counts[descent.GENERATED],
            self._rest(packets, ending, trail, hi),
        )


def _heuristic(shape: Shape, goal: Board, name: str, tables: Tables | None) -> Heuristic:
    """The heuristic of a name.

    Raises:
        UsageError: if it is unknown or not for the shape.
    """
    makers: dict[str, Callable[[], Heuristic]] = {
        "manhattan": lambda: _manhattan(shape, goal),
        "linear-conflict": lambda: _conflict(shape, goal),
        "walking": lambda: _walking(shape, goal),
    }
    if name in makers:
        return makers[name]()
    if name.partition(":")[0] == "pdb" and tables is not None:
        from frontrow.search.solving.databases import Databases

        return Databases(tables.lookup, tables.values)
    raise UsageError(
        f"heuristic: found {shown(name)}, expected {', '.join(PLAIN)}, or pdb:... with its tables"
    )


def _manhattan(shape: Shape, goal: Board) -> Heuristic:
    from frontrow.search.solving.manhattan import Manhattan

    return Manhattan(shape, goal)


def _conflict(shape: Shape, goal: Board) -> Heuristic:
    from frontrow.search.solving.conflict import LinearConflict

    return LinearConflict(shape, goal)


def _walking(shape: Shape, goal: Board) -> Heuristic:
    from frontrow.search.solving.walking import Walking

    return Walking(shape, goal)
