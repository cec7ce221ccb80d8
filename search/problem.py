"""What a problem is: parameters, rows, and how it is split and counted."""

import dataclasses
import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self, dataclass_transform, get_origin, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from frontrow.search.errors import UsageError
from frontrow.search.parameter import METADATA, Parameter, parameter, shown
from frontrow.search.rows import Rows, Stop

_LANGUAGE = (__name__, "frontrow.search.tree", "frontrow.search.graph")
"""Modules whose classes all problems derive from: their names are no names for parameters."""


@dataclass_transform(frozen_default=True, field_specifiers=(parameter,))
class Problem(ABC):
    """One question about one space. Every subclass is a frozen dataclass; its fields are the parameters.

    A field is an integer, a word or anything that a `Parameter` can read; a plain ``n: int`` is an integer of
    any size.

    Attributes:
        version: raised whenever the answers, the split or the rows change; ledgers of other versions
            are never served.
        summary_line: one line for people.
        examples: parameters to try, as a command line gives them, the most telling first.
        labels: words for those values of an answer whose names are not words for people already.
    """

    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]
    name: ClassVar[str] = ""
    version: ClassVar[int] = 1
    summary_line: ClassVar[str] = ""
    examples: ClassVar[tuple[str, ...]] = ()
    labels: ClassVar[Mapping[str, str]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.name = cls.__dict__.get("name") or cls.__name__.lower()
        for name, kind in inspect.get_annotations(cls, eval_str=True).items():
            if ClassVar not in (kind, get_origin(kind)):
                setattr(cls, name, _described(cls, name, kind))
        dataclass(frozen=True)(cls)

    def __post_init__(self) -> None:
        for name, spec in self.parameters().items():
            object.__setattr__(self, name, spec.read(name, getattr(self, name)))
        self.check()

    def check(self) -> None:
        """Check what concerns several parameters at once.

        Raises:
            UsageError: naming the parameter, what was found and what was expected.
        """

    @classmethod
    def parameters(cls) -> dict[str, Parameter]:
        """The parameters by name, in field order."""
        return {f.name: f.metadata[METADATA] for f in dataclasses.fields(cls) if METADATA in f.metadata}

    @classmethod
    def from_words(cls, words: Sequence[str], options: Mapping[str, object]) -> Self:
        """Read parameters as a command line gives them: in field order or as ``key=value``.

        Raises:
            UsageError: for an unknown, repeated, missing or bad parameter.
        """
        specs = cls.parameters()
        order = [name for name, spec in specs.items() if not spec.option]
        values: dict[str, object] = dict(options)
        positional = iter(order)
        for word in words:
            key, equals, value = word.partition("=")
            name = key.strip() if equals else next(positional, "")
            if not equals:
                value = word
            if name not in order:
                raise UsageError(f"{cls.name}: found {shown(word)}, expected {_listed(order)}")
            if name in values:
                raise UsageError(f"{name}: found twice, expected once")
            values[name] = value
        return cls.from_values(values)

    @classmethod
    def from_values(cls, values: Mapping[str, object]) -> Self:
        """Make the problem from values by name.

        Raises:
            UsageError: for an unknown, missing or bad parameter.
        """
        specs = cls.parameters()
        for name in values:
            if name not in specs:
                raise UsageError(f"{cls.name}: found {shown(name)}, expected {_listed(list(specs))}")
        for field in dataclasses.fields(cls):
            if field.name in specs and field.default is dataclasses.MISSING and field.name not in values:
                raise UsageError(f"{field.name}: found nothing, expected {specs[field.name].expected}")
        return cls(**values)

    def settle(self) -> Self:
        """Replace every ``auto`` by the choice made for it; done once, when a job is created."""
        return self

    @property
    def why(self) -> str:
        """Why the method was chosen, for people; empty where there is no choice."""
        return ""

    @property
    @abstractmethod
    def words(self) -> int:
        """64-bit words a row; may depend on the parameters."""

    @abstractmethod
    def initial(self) -> Rows:
        """The row or rows that the search starts from, shape ``(k, words)``."""

    @abstractmethod
    def render(self, row: Rows) -> str:
        """Draw one row (shape ``(words,)``) as text."""


def _described(cls: type[Problem], name: str, kind: object) -> Any:
    """The dataclass field of an annotation; one without a `Parameter` gets that of its type."""
    if any(name in vars(base) for base in cls.__mro__[1:] if base.__module__ in _LANGUAGE):
        raise UsageError(
            f"class {cls.__name__}: {name}: found a parameter, expected another name, or no annotation: "
            "Frontrow uses that name"
        )
    given = cls.__dict__.get(name, dataclasses.MISSING)
    if isinstance(given, dataclasses.Field):
        return given
    if kind is int:
        return parameter(help="", default=given)
    if kind is str:
        return parameter(help="a word", default=given, parse=str)
    raise UsageError(
        f"class {cls.__name__}: {name}: found type {getattr(kind, '__name__', kind)}, "
        "expected int, str, ClassVar or a field made by parameter()"
    )


def _listed(names: Sequence[str]) -> str:
    return "no parameters" if not names else "the parameters " + ", ".join(names)


@dataclass(frozen=True, slots=True)
class Slice:
    """What a unit's rows came to.

    Attributes:
        counts: one exact integer a tally, in the order of `Countable.tallies`.
        nodes: nodes visited.
        rest: rows still to search, shape ``(k, words)``; empty unless a budget ran out.
    """

    counts: tuple[int, ...]
    nodes: int
    rest: Rows


class Totals:
    """Exact sums and maxima of a problem's tallies; plain integers, so nothing overflows."""

    def __init__(self, problem: "Countable") -> None:
        """Start at zero."""
        self._is_maximum = [name in problem.maxima for name in problem.tallies]
        self.counts: tuple[int, ...] = (0,) * len(problem.tallies)

    def add(self, counts: Sequence[int]) -> None:
        """Add one part."""
        parts = zip(self._is_maximum, self.counts, counts, strict=True)
        self.counts = tuple(max(a, b) if is_maximum else a + b for is_maximum, a, b in parts)

    def add_rows(self, measures: NDArray[Any]) -> None:
        """Add what rows measure, shape ``(n, len(tallies))``: 64-bit integers, or Python's own as objects."""
        if measures.shape[0]:
            maxima = measures.max(axis=0).tolist()
            # Two halves, since a sum of 64-bit integers may not fit one.
            low, high = (measures & 0xFFFFFFFF).sum(axis=0).tolist(), (measures >> 32).sum(axis=0).tolist()
            sums = [(h << 32) + value for h, value in zip(high, low, strict=True)]
            self.add([m if top else s for top, m, s in zip(self._is_maximum, maxima, sums, strict=True)])


class Countable(Problem):
    """A problem whose answer is a sum over independent parts.

    Attributes:
        tallies: names of the counts that a unit returns; may be a property, where the parameters decide.
        maxima: those tallies that are combined by the maximum and not by the sum.
        unit_floor: predicted cost below which a unit is not worth a ledger row (about 10 ms).
        worker_bytes: memory that a worker in a process of its own can need, where short samples do not show
            it; 0 where they do. May be a property.
    """

    tallies: ClassVar[tuple[str, ...]] = ("solutions",)
    maxima: ClassVar[tuple[str, ...]] = ()
    unit_floor: ClassVar[int] = 10_000
    worker_bytes: ClassVar[int] = 0

    @abstractmethod
    def split(self) -> Rows:
        """Rows whose tallies add up to the whole: the same rows in the same order on every machine."""

    @abstractmethod
    def cost(self, rows: Rows) -> NDArray[np.int64]:
        """Predicted relative cost of each row, at least 1; shape ``(n,)``. Integer arithmetic only."""

    def strata(self, rows: Rows) -> NDArray[np.int64]:
        """Which rows are alike for an estimate: small numbers from 0, shape ``(n,)``; by default all are.

        Rows of different kinds, whose work has little to do with each other's, are sampled apart. A tally
        that no sample of a kind adds to is taken to come from the other kinds.
        """
        return np.zeros(rows.shape[0], np.int64)

    def tables(self, rows: Rows) -> NDArray[np.int64]:
        """Which rows share what is tabulated for all of them when a process first meets one; shape ``(n,)``.

        A number names a table. By default all rows share all there is.
        """
        return np.zeros(rows.shape[0], np.int64)

    def divide(self, rows: Rows, stop: Stop) -> Slice:
        """Divide one row (shape ``(1, words)``) that takes long into rows that stand for it, for an estimate.

        What is counted on the way is in the slice; by default that is what the smallest budget counts.

        Raises:
            StoppedError: if `stop` was raised.
        """
        return self.tally(rows, 1, stop)

    @abstractmethod
    def tally(self, rows: Rows, budget: int | None, stop: Stop) -> Slice:
        """Count the parts that `rows` stand for.

        Args:
            rows: shape ``(n, words)``.
            budget: nodes after which the rest is handed back; ``None`` for no limit.
            stop: polled at least every 0.2 s. Where it is `HAND_BACK`, the rest may be handed back, if a
                budget of the nodes that were visited would leave the same.

        Raises:
            StoppedError: if `stop` was raised; nothing is kept.
        """

    def recount(self, rows: Rows, stop: Stop) -> tuple[int, ...]:
        """The tallies of rows once more, by another computation where there is one; by default by `tally`.

        It need not be another computation all through: so much of the work that it shows a wrong kernel, and
        the rest as before.

        Raises:
            StoppedError: if `stop` was raised.
        """
        return self.tally(rows, None, stop).counts

    def second(self) -> Self | None:
        """The same question by another method, whose values have to be the same; None without one.

        None as well if the other method would take far too long.
        """
        return None

    def summary(self, totals: dict[str, int]) -> dict[str, int | None]:
        """Turn the tallies of the whole into the values that people read."""
        return dict(totals)

    def expected(self, totals: dict[str, float]) -> dict[str, float]:
        """Turn expected tallies (those that are sums) into expected values, where `summary` does so by sums.

        Linear: twice the tallies give twice the values. A value that is none of these is left out.
        """
        return totals

    def warm(self) -> None:
        """Compile or load every kernel that `tally` needs; called once in each worker process."""

    @property
    def compiles(self) -> bool:
        """Whether `warm` compiles kernels that ship with Frontrow, the first time on a machine."""
        return False

    @property
    def kernel(self) -> str:
        """What computes the tallies on this machine, for people and for the ledger."""
        return "python"

    @property
    def holds_interpreter(self) -> bool:
        """Whether counting runs in Python alone, so that it takes processes and not threads to share it."""
        return False

    @property
    def predictable(self) -> bool:
        """Whether `cost` tells the work under a row; if not, units have budgets and are split again."""
        return True

    @property
    def method_used(self) -> str:
        """The counting method, as ``--method`` names it."""
        return "tree"


@runtime_checkable
class Drawn(Protocol):
    """A problem whose rows are boards that can be drawn with more than `Problem.render` shows."""

    def draw(self, row: Rows, *, attacks: bool) -> str:
        """Draw one row (shape ``(words,)``) as text, with or without the squares under attack."""
        ...

    def picture(self, rows: Rows, *, attacks: bool) -> str:
        """Draw rows, at least one, as an SVG document."""
        ...
