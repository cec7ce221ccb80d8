"""What an exploration comes to, layer by layer and as a whole."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

from frontrow.cluster.result import Result


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


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Exploration(Result):
    """The layers of a graph, exact and complete as far as they were asked for.

    Attributes:
        options: what was asked for besides: ``depth``, ``symmetry``, ``paths``, ``until_goal``.
        layers: the finished layers from the start on.
        exhausted: whether nothing is left beyond the last layer.
        goal_depth: moves to the nearest goal; None without one.
        way: one shortest way to it, if that was asked for.
        table: how the states were kept.
        why: why so.
    """

    verb: ClassVar[str] = "explore"
    options: Mapping[str, Any]
    layers: tuple[Layer, ...]
    exhausted: bool
    goal_depth: int | None
    way: Way | None
    table: str
    why: str

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

    def _told(self) -> str:
        end = "" if self.exhausted else ", not exhausted"
        goal = "" if self.goal_depth is None else f", goal at {self.goal_depth}"
        return (
            f"{self.states} states, depth {self.depth}{end}{goal}; {self.table} table, {self._workers()}, "
            f"{self._source()}"
        )

    def _asked(self) -> Mapping[str, Any]:
        return self.options

    def _found(self) -> dict[str, Any]:
        way = None if self.way is None else {"moves": list(self.way.moves), "boards": list(self.way.boards)}
        return {
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
        }


def _column(values: Any) -> tuple[int, ...] | None:
    found = tuple(values)
    return found if found and None not in found else None


def _texts(values: tuple[int, ...] | None) -> list[str] | None:
    return None if values is None else [str(value) for value in values]
