"""Groups of symmetries on rows: canonical rows and sizes of orbits."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from frontrow.search.errors import MethodError
from frontrow.search.rows import WORD, Rows

BYTE = 8
"""Bits of a row that are looked up together, unless a group says otherwise."""
WIDEST = 11
"""Most bits of a field, and of a chunk of a row of one word: 2,048 entries of eight images are 128 KiB."""
_STEP = 4
"""`frontrow.search.images.STEP`; importing that would load Numba."""

Chunks = NDArray[np.int64]
"""Shape ``(chunks, 3)``: each one's word, lowest bit in it, and number of bits."""


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """A finite group that acts on rows chunk by chunk.

    The image of a row is the OR of the images of its chunks, so an element may move fields, and change what
    they hold, but what becomes of a chunk must not depend on the others. The elements have to be a group:
    nothing checks that products of two are there.

    A group that acts otherwise is a subclass without tables that has `images`, `canonical` and `orbits` of
    its own.

    Attributes:
        names: one word for each element, the identity first.
        words: 64-bit words a row.
        tables: what each chunk of a row becomes, shape ``(order, chunks, entries, words)``. Entry v is for a
            chunk that holds the number v; those that a chunk has no bits for are not read. None for the
            trivial group, and in a subclass.
        chunks: where the chunks are, by default all bytes of a row from the lowest on (then the tables have
            the shape ``(order, 8 * words, 256, words)``). Bits in no chunk have to be zero in every row.
    """

    names: tuple[str, ...]
    words: int
    tables: NDArray[np.uint64] | None = None
    chunks: Chunks | None = None
    _lookup: tuple[Any, ...] = field(init=False, repr=False, default=())

    def __post_init__(self) -> None:
        """Check the shapes and that the identity is the first element, and lay the tables out for kernels.

        Raises:
            MethodError: if they do not fit each other.
        """
        if self.tables is None:
            if len(self.names) != 1 and type(self) is Group:
                raise _complaint(f"{len(self.names)} elements without tables", "the identity alone")
            return
        chunks = _bytes(self.words) if self.chunks is None else np.asarray(self.chunks, np.int64)
        order, words = len(self.names), self.words
        _check_chunks(chunks, words)
        shape = (order, chunks.shape[0], 1 << int(chunks[:, 2].max()), words)
        if self.tables.dtype != np.uint64 or self.tables.shape != shape:
            raise _complaint(f"tables of {self.tables.dtype} {self.tables.shape}", f"uint64 of shape {shape}")
        _check_identity(self.tables[0], chunks)
        # All images of a chunk lie side by side, so that a row costs one or two cache lines a chunk.
        lanes = order + -order % (_STEP // math.gcd(words, _STEP))
        lookup = np.empty((*shape[1:], lanes), np.uint64)
        lookup[..., :order] = self.tables.transpose(1, 2, 3, 0)
        lookup[..., order:] = lookup[..., :1]
        object.__setattr__(self, "tables", lookup.transpose(3, 0, 1, 2)[:order])
        object.__setattr__(self, "chunks", chunks)
        masks = (np.uint64(1) << chunks[:, 2].astype(np.uint64)) - np.uint64(1)
        places, shifts = np.ascontiguousarray(chunks[:, 0]), chunks[:, 1].astype(np.uint64)
        object.__setattr__(self, "_lookup", (lookup.reshape(-1), shape[2], lanes, places, shifts, masks))

    @classmethod
    def trivial(cls, words: int) -> Self:
        """The group of the identity alone."""
        return cls(("identity",), words)

    @classmethod
    def of_fields(
        cls, names: Sequence[str], cells: int, bits: int, places: ArrayLike, values: ArrayLike | None = None
    ) -> Self:
        """A group on rows of equal fields, as `frontrow.search.rows.pack` makes them.

        Args:
            names: of the elements, the identity first; they have to be a group.
            cells: fields a row.
            bits: bits a field, at most `WIDEST`.
            places: where the content of each field goes, shape ``(order, cells)``.
            values: what each value of a field becomes there, shape ``(order, cells, 2**bits)`` or anything
                that is broadcast to it; by default values stay as they are.

        Raises:
            MethodError: if the places are not permutations, or the values no values.
        """
        order, per_word = len(names), WORD // bits
        words = -(-cells // per_word)
        where = _checked_places(places, order, cells)
        if order == 1:
            return cls(tuple(names), words)
        becomes = _checked_values(np.arange(1 << bits) if values is None else values, order, cells, bits)
        fields = _fields_of_chunks(cells, bits, words)
        chunks = np.array(
            [(part[0] // per_word, part[0] % per_word * bits, len(part) * bits) for part in fields], np.int64
        )
        tables = np.zeros((order, len(fields), 1 << int(chunks[:, 2].max()), words), np.uint64)
        elements, entries = np.arange(order)[:, None], np.arange(tables.shape[2])[None, :]
        for chunk, part in enumerate(fields):
            for number, cell in enumerate(part):
                held = entries >> number * bits & ((1 << bits) - 1)
                word, place = np.divmod(where[:, cell, None], per_word)
                image = becomes[elements, cell, held] << (place * bits).astype(np.uint64)
                tables[elements, chunk, entries, word] |= image
        return cls(tuple(names), words, tables, chunks)

    @property
    def order(self) -> int:
        """Number of elements."""
        return len(self.names)

    def images(self, rows: Rows) -> Rows:
        """What each element makes of each row, shape ``(order, n, words)``.

        Plain numpy: what the kernels of the other methods are compared with.
        """
        if self.tables is None or self.chunks is None:
            return rows[None].copy()
        images = np.zeros((self.order, *rows.shape), np.uint64)
        for chunk, (word, shift, bits) in enumerate(self.chunks.tolist()):
            held = rows[:, word] >> np.uint64(shift) & np.uint64((1 << bits) - 1)
            images |= self.tables[:, chunk, held.astype(np.int64)]
        return images

    def canonical(self, rows: Rows) -> Rows:
        """The least image of each row, words compared from the first; shape ``(n, words)``.

        The trivial group gives the rows themselves, not a copy.
        """
        if self.tables is None:
            return rows
        from frontrow.search import images

        rows = np.ascontiguousarray(rows)
        least = np.empty_like(rows)
        lookup, entries, lanes, places, shifts, masks = self._lookup
        if self.words == 1:
            images.find_least(rows, lookup, np.uint64(entries), np.uint64(lanes), shifts, masks, least)
        else:
            images.find_least_wide(rows, lookup, entries, lanes, places, shifts, masks, least)
        return least

    def orbits(self, rows: Rows) -> NDArray[np.int64]:
        """How many different images each row has, shape ``(n,)``: the order by that of the stabiliser."""
        counts = np.ones(rows.shape[0], np.int64)
        if self.tables is None:
            return counts
        from frontrow.search import images

        lookup, entries, _, places, shifts, masks = self._lookup
        rows = np.ascontiguousarray(rows)
        images.count_fixing(rows, lookup, entries, self.order, places, shifts, masks, counts)
        return self.order // counts


def _complaint(found: str, expected: str) -> MethodError:
    return MethodError("symmetries", f"found {found}, expected {expected}")


def _bytes(words: int) -> Chunks:
    """All bytes of a row."""
    numbers = np.arange(words * WORD // BYTE)
    word, byte = np.divmod(numbers, WORD // BYTE)
    return np.stack([word, byte * BYTE, np.full_like(numbers, BYTE)], axis=1)


def _check_chunks(chunks: Chunks, words: int) -> None:
    """Refuse chunks that are outside of a row or share bits."""
    if chunks.ndim != 2 or chunks.shape[1:] != (3,) or not chunks.shape[0]:
        raise _complaint(f"chunks of shape {chunks.shape}", "one or more of word, lowest bit and bits")
    seen = [0] * words
    for word, shift, bits in chunks.tolist():
        if not 0 <= word < words or shift < 0 or bits < 1 or shift + bits > WORD:
            raise _complaint(f"a chunk of {bits} bits at bit {shift} of word {word}", f"one of {words} words")
        mask = ((1 << bits) - 1) << shift
        if seen[word] & mask:
            raise _complaint(f"bit {shift} of word {word} or one above it in two chunks", "each in one")
        seen[word] |= mask


def _check_identity(tables: NDArray[np.uint64], chunks: Chunks) -> None:
    """Refuse an element, shape ``(chunks, entries, words)``, that is not the identity."""
    for table, (word, shift, bits) in zip(tables, chunks.tolist(), strict=True):
        wanted = np.zeros((1 << bits, tables.shape[2]), np.uint64)
        wanted[:, word] = np.arange(1 << bits, dtype=np.uint64) << np.uint64(shift)
        if not np.array_equal(table[: 1 << bits], wanted):
            raise _complaint(f"another first element (bit {shift} of word {word})", "the identity first")


def _checked_places(places: ArrayLike, order: int, cells: int) -> NDArray[np.int64]:
    """Where fields go, if every element moves them one to one."""
    where = np.asarray(places, np.int64)
    if where.shape != (order, cells):
        raise _complaint(f"places of shape {where.shape}", f"{(order, cells)}")
    if not (np.sort(where, axis=1) == np.arange(cells)).all():
        raise _complaint("places that are used twice", f"0 to {cells - 1}, each once, for every element")
    return where


def _checked_values(values: ArrayLike, order: int, cells: int, bits: int) -> NDArray[np.uint64]:
    """What values become, shape ``(order, cells, 2**bits)``, if all of them fit a field."""
    if not 1 <= bits <= WIDEST:
        raise _complaint(f"fields of {bits} bits", f"1 to {WIDEST}")
    becomes = np.broadcast_to(np.asarray(values, np.int64), (order, cells, 1 << bits))
    if becomes.size and (becomes.min() < 0 or becomes.max() >> bits):
        raise _complaint(f"values from {becomes.min()} to {becomes.max()}", f"0 to {(1 << bits) - 1}")
    return becomes.astype(np.uint64)


def _fields_of_chunks(cells: int, bits: int, words: int) -> list[range]:
    """Which fields are looked up together: as many as fit, alike in number, never of two words."""
    per_word = WORD // bits
    # Tables of several words are large, and bytes keep them in the cache.
    most = max(1, (WIDEST if words == 1 else BYTE) // bits)
    parts = []
    for first in range(0, cells, per_word):
        count = min(per_word, cells - first)
        size = -(-count // -(-count // most))
        parts += [range(cell, min(cell + size, first + count)) for cell in range(first, first + count, size)]
    return parts
