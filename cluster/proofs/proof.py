"""A count that can be checked by anybody: the question, its units with their results, and the answer."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeVar

import numpy as np

from frontrow.cluster.job import Job
from frontrow.search.parameter import shown
from frontrow.search.registry import ProblemRef
from frontrow.search.rows import Rows

Value = TypeVar("Value")

JOB, UNIT, END = "job", "unit", "end"
"""What a record of an export is about: its field ``record``."""


@dataclass(frozen=True, slots=True)
class Heading:
    """What an export says about the job as a whole.

    Attributes:
        id: the job's id.
        job: the question.
        state: of the job: ``done``, or what else it was when it was exported.
        created: UTC, ISO 8601.
        finished: UTC, ISO 8601: when the job was done, or last worked on.
        seconds: from the first unit handed out to the last commit, over all runs.
        tallies: names of the counts of a unit.
        maxima: those that are combined by the maximum and not by the sum.
        units: how many unit records follow.
        answer: the values; None if the job is not done.
        digest: SHA-256 over all unit records.
    """

    id: str
    job: Job
    state: str
    created: str
    finished: str
    method: str
    kernel: str
    engine: str
    workers: int
    seconds: float
    setup_seconds: float
    tallies: tuple[str, ...]
    maxima: tuple[str, ...]
    units: int
    answer: Mapping[str, int | None] | None
    digest: bytes

    def to_record(self) -> dict[str, Any]:
        """The first record of a file."""
        ref = self.job.ref
        question = {"verb": self.job.verb, "problem": ref.name, "values": ref.values, "version": ref.version}
        return {
            "record": JOB,
            "id": self.id,
            **question,
            "source": ref.source,
            "file": ref.file,
            "state": self.state,
            "created": self.created,
            "finished": self.finished,
            "method": self.method,
            "kernel": self.kernel,
            "engine": self.engine,
            "workers": self.workers,
            "seconds": self.seconds,
            "setup_seconds": self.setup_seconds,
            "tallies": list(self.tallies),
            "maxima": list(self.maxima),
            "units": self.units,
            "answer": None if self.answer is None else dict(self.answer),
            "digest": self.digest,
        }

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Self:
        """Undo `to_record`.

        Raises:
            ValueError: if anything is missing or of the wrong type.
        """
        fields = _Fields(record, JOB)
        texts = {name: fields.text(name) for name in ("id", "state", "created", "finished")}
        texts |= {name: fields.text(name) for name in ("method", "kernel", "engine")}
        ref = ProblemRef(
            *(fields.text("problem"), fields.text("values"), fields.integer("version")),
            *(fields.text("source"), fields.text("file")),
        )
        return cls(
            **texts,
            job=Job(fields.text("verb"), ref),
            workers=fields.natural("workers"),
            seconds=fields.number("seconds"),
            setup_seconds=fields.number("setup_seconds"),
            tallies=fields.texts("tallies"),
            maxima=fields.texts("maxima"),
            units=fields.natural("units"),
            answer=fields.values("answer"),
            digest=fields.get("digest", bytes),
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """A unit's accepted result.

    Attributes:
        rest: digest of the rows that the budget left (`frontrow.search.rows.digest`).
    """

    attempt: int
    epoch: int
    budget: int | None
    counts: tuple[int, ...]
    nodes: int
    rest: str
    seconds: float
    worker: str
    host: str
    kernel: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A unit and its result.

    Attributes:
        parent: number of the unit whose rest it is part of; None for a part of the problem's own split.
        rows: shape ``(k, words)``.
        outcome: None if the unit is not done.
    """

    number: int
    parent: int | None
    cost: int
    rows: Rows
    outcome: Outcome | None

    def to_record(self) -> dict[str, Any]:
        """The unit's record in a file."""
        head = {"record": UNIT, "number": self.number, "parent": self.parent, "cost": self.cost}
        done = self.outcome
        if done is None:
            return {**head, "rows": self.rows, "result": None}
        result = {
            "attempt": done.attempt,
            "epoch": done.epoch,
            "budget": done.budget,
            "counts": list(done.counts),
            "nodes": done.nodes,
            "rest": done.rest,
            "seconds": done.seconds,
            "worker": done.worker,
            "host": done.host,
            "kernel": done.kernel,
        }
        return {**head, "rows": self.rows, "result": result}

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Self:
        """Undo `to_record`.

        Raises:
            ValueError: if anything is missing or of the wrong type.
        """
        fields = _Fields(record, UNIT)
        parent = fields.optional("parent")
        head = (fields.natural("number"), parent, fields.natural("cost"), fields.get("rows", np.ndarray))
        if fields.get("result", object) is None:
            return cls(*head, None)
        result = _Fields(fields.get("result", dict))
        outcome = Outcome(
            attempt=result.natural("attempt"),
            epoch=result.natural("epoch"),
            budget=result.optional("budget"),
            counts=result.integers("counts"),
            nodes=result.natural("nodes"),
            rest=result.text("rest"),
            seconds=result.number("seconds"),
            worker=result.text("worker"),
            host=result.text("host"),
            kernel=result.text("kernel"),
        )
        return cls(*head, outcome)


class Source(Protocol):
    """Where a count that is checked lies: in the ledger or in a file."""

    heading: Heading

    def entries(self) -> Iterator[Entry]:
        """Every unit from the first on.

        Raises:
            StoreError: if one is damaged, or they are not those of which the heading has the digest.
        """
        ...

    def entry(self, number: int) -> Entry:
        """One unit, once `entries` has been read to its end.

        Raises:
            StoreError: if it is damaged or gone.
        """
        ...


class _Fields:
    """The fields of a record, with their types checked."""

    def __init__(self, record: dict[str, Any], kind: str | None = None) -> None:
        """Args: kind: what the record has to be about."""
        self._record = record
        if kind is not None and record.get("record") != kind:
            raise ValueError(f"found the record {shown(record.get('record'))}, expected {shown(kind)}")

    def get(self, name: str, kind: type[Value]) -> Value:
        """A field of a type."""
        value = self._record.get(name, self)
        if value is self:
            raise ValueError(f"{name}: found nothing, expected it")
        return self._checked(name, value, kind)

    def _checked(self, name: str, value: object, kind: type[Value]) -> Value:
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is int):
            raise ValueError(f"{name}: found {shown(value)}, expected {kind.__name__}")
        return value

    def text(self, name: str) -> str:
        return self.get(name, str)

    def integer(self, name: str) -> int:
        return self.get(name, int)

    def natural(self, name: str) -> int:
        value = self.integer(name)
        if not 0 <= value < 1 << 63:
            raise ValueError(f"{name}: found {shown(value)}, expected 0 to 2^63 - 1")
        return value

    def number(self, name: str) -> float:
        value = self.get(name, float)
        if not 0 <= value < math.inf:
            raise ValueError(f"{name}: found {shown(value)}, expected seconds from 0")
        return value

    def optional(self, name: str) -> int | None:
        return None if self.get(name, object) is None else self.natural(name)

    def texts(self, name: str) -> tuple[str, ...]:
        return tuple(self._checked(name, item, str) for item in self.get(name, list))

    def integers(self, name: str) -> tuple[int, ...]:
        return tuple(self._checked(name, item, int) for item in self.get(name, list))

    def values(self, name: str) -> Mapping[str, int | None] | None:
        if self.get(name, object) is None:
            return None
        return {
            self._checked(name, key, str): None if value is None else self._checked(name, value, int)
            for key, value in self.get(name, dict).items()
        }
