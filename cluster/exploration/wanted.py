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
        values = {name: getattr(self, name) for name in self.__slots__}
        said = {name: value for name, value in values.items() if value is not None and value is not False}
        return json.dumps(said, sort_keys=True, separators=(",", ":"))
