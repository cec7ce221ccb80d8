"""What a run tells while it goes on and when it ends."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run stands.

    Attributes:
        phase: ``starting``, ``compiling``, ``planning``, ``counting``, ``verifying``, ``listing``,
            ``exploring``, ``searching`` (in buckets; `units_done` are moves that a solution takes at least),
            ``saving`` (what an interrupt found finished), ``resuming`` (`note` says from what, and what is
            wrong) or ``watching`` (another process does the work).
        share: predicted share of the work that is done, 0 to 1; None where nobody can know.
        units_done: units committed.
        units: units known so far.
        nodes: nodes visited so far.
        rate: nodes a second over the last seconds.
        totals: the values so far, by name; never the answer before the run is complete.
        elapsed: seconds since the first unit was handed out in this run.
        remaining: low and high end of the seconds left, or None while nothing honest can be said.
        workers: workers that compute at the same time.
        resumed: units taken over from an earlier run.
        note: a line for people, such as which process is being watched.
        kept: layers of an exploration, or expanded boards of a search, that a later run can go on from.
        warning: whether `note` says that work is lost, which is told even to those who want no progress.
    """

    phase: str
    share: float | None = 0.0
    units_done: int = 0
    units: int = 0
    nodes: int = 0
    rate: float = 0.0
    totals: Mapping[str, int] = field(default_factory=dict)
    elapsed: float = 0.0
    remaining: tuple[float, float] | None = None
    workers: int = 0
    resumed: int = 0
    note: str = ""
    kept: int = 0
    warning: bool = False


def plural(word: str, number: int) -> str:
    """A word for so many things."""
    return word if number == 1 else f"{word}s"


Report = Callable[[Progress], None]
"""Receives progress a few times a second, in the thread that called."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Result(ABC):
    """The answer to a question, exact and complete, whatever the verb.

    Attributes:
        verb: ``count``, ``explore`` or ``solve``.
        problem: the problem's name.
        file: what messages call the person's own file that defines it; empty if it ships with Frontrow.
        params: its parameters (options such as ``method`` are not among them).
        chosen: the problem's options that are not what is chosen without them.
        silent: names of parameters that say nothing: empty, as they are by default.
        seconds: of the work (from its first part handed out to the last one written down), summed over all
            runs of the job.
        setup_seconds: imports, kernels, tables and splitting, before that.
        workers: workers of the last run.
        engine: ``local`` or ``ray``.
        job: the job's id in the ledger; empty if nothing had to be searched.
        complete: always True for an answer; False where a limit was reached, and in what `show` prints of a
            job that is not done.
        from_ledger: whether the answer was there already.
        resumed: units, layers or rounds taken over from earlier runs.
        computed_at: when it was finished, UTC, ISO 8601.
    """

    verb: ClassVar[str]
    problem: str
    file: str
    params: Mapping[str, Any]
    seconds: float
    setup_seconds: float
    workers: int
    engine: str
    job: str
    complete: bool
    from_ledger: bool
    resumed: int
    computed_at: str
    chosen: Mapping[str, Any] = field(default_factory=dict)
    silent: frozenset[str] = frozenset()

    @property
    def spoken(self) -> dict[str, Any]:
        """The parameters that say something."""
        return {name: value for name, value in self.params.items() if name not in self.silent}

    @abstractmethod
    def _told(self) -> str:
        """What was found, for `repr`."""

    @abstractmethod
    def _found(self) -> dict[str, Any]:
        """What was found, for `to_json`: what can pass 2**53 is a string."""

    def __repr__(self) -> str:
        params = ", ".join(f"{key}={value!r}" for key, value in {**self.spoken, **self.chosen}.items())
        return f"<{self.verb} {self.file or self.problem}({params}): {self._told()}>"

    def _asked(self) -> Mapping[str, Any]:
        """What the verb was asked for besides the problem, by name."""
        return {}

    def _workers(self) -> str:
        """By whom it was found, for `repr`."""
        return f"{self.workers} {self.engine} {plural('worker', self.workers)}"

    def _source(self) -> str:
        """When it was found, or in what time, for `repr`."""
        return f"from the ledger, {self.computed_at}" if self.from_ledger else f"{self.seconds:.3g} s"

    def to_json(self) -> dict[str, Any]:
        """The object that ``--json`` prints: what can pass 2**53 is a string."""
        return {
            "verb": self.verb,
            "problem": self.problem,
            "file": self.file or None,
            "params": dict(self.params),
            "options": {**self.chosen, **self._asked()},
            **self._found(),
            "seconds": round(self.seconds, 6),
            "setup_seconds": round(self.setup_seconds, 6),
            "workers": self.workers,
            "engine": self.engine,
            "job": self.job or None,
            "complete": self.complete,
            "from_ledger": self.from_ledger,
            "resumed": self.resumed,
            "computed_at": self.computed_at or None,
        }


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Count(Result):
    """How many there are of what was counted.

    Attributes:
        values: what was counted, by name; None where a value is not defined for the question.
        nodes: nodes visited.
        units: units that the work was split into.
        verified: units that were computed twice with the same result.
        method: the counting method used.
        kernel: the machine code used, for people.
        confirmed: the job that computed the whole by another method with the same values, if that was asked
            for; else empty.
        imported: when it was taken from somebody's file (UTC, ISO 8601); empty if it was computed here.
    """

    verb: ClassVar[str] = "count"
    values: Mapping[str, int | None]
    nodes: int
    units: int
    verified: int
    method: str
    kernel: str
    confirmed: str = ""
    imported: str = ""

    def _told(self) -> str:
        values = ", ".join(f"{key}={value}" for key, value in self.values.items() if value is not None)
        imported = f", imported {self.imported}" if self.imported else ""
        return (
            f"{values}; {self.nodes} nodes in {self.units} {plural('unit', self.units)}, "
            f"{self._workers()}, {self.method}, {self._source()}{imported}"
        )

    def _found(self) -> dict[str, Any]:
        return {
            "values": {key: None if value is None else str(value) for key, value in self.values.items()},
            "nodes": str(self.nodes),
            "units": str(self.units),
            "verified": str(self.verified),
            "method": self.method,
            "kernel": self.kernel,
        }

    def to_json(self) -> dict[str, Any]:
        """The object that ``--json`` prints: what can pass 2**53 is a string."""
        # Not `super()`: a class with slots is made anew, and it would not find that one.
        return {
            **Result.to_json(self),
            "confirmed": self.confirmed or None,
            "imported": self.imported or None,
        }
