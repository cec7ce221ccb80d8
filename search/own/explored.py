"""A graph under test: its first states, found by `expand` alone and kept in plain Python."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from frontrow.search import contract
from frontrow.search.graph import StateGraph, Symmetry
from frontrow.search.own.subject import SAMPLE
from frontrow.search.rows import Rows
from frontrow.search.symmetry import Group

MOST_STATES = 5_000
"""States that are looked for; of a larger graph the rest is not looked at."""
BATCH = 256
"""States that are expanded together."""

Word = tuple[int, ...]
"""The words of a row, to be looked up."""


class Explored:
    """A graph under test and what several checks need of it."""

    def __init__(self, graph: StateGraph, most: int = MOST_STATES) -> None:
        """Args: graph: of any size; most: states that are looked for."""
        self.problem, self._most = graph, most

    @property
    def depths(self) -> dict[Word, int]:
        """The states that were found, in that order, and how many moves from the start they are."""
        return self._explored[0]

    @property
    def exhausted(self) -> bool:
        """Whether these are all that can be reached."""
        return self._explored[1]

    @cached_property
    def rows(self) -> Rows:
        """The states that were found, shape ``(n, words)``."""
        return np.array(list(self.depths), np.uint64).reshape(-1, self.problem.words)

    @property
    def sample(self) -> Rows:
        """The first of them, at most `SAMPLE`."""
        return self.rows[:SAMPLE]

    @cached_property
    def _explored(self) -> tuple[dict[Word, int], bool]:
        """Layer after layer, until nothing is new or there are `most` states."""
        layer = contract.check_rows(self.problem, self.problem.initial(), "initial")
        depths = dict.fromkeys(words_of(layer), 0)
        depth = 0
        while layer.shape[0]:
            depth += 1
            before = len(depths)
            for lo in range(0, layer.shape[0], BATCH):
                for word in words_of(self.expand(layer[lo : lo + BATCH])[0]):
                    depths.setdefault(word, depth)
                if len(depths) >= self._most:
                    return depths, False
            layer = np.array(list(depths)[before:], np.uint64).reshape(-1, self.problem.words)
        return depths, True

    def expand(self, rows: Rows) -> tuple[Rows, NDArray[np.int32]]:
        """What the problem's own `expand` gives, if it is what it has to be."""
        return contract.check_children(self.problem, rows, self.problem.expand(rows.copy()))


def words_of(rows: Rows) -> list[Word]:
    """Rows, to be looked up or sorted."""
    return list(map(tuple, rows.tolist()))


def symmetry_of(graph: StateGraph) -> Symmetry | None:
    """The symmetries; None if there are none."""
    group = graph.symmetries()
    return None if isinstance(group, Group) and group.order == 1 else group
