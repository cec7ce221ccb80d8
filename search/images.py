"""Kernels on rows and their images under a group, which are looked up chunk by chunk.

Everywhere here the lookup is flat: entry v of chunk c has the images of that chunk's bits under all elements,
from ``(c * entries + v) * words * lanes`` on, word by word and within a word lane by lane. A lane is an
element; the group is filled up with identities until ``words * lanes`` is a multiple of `STEP`. Chunk c is in
word ``places[c]``, from bit ``shifts[c]`` on, as many bits as ``masks[c]`` has.
"""

from typing import Any

import numpy as np

from frontrow.search.kernel import inlined, kernel

STEP = 4
"""Words of a lookup that are taken together, in registers."""


@kernel
def find_least(rows: Any, lookup: Any, entries: Any, lanes: Any, shifts: Any, masks: Any, least: Any) -> None:
    """Find the least image of every row of one word.

    Args:
        rows: shape ``(n, 1)``, ``uint64``.
        lookup: as above, ``uint64``.
        entries: entries a chunk, ``uint64``.
        lanes: as above, ``uint64``.
        shifts: shape ``(chunks,)``, ``uint64``.
        masks: shape ``(chunks,)``, ``uint64``.
        least: written, shape ``(n, 1)``, ``uint64``.
    """
    none, one, two, three = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
    stride = entries * lanes
    for index in range(rows.shape[0]):
        row = rows[index, 0]
        best = row
        lane = none
        while lane < lanes:
            a = b = c = d = none
            first = lane
            for chunk in range(shifts.shape[0]):
                place = first + ((row >> shifts[chunk]) & masks[chunk]) * lanes
                a |= lookup[place]
                b |= lookup[place + one]
                c |= lookup[place + two]
                d |= lookup[place + three]
                first += stride
            best = min(best, a, b, c, d)
            lane += np.uint64(STEP)
        least[index, 0] = best


@inlined
def look_up(row: Any, lookup: Any, entries: Any, places: Any, shifts: Any, masks: Any, images: Any) -> None:
    """Write all images of a row, shape ``(words,)``, laid out as in the lookup: ``(words * lanes,)``."""
    one, two, three = np.uint64(1), np.uint64(2), np.uint64(3)
    size = np.uint64(images.shape[0])
    stride = np.uint64(entries) * size
    start = np.uint64(0)
    while start < size:
        a = b = c = d = np.uint64(0)
        first = start
        for chunk in range(shifts.shape[0]):
            place = first + ((row[places[chunk]] >> shifts[chunk]) & masks[chunk]) * size
            a |= lookup[place]
            b |= lookup[place + one]
            c |= lookup[place + two]
            d |= lookup[place + three]
            first += stride
        images[start] = a
        images[start + one] = b
        images[start + two] = c
        images[start + three] = d
        start += np.uint64(STEP)


@kernel
def find_least_wide(
    rows: Any, lookup: Any, entries: Any, lanes: Any, places: Any, shifts: Any, masks: Any, least: Any
) -> None:
    """Find the least image of every row of any width; words are compared from the first.

    Args:
        rows: shape ``(n, words)``, ``uint64``.
        lookup: as above, ``uint64``.
        entries: entries a chunk.
        lanes: as above.
        places: word of each chunk, shape ``(chunks,)``, ``int64``.
        shifts: shape ``(chunks,)``, ``uint64``.
        masks: shape ``(chunks,)``, ``uint64``.
        least: written, shape ``(n, words)``, ``uint64``.
    """
    words = rows.shape[1]
    images = np.empty(words * lanes, np.uint64)
    for index in range(rows.shape[0]):
        look_up(rows[index], lookup, entries, places, shifts, masks, images)
        best = 0
        for lane in range(1, lanes):
            for word in range(words):
                value, least_value = images[word * lanes + lane], images[word * lanes + best]
                if value != least_value:
                    if value < least_value:
                        best = lane
                    break
        for word in range(words):
            least[index, word] = images[word * lanes + best]


@kernel
def count_fixing(
    rows: Any, lookup: Any, entries: Any, order: Any, places: Any, shifts: Any, masks: Any, counts: Any
) -> None:
    """Count the elements that leave each row as it is.

    Args:
        rows: shape ``(n, words)``, ``uint64``.
        lookup: as above, ``uint64``.
        entries: entries a chunk.
        order: elements of the group: the lanes without those that fill up.
        places: word of each chunk, shape ``(chunks,)``, ``int64``.
        shifts: shape ``(chunks,)``, ``uint64``.
        masks: shape ``(chunks,)``, ``uint64``.
        counts: written, shape ``(n,)``, ``int64``.
    """
    words = rows.shape[1]
    lanes = lookup.shape[0] // (shifts.shape[0] * entries * words)
    images = np.empty(words * lanes, np.uint64)
    for index in range(rows.shape[0]):
        look_up(rows[index], lookup, entries, places, shifts, masks, images)
        fixing = 0
        for lane in range(order):
            same = True
            for word in range(words):
                same = same and images[word * lanes + lane] == rows[index, word]
            if same:
                fixing += 1
        counts[index] = fixing
