"""Where work runs: the contract that the local engine and the Ray engine keep."""

from collections.abc import Callable, Generator
from typing import Protocol

from frontrow.search.registry import ProblemRef
from frontrow.search.rows import Stop
from frontrow.workers.unit import Batch, UnitResult

Take = Callable[[], Batch | None]
"""Gives the next batch, or None when there is nothing to hand out now.

After None an engine asks again once a result has come back. The run is over when nothing is in
flight and `Take` gives None.
"""

ATTEMPTS = 5
"""Attempts after which a unit whose workers keep dying fails the run."""

PATIENCE = 2.0
"""Seconds that workers have to leave their units; only code that does not poll the stop flag needs more."""


class Engine(Protocol):
    """Long-lived workers that tally batches of units."""

    name: str
    """``local`` or ``ray``."""

    workers: int
    """Workers that compute at the same time."""

    def start(self, ref: ProblemRef) -> None:
        """Start the workers, load the problem and warm its kernels in them.

        Raises:
            EngineError: if they cannot be started or reached.
        """

    def map(self, ref: ProblemRef, take: Take, stop: Stop) -> Generator[tuple[UnitResult, ...], None, None]:
        """Yield the results of batches as they finish, in any order, each unit at least once.

        A batch whose worker dies is handed out again with its attempt raised. `take` is called in the
        thread that iterates. An empty tuple is yielded at least every 0.2 s while nothing comes in, so that
        the caller can save and report. An exception in a unit is raised here. When `stop` is raised, workers
        abandon their units within 0.2 s and the iteration ends; where it is `HAND_BACK`, what they did until
        then is yielded before, if it comes within `PATIENCE`. The caller waits in short steps, so that a
        KeyboardInterrupt arrives at once.

        Raises:
            EngineError: if a unit failed `ATTEMPTS` times or all workers are lost for good.
        """
        ...

    def close(self) -> None:
        """End all workers at once; safe to call twice."""
