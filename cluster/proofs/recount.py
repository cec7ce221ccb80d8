"""Units that were counted before are counted again, by another computation where the problem has one."""

import time
from collections.abc import Generator, Iterator
from dataclasses import replace

from frontrow.cluster.result import Progress, Report
from frontrow.search.registry import ProblemRef
from frontrow.search.rows import new_stop
from frontrow.workers.engine import Engine
from frontrow.workers.unit import Batch, UnitResult, WorkUnit

LEAST = 8
"""Units of a sample at least, however long they take."""
BATCH_SECONDS = 0.1
"""Seconds that a batch should take."""
BATCH_MOST = 256
"""Units in a batch at most."""


class _Queue:
    """Hands units out until there are none, or until the time is over and enough have been."""

    def __init__(self, units: Iterator[WorkUnit], least: int, seconds: float | None) -> None:
        self._units = units
        self._least = least
        self._end = None if seconds is None else time.perf_counter() + seconds
        self._handed = 0
        self.done, self.busy = 0, 0.0

    def take(self) -> Batch | None:
        """The next batch; see `frontrow.workers.engine.Take`."""
        pace = self.busy / self.done if self.done else BATCH_SECONDS
        size = max(1, min(int(BATCH_SECONDS / max(pace, 1e-9)), BATCH_MOST))
        batch: list[WorkUnit] = []
        while len(batch) < size and not self._is_over():
            unit = next(self._units, None)
            if unit is None:
                break
            batch.append(replace(unit, recount=True))
            self._handed += 1
        return tuple(batch) or None

    def _is_over(self) -> bool:
        return self._end is not None and self._handed >= self._least and time.perf_counter() >= self._end


def recount(
    ref: ProblemRef,
    engine: Engine,
    units: Iterator[WorkUnit],
    report: Report,
    *,
    total: int,
    least: int = 0,
    seconds: float | None = None,
) -> Generator[tuple[UnitResult, ...], None, None]:
    """Count units again; each comes back at least once, in any order.

    Args:
        ref: the problem.
        engine: where it is done.
        units: the units, with the budgets that left a rest; taken one by one as they are needed.
        report: told how far it is.
        total: how many units there are to take.
        least: units that are counted even if the time is over.
        seconds: after which no further unit is begun; None for no limit.

    Raises:
        EngineError: if workers cannot be started or a unit cannot be finished.
    """
    report(Progress("verifying", workers=engine.workers))
    engine.start(ref)
    queue, stop = _Queue(units, least, seconds), new_stop()
    began = time.perf_counter()
    results = engine.map(ref, queue.take, stop)
    try:
        for batch in results:
            queue.done += len(batch)
            queue.busy += sum(result.seconds for result in batch)
            if batch:
                yield batch
            report(
                Progress(
                    "verifying",
                    units_done=queue.done,
                    units=total if seconds is None else 0,
                    elapsed=time.perf_counter() - began,
                    workers=engine.workers,
                )
            )
    finally:
        stop[0] = 1
        results.close()
