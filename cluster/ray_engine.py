"""The Ray engine: one long-lived actor a core, here or on a cluster. No other module imports Ray."""

import contextlib
import enum
import itertools
import logging
import os
import secrets
import threading
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any

# Ray reads these when it is imported: no usage statistics, and no warning about accelerators.
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")

import ray
from ray.exceptions import RayActorError, RayError, RayTaskError

import frontrow
from frontrow.cluster.reach import AUTO, check_address, silence
from frontrow.search.errors import EngineError, UsageError
from frontrow.search.parameter import shown
from frontrow.search.registry import ProblemRef
from frontrow.search.rows import Stop
from frontrow.workers.dispatch import Dispatch
from frontrow.workers.engine import ATTEMPTS, Take
from frontrow.workers.parcel import pack_batch, unpack_results
from frontrow.workers.tallier import Tallier, build, differing
from frontrow.workers.unit import UnitResult, available_workers

logger = logging.getLogger(__name__)

GREETING = 10.0
"""Seconds that a cluster has to answer a greeting."""
CONNECT = 29.0
"""Seconds until Ray has to be connected, the greeting included."""
START = 90.0
"""Seconds that a Ray of our own may take to start."""
PLACEMENT = 30.0
"""Seconds that a cluster has to find room for all workers; after them those that are there begin."""
LOST = 120.0
"""Seconds without any worker after which a run fails."""
GREET = 10.0
"""Seconds between greetings to the cluster's head during a run."""
SILENCES = 4
"""Greetings in a row without an answer after which a run fails. Ray ends the whole process after 60 s."""
TICK = 0.1
"""Seconds after which waiting is interrupted."""
FEW = 8
"""Workers up to which answers are taken one at a time; asking for all of them costs as much as taking one."""
CLOSE = 10.0
"""Seconds that closing waits for Ray at most."""
LINE = 200
"""Characters of an error of Ray's that are quoted."""
OBJECT_STORE = 100 << 20
"""Bytes of shared memory for a Ray of our own; Ray's least is 75 MiB, and batches hardly need any."""


class _Session:
    """A connection to Ray. One that was there before is used and left alone; ours is ended by `close`."""

    def __init__(self, address: str | None, workers: int) -> None:
        """Connect.

        Raises:
            EngineError: if Ray cannot be started or does not answer in time.
        """
        self.place = "Ray on this machine" if address is None else f"Ray at {address}"
        self._thread: threading.Thread | None = None
        self._over = threading.Event()
        theirs = ray.is_initialized()
        if not theirs:
            try:
                self._open(address, workers)
            except BaseException:
                self.close()
                raise
        self._head = head = str(ray.get_runtime_context().gcs_address)
        if theirs and address not in (None, AUTO) and _canonical(address) != head:
            raise UsageError(f"--ray-address: found {address}, expected {head} as this process uses")

    def cores(self) -> int:
        """Processors of all nodes that are there now."""
        return int(ray.cluster_resources().get("CPU", 0))

    def silent(self) -> str | None:
        """Why the head of the cluster does not answer, or None if it does."""
        return silence(self._head, 1.0)

    def _open(self, address: str | None, workers: int) -> None:
        began = time.monotonic()
        if address is None:
            _bring_token()
            options: dict[str, Any] = {"address": "local", "num_cpus": workers, "include_dashboard": False}
            options["object_store_memory"] = OBJECT_STORE
        else:
            reason = silence(_canonical(address), GREETING)
            if reason is not None:
                raise EngineError(f"{self.place}: found {reason}, expected a running cluster")
            options = {"address": address}
        # Ray prints the deaths of its workers to stdout, where the answer belongs, and has no option for it.
        ray._private.worker._worker_logs_enabled = False
        opened = threading.Event()
        failures: list[BaseException] = []
        self._thread = threading.Thread(
            target=self._host, args=(options, opened, failures), daemon=True, name="frontrow-ray"
        )
        self._thread.start()
        limit = START if address is None else CONNECT
        while not opened.wait(TICK):
            if time.monotonic() - began > limit:
                self._over.set()  # should it succeed later, it ends at once
                self._thread = None
                raise EngineError(f"{self.place}: found no answer within {limit:.0f} s, expected a cluster")
        if failures:
            raise EngineError(f"{self.place}: {_line(failures[0])}") from failures[0]

    def _host(self, options: dict[str, Any], opened: threading.Event, failures: list[BaseException]) -> None:
        """Be the thread that Ray lives in.

        The system ends Ray's processes with the thread that started them, so it has to last as long as
        they; and away from the main thread Ray leaves the signal handlers alone.
        """
        config = ray.job_config.JobConfig()
        config._py_driver_sys_path = _NoFolders()
        try:
            ray.init(logging_level=logging.CRITICAL, log_to_driver=False, job_config=config, **options)
        except BaseException as error:  # noqa: BLE001 - raised again by the thread that waits
            failures.append(error)
        opened.set()
        self._over.wait()
        ray.shutdown()

    def close(self) -> None:
        """End what was begun here; a Ray of somebody else goes on."""
        thread, self._thread = self._thread, None
        self._over.set()
        if thread is not None:
            thread.join(CLOSE)
            ray._private.worker._worker_logs_enabled = True


class _NoFolders(list[str]):
    """Folders for the workers' ``sys.path``, of which Ray wants the working directory to come first.

    A file of the user's that happens to be called like a library would break every worker.
    """

    def extend(self, _: Any) -> None:
        """Add nothing."""


def _bring_token() -> None:
    """Have a secret at hand that lets only this process use the Ray that it starts.

    Without one Ray would make one up and keep it in the home folder, which need not be writable. It stays
    in the environment, because Ray reads it once a process.
    """
    kept = os.path.expanduser("~/.ray/auth_token")
    if not os.path.exists(kept) and not os.environ.keys() & {"RAY_AUTH_MODE", "RAY_AUTH_TOKEN_PATH"}:
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))


def _canonical(address: str) -> str:
    """An address as Ray writes it: ``auto`` looked up, a name or the loopback turned into a number."""
    try:
        return str(ray._private.services.canonicalize_bootstrap_address(address))
    except (OSError, ValueError) as error:
        raise EngineError(f"--ray-address: found {address} ({_line(error)}), expected a cluster") from error


def _line(error: BaseException) -> str:
    """What an error of Ray's says, on one short line."""
    text = str(error).strip() or type(error).__name__
    if isinstance(error, RayActorError):
        text = text.splitlines()[-1]  # the lines before name the actor, which nobody knows
    text = " ".join(text.split())
    return text if len(text) <= LINE else f"{text[: LINE - 3]}..."


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
            raise EngineError(f"Ray worker: {_line(error.cause)}") from error
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
                    f"Ray worker: found {_line(error)}, expected frontrow {frontrow.__version__}"
                ) from error
            lane.deaths += 1
            self.replace(lane, _line(error))
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

    def __init__(self, number: int, crew: _Crew, session: _Session, take: Take) -> None:
        self._number, self._crew, self._session = number, crew, session
        self._dispatch: Dispatch[_Lane] = Dispatch(take)
        self._manned = self._greeted = time.monotonic()
        self._silences = 0

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
            self._crew.replace(lane, _line(error))
            self._dispatch.crashed(lane, _line(error))
            return ()
        results = None if parcel is None else unpack_results(parcel)
        self._dispatch.landed(lane, results)
        return results or ()

    def _watch(self) -> None:
        """See now and then whether the cluster and any worker are still there.

        Raises:
            EngineError: if not.
        """
        now = time.monotonic()
        if self._crew.joined:
            self._manned = now
        elif now - self._manned > LOST:
            raise EngineError(f"{self._session.place}: found no worker for {LOST:.0f} s, expected one")
        if now - self._greeted > GREET:
            reason = self._session.silent()
            self._greeted = time.monotonic()
            self._silences = 0 if reason is None else self._silences + 1
            if self._silences == SILENCES:
                raise EngineError(f"{self._session.place}: found {reason}, expected a running cluster")

    def abandon(self) -> None:
        """Have all batches in flight dropped; the workers are free for another run within 0.2 s."""
        for lane in self._dispatch.busy:
            with contextlib.suppress(RayError, ValueError):
                lane.actor.halt.options(concurrency_group="control").remote(self._number)


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
        self._session: _Session | None = None
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
            self._session = _Session(self._address, self.workers)
        if self._crew is None:
            self._crew = _Crew(self._wanted or max(self._session.cores(), 1), ref)
        else:
            self._crew.turn_to(ref)
        self._muster(self._crew, self._session)
        self.workers = len(self._crew.ready)

    @staticmethod
    def _muster(crew: _Crew, session: _Session) -> None:
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
        finally:
            run.abandon()

    def close(self) -> None:
        """End all actors at once, and a Ray that was started for them; safe to call twice."""
        crew, self._crew = self._crew, None
        session, self._session = self._session, None
        if session is None:
            return

        def end() -> None:
            if crew is not None and ray.is_initialized():
                crew.dismiss()
            session.close()

        # When the head of a cluster is gone, Ray's calls wait for it; nobody should wait for them.
        thread = threading.Thread(target=end, daemon=True, name="frontrow-ray-end")
        thread.start()
        thread.join(CLOSE)
