"""The size of a tree of which nothing is known, from random probes.

A probe goes down the tree level by level and keeps a number of nodes of each, drawn without replacement; what
it meets on a level counts as often as there are nodes for each one kept. With one node kept this is Knuth's
estimator (Mathematics of Computation 29, 1975); more, as in Chen's heterogeneous sampling with the level as
stratum (SIAM Journal on Computing 21, 1992) and in stochastic enumeration (Vaisman and Kroese, Methodology
and Computing in Applied Probability 19, 2017), make it far less erratic. It is unbiased for every sum over
nodes, and exact where no level is wider than what is kept. Probes are independent; many go down together,
with one call of `expand` a level.
"""

import time
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from frontrow.search.contract import check_children, check_measures, check_slice
from frontrow.search.errors import StoppedError
from frontrow.search.problem import Countable, Totals
from frontrow.search.rows import Rows, Stop
from frontrow.search.tree import CountingTree
from frontrow.search.walk import CHUNK

PILOT_WIDTH = 32
"""Nodes that the first probe keeps of a level."""
WIDEST = 512
"""Nodes that a probe keeps of a level, at most."""
PROBES = 48
"""Probes that there is to be time for."""
CALL = 0.05
"""Seconds that one call of `expand` should take, so that a stop is obeyed."""
MOST_CHILDREN = 1 << 20
"""Children that wait in memory, roughly."""
LARGEST = 10**300
"""Numbers from here on are not told: twice as many nodes a level, or a few more, and no float holds them."""
KEPT = 64
"""Rows kept of a level, to start from with `tally`."""

Numbers = NDArray[np.float64]


@dataclass(slots=True)
class Probes:
    """What probes came to.

    Attributes:
        values: nodes and every tally, estimated by each probe; shape ``(k, 1 + tallies)``.
        greatest: every tally's greatest value met, or its sum; of use for tallies that are maxima.
        depth: levels that were reached below where probes start.
        exact: whether nothing was left out: then one probe says all.
        rows: some rows of a level with many.
        cut_short: whether probes did not come to their end.
    """

    values: Numbers
    greatest: tuple[int, ...]
    depth: int = 0
    exact: bool = False
    rows: Rows = field(default_factory=lambda: np.empty((0, 1), np.uint64))
    cut_short: bool = False


class Prober:
    """Sends probes down a tree."""

    def __init__(self, problem: Countable, start: Rows, seed: int, stop: Stop) -> None:
        """Args: start: rows to probe from; seed: names the random choices; stop: raised by others."""
        self.problem, self._stop = problem, stop
        self._chance = np.random.default_rng(seed)
        self._start = start
        self._room = self._widest = 1
        self._late, self._is_late = 0.0, False
        self._totals = Totals(problem)
        # A kernel alone has no `expand`, and rows of a split need not be nodes.
        self._unfolds = isinstance(problem, CountingTree) and problem.unfolds() and problem.splits_into_nodes

    def send(self, deadline: float) -> Probes:
        """Send as many probes as there is time for.

        Args:
            deadline: `time.perf_counter` at which the last one should be at its end; none is cut short before
                a tenth of the time more.

        Raises:
            StoppedError: if the stop flag was raised.
        """
        began = time.perf_counter()
        self._late = deadline + (deadline - began) / 10
        pilot = self._down(1, PILOT_WIDTH)
        if pilot.exact or pilot.cut_short:
            return pilot
        took = time.perf_counter() - began
        width = min(_power((deadline - began) / took / PROBES * PILOT_WIDTH), WIDEST)
        together = min(CHUNK // width, _power((deadline - began) / 10 / took * PILOT_WIDTH / width))
        together = min(together, _power(MOST_CHILDREN / self._widest / width))
        found = [pilot]
        took *= width * together / PILOT_WIDTH
        while (now := time.perf_counter()) + took < deadline or len(found) == 1:
            found.append(self._down(together, width))
            took = time.perf_counter() - now
            if found[-1].exact or found[-1].cut_short:
                break
        last = found[-1]
        return Probes(
            np.concatenate([each.values for each in found[1:]]) if not last.exact else last.values,
            self._totals.counts,
            max(each.depth for each in found),
            last.exact,
            max((each.rows for each in found), key=len),
            last.cut_short,
        )

    def _down(self, probes: int, width: int) -> Probes:
        """Send some probes down together."""
        weights = np.ones(probes)
        values = np.zeros((probes, 1 + len(self.problem.tallies)))
        rows = np.tile(self._start, (probes, 1))
        owner = np.repeat(np.arange(probes), self._start.shape[0])
        kept, depth, is_exact = rows[:0], -1, True
        while rows.shape[0]:
            if not (np.abs(values) < LARGEST).all() or weights.max() >= LARGEST:
                self._is_late = True  # in time, but in vain
                return Probes(values, self._totals.counts, depth, rows=kept, cut_short=True)
            counts = np.bincount(owner, minlength=probes)
            kept_each = min(width, max(MOST_CHILDREN // self._widest // probes, 1))
            if counts.max() > kept_each:
                chosen = self._choose(owner, counts, kept_each)
                rows, owner, is_exact = rows[chosen], owner[chosen], False
                weights *= np.maximum(counts / kept_each, 1.0)
            if rows.shape[0] > kept.shape[0] and kept.shape[0] < KEPT:
                kept = self._chance.permutation(rows)[:KEPT]
            depth += 1
            rows, owner = self._level(rows, owner, weights, values)
            if self._is_late:
                return Probes(values, self._totals.counts, depth, rows=kept, cut_short=True)
        return Probes(values, self._totals.counts, max(depth, 0), is_exact, kept)

    def _choose(self, owner: NDArray[np.int64], counts: NDArray[np.int64], width: int) -> NDArray[np.int64]:
        """Up to `width` rows of every probe, drawn without replacement, in their order."""
        order = np.lexsort((self._chance.random(owner.size), owner))
        rank = np.arange(owner.size) - np.repeat(np.cumsum(counts) - counts, counts)
        return np.sort(order[rank < width])

    def _level(
        self, rows: Rows, owner: NDArray[np.int64], weights: Numbers, values: Numbers
    ) -> tuple[Rows, NDArray[np.int64]]:
        """Add one level to `values`; the children and each one's probe. Leaves off when it is late."""
        children, owners = [rows[:0]], [owner[:0]]
        first = 0
        while first < rows.shape[0]:
            if self._stop[0]:
                raise StoppedError("stopped")
            if time.perf_counter() > self._late:
                self._is_late = True
                break
            chosen = slice(first, first + self._room)
            began = time.perf_counter()
            added, below, parents = self._unfold(rows[chosen])
            took = time.perf_counter() - began
            mine = owner[chosen]
            first += mine.size
            with np.errstate(over="ignore", invalid="ignore"):  # what is no number is noticed
                np.add.at(values, mine, added * weights[mine][:, None])
            children.append(below)
            owners.append(mine[parents])
            self._widest = max(self._widest, below.shape[0] // mine.size)
            most = min(CHUNK, max(MOST_CHILDREN // self._widest, 1))
            self._room = int(np.clip(mine.size * CALL / max(took, 1e-6), 1, most))
        return np.concatenate(children), np.concatenate(owners)

    def _unfold(self, rows: Rows) -> tuple[Numbers, Rows, NDArray[np.int64]]:
        """Nodes and tallies of rows themselves, their children, and each one's parent."""
        problem = self.problem
        if self._unfolds and isinstance(problem, CountingTree):
            measures = check_measures(problem, rows, problem.measure(rows))
            children, parents = check_children(problem, rows, problem.expand(rows))
            self._totals.add_rows(measures)
            if measures.dtype == object:
                measures = np.clip(measures, -LARGEST, LARGEST)
            added = np.concatenate([np.ones((rows.shape[0], 1)), measures.astype(np.float64)], axis=1)
            return added, children, parents.astype(np.int64)
        # The smallest budget counts a node or so and leaves its children.
        parts = [check_slice(problem, problem.tally(row[None, :], 1, self._stop), 1) for row in rows]
        for part in parts:
            self._totals.add(part.counts)
        added = np.array([[part.nodes, *map(as_float, part.counts)] for part in parts], np.float64)
        numbers = np.arange(len(parts), dtype=np.int64)
        origins = np.repeat(numbers, [part.rest.shape[0] for part in parts])
        return added, np.concatenate([rows[:0], *(part.rest for part in parts)]), origins


def as_float(number: int) -> float:
    """An integer of any size as a float; from `LARGEST` on that."""
    return float(min(max(number, -LARGEST), LARGEST))


def _power(number: float) -> int:
    """The power of 2 at or below a number, at least 1: choices by time are the same in most runs."""
    return 1 << max(int(number).bit_length() - 1, 0)
