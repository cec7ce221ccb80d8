"""Solving depth first with rising bounds: short rounds in one thread, long ones by all workers."""

import time
from collections.abc import Callable

from frontrow.cluster.exploration.limits import Clock
from frontrow.cluster.solving.known import Known
from frontrow.cluster.solving.result import OnThreshold, Threshold
from frontrow.search.errors import FrontrowError
from frontrow.search.problems.sliding import Sliding
from frontrow.search.rows import Stop, new_stop
from frontrow.search.solving.finder import Deepened, Finder
from frontrow.workers.local import in_background

SHORT = 0.3
"""Seconds up to which a round is not worth to wake other workers."""
ALONE = 2.0
"""The same where there are none."""
QUICK_NODES = 100_000
"""Nodes of a round that no thread is started for: Ctrl-C waits for it, hundredths of a second at most."""
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
Every = tuple[int, tuple[tuple[int, ...], ...]]
"""How many shortest solutions there are, and the first of them."""
CountByAll = Callable[[int, int], Every]
"""Counts all solutions of a length with all workers, and lists so many."""


class Deepening:
    """The rounds of one board."""

    def __init__(
        self,
        problem: Sliding,
        finder: Finder,
        by_all: ByAll,
        count_by_all: CountByAll,
        *,
        alone: bool,
        clock: Clock,
        known: Known,
        on_threshold: OnThreshold,
        on_large: Callable[[], None],
    ) -> None:
        """Begin where `known` says, which is brought up to date.

        Args:
            problem: the puzzle.
            finder: searches it.
            by_all: for long rounds.
            count_by_all: for long counts of all solutions.
            alone: whether there is one worker.
            clock: of the run.
            known: see above.
            on_threshold: is told every round.
            on_large: is called before the first long one.
        """
        self._row, self._finder, self._by_all = problem.initial(), finder, by_all
        self._packets = finder.packets(self._row, 1)
        self._count_by_all = count_by_all
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
            bound = known.lower
            if moves is None and following <= bound:
                raise FrontrowError(f"bound {bound}: found no way to the goal, expected one")
            known.lower = bound if moves is not None else following
            known.add(Threshold(bound, nodes, time.perf_counter() - begun), self._on_threshold)
            if moves is not None:
                return _named(moves)

    def _round(self, bound: int) -> Round:
        if not self._known.large and self._expected() <= self._short:
            found = self._here(bound) if self._expected_nodes() <= QUICK_NODES else None
            found = found or self._in_background(bound)
            if found is not None:
                return found
        self._grow()
        return self._by_all(bound)

    def _grow(self) -> None:
        """From now on all workers search."""
        if not self._known.large:
            self._known.large = True
            self._on_large()

    @property
    def _budget(self) -> int:
        """Nodes that one thread may expand before all workers are called."""
        return max(FIRST_NODES, int(2 * self._short * self._rate))

    def _expected(self) -> float:
        """Seconds that the next round takes in one thread; 0 while nobody knows."""
        return self._expected_nodes() / self._rate if self._rate else 0.0

    def _expected_nodes(self) -> float:
        """Nodes of the next round; 0 of the first one."""
        rounds = self._known.thresholds[-2:]
        if not rounds:
            return 0.0
        growth = GROWTH
        if len(rounds) == 2 and rounds[0].nodes > 1000:
            growth = max(rounds[1].nodes / rounds[0].nodes, 1.5)
        return rounds[-1].nodes * growth

    def _here(self, bound: int) -> Round | None:
        """A round in this thread; None if it has too many nodes."""
        begun = time.perf_counter()
        return self._came_to(self._search(bound, QUICK_NODES, new_stop()), begun)

    def _in_background(self, bound: int) -> Round | None:
        """A round in one thread; None if it would take too long."""
        stop, begun = new_stop(), time.perf_counter()
        try:
            found = in_background(lambda: self._search(bound, self._budget, stop), self._clock.check)
        finally:
            stop[0] = 1
        return self._came_to(found, begun)

    def _search(self, bound: int, budget: int, stop: Stop) -> Deepened:
        return self._finder.deepen(self._packets, 0, len(self._packets), bound, budget, stop)

    def _came_to(self, found: Deepened, begun: float) -> Round | None:
        """A round that ended now; None if its budget cut it short."""
        seconds = time.perf_counter() - begun
        if seconds > 0.001 and found.nodes > 1000:
            self._rate = found.nodes / seconds
        if found.place < 0 and found.rest.shape[0]:
            return None
        return found.moves if found.place >= 0 else None, found.nodes, found.next_bound

    def every(self, listed: int) -> tuple[int, tuple[tuple[str, ...], ...]]:
        """How many shortest solutions there are, and the first of them, one at least.

        Raises:
            LimitError: if a limit was reached.
            FrontrowError: if there is no solution.
        """
        known, moves = self._known, None
        if not known.thresholds or known.thresholds[-1].bound != known.lower:
            moves = self.run()  # else an earlier run had come to the length already
        solutions, ways = self._every(known.lower, max(listed, 1))
        first = _named(ways[0]) if ways else None
        if first is None or (moves is not None and moves != first):
            raise FrontrowError(f"first of {solutions} solutions: found {first}, expected {moves}")
        return solutions, tuple(map(_named, ways))

    def _every(self, length: int, listed: int) -> Every:
        if not self._known.large:
            stop = new_stop()
            try:
                counted = in_background(
                    lambda: self._finder.count_all(self._row, length, listed, stop, self._budget),
                    self._clock.check,
                )
            finally:
                stop[0] = 1
            if not counted.rest.shape[0]:
                return counted.solutions, counted.listed
            self._grow()
        return self._count_by_all(length, listed)


def _named(moves: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(WAYS[move] for move in moves)
