"""What runs in a worker process on another machine, and whether it may; no Ray in here."""

import os
import platform
import socket
from importlib.metadata import version

from frontrow.search.errors import UsageError
from frontrow.search.kernel import sources_digest
from frontrow.search.problem import Countable
from frontrow.search.registry import ProblemRef
from frontrow.search.rows import Stop, new_stop
from frontrow.workers.parcel import Parcel, pack_results, unpack_batch
from frontrow.workers.unit import load_countable, prepare, run_batch


def build() -> dict[str, str]:
    """What has to be equal on all machines for a count to be exact."""
    return {
        "frontrow": version("frontrow"),
        "kernel sources": sources_digest(),
        "Python": ".".join(platform.python_version_tuple()[:2]),
    }


def differing(ours: dict[str, str], theirs: dict[str, str]) -> str | None:
    """The first thing of our build that another one has different, as ``found X, expected Y``, or None."""
    for name, value in ours.items():
        if theirs.get(name) != value:
            return f"found {name} {theirs.get(name)}, expected {value}"
    return None


class Tallier:
    """Loads a problem once and tallies batch after batch, in one thread; `halt` may come from another."""

    def __init__(self) -> None:
        """Start without a problem."""
        self._stops: dict[int, Stop] = {}
        self._problem: tuple[ProblemRef, Countable] | None = None
        self._host = socket.gethostname()
        self._name = f"ray:{self._host}:{os.getpid()}"

    def hello(self) -> dict[str, str]:
        """Who this is, and its build."""
        return {"name": self._name, "host": self._host} | build()

    def load(self, ref: ProblemRef) -> None:
        """Load a problem and its kernels, and keep them loaded.

        Raises:
            UsageError: if there is no such problem here, or nothing to count in it.
            ProblemError: if a person's own problem fails.
        """
        if self._problem is not None and self._problem[0] == ref:
            return
        self._problem = (ref, prepare(load_countable(ref)))

    def tally(self, run: int, parcel: Parcel) -> Parcel | None:
        """Tally a batch; None if the run was halted before anything was done that can be handed back."""
        if self._problem is None:
            raise UsageError("problem: found none loaded, expected one")
        stop = self._stops.setdefault(run, new_stop())
        results = run_batch(self._problem[1], unpack_batch(parcel), stop, self._name)
        return pack_results(results) if results else None

    def halt(self, run: int, how: int = 1) -> None:
        """Abandon the batches of a run, also those that are still to come.

        Args:
            run: its number.
            how: the value of the stop flag; `HAND_BACK` to be given what was done.
        """
        self._stops.setdefault(run, new_stop())[0] = how
