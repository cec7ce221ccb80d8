"""A set of rows in memory that is read a line at a time: what `HashTable` and `LayerPair` are made of.

A line has seven slots and a word about them, 64 bytes for rows of one word, so that a look-up fetches one
line from memory in most cases. The word has a byte a slot, six bits of the row's hash (its print, never 0)
and the row's tag, 1 to 3, and in its highest byte how many slots are taken; they are taken from the first on,
and the others are zero. With counts, 128 bits a slot lie behind the rows of a line. Rows of one word are
compared all at once and need no prints: where origins are kept, these are in their place.

A row belongs to the line that its hash says as a fraction of all lines, and lies there or, where that one was
full, in the next with room. So rows lie nearly in the order of their hashes, and growing is one pass over
memory. Large sets are groups of lines that grow one after the other.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from frontrow.search.kernel import inlined
from frontrow.search.rows import Origins, Rows
from frontrow.search.tables.address import LINE, alike, load, prefetch, store, trailing_zeros
from frontrow.search.tables.buckets import HALF, SEED, hash_row, mix64, wrapping_kernel
from frontrow.search.tables.table import Counts

SLOTS = 7
"""Slots of a line."""
RING = 64
"""Rows whose lines are fetched at the same time; half of them are a batch."""
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
_PRINT_SHIFT, _PRINT_MASK, _TAG_BITS = np.uint64(35), np.uint64(0xFC), np.uint64(2)
_LEAST_PRINT, _WHOLE = np.uint64(4), np.uint64(0xFF)


@inlined
def _line(heads: NDArray[np.int64], group: Any, state: Any, stride: int) -> Any:
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
def _alike_slots(place: int, about: Any, word: Any) -> Any:
    """A bit for each slot of a line of rows of one word: whether it holds this one."""
    return (alike(place, word) >> _ONE) & ((_ONE << (about >> _TAKEN)) - _ONE)


@inlined
def _find(place: int, about: Any, mark: Any, rows: Rows, index: int, words: int) -> int:
    """The slot of a line that holds a row, or -1."""
    if words == 1:
        slots = _alike_slots(place, about, rows[index, 0])
        return trailing_zeros(slots) if slots else -1
    left = _candidates(about, mark)
    while left != _NONE:
        slot = trailing_zeros(left) >> 3
        same = True
        for word in range(words):
            if load(place, 1 + slot * words + word) != rows[index, word]:
                same = False
        if same:
            return slot
        left &= left - _ONE
    return -1


@inlined
def _add(numbers: int, about: Any, slot: int, tag: Any, counts: Counts, index: int) -> Any:
    """Add to the number of a slot whose row has a tag; whether there are 128 bits enough."""
    if (about >> (_BYTE * np.uint64(slot))) & _TAG != tag:
        return True
    low = load(numbers, 2 * slot) + counts[index, 0]
    high = load(numbers, 2 * slot + 1)
    more = high + counts[index, 1]
    fits = more >= high
    if low < counts[index, 0]:
        more += _ONE
        fits = fits and more != _NONE
    if fits:
        store(numbers, 2 * slot, low)
        store(numbers, 2 * slot + 1, more)
    return fits


@inlined
def _tag_slot(place: int, about: Any, slot: int, tag: int) -> Any:
    """Give the row of a slot another tag; the word about the line afterwards."""
    shift = _BYTE * np.uint64(slot)
    about = (about & ~(_TAG << shift)) | (np.uint64(tag) << shift)
    store(place, 0, about)
    return about


@inlined
def _fill_slot(
    place: int, about: Any, byte: Any, rows: Rows, counts: Counts, index: int, words: int, extra: int
) -> None:
    """Put a row, and its count, in the first slot of a line that is not taken."""
    taken = about >> _TAKEN
    slot = np.int64(taken)
    for word in range(words):
        store(place, 1 + slot * words + word, rows[index, word])
    if extra > 0:
        store(place + LINE * words, 2 * slot, counts[index, 0])
        store(place + LINE * words, 2 * slot + 1, counts[index, 1])
    store(place, 0, (about | (byte << (_BYTE * taken))) + _TAKE)


@inlined
def _append(
    log: Rows,
    log_counts: Counts,
    log_origins: Origins,
    filled: int,
    rows: Rows,
    counts: Counts,
    origins: Origins,
    index: int,
    words: int,
) -> None:
    """Write a row, and its count and its origin if these are wanted, to a list."""
    for word in range(words):
        log[filled, word] = rows[index, word]
    if log_counts.shape[0] > 0:
        log_counts[filled, 0] = counts[index, 0]
        log_counts[filled, 1] = counts[index, 1]
    if log_origins.shape[0] > 0:
        log_origins[filled, 0] = origins[index, 0]


@inlined
def _sift(places: Any, rows: Rows, at: int, end: int, pending: NDArray[np.int64], sifted: bool) -> int:
    """List the rows of a batch; if wanted, only those that are not where they are looked for first.

    Most rows are known already. That this takes no branch for each of them saves a third of the time.
    """
    left = 0
    if not sifted:
        for index in range(at, end):
            pending[index - at] = index
        return end - at
    for index in range(at, end):
        place = places[index % RING]
        pending[left] = index
        left += _alike_slots(place, load(place, 0), rows[index, 0]) == _NONE
    return left


@inlined
def _insert(
    heads: NDArray[np.int64],
    rows: Rows,
    counts: Counts,
    origins: Origins,
    at: int,
    tag: int,
    log: Rows,
    log_counts: Counts,
    log_origins: Origins,
    filled: int,
    words: int,
    extra: int,
    retag: bool,
) -> tuple[int, int, int]:
    size, listed, traced = rows.shape[0], log.shape[0] > 0, origins.shape[0] > 0
    mask, mark_tag = np.uint64(heads.shape[0] - 1), np.uint64(tag)
    stride = LINE * (words + extra)
    places, groups, prints = np.empty(RING, np.int64), np.empty(RING, np.int64), np.empty(RING, np.uint64)
    pending = np.empty(RING // 2, np.int64)
    ahead = at
    while at < size:
        # The lines of the next batch are asked for before this one is done.
        goal = min(size, at + RING)
        while ahead < goal:
            state = hash_row(rows, ahead, words)
            k = ahead % RING
            groups[k] = np.int64((state >> HALF) & mask)
            places[k] = _line(heads, groups[k], state, stride)
            prints[k] = np.uint64(origins[ahead, 0]) << _TAG_BITS if traced else _print(state)
            for line in range(words + extra + 1):
                prefetch(places[k] + LINE * line)
            ahead += 1
        end = min(size, at + RING // 2)
        left = _sift(places, rows, at, end, pending, words == 1 and extra == 0 and not retag)
        for index in pending[:left]:
            k = index % RING
            place: Any = places[k]
            group: Any = groups[k]
            while True:
                about = load(place, 0)
                slot = _find(place, about, prints[k], rows, index, words)
                if slot >= 0:
                    if retag:
                        about = _tag_slot(place, about, slot, tag)
                    if extra == 0 or _add(place + LINE * words, about, slot, mark_tag, counts, index):
                        break
                    return index, filled, OVERFLOW
                if (about >> _TAKEN) < _SEVEN:
                    if heads[group, USED] >= heads[group, LIMIT]:
                        return index, filled, group
                    if listed and filled == log.shape[0]:
                        return index, filled, ROOM
                    if listed:
                        _append(log, log_counts, log_origins, filled, rows, counts, origins, index, words)
                        filled += 1
                    _fill_slot(place, about, prints[k] | mark_tag, rows, counts, index, words, extra)
                    heads[group, USED] += 1
                    break
                place += stride
                if place >= heads[group, END]:
                    return index, filled, group
        at = end
    return at, filled, DONE


@wrapping_kernel
def insert_words(
    heads: NDArray[np.int64],
    rows: Rows,
    origins: Origins,
    at: int,
    tag: int,
    log: Rows,
    log_origins: Origins,
    filled: int,
) -> tuple[int, int, int]:
    """`insert_rows` for rows of one word without counts.

    Where each has an origin (shape ``(n, 1)``, else empty), it is kept with the row, and written to
    `log_origins` if there is a `log`.
    """
    none = np.empty((0, 2), np.uint64)
    return _insert(heads, rows, none, origins, at, tag, log, none, log_origins, filled, 1, 0, False)


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
    words, none = rows.shape[1], np.empty((0, 1), np.uint8)
    return _insert(heads, rows, counts, none, at, tag, log, log_counts, none, filled, words, extra, retag)


@inlined
def _hash_slot(place: int, slot: int, words: int) -> Any:
    """The hash of the row in a slot, as `hash_row` has it."""
    state = SEED
    for word in range(words):
        state = mix64(state ^ load(place, 1 + slot * words + word))
    return state


@inlined
def _copy_slot(place: int, slot: int, target: int, room: Any, byte: Any, words: int, extra: int) -> None:
    """Copy a slot to the first one of another line that is not taken."""
    free = np.int64(room >> _TAKEN)
    for word in range(words):
        store(target, 1 + free * words + word, load(place, 1 + slot * words + word))
    if extra > 0:
        store(target + LINE * words, 2 * free, load(place + LINE * words, 2 * slot))
        store(target + LINE * words, 2 * free + 1, load(place + LINE * words, 2 * slot + 1))
    store(target, 0, (room | (byte << (_BYTE * np.uint64(free)))) + _TAKE)


@inlined
def _read_slot(place: int, slot: int, out: Rows, out_counts: Counts, filled: int, words: int) -> None:
    """Write the row of a slot, and its count if these are wanted, to a list."""
    for word in range(words):
        out[filled, word] = load(place, 1 + slot * words + word)
    if out_counts.shape[0] > 0:
        out_counts[filled, 0] = load(place + LINE * words, 2 * slot)
        out_counts[filled, 1] = load(place + LINE * words, 2 * slot + 1)


@inlined
def _move(
    place: int,
    end: int,
    heads: NDArray[np.int64],
    kept: int,
    wanted: int,
    out: Rows,
    out_counts: Counts,
    out_origins: Origins,
    filled: int,
    words: int,
    extra: int,
) -> int:
    mask = np.uint64(heads.shape[0] - 1)
    stride = LINE * (words + extra)
    while place < end:
        about = load(place, 0)
        for slot in range(np.int64(about >> _TAKEN)):
            byte = (about >> (_BYTE * np.uint64(slot))) & _WHOLE
            tag = np.int64(byte & _TAG)
            if (wanted >> tag) & 1:
                _read_slot(place, slot, out, out_counts, filled, words)
                if out_origins.shape[0] > 0:
                    out_origins[filled, 0] = byte >> _TAG_BITS
                filled += 1
            if (kept >> tag) & 1:
                state = _hash_slot(place, slot, words)
                group = np.int64((state >> HALF) & mask)
                target = _line(heads, group, state, stride)
                room = load(target, 0)
                while (room >> _TAKEN) == _SEVEN:
                    target += stride
                    if target >= heads[group, END]:
                        return -1
                    room = load(target, 0)
                _copy_slot(place, slot, target, room, byte, words, extra)
                heads[group, USED] += 1
        place += stride
    return filled


@wrapping_kernel
def move_words(
    place: int,
    end: int,
    heads: NDArray[np.int64],
    kept: int,
    wanted: int,
    out: Rows,
    out_origins: Origins,
    filled: int,
) -> int:
    """`move_rows` for rows of one word without counts; `out_origins` is empty if origins are not kept."""
    none = np.empty((0, 2), np.uint64)
    return _move(place, end, heads, kept, wanted, out, none, out_origins, filled, 1, 0)


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
    none = np.empty((0, 1), np.uint8)
    return _move(place, end, heads, kept, wanted, out, out_counts, none, filled, out.shape[1], extra)


@wrapping_kernel
def read_rows(place: int, end: int, step: int, tag: int, out: Rows) -> int:
    """Copy rows with a tag out of every line that is so many bytes after the last one; how many there are."""
    words, none = out.shape[1], np.empty((0, 2), np.uint64)
    filled = 0
    while place < end:
        about = load(place, 0)
        for slot in range(np.int64(about >> _TAKEN)):
            if (about >> (_BYTE * np.uint64(slot))) & _TAG == np.uint64(tag):
                _read_slot(place, slot, out, none, filled, words)
                filled += 1
        place += step
    return filled


@wrapping_kernel
def tag_all(place: int, end: int, stride: int, tag: int) -> None:
    """Give all rows of a group the same tag."""
    while place < end:
        about = load(place, 0)
        for slot in range(np.int64(about >> _TAKEN)):
            about = _tag_slot(place, about, slot, tag)
        place += stride
