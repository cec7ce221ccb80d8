"""Solving by A*, weighted A* and greedy search, on the threads of this process."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from frontrow.cluster.solving.known import Clock, Known
from frontrow.cluster.solving.result import OnThreshold, Threshold
from frontrow.search.errors import FrontrowError, MemoryLimitError, StoppedError
from frontrow.search.graph import StateGraph
from frontrow.search.problems.sliding import Sliding
from frontrow.search.rows import new_stop
from frontrow.search.sliding import layout
from frontrow.search.solving.astar import BestFirst, Lower
from frontrow.search.solving.conflict import LinearConflict
from frontrow.workers.local import in_background

UPPER_SECONDS = 1.5
"""Seconds for a solution that need not be short, when an upper bound is wanted."""
UPPER_WEIGHTS = (10.0, 3.0, 2.0)
"""Weights that are tried for it; even on 36 cells the first one takes about a second."""
UPPER_MEMORY = 256 << 20
"""Bytes for it."""
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
        clock: Clock,
        known: Known,
        tell: Tell,
        on_threshold: OnThreshold,
    ) -> None:
        """Args as those of `BestFirst`; known: is brought up to date; tell: is called now and then."""
        self._threads, self._clock, self._known, self._tell = threads, clock, known, tell
        self._on_threshold, self._memory = on_threshold, memory
        self._stop = new_stop()
        self.search = BestFirst(graph, lower, weight, threads, memory, self._stop, consistent=consistent)

    def run(self) -> None:
        """Search until the goal is taken.

        Raises:
            LimitError: if a limit was reached.
            FrontrowError: if there is no way.
        """
        before = self._known.expanded
        try:
            with ThreadPoolExecutor(self._threads) as pool:
                in_background(lambda: self._go(pool), self._tick)
        except MemoryLimitError as error:
            raise MemoryLimitError(
                f"memory: found {error} needed, expected at most {self._memory:,} (--memory)"
            ) from None
        finally:
            self._stop[0] = 1
            self._known.expanded = before + self.search.expanded
            if self.search.weight == 1:
                self._known.lower = max(self._known.lower, self.search.bound)

    def _tick(self) -> None:
        self._clock.check()
        self._tell(self.search.bound, self.search.expanded, self.search.nbytes)

    def _go(self, pool: ThreadPoolExecutor) -> None:
        def together(tasks: Sequence[Callable[[], Any]]) -> list[Any]:
            if len(tasks) == 1:
                return [tasks[0]()]
            return [future.result() for future in [pool.submit(task) for task in tasks]]

        bound, begun, nodes = self.search.bound, time.perf_counter(), 0
        while self.search.length is None:
            if self._stop[0]:
                raise StoppedError("stopped")
            if self.search.next_bucket() is None:
                raise FrontrowError("found no way to the goal, expected one")
            self.search.expand(together)
            if self.search.weight == 1 and (self.search.bound > bound or self.search.length is not None):
                self._round(bound, self.search.expanded - nodes, time.perf_counter() - begun)
                bound, begun, nodes = self.search.bound, time.perf_counter(), self.search.expanded

    def _round(self, bound: int, nodes: int, seconds: float) -> None:
        threshold = Threshold(bound, nodes, seconds)
        self._known.thresholds.append(threshold)
        self._on_threshold(threshold)


def warm(graph: StateGraph, lower: Lower) -> None:
    """Load the kernels, or compile them, by expanding the start."""
    search = BestFirst(graph, lower, 1, 1, UPPER_MEMORY, new_stop())
    search.expand(lambda tasks: [task() for task in tasks])


def upper_bound(problem: Sliding, limit: float | None) -> int | None:
    """Moves that are enough, as far as that is soon found; None if it is not.

    Args:
        problem: the puzzle, of which one tile moves at a time.
        limit: seconds that the search had; None for no limit.
    """
    return enough(problem, conflicts_of(problem), min(UPPER_SECONDS, limit or UPPER_SECONDS))


def conflicts_of(problem: Sliding) -> Lower:
    """What tells how many moves boards take at least, by distances and conflicts in lines."""
    bounds = LinearConflict(problem.shape, problem.goal_board).bounds
    return lambda rows: bounds(layout.to_cells(rows, problem.shape.cells))


def enough(graph: StateGraph, lower: Lower, seconds: float) -> int | None:
    """Moves of the shortest solution that is found with large weights in a short time; None if none is.

    Args:
        graph: the puzzle.
        lower: the heuristic.
        seconds: for all weights together.
    """
    warm(graph, lower)
    best, clock = None, Clock(seconds)
    for weight in UPPER_WEIGHTS:
        run = BestFirstRun(
            graph,
            lower,
            weight,
            consistent=True,
            threads=1,
            memory=UPPER_MEMORY,
            clock=clock,
            known=Known(),
            tell=lambda bound, expanded, nbytes: None,
            on_threshold=lambda threshold: None,
        )
        try:
            run.run()
        except FrontrowError:
            break
        length = run.search.length
        best = length if best is None or length is None else min(best, length)
    return best
