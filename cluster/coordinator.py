"""One run of a counting job: plan it, hand out its units, commit what comes back, add it up."""

import contextlib
import math
import time
from collections import deque
from dataclasses import dataclass, replace

from frontrow.cluster.job import Job
from frontrow.cluster.pace import Pace
from frontrow.cluster.result import Progress, Report
from frontrow.cluster.schedule import FIRST_BUDGET, Schedule
from frontrow.cluster.store import Committed, Store
from frontrow.search.contract import check_rows, check_values
from frontrow.search.count import cut, cut_rest, deal
from frontrow.search.errors import DisputedError, FrontrowError, LimitError, UsageError
from frontrow.search.own.blame import explained
from frontrow.search.problem import Countable, Totals
from frontrow.search.rows import HAND_BACK, Rows, new_stop
from frontrow.search.tree import look_at_root
from frontrow.workers.engine import Engine
from frontrow.workers.local import in_background
from frontrow.workers.unit import Batch, UnitResult, WorkUnit

SAVE = 0.1
"""Seconds between commits, at least."""
QUICK = 1.0
"""Seconds after which commits wait for the disk."""
TELL = 0.1
"""Seconds between reports, at least."""
BATCHES_IN_LIMIT = 4
"""Batches, one after the other, for which a time limit has to leave room: every run is to come further."""
SETUP = 60.0
"""Seconds that a time limit leaves for starting workers and compiling: every run is to come further."""
MOST_ROWS = 1 << 13
"""Rows of a unit that is made of a rest of unknown worth: fewer than what makes a default walk leave off.

A unit of more would hand most of them back untouched, again and again.
"""
RECENT = 5.0
"""Seconds over which the rate is taken."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When a run is to stop before it is complete.

    Attributes:
        seconds: after so many seconds of this run; None for no limit.
        nodes: after so many nodes of this run; None for no limit.
    """

    seconds: float | None = None
    nodes: int | None = None


class CountRun:
    """The owner's side of a counting job; the job's lock is held by the caller."""

    def __init__(
        self,
        job: Job,
        problem: Countable,
        store: Store,
        engine: Engine,
        report: Report,
        clock_began: float,
        limits: Limits,
    ) -> None:
        """Args: clock_began: `time.perf_counter` when the caller was asked."""
        self._limits = limits
        self._job, self._problem, self._store, self._engine, self._report = (
            job,
            problem,
            store,
            engine,
            report,
        )
        self._called = clock_began
        self._stop = new_stop()
        self._totals = Totals(problem)
        self._nodes = self._units_done = 0
        self._shown = 0.0
        self._waiting: list[UnitResult] = []
        self._recent: deque[tuple[float, int]] = deque()
        self._state = Progress("starting", workers=engine.workers)
        self._began = self._saved = self._told = clock_began
        self.resumed = 0

    def run(self, *, fresh: bool) -> dict[str, int | None]:
        """Work the job off.

        Returns:
            The values; they are committed.

        Raises:
            DisputedError: if two results of a unit, or a fresh answer and the earlier one, differ.
            LimitError: if a limit was reached; what came back is committed.
            UsageError: if the root of a person's own tree is no node.
            FrontrowError: if a unit, the engine or the ledger fails; what was committed is kept.
            KeyboardInterrupt: after everything that came back is committed.
        """
        earlier = self._store.jobs(self._job.id)[0]
        self._before = 0.0 if fresh else earlier.seconds
        self._setup_before = 0.0 if fresh else earlier.setup_seconds
        with explained(self._problem):
            kernel = in_background(lambda: self._problem.kernel)
        self._epoch = self._store.begin(
            self._job.id,
            fresh=fresh,
            method=self._problem.method_used,
            kernel=kernel,
            engine=self._engine.name,
            workers=self._engine.workers,
        )
        try:
            with explained(self._problem, UsageError):
                in_background(lambda: look_at_root(self._problem), self._check_setup)
            with explained(self._problem):
                in_background(lambda: self._engine.start(self._job.ref), self._check_setup)
                self._plan()
                self._count()
                return self._conclude()
        except KeyboardInterrupt:
            self._end("interrupted")
            raise
        except LimitError:
            self._end("interrupted")
            raise
        except DisputedError as error:
            self._end("disputed", str(error))
            raise
        except Exception as error:
            self._end("failed", str(error) or repr(error))
            raise

    def _plan(self) -> None:
        """Enter the units unless an earlier run did; take over what is done."""
        self._tell(phase="planning", force=True)
        pending = self._store.pending(self._job.id)
        done = self._store.done(self._job.id)
        if not pending and not done:
            parts = in_background(self._split, self._check_setup)
            units = (WorkUnit(number, rows, cost) for number, (rows, cost) in enumerate(parts))
            self._store.add_units(self._job.id, self._epoch, units)
            pending = [(number, cost) for number, (_, cost) in enumerate(parts)]
            del parts  # some 10^5 arrays that are in the ledger now
        known = pending + [(result.number, result.cost) for result in done]
        self._schedule = self._ordered(known, [number for number, _ in pending])
        left = self._store.left(self._job.id)
        for result in done:
            self._totals.add(result.counts)
            self._nodes += result.nodes
            self._schedule.done(result.number, result.seconds, result.nodes, left.get(result.number, 0))
        self._nodes_before = self._nodes
        self.resumed = len(done)
        self._units_done = len(done)

    def _ordered(self, units: list[tuple[int, int]], pending: list[int]) -> Schedule:
        """The units, number and cost, in the order in which they are handed out."""
        return Schedule(
            units,
            pending,
            self._engine.workers,
            self._job.id,
            predictable=self._problem.predictable,
            longest=(self._limits.seconds or math.inf) / BATCHES_IN_LIMIT,
            floor=self._problem.unit_floor,
        )

    def _split(self) -> list[tuple[Rows, int]]:
        return cut(self._problem, check_rows(self._problem, self._problem.split(), "split"))

    def _count(self) -> None:
        self._began = self._saved = time.perf_counter()
        self._setup = self._setup_before + self._began - self._called
        self._pace = Pace(self._engine.workers, self._began)
        results, reached = self._engine.map(self._job.ref, self._take, self._stop), ""
        try:
            for batch in results:
                self._waiting += batch
                self._pace.came(batch, time.perf_counter())
                elapsed = time.perf_counter() - self._saved
                if self._waiting and (elapsed >= SAVE or not batch):
                    self._save()
                self._tell(phase="counting")
                if not reached and (reached := self._reached()):
                    self._stop[0] = HAND_BACK
            self._save()
        finally:
            # Whatever happens, workers stop, and what came back is not lost.
            self._stop[0] = 1
            results.close()
        if reached and self._schedule.left:
            raise LimitError(
                f"{reached} was reached: {self._units_done:,} of {self._schedule.units:,} units are done, "
                f"{self._nodes:,} nodes in all; the same command goes on from there"
            )

    def _take(self) -> Batch | None:
        numbers = self._schedule.take()
        if not numbers and self._waiting:
            self._save()  # may bring new units
            numbers = self._schedule.take()
        return (
            tuple(
                replace(self._store.unit(self._job.id, number), budget=self._budget(number, len(numbers)))
                for number in numbers
            )
            or None
        )

    def _budget(self, number: int, units: int) -> int | None:
        """Nodes that a unit of a batch of so many may visit; a limit of nodes is not to be passed by much."""
        budget = self._schedule.budget(number)
        if self._limits.nodes is None:
            return budget
        fair = max((self._limits.nodes - self._visited) // (2 * self._engine.workers * units), FIRST_BUDGET)
        return fair if budget is None else min(budget, fair)

    @property
    def _visited(self) -> int:
        """Nodes of this run."""
        return self._nodes - self._nodes_before

    def _check_setup(self) -> None:
        """See to it that a person's own code which never comes back before counting begins does not stay."""
        limit = self._limits.seconds
        if limit is None:
            return
        is_quick = self._engine.name == "local" and self._problem.holds_interpreter
        if time.perf_counter() - self._called >= (limit if is_quick else max(limit, SETUP)):
            raise LimitError(
                f"the time limit of {limit:g} s was reached before counting began; the same command goes on"
            )

    def _reached(self) -> str:
        """The limit that was reached; empty if none was."""
        seconds = time.perf_counter() - self._began
        if self._limits.seconds is not None and seconds >= self._limits.seconds:
            return f"the time limit of {self._limits.seconds:g} s"
        if self._limits.nodes is not None and self._visited >= self._limits.nodes:
            return f"the limit of {self._limits.nodes:,} nodes"
        return ""

    def _save(self) -> None:
        """Commit what came back and add it up."""
        results, self._waiting = self._waiting, []
        cuts = {r.number: self._cut(r.rest) for r in results if r.rest.shape[0]}
        self._saved = time.perf_counter()
        if self._saved - self._began > QUICK:
            self._store.set_durable(True)
        committed = self._store.commit(
            self._job.id,
            self._epoch,
            results,
            cuts,
            seconds=self._before + self._saved - self._began,
            setup_seconds=self._setup,
        )
        self._take_in(committed)
        if committed.disputes:
            raise DisputedError("; ".join(committed.disputes))

    def _cut(self, rest: Rows) -> list[tuple[Rows, int]]:
        if self._problem.predictable:
            return cut_rest(self._problem, rest)
        return deal(rest, max(self._schedule.pieces, -(-rest.shape[0] // MOST_ROWS)))

    def _take_in(self, committed: Committed) -> None:
        children = committed.children
        self._schedule.add((unit.number, unit.cost) for units in children.values() for unit in units)
        for result in committed.accepted:
            self._totals.add(result.counts)
            self._nodes += result.nodes
            left = sum(unit.cost for unit in children.get(result.number, ()))
            self._schedule.done(result.number, result.seconds, result.nodes, left)
        self._units_done += len(committed.accepted)

    def _conclude(self) -> dict[str, int | None]:
        if self._schedule.left:
            raise FrontrowError(
                f"job {self._job.id}: found {self._schedule.left} units without a result, expected none"
            )
        totals = dict(zip(self._problem.tallies, self._totals.counts, strict=True))
        values = check_values(self._problem.summary(totals))
        earlier = self._store.earlier_answer(self._job.id)
        if earlier is not None and earlier != values:
            raise DisputedError(f"values: found {values}, expected {earlier} as in the earlier run")
        self._store.finish(self._job.id, self._epoch, "done", answer=values)
        self._tell(phase="counting", force=True)
        return values

    def _end(self, state: str, error: str = "") -> None:
        """Keep what came back and write down how the run ended, as far as the ledger still lets us."""
        with contextlib.suppress(FrontrowError):
            if self._waiting and state != "disputed":
                self._save()
        with contextlib.suppress(FrontrowError):
            self._store.finish(self._job.id, self._epoch, state, error=error)
        if state == "interrupted" and self._state.phase == "counting":
            self._report(self._counting(time.perf_counter(), self._schedule.share(), 0.0))

    def _tell(self, *, phase: str, force: bool = False) -> None:
        now = time.perf_counter()
        if now - self._told < TELL and not force:
            return
        self._told = now
        self._state = replace(self._state, phase=phase)
        if phase == "counting":
            self._recent.append((now, self._nodes))
            while now - self._recent[0][0] > RECENT:
                self._recent.popleft()
            flying = self._pace.flying(now)
            self._state = self._counting(now, self._share(flying), flying)
        self._report(self._state)

    def _counting(self, now: float, share: float | None, flying: float) -> Progress:
        """Where the count stands, with so many seconds in units that are not done."""
        span = now - self._recent[0][0]
        return Progress(
            phase="counting",
            share=share,
            units_done=self._units_done,
            units=self._schedule.units,
            nodes=self._nodes,
            rate=(self._nodes - self._recent[0][1]) / span if span else 0.0,
            totals=self._so_far(),
            elapsed=now - self._began,
            remaining=self._schedule.remaining(self._pace.efficiency, flying),
            workers=self._engine.workers,
            resumed=self.resumed,
        )

    def _share(self, flying: float) -> float | None:
        """The share done; a better prediction may lower it, which would only confuse."""
        share = self._schedule.share(flying)
        if share is not None:
            self._shown = share = max(share, self._shown)
        return share

    def _so_far(self) -> dict[str, int]:
        """The values of what is done, as far as they are sums."""
        counts = dict(zip(self._problem.tallies, self._totals.counts, strict=True))
        sums: dict[str, float] = {name: n for name, n in counts.items() if name not in self._problem.maxima}
        maxima = {name: n for name, n in counts.items() if name in self._problem.maxima}
        return {name: int(n) for name, n in self._problem.expected(sums).items()} | maxima
