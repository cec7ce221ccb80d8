"""What is told of a search in buckets while it goes on."""

import time

from frontrow.cluster.exploration.limits import Clock
from frontrow.cluster.result import Progress, Report
from frontrow.cluster.solving.saving import SearchSaving
from frontrow.search.solving.astar import BestFirst

TELL = 0.1
"""Seconds between reports, at least."""


class Telling:
    """Reports of one run."""

    def __init__(self, report: Report, saving: SearchSaving, workers: int, clock: Clock) -> None:
        """Begin. Args: saving: has the checkpoints; workers: threads; clock: of the run."""
        self._report, self._saving, self._workers, self._clock = report, saving, workers, clock
        self._told = 0.0

    def begin(self, clock: Clock) -> None:
        """The search begins. Args: clock: of it alone."""
        self._clock = clock

    def notes(self) -> None:
        """Tell what is new about checkpoints."""
        for note, lost in self._saving.take_notes():
            self._report(Progress("resuming", note=note, kept=self._saving.kept, warning=lost))

    def now_and_then(self, search: BestFirst) -> None:
        """Tell where the search stands, if that was not just told."""
        self.notes()
        if time.perf_counter() - self._told >= TELL:
            self.standing(search)

    def left(self, search: BestFirst, *, saves: bool) -> None:
        """Tell where an interrupt reached the search. Args: saves: whether that will be written down."""
        if saves:
            self.standing(search, "saving", "writing down where the search stands")
        else:
            self.standing(search)

    def standing(self, search: BestFirst, phase: str = "searching", note: str = "") -> None:
        """Tell where the search stands."""
        self._told = time.perf_counter()
        self._report(
            Progress(
                phase,
                share=None,
                units_done=search.bound,
                nodes=search.expanded,
                elapsed=self._clock.elapsed,
                workers=self._workers,
                note=note or f"{search.nbytes >> 20:,} MiB",
                kept=self._saving.kept,
            )
        )
