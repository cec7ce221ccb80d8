"""What a problem is: parameters, rows, and how its tree is split and counted."""

import dataclasses
import operator
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from frontrow.search.errors import StoppedError, UsageError
from frontrow.search.rows import Rows, Stop

_METADATA = "frontrow"
_NUMBER = re.compile(r"[+-]?[0-9]+")
CHUNK = 4096
"""Rows that a default algorithm hands to `expand` at a time."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """How one field of a problem is read, checked and described.

    Attributes:
        help: one line for people.
        low: smallest integer allowed (integers only).
        high: largest integer allowed (integers only).
        choices: the words allowed (words only).
        parse: turns a text into the value, for anything that is neither integer nor word; raises
            `ValueError` with a text of the form ``found X, expected Y``. Values given from Python
            pass through it as well.
        option: written ``--name`` and not ``name=value``: it says how the question is answered.
    """

    help: str
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()
    parse: Callable[[Any], Any] | None = None
    option: bool = False

    @property
    def expected(self) -> str:
        """What a value has to be, in words."""
        if self.parse is not None:
            return self.help
        if self.choices:
            return " or ".join(self.choices)
        return f"an integer from {self.low} to {self.high}"

    def read(self, name: str, value: object) -> Any:
        """Check one value, a text or a Python object, and return it in its canonical form.

        Raises:
            UsageError: if the value is not allowed.
        """
        try:
            if self.parse is not None:
                return self.parse(value)
            if self.choices:
                return self._read_word(value)
            return self._read_integer(value)
        except ValueError as error:
            raise UsageError(f"{name}: {error}") from error

    def _read_word(self, value: object) -> str:
        word = str(value).strip()
        if word not in self.choices:
            raise ValueError(f"found {shown(value)}, expected {self.expected}")
        return word

    def _read_integer(self, value: object) -> int:
        complaint = f"found {shown(value)}, expected {self.expected}"
        if isinstance(value, str):
            text = value.strip()
            if not _NUMBER.fullmatch(text) or len(text) > 40:
                raise ValueError(complaint)
            number = int(text)
        elif isinstance(value, bool):
            raise ValueError(complaint)
        else:
            try:
                number = operator.index(value)  # type: ignore[arg-type]
            except TypeError as error:
                raise ValueError(complaint) from error
        if (self.low is not None and number < self.low) or (self.high is not None and number > self.high):
            raise ValueError(complaint)
        return number


def shown(value: object) -> str:
    """A value as an error message quotes it: short, printable, on one line."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:50]}... ({len(text)} characters)"


def parameter(
    *,
    help: str,
    default: Any = dataclasses.MISSING,
    low: int | None = None,
    high: int | None = None,
    choices: tuple[str, ...] = (),
    parse: Callable[[Any], Any] | None = None,
    option: bool = False,
) -> Any:
    """Declare a field of a problem together with its range and its help."""
    spec = Parameter(help, low, high, choices, parse, option)
    return dataclasses.field(default=default, metadata={_METADATA: spec})


@dataclass(frozen=True)
class Problem(ABC):
    """One question about one space. Subclasses are frozen dataclasses; their fields are the parameters.

    Attributes:
        version: raised whenever the answers, the split or the rows change; ledgers of other versions
            are never served.
        summary_line: one line for people.
        examples: parameters to try, as a command line gives them, the most telling first.
    """

    name: ClassVar[str] = ""
    version: ClassVar[int] = 1
    summary_line: ClassVar[str] = ""
    examples: ClassVar[tuple[str, ...]] = ()

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
        return {f.name: f.metadata[_METADATA] for f in dataclasses.fields(cls) if _METADATA in f.metadata}

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
    @abstractmethod
    def words(self) -> int:
        """64-bit words a row; may depend on the parameters."""

    @abstractmethod
    def initial(self) -> Rows:
        """The row or rows that the search starts from, shape ``(k, words)``."""

    @abstractmethod
    def render(self, row: Rows) -> str:
        """Draw one row (shape ``(words,)``) as text."""


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


@dataclass(frozen=True)
class Countable(Problem):
    """A problem whose answer is a sum over independent parts.

    Attributes:
        tallies: names of the counts that a unit returns.
        maxima: those tallies that are combined by the maximum and not by the sum.
        unit_floor: predicted cost below which a unit is not worth a ledger row (about 10 ms).
        labels: words for those values of `summary` whose names are not words for people already.
    """

    tallies: ClassVar[tuple[str, ...]] = ("solutions",)
    maxima: ClassVar[tuple[str, ...]] = ()
    unit_floor: ClassVar[int] = 10_000
    labels: ClassVar[Mapping[str, str]] = {}

    @abstractmethod
    def split(self) -> Rows:
        """Rows whose tallies add up to the whole: the same rows in the same order on every machine."""

    @abstractmethod
    def cost(self, rows: Rows) -> NDArray[np.int64]:
        """Predicted relative cost of each row, at least 1; shape ``(n,)``. Integer arithmetic only."""

    @abstractmethod
    def tally(self, rows: Rows, budget: int | None, stop: Stop) -> Slice:
        """Count the parts that `rows` stand for.

        Args:
            rows: shape ``(n, words)``.
            budget: nodes after which the rest is handed back; ``None`` for no limit.
            stop: polled at least every 0.2 s.

        Raises:
            StoppedError: if `stop` was raised; nothing is kept.
        """

    def summary(self, totals: dict[str, int]) -> dict[str, int | None]:
        """Turn the tallies of the whole into the values that people read."""
        return dict(totals)

    def warm(self) -> None:
        """Compile or load every kernel that `tally` needs; called once in each worker process."""

    @property
    def kernel(self) -> str:
        """What computes the tallies on this machine, for people and for the ledger."""
        return "python"

    @property
    def method_used(self) -> str:
        """The counting method, as ``--method`` names it."""
        return "tree"


@dataclass(frozen=True)
class CountingTree(Countable):
    """A tree whose leaves are counted; `expand` and `is_solution` are enough."""

    @abstractmethod
    def expand(self, rows: Rows) -> tuple[Rows, NDArray[np.int32]]:
        """Children of every row, in row order, and the index of each one's parent."""

    @abstractmethod
    def is_solution(self, rows: Rows) -> NDArray[np.bool_]:
        """Which rows are solutions; shape ``(n,)``."""

    def measure(self, rows: Rows) -> NDArray[np.int64]:
        """What each row itself adds to each tally, shape ``(n, len(tallies))``."""
        return self.is_solution(rows).astype(np.int64)[:, None]

    def split(self) -> Rows:
        """The root alone; it is split further while it is counted."""
        return self.initial()

    def cost(self, rows: Rows) -> NDArray[np.int64]:
        """One for every row: nothing is known about subtrees in general."""
        return np.ones(rows.shape[0], np.int64)

    def tally(self, rows: Rows, budget: int | None, stop: Stop) -> Slice:
        """Depth first in chunks of rows; memory is bounded by depth times children times `CHUNK`."""
        folds = [max if name in self.maxima else operator.add for name in self.tallies]
        counts = [0] * len(self.tallies)
        nodes = 0
        stack = [rows]
        while stack and (budget is None or nodes < budget):
            if stop[0]:
                raise StoppedError("stopped")
            top = stack.pop()
            chunk, left = top[:CHUNK], top[CHUNK:]
            if left.shape[0]:
                stack.append(left)
            if not chunk.shape[0]:
                continue
            nodes += chunk.shape[0]
            measures = self.measure(chunk)
            for index, name in enumerate(self.tallies):
                column = measures[:, index]
                part = int(column.max()) if name in self.maxima else sum(column.tolist())
                counts[index] = folds[index](counts[index], part)
            children, _ = self.expand(chunk)
            stack.append(children)
        rest = np.concatenate(stack[::-1]) if stack else np.empty((0, self.words), np.uint64)
        return Slice(tuple(counts), nodes, rest)
