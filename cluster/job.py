"""What a job is: one question, named by a digest of all that can change its answer."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from frontrow.cluster.exploration.result import Exploration, Layer, Way
from frontrow.cluster.result import Count
from frontrow.cluster.wording import Wording, wording
from frontrow.search.errors import StoreError
from frontrow.search.registry import ProblemRef

if TYPE_CHECKING:
    from frontrow.cluster.solving.result import Solution

COUNTS = ("count", "?")
"""Verbs whose jobs consist of units of work; the second one is that of a damaged entry."""
ID_DIGITS = 16
NO_OPTIONS = "{}"


@dataclass(frozen=True, slots=True)
class Job:
    """A question: a verb and a problem whose ``auto`` choices are settled.

    Engine, workers and store are not part of it: a job begun on one machine is finished on any other.

    Attributes:
        options: what was asked for besides, as canonical JSON (sorted keys, no blanks).
    """

    verb: str
    ref: ProblemRef
    options: str = NO_OPTIONS

    @property
    def id(self) -> str:
        """Sixteen hexadecimal digits that name the question, the same on every machine."""
        said = [self.verb, self.ref.name, self.ref.values, self.ref.version, self.ref.source]
        text = json.dumps(said if self.options == NO_OPTIONS else [*said, self.options])
        return hashlib.sha256(text.encode()).hexdigest()[:ID_DIGITS]


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job as the ledger holds it.

    Attributes:
        ref: the problem.
        state: ``ready``, ``running``, ``interrupted``, ``done``, ``disputed``, ``failed`` or ``damaged``.
        created: UTC, ISO 8601.
        updated: UTC, ISO 8601.
        answer: the values, of a job that is done.
        error: why it failed, is disputed or damaged, else empty.
        asked: what was asked for besides the problem, as JSON.
        share: share of the predicted cost that is done, 0 to 1; None where nobody can know.
        imported: when it was taken from a file (UTC, ISO 8601); empty if all of it was computed here.
    """

    id: str
    verb: str
    ref: ProblemRef
    state: str
    created: str
    updated: str
    method: str
    kernel: str
    engine: str
    workers: int
    seconds: float
    setup_seconds: float
    answer: Mapping[str, Any] | None
    error: str
    units: int
    units_done: int
    verified: int
    share: float | None
    nodes: int
    asked: str
    imported: str = ""

    def checked(self) -> Self:
        """The job itself.

        Raises:
            StoreError: if it is damaged.
        """
        if self.state == "damaged":
            raise StoreError(self.error)
        return self

    @property
    def problem(self) -> str:
        """The problem's name."""
        return self.ref.name

    @property
    def values(self) -> Mapping[str, Any]:
        """Parameters and options by name."""
        return self.ref.params()

    @property
    def wording(self) -> Wording:
        """What is typed to ask the same question, as far as the problem is known here."""
        return wording(self.ref)

    @property
    def counts(self) -> bool:
        """Whether its work is done in units."""
        return self.verb in COUNTS

    @property
    def asked_for(self) -> dict[str, Any]:
        """What was asked for besides the problem, by name."""
        found: dict[str, Any] = json.loads(self.asked)
        return found

    def circumstances(self, *, from_ledger: bool, resumed: int) -> dict[str, Any]:
        """What every `Result` says, whatever the verb: the question, and how it came to its answer."""
        worded = self.wording
        return {
            "problem": self.problem,
            "file": self.ref.file,
            "params": worded.params,
            "chosen": worded.options,
            "silent": worded.silent,
            "seconds": self.seconds,
            "setup_seconds": self.setup_seconds,
            "workers": self.workers,
            "engine": self.engine,
            "job": self.id,
            "complete": self.state == "done",
            "from_ledger": from_ledger,
            "resumed": resumed,
            "computed_at": self.updated,
        }

    def exploration(self, *, from_ledger: bool = True, resumed: int = 0) -> Exploration:
        """The answer of an exploration that is done, or none yet (`Exploration.complete` is False then)."""
        found = self.answer or {"layers": [], "exhausted": False, "goal_depth": None, "way": None, "why": ""}
        way = found["way"]
        return Exploration(
            **self.circumstances(from_ledger=from_ledger, resumed=resumed),
            options=self.asked_for,
            layers=tuple(Layer.from_json(values) for values in found["layers"]),
            exhausted=found["exhausted"],
            goal_depth=found["goal_depth"],
            way=None if way is None else Way(*map(tuple, way)),
            table=self.method,
            why=found["why"],
        )

    def solution(self, notation: str = "blank") -> "Solution":
        """The answer of a solving job that is done, or none yet (`Solution.complete` is False then).

        Args:
            notation: of the moves.

        Raises:
            FrontrowError: if the problem is unknown here, or the moves do not lead to the goal.
        """
        from frontrow.cluster.solving.result import Found
        from frontrow.cluster.solving.told import solution_of
        from frontrow.search.problems.sliding import Sliding

        problem = self.ref.load()
        if not isinstance(problem, Sliding):
            raise StoreError(f"job {self.id}: found {self.problem}, expected a puzzle that is solved")
        nothing = Found(None, False, 0, None, 0, self.method, self.kernel, "")
        found = nothing if self.answer is None else Found.from_json(self.answer)
        return solution_of(
            self,  # pyright: ignore[reportArgumentType] - two names of one file
            problem,
            found,
            notation,
            from_ledger=True,
            resumed=0,
        )

    def count(self, *, from_ledger: bool = True, resumed: int = 0) -> Count:
        """The answer of a count that is done, or how far it came (`Count.complete` is False then)."""
        return Count(
            **self.circumstances(from_ledger=from_ledger, resumed=resumed),
            values=self.answer or {},
            nodes=self.nodes,
            units=self.units,
            verified=self.verified,
            method=self.method,
            kernel=self.kernel,
            imported=self.imported,
        )
