"""Groups: up to 512 half boards, transposed and tabulated, and how words are looked up in them.

A group is transposed, one bit row a diagonal, and tabulated: for every chunk of a word's bits and every value
of the chunk, which of the 512 words avoid it. Another word then takes a look-up a chunk.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from frontrow.search.kernel import inlined, kernel
from frontrow.search.queens.quadrant_lanes import (
    count8,
    load,
    store,
    vadd,
    vall,
    vand,
    vcompress,
    vcount,
    vload,
    vnot,
    vset,
    vshl,
    vshr,
    vstore,
    vsum,
    vxor,
    vzero,
)

GROUP = 512
"""Words that are matched at once: bits of a vector."""
CHUNK = 6
"""Bits of a word that are looked up at once. With 7 the tables fill the first cache of most processors."""
SCRATCH = 1024
"""Words that a group is matched with at a time; they stay in the first cache."""
RANKED = 12
"""Diagonals that are ranked at a time."""
LEVELS = 60
"""Deepest split."""
EAST, WEST, GROUPS, SURVIVORS, WORK = range(5)
"""Check figures: words of eastern and western half boards, groups, words that met a group, work."""
GROUP_WORK = 200
"""Work of one group in multiples of one word that meets a group."""
FRAME = 9
"""Words of a frame of the stack."""
BYTES = 8
"""Bytes a word."""
_ONE = np.uint64(1)
_ONES = np.uint64(2**64 - 1)
_ZERO = np.uint64(0)
_THREE = np.uint64(3)
_M32, _M16, _M8 = np.uint64(0x00000000FFFFFFFF), np.uint64(0x0000FFFF0000FFFF), np.uint64(0x00FF00FF00FF00FF)
_M4, _M2, _M1 = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x3333333333333333), np.uint64(0x5555555555555555)
_C5, _C6, _C7, _C8, _C9 = (None,) * 5, (None,) * 6, (None,) * 7, (None,) * 8, (None,) * 9


class Space(NamedTuple):
    """Addresses of the arrays that one thread works in, and how long the longest are.

    Attributes:
        east: eastern half boards without ties; `west`, `east_ties` and `west_ties` alike.
        grouped: what is split off a grouped list.
        items: what is kept of a listed list.
        square: a group.
        tables: a group's tables.
        scratch: what is kept of a listed list for a group.
        stack: frames.
        ranks: rankings of diagonals, one a level.
        uses: how often each diagonal is used by either side.
        result: pairs found with words without and with a tie.
        limit: words of a block.
        ties: words of a list with a tie.
    """

    east: int
    west: int
    east_ties: int
    west_ties: int
    grouped: int
    items: int
    square: int
    tables: int
    scratch: int
    stack: int
    ranks: int
    uses: int
    result: int
    limit: int
    ties: int


class Workspace:
    """One thread's arrays. Pages that are never used cost no memory.

    Args:
        limit: longest list that is matched at once.
        ties: longest list of half boards with a tie.
    """

    def __init__(self, limit: int, ties: int) -> None:
        sizes = (
            limit, limit, ties, ties, 3 * limit, 3 * limit, GROUP, 9 * 8 << CHUNK, SCRATCH,
            FRAME * (LEVELS + 2), LEVELS * (RANKED + 1), 128, 8,
        )  # fmt: skip
        self._arrays: list[NDArray[np.uint64]] = [np.empty(size + 64, np.uint64) for size in sizes]
        places = [array.ctypes.data + 63 & ~63 for array in self._arrays]
        self.space = Space._make([*places, limit, ties])


@inlined
def _butterfly(low: Any, high: Any, shift: Any, mask: Any) -> Any:
    swap = vand(vxor(vshr(low, shift), high), mask)
    return vxor(low, vshl(swap, shift)), vxor(high, swap)


@kernel
def _exchange(at: int, stride: int, shift: int, m4: Any, m2: Any, m1: Any) -> None:
    """Three of the six steps of a bit transposition, on eight rows that are `stride` words apart."""
    r0 = vload(at, 0)
    r1 = vload(at, stride)
    r2 = vload(at, 2 * stride)
    r3 = vload(at, 3 * stride)
    r4 = vload(at, 4 * stride)
    r5 = vload(at, 5 * stride)
    r6 = vload(at, 6 * stride)
    r7 = vload(at, 7 * stride)
    bits = np.uint64(shift)
    mask = vset(m4)
    r0, r4 = _butterfly(r0, r4, bits, mask)
    r1, r5 = _butterfly(r1, r5, bits, mask)
    r2, r6 = _butterfly(r2, r6, bits, mask)
    r3, r7 = _butterfly(r3, r7, bits, mask)
    bits >>= _ONE
    mask = vset(m2)
    r0, r2 = _butterfly(r0, r2, bits, mask)
    r1, r3 = _butterfly(r1, r3, bits, mask)
    r4, r6 = _butterfly(r4, r6, bits, mask)
    r5, r7 = _butterfly(r5, r7, bits, mask)
    bits >>= _ONE
    mask = vset(m1)
    r0, r1 = _butterfly(r0, r1, bits, mask)
    r2, r3 = _butterfly(r2, r3, bits, mask)
    r4, r5 = _butterfly(r4, r5, bits, mask)
    r6, r7 = _butterfly(r6, r7, bits, mask)
    vstore(at, 0, r0)
    vstore(at, stride, r1)
    vstore(at, 2 * stride, r2)
    vstore(at, 3 * stride, r3)
    vstore(at, 4 * stride, r4)
    vstore(at, 5 * stride, r5)
    vstore(at, 6 * stride, r6)
    vstore(at, 7 * stride, r7)


@kernel
def _transpose(square: int, bits: int) -> None:
    """Transpose 512 words: afterwards row b, eight words, holds bit b of all of them, for b below `bits`.

    Word t of the list becomes bit ``t // 8`` of lane ``t % 8``.
    """
    for row in range(8):
        _exchange(square + 8 * BYTES * row, 64, 32, _M32, _M16, _M8)
    for row in range(0, bits, 8):
        _exchange(square + 8 * BYTES * row, 8, 4, _M4, _M2, _M1)


@kernel
def _tabulate(square: int, count: int, bits: int, tables: int) -> None:
    """Make the tables of a transposed group of `count` words.

    Chunk c has ``2**CHUNK`` entries of eight words; entry s holds the words that avoid the bits in s.
    """
    for lane in range(8):
        inside = (count - lane + 7) // 8 if count > lane else 0
        store(tables, lane, _ONES if inside == 64 else (_ONE << np.uint64(inside)) - _ONE)
    at = tables
    # At least as many chunks as `_look_up` has code for; those beyond the word have one entry in use.
    for begin in range(0, max(bits, 5 * CHUNK), CHUNK):
        if begin:
            vstore(at, 0, vset(_ONES))
        size = 8
        for b in range(begin, min(begin + CHUNK, bits)):
            free = vnot(vload(square, b * 8))
            for s in range(0, size, 8):
                vstore(at, s + size, vand(free, vload(at, s)))
            size *= 2
        at += (8 * BYTES) << CHUNK


@kernel
def _look(source: int, count: int, tables: int, chunks: Any) -> int:
    """Pairs of one of `count` words and a word of the group that have nothing in common.

    Args:
        source: address of the words.
        count: how many they are.
        tables: address of the group's tables.
        chunks: tuple of as many members as there are chunks; code is made for it.
    """
    mask = np.uint64((1 << CHUNK) - 1)
    total = vset(_ZERO)
    for i in range(count):
        word = load(source, i)
        free = vload(tables, np.int64((word & mask) << _THREE))
        for c in range(1, len(chunks)):
            entry = np.int64((word >> np.uint64(c * CHUNK) & mask) << _THREE)
            free = vand(free, vload(tables, entry + c * (8 << CHUNK)))
        total = vadd(total, vcount(free))
    pairs: int = vsum(total)
    return pairs


@kernel
def _look_up(source: int, count: int, bits: int, tables: int) -> int:
    """Choose the code for a number of chunks."""
    if bits <= 30:
        return _look(source, count, tables, _C5)
    if bits <= 36:
        return _look(source, count, tables, _C6)
    if bits <= 42:
        return _look(source, count, tables, _C7)
    if bits <= 48:
        return _look(source, count, tables, _C8)
    return _look(source, count, tables, _C9)


@kernel
def select_words(source: int, count: int, without: Any, out: int) -> int:
    """Copy the words that have no bit of `without`, perhaps onto themselves; returns how many they are."""
    mask = vset(without)
    kept = 0
    whole = count & ~7
    for i in range(0, whole, 8):
        words = vload(source, i)
        keep = vzero(vand(words, mask))
        vstore(out, kept, vcompress(words, keep))
        kept += count8(keep)
    if whole < count:
        words = vload(source, whole)
        keep = np.uint8(vzero(vand(words, mask)) & np.uint8((1 << (count - whole)) - 1))
        vstore(out, kept, vcompress(words, keep))
        kept += count8(keep)
    return kept


@kernel
def part_words(source: int, count: int, bit: Any, out: int) -> int:
    """Move the words with `bit` to `out` and the others together; returns how many the others are."""
    mask = vset(bit)
    kept = 0
    whole = count & ~7
    for i in range(0, whole, 8):
        words = vload(source, i)
        keep = vzero(vand(words, mask))
        vstore(source, kept, vcompress(words, keep))
        vstore(out, i - kept, vcompress(words, np.uint8(~keep)))
        kept += count8(keep)
    if whole < count:
        words = vload(source, whole)
        inside = np.uint8((1 << (count - whole)) - 1)
        keep = np.uint8(vzero(vand(words, mask)) & inside)
        vstore(source, kept, vcompress(words, keep))
        vstore(out, whole - kept, vcompress(words, np.uint8(~keep & inside)))
        kept += count8(keep)
    return kept


@kernel
def _sample(source: int, count: int, bits: int, square: int, uses: int) -> int:
    """Count in up to 512 evenly spaced words how often each bit is used; returns how many were looked at."""
    vectors = min(count // 8, 64)
    step = count // 8 // vectors * 8
    for row in range(64):
        vstore(square, row * 8, vload(source, row * step) if row < vectors else vset(_ZERO))
    _transpose(square, bits)
    for b in range(bits):
        store(uses, b, np.uint64(vsum(vcount(vload(square, b * 8)))))
    return vectors * 8


@kernel
def rank_bits(grouped: int, count: int, items: int, number: int, bits: int, space: Any, rank: int) -> None:
    """List the bits that are used most by both sides; ends with -1."""
    uses = space.uses
    seen = _sample(grouped, count, bits, space.square, uses)
    _sample(items, number, bits, space.square, uses + 64 * BYTES)
    for b in range(bits):
        used = load(uses, b)
        store(uses, b, used * load(uses, 64 + b) if used < np.uint64(seen) else _ZERO)
    for place in range(RANKED):
        best = 0
        for b in range(1, bits):
            if load(uses, b) > load(uses, best):
                best = b
        store(rank, place, np.uint64(best) if load(uses, best) > _ZERO else _ONES)
        store(uses, best, _ZERO)
    store(rank, RANKED, _ONES)


@kernel
def match_group(
    grouped: int, count: int, items: int, number: int, ties: int, tied: int, bits: int,
    space: Any, figures: Any,
) -> None:  # fmt: skip
    """Match a group of words with listed words and with tied words; adds to ``space.result``."""
    square = space.square
    common = vset(_ONES)
    for t in range(0, GROUP, 8):
        words = vset(_ONES)
        if t + 8 <= count:
            words = vload(grouped, t)
        elif t < count:
            for z in range(8):
                store(square, t + z, load(grouped, t + z) if t + z < count else _ONES)
            words = vload(square, t)
        common = vand(common, words)
        vstore(square, t, words)
    shared = vall(common) & ((_ONE << np.uint64(bits)) - _ONE)
    ready = False
    figures[GROUPS] += 1
    for part in range(2):
        source = items if part == 0 else ties
        left = number if part == 0 else tied
        while left > 0:
            kept = select_words(source, min(left, SCRATCH), shared, space.scratch)
            source += SCRATCH * BYTES
            left -= SCRATCH
            if kept == 0:
                continue
            if not ready:
                _transpose(square, bits)
                _tabulate(square, count, bits, space.tables)
                ready = True
            figures[SURVIVORS] += kept
            found = _look_up(space.scratch, kept, bits, space.tables)
            store(space.result, part, load(space.result, part) + np.uint64(found))
