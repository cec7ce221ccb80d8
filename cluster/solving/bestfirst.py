"""Solving by A*, weighted A* and greedy search, on the threads of this process."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from frontrow.cluster.exploration.limits import Clock, TimeLimitError
from frontrow.cluster.exploration.saving import LITTLE
from frontrow.cluster.solving.known import Known
from frontrow.cluster.solving.result import OnThreshold, Threshold
from frontrow.cluster.solving.saving import Rounds, SearchCheckpoint, SearchSaving
from frontrow.cluster.solving.telling import Telling
from frontrow.search.errors import FrontrowError, LimitError, MemoryLimitError, StoppedError
from frontrow.search.graph import StateGraph
from frontrow.search.rows import new_stop
from frontrow.search.solving.astar import BestFirst, Lower
from frontrow.workers.local import in_background

PATIENCE = 1.0
"""Seconds that threads have to leave a portion after an interrupt: they look for it some times a second."""
_WARM = 256 << 20
"""Bytes for loading kernels: far more than that takes."""


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
        beside: int,
        known: Known,
        saving: SearchSaving,
        telling: Telling,
        on_threshold: OnThreshold,
    ) -> None:
        """Begin with the start.

        Args:
            graph: as that of `BestFirst`.
            lower: the same.
            weight: the same.
            consistent: the same.
            threads: that expand states.
            memory: bytes that may be held.
            beside: bytes of the memory that are held already.
            known: is brought up to date.
            saving: where a later run goes on from.
            telling: tells how far it is.
            on_threshold: is told every round of A* that is over.
        """
        self._threads, self._known, self._on_threshold = threads, known, on_threshold
        self._memory, self._beside, self._saving, self._telling = memory, beside, saving, telling
        self._stop = new_stop()
        self._left = threading.Event()
        self._untold: list[Threshold] = []
        """Rounds that are over, which the thread that called is to tell."""
        self._rounds = Rounds()
        self._began = time.perf_counter()
        self.search = BestFirst(
            graph, lower, weight, threads, memory - beside, self._stop, consistent=consistent
        )

    def restore(self, clock: Clock) -> None:
        """Go on from the last checkpoint, if there is one.

        Raises:
            LimitError: if there is no time or room for it; the checkpoint is kept.
        """
        self._telling.standing(self.search)
        try:
            found = in_background(self._saving.last, clock.check)
            self._telling.notes()
            if found is not None:
                self._take_over(found, clock)
        except TimeLimitError as error:
            raise TimeLimitError(
                f"{error} while the checkpoint was read: the same command goes on from it with a "
                f"--time-limit above {clock.limit:g} s"
            ) from None

    def _take_over(self, found: SearchCheckpoint, clock: Clock) -> None:
        try:
            in_background(
                lambda: self._noted(lambda: self.search.restore(found.standing, found.states())), clock.check
            )
        except LimitError as error:
            self._stop[0] = 1
            self._left.wait()
            self.search.clear()
            raise (self._full(error) if isinstance(error, MemoryLimitError) else error) from None
        except KeyboardInterrupt:
            self._stop[0] = 1
            raise
        self._left.clear()
        self._rounds = found.rounds
        self._known.thresholds, self._known.expanded = list(found.rounds.over), self.search.expanded

    def run(self, clock: Clock) -> None:
        """Search until the goal is taken.

        Raises:
            LimitError: if a limit was reached; a later run can go on from there.
            FrontrowError: if there is no way.
            KeyboardInterrupt: a later run can go on from there if a checkpoint is soon written.
        """
        self._began = time.perf_counter()
        self._saving.begin()
        self._telling.begin(clock)
        try:
            self._search(clock)
        except LimitError as error:
            self._left.wait()
            if self.search.length is None:
                self._leave(keep=True)
                raise (self._full(error) if isinstance(error, MemoryLimitError) else error) from None
        except KeyboardInterrupt:
            if self._is_little and self._left.wait(PATIENCE):
                self._leave(keep=self.search.length is None)
            raise
        finally:
            self._tell_rounds()
            self._known.expanded = self.search.expanded
            if self.search.weight == 1:
                self._known.lower = max(self._known.lower, self.search.bound)

    def _search(self, clock: Clock) -> None:
        with ThreadPoolExecutor(self._threads) as pool:
            try:
                in_background(lambda: self._noted(lambda: self._go(pool)), lambda: self._tick(clock))
            except KeyboardInterrupt:
                self._telling.left(self.search, saves=self._is_little)
                raise
            finally:
                self._stop[0] = 1

    def _full(self, error: MemoryLimitError) -> MemoryLimitError:
        tables = f" beside {self._beside:,} of tables" if self._beside else ""
        return MemoryLimitError(
            f"memory: found {error} needed{tables}, expected at most {self._memory:,} (--memory)"
        )

    @property
    def _is_little(self) -> bool:
        """Whether a checkpoint is written soon enough for somebody who waits for the end."""
        return self.search.kept_bytes <= LITTLE

    def _leave(self, *, keep: bool) -> None:
        """Give the memory back, once the search stands still. Args: keep: whether to write a checkpoint."""
        if keep:
            self._saving.save(self.search, self._standing_rounds())
        self._telling.notes()
        self._telling.standing(self.search)
        self.search.clear()

    def _tick(self, clock: Clock) -> None:
        self._tell_rounds()
        clock.check()
        self._telling.now_and_then(self.search)

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
            if self._saving.is_due:
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
    search = BestFirst(graph, lower, 1, 1, _WARM, new_stop())
    search.expand(lambda tasks: [task() for task in tasks])
