"""Heuristics with their tables, opened once for all boards of a shape and goal."""

from frontrow.cluster.result import Progress, Report
from frontrow.cluster.solving.known import Clock
from frontrow.search.problems.sliding import Sliding
from frontrow.search.rows import new_stop
from frontrow.search.sliding.board import Board, Shape
from frontrow.search.solving.finder import Finder
from frontrow.workers.local import in_background


class Finders:
    """What searches with a heuristic, by shape, goal and heuristic."""

    def __init__(self, threads: int, report: Report) -> None:
        """Args: threads: that build tables; report: is told what is built."""
        self._threads, self._report = threads, report
        self._open: dict[tuple[Shape, Board, str], Finder] = {}

    def open(self, problem: Sliding, heuristic: str, clock: Clock) -> Finder:
        """The finder of a puzzle; tables that are missing are built.

        Raises:
            UsageError: if the heuristic is not for the board.
            LimitError: if the time is over, or there is no room for the tables.
            FrontrowError: if tables cannot be written.
        """
        key = (problem.shape, problem.goal_board, heuristic)
        if key not in self._open:
            finder = self._opened(*key, clock)
            in_background(lambda: _warm(finder, problem), clock.check)
            self._open[key] = finder
        return self._open[key]

    def _opened(self, shape: Shape, goal: Board, heuristic: str, clock: Clock) -> Finder:
        if not heuristic.startswith("pdb"):
            return in_background(lambda: Finder(shape, goal, heuristic), clock.check)
        from frontrow.search.patterns.partition import Partition
        from frontrow.workers.tables import PatternTables

        stop, partition = new_stop(), Partition.parse(heuristic, shape, goal)
        try:
            tables = in_background(
                lambda: PatternTables.open(
                    shape,
                    goal,
                    partition,
                    threads=self._threads,
                    stop=stop,
                    progress=self._tell_share,
                    message=self._tell_text,
                ),
                clock.check,
            )
            return in_background(lambda: Finder(shape, goal, heuristic, tables), clock.check)
        finally:
            stop[0] = 1

    def _tell_share(self, share: float) -> None:
        self._report(Progress("counting", share=share, workers=self._threads, note="building tables"))

    def _tell_text(self, text: str) -> None:
        self._report(Progress("resuming", note=text))


def _warm(finder: Finder, problem: Sliding) -> None:
    """Load the kernels, or compile them: a bound of 0 ends at once."""
    finder.deepen(finder.packets(problem.initial(), 1), 0, 1, 0, None, new_stop())
