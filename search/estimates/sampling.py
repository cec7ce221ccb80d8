"""All the work of a count in slices of similar predicted cost, and what a slice that is drawn comes to.

The rows of `Countable.split` are cut into units as for a count, and the units into slices, within strata of
rows that are alike; slices are drawn at random without replacement. A row that costs more than a slice counts
as several, and of it a part is tallied, drawn with probability proportional to predicted cost (Hansen and
Hurwitz, Annals of Mathematical Statistics 14, 1943): one group of the rows that its `divide` leaves, of that
again a part, and so on. The spread between draws then contains that of all stages.
"""

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from frontrow.search.contract import check_costs, check_slice
from frontrow.search.count import cut
from frontrow.search.errors import StoppedError
from frontrow.search.problem import Countable, Slice, Totals
from frontrow.search.rows import Rows, Stop

LEAST_DRAWS = 2
"""Draws that every stratum gets first."""
LEAST_SHARE = 0.1
"""Share of the draws that a stratum gets, however little it costs, until it has no more slices."""
MOST_STAGES = 200
"""Stages after which a row is tallied whole: its `divide` does not divide it."""

SECONDS, NODES, FIRST_TALLY = 0, 1, 2
"""Places of `Sample.values`; the other tallies follow the first."""
Costs = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Draw:
    """A slice that was drawn.

    Attributes:
        stratum: its stratum.
        number: which of the stratum's slices it is.
        rows: shape ``(k, words)``.
        costs: predicted cost of each row.
        tables: what each row needs tabulated.
        parts: slices that the rows count as.
    """

    stratum: int
    number: int
    rows: Rows
    costs: Costs
    tables: NDArray[np.int64]
    parts: int

    @property
    def cost(self) -> float:
        """Predicted cost of the slice."""
        return float(self.costs.sum()) / self.parts

    def first(self, table: int) -> "Draw":
        """The first row alone that needs a table."""
        place = int((self.tables == table).argmax())
        one = slice(place, place + 1)
        return replace(self, rows=self.rows[one], costs=self.costs[one], tables=self.tables[one], parts=1)


@dataclass(frozen=True, slots=True)
class Sample:
    """What a draw came to.

    Attributes:
        draw: what was drawn.
        values: seconds, nodes and every tally of the slice, or the estimate of them.
        counts: what was counted on the way, a number a tally; of the whole slice if it is `exact`.
        exact: whether all of the slice was tallied.
        tallied: predicted cost of what was tallied.
        spent: seconds that it took.
    """

    draw: Draw
    values: NDArray[np.float64]
    counts: tuple[int, ...]
    exact: bool
    tallied: float
    spent: float


@dataclass(frozen=True, slots=True)
class Stratum:
    """Rows that are alike, in slices.

    Attributes:
        rows: shape ``(n, words)``.
        costs: predicted cost of each row.
        tables: what each row needs tabulated.
        starts: first row of every slice or of several that share rows, and the end of the last.
        last: number of the slice after those that begin at each of `starts`, rising.
    """

    rows: Rows
    costs: Costs
    tables: NDArray[np.int64]
    starts: NDArray[np.int64]
    last: NDArray[np.int64]

    @property
    def size(self) -> int:
        """How many slices there are."""
        return int(self.last[-1])

    def draw(self, stratum: int, number: int) -> Draw:
        """One of the slices by its number."""
        place = int(np.searchsorted(self.last, number, "right"))
        chosen = slice(int(self.starts[place]), int(self.starts[place + 1]))
        parts = int(self.last[place]) - (int(self.last[place - 1]) if place else 0)
        return Draw(stratum, number, self.rows[chosen], self.costs[chosen], self.tables[chosen], parts)


class Frame:
    """All the work of a problem, in slices that can be drawn.

    Attributes:
        problem: what is to be counted.
        target: predicted cost of a slice.
        units: rows of each unit of a count, shape ``(units,)``.
        largest: predicted cost of the largest unit.
        tables: different tables that are needed.
        touches: the same, added up over all units.
        strata: all slices.
    """

    def __init__(self, problem: Countable, rows: Rows, costs: NDArray[np.int64], target: float) -> None:
        """Cut the work.

        Args:
            problem: what is to be counted.
            rows: those of its `split`.
            costs: what its `cost` says of them.
            target: predicted cost of a slice.
        """
        self.problem, self.target = problem, target
        units = cut(problem, rows, costs)
        self.units = np.array([part.shape[0] for part, _ in units], np.int64)
        unit = np.repeat(np.arange(len(units)), self.units)
        floats, kinds, tables = as_floats(costs), problem.strata(rows), problem.tables(rows)
        self.largest = float(np.bincount(unit, floats).max()) if units else 0.0
        self.tables = int(np.unique(tables).size)
        self.touches = int(np.unique(np.stack([unit, tables]), axis=1).shape[1])
        self.strata: list[Stratum] = []
        for kind in np.unique(kinds).tolist():
            chosen = np.flatnonzero(kinds == kind)
            starts, last = _sliced(floats[chosen], unit[chosen], target)
            self.strata.append(Stratum(rows[chosen], floats[chosen], tables[chosen], starts, last))

    @property
    def cost(self) -> float:
        """Predicted cost of everything."""
        return sum(float(each.costs.sum()) for each in self.strata)

    def draws(self, seed: int) -> Iterator[Draw]:
        """All slices in random order, and strata in proportion to their cost, small ones more often."""
        orders = [
            _shuffled(each.size, random.Random(f"{seed}:{place}")) for place, each in enumerate(self.strata)
        ]
        weights = [max(float(each.costs.sum()) / self.cost, LEAST_SHARE) for each in self.strata]
        drawn = [0] * len(self.strata)
        while waiting := [place for place, each in enumerate(self.strata) if drawn[place] < each.size]:
            place = min(waiting, key=lambda s: (min(drawn[s], LEAST_DRAWS), drawn[s] / weights[s]))
            drawn[place] += 1
            yield self.strata[place].draw(place, next(orders[place]))


def as_floats(costs: NDArray[np.int64]) -> Costs:
    """Predicted costs, at least 1, as floating-point numbers: sums may pass 2**63."""
    return np.maximum(costs, 1).astype(np.float64)


def _sliced(
    costs: Costs, unit: NDArray[np.int64], target: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Cut rows where a unit ends, and larger units into equal slices of about `target`; see `Stratum`."""
    firsts = np.flatnonzero(np.diff(unit, prepend=-1))
    sums = np.add.reduceat(costs, firsts)
    lengths = np.diff(firsts, append=costs.size)
    size = np.repeat(sums / np.maximum(np.round(sums / target), 1), lengths)
    before = np.cumsum(costs) - costs
    place = ((before - np.repeat(before[firsts], lengths)) / size).astype(np.int64)
    starts = _starts(costs, place, target, np.diff(unit) != 0)
    slices = np.add.reduceat(costs, starts)
    parts = np.where(slices > 2 * target, np.maximum(np.round(slices / target), 1), 1).astype(np.int64)
    return np.append(starts, costs.size), np.cumsum(parts)


def _starts(
    costs: Costs, place: NDArray[np.int64], target: float, edges: NDArray[np.bool_] | bool = False
) -> NDArray[np.int64]:
    """First rows of groups: where `place` changes, at `edges`, and around rows larger than `target`."""
    large = costs > target
    begins = (np.diff(place) != 0) | large[1:] | large[:-1] | edges
    return np.append(0, np.flatnonzero(begins) + 1)


def _shuffled(size: int, chance: random.Random) -> Iterator[int]:
    """The numbers below `size` in random order, however many they are (Fisher and Yates, lazily)."""
    moved: dict[int, int] = {}
    for here in range(size):
        there = chance.randrange(here, size)
        found = moved.get(there, there)
        moved[there] = moved.pop(here, here)
        yield found


def measure(problem: Countable, draw: Draw, target: float, seed: int, stop: Stop) -> Sample:
    """Tally a slice, or of one that is too large a part, and estimate the slice from it.

    Args:
        problem: what is to be counted.
        draw: the slice.
        target: predicted cost of a slice; twice as much is tallied whole.
        seed: names the random choices: the same draw and seed tally the same rows.
        stop: raised by others.

    Raises:
        StoppedError: if `stop` was raised.
    """
    chance = random.Random(f"{seed}:{draw.stratum}:{draw.number}")
    tally = _Tally(problem, stop)
    rows, costs, scale = draw.rows, draw.costs, 1.0 / draw.parts
    for stage in range(MOST_STAGES + 1):
        total = float(costs.sum())
        if total <= 2 * target or stage == MOST_STAGES:
            tally.run(rows, scale, whole=True)
            break
        if rows.shape[0] == 1:
            rows = tally.run(rows, scale, whole=False)
            if not rows.shape[0]:
                break
            costs = as_floats(check_costs(rows, problem.cost(rows)))
        else:
            chosen = _choose(costs, target, chance)
            rows, costs = rows[chosen], costs[chosen]
            scale *= total / float(costs.sum())
            tally.exact = False
    exact = tally.exact and draw.parts == 1
    tallied = float((draw.costs if exact else costs).sum())
    return Sample(draw, tally.values, tally.totals.counts, exact, tallied, tally.spent)


def _choose(costs: Costs, target: float, chance: random.Random) -> slice:
    """A group of consecutive rows of about `target`, drawn with probability proportional to its cost."""
    starts = _starts(costs, ((np.cumsum(costs) - costs) / target).astype(np.int64), target)
    ends = np.append(starts[1:], costs.size)
    sums = np.cumsum(np.add.reduceat(costs, starts))
    place = min(int(np.searchsorted(sums, chance.random() * sums[-1], "right")), starts.size - 1)
    return slice(int(starts[place]), int(ends[place]))


class _Tally:
    """Adds up what the stages of a draw came to."""

    def __init__(self, problem: Countable, stop: Stop) -> None:
        self._problem, self._stop = problem, stop
        self.totals = Totals(problem)
        self.values = np.zeros(FIRST_TALLY + len(problem.tallies))
        self.spent = 0.0
        self.exact = True

    def run(self, rows: Rows, scale: float, *, whole: bool) -> Rows:
        """Tally rows whole or divide them, count that `scale` times, and give back the rows that are left."""
        if self._stop[0]:
            raise StoppedError("stopped")
        began = time.thread_time()
        if whole:
            part = self._problem.tally(rows, None, self._stop)
        else:
            part = self._problem.divide(rows, self._stop)
        spent = time.thread_time() - began
        # A row may be divided without visiting a node.
        checked = replace(part, nodes=max(part.nodes, 1)) if isinstance(part, Slice) and not whole else part
        check_slice(self._problem, checked, None if whole else 1)
        self.spent += spent
        self.totals.add(part.counts)
        self.values += scale * np.array([spent, part.nodes, *map(float, part.counts)])
        return part.rest
