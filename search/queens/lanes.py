"""Counts boards 32 or 16 at a time, one in each lane of a SIMD value.

A board is the masks of its free rows: the bits are the columns in which a queen is not attacked. A queen in
column c takes a fixed set of squares from the row at distance d, so each row's mask is ANDed with one entry
of a table; a table of columns is one or two registers, and the look-up one instruction. A board lives on if
every free row still has a square and the rows together still reach every free column: that look-ahead over
all rows, and not over one or two, leaves half of the nodes of a plain backtracker. Surviving lanes are
packed together in registers and pushed on the stack of their level. Where few lanes of a value have queens
left to place, they go back to their own stack to be packed with others.

The idea of preplacing the queens of the centre lines, and of filling rows from the centre out, is explained
in `frontrow.search.queens.split`.
"""

import functools
import threading
from typing import Any

import numpy as np
from numba import int64, uint32, uint64
from numpy.typing import NDArray

from frontrow.search.kernel import inlined, kernel
from frontrow.search.lanes import (
    BYTES,
    NATIVE,
    TABLE,
    bank,
    compress,
    count_bits,
    equal,
    keep,
    lane_numbers,
    load,
    lookup,
    nonzero,
    pick,
    shift_down,
    shift_up,
    size,
    smaller,
    splat,
    store,
)
from frontrow.search.queens.plan import kept_columns
from frontrow.search.queens.scalar import free_columns, free_squares, sort_free_rows
from frontrow.search.rows import Stop

FEWEST = 3
"""Free rows that a board must have: the last three are finished at once."""

_READY = 512
"""Boards that make a level worth a step."""
_STEP = 32
"""Values, full of boards, that one step takes from its level."""
_ROOM = _READY + _STEP * BYTES * 8 + 96
"""Boards that a level has room for: a step starts below `_READY` and adds one at most for each of the bits
of the values it takes. Not a multiple of a memory page, or the rows of a level would compete for the same
places of the cache."""
_FEW = 8
"""Lanes that are put back to be packed with others."""
_LINE = 64
"""Bytes of a cache line."""
_ONE = np.uint64(1)
_ALL_LANES = np.uint32(0xFFFFFFFF)

_own = threading.local()


@functools.cache
def _table(n: int) -> NDArray[np.uint16 | np.uint32]:
    """Squares that a queen leaves free in another row, by distance and column.

    Returns:
        ``n * TABLE`` masks: entry ``TABLE * d + c`` for the row at distance d and the c-th kept column.
    """
    width = kept_columns(n)
    half = width // 2
    kept = np.array([place for place in range(n) if place < half or place >= n - half])
    apart = np.abs(kept[:, None] - kept[None, :])
    bits = np.int64(1) << np.arange(kept.size)
    table = np.zeros((n, TABLE), np.uint16 if width == 16 else np.uint32)
    for distance in range(n):
        free = (apart != 0) & (apart != distance)
        table[distance, : kept.size] = np.where(free, bits, 0).sum(axis=1)
    return table.reshape(-1)


def _stack(width: int) -> NDArray[np.uint16] | NDArray[np.uint32]:
    """This thread's memory for the boards of all levels: a few MB, kept for the next call."""
    if not hasattr(_own, "stacks"):
        _own.stacks = {}
    stacks: dict[int, NDArray[np.uint16] | NDArray[np.uint32]] = _own.stacks
    if width not in stacks:
        cells = _ROOM * (width * (width + 1) // 2)
        # A register of a row that begins within a cache line would cost two of them.
        memory = np.zeros(cells * width // 8 + _LINE, np.uint8)
        first = -memory.ctypes.data % _LINE
        aligned = memory[first : first + cells * width // 8]
        stacks[width] = aligned.view(np.uint16) if width == 16 else aligned.view(np.uint32)
    return stacks[width]


def tally_boards(
    boards: NDArray[np.int8], weights: NDArray[np.int64], lines: NDArray[np.int64], stop: Stop
) -> tuple[NDArray[np.int64], int]:
    """Count the completions of boards.

    Args:
        boards: shape ``(k, n)``: the queen's column row by row, -1 for a free row. Each has three free rows
            or more, and its free columns are among the `kept_columns`. Boards with the same free rows and
            the same weight should follow each other.
        weights: shape ``(k,)``, 0 to 15.
        lines: the n rows in the order in which they are filled.
        stop: polled every 0.1 ms or so.

    Returns:
        Completions by weight, shape ``(16,)``, and the nodes visited, or -1 if `stop` was raised. Both are
        64-bit numbers: at 2 * 10**9 nodes a second they overflow after a century.

    Raises:
        ValueError: if a board has too few or too many free rows for a lane.
    """
    n = boards.shape[1]
    free = (boards < 0).sum(axis=1)
    if free.size and (free.min() < FEWEST or free.max() > kept_columns(n)):
        raise ValueError(
            f"boards: found {free.min()} to {free.max()} free rows, expected 3 to {kept_columns(n)}"
        )
    counts = np.zeros(16, np.int64)
    nodes = _count_boards(boards, weights, lines, _table(n), _stack(kept_columns(n)), stop, counts)
    return counts, int(nodes)


@inlined
def _unattacked(mask: Any, queen: Any, column: Any, table: Any, distance: Any, gap: Any) -> Any:
    """Squares of a row that stay free; `queen` is the queen as a bit, `column` as a number.

    `distance` is the number of rows between them, `gap` that of the columns left out in the middle.
    """
    if NATIVE:
        return mask & lookup(table, distance * TABLE, column)
    # The lower and the upper half of a mask lie apart on a board with a gap, so what a queen attacks in
    # its own half and in the other one are two shifts; a shift by 0 attacks nothing in the other half.
    width = table.itemsize * 8
    crossing = distance - gap
    near = uint64(min(distance, width - 1))
    far = uint64(crossing if 0 < crossing < width else 0)
    low_half = splat(table, (_ONE << uint64(width // 2)) - _ONE)
    low, high = queen & low_half, queen & ~low_half
    own = (shift_up(low, near) | shift_down(low, near)) & low_half
    own = own | ((shift_up(high, near) | shift_down(high, near)) & ~low_half)
    other = (shift_up(low, far) & ~low_half) | (shift_down(high, far) & low_half)
    return mask & ~(queen | own | other)


@inlined
def _packed(value: Any, mask: Any, order: Any) -> Any:
    """The lanes in the mask side by side; `order` is ``compress(lane_numbers(...), mask)``."""
    if NATIVE:
        return pick(value, order)
    return compress(value, mask)


@inlined
def _present(boards: Any) -> Any:
    """Mask of the first `boards` lanes."""
    if boards >= 32:
        return _ALL_LANES
    return uint32((_ONE << uint64(boards)) - _ONE)


@inlined
def _step(
    left: Any, level: Any, stack: Any, starts: Any, sizes: Any, table: Any, distances: Any, gap: Any
) -> Any:
    """Place a queen in the first of `left` free rows on boards of one level, in all ways.

    A constant `left` lets LLVM unroll the loops over rows and keep all masks in registers.
    """
    lanes = BYTES // stack.itemsize
    one, numbers = splat(stack, _ONE), lane_numbers(stack)
    masks, children = bank(stack), bank(stack)
    here, there = starts[level], starts[level + 1]
    top = sizes[level]
    begin = max(top - _STEP * lanes, 0)
    back, end = begin, sizes[level + 1]
    for at in range(begin, top, lanes):
        first = load(stack, here + at)
        others = load(stack, here + _ROOM + at)
        masks[1] = others
        for row in range(2, left):
            mask = load(stack, here + row * _ROOM + at)
            masks[row] = mask
            others = others | mask
        columns = first | others
        todo = keep(first, _present(top - at))
        active = nonzero(todo)
        while True:
            below = todo - one
            place = count_bits(below & ~todo)
            remaining = todo & below
            queen = todo ^ remaining
            todo = remaining
            reached = _unattacked(masks[1], queen, place, table, distances[level, 1], gap)
            children[1] = reached
            least = reached
            for row in range(2, left):
                mask = _unattacked(masks[row], queen, place, table, distances[level, row], gap)
                children[row] = mask
                reached = reached | mask
                least = smaller(least, mask)
            alive = active & nonzero(least) & equal(reached, columns ^ queen)
            order = compress(numbers, alive)
            for row in range(1, left):
                store(stack, there + (row - 1) * _ROOM + end, _packed(children[row], alive, order))
            end += size(alive)
            active = nonzero(todo)
            if size(active) <= _FEW:
                break
        if active:
            # A column that only the squares already tried could reach is lost to the rest of this board.
            active = active & ~nonzero(columns & ~(todo | others))
            order = compress(numbers, active)
            store(stack, here + back, _packed(todo, active, order))
            for row in range(1, left):
                store(stack, here + row * _ROOM + back, _packed(masks[row], active, order))
            back += size(active)
    sizes[level] = back
    added = end - sizes[level + 1]
    sizes[level + 1] = end
    return added


@inlined
def _finish(level: Any, stack: Any, starts: Any, sizes: Any, table: Any, distances: Any, gap: Any) -> Any:
    """Count the completions of boards of the last level, which have three free rows."""
    lanes = BYTES // stack.itemsize
    one, here = splat(stack, _ONE), starts[level]
    to_second, to_third, between = distances[level, 1], distances[level, 2], distances[level + 1, 1]
    top = sizes[level]
    begin = max(top - _STEP * lanes, 0)
    total = int64(0)
    for at in range(begin, top, lanes):
        todo = keep(load(stack, here + at), _present(top - at))
        second, third = load(stack, here + _ROOM + at), load(stack, here + 2 * _ROOM + at)
        columns = todo | second | third
        active = nonzero(todo)
        while active:
            below = todo - one
            place = count_bits(below & ~todo)
            remaining = todo & below
            queen = todo ^ remaining
            todo = remaining
            upper = _unattacked(second, queen, place, table, to_second, gap)
            lower = _unattacked(third, queen, place, table, to_third, gap)
            pair = columns ^ queen  # the two columns left, if the rows reach them both
            below = pair - one
            peaceful = _unattacked(pair, pair & ~below, count_bits(below & ~pair), table, between, gap)
            found = active & nonzero(smaller(smaller(upper, lower), peaceful)) & equal(upper | lower, pair)
            # Two queens fit one way round, and the other way too if both rows reach both columns.
            total += size(found) + size(found & equal(upper & lower, pair))
            active = nonzero(todo)
    sizes[level] = begin
    return total


@inlined
def _push(board: Any, n: Any, gap: Any, rows: Any, count: Any, stack: Any, sizes: Any) -> Any:
    """Put a board on the first level, unless a free row or column of it is out of reach."""
    half = uint64(stack.itemsize * 4)
    low_half = (_ONE << half) - _ONE
    at = sizes[0]
    reached = uint64(0)
    alive = True
    for index in range(count):
        mask = free_squares(board, n, rows[index])
        alive = alive and mask != uint64(0)
        reached |= mask
        if gap:
            mask = (mask & low_half) | (mask >> uint64(gap) & ~low_half)
        stack[index * _ROOM + at] = mask
    if alive and reached == free_columns(board, n):
        sizes[0] = at + 1


@inlined
def _work(
    left: Any, level: Any, stack: Any, starts: Any, sizes: Any, table: Any, distances: Any, gap: Any
) -> Any:
    """Take a step on one level, which has `left` free rows; the solutions found, and the boards added."""
    if left == FEWEST:
        return _finish(level, stack, starts, sizes, table, distances, gap), int64(0)
    if left == 4:
        return int64(0), _step(4, level, stack, starts, sizes, table, distances, gap)
    if left == 5:
        return int64(0), _step(5, level, stack, starts, sizes, table, distances, gap)
    if left == 6:
        return int64(0), _step(6, level, stack, starts, sizes, table, distances, gap)
    if left == 7:
        return int64(0), _step(7, level, stack, starts, sizes, table, distances, gap)
    if left == 8:
        return int64(0), _step(8, level, stack, starts, sizes, table, distances, gap)
    if left == 9:
        return int64(0), _step(9, level, stack, starts, sizes, table, distances, gap)
    return int64(0), _step(left, level, stack, starts, sizes, table, distances, gap)


@inlined
def _group_end(boards: Any, weights: Any, begin: Any, lines: Any, rows: Any, count: Any, scratch: Any) -> Any:
    """One past the last board from `begin` on with the same weight and the same free rows."""
    end = begin + 1
    while end < boards.shape[0] and weights[end] == weights[begin]:
        if sort_free_rows(boards[end], lines, scratch) != count:
            return end
        for row in range(count):
            if scratch[row] != rows[row]:
                return end
        end += 1
    return end


@inlined
def _deepest(sizes: Any, count: Any) -> Any:
    """The deepest level with enough boards for a step; -1 if there is none."""
    level = count - FEWEST
    while level >= 0 and sizes[level] < _READY:
        level -= 1
    return level


@inlined
def _highest(sizes: Any, count: Any) -> Any:
    """The highest level that has boards at all; -1 if there is none."""
    for level in range(count - FEWEST + 1):
        if sizes[level]:
            return level
    return -1


@kernel
def _count_boards(
    boards: Any, weights: Any, lines: Any, table: Any, stack: Any, stop: Any, counts: Any
) -> Any:
    n = boards.shape[1]
    width = stack.itemsize * 8
    gap = max(n - width, 0)
    rows, scratch = np.empty(n, np.int64), np.empty(n, np.int64)
    starts, sizes = np.zeros(width + 1, np.int64), np.zeros(width + 1, np.int64)
    distances = np.zeros((width, width), np.int64)
    nodes = int64(0)
    at = 0
    while at < boards.shape[0]:
        weight = weights[at]
        count = sort_free_rows(boards[at], lines, rows)
        end = _group_end(boards, weights, at, lines, rows, count, scratch)
        for level in range(count):
            starts[level + 1] = starts[level] + (count - level) * _ROOM
            for row in range(1, count - level):
                distances[level, row] = abs(rows[level] - rows[level + row])
        nodes += end - at
        while True:
            if stop[0]:
                return int64(-1)
            level = _deepest(sizes, count)
            if level < 0:
                while sizes[0] < 4 * _READY and at < end:
                    _push(boards[at], n, gap, rows, count, stack, sizes)
                    at += 1
                level = 0 if sizes[0] >= _READY else _highest(sizes, count)
                if level < 0:
                    break
            found, added = _work(count - level, level, stack, starts, sizes, table, distances, gap)
            counts[weight] += found
            nodes += added
    return nodes
