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

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from frontrow.search.kernel import lean_inlined
from frontrow.search.rows import Origins, Rows
from frontrow.search.tables.address import LINE, alike, load, prefetch, store, trailing_zeros
from frontrow.search.tables.buckets import HALF, SEED, hash_row, mix64, wrapping_lean
from frontrow.search.tables.table import Counts

SLOTS = 7
"""Slots of a line."""
RING = 64
"""Rows whose lines are fetched at the same time; half of them are a batch."""
ALL_TAGS = 0b1110

# Columns of the array that describes groups: where lines begin and end (addresses), how many lines rows may
# belong to, how many rows there are and may be.
START, END, COUNT, USED, LIMIT = range(5)
# Rows of the array that an insertion uses: of the rows whose lines are fetched the line's address, the group
# and the print, and which rows of a batch are left to do.
PLACES, GROUPS, PRINTS, PENDING = range(4)
# What an insertion says when it left off for another reason than that a group is full.
DONE, OVERFLOW, ROOM = -1, -2, -3


class Columns(NamedTuple):
    """Rows and what belongs to them; arrays of what is not there, or not wanted, are empty.

    Attributes:
        rows: shape ``(n, words)``.
        counts: numbers of 128 bits, shape ``(n, 2)``.
        origins: shape ``(n, 1)``.
    """

    rows: Rows
    counts: Counts
    origins: Origins


_ONES = np.uint64(0x01010101010101)
_HIGH = np.uint64(0x80808080808080)
_PRINTS = np.uint64(0xFCFCFCFCFCFCFC)
_NONE, _ONE, _TAG, _SEVEN, _BYTE = (np.uint64(number) for number in (0, 1, 3, 7, 8))
_TAKEN, _TAKE = np.uint64(56), np.uint64(1 << 56)
_LOW = np.uint64(0xFFFFFFFF)
_PRINT_SHIFT, _PRINT_MASK, _TAG_BITS = np.uint64(35), np.uint64(0xFC), np.uint64(2)
_LEAST_PRINT, _WHOLE = np.uint64(4), np.uint64(0xFF)


@lean_inlined
def _line(heads: NDArray[np.int64], group: Any, state: Any, stride: int) -> Any:
    """The address of the line that a row with this hash belongs to."""
    return heads[group, START] + np.int64(((state & _LOW) * np.uint64(heads[group, COUNT])) >> HALF) * stride


@lean_inlined
def _print(state: Any) -> Any:
    """Six bits of a hash that say neither line nor group, times four; never 0."""
    mark = (state >> _PRINT_SHIFT) & _PRINT_MASK
    return mark if mark != _NONE else _LEAST_PRINT


@lean_inlined
def _candidates(about: Any, mark: Any) -> Any:
    """The high bit of the byte of every slot whose print is `mark`, and rarely of another behind it."""
    apart = (about & _PRINTS) ^ (mark * _ONES)
    return (apart - _ONES) & ~apart & _HIGH


@lean_inlined
def _alike_slots(place: int, about: Any, word: Any) -> Any:
    """A bit for each slot of a line of rows of one word: whether it holds this one."""
    return (alike(place, word) >> _ONE) & ((_ONE << (about >> _TAKEN)) - _ONE)


@lean_inlined
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


@lean_inlined
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


@lean_inlined
def _tag_slot(place: int, about: Any, slot: int, tag: int) -> Any:
    """Give the row of a slot another tag; the word about the line afterwards."""
    shift = _BYTE * np.uint64(slot)
    about = (about & ~(_TAG << shift)) | (np.uint64(tag) << shift)
    store(place, 0, about)
    return about


@lean_inlined
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


@lean_inlined
def _append(log: Columns, filled: int, given: Columns, index: int, words: int) -> None:
    """Write a row, and its count and its origin if these are wanted, to a list."""
    for word in range(words):
        log.rows[filled, word] = given.rows[index, word]
    if log.counts.shape[0] > 0:
        log.counts[filled, 0] = given.counts[index, 0]
        log.counts[filled, 1] = given.counts[index, 1]
    if log.origins.shape[0] > 0:
        log.origins[filled, 0] = given.origins[index, 0]


@lean_inlined
def _sift(ring: NDArray[np.int64], rows: Rows, at: int, end: int, sifted: bool) -> int:
    """List the rows of a batch; if wanted, only those that are not where they are looked for first.

    Most rows are known already. That this takes no branch for each of them saves a third of the time.
    """
    left = 0
    if not sifted:
        for index in range(at, end):
            ring[PENDING, index - at] = index
        return end - at
    for index in range(at, end):
        place = ring[PLACES, index % RING]
        ring[PENDING, left] = index
        left += _alike_slots(place, load(place, 0), rows[index, 0]) == _NONE
    return left


@lean_inlined
def _insert(
    heads: NDArray[np.int64],
    ring: NDArray[np.int64],
    given: Columns,
    at: int,
    tag: int,
    log: Columns,
    filled: int,
    words: int,
    extra: int,
    retag: bool,
) -> tuple[int, int, int]:
    rows, counts = given.rows, given.counts
    size, listed, traced = rows.shape[0], log.rows.shape[0] > 0, given.origins.shape[0] > 0
    mask, mark_tag = np.uint64(heads.shape[0] - 1), np.uint64(tag)
    stride = LINE * (words + extra)
    ahead = at
    while at < size:
        # The lines of the next batch are asked for before this one is done.
        goal = min(size, at + RING)
        while ahead < goal:
            state = hash_row(rows, ahead, words)
            k = ahead % RING
            home = np.int64((state >> HALF) & mask)
            line = _line(heads, home, state, stride)
            print_ = np.uint64(given.origins[ahead, 0]) << _TAG_BITS if traced else _print(state)
            ring[GROUPS, k], ring[PLACES, k], ring[PRINTS, k] = home, line, np.int64(print_)
            for further in range(words + extra + 1):
                prefetch(line + LINE * further)
            ahead += 1
        end = min(size, at + RING // 2)
        left = _sift(ring, rows, at, end, words == 1 and extra == 0 and not retag)
        for number in range(left):
            index: Any = ring[PENDING, number]
            k = index % RING
            place: Any = ring[PLACES, k]
            group: Any = ring[GROUPS, k]
            mark = np.uint64(ring[PRINTS, k])
            while True:
                about = load(place, 0)
                slot = _find(place, about, mark, rows, index, words)
                if slot >= 0:
                    if retag:
                        about = _tag_slot(place, about, slot, tag)
                    if extra == 0 or _add(place + LINE * words, about, slot, mark_tag, counts, index):
                        break
                    return index, filled, OVERFLOW
                if (about >> _TAKEN) < _SEVEN:
                    if heads[group, USED] >= heads[group, LIMIT]:
                        return index, filled, group
                    if listed and filled == log.rows.shape[0]:
                        return index, filled, ROOM
                    if listed:
                        _append(log, filled, given, index, words)
                        filled += 1
                    _fill_slot(place, about, mark | mark_tag, rows, counts, index, words, extra)
                    heads[group, USED] += 1
                    break
                place += stride
                if place >= heads[group, END]:
                    return index, filled, group
        at = end
    return at, filled, DONE


@wrapping_lean
def insert_words(
    heads: NDArray[np.int64],
    ring: NDArray[np.int64],
    given: Columns,
    at: int,
    tag: int,
    log: Columns,
    filled: int,
) -> tuple[int, int, int]:
    """`insert_rows` for rows of one word without counts; their origins are kept if they are given."""
    return _insert(heads, ring, given, at, tag, log, filled, 1, 0, False)


@wrapping_lean
def insert_rows(
    heads: NDArray[np.int64],
    ring: NDArray[np.int64],
    given: Columns,
    at: int,
    tag: int,
    log: Columns,
    filled: int,
    extra: int,
    retag: bool,
) -> tuple[int, int, int]:
    """Insert rows that are not there yet, from row `at` on.

    Args:
        heads: the groups, shape ``(groups, 5)``.
        ring: written, shape ``(4, RING)``.
        given: the rows; without origins.
        at: first row to be inserted.
        tag: what new rows are marked with.
        log: where new rows are written to from `filled` on, as far as it is not empty.
        filled: rows in `log`.
        extra: 2 if slots have counts, which are added to those of rows with the same tag; else 0.
        retag: whether rows that are there take on the tag as well.

    Returns:
        The first row that was not inserted; rows in `log`; and why it left off: `DONE`, `OVERFLOW`, `ROOM`
        (`log` is full) or the number of the group that is full.
    """
    return _insert(heads, ring, given, at, tag, log, filled, given.rows.shape[1], extra, retag)


@lean_inlined
def _hash_slot(place: int, slot: int, words: int) -> Any:
    """The hash of the row in a slot, as `hash_row` has it."""
    state = SEED
    for word in range(words):
        state = mix64(state ^ load(place, 1 + slot * words + word))
    return state


@lean_inlined
def _copy_slot(place: int, slot: int, target: int, room: Any, byte: Any, words: int, extra: int) -> None:
    """Copy a slot to the first one of another line that is not taken."""
    free = np.int64(room >> _TAKEN)
    for word in range(words):
        store(target, 1 + free * words + word, load(place, 1 + slot * words + word))
    if extra > 0:
        store(target + LINE * words, 2 * free, load(place + LINE * words, 2 * slot))
        store(target + LINE * words, 2 * free + 1, load(place + LINE * words, 2 * slot + 1))
    store(target, 0, (room | (byte << (_BYTE * np.uint64(free)))) + _TAKE)


@lean_inlined
def _read_slot(place: int, slot: int, byte: Any, out: Columns, filled: int, words: int) -> None:
    """Write the row of a slot, and its count and its origin if these are wanted, to a list."""
    for word in range(words):
        out.rows[filled, word] = load(place, 1 + slot * words + word)
    if out.counts.shape[0] > 0:
        out.counts[filled, 0] = load(place + LINE * words, 2 * slot)
        out.counts[filled, 1] = load(place + LINE * words, 2 * slot + 1)
    if out.origins.shape[0] > 0:
        out.origins[filled, 0] = byte >> _TAG_BITS


@lean_inlined
def _move(
    place: int,
    end: int,
    heads: NDArray[np.int64],
    kept: int,
    wanted: int,
    out: Columns,
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
                _read_slot(place, slot, byte, out, filled, words)
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


@wrapping_lean
def move_words(
    place: int,
    end: int,
    heads: NDArray[np.int64],
    kept: int,
    wanted: int,
    out: Columns,
    filled: int,
) -> int:
    """`move_rows` for rows of one word without counts."""
    return _move(place, end, heads, kept, wanted, out, filled, 1, 0)


@wrapping_lean
def move_rows(
    place: int,
    end: int,
    heads: NDArray[np.int64],
    kept: int,
    wanted: int,
    out: Columns,
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
        out: as far as it is not empty.
        filled: rows in `out`.
        extra: as for `insert_rows`.

    Returns:
        Rows in `out`; -1 if a new group was too full at its end.
    """
    return _move(place, end, heads, kept, wanted, out, filled, out.rows.shape[1], extra)


@wrapping_lean
def read_rows(place: int, end: int, step: int, tag: int, out: Columns) -> int:
    """Copy rows with a tag out of every line that is so many bytes after the last one; how many there are."""
    words, filled = out.rows.shape[1], 0
    while place < end:
        about = load(place, 0)
        for slot in range(np.int64(about >> _TAKEN)):
            byte = (about >> (_BYTE * np.uint64(slot))) & _WHOLE
            if byte & _TAG == np.uint64(tag):
                _read_slot(place, slot, byte, out, filled, words)
                filled += 1
        place += step
    return filled


@wrapping_lean
def tag_all(place: int, end: int, stride: int, tag: int) -> None:
    """Give all rows of a group the same tag."""
    while place < end:
        about = load(place, 0)
        for slot in range(np.int64(about >> _TAKEN)):
            about = _tag_slot(place, about, slot, tag)
        place += stride
