"""Layers of sliding boards as bitmaps of ranks.

A group (see `frontrow.search.sliding.ranking`) is 16 bits, one for each place of the blank. Moves along
rows are one look-up by these bits. A move up or down takes a tile past the ``columns - 1`` before or behind
it, so that it changes the digits of this window of the order alone, and by an amount that depends on
nothing but these digits: there is a table for each window. Groups are taken in blocks whose first digits
are the same; with what the other digits add to the number of each window in a table as well, no group is
ever decoded.
"""

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frontrow.search.graph import Bitmap
from frontrow.search.kernel import kernel
from frontrow.search.sliding.board import Shape
from frontrow.search.sliding.moves import moves
from frontrow.search.sliding.ranking import Ranking, ranking

_SUFFIX = 4
"""Digits that groups of one block may differ in: 360 groups, whose tables fit the innermost cache."""
_DOWN, _UP = 0, 1


@dataclass(frozen=True, slots=True, eq=False)
class RankSweep:
    """The kernel for single moves on boards of a shape and a parity, with its tables.

    A code is a move up or down: twice the number of its window, and one more if the blank moves up.

    Attributes:
        width: cells of the board.
        reach: most moves up or down from the states of one group.
        groups: of the whole graph.
        block: groups a block.
        prefix: ranges of the digits that tell blocks apart.
        plan: a line a code, see `push_groups`.
        suffixes: what the last digits add to the number of each window, shape ``(block, windows)``.
        deltas: by how much each code changes the group, by the number of its window.
        sideways: the places that moves along rows lead to, for every set of places; shape ``(2**width,)``.
        starts: where the codes of every set of places begin in `codes`, shape ``(2**width + 1,)``.
        codes: the moves up or down from every set of places.
        totals: all moves from every set of places, shape ``(2**width,)``.
    """

    width: int
    reach: int
    groups: int
    block: int
    prefix: NDArray[np.int64]
    plan: NDArray[np.int64]
    suffixes: NDArray[np.uint16]
    deltas: NDArray[np.int32]
    sideways: NDArray[np.uint16]
    starts: NDArray[np.int32]
    codes: NDArray[np.uint8]
    totals: NDArray[np.uint8]

    @property
    def dtype(self) -> type[np.unsignedinteger[Any]]:
        """Two bytes a group."""
        return np.uint16

    def push(
        self, current: Bitmap, following: Bitmap, first: int, lo: int, hi: int, outside: NDArray[np.uint64]
    ) -> tuple[int, int, int]:
        """Expand groups; see `frontrow.search.graph.Sweep`."""
        # A shard that is all there is needs no room for others' ranks.
        room = outside.shape[0] - self.reach if current.shape[0] < self.groups else 0
        return push_groups(  # type: ignore[no-any-return]
            current,
            following,
            first,
            lo,
            hi,
            outside,
            room,
            self.width,
            self.block,
            self.prefix,
            self.plan,
            self.suffixes,
            self.deltas,
            self.sideways,
            self.starts,
            self.codes,
            self.totals,
        )


@functools.lru_cache(16)
def sweep(shape: Shape, parity: int) -> RankSweep | None:
    """The sweep of a shape and a parity; None where there are no ranks."""
    table = ranking(shape, parity)
    if table is None:
        return None
    cells, columns = shape.cells, shape.columns
    free = cells - 3
    fixed = max(0, free - _SUFFIX)
    ranges = np.arange(cells - 1, 0, -1)
    block = math.prod(ranges[fixed:free].tolist())
    windows = [_Window(table, start, start + columns) for start in range(cells - columns)]
    suffixes = np.stack([window.suffix(fixed, block) for window in windows], axis=1)
    plan, deltas = _join(windows, fixed, block)
    return RankSweep(
        cells,
        2 * len(windows),
        table.groups,
        block,
        ranges[:fixed].astype(np.int64),
        plan,
        np.ascontiguousarray(suffixes, np.uint16),
        deltas,
        *_set_tables(shape),
    )


class _Window:
    """The digits that a move up or down changes: those from `start` up to `stop`, less one.

    The blank is at the place `start` before it moves down, and at `stop` before it moves up. The number of a
    window is that which its digits make. The last two digits of all follow from parity. Where the window
    has one of them, the last bit of its number is that of the two that is not always 0.
    """

    def __init__(self, table: Ranking, start: int, stop: int) -> None:
        self.table, self.start, self.stop = table, start, stop
        tiles, free = table.cells - 1, table.weights.shape[0]
        self.ranges = [tiles - digit for digit in range(start, stop)]
        self.numbers = math.prod(self.ranges)
        self.doubled = stop > free
        """Whether the last bit of the number follows from parity."""
        self.end = min(stop, free)
        self.weight = int(table.weights[self.end - 1]) if self.end > start else 1
        """Groups from one number without that bit to the next."""
        self.parts = math.prod(tiles - digit for digit in range(start, self.end))
        """Numbers without that bit."""

    def suffix(self, fixed: int, block: int) -> NDArray[np.int64]:
        """What the digits behind the first `fixed` add to the number, for every group of a block."""
        groups = np.arange(block)
        numbers = groups * 0 if self.end <= fixed else groups // self.weight % self.parts
        if not self.doubled:
            return numbers
        odd = np.zeros(block, np.int64)
        for digit in range(fixed, self.table.weights.shape[0]):
            odd += groups // int(self.table.weights[digit]) % (self.table.cells - 1 - digit)
        return 2 * numbers + odd % 2

    def prefix(self, fixed: int, block: int) -> tuple[int, int, int]:
        """How the number of a block makes the rest: divided, reduced, multiplied by these."""
        factor = 2 if self.doubled else 1
        if self.end <= fixed:
            return self.weight // block, self.parts, factor
        shared = math.prod(self.table.cells - 1 - digit for digit in range(self.start, fixed))
        return 1, shared, factor * (block // self.weight)

    def deltas(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """By how much moves down and up change the group, by the number; shape ``(numbers,)``."""
        factor = 2 if self.doubled else 1
        numbers = np.arange(self.numbers)
        digits = np.array(np.unravel_index(numbers, self.ranges))
        # The order within the window, from the last digit on (each counts the smaller ones that follow).
        order = digits.copy()
        for index in range(len(order) - 2, -1, -1):
            order[index + 1 :] += order[index + 1 :] >= order[index]
        greater = order[:-1] > order[-1]
        moved = np.concatenate([digits[-1:] + (~greater).sum(axis=0), digits[:-1] - greater])
        images = np.ravel_multi_index(tuple(moved), self.ranges)
        down = (images // factor - numbers // factor) * self.weight
        up = np.empty_like(down)
        up[images] = -down
        return down, up


def _join(windows: list[_Window], fixed: int, block: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The plan of a sweep, and the tables of all its windows one after the other.

    A window whose last bit follows from parity has two tables a direction, the other one with that bit
    reversed, for blocks with the other parity.
    """
    plan, parts, offset = [], [], 0
    for window in windows:
        for direction, delta in enumerate(window.deltas()):
            source, target = (window.start, window.stop)[:: -1 if direction == _UP else 1]
            odd = int(window.table.odds[source])
            step = window.numbers if window.doubled else 0
            plan.append((offset, *window.prefix(fixed, block), step, odd, target))
            parts.append(delta)
            if window.doubled:
                parts.append(delta[np.arange(window.numbers) ^ 1])
            offset += window.numbers + step
    return np.array(plan, np.int64), np.concatenate(parts).astype(np.int32)


def _set_tables(
    shape: Shape,
) -> tuple[NDArray[np.uint16], NDArray[np.int32], NDArray[np.uint8], NDArray[np.uint8]]:
    """What `RankSweep` knows of every set of places: `sideways`, `starts`, `codes`, `totals`."""
    cells, columns = shape.cells, shape.columns
    table = moves(shape, False)
    sets = np.arange(1 << cells)
    held = sets[:, None] >> np.arange(cells) & 1
    sideways = np.zeros(1 << cells, np.uint16)
    for place in range(cells):
        for target in table.targets[place, : table.counts[place]].tolist():
            if target // columns == place // columns:
                sideways |= (held[:, place] << target).astype(np.uint16)
    possible = np.empty((1 << cells, 2 * (cells - columns)), np.bool_)
    possible[:, _DOWN::2], possible[:, _UP::2] = held[:, :-columns], held[:, columns:]
    starts = np.zeros((1 << cells) + 1, np.int32)
    starts[1:] = possible.sum(axis=1).cumsum()
    codes = np.nonzero(possible)[1].astype(np.uint8)
    return sideways, starts, codes, (held @ table.counts).astype(np.uint8)


@kernel
def push_groups(
    current: Any,
    following: Any,
    first: Any,
    lo: Any,
    hi: Any,
    outside: Any,
    room: Any,
    width: Any,
    block: Any,
    prefix: Any,
    plan: Any,
    suffixes: Any,
    deltas: Any,
    sideways: Any,
    starts: Any,
    codes: Any,
    totals: Any,
) -> Any:
    """Expand the states of ``current[lo:hi]``.

    Args:
        current: shape ``(groups of the shard,)``, ``uint16``.
        following: likewise; bits of children are set.
        first: number of the shard's first group.
        lo: first group to be expanded.
        hi: the one after the last.
        outside: takes ranks of children in groups of other shards.
        room: ranks that `outside` may hold before the next group is expanded.
        width: states a group.
        block: groups a block.
        prefix: ranges of the digits that make the number of a block.
        plan: a line a code: where its table begins; by what the number of a block is divided, reduced and
            multiplied; the distance of the table for the other parity; the parity that the order of the tiles
            has before the move; where the blank goes to.
        suffixes: what the group within its block adds, shape ``(block, windows)``.
        deltas: all tables.
        sideways: by sets of places, as the next three.
        starts: see `RankSweep`.
        codes: see `RankSweep`.
        totals: see `RankSweep`.

    Returns:
        The group at which it left off, the number of ranks in `outside`, and that of children.
    """
    bases = np.empty(plan.shape[0], np.int64)
    bits = np.empty(plan.shape[0], np.uint16)
    for code in range(plan.shape[0]):
        bits[code] = 1 << plan[code, 6]
    known = -1
    count = 0
    children = np.int64(0)
    group = lo
    while group < hi:
        number = (first + group) // block
        end = min(hi, (number + 1) * block - first)
        offset = first - number * block
        for index in range(group, end):
            places = np.int64(current[index])
            if places == 0:
                continue
            if count > room:
                return index, count, children
            if known != number:
                known = number
                odd = 0
                left_over = number
                for digit in range(prefix.shape[0] - 1, -1, -1):
                    odd ^= left_over % prefix[digit] & 1
                    left_over //= prefix[digit]
                for code in range(plan.shape[0]):
                    bases[code] = plan[code, 0] + number // plan[code, 1] % plan[code, 2] * plan[code, 3]
                    if odd != plan[code, 5]:
                        bases[code] += plan[code, 4]
            following[index] |= sideways[places]
            children += totals[places]
            for move in range(starts[places], starts[places + 1]):
                chosen = codes[move]
                target = index + deltas[bases[chosen] + suffixes[index + offset, chosen >> 1]]
                if 0 <= target < current.shape[0]:
                    following[target] |= bits[chosen]
                else:
                    outside[count] = (first + target) * width + plan[chosen, 6]
                    count += 1
        group = end
    return hi, count, children
