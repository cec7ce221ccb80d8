"""Lists of rows that grow, and rows that are given part by part."""

from collections.abc import Iterator
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from frontrow.search.rows import Origins, Rows
from frontrow.search.tables.address import WORD, words_of
from frontrow.search.tables.table import Counts

PART = 1 << 18
"""Most rows of a part that is given back."""
_FIRST_BLOCK, _LAST_BLOCK = 1 << 8, 1 << 20

Number = TypeVar("Number", np.uint64, np.uint8)


class RowLog:
    """Rows in the order in which they were found, in blocks, so that none is copied while more are added.

    Attributes:
        block: where rows are written to, shape ``(any, words)``.
        origins: where their origins are, shape ``(any, 1)``; empty unless these are kept.
        filled: how many rows of the block are written.
        nbytes: bytes held.
    """

    __slots__ = ("_full", "_room", "_spare", "_traced", "_words", "block", "filled", "nbytes", "origins")

    def __init__(self, words: int, *, traced: bool = False) -> None:
        """Make an empty list of rows of so many words, with their origins if it is `traced`."""
        self._words, self._traced = words, traced
        self._full: list[tuple[Rows, Origins]] = []
        self._spare: list[tuple[Rows, Origins]] = []
        """Blocks that are filled again, the last one first."""
        self._room = 0
        """Rows of these."""
        self.block: Rows = np.empty((_FIRST_BLOCK, words), np.uint64)
        self.origins: Origins = np.empty((_FIRST_BLOCK if traced else 0, 1), np.uint8)
        self.filled = 0
        self.nbytes: int = _bytes_of((self.block, self.origins))

    @property
    def rows(self) -> int:
        """How many there are."""
        return sum(int(rows.shape[0]) for rows, _ in self._full) + self.filled

    def need(self, rows: int) -> int:
        """Bytes that may be held on top of `nbytes` at most while so many rows are added."""
        more: int = rows - (self.block.shape[0] - self.filled) - self._room
        if more <= 0:
            return 0
        size = WORD * self._words + self._traced
        return int((more + min(self.nbytes // size + more, _LAST_BLOCK)) * size)

    def extend(self) -> None:
        """Begin a block: one that was filled before, or else one that is as large as all."""
        self._full.append((self.block, self.origins))
        self.filled = 0
        if self._spare:
            self.block, self.origins = self._spare.pop()
            self._room -= self.block.shape[0]
            return
        size = min(sum(rows.shape[0] for rows, _ in self._full), _LAST_BLOCK)
        self.block = array_of((size, self._words), np.uint64)
        self.origins = array_of((size if self._traced else 0, 1), np.uint8)
        self.nbytes += _bytes_of((self.block, self.origins))

    def add(self, rows: Rows) -> None:
        """Add a block of rows as it is, with unknown origins; it must not be changed by anybody else."""
        if rows.shape[0]:
            origins = np.zeros((rows.shape[0] if self._traced else 0, 1), np.uint8)
            self._full.append((rows, origins))
            self.nbytes += _bytes_of(self._full[-1])

    def parts(self) -> Iterator[tuple[Rows, Origins]]:
        """All rows so far, in parts, with their origins; not to be changed."""
        yield from self._full
        if self.filled:
            yield self.block[: self.filled], self.origins[: self.filled]

    def joined(self) -> Rows:
        """All rows as one array; the list is empty then and must not be used again.

        Blocks are given back one by one while they are copied.
        """
        blocks = [rows for rows, _ in self.parts()]
        self._full, self._spare = [], []
        del self.block, self.origins
        if len(blocks) == 1:
            return blocks.pop()
        joined = array_of((sum(map(len, blocks)), self._words), np.uint64)
        end = joined.shape[0]
        while blocks:
            block = blocks.pop()
            joined[end - block.shape[0] : end] = block
            end -= block.shape[0]
        return joined

    def clear(self, rows: int) -> None:
        """Forget all rows; blocks for about so many others are kept, and filled again."""
        blocks = [*self._full, (self.block, self.origins), *reversed(self._spare)]
        room, kept = 0, list[tuple[Rows, Origins]]()
        for block in blocks:
            if room >= rows and kept:
                break
            kept.append(block)
            room += block[0].shape[0]
        self.nbytes = sum(map(_bytes_of, kept))
        self.block, self.origins = kept[0]
        self._full, self._spare, self.filled = [], kept[:0:-1], 0
        self._room = room - self.block.shape[0]


class Given:
    """Rows that a table is given part by part, by what they are, and puts together when all are there."""

    __slots__ = ("_logs",)

    def __init__(self) -> None:
        """Begin without any."""
        self._logs: dict[str, RowLog] = {}

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(log.nbytes for log in self._logs.values())

    def add(self, what: str, rows: Rows) -> None:
        """Keep a copy of some rows."""
        self._logs.setdefault(what, RowLog(rows.shape[1])).add(rows.copy())

    def take(self, what: str, words: int) -> Rows:
        """All rows of so many words that were given as this, in their order; they are kept here no longer."""
        return self._logs.pop(what, RowLog(words)).joined()


def parts(role: str, rows: Rows, counts: Counts | None) -> Iterator[tuple[str, Rows, Counts | None]]:
    """Rows with what they are, in parts of bounded size."""
    for lo in range(0, rows.shape[0], PART):
        yield role, rows[lo : lo + PART], None if counts is None else counts[lo : lo + PART]


def array_of(shape: tuple[int, int], dtype: type[Number]) -> NDArray[Number]:
    """Zeroed memory for an array; large ones go back to the system as soon as they are let go."""
    count = shape[0] * shape[1]
    words = words_of(-(-count * np.dtype(dtype).itemsize // WORD))
    return words.view(dtype)[:count].reshape(shape)


def _bytes_of(block: tuple[Rows, Origins]) -> int:
    rows, origins = block
    return int(rows.nbytes + origins.nbytes)
