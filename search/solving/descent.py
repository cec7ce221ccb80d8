"""The search below packets, depth first: the part that is the same for all heuristics.

Boards are arrays of bytes, also the small ones: one move writes one byte, which was measured to be as fast as
shifting a packed board. The stack is explicit. A heuristic adds four functions that are copied into this one:

- ``begin(tables, begun, packet, trail)``: take over a packet; the two numbers that a search carries from
  board to board, and the lower bound.
- ``advance(tables, trail, a, b, tile, place, before, move, most)``: the lower bound once a tile has moved
  from the cell `before` to the blank's `place` (the blank's move is `move`), the two numbers then, and four
  more for `commit`. Nothing is written. If the bound is above `most`, the rest may be anything.
- ``commit(tables, trail, depth, tile, before, move, four)``: the move is made.
- ``undo(tables, trail, depth, tile, before, move)``: it is taken back.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from frontrow.search.kernel import lean_inlined
from frontrow.search.rows import Stop

DONE, FOUND, SPENT, STOPPED = 0, 1, 2, 3
"""How a search ends: all packets are done, the first solution, the budget, the stop flag."""

NODES, GENERATED, LEAST, PACKET, DEPTH, BLANK, SOLUTIONS = range(7)
"""What `Trail.counts` holds at the end: boards expanded, children made, the least length above the bound, and
the packet, depth and blank's place where it ended; and solutions, if all are counted."""

NOTHING = (1 << 32) - 1
"""`LEAST` if nothing was above the bound."""

FIRST_SOLUTION = -1
"""As `Task.listed`: end with the first solution."""

MOVES_BITS, FRESH_BIT, NUMBER_BIT, ENTRY_BIT = 12, 12, 13, 36
"""Of a mark: moves made (lowest), whether the board counts as a node, number, entry of the automaton."""

_ZERO, _ONE, _TWO, _THREE, _FOUR = (np.uint64(n) for n in range(5))
_MASK = np.uint64(15)
_MOVES = np.uint64((1 << MOVES_BITS) - 1)
_FRESH, _ENTRY = np.uint64(FRESH_BIT), np.uint64(ENTRY_BIT)
_LOWEST = np.uint64(0x0102010301020100)
"""The lowest bit set of each number of four bits, as a nibble."""
_NOTHING = np.uint64(NOTHING)
_POLLED = np.uint64(1 << 17)
"""Nodes between looks at the stop flag: about 10 ms."""


class Ground(NamedTuple):
    """What is searched.

    Attributes:
        boards: shape ``(n, cells)``, ``uint8``.
        marks: shape ``(n,)``, ``uint64``.
        begun: what the heuristic carries at each board, shape ``(n, any)``, ``uint64``.
        following: `Automaton.next`.
        targets: where the blank comes to, at ``4 * place + move``, ``uint8``.
    """

    boards: NDArray[np.uint8]
    marks: NDArray[np.uint64]
    begun: NDArray[np.uint64]
    following: NDArray[np.uint32]
    targets: NDArray[np.uint8]


class Task(NamedTuple):
    """How far it is searched.

    Attributes:
        low: the first packet.
        high: the one after the last.
        bound: most moves, those made before the packet included.
        budget: nodes after which it ends.
        listed: solutions to list while all are counted, or `FIRST_SOLUTION`.
    """

    low: int
    high: int
    bound: int
    budget: int
    listed: int


class Trail(NamedTuple):
    """Arrays that a search writes; entry d of a stack belongs to the board after d moves.

    Attributes:
        board: shape ``(cells,)``, ``uint8``; the blank's cell holds anything.
        entries: stack of the automaton's entries, less the moves tried, ``uint32``.
        made: stack of four times the tile plus the move, ``uint8``.
        first: stack of the heuristic's first number, ``uint64``.
        second: stack of its second.
        keys: what the heuristic keeps besides, ``uint64``.
        values: the same, ``uint8``.
        old_keys: stack for it, shape ``(depth, 2)``, ``uint64``.
        old_values: stack for it, shape ``(depth, 2)``, ``uint8``.
        counts: written at the end, shape ``(7,)``, ``int64``.
        solutions: moves of solutions, shape ``(listed, depth)``, ``uint8``.
    """

    board: NDArray[np.uint8]
    entries: NDArray[np.uint32]
    made: NDArray[np.uint8]
    first: NDArray[np.uint64]
    second: NDArray[np.uint64]
    keys: NDArray[np.uint64]
    values: NDArray[np.uint8]
    old_keys: NDArray[np.uint64]
    old_values: NDArray[np.uint8]
    counts: NDArray[np.int64]
    solutions: NDArray[np.uint8]


def new_trail(cells: int, depth: int, keys: int, listed: int) -> Trail:
    """Arrays for boards of so many cells, so many moves below a packet, and so many keys of the heuristic."""
    return Trail(
        np.zeros(cells, np.uint8),
        np.zeros(depth, np.uint32),
        np.zeros(depth, np.uint8),
        np.zeros(depth, np.uint64),
        np.zeros(depth, np.uint64),
        np.zeros(keys, np.uint64),
        np.zeros(keys, np.uint8),
        np.zeros((depth, 2), np.uint64),
        np.zeros((depth, 2), np.uint8),
        np.zeros(7, np.int64),
        np.zeros((max(listed, 0), depth), np.uint8),
    )


@lean_inlined
def descend(  # noqa: C901 - one loop, as fast as it can be
    begin: Any,
    advance: Any,
    commit: Any,
    undo: Any,
    tables: Any,
    ground: Any,
    task: Any,
    trail: Any,
    stop: Stop,
) -> Any:
    """Search packets one after the other.

    Args:
        begin: see above.
        advance: see above.
        commit: see above.
        undo: see above.
        tables: what the heuristic looks up.
        ground: a `Ground`.
        task: a `Task`.
        trail: a `Trail`.
        stop: polled.

    Returns:
        How it ended; `Trail.counts` has the rest. After `FOUND`, `Trail.made` has the moves below the packet,
        after `SPENT`, the stack and the board are as they were.
    """
    board, entries, made, first, second = trail.board, trail.entries, trail.made, trail.first, trail.second
    following, targets = ground.following, ground.targets
    bound, budget, listed = np.uint64(task.bound), np.uint64(task.budget), task.listed
    nodes, generated, solutions, least = _ZERO, _ZERO, _ZERO, _NOTHING
    due = min(_POLLED, budget)
    ending, packet, depth, place = DONE, task.low, _ZERO, _ZERO
    while packet < task.high and ending == DONE:
        mark = ground.marks[packet]
        moves, entry = mark & _MOVES, mark >> _ENTRY
        for cell in range(board.size):
            board[cell] = ground.boards[packet, cell]
            if board[cell] == 0:
                place = np.uint64(cell)
        a, b, lower = begin(tables, ground.begun, packet, trail)
        if moves + lower > bound:
            least = min(least, moves + lower)
            packet += 1
            continue
        most = bound - moves
        depth = _ZERO
        nodes += mark >> _FRESH & _ONE
        if lower == _ZERO:
            if listed < 0:
                ending = FOUND
                break
            solutions += _ONE
            entry &= ~_MASK
        while True:
            if nodes >= due:
                if stop[0]:
                    ending = STOPPED
                    break
                if nodes >= budget:
                    entries[depth] = entry
                    ending = SPENT
                    break
                due = min(nodes + _POLLED, budget)
            left = entry & _MASK
            while left == _ZERO and depth > _ZERO:
                depth -= _ONE
                entry = np.uint64(entries[depth])
                move, tile = np.uint64(made[depth]) & _THREE, np.uint64(made[depth]) >> _TWO
                board[place] = tile
                a, b = first[depth], second[depth]
                undo(tables, trail, depth, tile, place, move)
                place = np.uint64(targets[place << _TWO | move ^ _ONE])
                left = entry & _MASK
            if left == _ZERO:
                break
            move = _LOWEST >> (left << _TWO) & _THREE
            entry &= entry - _ONE
            before = np.uint64(targets[place << _TWO | move])
            tile = np.uint64(board[before])
            generated += _ONE
            lower, after_a, after_b, four = advance(
                tables, trail, a, b, tile, place, before, move, most - depth - _ONE
            )
            if depth + _ONE + lower > most:
                least = min(least, moves + depth + _ONE + lower)
                continue
            first[depth], second[depth] = a, b
            entries[depth], made[depth] = entry, tile << _TWO | move
            commit(tables, trail, depth, tile, before, move, four)
            a, b = after_a, after_b
            entry = np.uint64(following[(entry >> _FOUR) << _TWO | move])
            board[place] = tile
            place = before
            depth += _ONE
            nodes += _ONE
            if lower == _ZERO:
                if listed < 0:
                    ending = FOUND
                    break
                if solutions < np.uint64(listed):
                    for step in range(depth):
                        trail.solutions[solutions, step] = made[step] & 3
                solutions += _ONE
                entry &= ~_MASK
        if ending == DONE:
            packet += 1
    counts = trail.counts
    counts[NODES], counts[GENERATED], counts[LEAST] = nodes, generated, least
    counts[PACKET], counts[DEPTH], counts[BLANK], counts[SOLUTIONS] = packet, depth, place, solutions
    return ending
