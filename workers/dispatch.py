"""Which batches are with which worker, and what happens to those of a worker that died; no Ray in here."""

import math
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from frontrow.search.errors import EngineError
from frontrow.search.registry import ProblemRef
from frontrow.workers.engine import ATTEMPTS, Take
from frontrow.workers.unit import Batch, UnitResult

Worker = TypeVar("Worker")
"""Whatever names a worker: compared and hashed only."""

WINDOW_LEAST, WINDOW_MOST = 2, 8
"""Batches in flight a worker."""
AHEAD = 0.04
"""Seconds of work that should wait at each worker, as far as the window allows."""
WEIGHT = 0.25
"""Weight of the latest batch in a worker's pace."""


def ended_at_start(ref: ProblemRef) -> EngineError:
    """What to raise where workers die while they load a problem."""
    return EngineError(
        f"{ref.file or ref.name}: found a worker process that it ended, expected all of them to live"
    )


@dataclass(frozen=True, slots=True)
class Flight:
    """A batch on its way, what to ask for its results, and whether it was handed out before."""

    answer: Any
    batch: Batch
    again: bool


@dataclass(slots=True)
class _Line:
    """The flights of one worker, in the order in which it works them off."""

    flights: deque[Flight] = field(default_factory=deque)
    pace: float | None = None  # seconds of a batch, the later ones weighing most

    @property
    def window(self) -> int:
        """Batches that may be in flight: more of them when they are short, and one that goes again alone."""
        if self.flights and self.flights[0].again:
            return 1
        if self.pace is None:
            return WINDOW_LEAST
        return min(max(1 + math.ceil(AHEAD / max(self.pace, 1e-4)), WINDOW_LEAST), WINDOW_MOST)

    def note(self, seconds: float) -> None:
        """Take in how long a batch took.

        Where units differ by orders of magnitude, one short batch says nothing about the next: a worker must
        not hoard long ones because of it while others run dry.
        """
        self.pace = seconds if self.pace is None else self.pace + (seconds - self.pace) * WEIGHT


class Dispatch(Generic[Worker]):
    """The batches of one run."""

    def __init__(self, take: Take, ref: ProblemRef) -> None:
        """Args: take: gives the next batch, see `frontrow.workers.engine.Take`; ref: what is tallied."""
        self._take = take
        self._name = ref.file or ref.name
        self._dry = False
        self._again: deque[Batch] = deque()
        self._failures: Counter[int] = Counter()
        self._lines: dict[Worker, _Line] = {}

    @property
    def over(self) -> bool:
        """Whether nothing is in flight and nothing is left to hand out."""
        return self._dry and not self._again and not self.busy

    @property
    def busy(self) -> list[Worker]:
        """Workers that have something in flight."""
        return [worker for worker, line in self._lines.items() if line.flights]

    def hand_out(self, workers: Iterable[Worker], send: Callable[[Worker, Batch], Any]) -> None:
        """Fill the windows, one batch to every worker before a second one to any.

        What goes out again goes to idle workers, so nothing else is handed to busy ones meanwhile.

        Args:
            workers: those that can work.
            send: hands a batch to a worker and gives what to ask for its results.
        """
        lines = [(worker, self._lines.setdefault(worker, _Line())) for worker in workers]
        for depth in range(WINDOW_MOST):
            for worker, line in lines:
                if len(line.flights) == depth < line.window:
                    again = bool(self._again)
                    if again and depth:
                        return
                    batch = self._next()
                    if batch is None:
                        return
                    line.flights.append(Flight(send(worker, batch), batch, again))

    def _next(self) -> Batch | None:
        if self._again:
            return self._again.popleft()
        if self._dry:
            return None
        batch = self._take()
        self._dry = batch is None
        return batch

    def first(self, worker: Worker) -> Any:
        """What to ask for the worker's next results, or None if nothing is in flight."""
        line = self._lines.get(worker)
        return line.flights[0].answer if line is not None and line.flights else None

    def landed(self, worker: Worker, results: tuple[UnitResult, ...] | None) -> None:
        """Take the worker's first batch out of flight; without results it goes out again."""
        line = self._lines[worker]
        flight = line.flights.popleft()
        if results is None:
            self._put_back(flight.batch)
            return
        line.note(sum(result.seconds for result in results))
        self._dry = False

    def crashed(self, worker: Worker, reason: str) -> None:
        """Put back all batches of a dead worker; what it had finished must have landed before.

        Only the first batch was being tallied, so only its units are blamed; those behind it merely waited.
        The blamed go on one by one, and all of them alone with a worker: a worker that dies takes results
        with it that it had no time to send, so a unit before the one that kills must not be there to be
        blamed. Attempts rise in any case, because a worker that only seems dead may still answer.

        Raises:
            EngineError: if a unit lost `ATTEMPTS` workers.
        """
        flights = self._lines.pop(worker, _Line()).flights
        for place, flight in enumerate(flights):
            if place == 0:
                self._blame(flight.batch, reason)
                for unit in flight.batch:
                    self._put_back((unit,))
            else:
                self._put_back(flight.batch)

    def _blame(self, batch: Batch, reason: str) -> None:
        for unit in batch:
            self._failures[unit.number] += 1
            if self._failures[unit.number] >= ATTEMPTS:
                raise EngineError(
                    f"{self._name}: found {ATTEMPTS} workers lost while they tallied unit {unit.number}"
                    f" ({reason}), expected a result"
                )

    def _put_back(self, batch: Batch) -> None:
        self._again.append(tuple(unit.again() for unit in batch))
