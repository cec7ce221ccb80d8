"""One run of a solving job: choose, open tables, search, check the path, write the answer down."""

import contextlib
import time
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from frontrow.cluster.exploration.limits import Clock
from frontrow.cluster.job import Job
from frontrow.cluster.result import Report
from frontrow.cluster.solving import known as kept
from frontrow.cluster.solving.bestfirst import BestFirstRun, warm
from frontrow.cluster.solving.bounds import distances_of, upper_bound
from frontrow.cluster.solving.choice import CONSISTENT, Choice, table_bytes
from frontrow.cluster.solving.deepening import Deepening
from frontrow.cluster.solving.finders import Finders
from frontrow.cluster.solving.known import Known
from frontrow.cluster.solving.result import Found, OnThreshold, Threshold
from frontrow.cluster.solving.rounds import Rounds
from frontrow.cluster.solving.saving import SearchSaving
from frontrow.cluster.solving.telling import Telling
from frontrow.cluster.solving.wanted import Wanted
from frontrow.cluster.store import Store
from frontrow.search.errors import DisputedError, FrontrowError, LimitError, interrupted
from frontrow.search.problems.sliding import Sliding
from frontrow.search.solving.astar import Lower
from frontrow.search.solving.replay import checked
from frontrow.workers.local import in_background


@dataclass(frozen=True, slots=True)
class Means:
    """What a run works with.

    Attributes:
        store: the ledger.
        finders: tables and kernels, shared by all boards.
        rounds: works long rounds off on the engine.
        threads: of this process.
        engine: the engine's name.
        memory: bytes that may be held.
        disk: bytes that checkpoints may take.
        report: is told where the run stands.
        on_threshold: is told every round.
    """

    store: Store
    finders: Finders
    rounds: Rounds
    threads: int
    engine: str
    memory: int
    disk: int
    report: Report
    on_threshold: OnThreshold


class SolveRun:
    """The owner's side of a solving job; the job's lock is held by the caller."""

    def __init__(
        self, job: Job, problem: Sliding, wanted: Wanted, choice: Choice, means: Means, clock: Clock
    ) -> None:
        """Args: clock: of this run, and of its time limit."""
        self._job, self._problem, self._wanted, self._choice = job, problem, wanted, choice
        self._means, self._clock = means, clock
        self._known = Known()
        self._lower: Lower = partial(distances_of, problem)
        self._setup = 0.0
        self._beside = 0
        """Bytes of the tables that are open."""
        self._saving: SearchSaving | None = None
        self.resumed = 0

    @property
    def known(self) -> Known:
        """What is proved so far."""
        return self._known

    def run(self, *, fresh: bool) -> None:
        """Solve; the answer is committed.

        Raises:
            LimitError: if a limit was reached; what is known is kept for a later run.
            FrontrowError: if anything fails.
            KeyboardInterrupt: what is known is kept, and where a search in buckets stands if that is soon
                written, else its last checkpoint.
        """
        store, choice = self._means.store, self._choice
        is_local = choice.method != "ida"
        self._epoch = store.begin(
            self._job.id,
            fresh=fresh,
            method=choice.method,
            kernel=choice.heuristic,
            engine="local" if is_local else self._means.engine,
            workers=self._means.threads if is_local else self._means.rounds.workers,
        )
        if fresh:
            kept.forget(self._folder)
        else:
            self._take_over()
        try:
            found = self._solve()
            self._compare(found)
            store.set_seconds(self._job.id, self._epoch, self._seconds(), self._setup)
            store.finish(self._job.id, self._epoch, "done", answer=found.to_json())
        except (KeyboardInterrupt, LimitError) as error:
            self._leave(wait=isinstance(error, LimitError))
            self._end("interrupted")
            raise
        except DisputedError as error:
            self._end("disputed", str(error))
            raise
        except Exception as error:
            if interrupted(error):  # within a kernel
                self._leave(wait=False)
                self._end("interrupted")
                raise KeyboardInterrupt from error
            self._end("failed", str(error) or repr(error))
            raise
        kept.forget(self._folder)

    # Searching

    def _solve(self) -> Found:
        problem = self._problem
        if problem.start_board == problem.goal_board:
            every = self._wanted.every
            return self._found((), solutions=1 if every else None, listed=((),) * min(self._wanted.listed, 1))
        finder = self._means.finders.open(problem, self._choice.heuristic, self._clock)
        self._lower = finder.lower_bound
        if self._choice.heuristic.startswith("pdb"):
            self._beside = table_bytes(problem.shape, problem.goal_board, self._choice.heuristic)
        if self._choice.method != "ida":
            in_background(partial(warm, problem, finder.lower_bound), self._clock.for_setup().check)
            return self._best_first()
        self._begin()
        rounds = self._means.rounds
        search = Deepening(
            problem,
            finder,
            rounds.of(problem, self._choice.heuristic, self._clock),
            rounds.every_of(problem, self._choice.heuristic, self._clock),
            alone=rounds.workers == 1,
            clock=self._clock,
            known=self._known,
            on_threshold=self._tell_round,
            on_large=self._enlarge,
        )
        if not self._wanted.every:
            moves = search.run()
            self._checked(moves)
            return self._found(moves)
        solutions, ways = search.every(self._wanted.listed)
        self._checked(ways[0])
        return self._found(ways[0], solutions=solutions, listed=ways[: self._wanted.listed])

    def _begin(self) -> None:
        """The search begins: what was before was setup."""
        self._setup = time.perf_counter() - self._clock.began
        self._clock = self._clock.anew()

    def _best_first(self) -> Found:
        weight = np.inf if self._choice.method == "greedy" else self._wanted.weight
        means = self._means
        self._known.thresholds, self._known.expanded, self.resumed = [], 0, 0
        way = f"{self._choice.method} {self._choice.heuristic}"
        self._saving = saving = SearchSaving(self._folder, self._job.id, means.disk, way)
        run = BestFirstRun(
            self._problem,
            self._lower,
            float(weight),
            consistent=self._choice.heuristic in CONSISTENT,
            threads=means.threads,
            memory=means.memory,
            beside=self._beside,
            known=self._known,
            saving=saving,
            telling=Telling(means.report, saving, means.threads, self._clock),
            on_threshold=means.on_threshold,
        )
        run.restore(self._clock.for_setup())
        self.resumed = len(self._known.thresholds)
        self._begin()
        run.run(self._clock)
        ways = run.search.ways()
        moves = tuple(self._problem.move_names(ways.first()))
        self._checked(moves)
        if not self._wanted.every:
            return self._found(moves)
        listed = tuple(tuple(self._problem.move_names(way)) for way in ways.listed(self._wanted.listed))
        return self._found(moves, solutions=ways.count(), listed=listed)

    @property
    def goes_on(self) -> bool:
        """Whether a later run goes on from where this one was left."""
        return self._saving is None or self._saving.goes_on

    def _checked(self, moves: tuple[str, ...]) -> None:
        problem = self._problem
        checked(problem.shape, problem.start_board, problem.goal_board, moves)

    def _found(
        self,
        moves: tuple[str, ...],
        *,
        solutions: int | None = None,
        listed: tuple[tuple[str, ...], ...] = (),
    ) -> Found:
        length = len(moves)
        lower = self._proved(length)
        return Found(
            moves=moves,
            optimal=lower == length,
            lower=lower,
            upper=length,
            expanded=self._known.expanded,
            method=self._choice.method,
            heuristic=self._choice.heuristic,
            why=self._choice.why,
            thresholds=tuple(self._known.thresholds),
            solutions=solutions,
            listed=listed,
        )

    def _proved(self, length: int) -> int:
        """Moves that every solution takes at least, where one of a length was found."""
        if self._choice.method == "greedy" or self._wanted.weight > 1:
            lower = int(self._lower(self._problem.initial())[0])
            if self._choice.method != "greedy":
                lower = max(lower, int(np.ceil(length / self._wanted.weight - 1e-9)))
            return lower + (length - lower) % 2  # all solutions of a board are even, or all are odd
        return length

    # Limits

    def _leave(self, *, wait: bool) -> None:
        """Keep what is proved, and if there is time for it see how many moves are enough."""
        known = self._known
        known.lower = max(known.lower, int(self._lower(self._problem.initial())[0]))
        if known.upper is None and wait:
            self._look_above()
        with contextlib.suppress(FrontrowError, OSError):
            self._save()
            self._means.store.set_seconds(self._job.id, self._epoch, self._seconds(), self._setup)

    def _look_above(self) -> None:
        """See how many moves are enough."""
        self._known.upper = upper_bound(self._problem, self._means.memory - self._beside)

    def _enlarge(self) -> None:
        """Before the first long round: what a limit will tell is to be found within the limit."""
        if self._known.upper is None and self._clock.limit is not None:
            self._look_above()
        self._save()

    def _tell_round(self, threshold: Threshold) -> None:
        """A round is over: what a long one proved survives even the end of this process."""
        if self._known.large:
            self._save()
        self._means.on_threshold(threshold)

    def _save(self) -> None:
        known = replace(self._known, seconds=self._seconds())
        kept.save(self._folder, self._job.id, self._choice.method, self._choice.heuristic, known)

    def _take_over(self) -> None:
        """Go on from what an earlier run that searched in the same way proved."""
        found = kept.read_saved(self._folder, self._job.id)
        if found is not None and found[:2] == (self._choice.method, self._choice.heuristic):
            self._known = found[2]
            self.resumed = len(self._known.thresholds)

    @property
    def _folder(self) -> Path:
        return self._means.store.exploration(self._job.id)

    def _seconds(self) -> float:
        return self._known.seconds + self._clock.elapsed

    # The end

    def _compare(self, found: Found) -> None:
        """Compare the answer with one that was there.

        Raises:
            DisputedError: if they differ.
        """
        earlier = self._means.store.earlier_answer(self._job.id)
        if earlier is not None and earlier["moves"] != list(found.moves or ()):
            raise DisputedError(
                f"moves: found {''.join(found.moves or ())}, expected {''.join(earlier['moves'])} as in the "
                "earlier run"
            )

    def _end(self, state: str, error: str = "") -> None:
        with contextlib.suppress(FrontrowError):
            self._means.store.finish(self._job.id, self._epoch, state, error=error)
