"""The local engine for problems in plain Python: processes, since one runs one thread at a time."""

import os
import re
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
from frontrow.workers.dispatch import Dispatch, ended_at_start
from frontrow.workers.engine import Take
from frontrow.workers.local import TICK
from frontrow.workers.unit import Batch, UnitResult, available_workers, load_countable, prepare, run_unit

# Workers that a problem's memory made too large are restarted; nothing is lost and nobody has to know.
warnings.filterwarnings("ignore", category=UserWarning, module=r"loky\.process_executor")

_problem: Countable | Exception
"""What a worker process counts, or why it cannot; set once, when it starts."""
_SAFE = {"PYTHONSAFEPATH": "1"}
"""Keeps the working folder out of what is imported: a file in it may be called like a library."""
_OF_TRACKER = {"PYTHONWARNINGS": "ignore", **_SAFE}


class ProcessEngine:
    """Processes of this machine (`Engine`); no ``if __name__ == "__main__"`` is needed."""

    name = "local"

    def __init__(self, workers: int | None = None) -> None:
        """Args: workers: processes; default all cores that the process may use."""
        self.workers = available_workers() if workers is None else workers
        if self.workers < 1:
            raise UsageError(f"workers: found {shown(workers)}, expected 1 or more")
        self._ref: ProblemRef | None = None
        self._executors: list[ProcessPoolExecutor] = []

    def start(self, ref: ProblemRef) -> None:
        """Start all processes and load the problem in each; see `Engine.start`."""
        self.close()
        _start_tracker()
        self._ref = ref
        self._executors = [_hire(ref) for _ in range(self.workers)]
        ready = [executor.submit(_ready) for executor in self._executors]
        while wait(ready, timeout=TICK).not_done:
            pass  # in short steps, so that a KeyboardInterrupt arrives at once
        try:
            for future in ready:
                future.result()
        except BrokenProcessPool as error:
            raise ended_at_start(ref) from error

    def map(self, ref: ProblemRef, take: Take, stop: Stop) -> Generator[tuple[UnitResult, ...], None, None]:
        """Yield the results of batches as they finish; see `Engine.map`."""
        if self._ref != ref or not self._executors:
            self.start(ref)
        dispatch: Dispatch[ProcessPoolExecutor] = Dispatch(take, ref)
        try:
            while not stop[0]:
                dispatch.hand_out(self._executors, _send)
                if dispatch.over:
                    return
                firsts = [dispatch.first(executor) for executor in dispatch.busy]
                if not wait(firsts, timeout=TICK, return_when=FIRST_COMPLETED).done:
                    yield ()
                for executor in dispatch.busy:
                    yield from self._collect(executor, dispatch, ref)
        finally:
            if dispatch.busy:
                self.close()

    def _collect(
        self, executor: ProcessPoolExecutor, dispatch: Dispatch[ProcessPoolExecutor], ref: ProblemRef
    ) -> Generator[tuple[UnitResult, ...], None, None]:
        """Take what a process has finished; if it died, replace it and put all that it had back."""
        while (future := dispatch.first(executor)) is not None and future.done():
            try:
                results = future.result()
            except BrokenProcessPool as error:
                executor.shutdown(wait=False, kill_workers=True)
                self._executors[self._executors.index(executor)] = _hire(ref)
                dispatch.crashed(executor, _how_it_ended(error))
                return
            dispatch.landed(executor, results)
            yield results

    def close(self) -> None:
        """End all processes at once, whatever they do."""
        while self._executors:
            self._executors.pop().shutdown(wait=False, kill_workers=True)


def _hire(ref: ProblemRef) -> ProcessPoolExecutor:
    """One process; several in one executor would all be ended by the death of any."""
    return ProcessPoolExecutor(
        1,
        timeout=None,
        initializer=_begin,
        initargs=(ref, os.getpid()),
        env={"PYTHONHASHSEED": "0", **_SAFE},  # the order of a set of texts is the same in all of them
    )


def _send(executor: ProcessPoolExecutor, batch: Batch) -> "Future[tuple[UnitResult, ...]]":
    """Hand a batch to a process; one that has died meanwhile loses it."""
    try:
        future: Future[tuple[UnitResult, ...]] = executor.submit(_run, batch)
    except BrokenProcessPool as error:
        future = Future()
        future.set_exception(error)
    return future


def _how_it_ended(error: BrokenProcessPool) -> str:
    """The exit code of a process, which loky tells in braces at the end of a long text."""
    code = re.search(r"\{([^{}]+)\}", str(error))
    return code[1] if code else "killed"


def _start_tracker() -> None:
    """Start the process that clears away what an interrupted run leaves, without its warnings about that."""
    before = {name: os.environ.get(name) for name in _OF_TRACKER}
    os.environ.update(_OF_TRACKER)
    try:
        resource_tracker.ensure_running()
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


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
    except BaseException as error:  # noqa: BLE001 - raised by `_loaded`; loky would print a traceback
        _problem = error if isinstance(error, Exception) else EngineError(f"workers: found {error!r}")


def _follow(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _loaded() -> Countable:
    """The problem of this process.

    Raises:
        Exception: what loading it raised.
    """
    if isinstance(_problem, Exception):
        raise _problem
    return _problem


def _ready() -> None:
    """Tell that the problem is loaded, or raise why it is not; the problem itself need not travel."""
    _loaded()


def _run(batch: Batch) -> tuple[UnitResult, ...]:
    worker = f"{socket.gethostname()}:{os.getpid()}"
    problem, stop = _loaded(), new_stop()
    return tuple(run_unit(problem, unit, stop, worker) for unit in batch)
