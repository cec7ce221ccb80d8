"""What a problem is: parameters, rows, and how its tree is split and counted."""

import dataclasses
import inspect
import operator
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self, dataclass_transform, get_origin

import numpy as np
from numpy.typing import NDArray

from frontrow.search import tuples
from frontrow.search.errors import StoppedError, UsageError
from frontrow.search.rows import Rows, Stop, new_stop
from frontrow.search.tuples import Node

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
        if self.low is None and self.high is None:
            return "an integer"
        if self.high is None:
            return f"an integer from {self.low}"
        return (
            f"an integer from {self.low} to {self.high}" if self.low is not None else f"at most {self.high}"
        )

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
    """

    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]
    name: ClassVar[str] = ""
    version: ClassVar[int] = 1
    summary_line: ClassVar[str] = ""
    examples: ClassVar[tuple[str, ...]] = ()

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


def _described(cls: type[Problem], name: str, kind: object) -> Any:
    """The dataclass field of an annotation; one without a `Parameter` gets that of its type."""
    given = cls.__dict__.get(name, dataclasses.MISSING)
    if isinstance(given, dataclasses.Field):
        return given
    if kind is int:
        return parameter(help="", default=given)
    if kind is str:
        return parameter(help="a word", default=given, parse=str)
    raise UsageError(
        f"class {cls.__name__}: {name}: found type {kind}, "
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

    def add_rows(self, measures: NDArray[np.int64]) -> None:
        """Add what rows measure, shape ``(n, len(tallies))``."""
        if measures.shape[0]:
            maxima = measures.max(axis=0).tolist()
            # Two halves, since a sum of 64-bit integers may not fit one.
            low, high = (measures & 0xFFFFFFFF).sum(axis=0).tolist(), (measures >> 32).sum(axis=0).tolist()
            sums = [(h << 32) + value for h, value in zip(high, low, strict=True)]
            self.add([m if top else s for top, m, s in zip(self._is_maximum, maxima, sums, strict=True)])


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


class CountingTree(Countable):
    """A tree whose solutions are counted and listed.

    On rows, `expand` and `is_solution` (with `words`, `initial` and `render`) are enough. On tuples of small
    integers, `root`, `children` and `is_solution` are, together with `cells` and `bits`; the rest is derived.

    Attributes:
        cells: most integers that a node has, if nodes are tuples; may depend on the parameters.
        bits: bits that the largest of them needs.
    """

    cells: ClassVar[int] = 0
    bits: ClassVar[int] = 0

    @classmethod
    def on_tuples(cls) -> bool:
        """Whether nodes are tuples and not rows."""
        return cls.children is not CountingTree.children

    def root(self) -> Node:
        """The node that the tree starts from; by default the empty tuple."""
        return ()

    def children(self, node: Node) -> Iterable[Node]:
        """Children of a node, in order."""
        raise NotImplementedError(f"{type(self).__name__}: found neither expand nor children, expected one")

    def is_solution(self, rows: Any) -> Any:
        """Which rows are solutions, shape ``(n,)``; on tuples: whether one node is."""
        raise NotImplementedError(f"{type(self).__name__}: found no is_solution, expected it")

    def measure_node(self, node: Node) -> Sequence[int]:
        """What one node adds to each tally (on tuples)."""
        return (int(self.is_solution(node)),)

    @property
    def words(self) -> int:
        """64-bit words a row."""
        return tuples.row_words(self)

    def initial(self) -> Rows:
        """The root, shape ``(1, words)``."""
        return tuples.to_rows(self, [self.root()])

    def render(self, row: Rows) -> str:
        """The integers of a node, with commas."""
        [node] = tuples.to_nodes(self, row[None, :])
        return ",".join(map(str, node))

    def expand(self, rows: Rows) -> tuple[Rows, NDArray[np.int32]]:
        """Children of every row, in row order, and the index of each one's parent."""
        return tuples.expand(self, rows)

    def solution_mask(self, rows: Rows) -> NDArray[np.bool_]:
        """Which rows are solutions; shape ``(n,)``."""
        if self.on_tuples():
            return np.array([bool(self.is_solution(node)) for node in tuples.to_nodes(self, rows)], np.bool_)
        mask: NDArray[np.bool_] = self.is_solution(rows)
        return mask

    def measure(self, rows: Rows) -> NDArray[np.int64]:
        """What each row itself adds to each tally, shape ``(n, len(tallies))``."""
        if self.on_tuples():
            lines = [self.measure_node(node) for node in tuples.to_nodes(self, rows)]
            return np.array(lines, np.int64).reshape(len(lines), len(self.tallies))
        return self.solution_mask(rows).astype(np.int64)[:, None]

    def split(self) -> Rows:
        """The root alone; it is split further while it is counted."""
        return self.initial()

    def cost(self, rows: Rows) -> NDArray[np.int64]:
        """One for every row: nothing is known about subtrees in general."""
        return np.ones(rows.shape[0], np.int64)

    @property
    def predictable(self) -> bool:
        """Whether the problem has a `cost` of its own."""
        return type(self).cost is not CountingTree.cost

    @property
    def holds_interpreter(self) -> bool:
        """Whether counting runs in Python alone, so that it takes processes and not threads to share it."""
        return self.on_tuples() and type(self).tally is CountingTree.tally

    def warm(self) -> None:
        """Count one node, so that kernels are compiled before the clock runs."""
        self.tally(self.initial(), 1, new_stop())

    def tally(self, rows: Rows, budget: int | None, stop: Stop) -> Slice:
        """Depth first in chunks of rows; memory is bounded by depth times children times `CHUNK`."""
        if self.on_tuples():
            counts, visited, left = tuples.walk(self, rows, budget, stop)
            return Slice(counts, visited, tuples.to_rows(self, left))
        totals = Totals(self)
        nodes = 0
        stack = [rows]
        while stack and (budget is None or nodes < budget):
            if stop[0]:
                raise StoppedError("stopped")
            chunk = _pop(stack, CHUNK if budget is None else min(CHUNK, budget - nodes))
            nodes += chunk.shape[0]
            totals.add_rows(self.measure(chunk))
            children, _ = self.expand(chunk)
            if children.shape[0]:
                stack.append(children)
        rest = np.concatenate(stack[::-1]) if stack else np.empty((0, self.words), np.uint64)
        return Slice(totals.counts, nodes, rest)


def _pop(stack: list[Rows], most: int) -> Rows:
    """Take up to `most` rows off a stack of arrays: from several, so that narrow deep trees fill a chunk."""
    taken: list[Rows] = []
    room = most
    while stack and room:
        top = stack.pop()
        taken.append(top[:room])
        if top.shape[0] > room:
            stack.append(top[room:])
        room -= taken[-1].shape[0]
    return np.concatenate(taken)
