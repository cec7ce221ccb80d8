"""Shards of an exploration on Ray: one actor each; children go from actor to actor, never through here."""

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import ray
from ray.exceptions import RayActorError, RayError, RayTaskError

import frontrow
from frontrow.cluster.ray_session import TICK, Session, one_line
from frontrow.search.errors import EngineError
from frontrow.search.rows import Rows
from frontrow.workers.group import Kept, ShardGroup, Tick
from frontrow.workers.shard import Closed, ShardPlan, together
from frontrow.workers.sharder import Sharder
from frontrow.workers.tallier import build, differing
from frontrow.workers.unit import available_workers

PLACEMENT = 60.0
"""Seconds that all actors have to start."""


class RayShards:
    """Where groups of actors are started: a Ray on this machine, or a cluster."""

    def __init__(self, address: str | None, workers: int | None) -> None:
        """Choose a Ray. Args: address: of a cluster; None for one started here; workers: cores of that."""
        self._address, self._workers = address, workers or available_workers()
        self._session: Session | None = None

    def _connected(self) -> Session:
        if self._session is None:
            self._session = Session(self._address, self._workers)
        return self._session

    def cores(self) -> int:
        """Cores of the cluster.

        Raises:
            EngineError: if it does not answer.
        """
        return max(self._connected().cores(), 1)

    def start(self, plan: ShardPlan) -> ShardGroup:
        """Start the actors of a plan.

        Raises:
            EngineError: if Ray does not answer, has no room for all of them, or runs other sources.
        """
        return RayGroup(plan, self._connected())

    def close(self) -> None:
        """End what was started; safe to call twice."""
        if self._session is not None:
            self._session.close()
            self._session = None


class RayGroup:
    """The actors of all shards (`ShardGroup`)."""

    def __init__(self, plan: ShardPlan, session: Session) -> None:
        """Start them."""
        self._session = session
        self.workers = plan.shards
        # More shards than cores share them.
        share = min(1.0, session.cores() / plan.shards)
        kind = ray.remote(
            num_cpus=share, max_restarts=0, enable_task_events=False, scheduling_strategy="SPREAD"
        )(Sharder)
        self._actors: list[Any] = [kind.remote() for _ in range(plan.shards)]
        try:
            self._load(plan)
        except BaseException:
            self.close()
            raise

    def _load(self, plan: ShardPlan) -> None:
        deadline = time.monotonic() + PLACEMENT

        def in_time(_: int) -> None:
            if time.monotonic() > deadline:
                raise EngineError(
                    f"{self._session.place}: found no room for {plan.shards} shards within {PLACEMENT:.0f} s,"
                    " expected it (--shards, --workers)"
                )

        for theirs in self._all([actor.hello.remote() for actor in self._actors], in_time):
            reason = differing(build(), theirs)
            if reason is not None:
                raise EngineError(f"Ray worker: {reason} (frontrow {frontrow.__version__})")
        # The first one compiles the kernels that are new, the others find them.
        for some in (self._actors[:1], self._actors[1:]):
            numbered = [(self._actors.index(actor), actor) for actor in some]
            self._all([actor.load.remote(plan, number) for number, actor in numbered])

    def _all(self, answers: list[Any], tick: Tick | None = None) -> list[Any]:
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

    def _each(self, call: Callable[[Any], Any]) -> list[Any]:
        return self._all([call(actor) for actor in self._actors])

    def begin(self, rows: Rows) -> Closed:
        """Make the layer that an exploration starts from."""
        return together(self._each(lambda actor: actor.begin.remote(rows)))

    def restore(self, kept: Kept) -> None:
        """Take over what another group `kept`, of any number of shards."""
        for role, rows, counts in kept:
            shared = ray.put(rows), None if counts is None else ray.put(counts)
            self._all([actor.restore.remote(role, *shared) for actor in self._actors])

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
        for actor in self._actors:
            with contextlib.suppress(RayError, ValueError):
                ray.kill(actor)
        self._actors = []


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
