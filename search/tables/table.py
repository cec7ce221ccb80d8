"""What a table of visited states is: the contract of all kinds, and how rows are hashed."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from frontrow.search.rows import Origins, Rows

Counts = NDArray[np.uint64]
"""Numbers of ways of 128 bits, shape ``(n, 2)``: low and high word."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some rows and what belongs to them.

    Attributes:
        rows: shape ``(n, words)``; of a rank table ranks, shape ``(n, 1)``.
        counts: ways to each, if ways are counted.
        origins: how each was reached, if that is kept.
    """

    rows: Rows
    counts: Counts | None = None
    origins: Origins | None = None

    def between(self, lo: int, hi: int) -> "Part":
        """Some of the rows."""
        counts = None if self.counts is None else self.counts[lo:hi]
        return Part(self.rows[lo:hi], counts, None if self.origins is None else self.origins[lo:hi])


class Table(Protocol):
    """One shard's states: those of the last layers or of all, and the layer that is being made.

    A table is given the children of a layer in any number of parts and any order, known and repeated ones
    among them. What is kept of them when the layer is closed are those that were in no earlier layer, each
    once. The set of rows kept depends on nothing but the sets absorbed; their order may depend on the order
    of parts.
    """

    kind: str
    """``rank``, ``layers`` or ``hash``."""

    @property
    def nbytes(self) -> int:
        """Bytes held now, the layers that are kept as rows included."""
        ...

    def need(self, rows: int) -> int:
        """Bytes that may be held on top of `nbytes` at most while so many rows are absorbed."""
        ...

    def absorb(self, rows: Rows, counts: Counts | None = None, origins: Origins | None = None) -> None:
        """Take in rows of this shard (shape ``(n, words)``).

        Args:
            rows: shape ``(n, words)``.
            counts: the ways to each, if ways are counted.
            origins: how each was reached, if that is kept.

        Raises:
            TableError: if a number of ways passes 128 bits.
        """
        ...

    def close_layer(self) -> int:
        """End the layer that is being made, which becomes the current one; how many states are new in it."""
        ...

    def current(self) -> Iterator[Part]:
        """The current layer, in parts of any size; they are valid until the next layer is closed."""
        ...

    def kept(self) -> Iterator[tuple[str, Rows, Counts | None]]:
        """All that a table of the same problem needs to go on from here, in parts of bounded size.

        Each part says what it holds: ``current``, ``before`` (the layer before it) or ``visited`` (others).
        Those of a rank table are pieces of bitmaps and not rows: see `frontrow.search.tables.ranked`.
        """
        ...

    def expect(self, rows: int) -> None:
        """Make room for about so many rows that will be restored."""
        ...

    def restore(self, role: str, rows: Rows, counts: Counts | None) -> None:
        """Take over a part of what an earlier table `kept`; rows of this shard only, before anything else.

        A rank table is given every part and takes what is its own.
        """
        ...

    def restored(self) -> None:
        """All parts were taken over."""
        ...
