"""Groups of symmetries on rows: canonical rows and sizes of orbits."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from frontrow.search.rows import Rows

BYTE = 8
"""Bits of a row that are looked up together."""


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """A finite group that acts on rows field by field.

    Attributes:
        names: one word for each element, the identity first.
        tables: what each byte of a row becomes, shape ``(order, 8 * words, 256, words)``: the image of a row
            is the OR of the images of its bytes. None for the trivial group.
        words: 64-bit words a row.
    """

    names: tuple[str, ...]
    words: int
    tables: NDArray[np.uint64] | None = None

    @classmethod
    def trivial(cls, words: int) -> Self:
        """The group of the identity alone."""
        return cls(("identity",), words)

    @classmethod
    def of_fields(
        cls, names: Sequence[str], cells: int, bits: int, places: NDArray[np.int64], values: NDArray[np.int64]
    ) -> Self:
        """A group on rows of equal fields, as `frontrow.search.rows.pack` makes them.

        Args:
            names: of the elements, the identity first; they have to be a group.
            cells: fields a row.
            bits: bits a field; 8 must be a multiple of it, or a field must lie within bytes otherwise.
            places: where the content of each field goes, shape ``(order, cells)``.
            values: what each value of a field becomes there, shape ``(order, cells, 2**bits)``.
        """
        raise NotImplementedError

    @property
    def order(self) -> int:
        """Number of elements."""
        return len(self.names)

    def images(self, rows: Rows) -> Rows:
        """What each element makes of each row, shape ``(order, n, words)``."""
        raise NotImplementedError

    def canonical(self, rows: Rows) -> Rows:
        """The least image of each row, words compared from the first; shape ``(n, words)``."""
        raise NotImplementedError

    def orbits(self, rows: Rows) -> NDArray[np.int64]:
        """How many different images each row has, shape ``(n,)``."""
        raise NotImplementedError
