"""What is asked about a puzzle besides the puzzle, and how it is to be searched."""

import json
from dataclasses import dataclass
from typing import Any, Self

from frontrow.search.errors import UsageError
from frontrow.search.parameter import shown

METHODS = ("auto", "ida", "astar", "bfs", "greedy")
HEURISTICS = ("auto", "manhattan", "linear-conflict", "walking")
"""Heuristics that have a name; pattern databases begin with ``pdb``."""
HEURISTIC_HELP = "auto, manhattan, linear-conflict, walking, or pdb:6-6-3 and the like"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What shapes the answer, or the way it is found.

    Attributes:
        method: one of `METHODS`.
        heuristic: one of `HEURISTICS`, or a partition such as ``pdb:6-6-3``.
        weight: of the heuristic: the solution is at most so many times as long as the shortest one.
        every: count all shortest solutions.
        listed: how many of them to list.
    """

    method: str = "auto"
    heuristic: str = "auto"
    weight: float = 1.0
    every: bool = False
    listed: int = 0

    def __post_init__(self) -> None:
        """Refuse what does not fit together.

        Raises:
            UsageError: for a bad name or number, or options that contradict each other.
        """
        if self.method not in METHODS:
            raise UsageError(f"method: found {shown(self.method)}, expected {', '.join(METHODS)}")
        named = isinstance(self.heuristic, str) and self.heuristic.startswith("pdb")
        if not named and self.heuristic not in HEURISTICS:
            raise UsageError(f"heuristic: found {shown(self.heuristic)}, expected {HEURISTIC_HELP}")
        if self.weight < 1:
            raise UsageError(f"weight: found {self.weight:g}, expected a number from 1")
        if self.weight > 1 and self.method not in ("auto", "astar"):
            raise UsageError(f"weight: found {self.weight:g} for {self.method}, expected it for astar alone")
        if self.weight > 1 and named:
            raise UsageError(
                f"weight: found {self.heuristic}, expected manhattan, linear-conflict or walking: from one "
                "board to the next a pattern database may change by more than a move"
            )
        if self.every and (self.weight > 1 or self.method == "greedy"):
            raise UsageError("all: found a search that need not be optimal, expected one that is")
        if self.method == "bfs" and self.heuristic != "auto":
            raise UsageError(f"heuristic: found {self.heuristic} for bfs, expected none")

    @classmethod
    def of(cls, method: str, heuristic: str, weight: float | None, *, every: bool, listed: int) -> Self:
        """What is wanted, where a weight may have been given or not (None).

        Raises:
            UsageError: as for one that does not fit; also for a weight of 1 where there is none.
        """
        if weight is not None and method == "greedy":
            raise UsageError(f"weight: found {weight:g} for greedy, expected it for astar alone")
        return cls(method, heuristic, 1.0 if weight is None else weight, every, listed)

    @property
    def asked(self) -> dict[str, Any]:
        """What is not as it is by default, by the names of the command line."""
        said: dict[str, Any] = {}
        if self.every:
            said |= {"all": True, "limit": self.listed}
        usual = Wanted()
        for name in ("heuristic", "method", "weight"):
            if getattr(self, name) != getattr(usual, name):
                said[name] = getattr(self, name)
        return said

    def to_json(self) -> str:
        """As it is kept in the ledger."""
        return json.dumps(self.asked, sort_keys=True, separators=(",", ":"))
