"""Lists of rows that grow, and rows that are given part by part."""

from collections.abc import Iterator
from typing import Any, TypeVar

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
    """

    __slots__ = ("_full", "_full_origins", "_held", "block", "filled", "origins")

    def __init__(self, words: int, *, traced: bool = False) -> None:
        """Make an empty list of rows of so many words, with their origins if it is `traced`."""
        self._full: list[Rows] = []
        self._full_origins: list[Origins] = []
        self._held = 0
        self.block: Rows = np.empty((_FIRST_BLOCK, words), np.uint64)
        self.origins: Origins = np.empty((_FIRST_BLOCK if traced else 0, 1), np.uint8)
        self.filled = 0

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self._held + self.block.nbytes + self.origins.nbytes

    def need(self, rows: int) -> int:
        """Bytes that may be held on top of `nbytes` at most while so many rows are added, and at `close`."""
        more: int = max(0, rows - (self.block.shape[0] - self.filled))
        size: int = self.block.strides[0] + (1 if self.origins.size else 0)
        return int((more + min(self.nbytes // size + more, _LAST_BLOCK)) * size)

    def extend(self) -> None:
        """Begin a block, as large as all before."""
        self.add(self.block)
        size = min(sum(map(len, self._full)), _LAST_BLOCK)
        self.block, self.filled = array_of((size, self.block.shape[1]), np.uint64), 0
        if self.origins.size:
            self._full_origins.append(self.origins)
            self._held += self.origins.nbytes
            self.origins = array_of((size, 1), np.uint8)

    def add(self, rows: Rows) -> None:
        """Add a block of rows without origins as it is; it must not change any more."""
        self._full.append(rows)
        self._held += rows.nbytes

    def blocks(self) -> list[Rows]:
        """All rows so far, in parts; not to be changed."""
        return [*self._full, self.block[: self.filled]]

    def close(self) -> tuple[Rows, Origins]:
        """All rows, and all origins, as one array; the list is empty then and must not be used again.

        Blocks are given back one by one while they are copied.
        """
        self._full.append(self.block[: self.filled])
        self._full_origins.append(self.origins[: self.filled])
        del self.block, self.origins
        return _joined(self._full), _joined(self._full_origins)


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
        return self._logs.pop(what, RowLog(words)).close()[0]


def parts(role: str, rows: Rows, counts: Counts | None) -> Iterator[tuple[str, Rows, Counts | None]]:
    """Rows with what they are, in parts of bounded size."""
    for lo in range(0, rows.shape[0], PART):
        yield role, rows[lo : lo + PART], None if counts is None else counts[lo : lo + PART]


def array_of(shape: tuple[int, int], dtype: type[Number]) -> NDArray[Number]:
    """Zeroed memory for an array; large ones go back to the system as soon as they are let go."""
    count = shape[0] * shape[1]
    words = words_of(-(-count * np.dtype(dtype).itemsize // WORD))
    return words.view(dtype)[:count].reshape(shape)


def _joined(blocks: list[NDArray[Any]]) -> NDArray[Any]:
    """All blocks as one array; they are taken from the list one by one."""
    if len(blocks) == 1:
        return blocks.pop()
    last = blocks[-1]
    joined = array_of((sum(map(len, blocks)), last.shape[1]), last.dtype.type)
    end = joined.shape[0]
    while blocks:
        block = blocks.pop()
        joined[end - block.shape[0] : end] = block
        end -= block.shape[0]
    return joined
