"""What an exploration comes to, layer by layer and as a whole."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

from frontrow.cluster.result import plural


@dataclass(frozen=True, slots=True)
class Layer:
    """One finished layer.

    Attributes:
        depth: moves from the start.
        states: states that are new in it; classes of them under symmetry.
        generated: children generated to find it.
        boards: states with all their images, if classes were counted.
        paths: shortest ways to all of them, if ways were counted.
        goals: states that are goals.
        goal_paths: shortest ways to the goals, if ways were counted.
        seconds: what it took.
        nbytes: bytes held at its end.
    """

    depth: int
    states: int
    generated: int
    boards: int | None
    paths: int | None
    goals: int
    goal_paths: int | None
    seconds: float
    nbytes: int

    @property
    def findings(self) -> tuple[int | None, ...]:
        """What has to be the same however the layer was made."""
        return self.states, self.boards, self.paths, self.goals, self.goal_paths

    def to_json(self) -> list[Any]:
        """All fields in their order; integers of any size as texts."""
        return [str(value) if isinstance(value, int) else value for value in self._values()]

    def _values(self) -> list[Any]:
        return [getattr(self, each.name) for each in fields(self)]

    @classmethod
    def from_json(cls, values: list[Any]) -> Self:
        """Undo `to_json`."""
        return cls(*(int(value) if isinstance(value, str) else value for value in values))


OnLayer = Callable[[Layer], None]
"""Receives every layer when it is finished, in the thread that called."""


@dataclass(frozen=True, slots=True)
class Way:
    """One shortest way to a goal.

    Attributes:
        boards: a picture for every step, the start first.
        moves: what the moves between them are called.
    """

    boards: tuple[str, ...]
    moves: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Exploration:
    """The layers of a graph, exact and complete as far as they were asked for.

    Attributes:
        problem: the problem's name.
        file: what messages call the person's own file that defines it; empty if it ships with Frontrow.
        params: its parameters.
        options: what was asked for besides: ``depth``, ``symmetry``, ``paths``, ``until_goal``.
        layers: the finished layers from the start on.
        exhausted: whether nothing is left beyond the last layer.
        goal_depth: moves to the nearest goal; None without one.
        way: one shortest way to it, if that was asked for.
        table: how the states were kept.
        why: why so.
        seconds: from the first layer to the last, summed over all runs of the job.
        setup_seconds: imports, kernels and tables, before the first layer.
        workers: workers of the last run.
        engine: ``local`` or ``ray``.
        job: the job's id in the ledger.
        complete: always True for an answer; False only in what `show` prints of a job that is not done.
        from_ledger: whether the answer was there already.
        resumed: layers taken over from earlier runs.
        computed_at: when it was finished, UTC, ISO 8601.
    """

    problem: str
    file: str
    params: Mapping[str, Any]
    options: Mapping[str, Any]
    layers: tuple[Layer, ...]
    exhausted: bool
    goal_depth: int | None
    way: Way | None
    table: str
    why: str
    seconds: float
    setup_seconds: float
    workers: int
    engine: str
    job: str
    complete: bool
    from_ledger: bool
    resumed: int
    computed_at: str
    verb: str = field(default="explore", init=False)

    @property
    def states(self) -> int:
        """States of all layers; classes of them under symmetry."""
        return sum(layer.states for layer in self.layers)

    @property
    def boards(self) -> tuple[int, ...] | None:
        """States a layer with all their images, if classes were counted."""
        return _column(layer.boards for layer in self.layers)

    @property
    def paths(self) -> tuple[int, ...] | None:
        """Shortest ways to the states of each layer, if ways were counted."""
        return _column(layer.paths for layer in self.layers)

    @property
    def sequences(self) -> int | None:
        """Shortest ways to the nearest goals, if ways were counted and there is a goal."""
        return None if self.goal_depth is None else self.layers[self.goal_depth].goal_paths

    @property
    def depth(self) -> int:
        """Moves from the start to the last layer."""
        return len(self.layers) - 1

    def __repr__(self) -> str:
        params = ", ".join(f"{key}={value!r}" for key, value in self.params.items() if value)
        end = "" if self.exhausted else ", not exhausted"
        goal = "" if self.goal_depth is None else f", goal at {self.goal_depth}"
        workers = f"{self.workers} {self.engine} {plural('worker', self.workers)}"
        source = f"from the ledger, {self.computed_at}" if self.from_ledger else f"{self.seconds:.3g} s"
        return (
            f"<explore {self.file or self.problem}({params}): {self.states} states, depth {self.depth}"
            f"{end}{goal}; {self.table} table, {workers}, {source}>"
        )

    def to_json(self) -> dict[str, Any]:
        """The object that ``--json`` prints: what can pass 2**53 is a string."""
        way = None if self.way is None else {"moves": list(self.way.moves), "boards": list(self.way.boards)}
        return {
            "verb": self.verb,
            "problem": self.problem,
            "file": self.file or None,
            "params": dict(self.params),
            "options": dict(self.options),
            "layers": [str(layer.states) for layer in self.layers],
            "states": str(self.states),
            "generated": [str(layer.generated) for layer in self.layers],
            "boards": _texts(self.boards),
            "paths": _texts(self.paths),
            "sequences": None if self.sequences is None else str(self.sequences),
            "depth": self.depth,
            "exhausted": self.exhausted,
            "goal_depth": self.goal_depth,
            "way": way,
            "table": self.table,
            "why": self.why,
            "seconds": round(self.seconds, 6),
            "setup_seconds": round(self.setup_seconds, 6),
            "workers": self.workers,
            "engine": self.engine,
            "job": self.job,
            "complete": self.complete,
            "from_ledger": self.from_ledger,
            "resumed": self.resumed,
            "computed_at": self.computed_at,
        }


def _column(values: Any) -> tuple[int, ...] | None:
    found = tuple(values)
    return found if found and None not in found else None


def _texts(values: tuple[int, ...] | None) -> list[str] | None:
    return None if values is None else [str(value) for value in values]
