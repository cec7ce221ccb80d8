"""The 2x2x2 cube with one corner fixed: ranks, and whole layers as bitmaps.

A rank is ``(p * 27 + h) * 27 + l``. p is the place of the permutation of the other seven corners in
lexicographic order. l and h are the orientations of cubies 0 to 2 and 3 to 5, the lowest first, to base 3;
that of cubie 6 follows, since all add up to a multiple of 3.

Orientations are counted by cubie and not by place, so a move adds a constant to those of all states with the
same permutation. In a bitmap with groups of 27 states this moves whole groups (h) and permutes the bits of
each group by shifts (l): 27 groups a permutation and move, without looking at single states.
"""

import functools
import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import int64, uint32, uint64
from numpy.typing import NDArray

from frontrow.search.bits import count_ones, lowest_one
from frontrow.search.cube import geometry
from frontrow.search.graph import Bitmap
from frontrow.search.kernel import inlined, kernel
from frontrow.search.rows import Rows

FACES = "URF"
"""The faces without the fixed corner; a turn of any other face is one of the opposite face and a rotation."""
PERMUTATIONS = 5040
GROUP = 27
STATES = PERMUTATIONS * GROUP * GROUP
"""3,674,160."""
_SEVEN = 7

_FIELD = geometry.FIELD
_NUMBER = np.uint64((1 << geometry.CORNER_BITS) - 1)
_TURNED = np.uint64(3)
_SHIFT = geometry.CORNER_BITS
_HOME = np.uint64(_SEVEN << _FIELD * _SEVEN)
"""The last corner at home."""


@functools.cache
def _permutations() -> NDArray[np.int64]:
    """Shape ``(PERMUTATIONS, 7)``: the cubie in each place."""
    return np.array(list(itertools.permutations(range(_SEVEN))), np.int64)


@functools.cache
def _tables() -> tuple[NDArray[np.uint64], NDArray[np.uint8]]:
    """Rows with all orientations 0, shape ``(PERMUTATIONS,)``, and every cubie's place in each.

    The places have the shape ``(PERMUTATIONS, 7)``.
    """
    cubies = _permutations()
    shifts = np.arange(_SEVEN, dtype=np.uint64) * np.uint64(_FIELD)
    words = np.bitwise_or.reduce(cubies.astype(np.uint64) << shifts, axis=1) | _HOME
    return words, np.argsort(cubies, axis=1).astype(np.uint8)


@kernel
def _rank(rows: Any, ranks: Any) -> None:
    """Write the rank of each row, shape ``(n, 1)``, to `ranks`, shape ``(n,)``."""
    for i in range(rows.shape[0]):
        word = rows[i, 0]
        unused = uint64(127)
        permutation = int64(0)
        low = int64(0)
        for place in range(_SEVEN):
            content = word >> uint64(_FIELD * place)
            cubie = content & _NUMBER
            below = unused & ((uint64(1) << cubie) - uint64(1))
            unused ^= uint64(1) << cubie
            permutation = permutation * (_SEVEN - place) + count_ones(below)
            power = int64(1)
            for _ in range(int64(cubie)):
                power *= 3
            if cubie < uint64(6):
                low += power * int64(content >> uint64(_SHIFT) & _TURNED)
        ranks[i] = permutation * (GROUP * GROUP) + low


@kernel
def _unrank(ranks: Any, words: Any, places: Any, rows: Any) -> None:
    """Write the row of each rank, shape ``(n,)``, to `rows`, shape ``(n, 1)``; tables as of `_tables`."""
    for i in range(ranks.shape[0]):
        permutation = ranks[i] // (GROUP * GROUP)
        left = ranks[i] - permutation * (GROUP * GROUP)
        word = words[permutation]
        total = 0
        for cubie in range(6):
            turned = left % 3
            left //= 3
            total += turned
            word |= uint64(turned) << uint64(_FIELD * places[permutation, cubie] + _SHIFT)
        word |= uint64((12 - total) % 3) << uint64(_FIELD * places[permutation, 6] + _SHIFT)
        rows[i, 0] = word


def rank(rows: Rows) -> NDArray[np.int64]:
    """Ranks of rows, shape ``(n,)``."""
    ranks = np.empty(rows.shape[0], np.int64)
    _rank(rows, ranks)
    return ranks


def unrank(ranks: NDArray[np.int64]) -> Rows:
    """Undo `rank`."""
    rows = np.empty((ranks.shape[0], 1), np.uint64)
    _unrank(ranks, *_tables(), rows)
    return rows


def _rank_permutations(cubies: NDArray[np.int64]) -> NDArray[np.int64]:
    """Places of permutations, shape ``(n, 7)``, in lexicographic order."""
    ranks = np.zeros(cubies.shape[0], np.int64)
    for place in range(_SEVEN):
        smaller = (cubies[:, place + 1 :] < cubies[:, place, None]).sum(axis=1)
        ranks = ranks * (_SEVEN - place) + smaller
    return ranks


@functools.cache
def _moves(half: bool) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """What moves make of permutations.

    Returns:
        The permutation after each move, shape ``(PERMUTATIONS, moves)``, and what is added to orientations,
        as part of a rank, of the same shape.
    """
    cubies = _permutations()
    weights = np.array([1, 3, 9, 27, 81, 243, 0])
    targets, twists = [], []
    for face in FACES:
        for amount in (1, 2, 3) if half else (1, 3):
            motion = geometry.turn(face, amount, edges=False)
            moved = np.empty_like(cubies)
            moved[:, motion.places[:_SEVEN]] = cubies
            targets.append(_rank_permutations(moved))
            twists.append((weights[cubies] * motion.twists[:_SEVEN]).sum(axis=1))
    return np.stack(targets, 1).astype(np.int32), np.stack(twists, 1).astype(np.int32)


@functools.cache
def _additions() -> NDArray[np.int32]:
    """Shape ``(27, 27)``: the sum of three digits to base 3 and three others, digit by digit."""
    digits = np.arange(GROUP)[:, None] // np.array([1, 3, 9]) % 3
    sums: NDArray[np.int64] = (digits[:, None] + digits) % 3 @ np.array([1, 3, 9])
    return sums.astype(np.int32)


@functools.cache
def _masks() -> NDArray[np.uint32]:
    """Shape ``(3, 3, 2)``: for digit k and d, the bits that adding d moves up, and those it moves down."""
    masks = np.zeros((3, 3, 2), np.uint32)
    for k, d, bit in itertools.product(range(3), range(3), range(GROUP)):
        masks[k, d, int(bit // 3**k % 3 + d >= 3)] |= np.uint32(1 << bit)
    return masks


@inlined
def _add_digit(group: Any, masks: Any, k: Any, d: Any, stride: Any) -> Any:
    """The group whose states have d more in digit k."""
    up = (group & masks[k, d, 0]) << uint32(stride * d)
    return up | (group & masks[k, d, 1]) >> uint32(stride * (3 - d))


@kernel
def _push(
    current: Any,
    following: Any,
    first: Any,
    lo: Any,
    hi: Any,
    outside: Any,
    reach: Any,
    targets: Any,
    twists: Any,
    additions: Any,
    masks: Any,
) -> Any:
    """Expand groups: see `frontrow.search.graph.Sweep`.

    Tables are those of `_moves`, `_additions` and `_masks`. `outside` has room for `reach`.
    """
    count = 0
    generated = 0
    begin = lo
    turned = np.empty(GROUP, np.uint32)
    while begin < hi:
        permutation = (first + begin) // GROUP
        offset = first + begin - permutation * GROUP
        length = min(GROUP - offset, hi - begin)
        states = int64(0)
        for i in range(length):
            states += count_ones(uint64(current[begin + i]))
        if states == 0:
            begin += length
            continue
        if outside.shape[0] - count < reach:
            return begin, count, generated
        generated += states * targets.shape[1]
        for move in range(targets.shape[1]):
            high = twists[permutation, move] // GROUP
            low = twists[permutation, move] - high * GROUP
            d0, d1, d2 = low % 3, low // 3 % 3, low // 9
            for i in range(length):
                turned[i] = current[begin + i]
            if low:
                for i in range(length):
                    group = _add_digit(turned[i], masks, 0, d0, 1)
                    group = _add_digit(group, masks, 1, d1, 3)
                    turned[i] = _add_digit(group, masks, 2, d2, 9)
            base = int64(targets[permutation, move]) * GROUP - first
            if base >= 0 and base + GROUP <= following.shape[0]:
                for i in range(length):
                    following[base + additions[high, offset + i]] |= turned[i]
                continue
            for i in range(length):
                target = base + additions[high, offset + i]
                if 0 <= target < following.shape[0]:
                    following[target] |= turned[i]
                    continue
                left = uint64(turned[i])
                while left:
                    outside[count] = uint64((target + first) * GROUP + lowest_one(left))
                    left &= left - uint64(1)
                    count += 1
        begin += length
    return hi, count, generated


@dataclass(frozen=True, slots=True)
class PocketSweep:
    """Whole layers as bitmaps with 27 states a group; see `frontrow.search.graph.Sweep`."""

    half: bool

    @property
    def width(self) -> int:
        """States a group."""
        return GROUP

    @property
    def dtype(self) -> type[np.unsignedinteger[Any]]:
        """Type of a group."""
        return np.uint32

    @property
    def reach(self) -> int:
        """Children of all states of a permutation, which are expanded together."""
        return GROUP * GROUP * len(FACES) * (3 if self.half else 2)

    def push(
        self, current: Bitmap, following: Bitmap, first: int, lo: int, hi: int, outside: NDArray[np.uint64]
    ) -> tuple[int, int, int]:
        """Expand the states of ``current[lo:hi]``."""
        tables = (*_moves(self.half), _additions(), _masks())
        return _push(current, following, first, lo, hi, outside, self.reach, *tables)  # type: ignore[no-any-return]
