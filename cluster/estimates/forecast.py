"""What an estimate tells."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from frontrow.search.estimates.interval import Interval


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a count is expected to come to and to take.

    An interval holds the truth in 95 of 100 estimates; where nothing honest can be said, it is None and
    `doubts` says why.

    ``--json`` prints these fields and ``verb``. Intervals are objects of ``expected``, ``low`` and ``high``,
    or null; strings in ``values`` and ``nodes``, since they can pass 2**53, and numbers in seconds or hours
    elsewhere. ``units``, ``ledger_bytes`` and ``memory_bytes`` are strings or null. ``core_seconds`` is left
    out in favour of ``core_hours``.

    Attributes:
        problem: the problem's name.
        params: its parameters.
        values: the values that the count is expected to have, by name.
        greatest: of tallies that are maxima, the greatest that a sample met: the count has at least that.
        nodes: nodes visited.
        core_seconds: processor seconds, all workers together.
        wall_seconds: seconds from the first unit handed out to the last commit.
        workers: workers that compute at the same time.
        units: units of the ledger; None if they are made during the count.
        ledger_bytes: size of the ledger's file; None likewise.
        memory_bytes: memory of one worker; None where the system does not tell.
        depth: levels below the root that probes reached; None where there are none, or a tally of that name.
        method: the counting method.
        kernel: the code that computes here.
        sampled_by: ``units``, or ``probes`` where costs cannot be predicted.
        samples: slices of units, or probes.
        share: share of the work that was done for the estimate.
        slowdown: wall seconds a processor second meanwhile: above 1 if others used the processor as well.
        exact: whether the values are exact: the whole was done.
        doubts: why something is unknown, by name; ``all`` if nothing is known.
        seed: names the samples.
        seconds: seconds that the estimate took, from the first sample.
        setup_seconds: kernels and imports before.
        options: the problem's options that are not what is chosen without them.
        silent: names of parameters that say nothing: empty, as they are by default.
    """

    problem: str
    params: Mapping[str, Any]
    values: Mapping[str, Interval | None]
    greatest: Mapping[str, int]
    nodes: Interval | None
    core_seconds: Interval | None
    wall_seconds: Interval | None
    workers: int
    units: int | None
    ledger_bytes: int | None
    memory_bytes: int | None
    depth: int | None
    method: str
    kernel: str
    sampled_by: str
    samples: int
    share: float
    slowdown: float
    exact: bool
    doubts: Mapping[str, str]
    seed: int
    seconds: float
    setup_seconds: float
    options: Mapping[str, Any] = field(default_factory=dict)
    silent: frozenset[str] = frozenset()

    @property
    def spoken(self) -> dict[str, Any]:
        """The parameters that say something."""
        return {name: value for name, value in self.params.items() if name not in self.silent}

    def __repr__(self) -> str:
        params = ", ".join(f"{key}={value!r}" for key, value in {**self.spoken, **self.options}.items())
        told = [f"{name}={_told(value)}" for name, value in self.values.items()]
        told.append(f"wall_seconds={_told(self.wall_seconds)}")
        told.append(f"core_hours={_told(_hours(self.core_seconds))}")
        return (
            f"<estimate {self.problem}({params}): {', '.join(told)}; {self.workers} workers, {self.method}>"
        )

    def to_json(self) -> dict[str, Any]:
        """The object that ``--json`` prints; see the class."""
        return {
            "verb": "estimate",
            "problem": self.problem,
            "params": dict(self.params),
            "options": dict(self.options),
            "values": {name: _strings(value) for name, value in self.values.items()},
            "greatest": {name: str(value) for name, value in self.greatest.items()},
            "nodes": _strings(self.nodes),
            "core_hours": _numbers(_hours(self.core_seconds)),
            "wall_seconds": _numbers(self.wall_seconds),
            "workers": self.workers,
            **{name: _string(getattr(self, name)) for name in ("units", "ledger_bytes", "memory_bytes")},
            **{name: getattr(self, name) for name in ("depth", "method", "kernel", "sampled_by", "samples")},
            "share": float(f"{self.share:.4g}"),
            "slowdown": round(self.slowdown, 3),
            "exact": self.exact,
            "doubts": dict(self.doubts),
            "seed": self.seed,
            "seconds": round(self.seconds, 6),
            "setup_seconds": round(self.setup_seconds, 6),
        }


def _hours(seconds: Interval | None) -> Interval | None:
    if seconds is None:
        return None
    return Interval(seconds.expected / 3600, seconds.low / 3600, seconds.high / 3600)


def _told(value: Interval | None) -> str:
    if value is None:
        return "unknown"
    if value.low == value.high:
        return str(round(value.expected))
    return f"{value.expected:.4g} ({value.low:.4g} to {value.high:.4g})"


def _string(value: int | None) -> str | None:
    return None if value is None else str(value)


def _whole(number: float) -> str:
    """A number as a whole one; six digits of it, since no estimate is better."""
    return str(round(float(f"{number:.6g}"))) if number < 1e300 else f"{number:.6g}"


def _strings(value: Interval | None) -> dict[str, str] | None:
    if value is None:
        return None
    if value.low == value.high:
        return dict.fromkeys(("expected", "low", "high"), str(round(value.expected)))
    return {name: _whole(getattr(value, name)) for name in ("expected", "low", "high")}


def _numbers(value: Interval | None) -> dict[str, float] | None:
    if value is None:
        return None
    return {name: float(f"{getattr(value, name):.6g}") for name in ("expected", "low", "high")}
