"""Long rounds of a search: each is a count of its own, on the engine, which goes on where it was left."""

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from frontrow.cluster.api import count
from frontrow.cluster.result import Progress, Report
from frontrow.cluster.solving.deepening import ByAll, Round
from frontrow.cluster.solving.known import Clock, TimeLimitError
from frontrow.cluster.store import Store
from frontrow.search.errors import LimitError
from frontrow.search.problems.sliding import Sliding
from frontrow.search.registry import find
from frontrow.workers.engine import Engine
from frontrow.workers.unit import available_workers


class Rounds:
    """Works rounds off with all workers; the engine is started when the first one needs it."""

    def __init__(
        self,
        store: Store,
        engine: str | Engine,
        ray_address: str | None,
        workers: int | None,
        report: Report,
    ) -> None:
        """Args as those of `frontrow.solve`; store: whose folder has the counts."""
        self._store, self._asked, self._address, self._number = store, engine, ray_address, workers
        self._report = report
        self._engine: Engine | None = None if isinstance(engine, str) else engine

    @property
    def workers(self) -> int:
        """How many workers there are, or will be as far as that is known."""
        return self._engine.workers if self._engine is not None else self._number or available_workers()

    def of(self, problem: Sliding, heuristic: str, clock: Clock, *, fresh: bool) -> ByAll:
        """What works off the rounds of one board."""
        return lambda bound: self._round(problem, heuristic, bound, clock, fresh=fresh)

    def _round(self, problem: Sliding, heuristic: str, bound: int, clock: Clock, *, fresh: bool) -> Round:
        raise NotImplementedError

    def _telling(self, bound: int) -> Report:
        def tell(progress: Progress) -> None:
            note = progress.note or f"no solution below {bound} moves"
            self._report(replace(progress, totals={}, note=note))

        return tell

    def close(self) -> None:
        """End the workers that were started here."""
        if self._engine is not None and self._engine is not self._asked:
            self._engine.close()


@contextlib.contextmanager
def rounds_of(
    store: Store, engine: str | Engine, ray_address: str | None, workers: int | None, report: Report
) -> Iterator[Rounds]:
    """Rounds whose workers end with the block."""
    with contextlib.closing(Rounds(store, engine, ray_address, workers, report)) as rounds:
        yield rounds


def folder_of(store: Store) -> Path:
    """Where a ledger lies."""
    return store.path.parent


_ = (count, find, LimitError, TimeLimitError)
