"""Problems whose totals are known by construction."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from frontrow.search.errors import StoppedError
from frontrow.search.parameter import parameter
from frontrow.search.problem import Countable, Slice
from frontrow.search.rows import Rows, Stop
from frontrow.search.tree import CountingTree


def worth(number: NDArray[np.uint64]) -> NDArray[np.int64]:
    """A number from 0 to 15 that looks random (multiplicative hashing), three times as large beyond 2^40."""
    mixed = (number * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(60)
    return mixed.astype(np.int64) * np.where(number >> np.uint64(40), 3, 1)


class Heap(Countable):
    """Rows are ranges of numbers, first and last plus one; a number counts for what it is worth.

    Costs are wrong by up to a third, and a tenth of the rows are of another kind, beyond 2^40.
    """

    tallies: ClassVar[tuple[str, ...]] = ("worth", "odd", "largest")
    maxima: ClassVar[tuple[str, ...]] = ("largest",)
    unit_floor: ClassVar[int] = 1000

    rows: int = parameter(low=0, high=10**6, help="rows")
    size: int = parameter(
        default=100, low=1, high=10**6, help="numbers of a row, three times as many at most"
    )

    @property
    def words(self) -> int:
        return 2

    def initial(self) -> Rows:
        return self.split()

    def render(self, row: Rows) -> str:
        return str(row)

    def split(self) -> Rows:
        sizes = self.size + 2 * self.size * np.arange(self.rows) // max(self.rows, 1)
        ends = np.cumsum(sizes) + (np.arange(self.rows) % 10 == 3) * 2**40
        return np.stack([ends - sizes, ends], axis=1).astype(np.uint64)

    def cost(self, rows: Rows) -> NDArray[np.int64]:
        sizes = (rows[:, 1] - rows[:, 0]).astype(np.int64)
        return sizes * (3 + (rows[:, 0] % np.uint64(3)).astype(np.int64)) // 3

    def strata(self, rows: Rows) -> NDArray[np.int64]:
        return (rows[:, 0] >> np.uint64(40)).astype(np.int64)

    def tally(self, rows: Rows, budget: int | None, stop: Stop) -> Slice:
        if stop[0]:
            raise StoppedError("stopped")
        if budget is not None and int(rows[0, 1] - rows[0, 0]) > 8:
            low, high = rows[0].tolist()
            edges = np.linspace(low + 1, high, 8).astype(np.uint64)
            rest = np.concatenate([np.stack([edges[:-1], edges[1:]], axis=1), rows[1:]])
            rows = np.array([[low, low + 1]], np.uint64)
        else:
            rest = rows[:0]
        numbers = np.concatenate([np.arange(low, high, dtype=np.uint64) for low, high in rows.tolist()])
        counts = worth(numbers)
        return Slice((int(counts.sum()), int((counts % 2).sum()), int(counts.max())), counts.size, rest)


class Bushes(CountingTree):
    """A random tree of known seed: a node (depth, number) has up to three children; leaves are solutions."""

    cells: ClassVar[int] = 2
    bits: ClassVar[int] = 40

    depth: int = parameter(low=0, high=40, help="deepest level")

    def root(self) -> tuple[int, ...]:
        return (0, 1)

    def children(self, node: tuple[int, ...]) -> list[tuple[int, ...]]:
        level, number = node
        if level == self.depth:
            return []
        count = 1 + (number * 0x9E3779B1 >> 7) % 3
        return [(level + 1, (number * 5 + 7 * place + 3) % 2**40) for place in range(count)]

    def is_solution(self, rows: tuple[int, ...]) -> bool:
        return rows[0] == self.depth
