"""One run of an exploration: layer after layer, checkpoints, limits, and the way to the goal."""

import contextlib
import itertools
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from frontrow.cluster.exploration.checkpoint import Checkpoint, Checkpoints
from frontrow.cluster.exploration.result import Layer, OnLayer, Way
from frontrow.cluster.exploration.trail import Trail, walk_back
from frontrow.cluster.job import Job
from frontrow.cluster.result import Progress, Report, plural
from frontrow.cluster.store import Store
from frontrow.search.errors import (
    DiskLimitError,
    DisputedError,
    EngineError,
    FrontrowError,
    LimitError,
    MemoryLimitError,
    StoreError,
    interrupted,
)
from frontrow.search.graph import StateGraph, Symmetry
from frontrow.search.own.blame import explained
from frontrow.search.tables.choice import Choice, bitmap_bytes
from frontrow.workers.group import Kept, LocalGroup, ShardGroup
from frontrow.workers.local import in_background
from frontrow.workers.shard import Closed, ShardPlan, warm

SMALL = 1 << 15
"""States of a layer up to which it is not worth to wake other workers."""
SMALL_SWEPT = 1 << 21
"""The same where whole bitmaps are swept, which takes some nanoseconds a state, if they are little."""
LITTLE = 16 << 20
"""Bytes of bitmaps up to which they are."""
CHECKPOINT = 30.0
"""Seconds between checkpoints, at least."""
CHEAP = 10
"""How much longer than it took to write the last checkpoint the next one waits."""
TELL = 0.1
"""Seconds between reports, at least."""
REBUILDS = 5
"""Groups that may be lost in one layer before the run fails."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked about a graph besides the graph.

    Attributes:
        depth: layers after the first, at most; None for all.
        symmetry: take states up to symmetry.
        paths: count shortest ways.
        until_goal: end at the goal's layer and show one shortest way there.
    """

    depth: int | None = None
    symmetry: bool = False
    paths: bool = False
    until_goal: bool = False

    def to_json(self) -> str:
        """As it is kept in the ledger; what is not asked for is left out."""
        said = {name: value for name in self.__slots__ if (value := getattr(self, name)) not in (None, False)}
        return json.dumps(said, sort_keys=True, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Room:
    """What a run may use.

    Attributes:
        seconds: of this run; None for no limit.
        memory: bytes of all shards together.
        disk: bytes of the job's files.
    """

    seconds: float | None
    memory: int
    disk: int


class _TimeLimitError(LimitError):
    """The time is over; a layer may be left halfway."""


Start = Callable[[ShardPlan], ShardGroup]
"""Starts a group of several workers."""


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
        self._store, self._start, self._shards, self._engine = store, start, shards, engine
        self._workers = workers
        self._report, self._on_layer, self._called = report, on_layer, called
        self._symmetry: Symmetry | None = graph.symmetries() if wanted.symmetry else None
        folder = store.exploration(job.id)
        self._checkpoints = Checkpoints(folder, job.id, room.disk)
        self._by_depth = choice.kind == "rank" and graph.lookback == 2
        self._sweeps_little = (
            choice.kind == "rank" and graph.sweep() is not None and (bitmap_bytes(graph) or 0) <= LITTLE
        )
        self._trail = Trail(folder) if wanted.until_goal and not self._by_depth else None
        self._layers: list[Layer] = []
        self._group: ShardGroup | None = None
        self._alone = True
        self._shown = 0
        """Layers that `on_layer` was told."""
        self._found_before = 0
        """States that earlier runs found."""
        self._written = 0
        """Layers that the last checkpoint has."""
        self._goal: tuple[int, ...] | None = None
        self._before = self._starting = 0.0
        self._told = called
        self.resumed = 0

    def run(self, *, fresh: bool) -> None:
        """Make all layers that are asked for; the answer is committed.

        Raises:
            LimitError: if a limit was reached; the last layer is kept for a later run.
            FrontrowError: if a shard, an engine or the ledger fails; the last checkpoint is kept.
            KeyboardInterrupt: the last checkpoint is kept.
        """
        if fresh:
            self._checkpoints.remove()
        self._written = self._checkpoints.layers(self._choice.kind)
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
                plan = self._plan(1)
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
            if self._group is not None:
                self._group.close()

    def _explore(self) -> None:
        found = self._checkpoint()
        self._began = self._saved = self._closed = time.perf_counter()
        self._write_seconds = 0.0
        try:
            self._go_on_from(found)
            if found is not None:
                self._before, self.resumed = found.seconds, len(self._layers)
                self._found_before = self._states()
            while not self._is_over():
                self._widen()
                self._next_layer()
                self._maybe_checkpoint()
        except MemoryLimitError:
            raise LimitError(self._full()) from None
        except DiskLimitError as error:
            raise LimitError(f"{error}: {self._lost()}") from None

    def _go_on_from(self, found: Checkpoint | None) -> None:
        """Start a group that has the layers of a checkpoint, or the first one."""
        if found is None:
            self._layers = []
            self._open(alone=True)
            self._take(self._current_group.begin(self._graph.initial()), 0.0)
            return
        self._layers = list(found.layers)
        self._open(alone=self._is_small(found.layers[-1]))
        self._restore(found.kept())
        self._show()

    def _states(self) -> int:
        return sum(layer.states for layer in self._layers)

    def _is_over(self) -> bool:
        last = self._layers[-1]
        if self._wanted.until_goal and last.goals:
            return True
        return not last.states or last.depth == self._wanted.depth

    def _checkpoint(self) -> Checkpoint | None:
        """The last good checkpoint; of a damaged one the report says so."""
        found, damaged = None, list[StoreError]()
        for each in self._checkpoints.last():
            if isinstance(each, StoreError):
                damaged.append(each)
            elif each.table == self._choice.kind:
                found = each
                break
            else:
                self._tell("resuming", note=f"{each.path}: a checkpoint of a {each.table} table is left out")
        self._written = 0 if found is None else len(found.layers)
        for each in damaged:
            then = "there is no earlier one: it begins anew"
            if each is not damaged[-1]:
                then = "the checkpoint before it is tried"
            elif found is not None:
                then = "the checkpoint before it is used"
            self._tell("resuming", note=f"{each}; {then}")
        return found

    # Groups

    @property
    def _current_group(self) -> ShardGroup:
        assert self._group is not None
        return self._group

    def _open(self, *, alone: bool) -> None:
        # Two groups are there for a moment when others are let in: too many for large bitmaps.
        large = 2 * (bitmap_bytes(self._graph, depths=self._keeps_depths) or 0) > self._room.memory
        self._alone = self._shards == 1 or (alone and not (self._choice.kind == "rank" and large))
        plan = self._plan(1 if self._alone else self._shards)
        if self._alone:
            self._group = LocalGroup(plan, self._graph)
            return
        begun = time.perf_counter()
        self._tell("starting")
        self._group = self._start(plan)
        self._starting += time.perf_counter() - begun

    def _plan(self, shards: int) -> ShardPlan:
        return ShardPlan(
            self._job.ref,
            shards,
            self._choice.kind,
            self._wanted.symmetry,
            self._wanted.paths,
            self._keeps_depths,
            self._room.memory // shards,
            self._wanted.depth is None and not self._wanted.until_goal,
            self._workers if self._shards == 1 else 1,
        )

    def _widen(self) -> None:
        """Let all workers in once a layer is large."""
        if not self._alone or self._shards == 1 or self._is_small(self._layers[-1]):
            return
        before = self._current_group
        self._open(alone=False)
        self._restore(before.kept())
        before.close()

    def _restore(self, kept: Kept) -> None:
        group = self._current_group
        in_background(lambda: group.restore(kept))

    def _is_small(self, layer: Layer) -> bool:
        return layer.states <= (SMALL_SWEPT if self._sweeps_little else SMALL)

    @property
    def _keeps_depths(self) -> bool:
        return self._by_depth and self._wanted.until_goal

    # Layers

    def _next_layer(self) -> None:
        begun = time.perf_counter()
        for attempt in range(REBUILDS):
            try:
                self._check_time()
                closed = self._current_group.layer(self._tick)
            except MemoryLimitError:
                self._save()
                raise
            except _TimeLimitError as error:
                self._save()
                raise LimitError(f"{error}: {self._so_far()}") from None
            except EngineError:
                if attempt == REBUILDS - 1 or self._alone:
                    raise
                self._rebuild()
            else:
                self._take(closed, time.perf_counter() - begun)
                return

    def _rebuild(self) -> None:
        """A shard was lost: start anew from the last checkpoint."""
        self._current_group.close()
        self._go_on_from(self._checkpoint())
        self._widen()

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
            if self._trail is not None:
                self._trail.add(depth, 8 * self._graph.words * closed.new, self._current_group.rows())
                self._checkpoints.check_room()
        self._closed = time.perf_counter()
        self._show()
        self._tell("exploring")

    def _show(self) -> None:
        """Tell the layers that are new; those made again after a shard was lost are not."""
        for layer in self._layers[self._shown :]:
            if layer.states:
                self._on_layer(layer)
        self._shown = max(self._shown, len(self._layers))

    def _tick(self, generated: int) -> None:
        self._check_time()
        if time.perf_counter() - self._told >= TELL:
            self._tell("exploring", generated=generated)

    def _check_time(self) -> None:
        seconds = self._room.seconds
        if seconds is not None and time.perf_counter() - self._began >= seconds:
            raise _TimeLimitError(f"the time limit of {seconds:g} s was reached")

    def _full(self) -> str:
        if not self._layers:
            return f"memory: found no room for the start within {self._room.memory:,} bytes (--memory)"
        held = self._layers[-1].nbytes
        return (
            f"memory: found no room for layer {len(self._layers)} beside {held:,} bytes, expected at most "
            f"{self._room.memory:,} bytes in all (--memory): {self._so_far()}"
        )

    def _so_far(self) -> str:
        return f"{self._done()}; the same command goes on from there"

    def _done(self) -> str:
        states, last = self._states(), self._layers[-1].depth
        are = "is" if states == 1 else "are"
        return f"{states:,} {plural('state', states)} in layers 0 to {last} {are} done"

    def _lost(self) -> str:
        """How far a run came whose last layers could not be kept."""
        if not self._written:
            return f"{self._done()}, but no checkpoint is kept: the same command begins anew"
        return (
            f"{self._done()}, the checkpoint that is kept has layers 0 to {self._written - 1}: the same "
            "command goes on from there"
        )

    # Checkpoints

    def _maybe_checkpoint(self) -> None:
        since = time.perf_counter() - self._saved
        if since >= max(CHECKPOINT, CHEAP * self._write_seconds) and not self._is_over():
            self._save()

    def _save(self) -> None:
        """Write the last layer down."""
        begun, seconds = time.perf_counter(), self._seconds()
        if self._trail is not None:
            self._trail.save()
        kept = self._current_group.kept()
        self._checkpoints.write(self._choice.kind, tuple(self._layers), seconds, kept)
        self._store.set_seconds(self._job.id, self._epoch, seconds, self._setup())
        self._written = len(self._layers)
        self._tell("exploring")
        self._saved = time.perf_counter()
        self._write_seconds = self._saved - begun

    def _seconds(self) -> float:
        return self._before + time.perf_counter() - self._began - self._starting

    def _setup(self) -> float:
        return self._began - self._called + self._starting

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
        self._compare(layers)
        self._store.set_seconds(self._job.id, self._epoch, self._seconds(), self._setup())
        self._store.finish(self._job.id, self._epoch, "done", answer=answer)
        self._checkpoints.remove()

    def _compare(self, layers: list[Layer]) -> None:
        """Compare the layers with those that an earlier run came to.

        Raises:
            DisputedError: if they differ.
        """
        earlier = self._store.earlier_answer(self._job.id)
        if earlier is None:
            return
        before = [Layer.from_json(values).findings for values in earlier["layers"]]
        now = [layer.findings for layer in layers]
        for depth, (expected, found) in enumerate(itertools.zip_longest(before, now)):
            if found != expected:
                raise DisputedError(
                    f"layer {depth}: found {found}, expected {expected} as in the earlier run "
                    "(states, boards, paths, goals, paths to goals)"
                )

    def _way(self, depth: int) -> Way:
        goal = self._goal
        if goal is None:
            raise FrontrowError(f"layer {depth}: found no goal kept, expected one")
        trail = self._trail or self._current_group
        return walk_back(self._graph, self._symmetry, goal, depth, trail)

    def _end(self, state: str, error: str = "") -> None:
        with contextlib.suppress(FrontrowError):
            self._store.finish(self._job.id, self._epoch, state, error=error)

    def _tell(self, phase: str, *, generated: int = 0, note: str = "") -> None:
        now = time.perf_counter()
        self._told = now
        progress = Progress(
            phase, share=None, workers=self._workers, resumed=self.resumed, note=note, kept=self._written
        )
        if self._layers:
            states, made = self._states(), self._closed - self._began
            begun = len(self._layers) > self.resumed + 1  # before, there is nothing to tell a rate from
            rate = (states - self._found_before) / made if begun and made > 0 else 0.0
            progress = replace(
                progress,
                units_done=len(self._layers),
                nodes=states,
                rate=rate,
                totals={"states": states},
                elapsed=now - self._began,
                note=note or (f"{generated:,} children in it" if generated else ""),
            )
        self._report(progress)
