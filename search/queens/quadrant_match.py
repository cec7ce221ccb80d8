"""Half boards and how they are matched: the upper kernels of the quadrant counter.

A half board is two quarter words without a common diagonal; its word is their union. Two half boards make
a solution if their words have nothing in common. One list is cut into groups
(`frontrow.search.queens.quadrant_group`) that all words of the other list are looked up in.

Before that both lists are split again and again by the diagonal that is used most by both sides, so that the
words of a group have many diagonals in common: all words of the other list that use one of these are
out at once, and most of them were already left behind on the way.
"""

from typing import Any, NamedTuple

import numpy as np

from frontrow.search.kernel import inlined, kernel
from frontrow.search.queens.quadrant_group import (
    BYTES,
    EAST,
    FRAME,
    GROUP,
    GROUP_WORK,
    GROUPS,
    LEVELS,
    RANKED,
    SURVIVORS,
    WEST,
    WORK,
    match_group,
    part_words,
    rank_bits,
    select_words,
)
from frontrow.search.queens.quadrant_lanes import (
    count8,
    load,
    read16,
    read32,
    read64,
    store,
    vand,
    vcompress,
    vload,
    vor,
    vset,
    vstore,
    vzero,
)

SPLIT_ITEMS = 400
"""Lists to be matched that are shorter are not worth splitting the grouped list for."""
LEAF_ITEMS = 1200
"""Listed words for 512 grouped ones above which the listed list is split rather than the grouped one."""
RANK_WORK = 1 << 25
"""Pairs of words below which a part of a split list takes over the ranking of diagonals."""
_ONE = np.uint64(1)
_ZERO = np.uint64(0)


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


@kernel
def _match_straight(
    grouped: int, count: int, items: int, number: int, ties: int, tied: int, bits: int,
    space: Any, figures: Any, stop: Any,
) -> None:  # fmt: skip
    """Match words in the groups that they happen to be in."""
    for at in range(0, count, GROUP):
        if stop[0]:
            return
        match_group(
            grouped + at * BYTES,
            min(GROUP, count - at),
            items,
            number,
            ties,
            tied,
            bits,
            space,
            figures,
        )


@inlined
def _push(frame: int, place: int, value: int) -> None:
    store(frame, place, np.uint64(value))


@kernel
def _join(
    grouped: int, count: int, items: int, number: int, ties: int, tied: int, bits: int,
    space: Any, figures: Any, stop: Any,
) -> None:  # fmt: skip
    """Match grouped words with listed words and with tied words; both lists are moved about.

    Either list is split by a bit. If it is the grouped one, the words with the bit are moved to the end of
    what is in use of ``space.grouped`` and matched with the listed words that lack it; the others stay, to be
    matched with all. If it is the listed one, the same is done the other way round, and the tied words stay
    with the part that is matched with all. What is put off waits on a stack.
    """
    stack, depth = space.stack, 0
    room = space.grouped + 3 * space.limit * BYTES
    shelf = space.items + 3 * space.limit * BYTES
    free, shelf_free = space.grouped, space.items
    rank, place = 0, 0
    while True:
        if stop[0]:
            return
        bit = -1
        fits = free + (count + 16) * BYTES <= room and shelf_free + (number + 16) * BYTES <= shelf
        if count > GROUP and number >= SPLIT_ITEMS and depth < LEVELS and fits:
            if rank == 0 or count * number >= RANK_WORK:
                rank, place = space.ranks + depth * (RANKED + 1) * BYTES, 0
                rank_bits(grouped, count, items, number, bits, space, rank)
            bit = read64(rank, place)
            place += 1
        if bit < 0:
            _match_straight(grouped, count, items, number, ties, tied, bits, space, figures, stop)
            if depth == 0:
                return
            depth -= 1
            frame = stack + depth * FRAME * BYTES
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
            left = part_words(items, number, without, shelf_free)
            other_number, number = number - left, left
            if other_number == 0:
                continue
            other_count = select_words(grouped, count, without, free)
        else:
            left = part_words(grouped, count, without, free)
            other_count, count = count - left, left
            if other_count <= GROUP:
                if other_count:
                    match_group(free, other_count, items, number, ties, tied, bits, space, figures)
                continue
            other_number = select_words(items, number, without, shelf_free)
        frame = stack + depth * FRAME * BYTES
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
        free += (count + 7 & ~7) * BYTES
        shelf_free += (number + 7 & ~7) * BYTES
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
def _room(outer: Any, inner: Any, c: int, ties: Any) -> int:
    """Words that half boards with a tie can take at most."""
    words = 0
    for s in ties:
        if s >= 0:
            first = outer.first + ((outer.row + c * outer.step) * outer.width + s) * 4
            inner_first = inner.first + ((inner.row + c * inner.step) * inner.width + s) * 4
            size = read32(inner_first, 1) - read32(inner_first, 0) + 8
            words += (read32(first, 1) - read32(first, 0)) * size
    return words


@kernel
def _half(
    outer: Any, inner: Any, c: int, begin: int, end: int, ties: Any, out: int, out_ties: int
) -> tuple[int, int]:
    """List half boards of a block without ties to `out`, with a tie to `out_ties`; returns both lengths."""
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
    grouped: int, count: int, grouped_ties: int, grouped_tied: int, items: int, number: int, ties: int,
    tied: int, m: int, bits: int, space: Any, counts: Any, figures: Any, stop: Any,
) -> None:  # fmt: skip
    """Match a grouped side with a listed side; adds the solutions by multiplicity to `counts`."""
    store(space.result, 0, _ZERO)
    store(space.result, 1, _ZERO)
    if grouped_tied:
        _match_straight(grouped_ties, grouped_tied, items, number, ties, tied, bits, space, figures, stop)
        counts[m + 1] += read64(space.result, 0)
        counts[m + 2] += read64(space.result, 1)
        store(space.result, 0, _ZERO)
        store(space.result, 1, _ZERO)
    if count:
        _join(grouped, count, items, number, ties, tied, bits, space, figures, stop)
        counts[m] += read64(space.result, 0)
        counts[m + 1] += read64(space.result, 1)


@kernel
def _cost(grouped: int, listed: int) -> int:
    """Work of matching two lists by their lengths."""
    groups = (grouped + GROUP - 1) // GROUP
    return groups * (GROUP_WORK + listed)


@kernel
def tally_pairs(
    east_outer: Any, east_inner: Any, west_outer: Any, west_inner: Any, box: Any, ties: Any, c_ties: Any,
    m: int, bits: int, swap: bool, budget: int, space: Any, counts: Any, figures: Any, stop: Any,
) -> None:  # fmt: skip
    """Count the solutions of a row set in the north-east with some row sets in the south-west.

    Args:
        east_outer: `Lists` of the eastern quadrant whose words are taken one by one.
        east_inner: those of the other one, which are padded.
        west_outer: the same in the west.
        west_inner: the same in the west.
        box: int64: c from and to (as far as the tables go), b from, to and d from, to. On return
            c, b and d from which the budget left the rest, and where the block of b ends; or c to is -1,
            if half boards with a tie have no room.
        ties: two numbers of b and d that tie with a.
        c_ties: two numbers of c that tie with a.
        m: multiplicity without ties.
        bits: bits of a word.
        swap: group the side that would be listed.
        budget: work after which the rest is handed back.
        space: `Space`.
        counts: int64; gets the solutions by multiplicity.
        figures: int64; gets the check figures.
        stop: stop flag; once it is raised, what it interrupted is left over, as by a budget.
    """
    start = box[0]
    counts_before, figures_before = counts.copy(), figures.copy()
    for c in range(box[0], box[1]):
        t = c - start
        mc = m + 1 if c == c_ties[0] or c == c_ties[1] else m
        eo, ei = east_outer.row + t * east_outer.step, east_inner.row + t * east_inner.step
        wo, wi = west_outer.row + t * west_outer.step, west_inner.row + t * west_inner.step
        if max(_room(east_outer, east_inner, t, ties), _room(west_outer, west_inner, t, ties)) > space.ties:
            box[1] = -1
            return
        b = box[2]
        while b < box[3]:
            b_end = _block(east_outer, eo, east_inner, ei, b, box[3], space.limit)
            d = box[4]
            while d < box[5]:
                if figures[WORK] >= budget:
                    box[0], box[2], box[3], box[4] = c, b, b_end, d
                    return
                d_end = _block(west_outer, wo, west_inner, wi, d, box[5], space.limit)
                counts_before[:] = counts
                figures_before[:] = figures
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
                            west_tied, mc, bits, space, counts, figures, stop,
                        )  # fmt: skip
                    else:
                        _match(
                            space.west, west, space.west_ties, west_tied, space.east, east, space.east_ties,
                            east_tied, mc, bits, space, counts, figures, stop,
                        )  # fmt: skip
                if stop[0]:
                    counts[:] = counts_before
                    figures[:] = figures_before
                    box[0], box[2], box[3], box[4] = c, b, b_end, d
                    return
                after = figures[GROUPS] * GROUP_WORK + figures[SURVIVORS]
                figures[WORK] += after - before + (east + east_tied + west + west_tied) + 100
                d = d_end
            b = b_end
    box[0] = box[1]
