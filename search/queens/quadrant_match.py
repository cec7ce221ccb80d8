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
from numpy.typing import NDArray

from frontrow.search.kernel import inlined, kernel
from frontrow.search.queens.quadrant_lanes import (
    count8,
    load,
    read16,
    read32,
    read64,
    store,
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
LEAF_ITEMS = 1200
"""Listed words for 512 grouped ones above which the listed list is split rather than the grouped one."""
RANK_WORK = 1 << 25
"""Pairs of words below which a part of a split list takes over the ranking of diagonals."""
RANKED = 12
"""Diagonals that are ranked at a time."""
LEVELS = 60
"""Deepest split."""
EAST, WEST, GROUPS, SURVIVORS, WORK = range(5)
"""Check figures: words of eastern and western half boards, groups, words that met a group, work."""
GROUP_WORK = 200
"""Work of one group in multiples of one word that meets a group."""
_FRAME = 9
"""Words of a frame of the stack."""
_BYTES = 8
"""Bytes a word."""
_ONE = np.uint64(1)
_ONES = np.uint64(2**64 - 1)
_ZERO = np.uint64(0)
_THREE = np.uint64(3)
_M32, _M16, _M8 = np.uint64(0x00000000FFFFFFFF), np.uint64(0x0000FFFF0000FFFF), np.uint64(0x00FF00FF00FF00FF)
_M4, _M2, _M1 = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x3333333333333333), np.uint64(0x5555555555555555)
_C5, _C6, _C7 = (None,) * 5, (None,) * 6, (None,) * 7


class Lists(NamedTuple):
    """Addresses of one quadrant's `Quarters`, and the row set that is used.

    Attributes:
        words: of uint64.
        first: of int32.
        column: of uint16.
        width: column sets and one.
        row: first row set.
        step: row sets from one c to the next.
    """

    words: int
    first: int
    column: int
    width: int
    row: int
    step: int


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
        chunks: chunks of a word.
        chunk: bits a chunk.
    """

    def __init__(self, limit: int, ties: int, chunks: int, chunk: int) -> None:
        sizes = (
            limit, limit, ties, ties, 3 * limit, 3 * limit, GROUP, chunks * 8 << chunk, SCRATCH,
            _FRAME * (LEVELS + 2), LEVELS * (RANKED + 1), 128, 8,
        )  # fmt: skip
        self._arrays: list[NDArray[np.uint64]] = [np.empty(size + 64, np.uint64) for size in sizes]
        places = [array.ctypes.data + 63 & ~63 for array in self._arrays]
        self.space = Space(*places, limit, ties)


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
        _exchange(square + 8 * _BYTES * row, 64, 32, _M32, _M16, _M8)
    for row in range(0, bits, 8):
        _exchange(square + 8 * _BYTES * row, 8, 4, _M4, _M2, _M1)


@kernel
def _tabulate(square: int, count: int, bits: int, chunk: int, tables: int) -> None:
    """Make the tables of a transposed group of `count` words.

    Chunk c has ``2**chunk`` entries of eight words; entry s holds the words that avoid the bits in s.
    """
    for lane in range(8):
        inside = (count - lane + 7) // 8 if count > lane else 0
        store(tables, lane, _ONES if inside == 64 else (_ONE << np.uint64(inside)) - _ONE)
    at = tables
    # At least as many chunks as `_look_up` has code for; those beyond the word have one entry in use.
    for begin in range(0, max(bits, 5 * chunk if chunk == 6 else 6 * chunk), chunk):
        if begin:
            vstore(at, 0, vset(_ONES))
        size = 8
        for b in range(begin, min(begin + chunk, bits)):
            free = vnot(vload(square, b * 8))
            for s in range(0, size, 8):
                vstore(at, s + size, vand(free, vload(at, s)))
            size *= 2
        at += (8 * _BYTES) << chunk


@kernel
def _look(source: int, count: int, tables: int, chunks: Any, chunk: Any) -> int:
    """Pairs of one of `count` words and a word of the group that have nothing in common.

    Args:
        source: address of the words.
        count: how many they are.
        tables: address of the group's tables.
        chunks: tuple of as many members as there are chunks; code is made for it.
        chunk: tuple of as many members as a chunk has bits.
    """
    mask = np.uint64((1 << len(chunk)) - 1)
    total = vset(_ZERO)
    for i in range(count):
        word = load(source, i)
        free = vload(tables, np.int64((word & mask) << _THREE))
        for c in range(1, len(chunks)):
            entry = np.int64((word >> np.uint64(c * len(chunk)) & mask) << _THREE)
            free = vand(free, vload(tables, entry + c * (8 << len(chunk))))
        total = vadd(total, vcount(free))
    return vsum(total)


@kernel
def _look_up(source: int, count: int, bits: int, chunk: int, tables: int) -> int:
    """Choose the code for a number of chunks."""
    if chunk == 6:
        if bits <= 30:
            return _look(source, count, tables, _C5, _C6)
        if bits <= 36:
            return _look(source, count, tables, _C6, _C6)
        return _look(source, count, tables, _C7, _C6)
    if bits <= 42:
        return _look(source, count, tables, _C6, _C7)
    return _look(source, count, tables, _C7 + (None,), _C7)


@kernel
def _select(source: int, count: int, without: Any, out: int) -> int:
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
def _part(source: int, count: int, bit: Any, out: int) -> int:
    """Move the words with `bit` to `out` and the others together; returns how many the others are."""
    mask = vset(bit)
    kept, moved = 0, 0
    for i in range(0, count, 8):
        words = vload(source, i)
        keep = vzero(vand(words, mask))
        move = np.uint8(~keep)
        if i + 8 > count:
            inside = np.uint8((1 << (count - i)) - 1)
            keep, move = np.uint8(keep & inside), np.uint8(move & inside)
        vstore(source, kept, vcompress(words, keep))
        vstore(out, moved, vcompress(words, move))
        kept += count8(keep)
        moved += count8(move)
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
def _rank(grouped: int, count: int, items: int, number: int, bits: int, space: Any, rank: int) -> None:
    """List the bits that are used most by both sides; ends with -1."""
    uses = space.uses
    seen = _sample(grouped, count, bits, space.square, uses)
    _sample(items, number, bits, space.square, uses + 64 * _BYTES)
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
def _match_group(
    grouped: int, count: int, items: int, number: int, ties: int, tied: int, bits: int, chunk: int, space: Any,
    figures: Any,
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
            kept = _select(source, min(left, SCRATCH), shared, space.scratch)
            source += SCRATCH * _BYTES
            left -= SCRATCH
            if kept == 0:
                continue
            if not ready:
                _transpose(square, bits)
                _tabulate(square, count, bits, chunk, space.tables)
                ready = True
            figures[SURVIVORS] += kept
            found = _look_up(space.scratch, kept, bits, chunk, space.tables)
            store(space.result, part, load(space.result, part) + np.uint64(found))


@kernel
def _match_straight(
    grouped: int, count: int, items: int, number: int, ties: int, tied: int, bits: int, chunk: int, space: Any,
    figures: Any, stop: Any,
) -> None:  # fmt: skip
    """Match words in the groups that they happen to be in."""
    for at in range(0, count, GROUP):
        if stop[0]:
            return
        _match_group(
            grouped + at * _BYTES,
            min(GROUP, count - at),
            items,
            number,
            ties,
            tied,
            bits,
            chunk,
            space,
            figures,
        )


@inlined
def _push(frame: int, place: int, value: int) -> None:
    store(frame, place, np.uint64(value))


@kernel
def _join(
    grouped: int, count: int, items: int, number: int, ties: int, tied: int, bits: int, chunk: int, space: Any,
    figures: Any, stop: Any,
) -> None:  # fmt: skip
    """Match grouped words with listed words and with tied words; both lists are moved about.

    Either list is split by a bit. If it is the grouped one, the words with the bit are moved to the end of what
    is in use of ``space.grouped`` and matched with the listed words that lack it; the others stay, to be matched
    with all. If it is the listed one, the same is done the other way round; the tied words stay
    with the list that is not split. What is put off waits on a stack.
    """
    stack, depth = space.stack, 0
    room = space.grouped + 3 * space.limit * _BYTES
    shelf = space.items + 3 * space.limit * _BYTES
    free, shelf_free = space.grouped, space.items
    rank, place = 0, 0
    while True:
        if stop[0]:
            return
        bit = -1
        fits = free + (count + 16) * _BYTES <= room and shelf_free + (number + 16) * _BYTES <= shelf
        if count > GROUP and number >= SPLIT_ITEMS and depth < LEVELS and fits:
            if rank == 0 or count * number >= RANK_WORK:
                rank, place = space.ranks + depth * (RANKED + 1) * _BYTES, 0
                _rank(grouped, count, items, number, bits, space, rank)
            bit = read64(rank, place)
            place += 1
        if bit < 0:
            _match_straight(grouped, count, items, number, ties, tied, bits, chunk, space, figures, stop)
            if depth == 0:
                return
            depth -= 1
            frame = stack + depth * _FRAME * _BYTES
            grouped, count, items, number = (
                read64(frame, 0),
                read64(frame, 1),
                read64(frame, 2),
                read64(frame, 3),
            )
            free, shelf_free, rank, place = (
                read64(frame, 4),
                read64(frame, 5),
                read64(frame, 6),
                read64(frame, 7),
            )
            tied = read64(frame, 8)
            continue
        without = _ONE << np.uint64(bit)
        by_items = number * GROUP > count * LEAF_ITEMS
        if by_items:
            left = _part(items, number, without, shelf_free)
            other_number, number = number - left, left
            if other_number == 0:
                continue
            other_count = _select(grouped, count, without, free)
        else:
            left = _part(grouped, count, without, free)
            other_count, count = count - left, left
            if other_count <= GROUP:
                if other_count:
                    _match_group(free, other_count, items, number, ties, tied, bits, chunk, space, figures)
                continue
            other_number = _select(items, number, without, shelf_free)
        frame = stack + depth * _FRAME * _BYTES
        _push(frame, 0, grouped)
        _push(frame, 1, count)
        _push(frame, 2, items)
        _push(frame, 3, number)
        _push(frame, 4, free)
        _push(frame, 5, shelf_free)
        _push(frame, 6, rank)
        _push(frame, 7, place)
        _push(frame, 8, tied)
        depth += 1
        grouped, count, items, number = free, other_count, shelf_free, other_number
        free += (count + 7 & ~7) * _BYTES
        shelf_free += (number + 7 & ~7) * _BYTES
        if by_items:
            tied = 0


@kernel
def _pair_up(
    outer: Any, row: int, inner: Any, inner_row: int, begin: int, end: int, out: int, count: int
) -> int:
    """List half boards: outer words of the column sets `begin` to ``end - 1`` with their inner lists."""
    first = inner.first + inner_row * inner.width * 4
    for i in range(
        read32(outer.first, row * outer.width + begin), read32(outer.first, row * outer.width + end)
    ):
        s = read16(outer.column, i)
        word = vset(load(outer.words, i))
        for j in range(read32(first, s), read32(first, s + 1), 8):
            words = vload(inner.words, j)
            keep = vzero(vand(word, words))
            vstore(out, count, vcompress(vor(word, words), keep))
            count += count8(keep)
    return count


@kernel
def _block(outer: Any, row: int, inner: Any, inner_row: int, begin: int, end: int, limit: int) -> int:
    """Column sets from `begin` on whose half boards are sure to fit into `limit` words, at least one."""
    first = outer.first + row * outer.width * 4
    inner_first = inner.first + inner_row * inner.width * 4
    for s in range(begin, end):
        size = read32(first, s + 1) - read32(first, s)
        limit -= size * (read32(inner_first, s + 1) - read32(inner_first, s))
        if limit < 0 and s > begin:
            return s
    return end


@kernel
def _half(
    outer: Any, inner: Any, c: int, begin: int, end: int, ties: Any, out: int, out_ties: int
) -> tuple[int, int]:
    """List half boards of a block without ties into `out` and those with a tie into `out_ties`; both lengths."""
    row, inner_row = outer.row + c * outer.step, inner.row + c * inner.step
    count, tied = 0, 0
    at = begin
    while at < end:
        if at == ties[0] or at == ties[1]:
            tied = _pair_up(outer, row, inner, inner_row, at, at + 1, out_ties, tied)
            at += 1
            continue
        upto = end
        if at < ties[0] < upto:
            upto = ties[0]
        if at < ties[1] < upto:
            upto = ties[1]
        count = _pair_up(outer, row, inner, inner_row, at, upto, out, count)
        at = upto
    return count, tied


@kernel
def _match(
    grouped: int, count: int, grouped_ties: int, grouped_tied: int, items: int, number: int, ties: int, tied: int,
    m: int, bits: int, chunk: int, space: Any, counts: Any, figures: Any, stop: Any,
) -> None:  # fmt: skip
    """Match a grouped side with a listed side; adds the solutions by multiplicity to `counts`."""
    store(space.result, 0, _ZERO)
    store(space.result, 1, _ZERO)
    if grouped_tied:
        _match_straight(
            grouped_ties, grouped_tied, items, number, ties, tied, bits, chunk, space, figures, stop
        )
        counts[m + 1] += read64(space.result, 0)
        counts[m + 2] += read64(space.result, 1)
        store(space.result, 0, _ZERO)
        store(space.result, 1, _ZERO)
    if count:
        _join(grouped, count, items, number, ties, tied, bits, chunk, space, figures, stop)
        counts[m] += read64(space.result, 0)
        counts[m + 1] += read64(space.result, 1)


@kernel
def _cost(grouped: int, listed: int) -> int:
    """Work of matching two lists by their lengths."""
    groups = (grouped + GROUP - 1) // GROUP
    return groups * (GROUP_WORK + listed)


@kernel
def _tally_pairs(
    east_outer: Any, east_inner: Any, west_outer: Any, west_inner: Any, box: Any, ties: Any, c_ties: Any, m: int,
    bits: int, chunk: int, swap: bool, budget: int, space: Any, counts: Any, figures: Any, stop: Any,
) -> None:  # fmt: skip
    """Count the solutions of a row set in the north-east with some row sets in the south-west.

    Args:
        east_outer: `Lists` whose words are taken one by one; `east_inner`, `west_outer`, `west_inner` alike.
        box: int64: c from and to (as far as the tables go), b from, to and d from, to. On return
            c, b and d from which the budget left the rest, and where the block of b ends.
        ties: two numbers of b and d that tie with a.
        c_ties: two numbers of c that tie with a.
        m: multiplicity without ties.
        bits: bits of a word.
        chunk: bits a chunk: 6 or 7.
        swap: group the side that would be listed.
        budget: work after which the rest is handed back.
        space: `Space`.
        counts: int64; gets the solutions by multiplicity.
        figures: int64; gets the check figures.
        stop: stop flag; once it is raised the counts are meaningless.
    """
    start = box[0]
    for c in range(box[0], box[1]):
        t = c - start
        mc = m + 1 if c == c_ties[0] or c == c_ties[1] else m
        eo, ei = east_outer.row + t * east_outer.step, east_inner.row + t * east_inner.step
        wo, wi = west_outer.row + t * west_outer.step, west_inner.row + t * west_inner.step
        b = box[2]
        while b < box[3]:
            b_end = _block(east_outer, eo, east_inner, ei, b, box[3], space.limit)
            d = box[4]
            while d < box[5]:
                if figures[WORK] >= budget:
                    box[0], box[2], box[3], box[4] = c, b, b_end, d
                    return
                d_end = _block(west_outer, wo, west_inner, wi, d, box[5], space.limit)
                before = figures[GROUPS] * GROUP_WORK + figures[SURVIVORS]
                east, east_tied = _half(
                    east_outer, east_inner, t, b, b_end, ties, space.east, space.east_ties
                )
                west, west_tied = 0, 0
                if east + east_tied:
                    west, west_tied = _half(
                        west_outer, west_inner, t, d, d_end, ties, space.west, space.west_ties
                    )
                figures[EAST] += east + east_tied
                figures[WEST] += west + west_tied
                if west + west_tied:
                    if (_cost(east, west) <= _cost(west, east)) != swap:
                        _match(
                            space.east, east, space.east_ties, east_tied, space.west, west, space.west_ties,
                            west_tied, mc, bits, chunk, space, counts, figures, stop,
                        )  # fmt: skip
                    else:
                        _match(
                            space.west, west, space.west_ties, west_tied, space.east, east, space.east_ties,
                            east_tied, mc, bits, chunk, space, counts, figures, stop,
                        )  # fmt: skip
                if stop[0]:
                    return
                after = figures[GROUPS] * GROUP_WORK + figures[SURVIVORS]
                figures[WORK] += after - before + (east + east_tied + west + west_tied) + 100
                d = d_end
            b = b_end
    box[0] = box[1]
