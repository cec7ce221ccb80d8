"""Solving depth first with rising bounds: short rounds in this thread's company, long ones by all workers."""

import time
from collections.abc import Callable

from frontrow.cluster.solving.known import Clock, Known
from frontrow.cluster.solving.result import OnThreshold, Threshold
from frontrow.search.errors import FrontrowError
from frontrow.search.problems.sliding import Sliding
from frontrow.search.rows import new_stop
from frontrow.search.solving.finder import Counted, Deepened, Finder
from frontrow.workers.local import in_background

SHORT = 0.3
"""Seconds up to which a round is not worth to wake other workers."""
ALONE = 2.0
"""The same where there are none."""
FIRST_NODES = 4_000_000
"""Nodes of a round while nobody knows how long a node takes."""
GROWTH = 6.0
"""Times as many nodes as the round before, where no two rounds can be compared."""
WAYS = "UDLR"
"""Names of the ways of the blank, as kernels number them."""

Round = tuple[tuple[int, ...] | None, int, int]
"""The first solution within the bound, if there is one; nodes; the next bound, or -1."""
ByAll = Callable[[int], Round]
"""Works a round off with all workers."""


class Deepening:
    """The rounds of one board."""

    def __init__(
        self,
        problem: Sliding,
        finder: Finder,
        by_all: ByAll,
        *,
        alone: bool,
        clock: Clock,
        known: Known,
        on_threshold: OnThreshold,
        on_large: Callable[[], None],
    ) -> None:
        """Args: by_all: for long rounds; alone: whether it has one worker; on_large: called before the first.

        `known` says where to begin and is brought up to date.
        """
        self._row, self._finder, self._by_all = problem.initial(), finder, by_all
        self._short = ALONE if alone else SHORT
        self._clock, self._known, self._on_threshold, self._on_large = clock, known, on_threshold, on_large
        self._rate = 0.0
        self._last = 0

    def run(self) -> tuple[str, ...]:
        """The first shortest solution.

        Raises:
            LimitError: if a limit was reached.
            FrontrowError: if there is no solution.
        """
        known = self._known
        known.lower = max(known.lower, int(self._finder.lower_bound(self._row)[0]))
        while True:
            self._clock.check()
            begun = time.perf_counter()
            moves, nodes, following = self._round(known.lower)
            threshold = Threshold(known.lower, nodes, time.perf_counter() - begun)
            known.add(threshold, self._on_threshold)
            if moves is not None:
                return tuple(WAYS[move] for move in moves)
            if following <= known.lower:
                raise FrontrowError(f"bound {known.lower}: found no way to the goal, expected one")
            known.lower = following

    def _round(self, bound: int) -> Round:
        if not self._known.large and self._expected() <= self._short:
            found = self._in_background(bound)
            if found is not None:
                return found
        if not self._known.large:
            self._known.large = True
            self._on_large()
        return self._by_all(bound)

    def _expected(self) -> float:
        """Seconds that the next round takes in one thread."""
        rounds = self._known.thresholds[-2:]
        if not self._rate or not rounds:
            return 0.0
        growth = GROWTH
        if len(rounds) == 2 and rounds[0].nodes > 1000:
            growth = max(rounds[1].nodes / rounds[0].nodes, 1.5)
        return rounds[-1].nodes * growth / self._rate

    def _in_background(self, bound: int) -> Round | None:
        """A round in one thread; None if it would take too long."""
        stop, begun = new_stop(), time.perf_counter()
        packets = self._finder.packets(self._row, 1)
        budget = max(FIRST_NODES, int(2 * self._short * self._rate))

        def search() -> Deepened:
            return self._finder.deepen(packets, 0, len(packets), bound, budget, stop)

        try:
            found = in_background(search, self._clock.check)
        finally:
            stop[0] = 1
        seconds = time.perf_counter() - begun
        if seconds > 0.001 and found.nodes > 1000:
            self._rate = found.nodes / seconds
        if found.place < 0 and found.rest.shape[0]:
            return None
        return found.moves if found.place >= 0 else None, found.nodes, found.next_bound

    def count_all(self, length: int, listed: int) -> Counted:
        """All solutions of the shortest length, and the first of them.

        Raises:
            LimitError: if a limit was reached.
        """
        stop = new_stop()
        try:
            return in_background(
                lambda: self._finder.count_all(self._row, length, listed, stop), self._clock.check
            )
        finally:
            stop[0] = 1
