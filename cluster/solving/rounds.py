"""Long rounds of a search: each is a count of its own, on the engine, which goes on where it was left."""

import itertools
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeVar

from frontrow.cluster.coordinator import Limits
from frontrow.cluster.exploration.limits import Clock
from frontrow.cluster.job import Job, JobRow
from frontrow.cluster.owner import acquire
from frontrow.cluster.question import engine_for
from frontrow.cluster.result import Progress, Report
from frontrow.cluster.solving.deepening import ByAll, CountByAll, Every, Round
from frontrow.cluster.solving.inorder import RoundRun, numbers_of
from frontrow.cluster.store import Store
from frontrow.search.errors import LimitError
from frontrow.search.problems._solutions import Solutions
from frontrow.search.problems._threshold import Threshold
from frontrow.search.problems.sliding import Sliding
from frontrow.search.registry import ProblemRef
from frontrow.search.rows import Stop, new_stop
from frontrow.search.solving.packeted import PacketCount
from frontrow.workers.engine import Engine
from frontrow.workers.local import in_background
from frontrow.workers.unit import available_workers

Round_ = TypeVar("Round_", bound=PacketCount)
Value = TypeVar("Value")


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
        """Args as those of `frontrow.solve`; store: has the counts while they go on."""
        self._store, self._asked, self._address, self._number = store, engine, ray_address, workers
        self._report = report
        self._engine: Engine | None = None if isinstance(engine, str) else engine

    @property
    def workers(self) -> int:
        """How many workers there are, or will be as far as that is known."""
        return self._engine.workers if self._engine is not None else self._number or available_workers()

    def of(self, problem: Sliding, heuristic: str, clock: Clock) -> ByAll:
        """What works off the rounds of one board."""
        return partial(self._round, problem, heuristic, clock)

    def every_of(self, problem: Sliding, heuristic: str, clock: Clock) -> CountByAll:
        """What counts all shortest solutions of one board."""
        return partial(self._every, problem, heuristic, clock)

    def _round(self, problem: Sliding, heuristic: str, clock: Clock, bound: int) -> Round:
        """Search all packets within a bound.

        Raises:
            LimitError: if the time is over; what was done is kept.
            FrontrowError: if workers or the ledger fail.
        """
        asked = _asked(Threshold, problem, heuristic, bound)
        row = self._worked_off(asked, clock, f"no solution below {bound} moves")
        values = row.answer or {}
        moves = None
        if values["place"] is not None:
            moves = _stoppable(lambda stop: asked.moves(values["place"], stop), clock)
        following = values["next_bound"]
        self._store.forget(row.id)
        return moves, row.nodes, -1 if following is None else following

    def _every(self, problem: Sliding, heuristic: str, clock: Clock, length: int, listed: int) -> Every:
        """Count all solutions of the shortest length, and list the first.

        Raises:
            LimitError: if the time is over; what was counted is kept.
            FrontrowError: if workers or the ledger fail.
        """
        asked = _asked(Solutions, problem, heuristic, length)
        row = self._worked_off(asked, clock, f"counting the solutions of {length} moves")
        solutions = int((row.answer or {})["solutions"])
        places, most = self._places(row.id), min(listed, solutions)
        threads = self._number or available_workers()
        ways = _stoppable(lambda stop: asked.listed(places, most, threads, stop), clock)
        self._store.forget(row.id)
        return solutions, ways

    def _places(self, job: str) -> list[int]:
        """The numbers of the packets of all units in which there are solutions, rising."""
        place = Solutions.tallies.index("solutions")
        units = [done.number for done in self._store.done(job) if done.counts[place]]
        return sorted({n for unit in units for n in numbers_of(self._store.unit(job, unit).rows)})

    def _worked_off(self, asked: PacketCount, clock: Clock, note: str) -> JobRow:
        """The job of a round that is done."""
        job = Job("count", ProblemRef.of(asked))
        self._store.create(job)
        with self._store.lock(job.id) as lock:
            acquire(lock, self._store, job.id, self._report)
            self._store.create(job)
            row = self._store.jobs(job.id)[0].checked()
            if row.state != "done":
                self._work_off(job, asked, clock, note)
                row = self._store.jobs(job.id)[0].checked()
        return row

    def _work_off(self, job: Job, asked: PacketCount, clock: Clock, note: str) -> None:
        if self._engine is None:
            self._engine = engine_for(asked, self._asked, self._address, self._number)
        limits = Limits(clock.left)
        tell = self._telling(note)
        run = RoundRun(job, asked, self._store, self._engine, tell, time.perf_counter(), limits)
        try:
            run.run(fresh=False)
        except LimitError as error:
            raise clock.over() from error

    def _telling(self, note: str) -> Callable[[Progress], None]:
        """Reports of a round as those of the search."""

        def tell(progress: Progress) -> None:
            self._report(replace(progress, totals={}, note=progress.note or note))

        return tell

    def close(self) -> None:
        """End the workers that were started here."""
        if self._engine is not None and self._engine is not self._asked:
            self._engine.close()


def _asked(kind: type[Round_], problem: Sliding, heuristic: str, bound: int) -> Round_:
    shape = problem.shape
    return kind(
        size=problem.size,
        start=shape.lines(problem.start_board),
        goal=shape.lines(problem.goal_board),
        heuristic=heuristic,
        bound=bound,
    )


def _stoppable(search: Callable[[Stop], Value], clock: Clock) -> Value:
    """Call what polls a stop flag, until the time is over."""
    stop = new_stop()
    try:
        return in_background(lambda: search(stop), clock.check)
    finally:
        stop[0] = 1


def parts(store: Store, row: JobRow) -> list[str]:
    """The ids of the counts that are rounds of a solving job, left by a run that did not come to its end."""
    problem = row.ref.load()
    assert isinstance(problem, Sliding)
    wanted = problem.size, problem.start_board, problem.goal_board
    found = []
    for each in store.jobs():
        if each.problem in (Threshold.name, Solutions.name) and each.state != "damaged":
            values = each.values
            boards = (tuple(itertools.chain(*values[name])) for name in ("start", "goal"))
            if (values["size"], *boards) == wanted:
                found.append(each.id)
    return found
