"""What the workers are doing right now, seen from the results that came back; no clock in here."""

from collections.abc import Iterable

from frontrow.workers.unit import UnitResult

LEAST = 0.05
"""Efficiency that is believed at least."""


class Pace:
    """When each worker was last heard of, and which share of its time went into units until then."""

    def __init__(self, workers: int, began: float) -> None:
        """Args: workers: workers that compute at the same time; began: the run's beginning in seconds."""
        self._workers, self._began = workers, began
        self._heard: dict[str, float] = {}
        self._busy = self._span = 0.0

    def came(self, results: Iterable[UnitResult], now: float) -> None:
        """Note what came back at a time; a worker's first results also tell when it began."""
        seconds: dict[str, float] = {}
        for result in results:
            seconds[result.worker] = seconds.get(result.worker, 0.0) + result.seconds
        for worker, busy in seconds.items():
            self._span += now - self._heard.get(worker, now - busy)
            self._busy += busy
            self._heard[worker] = now

    @property
    def efficiency(self) -> float:
        """Share of the workers' time that went into units, above 0 and up to 1."""
        return min(max(self._busy / self._span, LEAST), 1.0) if self._span > 0 else 1.0

    def flying(self, now: float) -> float:
        """Seconds that workers have put into units whose results are not in yet."""
        silent = max(self._workers - len(self._heard), 0) * (now - self._began)
        return self.efficiency * (silent + sum(now - heard for heard in self._heard.values()))
