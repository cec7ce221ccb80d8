"""The local engine for problems in plain Python: processes, since one runs one thread at a time."""

import os
import signal
import socket
import sys
import threading
import time
import warnings
from collections.abc import Generator
from concurrent.futures import FIRST_COMPLETED, Future, wait

from loky.backend import resource_tracker
from loky.process_executor import BrokenProcessPool, ProcessPoolExecutor

from frontrow.search.errors import EngineError, UsageError
from frontrow.search.parameter import shown
from frontrow.search.problem import Countable
from frontrow.search.registry import ProblemRef
from frontrow.search.rows import Stop, new_stop
from frontrow.workers.engine import ATTEMPTS, Take
from frontrow.workers.local import TICK, WINDOW
from frontrow.workers.unit import Batch, UnitResult, available_workers, load_countable, prepare, run_unit

# Workers that a problem's memory made too large are restarted; nothing is lost and nobody has to know.
warnings.filterwarnings("ignore", category=UserWarning, module=r"loky\.process_executor")

Running = dict["Future[tuple[UnitResult, ...]]", Batch]

_problem: Countable | Exception
"""What a worker process counts, or why it cannot; set once, when it starts."""


class ProcessEngine:
    """Processes of this machine (`Engine`); no ``if __name__ == "__main__"`` is needed."""

    name = "local"

    def __init__(self, workers: int | None = None) -> None:
        """Args: workers: processes; default all cores that the process may use."""
        self.workers = available_workers() if workers is None else workers
        if self.workers < 1:
            raise UsageError(f"workers: found {shown(workers)}, expected 1 or more")
        self._executor: ProcessPoolExecutor | None = None

    def start(self, ref: ProblemRef) -> None:
        """Start all processes and load the problem in each; see `Engine.start`."""
        self._restart(ref)

    def _restart(self, ref: ProblemRef) -> ProcessPoolExecutor:
        self.close()
        _start_tracker()
        self._executor = executor = ProcessPoolExecutor(
            self.workers,
            timeout=None,
            initializer=_begin,
            initargs=(ref, os.getpid()),
            env={"PYTHONHASHSEED": "0"},  # the order of a set of texts is the same in all of them
        )
        ready = [executor.submit(_ready) for _ in range(self.workers)]
        while wait(ready, timeout=TICK).not_done:
            pass  # in short steps, so that a KeyboardInterrupt arrives at once
        try:
            for future in ready:
                future.result()
        except BrokenProcessPool as error:
            raise EngineError(
                f"{ref.file or ref.name}: found a worker process that it ended, expected all of them to live"
            ) from error
        return executor

    def map(self, ref: ProblemRef, take: Take, stop: Stop) -> Generator[tuple[UnitResult, ...], None, None]:
        """Yield the results of batches as they finish; see `Engine.map`."""
        executor = self._executor or self._restart(ref)
        running: Running = {}
        lost: list[Batch] = []
        try:
            while not stop[0]:
                while len(running) < WINDOW * self.workers and (batch := lost.pop() if lost else take()):
                    running[executor.submit(_run, batch)] = batch
                if not running:
                    return
                finished = wait(running, timeout=TICK, return_when=FIRST_COMPLETED).done
                if not finished:
                    yield ()
                for future in finished:
                    batch = running.pop(future)
                    try:
                        yield future.result()
                    except BrokenProcessPool:
                        lost.append(batch)
                if lost:
                    lost = [again(batch) for batch in (*lost, *running.values())]
                    running.clear()
                    executor = self._restart(ref)
        finally:
            if running:
                self.close()

    def close(self) -> None:
        """End all processes at once, whatever they do."""
        if self._executor is not None:
            self._executor.shutdown(wait=False, kill_workers=True)
            self._executor = None


def again(batch: Batch) -> Batch:
    """A batch that a worker took to its grave, for another attempt.

    Raises:
        EngineError: if a unit of it failed too often.
    """
    units = tuple(unit.again() for unit in batch)
    for unit in units:
        if unit.attempt >= ATTEMPTS:
            raise EngineError(
                f"unit {unit.number}: found {unit.attempt} workers that died of it, expected one that lives"
            )
    return units


def _start_tracker() -> None:
    """Start the process that clears away what an interrupted run leaves, without its warnings about that."""
    before = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = "ignore"
    try:
        resource_tracker.ensure_running()
    finally:
        if before is None:
            del os.environ["PYTHONWARNINGS"]
        else:
            os.environ["PYTHONWARNINGS"] = before


def _begin(ref: ProblemRef, parent: int) -> None:
    """Prepare a worker process: Ctrl-C is for its parent, and it does not outlive that.

    What a person's own code prints goes to stderr: stdout is for the answer.
    """
    global _problem  # noqa: PLW0603 - one problem a process
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow, args=(parent,), daemon=True).start()
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    warnings.simplefilter("ignore", SyntaxWarning)  # told by the process that asks
    os.environ.setdefault("PYTHONFAULTHANDLER", "")  # loky would print where it crashed, once a worker
    try:
        _problem = prepare(load_countable(ref))
    except BaseException as error:  # noqa: BLE001 - raised by `_ready`; loky would print a traceback
        _problem = error if isinstance(error, Exception) else EngineError(f"workers: found {error!r}")


def _follow(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _ready() -> None:
    """Keep a process busy for a moment, so that the others start as well.

    Raises:
        Exception: what loading the problem raised.
    """
    if isinstance(_problem, Exception):
        raise _problem
    time.sleep(0.05)


def _run(batch: Batch) -> tuple[UnitResult, ...]:
    worker = f"{socket.gethostname()}:{os.getpid()}"
    problem, stop = _problem, new_stop()
    assert isinstance(problem, Countable)
    return tuple(run_unit(problem, unit, stop, worker) for unit in batch)
