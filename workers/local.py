"""The local engine: long-lived threads of this process; kernels run without the interpreter lock."""

import contextlib
import math
import queue
import socket
import threading
import time
from collections.abc import Callable, Generator
from typing import TypeVar

from frontrow.search.errors import UsageError
from frontrow.search.parameter import shown
from frontrow.search.problem import Countable
from frontrow.search.registry import ProblemRef
from frontrow.search.rows import HAND_BACK, Stop
from frontrow.workers.engine import PATIENCE, Take
from frontrow.workers.unit import Batch, UnitResult, available_workers, load_countable, prepare, run_batch

Value = TypeVar("Value")
WINDOW = 2
"""Batches in flight a worker: one that runs and one that waits."""
TICK = 0.1
"""Seconds after which waiting is interrupted to save and to report."""


def in_background(function: Callable[[], Value], tick: Callable[[], None] = lambda: None) -> Value:
    """Run a function in a daemon thread and wait, so that a KeyboardInterrupt need not wait for it.

    Args:
        function: what to run.
        tick: called every `TICK` meanwhile; what it raises ends the waiting and leaves the thread to itself.
    """
    answer: queue.SimpleQueue[Value | BaseException] = queue.SimpleQueue()

    def run() -> None:
        try:
            answer.put(function())
        except BaseException as error:  # noqa: BLE001 - handed to the thread that waits
            answer.put(error)

    threading.Thread(target=run, daemon=True, name="frontrow-background").start()
    while True:
        try:
            value = answer.get(timeout=TICK)
        except queue.Empty:
            tick()
            continue
        if isinstance(value, BaseException):
            raise value
        return value


class LocalEngine:
    """Threads of this process (`Engine`)."""

    name = "local"

    def __init__(self, workers: int | None = None) -> None:
        """Args: workers: threads; default all cores that the process may use."""
        self.workers = available_workers() if workers is None else workers
        if self.workers < 1:
            raise UsageError(f"workers: found {shown(workers)}, expected 1 or more")
        self._problem: tuple[ProblemRef, Countable] | None = None

    def start(self, ref: ProblemRef) -> None:
        """Load the problem and warm its kernels; threads of `map` cost nothing to start."""
        in_background(lambda: prepare(self._load(ref)))

    def _load(self, ref: ProblemRef) -> Countable:
        if self._problem is None or self._problem[0] != ref:
            self._problem = (ref, load_countable(ref))
        return self._problem[1]

    def map(self, ref: ProblemRef, take: Take, stop: Stop) -> Generator[tuple[UnitResult, ...], None, None]:
        """Yield the results of batches as they finish; see `Engine.map`."""
        problem = self._load(ref)
        todo: queue.SimpleQueue[Batch | None] = queue.SimpleQueue()
        done: queue.SimpleQueue[tuple[UnitResult, ...] | BaseException] = queue.SimpleQueue()
        names = [f"{socket.gethostname()}:{number}" for number in range(self.workers)]
        threads = [
            threading.Thread(target=_work, args=(problem, name, todo, done, stop), daemon=True, name=name)
            for name in names
        ]
        for thread in threads:
            thread.start()
        flying, give_up = 0, math.inf
        try:
            while True:
                while flying < WINDOW * self.workers and not stop[0] and (batch := take()):
                    todo.put(batch)
                    flying += 1
                if stop[0]:
                    give_up = min(give_up, time.monotonic() + PATIENCE)
                if not flying or stop[0] not in (0, HAND_BACK) or time.monotonic() > give_up:
                    return
                try:
                    results = done.get(timeout=TICK)
                except queue.Empty:
                    yield ()
                    continue
                if isinstance(results, BaseException):
                    raise results
                flying -= 1
                yield results
        except BaseException:
            stop[0] = 1
            raise
        finally:
            with contextlib.suppress(queue.Empty):
                while True:
                    todo.get_nowait()
            for _ in threads:
                todo.put(None)
            # A kernel works on the problem's memory, which goes when the interpreter ends.
            give_up = time.monotonic() + PATIENCE
            for thread in threads:
                thread.join(max(give_up - time.monotonic(), 0.0))

    def close(self) -> None:
        """Nothing outlives `map`."""


def _work(
    problem: Countable,
    name: str,
    todo: "queue.SimpleQueue[Batch | None]",
    done: "queue.SimpleQueue[tuple[UnitResult, ...] | BaseException]",
    stop: Stop,
) -> None:
    """One worker: tally batch after batch until None comes."""
    while (batch := todo.get()) is not None:
        try:
            done.put(run_batch(problem, batch, stop, name))
        except BaseException as error:  # noqa: BLE001 - raised again by `map`
            done.put(error)
