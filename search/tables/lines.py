"""A set of rows in memory that is read a line at a time: what `HashTable` and `LayerPair` are made of.

A line has seven slots and a word about them, 64 bytes for rows of one word, so that a look-up fetches one line
from memory in most cases. The word has a byte a slot, six bits of the row's hash (its print, never 0) and the
row's tag, 1 to 3, and in its highest byte how many slots are taken; they are taken from the first on. With
counts, 128 bits a slot lie behind the rows of a line.

A row belongs to the line that its hash says as a fraction of all lines, and lies there or, where that one was
full, in the next with room. So rows lie nearly in the order of their hashes, and growing is one pass over
memory. Large sets are groups of lines that grow one after the other.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from frontrow.search.kernel import inlined
from frontrow.search.rows import Rows
from frontrow.search.tables.address import LINE, WORD, load, prefetch, store, trailing_zeros
from frontrow.search.tables.buckets import HALF, hash_row, wrapping_kernel
from frontrow.search.tables.table import Counts

SLOTS = 7
"""Slots of a line."""
BATCH = 32
"""Rows whose lines are fetched at the same time."""
ALL_TAGS = 0b1110

# Columns of the array that describes groups: where lines begin and end (addresses), how many lines rows may
# belong to, how many rows there are and may be.
START, END, COUNT, USED, LIMIT = range(5)
# What an insertion says when it left off for another reason than that a group is full.
DONE, OVERFLOW, ROOM = -1, -2, -3

_ONES = np.uint64(0x01010101010101)
_HIGH = np.uint64(0x80808080808080)
_PRINTS = np.uint64(0xFCFCFCFCFCFCFC)
_NONE, _ONE, _TAG, _SEVEN, _BYTE = (np.uint64(number) for number in (0, 1, 3, 7, 8))
_TAKEN, _TAKE = np.uint64(56), np.uint64(1 << 56)
_LOW = np.uint64(0xFFFFFFFF)
_PRINT_SHIFT, _PRINT_MASK = np.uint64(35), np.uint64(0xFC)
_LEAST_PRINT = np.uint64(4)


@inlined
def _line(heads: NDArray[np.int64], group: int, state: Any, stride: int) -> Any:
    """The address of the line that a row with this hash belongs to."""
    return heads[group, START] + np.int64(((state & _LOW) * np.uint64(heads[group, COUNT])) >> HALF) * stride


@inlined
def _print(state: Any) -> Any:
    """Six bits of a hash that say neither line nor group, times four; never 0."""
    mark = (state >> _PRINT_SHIFT) & _PRINT_MASK
    return mark if mark != _NONE else _LEAST_PRINT


@inlined
def _candidates(about: Any, mark: Any) -> Any:
    """The high bit of the byte of every slot whose print is `mark`, and rarely of another behind it."""
    apart = (about & _PRINTS) ^ (mark * _ONES)
    return (apart - _ONES) & ~apart & _HIGH


@inlined
def _find(place: int, about: Any, mark: Any, rows: Rows, index: int, words: int) -> int:
    """The slot of a line that holds a row, or -1."""
    left = _candidates(about, mark)
    while left != _NONE:
        slot = trailing_zeros(left) >> 3
        alike = True
        for word in range(words):
            if load(place, 1 + slot * words + word) != rows[index, word]:
                alike = False
        if alike:
            return slot
        left &= left - _ONE
    return -1


@inlined
def _add(place: int, counts: Counts, index: int) -> bool:
    """Add to a number of 128 bits; whether it fits."""
    low = load(place, 0) + counts[index, 0]
    high = load(place, 1)
    more = high + counts[index, 1]
    fits = more >= high
    if low < counts[index, 0]:
        more += _ONE
        fits = fits and more != _NONE
    store(place, 0, low)
    store(place, 1, more)
    return fits


@inlined
def _insert(
    heads: NDArray[np.int64],
    rows: Rows,
    counts: Counts,
    at: int,
    tag: int,
    log: Rows,
    log_counts: Counts,
    filled: int,
    words: int,
    extra: int,
    retag: bool,
) -> tuple[int, int, int]:
    size = rows.shape[0]
    mask = np.uint64(heads.shape[0] - 1)
    stride = LINE * (words + extra)
    lines, groups = np.empty(BATCH, np.int64), np.empty(BATCH, np.int64)
    prints = np.empty(BATCH, np.uint64)
    while at < size:
        many = min(BATCH, size - at)
        for k in range(many):
            state = hash_row(rows, at + k, words)
            group = np.int64((state >> HALF) & mask)
            lines[k] = _line(heads, group, state, stride)
            groups[k] = group
            prints[k] = _print(state)
            prefetch(lines[k])
        for k in range(many):
            place, group = lines[k], groups[k]
            while True:
                about = load(place, 0)
                slot = _find(place, about, prints[k], rows, at + k, words)
                if slot >= 0:
                    if retag:
                        shift = _BYTE * np.uint64(slot)
                        store(place, 0, (about & ~(_TAG << shift)) | (np.uint64(tag) << shift))
                    if extra > 0 and ((about >> (_BYTE * np.uint64(slot))) & _TAG) == np.uint64(tag):
                        if not _add(place + LINE * words + 2 * WORD * slot, counts, at + k):
                            return at + k, filled, OVERFLOW
                    break
                taken = about >> _TAKEN
                if taken < _SEVEN:
                    if heads[group, USED] >= heads[group, LIMIT]:
                        return at + k, filled, group
                    if log.shape[0] > 0:
                        if filled == log.shape[0]:
                            return at + k, filled, ROOM
                        for word in range(words):
                            log[filled, word] = rows[at + k, word]
                        if log_counts.shape[0] > 0:
                            log_counts[filled, 0] = counts[at + k, 0]
                            log_counts[filled, 1] = counts[at + k, 1]
                        filled += 1
                    slot = np.int64(taken)
                    for word in range(words):
                        store(place, 1 + slot * words + word, rows[at + k, word])
                    if extra > 0:
                        store(place + LINE * words, 2 * slot, counts[at + k, 0])
                        store(place + LINE * words, 2 * slot + 1, counts[at + k, 1])
                    store(place, 0, (about | ((prints[k] | np.uint64(tag)) << (_BYTE * taken))) + _TAKE)
                    heads[group, USED] += 1
                    break
                place += stride
                if place >= heads[group, END]:
                    return at + k, filled, group
        at += many
    return at, filled, DONE


@wrapping_kernel
def insert_words(
    heads: NDArray[np.int64], rows: Rows, at: int, tag: int, log: Rows, filled: int
) -> tuple[int, int, int]:
    """`insert_rows` for rows of one word without counts."""
    none = np.empty((0, 2), np.uint64)
    return _insert(heads, rows, none, at, tag, log, none, filled, 1, 0, False)


@wrapping_kernel
def insert_rows(
    heads: NDArray[np.int64],
    rows: Rows,
    counts: Counts,
    at: int,
    tag: int,
    log: Rows,
    log_counts: Counts,
    filled: int,
    extra: int,
    retag: bool,
) -> tuple[int, int, int]:
    """Insert rows that are not there yet, from row `at` on.

    Args:
        heads: the groups, shape ``(groups, 5)``.
        rows: shape ``(n, words)``.
        counts: shape ``(n, 2)``, or empty.
        at: first row to be inserted.
        tag: what new rows are marked with.
        log: where new rows are written to from `filled` on, unless it is empty.
        log_counts: where their counts are, unless it is empty.
        filled: rows in `log`.
        extra: 2 if slots have counts, which are added to those of rows with the same tag; else 0.
        retag: whether rows that are there take on the tag as well.

    Returns:
        The first row that was not inserted; rows in `log`; and why it left off: `DONE`, `OVERFLOW`, `ROOM`
        (`log` is full) or the number of the group that is full.
    """
    words = rows.shape[1]
    return _insert(heads, rows, counts, at, tag, log, log_counts, filled, words, extra, retag)


@inlined
def _move(
    place: int,
    end: int,
    heads: NDArray[np.int64],
    kept: int,
    wanted: int,
    out: Rows,
    out_counts: Counts,
    filled: int,
    words: int,
    extra: int,
) -> int:
    mask = np.uint64(heads.shape[0] - 1)
    stride = LINE * (words + extra)
    row = np.empty((1, words), np.uint64)
    while place < end:
        about = load(place, 0)
        for slot in range(np.int64(about >> _TAKEN)):
            byte = (about >> (_BYTE * np.uint64(slot))) & np.uint64(0xFF)
            tag = np.int64(byte & _TAG)
            for word in range(words):
                row[0, word] = load(place, 1 + slot * words + word)
            counts = place + LINE * words + 2 * WORD * slot
            if (wanted >> tag) & 1:
                for word in range(words):
                    out[filled, word] = row[0, word]
                if out_counts.shape[0] > 0:
                    out_counts[filled, 0] = load(counts, 0)
                    out_counts[filled, 1] = load(counts, 1)
                filled += 1
            if (kept >> tag) & 1:
                state = hash_row(row, 0, words)
                group = np.int64((state >> HALF) & mask)
                target = _line(heads, group, state, stride)
                room = load(target, 0)
                while (room >> _TAKEN) == _SEVEN:
                    target += stride
                    if target >= heads[group, END]:
                        return -1
                    room = load(target, 0)
                taken = np.int64(room >> _TAKEN)
                for word in range(words):
                    store(target, 1 + taken * words + word, row[0, word])
                if extra > 0:
                    store(target + LINE * words, 2 * taken, load(counts, 0))
                    store(target + LINE * words, 2 * taken + 1, load(counts, 1))
                store(target, 0, (room | (byte << (_BYTE * np.uint64(taken)))) + _TAKE)
                heads[group, USED] += 1
        place += stride
    return filled


@wrapping_kernel
def move_words(
    place: int, end: int, heads: NDArray[np.int64], kept: int, wanted: int, out: Rows, filled: int
) -> int:
    """`move_rows` for rows of one word without counts."""
    none = np.empty((0, 2), np.uint64)
    return _move(place, end, heads, kept, wanted, out, none, filled, 1, 0)


@wrapping_kernel
def move_rows(
    place: int,
    end: int,
    heads: NDArray[np.int64],
    kept: int,
    wanted: int,
    out: Rows,
    out_counts: Counts,
    filled: int,
    extra: int,
) -> int:
    """Move the rows of one group to new groups, which are large enough, and read some of them.

    Args:
        place: address of the first line.
        end: address behind the last.
        heads: the new groups.
        kept: bit t: rows with tag t are moved.
        wanted: bit t: rows with tag t are written to `out` from `filled` on.
        out: shape ``(n, words)``.
        out_counts: for their counts, unless it is empty.
        filled: rows in `out`.
        extra: as for `insert_rows`.

    Returns:
        Rows in `out`; -1 if a new group was too full at its end.
    """
    return _move(place, end, heads, kept, wanted, out, out_counts, filled, out.shape[1], extra)


@wrapping_kernel
def read_rows(place: int, end: int, tag: int, out: Rows, extra: int) -> tuple[int, int]:
    """Copy rows with a tag as long as there is room for a line more: where it left off, and how many."""
    words = out.shape[1]
    filled = 0
    while place < end and filled + SLOTS <= out.shape[0]:
        about = load(place, 0)
        for slot in range(np.int64(about >> _TAKEN)):
            if (about >> (_BYTE * np.uint64(slot))) & _TAG == np.uint64(tag):
                for word in range(words):
                    out[filled, word] = load(place, 1 + slot * words + word)
                filled += 1
        place += LINE * (words + extra)
    return place, filled


@wrapping_kernel
def tag_all(place: int, end: int, stride: int, tag: int) -> None:
    """Give all rows of a group the same tag."""
    while place < end:
        about = load(place, 0)
        for slot in range(np.int64(about >> _TAKEN)):
            shift = _BYTE * np.uint64(slot)
            about = (about & ~(_TAG << shift)) | (np.uint64(tag) << shift)
        store(place, 0, about)
        place += stride
