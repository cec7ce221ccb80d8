"""Solving by A*, weighted A* and greedy search, on the threads of this process."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from frontrow.cluster.solving.known import Clock, Known
from frontrow.cluster.solving.result import OnThreshold, Threshold
from frontrow.cluster.solving.saving import Rounds, SearchCheckpoint, SearchSaving
from frontrow.search.errors import FrontrowError, LimitError, MemoryLimitError, StoppedError
from frontrow.search.graph import StateGraph
from frontrow.search.problems.sliding import Sliding
from frontrow.search.rows import Stop, new_stop
from frontrow.search.sliding import layout
from frontrow.search.solving.astar import BestFirst, Lower
from frontrow.search.solving.conflict import LinearConflict
from frontrow.workers.local import in_background

UPPER_BOARDS = 20_000
"""Boards that are expanded with one weight, when an upper bound is wanted: some tenths of a second. It is no
time, so that the bound is the same whenever and wherever it is looked for."""
UPPER_WEIGHTS = (3.0, 2.0, 10.0)
"""Weights that are tried for it: the second one if the first one came to a solution, else the third one."""
UPPER_MEMORY = 256 << 20
"""Bytes for it, at most."""
TELL = 0.1
"""Seconds between reports, at least."""

Tell = Callable[[int, int, int], None]
"""Receives the bound, states expanded and bytes held, a few times a second."""


class BestFirstRun:
    """One search in buckets with limits."""

    def __init__(
        self,
        graph: StateGraph,
        lower: Lower,
        weight: float,
        *,
        consistent: bool,
        threads: int,
        memory: int,
        known: Known,
        tell: Tell,
        on_threshold: OnThreshold,
        beside: int = 0,
        saving: SearchSaving | None = None,
    ) -> None:
        """Begin with the start.

        Args:
            graph: as that of `BestFirst`.
            lower: the same.
            weight: the same.
            consistent: the same.
            threads: that expand states.
            memory: bytes that may be held.
            known: is brought up to date.
            tell: is called now and then.
            on_threshold: is told every round of A* that is over.
            beside: bytes of the memory that are held already.
            saving: where a later run goes on from; None if there is to be none.
        """
        self._threads, self._known, self._tell, self._on_threshold = threads, known, tell, on_threshold
        self._memory, self._beside, self._saving = memory, beside, saving
        self._stop = new_stop()
        self._left = threading.Event()
        self._untold: list[Threshold] = []
        """Rounds that are over, which the thread that called is to tell."""
        self._rounds = Rounds()
        self._began = time.perf_counter()
        self.search = BestFirst(
            graph, lower, weight, threads, memory - beside, self._stop, consistent=consistent
        )

    def restore(self, found: SearchCheckpoint, clock: Clock) -> None:
        """Go on from a checkpoint instead.

        Raises:
            LimitError: if there is no time or room for it; the checkpoint is kept.
        """
        try:
            in_background(
                lambda: self._noted(lambda: self.search.restore(found.standing, found.states())), clock.check
            )
        except LimitError as error:
            self._stop[0] = 1
            self._left.wait()
            self.search.clear()
            raise (self._full(error) if isinstance(error, MemoryLimitError) else error) from None
        self._left.clear()
        self._rounds = found.rounds
        self._known.thresholds, self._known.expanded = list(found.rounds.over), self.search.expanded

    def run(self, clock: Clock) -> None:
        """Search until the goal is taken.

        Raises:
            LimitError: if a limit was reached; a later run can go on from there.
            FrontrowError: if there is no way.
        """
        self._began = time.perf_counter()
        try:
            with ThreadPoolExecutor(self._threads) as pool:
                try:
                    in_background(lambda: self._noted(lambda: self._go(pool)), lambda: self._tick(clock))
                finally:
                    self._stop[0] = 1
        except LimitError as error:
            self._left.wait()
            if self.search.length is None:
                self._leave()
                raise (self._full(error) if isinstance(error, MemoryLimitError) else error) from None
        finally:
            self._tell_rounds()
            self._known.expanded = self.search.expanded
            if self.search.weight == 1:
                self._known.lower = max(self._known.lower, self.search.bound)

    def _full(self, error: MemoryLimitError) -> MemoryLimitError:
        tables = f" beside {self._beside:,} of tables" if self._beside else ""
        return MemoryLimitError(
            f"memory: found {error} needed{tables}, expected at most {self._memory:,} (--memory)"
        )

    def _leave(self) -> None:
        """Write a checkpoint and give the memory back."""
        if self._saving is not None:
            self._saving.save(self.search, self._standing_rounds())
        self.search.clear()

    def _tick(self, clock: Clock) -> None:
        self._tell_rounds()
        clock.check()
        self._tell(self.search.bound, self.search.expanded, self.search.nbytes)

    def _noted(self, function: Callable[[], None]) -> None:
        """Call a function and note when it is left: nobody works on the search any more then."""
        try:
            function()
        finally:
            self._left.set()

    def _go(self, pool: ThreadPoolExecutor) -> None:
        def together(tasks: Sequence[Callable[[], Any]]) -> list[Any]:
            if len(tasks) == 1:
                return [tasks[0]()]
            return [future.result() for future in [pool.submit(task) for task in tasks]]

        while self.search.length is None:
            if self._stop[0]:
                raise StoppedError("stopped")
            bucket = self.search.next_bucket()
            if bucket is None:
                raise FrontrowError("found no way to the goal, expected one")
            if sum(bucket) > self.search.bound:
                self._end_round()
            if self._saving is not None and self._saving.is_due:
                self._saving.save(self.search, self._standing_rounds())
            self.search.expand(together)
        self._end_round()

    def _end_round(self) -> None:
        """Tell the round of A* that is over."""
        if self.search.weight != 1:
            return
        nodes = self.search.expanded
        rounds = self._standing_rounds()
        threshold = Threshold(self.search.bound, nodes - rounds.nodes, rounds.seconds)
        self._rounds, self._began = Rounds((*rounds.over, threshold), nodes), time.perf_counter()
        self._known.thresholds.append(threshold)
        self._untold.append(threshold)

    def _tell_rounds(self) -> None:
        while self._untold:
            self._on_threshold(self._untold.pop(0))

    def _standing_rounds(self) -> Rounds:
        now = time.perf_counter()
        return replace(self._rounds, seconds=self._rounds.seconds + now - self._began)


def warm(graph: StateGraph, lower: Lower) -> None:
    """Load the kernels, or compile them, by expanding the start."""
    search = BestFirst(graph, lower, 1, 1, UPPER_MEMORY, new_stop())
    search.expand(lambda tasks: [task() for task in tasks])


def upper_bound(problem: Sliding, memory: int) -> int | None:
    """Moves that are enough, as far as that is soon found; None if it is not.

    Args:
        problem: the puzzle, of which one tile moves at a time.
        memory: bytes that may be held.
    """
    stop, room = new_stop(), min(UPPER_MEMORY, memory)
    try:
        return in_background(lambda: enough(problem, conflicts_of(problem), room, stop))
    finally:
        stop[0] = 1


def conflicts_of(problem: Sliding) -> Lower:
    """What tells how many moves boards take at least, by distances and conflicts in lines."""
    bounds = LinearConflict(problem.shape, problem.goal_board).bounds
    return lambda rows: bounds(layout.to_cells(rows, problem.shape.cells))


def enough(graph: StateGraph, lower: Lower, memory: int, stop: Stop) -> int | None:
    """Moves of the shortest solution that is found with large weights in a few boards; None if none is.

    Args:
        graph: the puzzle.
        lower: the heuristic.
        memory: bytes that may be held.
        stop: raised to have it end.

    Raises:
        StoppedError: if it was.
    """
    first, second, last = UPPER_WEIGHTS
    best = _length(graph, lower, first, memory, stop)
    if best is None:
        return _length(graph, lower, last, memory, stop)
    other = _length(graph, lower, second, memory, stop)
    return best if other is None else min(best, other)


def _length(graph: StateGraph, lower: Lower, weight: float, memory: int, stop: Stop) -> int | None:
    """Moves of the solution that one weight finds in `UPPER_BOARDS`; None if it finds none."""
    search = BestFirst(graph, lower, weight, 1, memory, stop)
    try:
        while search.length is None and search.expanded < UPPER_BOARDS and search.next_bucket() is not None:
            search.expand(lambda tasks: [task() for task in tasks])
    except MemoryLimitError:
        return None
    finally:
        search.clear()
    return search.length
