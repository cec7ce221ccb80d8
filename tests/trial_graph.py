"""A directed graph whose states may be met again in any later layer; workers load it from this file."""

from typing import ClassVar

import numpy as np

from frontrow.search.graph import StateGraph
from frontrow.search.parameter import parameter


class Trial(StateGraph):
    """From x to 2x, 3x + 1 and x^2 + 5, all modulo n."""

    name: ClassVar[str] = "trial"
    lookback: ClassVar[int | None] = None

    n: int = parameter(low=1, high=1 << 20, help="states")
    goal: int = parameter(default=-1, low=-1, high=1 << 20, help="a state; -1 for none")

    @property
    def words(self):
        return 1

    @property
    def degree(self):
        return 3

    def initial(self):
        return np.ones((1, 1), np.uint64) % np.uint64(self.n)

    def render(self, row):
        return str(row[0])

    def expand(self, rows):
        x = rows[:, :1]
        children = np.stack([2 * x, 3 * x + np.uint64(1), x * x + np.uint64(5)], 1) % np.uint64(self.n)
        return children.reshape(-1, 1), np.repeat(np.arange(rows.shape[0], dtype=np.int32), 3)

    @property
    def has_goal(self):
        return self.goal >= 0

    def is_goal(self, rows):
        return rows[:, 0] == np.uint64(self.goal)

    def states(self):
        return self.n

    def rank(self, rows):
        return rows[:, 0].astype(np.int64)

    def unrank(self, ranks):
        return ranks.astype(np.uint64)[:, None]
