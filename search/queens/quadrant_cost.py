"""What a row of the quadrant counter will cost, in integers that are the same on every machine.

The lengths of the lists are estimated as if columns were independent: a queen in row i and one in row i'
of the same quadrant share a diagonal for 2 (h - d) of h (h - 1) pairs of columns, d = abs(i - i'), and one
in the next quadrant for 2 (h - g - i - i') of h * h. Logarithms are kept as multiples of 1 / 4096.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import comb, isqrt, perm

import numpy as np
from numpy.typing import NDArray

from frontrow.search.queens.quadrant_tables import Part

_SCALE = 4096
_ROOTS = np.array([isqrt(isqrt(isqrt(isqrt(1 << 16 * 10 + i)))) for i in range(16)], np.int64)
"""2**10 times the sixteen powers of the sixteenth root of 2."""
_SAMPLES = 4
"""Row sets on either side whose pairs stand for a row."""


@lru_cache(maxsize=4096)
def log2(value: int) -> int:
    """4096 times the binary logarithm, cut to an integer."""
    power: int = value**_SCALE
    return power.bit_length() - 1


def exp2(scaled: NDArray[np.int64]) -> NDArray[np.int64]:
    """Undo `log2`, to about a twentieth; below 0 it is 0, and 2**40 at most."""
    sixteenths = np.clip(scaled >> 8, 0, 40 * 16)
    power: NDArray[np.int64] = (_ROOTS[sixteenths & 15] << (sixteenths >> 4)) >> 10
    return power


@lru_cache(maxsize=32)
def _terms(h: int, gap: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Logarithms of the chance that rows i and i' of one quadrant, and of neighbours, do not attack."""
    within = np.zeros((h, h), np.int64)
    across = np.zeros((h, h), np.int64)
    for i in range(h):
        for j in range(h):
            if i != j:
                within[i, j] = log2(h * (h - 1) - 2 * (h - abs(i - j)) or 1) - log2(h * (h - 1))
            across[i, j] = log2(h * h - 2 * max(0, h - gap - i - j) or 1) - log2(h * h)
    return within, across


def _members(sets: NDArray[np.int64], h: int) -> NDArray[np.int64]:
    members: NDArray[np.int64] = sets[:, None] >> np.arange(h) & 1
    return members


@dataclass(frozen=True)
class _Scores:
    """What the logarithm of a list's length is made of.

    Attributes:
        a: for every row set a, its part of the eastern and of the western logarithm, shape ``(2, a)``.
        c: the same for c.
        a_rows: for every a and row, what a queen of the south in that row adds, shape ``(2, a, h)``.
        c_rows: the southern rows of every c, in the east and in the west, shape ``(2, c, h)``.
    """

    a: NDArray[np.int64]
    c: NDArray[np.int64]
    a_rows: NDArray[np.int64]
    c_rows: NDArray[np.int64]


@lru_cache(maxsize=2)
def _scores(part: Part) -> _Scores:
    h = part.h
    within, across = _terms(h, 1 + part.n % 2)
    north = [_members(sets, h) for sets in (part.a, part.north ^ part.a)]
    south = [_members(sets, h) for sets in (part.all ^ part.c, part.c)]
    inside = [[((rows @ within) * rows).sum(axis=1) // 2 for rows in sides] for sides in (north, south)]
    for side, columns, chosen in ((0, part.east, part.k), (1, part.all, int(part.c[0]).bit_count())):
        size = columns.bit_count()
        inside[0][side] += log2(perm(size, chosen) * perm(size, size - chosen)) - log2(comb(size, chosen))
    # What the independence of columns misses, as measured at n = 16 to 20.
    missed = (_SCALE // 2, 3 * _SCALE // 4) if part.flagged else (3 * _SCALE, 5 * _SCALE // 2)
    for side in range(2):
        inside[0][side] -= missed[side]
        if part.flagged:
            low, high = part.reach(np.arange(part.a.size))
            kept = np.array([log2(max(1, size)) for size in (high - low).tolist()], np.int64)
            inside[0][side] += kept - log2(part.a.size)
    return _Scores(
        np.stack(inside[0]), np.stack(inside[1]), np.stack([rows @ across for rows in north]), np.stack(south)
    )


def pair_cost(part: Part, a: NDArray[np.int64], c: NDArray[np.int64]) -> NDArray[np.int64]:
    """Work of pairs of row sets by their numbers; shape of `a` and `c`."""
    scores = _scores(part)
    east, west = (
        scores.a[side][a] + scores.c[side][c] + (scores.a_rows[side][a] * scores.c_rows[side][c]).sum(axis=-1)
        for side in range(2)
    )
    lists = exp2(east) + exp2(west)
    # Longer lists are split further: the work grows with the power 0.6 of the number of pairs of words.
    matched = exp2((east + west) * 3 // 5)
    return 300 + lists + matched


def range_cost(part: Part, ranges: NDArray[np.int64]) -> NDArray[np.int64]:
    """Work of rectangles of row sets: the pairs in it times the mean of a few of them.

    Args:
        part: what they belong to.
        ranges: shape ``(n, 4)``: a from, a to, c from, c to, as far as there are partners for the last a.

    Returns:
        Shape ``(n,)``, at least 1.
    """
    a0, a1, c0, c1 = ranges.T
    total = np.zeros(a0.size, np.int64)
    for x in range(_SAMPLES):
        a = a0 + (a1 - 1 - a0) * x // (_SAMPLES - 1)
        low, high = part.reach(a)
        first = np.maximum(c0, low)
        count = np.maximum(np.minimum(c1, high) - first, 0)
        for y in range(_SAMPLES):
            c = np.clip(first + (count - 1) * y // (_SAMPLES - 1), 0, part.c.size - 1)
            total += pair_cost(part, a, c) * count
    # Sixteen times the mean over a of what one a takes.
    cost: NDArray[np.int64] = np.maximum(total // _SAMPLES**2 * (a1 - a0), 1)
    return cost
