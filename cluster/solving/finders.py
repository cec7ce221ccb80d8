"""Heuristics with their tables, opened once for all boards of a shape and goal."""

from functools import partial
from typing import TYPE_CHECKING

from frontrow.cluster.exploration.limits import Clock, TimeLimitError
from frontrow.cluster.result import Progress, Report
from frontrow.cluster.solving.known import TablesLimitError
from frontrow.search.errors import MemoryLimitError
from frontrow.search.problems.sliding import Sliding
from frontrow.search.rows import new_stop
from frontrow.search.sliding.board import Board, Shape
from frontrow.search.solving.finder import Finder
from frontrow.workers.local import in_background

if TYPE_CHECKING:
    from frontrow.workers.tables import PatternTables

BUILDING = "building tables"
"""What is noted while this is done."""


class Finders:
    """What searches with a heuristic, by shape, goal and heuristic."""

    def __init__(self, threads: int, memory: int | None, report: Report) -> None:
        """Args: threads: that build tables; memory: bytes that these may take; report: is told of it."""
        self._threads, self._memory, self._report = threads, memory, report
        self._open: dict[tuple[Shape, Board, str], Finder] = {}

    def open(self, problem: Sliding, heuristic: str, clock: Clock) -> Finder:
        """The finder of a puzzle; tables that are missing are built.

        Args:
            problem: the puzzle.
            heuristic: its name.
            clock: whose limit tables have for themselves; kernels have a minute at least.

        Raises:
            UsageError: if the heuristic is not for the board.
            TablesLimitError: if there is no time or room for the tables.
            TimeLimitError: if the time is over.
            FrontrowError: if tables cannot be written.
        """
        key = (problem.shape, problem.goal_board, heuristic)
        if key not in self._open:
            finder = self._opened(*key, clock)
            in_background(lambda: _warm(finder, problem), clock.for_setup().check)
            self._open[key] = finder
        return self._open[key]

    def _opened(self, shape: Shape, goal: Board, heuristic: str, clock: Clock) -> Finder:
        if not heuristic.startswith("pdb"):
            return in_background(lambda: Finder(shape, goal, heuristic), clock.for_setup().check)
        tables = self._tables(shape, goal, heuristic, clock.anew())
        return in_background(lambda: Finder(shape, goal, heuristic, tables), clock.for_setup().check)

    def _tables(self, shape: Shape, goal: Board, heuristic: str, clock: Clock) -> "PatternTables":
        from frontrow.search.patterns.partition import Partition
        from frontrow.workers.tables import PatternTables

        stop, partition = new_stop(), Partition.parse(heuristic, shape, goal)
        try:
            return in_background(
                lambda: PatternTables.open(
                    shape,
                    goal,
                    partition,
                    threads=self._threads,
                    stop=stop,
                    memory=self._memory,
                    progress=partial(self._tell_share, clock),
                    message=self._tell_text,
                ),
                clock.check,
            )
        except TimeLimitError as error:
            raise TablesLimitError(
                f"{error} while tables {partition.sizes} were built, of which nothing is kept"
            ) from error
        except MemoryLimitError as error:
            raise TablesLimitError(str(error)) from error
        finally:
            stop[0] = 1

    def _tell_share(self, clock: Clock, share: float) -> None:
        self._report(
            Progress(
                "counting",
                share=share,
                elapsed=clock.elapsed,
                workers=self._threads,
                note=BUILDING,
            )
        )

    def _tell_text(self, text: str) -> None:
        self._report(Progress("resuming", note=text))


def _warm(finder: Finder, problem: Sliding) -> None:
    """Load the kernels, or compile them: a bound of 0 ends at once."""
    finder.deepen(finder.packets(problem.initial(), 1), 0, 1, 0, None, new_stop())
