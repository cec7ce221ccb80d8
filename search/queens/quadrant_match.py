"""Half boards and how they are matched: the kernels of the quadrant counter.

A half board is two quarter words without a common diagonal; its word is their union. Two half boards make
a solution if their words have nothing in common. One list is cut into groups of at most 512 words; a
group is transposed, one bit row a diagonal, and tabulated: for every chunk of a word's bits and every value
of the chunk, which of the 512 words avoid it. A word of the other list then takes a look-up a chunk.

Before that the list is split again and again by the diagonal that is used most by both sides, so that the
words of a group have many diagonals in common: all words of the other list that use one of these are
out at once, and most of them were already left behind on the way.
"""

from typing import Any, NamedTuple

import numpy as np

from frontrow.search.kernel import inlined, kernel
from frontrow.search.queens.quadrant_lanes import (
    count8,
    vadd,
    vall,
    vand,
    vcompress,
    vcount,
    vload,
    vnot,
    vor,
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
SCRATCH = 1024
"""Words that a group is matched with at a time; they stay in the first cache."""
SPLIT_ITEMS = 400
"""Lists to be matched that are shorter are not worth splitting the grouped list for."""
SORT_ITEMS = 200
"""Lists to be matched that are shorter are not worth sorting."""
RANK_WORK = 1 << 25
"""Pairs of words below which a part of a split list takes over the ranking of diagonals."""
RANKED = 12
"""Diagonals that are ranked at a time."""
LEVELS = 48
"""Deepest split."""
EAST, WEST, GROUPS, SURVIVORS, WORK = range(5)
"""Check figures: words of eastern and western half boards, groups, words that met a group, work."""
GROUP_WORK = 300
"""Work of one group in multiples of one word that meets a group."""
_ONE = np.uint64(1)
_ONES = np.uint64(2**64 - 1)
_ZERO = np.uint64(0)
_LOW = np.uint64(63)
_SIX = np.uint64(6)
_THREE = np.uint64(3)
_M32, _M16, _M8 = np.uint64(0x00000000FFFFFFFF), np.uint64(0x0000FFFF0000FFFF), np.uint64(0x00FF00FF00FF00FF)
_M4, _M2, _M1 = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x3333333333333333), np.uint64(0x5555555555555555)


class Workspace(NamedTuple):
    """Arrays that one thread works in."""

    east: Any
    west: Any
    east_ties: Any
    west_ties: Any
    other: Any
    items: Any
    square: Any
    tables: Any
    scratch: Any
    heads: Any
    stack: Any
    ranks: Any
    uses: Any
    result: Any


def aligned(words: int) -> Any:
    """Uninitialised uint64 array that begins at a multiple of 64 bytes and may be read 64 bytes beyond."""
    raw = np.empty(words + 16, np.uint64)
    skip = (-(raw.ctypes.data // 8)) % 8
    return raw[skip : skip + words + 8]


def workspace(limit: int, ties: int, chunks: int, chunk: int) -> Workspace:
    """Make a thread's arrays; pages that are never used cost no memory.

    Args:
        limit: longest list that is matched at once.
        ties: longest list of half boards with a tie.
        chunks: chunks of the low part of a word.
        chunk: bits a chunk.
    """
    return Workspace(
        aligned(limit),
        aligned(limit),
        aligned(ties),
        aligned(ties),
        aligned(limit),
        aligned(4 * limit),
        aligned(GROUP),
        aligned(8 * ((chunks << chunk) + 128)),
        aligned(SCRATCH),
        np.zeros(1 << 12, np.int64),
        np.zeros((2 * LEVELS, 10), np.int64),
        np.zeros((LEVELS, RANKED + 1), np.int64),
        np.zeros((2, 64), np.int64),
        np.zeros(2, np.int64),
    )


@inlined
def _butterfly(low: Any, high: Any, shift: Any, mask: Any) -> Any:
    swap = vand(vxor(vshr(low, shift), high), mask)
    return vxor(low, vshl(swap, shift)), vxor(high, swap)


@kernel
def _exchange(square: Any, at: int, stride: int, shift: int, m4: Any, m2: Any, m1: Any) -> None:
    """Three of the six steps of a bit transposition, on eight rows that are `stride` apart."""
    r0 = vload(square, at)
    r1 = vload(square, at + stride)
    r2 = vload(square, at + 2 * stride)
    r3 = vload(square, at + 3 * stride)
    r4 = vload(square, at + 4 * stride)
    r5 = vload(square, at + 5 * stride)
    r6 = vload(square, at + 6 * stride)
    r7 = vload(square, at + 7 * stride)
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
    vstore(square, at, r0)
    vstore(square, at + stride, r1)
    vstore(square, at + 2 * stride, r2)
    vstore(square, at + 3 * stride, r3)
    vstore(square, at + 4 * stride, r4)
    vstore(square, at + 5 * stride, r5)
    vstore(square, at + 6 * stride, r6)
    vstore(square, at + 7 * stride, r7)


@kernel
def _transpose(square: Any, bits: int) -> None:
    """Transpose 512 words: afterwards row b, eight words, holds bit b of all of them, for b below `bits`.

    Word t of the list becomes bit ``t // 8`` of lane ``t % 8``.
    """
    for row in range(0, 64, 8):
        _exchange(square, row, 64, 32, _M32, _M16, _M8)
    for row in range(0, bits, 8):
        _exchange(square, row * 8, 8, 4, _M4, _M2, _M1)


@kernel
def _double(square: Any, bit: int, bits: int, tables: Any, at: int) -> None:
    """Tabulate a chunk of `bits` bits: entry s, at ``at + 8 s``, holds the words that avoid the bits in s."""
    size = 8
    for b in range(bits):
        free = vnot(vload(square, (bit + b) * 8))
        for s in range(at, at + size, 8):
            vstore(tables, s + size, vand(free, vload(tables, s)))
        size *= 2


@kernel
def _tabulate(square: Any, count: int, low: int, top: int, shape: Any, tables: Any) -> None:
    """Make all tables of a transposed group of `count` words: the low chunks, then two top chunks."""
    chunks = len(shape[0])
    chunk = len(shape[1])
    for lane in range(8):
        inside = (count - lane + 7) // 8 if count > lane else 0
        tables[lane] = _ONES if inside == 64 else (_ONE << np.uint64(inside)) - _ONE
    full = vset(_ONES)
    for c in range(chunks):
        at = c * (8 << chunk)
        if c:
            vstore(tables, at, full)
        _double(square, c * chunk, min(chunk, low - c * chunk), tables, at)
    at = chunks * (8 << chunk)
    vstore(tables, at, full)
    _double(square, low, min(top, 6), tables, at)
    if top > 6:
        vstore(tables, at + 512, full)
        _double(square, low + 6, top - 6, tables, at + 512)


@inlined
def _chunks(tables: Any, word: Any, free: Any, shape: Any) -> Any:
    """Words of the group among `free` that avoid the low bits of a word."""
    chunk = len(shape[1])
    mask = np.uint64((1 << chunk) - 1)
    for c in range(len(shape[0])):
        entry = np.int64((word >> np.uint64(c * chunk)) & mask) << 3
        free = vand(free, vload(tables, entry + c * (8 << chunk)))
    return free


@kernel
def _look(source: Any, begin: int, end: int, sort: bool, low: int, top: int, shape: Any, tables: Any) -> int:
    """Pairs of a word in ``source[begin:end]`` and a word of the group that have nothing in common.

    Args:
        source: uint64 words; if `sort` is true, words with the same top bits are mostly neighbours.
    """
    base = len(shape[0]) * (8 << len(shape[1]))
    shift = np.uint64(low)
    mask = np.uint64((1 << top) - 1)
    total = vset(_ZERO)
    i = begin
    if sort:
        while i < end:
            word = source[i]
            head = word >> shift
            free = vload(tables, base + np.int64((head & _LOW & mask) << _THREE))
            if top > 6:
                free = vand(free, vload(tables, base + 512 + np.int64((head >> _SIX & _LOW) << _THREE)))
            while True:
                total = vadd(total, vcount(_chunks(tables, word, free, shape)))
                i += 1
                if i >= end:
                    break
                word = source[i]
                if word >> shift != head:
                    break
        return vsum(total)
    for i in range(begin, end):
        word = source[i]
        head = word >> shift & mask
        free = vload(tables, base + np.int64((head & _LOW) << _THREE))
        if top > 6:
            free = vand(free, vload(tables, base + 512 + np.int64((head >> _SIX) << _THREE)))
        total = vadd(total, vcount(_chunks(tables, word, free, shape)))
    return vsum(total)


@kernel
def _select(source: Any, begin: int, end: int, without: Any, out: Any, at: int) -> int:
    """Copy the words that have no bit of `without` to ``out[at:]``; returns where they end."""
    mask = vset(without)
    i = begin
    while i + 8 <= end:
        words = vload(source, i)
        keep = vzero(vand(words, mask))
        vstore(out, at, vcompress(words, keep))
        at += count8(keep)
        i += 8
    if i < end:
        words = vload(source, i)
        keep = np.uint8(vzero(vand(words, mask)) & np.uint8((1 << (end - i)) - 1))
        vstore(out, at, vcompress(words, keep))
        at += count8(keep)
    return at


@kernel
def _partition(source: Any, begin: int, end: int, bit: Any, out: Any) -> int:
    """Copy the words with `bit` to ``out[begin:]`` and the others behind them; returns where those begin.

    Up to eight words after ``out[end]`` are overwritten.
    """
    mask = vset(bit)
    at = begin
    for i in range(begin, end, 8):
        words = vload(source, i)
        keep = np.uint8(~vzero(vand(words, mask)))
        if i + 8 > end:
            keep = np.uint8(keep & np.uint8((1 << (end - i)) - 1))
        vstore(out, at, vcompress(words, keep))
        at += count8(keep)
    _select(source, begin, end, bit, out, at)
    return at


@kernel
def _sort(source: Any, count: int, shift: Any, heads: Any, out: Any) -> None:
    """Copy words to `out` by their bits from `shift` on; `heads` has room for the values of these bits."""
    mask = np.uint64(heads.size - 1)
    for k in range(heads.size):
        heads[k] = 0
    for i in range(count):
        heads[source[i] >> shift & mask] += 1
    total = 0
    for k in range(heads.size):
        here = heads[k]
        heads[k] = total
        total += here
    for i in range(count):
        k = source[i] >> shift & mask
        out[heads[k]] = source[i]
        heads[k] += 1


@kernel
def _sample(source: Any, begin: int, end: int, bits: int, square: Any, uses: Any) -> int:
    """Count in up to 512 evenly spaced words how often each bit is used; returns how many were looked at."""
    vectors = min((end - begin) // 8, 64)
    step = (end - begin) // 8 // vectors * 8
    for row in range(64):
        vstore(square, row * 8, vload(source, begin + row * step) if row < vectors else vset(_ZERO))
    _transpose(square, bits)
    for b in range(bits):
        uses[b] = vsum(vcount(vload(square, b * 8)))
    return vectors * 8


@kernel
def _rank(
    grouped: Any, g0: int, g1: int, items: Any, q0: int, q1: int, bits: int, square: Any, uses: Any, rank: Any
) -> None:
    """List the bits that are used most by both sides; ends with -1."""
    seen = _sample(grouped, g0, g1, bits, square, uses[0])
    _sample(items, q0, q1, bits, square, uses[1])
    for b in range(bits):
        uses[0, b] = uses[0, b] * uses[1, b] if uses[0, b] < seen else 0
    for place in range(rank.size - 1):
        best = 0
        for b in range(1, bits):
            if uses[0, b] > uses[0, best]:
                best = b
        rank[place] = best if uses[0, best] > 0 else -1
        uses[0, best] = 0
    rank[rank.size - 1] = -1


@kernel
def _match_group(
    grouped: Any, at: int, count: int, q0: int, q1: int, ties: Any, tied: int, sort: bool,
    low: int, top: int, shape: Any, space: Any, figures: Any,
) -> None:  # fmt: skip
    """Match a group of words with ``items[q0:q1]`` and with tied words; adds to ``space.result``."""
    square = space.square
    common = vset(_ONES)
    for t in range(0, GROUP, 8):
        words = vset(_ONES)
        if t + 8 <= count:
            words = vload(grouped, at + t)
        elif t < count:
            for z in range(8):
                square[t + z] = grouped[at + t + z] if t + z < count else _ONES
            words = vload(square, t)
        common = vand(common, words)
        vstore(square, t, words)
    shared = vall(common) & ((_ONE << np.uint64(low + top)) - _ONE)
    ready = False
    figures[GROUPS] += 1
    for part in range(2):
        source = space.items if part == 0 else ties
        begin = q0 if part == 0 else 0
        end = q1 if part == 0 else tied
        while begin < end:
            stop_at = min(begin + SCRATCH, end)
            kept = _select(source, begin, stop_at, shared, space.scratch, 0)
            begin = stop_at
            if kept == 0:
                continue
            if not ready:
                _transpose(square, low + top)
                _tabulate(square, count, low, top, shape, space.tables)
                ready = True
            figures[SURVIVORS] += kept
            space.result[part] += _look(space.scratch, 0, kept, sort and part == 0, low, top, shape, space.tables)


@kernel
def _join(
    grouped: Any, count: int, items: int, ties: Any, tied: int, sort: bool,
    low: int, top: int, shape: Any, space: Any, figures: Any, stop: Any,
) -> None:  # fmt: skip
    """Match ``grouped[:count]`` with ``space.items[:items]`` and with tied words.

    The grouped list is split by a stack of parts, those with the bit first to be stored and last to be
    taken: eight words that a copy spoils beyond its end belong to a part that is done.
    """
    if count <= GROUP or items < SPLIT_ITEMS:
        for at in range(0, count, GROUP):
            if stop[0]:
                return
            _match_group(
                grouped, at, min(GROUP, count - at), 0, items, ties, tied, sort, low, top, shape, space, figures
            )
        return
    stack = space.stack
    bits = low + top
    room = space.items.size - 16
    # begin, end, which array, items from, to, bit they must lack, first free item, depth, ranking, place in it
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3], stack[0, 4] = 0, count, 0, 0, items
    stack[0, 5], stack[0, 6], stack[0, 7], stack[0, 8], stack[0, 9] = -1, items, 0, -1, 0
    used = 1
    while used:
        if stop[0]:
            return
        used -= 1
        g0, g1, side, q0, q1 = stack[used, 0], stack[used, 1], stack[used, 2], stack[used, 3], stack[used, 4]
        lack, free, depth, slot, place = (
            stack[used, 5], stack[used, 6], stack[used, 7], stack[used, 8], stack[used, 9],
        )  # fmt: skip
        source = grouped if side == 0 else space.other
        if g1 - g0 <= GROUP:
            _match_group(source, g0, g1 - g0, q0, q1, ties, tied, sort, low, top, shape, space, figures)
            continue
        if lack >= 0 and free + (q1 - q0) <= room:
            q1 = _select(space.items, q0, q1, _ONE << np.uint64(lack), space.items, free)
            q0 = free
            free = (q1 + 7) & ~7
        if q1 - q0 >= 64 and (slot < 0 or (g1 - g0) * (q1 - q0) >= RANK_WORK):
            slot, place = depth, 0
            _rank(source, g0, g1, space.items, q0, q1, bits, space.square, space.uses, space.ranks[slot])
        bit = space.ranks[slot, place] if slot >= 0 and depth < LEVELS - 1 else -1
        if bit < 0 or q1 - q0 < SPLIT_ITEMS // 8:
            for at in range(g0, g1, GROUP):
                _match_group(
                    source, at, min(GROUP, g1 - at), q0, q1, ties, tied, sort, low, top, shape, space, figures
                )
            continue
        middle = _partition(source, g0, g1, _ONE << np.uint64(bit), space.other if side == 0 else grouped)
        for right in range(2):
            begin, end = (middle, g1) if right else (g0, middle)
            if end > begin:
                stack[used, 0], stack[used, 1], stack[used, 2], stack[used, 3] = begin, end, 1 - side, q0
                stack[used, 4], stack[used, 5], stack[used, 6] = q1, -1 if right else bit, free
                stack[used, 7], stack[used, 8], stack[used, 9] = depth + 1, slot, place + 1
                used += 1


@kernel
def _pair_up(
    outer: Any, row: int, inner: Any, inner_row: int, begin: int, end: int, out: Any, at: int
) -> int:
    """List half boards: outer words of the column sets `begin` to ``end - 1`` with their inner lists."""
    first = inner.first[inner_row]
    for i in range(outer.first[row, begin], outer.first[row, end]):
        s = outer.column[i]
        word = vset(outer.words[i])
        for j in range(first[s], first[s + 1], 8):
            words = vload(inner.words, j)
            keep = vzero(vand(word, words))
            vstore(out, at, vcompress(vor(word, words), keep))
            at += count8(keep)
    return at


@kernel
def _block(outer: Any, row: int, inner: Any, inner_row: int, begin: int, end: int, limit: int) -> int:
    """Column sets from `begin` on whose half boards are sure to fit into `limit` words, at least one."""
    first = inner.first[inner_row]
    left = limit
    s = begin
    while s < end:
        left -= (outer.first[row, s + 1] - outer.first[row, s]) * np.int64(first[s + 1] - first[s])
        if left < 0 and s > begin:
            break
        s += 1
    return s


@kernel
def _half(
    outer: Any, row: int, inner: Any, inner_row: int, begin: int, end: int, tie: int, other_tie: int,
    out: Any, ties: Any,
) -> tuple[int, int]:  # fmt: skip
    """List half boards of a block without ties into `out` and those with a tie into `ties`; both lengths."""
    count, tied = 0, 0
    at = begin
    while at < end:
        if at == tie or at == other_tie:
            tied = _pair_up(outer, row, inner, inner_row, at, at + 1, ties, tied)
            at += 1
            continue
        upto = end
        if at < tie < upto:
            upto = tie
        if at < other_tie < upto:
            upto = other_tie
        count = _pair_up(outer, row, inner, inner_row, at, upto, out, count)
        at = upto
    return count, tied


@kernel
def _match(
    count: int, tied: int, east: Any, east_ties: Any, count2: int, tied2: int, ties2: Any, listed: Any,
    m: int, low: int, top: int, shape: Any, space: Any, counts: Any, figures: Any, stop: Any,
) -> None:  # fmt: skip
    """Match a grouped side with a listed side; adds the solutions by multiplicity to `counts`."""
    sort = top > 0 and count2 >= SORT_ITEMS
    if sort:
        _sort(listed, count2, np.uint64(low), space.heads[: 1 << top], space.items)
    else:
        for i in range(count2):
            space.items[i] = listed[i]
    result = space.result
    result[0] = result[1] = 0
    if tied:
        _join(east_ties, tied, count2, ties2, tied2, sort, low, top, shape, space, figures, stop)
        counts[m + 1] += result[0]
        counts[m + 2] += result[1]
        result[0] = result[1] = 0
    if count:
        _join(east, count, count2, ties2, tied2, sort, low, top, shape, space, figures, stop)
        counts[m] += result[0]
        counts[m + 1] += result[1]


@kernel
def _tally_pairs(
    east_outer: Any, east_inner: Any, west_outer: Any, west_inner: Any, bases: Any, box: Any, flags: Any,
    low: int, top: int, shape: Any, limit: int, swap: bool, budget: int, space: Any, counts: Any, figures: Any,
    stop: Any,
) -> None:  # fmt: skip
    """Count the solutions of a row set in the north-east with some row sets in the south-west.

    Args:
        east_outer: `Quarters` whose words are taken one by one; `east_inner`, `west_outer`, `west_inner` alike.
        bases: int64 of shape ``(4, 2)``: each one's first row set and its step from one c to the next.
        box: int64: c from and to (as far as the tables go), b from, to and d from, to. On return
            c, b and d from which the budget left the rest, and where the block of b ends.
        flags: int64: ties of c (two numbers), of b and d (two numbers, the same), multiplicity without ties.
        low: bits of a word in the low chunks.
        top: bits above them, at most 12.
        shape: tuples whose lengths are the number of chunks and the bits a chunk: code is made for them.
        limit: words of a block.
        swap: group the side that would be listed.
        budget: work after which the rest is handed back.
        space: `Workspace`.
        counts: int64; gets the solutions by multiplicity.
        figures: int64; gets the check figures.
        stop: stop flag; once it is raised the counts are meaningless.
    """
    b_from, d_from = box[2], box[4]
    for c in range(box[0], box[1]):
        m = flags[4] + (1 if c == flags[0] or c == flags[1] else 0)
        t = c - box[0]
        eo, ei = bases[0, 0] + t * bases[0, 1], bases[1, 0] + t * bases[1, 1]
        wo, wi = bases[2, 0] + t * bases[2, 1], bases[3, 0] + t * bases[3, 1]
        b = b_from
        while b < box[3]:
            b_end = _block(east_outer, eo, east_inner, ei, b, box[3], limit)
            d = d_from
            while d < box[5]:
                if figures[WORK] >= budget:
                    box[0], box[2], box[3], box[4] = c, b, b_end, d
                    return
                d_end = _block(west_outer, wo, west_inner, wi, d, box[5], limit)
                before = figures[GROUPS] * GROUP_WORK + figures[SURVIVORS]
                east, east_tied = _half(
                    east_outer, eo, east_inner, ei, b, b_end, flags[2], flags[3], space.east, space.east_ties
                )
                west, west_tied = 0, 0
                if east + east_tied:
                    west, west_tied = _half(
                        west_outer, wo, west_inner, wi, d, d_end, flags[2], flags[3], space.west, space.west_ties
                    )
                figures[EAST] += east + east_tied
                figures[WEST] += west + west_tied
                if west + west_tied:
                    if (east >= west) != swap:
                        _match(
                            east, east_tied, space.east, space.east_ties, west, west_tied, space.west_ties,
                            space.west, m, low, top, shape, space, counts, figures, stop,
                        )  # fmt: skip
                    else:
                        _match(
                            west, west_tied, space.west, space.west_ties, east, east_tied, space.east_ties,
                            space.east, m, low, top, shape, space, counts, figures, stop,
                        )  # fmt: skip
                if stop[0]:
                    return
                after = figures[GROUPS] * GROUP_WORK + figures[SURVIVORS]
                figures[WORK] += after - before + (east + east_tied + west + west_tied) + 100
                d = d_end
            b = b_end
            d_from = box[4]
        b_from = box[2]
    box[0] = box[1]
