"""Shards of an exploration on Ray: one actor each; children go from actor to actor, never through here."""

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import ray
from ray.exceptions import RayActorError, RayError, RayTaskError

import frontrow
from frontrow.cluster.ray_session import TICK, Session, one_line
from frontrow.search.errors import EngineError
from frontrow.search.rows import Rows
from frontrow.workers.group import Kept, ShardGroup, Tick
from frontrow.workers.memory import shares
from frontrow.workers.shard import Closed, ShardPlan, together
from frontrow.workers.sharder import Sharder
from frontrow.workers.tallier import build, differing
from frontrow.workers.unit import available_workers

PLACEMENT = 60.0
"""Seconds that all actors have to start."""


class RayShards:
    """Where groups of actors are started: a Ray on this machine, or a cluster."""

    name = "ray"

    def __init__(self, address: str | None, workers: int | None, part: float | None = None) -> None:
        """Choose a Ray.

        Args:
            address: of a cluster; None for one started here.
            workers: that compute at the same time; None for as many as there are cores.
            part: of the free memory of a machine that all shards on it may use; None to keep to what is
                planned.
        """
        self._address, self._workers, self._part = address, workers, part
        self._session: Session | None = None
        self._crew: _Crew | None = None
        """Actors that joined and wait for a plan."""
        self._free: dict[str, int] = {}
        """Bytes that were free on each machine before there were shards on it."""

    def _connected(self) -> Session:
        if self._session is None:
            self._session = Session(self._address, self._workers or available_workers())
        return self._session

    def workers(self) -> int:
        """Workers that compute at the same time.

        Raises:
            EngineError: if the cluster does not answer.
        """
        if self._workers is None and self._address is not None:
            return max(self._connected().cores(), 1)
        return self._workers or available_workers()

    def memory(self, shards: int) -> int | None:
        """Bytes that so many shards may use together; None where that is for this machine to say.

        All parts are equally large, so what counts is the shard that has least.

        Raises:
            EngineError: if the cluster does not answer, has no room for the actors, or runs other sources.
        """
        if self._part is None or (self._address is None and not ray.is_initialized()):
            return None
        self._crew = self._joined(shards)
        return shards * min(self._limits(self._crew) or [0])

    def _joined(self, shards: int) -> "_Crew":
        """So many actors, those that wait if they are as many."""
        crew, self._crew = self._crew, None
        if crew is not None and len(crew.actors) != shards:
            crew.close()
            crew = None
        return crew or _Crew(shards, self._connected())

    def _limits(self, crew: "_Crew") -> list[int] | None:
        """Bytes for each shard; None to keep to what is planned."""
        if self._part is None:
            return None
        for host, free in crew.free().items():
            self._free.setdefault(host, free)
        return shares(crew.hosts(), self._free, self._part)

    def start(self, plan: ShardPlan) -> ShardGroup:
        """Start the actors of a plan.

        Raises:
            EngineError: if Ray does not answer, has no room for all of them, or runs other sources.
        """
        crew = self._joined(plan.shards)
        return RayGroup(plan, crew, self._limits(crew))

    def close(self) -> None:
        """End what was started; safe to call twice."""
        if self._crew is not None:
            self._crew.close()
            self._crew = None
        if self._session is not None:
            self._session.close()
            self._session = None


class _Crew:
    """Actors that may hold a shard each, all of them there and of the same build as this process.

    Attributes:
        actors: by the number of their shard.
    """

    def __init__(self, shards: int, session: Session) -> None:
        """Start so many.

        Raises:
            EngineError: if there is no room for them, or they run other sources.
        """
        self._session = session
        # More shards than cores share them.
        share = min(1.0, session.cores() / shards)
        kind = ray.remote(
            num_cpus=share, max_restarts=0, enable_task_events=False, scheduling_strategy="SPREAD"
        )(Sharder)
        self.actors: list[Any] = [kind.remote() for _ in range(shards)]
        try:
            self._told = self._meet()
        except BaseException:
            self.close()
            raise

    def _meet(self) -> list[dict[str, Any]]:
        """Wait for all of them; what each says."""
        deadline = time.monotonic() + PLACEMENT

        def in_time(_: int) -> None:
            if time.monotonic() > deadline:
                raise EngineError(
                    f"{self._session.place}: found no room for {len(self.actors)} shards within "
                    f"{PLACEMENT:.0f} s, expected it (--shards, --workers)"
                )

        told = self.all([actor.hello.remote() for actor in self.actors], in_time)
        for theirs in told:
            reason = differing(build(), theirs)
            if reason is not None:
                raise EngineError(f"Ray worker: {reason} (frontrow {frontrow.__version__})")
        return told

    def hosts(self) -> list[str]:
        """The machine of each."""
        return [theirs["host"] for theirs in self._told]

    def free(self) -> dict[str, int]:
        """Bytes that are free on each of these machines."""
        free: dict[str, int] = {}
        for theirs in self._told:
            host, found = theirs["host"], theirs["memory"]
            free[host] = min(free.get(host, found), found)
        return free

    def all(self, answers: list[Any], tick: Tick | None = None) -> list[Any]:
        """What calls to all actors came to.

        Raises:
            EngineError: if an actor or Ray is lost.
            Exception: what a call raised, as it raised it.
        """
        waiting = list(answers)
        while waiting:
            done, waiting = ray.wait(waiting, num_returns=len(waiting), timeout=TICK)
            self._session.watch()
            if tick is not None:
                tick(0)
            for answer in done:
                _checked(answer)
        return [_checked(answer) for answer in answers]

    def close(self) -> None:
        """End all actors at once; safe to call twice."""
        for actor in self.actors:
            with contextlib.suppress(RayError, ValueError):
                ray.kill(actor)
        self.actors = []


class RayGroup:
    """The actors of all shards (`ShardGroup`)."""

    def __init__(self, plan: ShardPlan, crew: _Crew, limits: list[int] | None) -> None:
        """Give everyone a shard. Args: crew: who; limits: bytes of each; None for those of the plan."""
        self._crew, self._actors, self._all = crew, crew.actors, crew.all
        self.workers = plan.shards
        self.memory = None if limits is None else sum(limits)
        plans = [replace(plan, memory=limit) for limit in limits or [plan.memory] * plan.shards]
        try:
            # The first one compiles the kernels that are new, the others find them.
            for some in ([0], range(1, plan.shards)):
                self._all([self._actors[number].load.remote(plans[number], number) for number in some])
        except BaseException:
            self.close()
            raise

    def _each(self, call: Callable[[Any], Any]) -> list[Any]:
        return self._all([call(actor) for actor in self._actors])

    def begin(self, rows: Rows) -> Closed:
        """Make the layer that an exploration starts from."""
        return together(self._each(lambda actor: actor.begin.remote(rows)))

    def restore(self, kept: Kept, rows: int = 0) -> None:
        """Take over what another group `kept`, of any number of shards."""
        self._each(lambda actor: actor.expect.remote(rows))
        for role, part, counts in kept:
            shared = ray.put(part), None if counts is None else ray.put(counts)
            self._all([actor.restore.remote(role, *shared) for actor in self._actors])
        self._each(lambda actor: actor.restored.remote())

    def kept(self) -> Kept:
        """What a later group needs to go on from the current layer."""
        yield from self._stream("next_kept")

    def rows(self) -> Iterator[Rows]:
        """The current layer, in parts of bounded size."""
        yield from self._stream("next_rows")

    def _stream(self, method: str) -> Iterator[Any]:
        for actor in self._actors:
            first = True
            while True:
                [part] = self._all([getattr(actor, method).remote(first=first)])
                if part is None:
                    break
                first = False
                yield part

    def depths(self, rows: Rows) -> "np.ndarray[tuple[int], np.dtype[np.int8]]":
        """Depth mod 3 of rows in rank tables; -1 for what was not met."""
        return np.max(self._each(lambda actor: actor.depths.remote(rows)), axis=0)  # type: ignore[no-any-return]

    def layer(self, tick: Tick) -> Closed:
        """Make the next layer: rounds in which all shards expand and then exchange what they found."""
        shards, made = len(self._actors), [0]

        def waiting(_: int) -> None:
            tick(sum(made))

        more = [True] * shards
        absorbing: list[Any] = []
        while any(more):
            expand = [
                actor.expand.options(num_returns=shards + 1).remote(shards) if more[number] else None
                for number, actor in enumerate(self._actors)
            ]
            heads = [answer[0] for answer in expand if answer is not None]
            told = iter(self._all(heads, waiting))
            self._all(absorbing, waiting)
            for number, answer in enumerate(expand):
                if answer is not None:
                    generated, more[number] = next(told)
                    made.append(generated)
            absorbing = [
                actor.absorb.remote(*[answer[1 + owner] for answer in expand if answer is not None])
                for owner, actor in enumerate(self._actors)
            ]
        self._all(absorbing, waiting)
        return together(self._each(lambda actor: actor.close.remote()))

    def close(self) -> None:
        """End all actors at once; safe to call twice."""
        self._crew.close()


def _checked(answer: Any) -> Any:
    """What a call to an actor came to.

    Raises:
        EngineError: if the actor was lost.
        Exception: what the call raised, as it raised it.
    """
    try:
        return ray.get(answer)
    except RayTaskError as error:
        cause = error.cause
        if isinstance(cause, RayError):
            raise EngineError(f"Ray shard: {one_line(cause)}") from error
        raise cause from error
    except RayActorError as error:
        raise EngineError(f"Ray shard: found it lost ({one_line(error)}), expected it to run") from error
    except RayError as error:
        raise EngineError(f"Ray shard: {one_line(error)}") from error
