"""What solving a puzzle comes to."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from frontrow.cluster.result import Result, plural


@dataclass(frozen=True, slots=True)
class Threshold:
    """One round of a search: all that can be within a number of moves.

    Attributes:
        bound: the number of moves.
        nodes: boards expanded.
        seconds: what it took.
    """

    bound: int
    nodes: int
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """The object that ``--json`` prints."""
        return {"bound": self.bound, "nodes": str(self.nodes), "seconds": round(self.seconds, 6)}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """Undo `to_json`."""
        return cls(int(values["bound"]), int(values["nodes"]), float(values["seconds"]))


OnThreshold = Callable[[Threshold], None]
"""Receives every round when it is over, in the thread that called."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search knows about a board, as the ledger keeps it.

    Attributes:
        moves: ways of the blank; None while there is no solution.
        optimal: whether no solution is shorter.
        lower: moves that every solution takes at least.
        upper: moves that are known to be enough; None where no solution is known.
        expanded: boards expanded.
        method: how it was searched.
        heuristic: what bounded the moves that are left; empty for none.
        why: why so.
        thresholds: the rounds, in their order.
        solutions: how many solutions are as short, if that was asked for.
        listed: the first of these, as far as they were asked for.
    """

    moves: tuple[str, ...] | None
    optimal: bool
    lower: int
    upper: int | None
    expanded: int
    method: str
    heuristic: str
    why: str
    thresholds: tuple[Threshold, ...] = ()
    solutions: int | None = None
    listed: tuple[tuple[str, ...], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As the ledger keeps it."""
        return {
            "moves": None if self.moves is None else list(self.moves),
            "optimal": self.optimal,
            "lower": self.lower,
            "upper": self.upper,
            "expanded": str(self.expanded),
            "method": self.method,
            "heuristic": self.heuristic,
            "why": self.why,
            "thresholds": [each.to_json() for each in self.thresholds],
            "solutions": None if self.solutions is None else str(self.solutions),
            "listed": [list(each) for each in self.listed],
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """Undo `to_json`."""
        moves, solutions = values["moves"], values["solutions"]
        return cls(
            moves=None if moves is None else tuple(moves),
            optimal=values["optimal"],
            lower=values["lower"],
            upper=values["upper"],
            expanded=int(values["expanded"]),
            method=values["method"],
            heuristic=values["heuristic"],
            why=values["why"],
            thresholds=tuple(map(Threshold.from_json, values["thresholds"])),
            solutions=None if solutions is None else int(solutions),
            listed=tuple(map(tuple, values["listed"])),
        )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Solution(Result):
    """A solution of a puzzle, checked move by move; or why there is none.

    Attributes:
        options: what was asked for besides: ``method``, ``heuristic``, ``weight``, ``all``, ``limit``.
        solved: whether there is a solution.
        optimal: whether it is proved that none is shorter.
        length: moves of the solution; None without one.
        moves: the moves, in the notation.
        boards: a picture for every step, the start first.
        notation: ``blank``, ``tile`` or ``number``.
        lower: moves that every solution takes at least; None if there is none.
        upper: moves that are known to be enough; None if nothing is known.
        expanded: boards expanded.
        method: ``ida``, ``astar``, ``bfs`` or ``greedy``.
        heuristic: what bounded the moves that are left; empty for none.
        why: why so.
        reason: why there is no solution, or none yet; else empty.
        thresholds: the rounds of the search.
        solutions: how many solutions are as short, if that was asked for.
        listed: the first of these in the notation, as far as they were asked for.
    """

    verb: ClassVar[str] = "solve"
    options: Mapping[str, Any]
    solved: bool
    optimal: bool
    length: int | None
    moves: tuple[str, ...]
    boards: tuple[str, ...]
    notation: str
    lower: int | None
    upper: int | None
    expanded: int
    method: str
    heuristic: str
    why: str
    reason: str
    thresholds: tuple[Threshold, ...]
    solutions: int | None
    listed: tuple[tuple[str, ...], ...]

    def _told(self) -> str:
        if not self.solved:
            return f"no solution, {self.reason}"
        proof = "proved optimal" if self.optimal else f"at least {self.lower} are needed"
        method = " ".join(filter(None, (self.method, self.heuristic)))
        return (
            f"{self.length} {plural('move', self.length or 0)}, {proof}; {self.expanded} expanded, "
            f"{self._workers()}, {method}, {self._source()}"
        )

    def _asked(self) -> Mapping[str, Any]:
        return self.options

    def _found(self) -> dict[str, Any]:
        return {
            "solved": self.solved,
            "optimal": self.optimal,
            "length": self.length,
            "moves": list(self.moves) if self.solved else None,
            "notation": self.notation,
            "boards": list(self.boards),
            "lower": self.lower,
            "upper": self.upper,
            "solutions": None if self.solutions is None else str(self.solutions),
            "listed": _lists(self.listed),
            "expanded": str(self.expanded),
            "method": self.method,
            "heuristic": self.heuristic or None,
            "why": self.why,
            "reason": self.reason or None,
            "thresholds": [each.to_json() for each in self.thresholds],
        }


def _lists(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    return [list(row) for row in rows]
