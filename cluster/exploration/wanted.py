"""What is asked about a graph besides the graph."""

import json
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wanted:
    """What shapes the answer.

    Attributes:
        depth: layers after the first, at most; None for all.
        symmetry: take states up to symmetry.
        paths: count shortest ways.
        until_goal: end at the goal's layer and show one shortest way there.
    """

    depth: int | None = None
    symmetry: bool = False
    paths: bool = False
    until_goal: bool = False

    def to_json(self) -> str:
        """As it is kept in the ledger; what is not asked for is left out."""
        said = {name: value for name in self.__slots__ if (value := getattr(self, name)) not in (None, False)}
        return json.dumps(said, sort_keys=True, separators=(",", ":"))
