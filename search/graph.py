"""Graphs of states that are explored layer by layer, and in which shortest ways are looked for."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from frontrow.search.problem import Problem
from frontrow.search.rows import Rows
from frontrow.search.symmetry import Group

Bitmap = NDArray[Any]
"""Unsigned integers of one type, shape ``(groups,)``: a bit a state."""


class Sweep(Protocol):
    """Kernels that take whole layers as bitmaps.

    The state of rank r is bit ``r % width`` of group ``r // width``.
    """

    @property
    def width(self) -> int:
        """States a group, at most the bits of `dtype`."""
        ...

    @property
    def dtype(self) -> type[np.unsignedinteger[Any]]:
        """Type of a group."""
        ...

    @property
    def reach(self) -> int:
        """Most children that the states of one group can have outside of what `push` may write to."""
        ...

    def push(
        self, current: Bitmap, following: Bitmap, first: int, lo: int, hi: int, outside: NDArray[np.uint64]
    ) -> tuple[int, int, int]:
        """Expand the states of ``current[lo:hi]``.

        Args:
            current: a shard's part of the layer, shape ``(groups of the shard,)``.
            following: the same part of the next layer: bits of children are set, known ones as well.
            first: number of the shard's first group.
            lo: first group to be expanded, counted from the shard's first.
            hi: the one after the last.
            outside: takes the ranks of children whose groups belong to other shards.

        Returns:
            The group at which it left off, `hi` unless `outside` had no room for `reach` more; how many ranks
            are in `outside`; and how many children were generated in all.
        """
        ...


class StateGraph(Problem):
    """States and the moves between them.

    `expand` (with `words`, `initial` and `render`) is enough; everything else has a slow, correct default.

    Attributes:
        lookback: how many layers back the children of a layer may be met again: 0 if never, so that only
            those of one layer can be alike (every move takes a peg away); 2 if every move can be undone; None
            if any.
    """

    lookback: ClassVar[int | None] = None

    @property
    def degree(self) -> int:
        """Most children of a state; 0 if nobody knows."""
        return 0

    @abstractmethod
    def expand(self, rows: Rows) -> tuple[Rows, NDArray[np.int32]]:
        """Children of every row, in row order, and the index of each one's parent.

        Several moves to the same child are several children.
        """

    @property
    def has_goal(self) -> bool:
        """Whether there is anything to be reached."""
        return False

    def is_goal(self, rows: Rows) -> NDArray[np.bool_]:
        """Which rows are goals, shape ``(n,)``."""
        return np.zeros(rows.shape[0], np.bool_)

    def goals(self) -> Rows | None:
        """All goals, shape ``(k, words)``, where they are few and known; else None."""
        return None

    @property
    def unreachable(self) -> str:
        """Why no goal can be reached from the start, where theory says so; else empty."""
        return ""

    def symmetries(self) -> Group:
        """The symmetries of the graph that leave the start, and the set of goals, where they are."""
        return Group.trivial(self.words)

    def states(self) -> int | None:
        """How many ranks there are, if states have ranks; reached or not."""
        return None

    def rank(self, rows: Rows) -> NDArray[np.int64]:
        """Numbers of rows, each from 0 to `states` less one, no two alike; shape ``(n,)``."""
        raise NotImplementedError

    def unrank(self, ranks: NDArray[np.int64]) -> Rows:
        """Undo `rank`."""
        raise NotImplementedError

    def sweep(self) -> Sweep | None:
        """Kernels for layers as bitmaps; None without."""
        return None

    def move_names(self, rows: Rows) -> Sequence[str]:
        """What the moves along a way are called: one fewer than its rows, shape ``(steps + 1, words)``."""
        return [""] * (rows.shape[0] - 1)

    def render_way(self, rows: Rows) -> Sequence[str]:
        """Draw the rows of a way, shape ``(steps + 1, words)``, so that the eye can follow what moves."""
        return [self.render(row) for row in rows]

    def warm(self) -> None:
        """Compile or load every kernel that exploring needs; called once in each worker process."""
        self.expand(self.initial())

    @property
    def compiles(self) -> bool:
        """Whether `warm` compiles kernels that ship with Frontrow, the first time on a machine."""
        return True

    @property
    def kernel(self) -> str:
        """What expands rows on this machine, for people and for the ledger."""
        return "numba"

    @property
    def holds_interpreter(self) -> bool:
        """Whether exploring runs in Python alone, so that threads cannot share it."""
        return False
