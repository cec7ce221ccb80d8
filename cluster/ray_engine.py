"""The Ray engine: one long-lived actor a core, here or on a cluster. No other module imports Ray."""

import contextlib
import enum
import itertools
import logging
import threading
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any

import ray
from ray.exceptions import RayActorError, RayError, RayTaskError

import frontrow
from frontrow.cluster.ray_session import CLOSE, TICK, Session, one_line
from frontrow.cluster.reach import check_address
from frontrow.search.errors import EngineError, UsageError
from frontrow.search.parameter import shown
from frontrow.search.registry import ProblemRef
from frontrow.search.rows import HAND_BACK, Stop
from frontrow.workers.dispatch import Dispatch, ended_at_start
from frontrow.workers.engine import ATTEMPTS, PATIENCE, Take
from frontrow.workers.parcel import pack_batch, unpack_results
from frontrow.workers.tallier import Tallier, build, differing
from frontrow.workers.unit import UnitResult, available_workers

logger = logging.getLogger(__name__)

PLACEMENT = 30.0
"""Seconds that a cluster has to find room for all workers; after them those that are there begin."""
LOST = 120.0
"""Seconds without any worker after which a run fails."""
FEW = 8
"""Workers up to which answers are taken one at a time; asking for all of them costs as much as taking one."""


def _result(answer: Any) -> Any:
    """What a call to an actor came to.

    Raises:
        RayError: if the actor or the answer was lost.
        Exception: what the call raised, as it raised it.
    """
    try:
        return ray.get(answer)
    except RayTaskError as error:
        if isinstance(error.cause, RayError):  # an exception that cannot be sent
            raise EngineError(f"Ray worker: {one_line(error.cause)}") from error
        raise error.cause from error


class _Stage(enum.Enum):
    JOINING = enum.auto()  # the actor waits for a core, or starts
    JOINED = enum.auto()  # it waits until another one has compiled the kernels on its machine
    LOADING = enum.auto()
    READY = enum.auto()


@dataclass(slots=True, eq=False)
class _Lane:
    """A worker's place: an actor, or the next one after it died.

    Attributes:
        actor: handle of the actor.
        stage: how far it is.
        answer: of the `hello` or `load` that it is busy with.
        host: machine that the last actor here ran on.
        name: name of that actor.
        deaths: actors that died here in a row before they were ready.
    """

    actor: Any = None
    stage: _Stage = _Stage.JOINING
    answer: Any = None
    host: str = ""
    name: str = ""
    deaths: int = 0


class _Crew:
    """All workers of an engine: they join, load the problem, and are replaced when they die."""

    def __init__(self, size: int, ref: ProblemRef) -> None:
        self.ref = ref
        self._warm: set[str] = set()
        self._actor_class = ray.remote(
            num_cpus=1,
            max_restarts=0,
            max_task_retries=0,
            enable_task_events=False,
            concurrency_groups={"control": 1},
            scheduling_strategy="SPREAD",
        )(Tallier)
        self.lanes = [_Lane() for _ in range(size)]
        for lane in self.lanes:
            self._hire(lane)

    @property
    def ready(self) -> list[_Lane]:
        """Lanes that can tally."""
        return [lane for lane in self.lanes if lane.stage is _Stage.READY]

    @property
    def joined(self) -> list[_Lane]:
        """Lanes whose actor runs."""
        return [lane for lane in self.lanes if lane.stage is not _Stage.JOINING]

    def turn_to(self, ref: ProblemRef) -> None:
        """Load a problem in every worker."""
        if ref == self.ref:
            return
        self.ref = ref
        self._warm.clear()
        for lane in self.joined:
            lane.stage, lane.answer = _Stage.JOINED, None
        self._load()

    def await_answers(self, seconds: float, flights: Dispatch[_Lane] | None = None) -> list[_Lane]:
        """Lanes whose next answer is there, after at most so many seconds."""
        pending = {lane.answer: lane for lane in self.lanes if lane.answer is not None}
        if flights is not None:
            pending |= {flights.first(lane): lane for lane in flights.busy}
        if not pending:
            return []
        done, _ = ray.wait(list(pending), num_returns=1, timeout=seconds)
        if done and len(pending) > FEW:
            done, _ = ray.wait(list(pending), num_returns=len(pending), timeout=0)
        return [pending[answer] for answer in done]

    def step(self, lane: _Lane) -> None:
        """Take the answer of a lane that joins or loads.

        Raises:
            EngineError: if no worker is left, or one differs from us.
            Exception: what loading the problem raised.
        """
        try:
            answer = _result(lane.answer)
        except RayError as error:
            if isinstance(error, RayActorError) and error.actor_init_failed:
                raise EngineError(
                    f"Ray worker: found {one_line(error)}, expected frontrow {frontrow.__version__}"
                ) from error
            lane.deaths += 1
            self.replace(lane, one_line(error))
            return
        lane.answer = None
        if lane.stage is _Stage.JOINING:
            difference = differing(build(), answer)
            if difference is not None:
                raise EngineError(f"Ray worker on {answer.get('host')}: {difference}")
            lane.host, lane.name, lane.stage = answer["host"], answer["name"], _Stage.JOINED
        else:
            lane.stage, lane.deaths = _Stage.READY, 0
            self._warm.add(lane.host)
        self._load()

    def replace(self, lane: _Lane, reason: str) -> None:
        """Put a new actor where one was lost.

        Raises:
            EngineError: if actors die everywhere before they are ready.
        """
        logger.info("worker %s lost: %s", lane.name or "(new)", reason)
        self._kill(lane)
        if lane.deaths < ATTEMPTS:
            self._hire(lane)
        else:
            self.lanes.remove(lane)
            if not self.lanes and lane.stage is _Stage.LOADING:
                raise ended_at_start(self.ref)
            if not self.lanes:
                raise EngineError(f"Ray workers: found all lost ({reason}), expected at least one")
        self._load()

    def dismiss(self) -> None:
        """End all actors at once."""
        while self.lanes:
            self._kill(self.lanes.pop())

    @staticmethod
    def _kill(lane: _Lane) -> None:
        with contextlib.suppress(RayError, ValueError):
            ray.kill(lane.actor)

    def _hire(self, lane: _Lane) -> None:
        lane.actor = self._actor_class.remote()
        lane.stage, lane.answer = _Stage.JOINING, lane.actor.hello.remote()

    def _load(self) -> None:
        """Let one worker a machine compile the kernels; the others follow when they are in the cache."""
        busy = {lane.host for lane in self.lanes if lane.stage is _Stage.LOADING}
        for lane in self.lanes:
            if lane.stage is _Stage.JOINED and (lane.host in self._warm or lane.host not in busy):
                lane.answer = lane.actor.load.remote(self.ref)
                lane.stage = _Stage.LOADING
                busy.add(lane.host)


class _Run:
    """One `RayEngine.map`."""

    def __init__(self, number: int, crew: _Crew, session: Session, take: Take) -> None:
        self._number, self._crew, self._session = number, crew, session
        self._dispatch: Dispatch[_Lane] = Dispatch(take, crew.ref)
        self._manned = time.monotonic()

    def fill(self) -> bool:
        """Hand out batches; False when the run is over."""
        self._dispatch.hand_out(
            self._crew.ready, lambda lane, batch: lane.actor.tally.remote(self._number, pack_batch(batch))
        )
        return not self._dispatch.over

    def gather(self) -> Iterator[tuple[UnitResult, ...]]:
        """Wait at most `TICK` and give the results of the batches that are there, or an empty tuple."""
        lanes = self._crew.await_answers(TICK, self._dispatch)
        self._watch()
        if not lanes:
            yield ()
        for lane in lanes:
            if lane.answer is not None:
                self._crew.step(lane)
            else:
                yield self._collect(lane)

    def _collect(self, lane: _Lane) -> tuple[UnitResult, ...]:
        """Take the first batch of a worker; if it died, replace it and put all that it had back."""
        try:
            parcel = _result(self._dispatch.first(lane))
        except RayError as error:
            self._crew.replace(lane, one_line(error))
            self._dispatch.crashed(lane, one_line(error))
            return ()
        results = None if parcel is None else unpack_results(parcel)
        self._dispatch.landed(lane, results)
        return results or ()

    def _watch(self) -> None:
        """See whether Ray and any worker are still there.

        Raises:
            EngineError: if not.
        """
        now = time.monotonic()
        if self._crew.joined:
            self._manned = now
        elif now - self._manned > LOST:
            raise EngineError(f"{self._session.place}: found no worker for {LOST:.0f} s, expected one")
        self._session.watch()

    def abandon(self, how: int = 1) -> None:
        """Have all batches in flight dropped, or what was done of them handed back.

        The workers are free for another run within 0.2 s.

        Args:
            how: what the stop flag of workers becomes.
        """
        for lane in self._dispatch.busy:
            with contextlib.suppress(RayError, ValueError):
                lane.actor.halt.options(concurrency_group="control").remote(self._number, how)

    def last(self) -> Iterator[tuple[UnitResult, ...]]:
        """Give the results that workers hand back, as far as they come in time."""
        give_up = time.monotonic() + PATIENCE
        self.abandon(HAND_BACK)
        while self._dispatch.busy and time.monotonic() < give_up:
            yield from self.gather()


class RayEngine:
    """Actors on Ray, one a core (`Engine`)."""

    name = "ray"

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        """Choose a Ray; `start` connects to it.

        Args:
            address: ``auto`` or ``host:port`` of a running cluster; None for the Ray that this process is
                connected to or, if there is none, one on this machine that lasts until `close`.
            workers: actors; default all cores that this process may use, or all of the cluster.

        Raises:
            UsageError: for a bad address or number.
        """
        self._address = None if address is None else check_address(address)
        if workers is not None and workers < 1:
            raise UsageError(f"workers: found {shown(workers)}, expected 1 or more")
        self._wanted = workers
        self.workers = workers or available_workers()
        self._session: Session | None = None
        self._crew: _Crew | None = None
        self._runs = itertools.count(1)

    def start(self, ref: ProblemRef) -> None:
        """Connect, start the actors, and load the problem and its kernels in them.

        A cluster that has no room for all of them within `PLACEMENT` starts with those that it has room
        for; the others join when there is more.

        Raises:
            EngineError: if Ray does not answer, has no room for a single actor, or runs other sources.
        """
        if self._session is None:
            self._session = Session(self._address, self.workers)
        if self._crew is None:
            self._crew = _Crew(self._wanted or max(self._session.cores(), 1), ref)
        else:
            self._crew.turn_to(ref)
        self._muster(self._crew, self._session)
        self.workers = len(self._crew.ready)

    @staticmethod
    def _muster(crew: _Crew, session: Session) -> None:
        deadline = time.monotonic() + PLACEMENT
        while True:
            here, late = len(crew.joined), time.monotonic() > deadline
            if here and here == len(crew.ready):
                if late or here >= min(len(crew.lanes), session.cores()):
                    return
            elif late and not here:
                raise EngineError(
                    f"{session.place}: found no room for a worker within {PLACEMENT:.0f} s"
                    f" ({session.cores()} cores in all), expected at least one free core"
                )
            session.watch()
            for lane in crew.await_answers(TICK):
                crew.step(lane)

    def map(self, ref: ProblemRef, take: Take, stop: Stop) -> Generator[tuple[UnitResult, ...], None, None]:
        """Yield the results of batches as they finish; see `Engine.map`."""
        if self._crew is None or self._session is None or self._crew.ref != ref:
            self.start(ref)
        assert self._crew is not None
        assert self._session is not None
        run = _Run(next(self._runs), self._crew, self._session, take)
        try:
            while not stop[0] and run.fill():
                yield from run.gather()
                self.workers = max(self.workers, len(self._crew.ready))
            if stop[0] == HAND_BACK:
                yield from run.last()
        finally:
            run.abandon()

    def close(self) -> None:
        """End all actors at once, and a Ray that was started for them; safe to call twice."""
        crew, self._crew = self._crew, None
        session, self._session = self._session, None
        if session is None:
            return

        def end() -> None:
            if crew is not None and not session.is_ours and ray.is_initialized():
                crew.dismiss()
            session.close()

        # When the head of a cluster is gone, Ray's calls wait for it; nobody should wait for them.
        thread = threading.Thread(target=end, daemon=True, name="frontrow-ray-end")
        thread.start()
        thread.join(CLOSE)
