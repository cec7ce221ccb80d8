"""Graphs of states that are explored layer by layer, and in which shortest ways are looked for."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from frontrow.search import contract, states, tuples
from frontrow.search.errors import MethodError, UsageError
from frontrow.search.own.blame import explained
from frontrow.search.problem import Problem
from frontrow.search.rows import Origins, Rows
from frontrow.search.states import State
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


class Symmetry(Protocol):
    """Symmetries, as an exploration uses them; `frontrow.search.symmetry.Group` has both methods."""

    def canonical(self, rows: Rows) -> Rows:
        """The row that stands for each one's class, shape ``(n, words)``."""
        ...

    def orbits(self, rows: Rows) -> NDArray[np.int64] | None:
        """How many rows the class of each one has, shape ``(n,)``; None where that is not known."""
        ...


class StateGraph(Problem):
    """States and the moves between them.

    On rows, `expand` (with `words`, `initial` and `render`) is enough. On tuples of small integers, all of
    one length, `root` and `neighbours` are, together with `bits`; the rest is derived. Everything else has
    a default. `is_goal`, `canonical`, `rank` and `unrank` take one state on tuples, and an array of rows
    otherwise; what an exploration calls are `goal_mask`, `symmetries`, `rank_rows` and `unrank_rows`, which a
    graph on tuples may replace by kernels as well as `expand`.

    Attributes:
        lookback: how many layers back the children of a layer may be met again: 0 if never, so that only
            those of one layer can be alike (every move takes a peg away); 2 if every move can be undone; None
            if any.
        bits: bits that the largest integer of a state needs, if states are tuples; may depend on the
            parameters.
    """

    lookback: ClassVar[int | None] = None
    bits: ClassVar[int] = 0

    def __post_init__(self) -> None:
        """Check the parameters, and of a person's own graph the start and what follows from it.

        Raises:
            UsageError: for what cannot be used; it names the parameter, or the line of a person's file.
        """
        super().__post_init__()
        if contract.is_own(self):
            with explained(self, UsageError):
                contract.check_words(self.words)
                contract.check_lookback(self.lookback)
                contract.check_states(self.states())
                contract.check_start(contract.check_rows(self, self.initial(), "initial"))

    @classmethod
    def on_tuples(cls) -> bool:
        """Whether states are tuples and not rows."""
        return cls.neighbours is not StateGraph.neighbours

    @property
    def degree(self) -> int:
        """Most children of a state; 0 if nobody knows."""
        return 0

    def root(self) -> State:
        """The state that the exploration starts from (on tuples)."""
        raise MethodError("root", "found none, expected one")

    def neighbours(self, state: State) -> Iterable[State]:
        """The states that the moves from one state lead to (on tuples)."""
        raise MethodError("neighbours", "found neither it nor expand, expected one")

    @property
    def length(self) -> int:
        """Integers of every state (on tuples)."""
        return self._length

    @cached_property
    def _length(self) -> int:
        return states.length_of(self.root())

    @property
    def words(self) -> int:
        """64-bit words a row."""
        return states.row_words(self)

    def initial(self) -> Rows:
        """The start, shape ``(1, words)``."""
        return states.to_rows(self, [self.root()], "root")

    def render(self, row: Rows) -> str:
        """Draw one row (shape ``(words,)``) as text: by `show` on tuples; on rows its words, with commas."""
        if self.on_tuples():
            return self.show(states.to_states(self, row[None, :])[0])
        return ",".join(map(str, row.tolist()))

    def show(self, state: State) -> str:
        """Draw a state as text (on tuples): its integers, with commas."""
        return ",".join(map(str, state))

    def expand(self, rows: Rows) -> tuple[Rows, NDArray[np.int32]]:
        """Children of every row, in row order, and the index of each one's parent.

        Several moves to the same child are several children.
        """
        return states.expand(self, rows)

    @property
    def has_origins(self) -> bool:
        """Whether `expand_onward` is there; only where rows are one word."""
        return False

    def expand_onward(self, rows: Rows, origins: Origins) -> tuple[Rows, Origins, int]:
        """Children of rows but for those that the sort of move by which a row was reached leads back to.

        What is left out has to be known once the row's parent, and all of its layer, are expanded.

        Args:
            rows: shape ``(n, 1)``.
            origins: how each was reached, shape ``(n, 1)``; nothing is left out where that is 0.

        Returns:
            The children in row order, their origins, and how many were left out.
        """
        raise MethodError("expand_onward", "found none, expected one beside has_origins")

    @property
    def has_goal(self) -> bool:
        """Whether there is anything to be reached."""
        kind = type(self)
        return kind.is_goal is not StateGraph.is_goal or kind.goal_mask is not StateGraph.goal_mask

    def is_goal(self, rows: Any) -> Any:
        """Which rows are goals, shape ``(n,)``; on tuples: whether one state is."""
        return np.zeros(rows.shape[0], np.bool_)

    def goal_mask(self, rows: Rows) -> NDArray[np.bool_]:
        """Which rows are goals; shape ``(n,)``."""
        if self.on_tuples():
            verdicts = [states.verdict(self.is_goal(each)) for each in states.to_states(self, rows)]
            return np.array(verdicts, np.bool_)
        return contract.check_mask(rows, self.is_goal(rows), "is_goal")

    def goals(self) -> Rows | None:
        """All goals, shape ``(k, words)``, where they are few and known; else None."""
        return None

    @property
    def unreachable(self) -> str:
        """Why no goal can be reached from the start, where theory says so; else empty."""
        return ""

    def canonical(self, rows: Any) -> Any:
        """The rows that stand for the classes of some rows, shape ``(n, words)``; on tuples: of one state.

        That of a person's own graph, for `symmetries`. The symmetries have to leave the start, and the goals
        as a whole, where they are.
        """
        raise MethodError("canonical", "found none, expected one")

    def canonical_rows(self, rows: Rows) -> Rows:
        """The rows that stand for the classes of some rows, by `canonical`; shape ``(n, words)``."""
        if self.on_tuples():
            found = [self.canonical(state) for state in states.to_states(self, rows)]
            return states.to_rows(self, found, "canonical")
        return contract.check_alike(self, rows, self.canonical(rows), "canonical")

    def symmetries(self) -> Symmetry:
        """The symmetries of the graph that leave the start, and the set of goals, where they are.

        Raises:
            MethodError: if a person's own `canonical` takes the start elsewhere.
        """
        kind = type(self)
        if kind.canonical is StateGraph.canonical and kind.canonical_rows is StateGraph.canonical_rows:
            return Group.trivial(self.words)
        return Classes(self)

    def states(self) -> int | None:
        """How many ranks there are, if states have ranks; reached or not."""
        return None

    def rank(self, rows: Any) -> Any:
        """Numbers of rows, each from 0 to `states` less one, no two alike, shape ``(n,)``.

        On tuples: the number of one state.
        """
        raise MethodError("rank", "found none, expected one beside states")

    def unrank(self, ranks: Any) -> Any:
        """Undo `rank`."""
        raise MethodError("unrank", "found none, expected one beside rank")

    def rank_rows(self, rows: Rows) -> NDArray[np.int64]:
        """Numbers of rows, shape ``(n,)``."""
        if not self.on_tuples():
            ranks = self.rank(rows)
        else:
            ranks = tuples.numbers([self.rank(state) for state in states.to_states(self, rows)], "rank")
        # A kernel would write where a wrong one leads to.
        return contract.check_ranks(self.states(), rows, ranks) if contract.is_own(self) else ranks

    def unrank_rows(self, ranks: NDArray[np.int64]) -> Rows:
        """Undo `rank_rows`."""
        if self.on_tuples():
            return states.to_rows(self, [self.unrank(rank) for rank in ranks.tolist()], "unrank")
        return contract.check_rows(self, self.unrank(ranks), "unrank")

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
        rows = self.initial()
        contract.check_children(self, rows, self.expand(rows))

    @property
    def compiles(self) -> bool:
        """Whether `warm` compiles kernels that ship with Frontrow, the first time on a machine."""
        return True

    @property
    def kernel(self) -> str:
        """What expands rows on this machine, for people and for the ledger."""
        if self.holds_interpreter:
            return "python"
        return "its own" if contract.is_own(self) else "numba"

    @property
    def holds_interpreter(self) -> bool:
        """Whether exploring runs in Python alone, so that threads cannot share it."""
        return self.on_tuples() and type(self).expand is StateGraph.expand


class Classes:
    """What a person's own `canonical` says of the symmetries: how large classes are is not known."""

    def __init__(self, graph: StateGraph) -> None:
        """Take over the `canonical` of a graph.

        Raises:
            MethodError: if it takes the start elsewhere.
        """
        self._graph = graph
        start = graph.initial()
        found = graph.canonical_rows(start)
        if not np.array_equal(found, start):
            raise MethodError(
                "canonical",
                f"found {graph.render(found[0])} for the start {graph.render(start[0])}, expected the start"
                " itself: symmetries have to leave it where it is",
            )

    def canonical(self, rows: Rows) -> Rows:
        """The row that stands for each one's class, shape ``(n, words)``."""
        return self._graph.canonical_rows(rows)

    def orbits(self, rows: Rows) -> None:
        """Nothing: that is not known."""
