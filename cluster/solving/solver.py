"""Boards solved one after the other: tables, kernels and workers are kept between them."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from frontrow.cluster.exploration.checkpoint import Checkpoints
from frontrow.cluster.exploration.limits import Clock, Room
from frontrow.cluster.exploration.place import memory_in_all, place_for
from frontrow.cluster.exploration.wanted import Wanted as Layers
from frontrow.cluster.explore import room_for
from frontrow.cluster.job import Job, JobRow
from frontrow.cluster.owner import owned
from frontrow.cluster.question import ask_about
from frontrow.cluster.result import Progress, Report
from frontrow.cluster.solving import known as kept
from frontrow.cluster.solving.bounds import conflicts_of, upper_bound
from frontrow.cluster.solving.breadth import BreadthRun
from frontrow.cluster.solving.choice import Choice, choose
from frontrow.cluster.solving.finders import Finders
from frontrow.cluster.solving.known import Known, TablesLimitError
from frontrow.cluster.solving.result import Found, OnThreshold, Solution
from frontrow.cluster.solving.rounds import Rounds
from frontrow.cluster.solving.run import Means, SolveRun
from frontrow.cluster.solving.told import solution_of, unsolved
from frontrow.cluster.solving.wanted import Wanted
from frontrow.cluster.store import Store
from frontrow.search.errors import LimitError, MemoryLimitError
from frontrow.search.kernel import is_cold
from frontrow.search.problem import Problem
from frontrow.search.problems.sliding import Sliding
from frontrow.search.registry import ProblemRef
from frontrow.search.tables.choice import choose as choose_table
from frontrow.workers.engine import Engine
from frontrow.workers.memory import available_memory
from frontrow.workers.unit import available_workers

SHARE = 0.6
"""Share of the memory that is free now that a search may use by itself."""


class OutOfLimitError(LimitError):
    """A limit was reached; the solution says what is proved.

    Attributes:
        solution: what is known, not complete.
    """

    def __init__(self, text: str, solution: Solution) -> None:
        """Args: text: for people; solution: what is known."""
        super().__init__(text)
        self.solution = solution


@dataclass(frozen=True, slots=True)
class Settings:
    """How boards are solved, whatever they are.

    Attributes:
        wanted: what is asked.
        notation: of the moves.
        memory: bytes that may be used; None for a share of what is free.
        disk: bytes that the checkpoints of a board may take; None for a share of what is free.
        workers: workers that compute at the same time; None for all there are.
        engine: ``local``, ``ray`` or an engine.
        ray_address: of a Ray cluster; implies ``ray``.
        fresh: compute again although the ledger has the answer.
        time_limit: seconds for each board; None for no limit.
        report: is told where a run stands.
        on_threshold: is told every round.
    """

    wanted: Wanted
    notation: str
    memory: int | None
    disk: int | None
    workers: int | None
    engine: str | Engine
    ray_address: str | None
    fresh: bool
    time_limit: float | None
    report: Report
    on_threshold: OnThreshold


class Solver:
    """Solves boards, with one ledger and one set of workers."""

    def __init__(self, store: Store, settings: Settings) -> None:
        """Use `Solver.open`."""
        self._store, self._settings = store, settings
        self._threads = settings.workers or available_workers()
        self._finders = Finders(self._threads, settings.memory, settings.report)
        self._rounds = Rounds(store, settings.engine, settings.ray_address, settings.workers, settings.report)

    @classmethod
    @contextlib.contextmanager
    def open(cls, folder: str | Path | None, settings: Settings) -> "Iterator[Solver]":
        """A solver whose workers and ledger are closed with the block."""
        with Store.open(folder) as store:
            solver = cls(store, settings)
            with contextlib.closing(solver._rounds):
                yield solver

    def solve(self, problem: str | Problem, params: dict[str, Any]) -> Solution:
        """Solve one board.

        Returns:
            The solution; if there is none, why.

        Raises:
            UsageError: for a bad board, or options that are not for it.
            OutOfLimitError: if a limit was reached.
            FrontrowError: if anything fails.
        """
        clock = Clock(self._settings.time_limit)
        asked, ref = ask_about(Sliding, "solve", problem, params)
        wanted = self._settings.wanted
        choice = choose(asked, wanted, self._memory())
        if asked.unreachable:
            return unsolved(asked, wanted, choice, self._settings.notation)
        job = Job("solve", ref, wanted.to_json())
        with owned(self._store, job, self._settings.report, fresh=self._settings.fresh) as kept:
            if kept is not None:
                return self._told(kept, asked, from_ledger=True, resumed=0)
            self._settings.report(Progress("compiling" if is_cold() else "starting"))
            search = self._breadth if choice.method == "bfs" else self._search
            resumed = search(job, ref, asked, choice, clock)
            row = self._store.jobs(job.id)[0].checked()
            return self._told(row, asked, from_ledger=False, resumed=resumed)

    def _memory(self) -> int:
        return self._settings.memory or int(SHARE * available_memory())

    def _told(self, row: JobRow, problem: Sliding, *, from_ledger: bool, resumed: int) -> Solution:
        found = Found.from_json(row.answer or {})
        notation = self._settings.notation
        return solution_of(row, problem, found, notation, from_ledger=from_ledger, resumed=resumed)

    def _search(self, job: Job, ref: ProblemRef, problem: Sliding, choice: Choice, clock: Clock) -> int:
        """Search depth first or best first; how many rounds an earlier run had done."""
        settings = self._settings
        saved = None if settings.fresh else kept.read_saved(self._store.exploration(job.id), job.id)
        if saved is not None and settings.wanted.heuristic == "auto":
            choice = replace(choice, method=saved[0], heuristic=saved[1])  # as it was chosen there
        folder = self._store.exploration(job.id)
        room = room_for(settings.time_limit, settings.memory, settings.disk, folder)
        means = Means(
            self._store,
            self._finders,
            self._rounds,
            self._threads,
            "local" if settings.engine == "local" and settings.ray_address is None else "ray",
            room.memory,
            room.disk,
            settings.report,
            settings.on_threshold,
        )
        run = SolveRun(job, problem, settings.wanted, choice, means, clock)
        try:
            run.run(fresh=settings.fresh)
        except LimitError as error:
            raise self._limited(
                job, problem, choice, run.known, error, resumed=run.resumed, goes_on=run.goes_on
            ) from error
        return run.resumed

    def _breadth(self, job: Job, ref: ProblemRef, problem: Sliding, choice: Choice, clock: Clock) -> int:
        """Explore until the goal; how many layers an earlier run had done."""
        settings, ledger = self._settings, self._store
        folder = ledger.exploration(job.id)
        room = room_for(settings.time_limit, settings.memory, settings.disk, folder)
        begun = None
        if not settings.fresh:
            begun = Checkpoints(folder, job.id, room.disk).table()
        there = place_for(problem, settings.engine, settings.ray_address, settings.workers, settings.memory)
        with contextlib.closing(there) as place:
            in_all = memory_in_all(problem, place, None, room.memory, depths=True)
            table = choose_table(problem, begun, in_all, symmetry=False, paths=False, depths=True)
            number = place.workers()
            run = BreadthRun(
                job,
                problem,
                Layers(until_goal=True),
                table,
                room,
                ledger,
                place.start,
                number,
                number,
                place.name,
                settings.report,
                lambda layer: None,
                clock.began,
            )
            run.set_solving(problem, settings.wanted, choice)
            try:
                run.run(fresh=settings.fresh)
                return run.resumed
            except LimitError as error:
                limit = _alone(error)
        raise self._limited(job, problem, choice, _known_of(problem, run, room), limit, resumed=run.resumed)

    def _limited(
        self,
        job: Job,
        problem: Sliding,
        choice: Choice,
        known: Known,
        error: LimitError,
        *,
        resumed: int,
        goes_on: bool = True,
    ) -> OutOfLimitError:
        """What to raise when a limit was reached: it says what is proved, and whether a later run goes on."""
        known = kept.with_earlier(known, self._store, job)
        upper = "no solution is known yet" if known.upper is None else f"{known.upper} are enough"
        again = "" if "same command" in str(error) else self._again(error, goes_on=goes_on)
        reason = f"{error}; {known.lower} moves at least, {upper}{again}"
        found = Found(
            moves=None,
            optimal=False,
            lower=known.lower,
            upper=known.upper,
            expanded=known.expanded,
            method=choice.method,
            heuristic=choice.heuristic,
            why=choice.why,
            thresholds=tuple(known.thresholds),
        )
        row = self._store.jobs(job.id)[0].checked()
        notation = self._settings.notation
        solution = solution_of(row, problem, found, notation, from_ledger=False, resumed=resumed)
        return OutOfLimitError(reason, replace(solution, reason=reason))

    def _again(self, error: LimitError, *, goes_on: bool) -> str:
        """What the same question comes to after a limit."""
        command = "the same command without --fresh" if self._settings.fresh else "the same command"
        if isinstance(error, TablesLimitError):
            return ""
        if not goes_on:
            return f"; {command} begins anew but keeps these bounds"
        more = "with more --memory " if isinstance(error, MemoryLimitError) else ""
        return f"; {more}{command} goes on from there"


def _alone(error: LimitError) -> LimitError:
    """An error without the frames that it came through: these hold tables."""
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)


def _known_of(problem: Sliding, run: BreadthRun, room: Room) -> Known:
    """What is proved once a breadth-first search was left."""
    known = Known(lower=run.depth + 1, expanded=run.expanded)
    if problem.slides or problem.shape.is_line:
        return known  # heuristics count moves of one tile
    least = int(conflicts_of(problem)(problem.initial())[0])
    known.lower = max(known.lower + (least - known.lower) % 2, least)  # all solutions are even, or all odd
    known.upper = upper_bound(problem, room.memory)
    return known
