"""One run of an exploration: layer after layer, until it is over or a limit is reached, and the answer."""

import contextlib
import time
from typing import NoReturn

from frontrow.cluster.exploration import limits
from frontrow.cluster.exploration.checkpoint import Checkpoint
from frontrow.cluster.exploration.compare import check_same
from frontrow.cluster.exploration.groups import Groups, Start
from frontrow.cluster.exploration.limits import Clock, Room, TimeLimitError
from frontrow.cluster.exploration.result import Layer, OnLayer, Way
from frontrow.cluster.exploration.saving import LITTLE, Saving
from frontrow.cluster.exploration.telling import Telling
from frontrow.cluster.exploration.trail import Trail, walk_back
from frontrow.cluster.exploration.wanted import Wanted
from frontrow.cluster.job import Job
from frontrow.cluster.result import Report
from frontrow.cluster.store import Store
from frontrow.search.errors import (
    DiskLimitError,
    DisputedError,
    EngineError,
    FrontrowError,
    LimitError,
    MemoryLimitError,
    interrupted,
)
from frontrow.search.graph import StateGraph, Symmetry
from frontrow.search.own.blame import explained
from frontrow.search.tables.choice import Choice
from frontrow.workers.local import in_background
from frontrow.workers.shard import Closed, warm
from frontrow.workers.team import Halted

REBUILDS = 5
"""Groups that may be lost in one layer before the run fails."""


class ExploreRun:
    """The owner's side of an exploration; the job's lock is held by the caller."""

    def __init__(
        self,
        job: Job,
        graph: StateGraph,
        wanted: Wanted,
        choice: Choice,
        room: Room,
        store: Store,
        start: Start,
        shards: int,
        workers: int,
        engine: str,
        report: Report,
        on_layer: OnLayer,
        called: float,
    ) -> None:
        """Args: start: makes a group of shards; workers: of these; called: when the caller was asked."""
        self._job, self._graph, self._wanted, self._choice, self._room = job, graph, wanted, choice, room
        self._store, self._engine, self._workers = store, engine, workers
        self._called = called
        self._telling = Telling(report, on_layer, workers, called)
        self._symmetry: Symmetry | None = graph.symmetries() if wanted.symmetry else None
        self._groups = Groups(
            job.ref,
            graph,
            wanted,
            choice.kind,
            room.memory,
            start,
            shards,
            workers,
            lambda: self._tell("starting"),
            self._check_time,
        )
        folder = store.exploration(job.id)
        self._trail = Trail(folder, job.id) if wanted.until_goal and not self._groups.by_depth else None
        self._saving = Saving(folder, job.id, room.disk, choice.kind, self._trail)
        self._clock = Clock(room.seconds)
        self._layers: list[Layer] = []
        self._goal: tuple[int, ...] | None = None
        self._before = 0.0

    @property
    def resumed(self) -> int:
        """Layers taken over from earlier runs."""
        return self._telling.resumed

    def run(self, *, fresh: bool) -> None:
        """Make all layers that are asked for; the answer is committed.

        Raises:
            LimitError: if a limit was reached; the last layer is kept for a later run.
            FrontrowError: if a shard, an engine or the ledger fails; the last checkpoint is kept.
            KeyboardInterrupt: the last layer is kept if that is soon done, else the last checkpoint.
        """
        if fresh:
            self._saving.remove()
        self._saving.look()
        self._epoch = self._store.begin(
            self._job.id,
            fresh=fresh,
            method=self._choice.kind,
            kernel=self._graph.kernel,
            engine=self._engine,
            workers=self._workers,
        )
        try:
            with explained(self._graph):
                self._tell("starting")
                plan = self._groups.plan(1)
                in_background(lambda: warm(plan, self._graph))
                self._explore()
                self._conclude()
        except (KeyboardInterrupt, LimitError):
            self._end("interrupted")
            raise
        except DisputedError as error:
            self._end("disputed", str(error))
            raise
        except Exception as error:
            if interrupted(error):
                self._end("interrupted")
                raise KeyboardInterrupt from error
            self._end("failed", str(error) or repr(error))
            raise
        finally:
            self._groups.close()

    def _explore(self) -> None:
        self._began = time.perf_counter()
        self._telling.begin(self._began)
        try:
            self._begin()
            while not self._is_over():
                self._widen()
                self._next_layer()
                if self._is_over():
                    break
                if self._saving.is_due:
                    self._save()
                elif self._is_last_to_fit():
                    with contextlib.suppress(DiskLimitError):  # by a little
                        self._save()
        except MemoryLimitError:
            raise LimitError(limits.full(self._layers, self._groups.memory)) from None
        except DiskLimitError as error:
            self._saving.tidy()
            lost = limits.lost(self._layers, self._saving.written, "with more --disk ")
            raise LimitError(f"{error}: {lost}") from None

    def _begin(self) -> None:
        """Have the layers of the last checkpoint, or the first one; only then does the time limit begin."""
        self._clock = Clock(self._room.seconds).for_setup("the checkpoint")
        try:
            found = self._last_checkpoint()
            self._go_on_from(found)
        except TimeLimitError as error:
            raise LimitError(limits.slow(error, self._clock.limit)) from None
        if found is not None:
            self._before = found.seconds
            self._telling.go_on(self._layers)
        self._clock = Clock(self._room.seconds)
        self._saving.begin()

    def _last_checkpoint(self) -> Checkpoint | None:
        """The last good checkpoint; which ones are left out is told."""
        found = in_background(self._saving.last, self._check_time)
        for note in self._saving.take_notes():
            self._tell("resuming", note=note, warning=True)
        self._saving.tidy()
        return found

    def _go_on_from(self, found: Checkpoint | None) -> None:
        """Start a group that has the layers of a checkpoint, or the first one."""
        if found is None:
            self._layers = []
            self._groups.begin()
            self._take(self._groups.current.begin(self._graph.initial()), 0.0)
            return
        self._layers = list(found.layers)
        try:
            self._groups.go_on(found.layers, found.kept())
        except MemoryLimitError:
            raise LimitError(limits.too_large(self._layers, self._groups.memory)) from None
        self._telling.show(self._layers)

    def _states(self) -> int:
        return sum(layer.states for layer in self._layers)

    def _is_over(self) -> bool:
        last = self._layers[-1]
        if self._wanted.until_goal and last.goals:
            return True
        return not last.states or last.depth == self._wanted.depth

    # Layers

    def _next_layer(self) -> None:
        begun = time.perf_counter()
        for attempt in range(REBUILDS):
            try:
                self._check_time()
                closed = self._groups.current.layer(self._tick)
            except (MemoryLimitError, TimeLimitError) as error:
                self._leave_at(error)
            except EngineError as error:
                if attempt == REBUILDS - 1 or self._groups.alone:
                    raise
                self._rebuild(error)
            except Halted:
                self._save_if_little()
                raise
            else:
                self._take(closed, time.perf_counter() - begun)
                return

    def _rebuild(self, lost: EngineError) -> None:
        """A shard was lost: start anew from the last checkpoint."""
        self._groups.close()
        try:
            found = self._last_checkpoint()
            depth = 0 if found is None else found.layers[-1].depth
            note = f"{lost}; it goes back from layer {self._layers[-1].depth} to layer {depth}"
            self._tell("resuming", note=note, warning=True)
            self._go_on_from(found)
        except TimeLimitError as error:
            raise LimitError(f"{error}: {limits.lost(self._layers, self._saving.written)}") from None
        self._widen()

    def _widen(self) -> None:
        """Let all workers in once a layer is large; if they have no room for it, it is kept as it is."""
        try:
            self._groups.widen(self._layers)
        except (MemoryLimitError, TimeLimitError) as error:
            self._leave_at(error)

    def _leave_at(self, error: LimitError) -> NoReturn:
        """Write the last layer down unless it is, and end the run at a limit of memory or time."""
        if self._saving.written < len(self._layers):
            self._save()
        if isinstance(error, TimeLimitError):
            raise LimitError(f"{error}: {limits.kept(self._layers)}") from None
        raise error

    def _take(self, closed: Closed, seconds: float) -> None:
        depth = len(self._layers)
        layer = Layer(
            depth,
            closed.new,
            closed.generated,
            closed.boards,
            closed.ways,
            closed.goals,
            closed.goal_ways,
            seconds,
            closed.nbytes,
        )
        self._layers.append(layer)
        if closed.new:
            if self._goal is None:
                self._goal = closed.goal
            if self._trail is not None and not closed.goals:  # a way is walked back from the goal
                self._trail.add(depth, 8 * self._graph.words * closed.new, self._groups.current.rows())
                self._saving.check_room()
        self._telling.show(self._layers)
        self._tell("exploring")

    def _tick(self, generated: int) -> None:
        self._check_time()
        if self._telling.is_due:
            self._tell("exploring", generated=generated)

    def _check_time(self) -> None:
        self._clock.check()

    def _save(self) -> None:
        """Write the last layer down."""
        seconds = self._seconds()
        self._saving.save(tuple(self._layers), seconds, self._groups.current.kept())
        self._store.set_seconds(self._job.id, self._epoch, seconds, self._setup())
        self._tell("exploring")

    def _is_last_to_fit(self) -> bool:
        """Whether the disk has room for a checkpoint of this layer, but hardly for one of the next."""
        if self._groups.is_small(self._layers[-1]) or self._choice.kind == "rank":
            return False
        before, last = self._layers[-2:]
        growth = last.states / before.states
        now = self._groups.kept_bytes(self._layers)
        way = 0 if self._trail is None else 8 * self._graph.words * last.states
        return self._saving.is_last_to_fit(now, int(growth * (now + way)))

    def _save_if_little(self) -> None:
        """Write the last layer down although somebody waits for the end, if that is soon done."""
        if self._groups.kept_bytes(self._layers) <= LITTLE and self._saving.written < len(self._layers):
            self._tell("saving")
            try:
                self._save()
            except FrontrowError:
                self._tell("exploring")  # from the checkpoint before it

    def _seconds(self) -> float:
        return self._before + time.perf_counter() - self._began - self._groups.starting

    def _setup(self) -> float:
        return self._began - self._called + self._groups.starting

    # The end

    def _conclude(self) -> None:
        layers = [layer for layer in self._layers if layer.states or not layer.depth]
        exhausted = not self._layers[-1].states
        goal_depth = next((layer.depth for layer in layers if layer.goals), None)
        way = None
        if self._wanted.until_goal and goal_depth is not None:
            depth = goal_depth
            way = in_background(lambda: self._way(depth))
        answer = {
            "layers": [layer.to_json() for layer in layers],
            "exhausted": exhausted,
            "goal_depth": goal_depth,
            "way": None if way is None else [list(way.boards), list(way.moves)],
            "why": self._choice.why,
        }
        check_same(layers, self._store.earlier_answer(self._job.id))
        self._store.set_seconds(self._job.id, self._epoch, self._seconds(), self._setup())
        self._store.finish(self._job.id, self._epoch, "done", answer=answer)
        self._saving.remove()

    def _way(self, depth: int) -> Way:
        goal = self._goal
        if goal is None:
            raise FrontrowError(f"layer {depth}: found no goal kept, expected one")
        trail = self._trail or self._groups.current
        return walk_back(self._graph, self._symmetry, goal, depth, trail)

    def _end(self, state: str, error: str = "") -> None:
        with contextlib.suppress(FrontrowError):
            self._store.finish(self._job.id, self._epoch, state, error=error)

    def _tell(self, phase: str, *, generated: int = 0, note: str = "", warning: bool = False) -> None:
        kept = self._saving.written
        self._telling.tell(phase, self._layers, kept, generated=generated, note=note, warning=warning)
