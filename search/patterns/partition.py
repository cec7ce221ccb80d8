"""How tiles are divided into patterns: names, and what is chosen without one."""

from dataclasses import dataclass
from typing import Self

from frontrow.search.sliding.board import Board, Shape


@dataclass(frozen=True, slots=True)
class Partition:
    """Tiles in disjoint patterns.

    Attributes:
        parts: tiles of each pattern, in rising order.
    """

    parts: tuple[tuple[int, ...], ...]

    @classmethod
    def parse(cls, text: str, shape: Shape, goal: Board) -> Self:
        """Read ``pdb`` (the default for the shape), ``pdb:6-6-3``, or ``pdb:1,2,3/4,5,6/...``.

        Raises:
            UsageError: if it is none, or not of the tiles of the goal.
        """
        raise NotImplementedError

    def __str__(self) -> str:
        """What `parse` reads, tile by tile."""
        return "pdb:" + "/".join(",".join(map(str, part)) for part in self.parts)
