"""Which units to hand out next, and how long the rest will take; no clock and no ledger in here."""

import math
import random
from collections import deque
from collections.abc import Iterable

BATCH_SHORTEST, BATCH_LONGEST = 0.02, 2.0
"""Predicted seconds of a batch."""
SHARES = 4
"""Batches that each worker could get of what waits: they shrink towards the end, so that all end together."""
HONEST = 0.05
"""Share of the work that must be done before the time left is told."""
DOUBT = 0.2
"""How far a prediction is off at least, as a share of it: machines have other things to do as well."""
RUNS, LONGEST_RUN = 48, 16
"""Runs of neighbouring units that are drawn together: so many at least, and so many units in one at most."""
FIRST = 4
"""Units of a batch at most before any was seen."""
RECENT = 4
"""The last units that took one part in so many of all the time tell the pace of now."""
SEVERAL = 8
"""Units that are needed to say anything about the rest."""
NEARLY = 0.95
"""Share of the predicted work of units in flight that they are taken to have done at most."""
FIRST_BUDGET = 1000
"""Nodes of a unit whose worth is unknown, before any has been seen."""
SHORT_BUDGET, LONG_BUDGET = 0.02, 2.0
"""Seconds of a budget while workers may run dry, and while there is plenty."""
LARGE = 60.0
"""Predicted seconds from which on a unit has a budget, and what it may take then."""
CAUTION = 10
"""How much shorter budgets are, and how much sooner a unit has one, before any unit was seen."""
TOLD = 0.01
"""Share of a unit's cost that has to be done for its seconds to say something about costs."""
FLOOR_SECONDS = 0.01
"""Seconds that a problem's `unit_floor` stands for."""
PLENTY = 4
"""Waiting units a worker from which on there is plenty."""
PIECES = 16
"""Units that a unit's rest is dealt out to, unless there is plenty."""


class Ratio:
    """Seconds a unit of cost, estimated from finished units as a ratio of sums."""

    def __init__(self) -> None:
        """Start without units."""
        self.units = 0
        self.cost = self.seconds = 0.0
        self._cc = self._cs = self._ss = 0.0

    def add(self, cost: int, seconds: float) -> None:
        """Take in one finished unit."""
        self.units += 1
        self.cost += cost
        self.seconds += seconds
        self._cc += float(cost) * cost
        self._cs += cost * seconds
        self._ss += seconds * seconds

    @property
    def value(self) -> float:
        """The estimate; needs at least one unit."""
        return self.seconds / self.cost

    @property
    def error(self) -> float:
        """Standard error of the estimate; infinite below two units.

        Source: Cochran, Sampling Techniques, 3rd edition 1977, section 6.4.
        """
        if self.units < 2:
            return math.inf
        spread = max(self._ss - 2 * self.value * self._cs + self.value**2 * self._cc, 0.0)
        return math.sqrt(spread * self.units / (self.units - 1)) / self.cost


class Recent:
    """The ratio of the units that were done last."""

    def __init__(self) -> None:
        """Start without units."""
        self._units: deque[tuple[int, float]] = deque()
        self._cost, self._seconds = 0, 0.0

    def add(self, cost: int, seconds: float, most: float) -> None:
        """Take in one finished unit; old ones are left out while the others took so many seconds."""
        self._units.append((cost, seconds))
        self._cost += cost
        self._seconds += seconds
        while self._seconds - self._units[0][1] >= most and len(self._units) > SEVERAL:
            cost, seconds = self._units.popleft()
            self._cost -= cost
            self._seconds -= seconds

    @property
    def value(self) -> float:
        """The estimate; needs at least one unit."""
        return self._seconds / self._cost


class Schedule:
    """The units that are not done, in the order in which they are handed out.

    The order is random, so that what is done speaks for the rest at any time, but large units come early
    enough for the small ones to even out the end. Where costs cannot be predicted, units are worth the same,
    each has a budget, and nothing is said about the time left.
    """

    def __init__(
        self,
        units: Iterable[tuple[int, int]],
        pending: Iterable[int],
        workers: int,
        seed: str,
        *,
        predictable: bool = True,
        longest: float = math.inf,
        floor: int = 1 << 62,
    ) -> None:
        """Order the units.

        Args:
            units: number and predicted cost of every unit of the job.
            pending: numbers of those that are not done.
            workers: workers that compute at the same time.
            seed: names the order; the same for every run of a job.
            predictable: whether costs say anything about the work under a unit.
            longest: seconds of a batch at most.
            floor: predicted cost of about 10 ms of work.
        """
        self._longest = min(longest, BATCH_LONGEST)
        self._large_seconds = min(longest, LARGE)
        self._floor = floor
        self._costs = dict(units)
        self._predictable = predictable
        self._nodes, self._seconds = 0, 0.0
        self.workers = workers
        self._queue = self._ordered(pending, seed)
        self._open = set(self._queue)
        self._open_cost = self._waiting_cost = sum(self._costs[n] for n in self._queue)
        self._all, self._recent = Ratio(), Recent()

    def _ordered(self, pending: Iterable[int], seed: str) -> list[int]:
        """The numbers, to be popped from the end."""
        generator, total = random.Random(seed), sum(self._costs.values())
        numbers = sorted(self._costs)
        # Neighbours share what is tabulated for them, so that one worker should get them.
        run = min(max(len(numbers) // RUNS, 1), LONGEST_RUN)
        draws = [generator.random() for _ in range(0, len(numbers), run)]
        # All draw, so that the order does not depend on what is done already.
        places = {number: draws[index // run] for index, number in enumerate(numbers)}
        for number, cost in self._costs.items():
            # A unit begins while all others together still keep the other workers busy for twice its time.
            places[number] = min(places[number], 1 - 2 * self.workers * cost / total)
        return sorted(pending, key=lambda number: (-places[number], -number))

    def add(self, children: Iterable[tuple[int, int]]) -> None:
        """Put new units in, next in turn."""
        for number, cost in children:
            self._costs[number] = cost
            self._queue.append(number)
            self._open.add(number)
            self._open_cost += cost
            self._waiting_cost += cost

    def done(self, number: int, seconds: float, nodes: int, left: int = 0) -> None:
        """Note that a unit is done, now or in an earlier run; a second time changes nothing.

        Args:
            number: the unit's number.
            seconds: what it took.
            nodes: what it visited.
            left: predicted cost of what its budget left.
        """
        self._nodes += nodes
        self._seconds += seconds
        cost = self._costs[number]
        if number in self._open:
            self._open.remove(number)
            self._open_cost -= cost
        worked = cost - left if self._predictable else cost
        if worked < TOLD * cost:
            return
        self._all.add(worked, seconds)
        self._recent.add(worked, seconds, self._all.seconds / RECENT)

    def take(self) -> list[int]:
        """Numbers of the units of the next batch; empty when none is left to hand out."""
        if not self._queue:
            return []
        fair = self._waiting_cost / (self.workers * SHARES)
        batch = [self._queue.pop()]
        cost = self._costs[batch[0]]
        target: float
        most: float
        if not self._all.units or self._all.seconds <= 0:
            target, most = fair, FIRST if self._predictable else 1
        else:
            ratio = self._all.value
            target, most = min(max(ratio * fair, BATCH_SHORTEST), self._longest) / ratio, math.inf
            if not self._predictable:
                # What units with a budget took says little, and the others need something to begin with.
                most = min(self._longest / self._budget_seconds, self._waiting_cost / self.workers)
        while self._queue and len(batch) < most and cost + self._costs[self._queue[-1]] <= target:
            batch.append(self._queue.pop())
            cost += self._costs[batch[-1]]
        self._waiting_cost -= cost
        return batch

    @property
    def _is_plenty(self) -> bool:
        return len(self._queue) >= PLENTY * self.workers

    def budget(self, number: int) -> int | None:
        """Nodes after which a unit is to hand back its rest; None for no limit.

        Where costs are predicted, only what takes minutes has a budget, so that no more than one is lost.
        """
        if not self._predictable:
            return self._nodes_in(self._budget_seconds) or FIRST_BUDGET
        most = self._large_seconds
        if self._all.units and self._all.seconds > 0:
            large = self._all.value * self._costs[number] > most
        else:
            large = self._costs[number] > most / CAUTION / FLOOR_SECONDS * self._floor
        if not large:
            return None
        return self._nodes_in(most) or max(FIRST_BUDGET, int(most / CAUTION / FLOOR_SECONDS * self._floor))

    def _nodes_in(self, seconds: float) -> int:
        """Nodes of so many seconds at the rate that was seen, `FIRST_BUDGET` at least; 0 if none was."""
        if not self._nodes or self._seconds <= 0:
            return 0
        return max(FIRST_BUDGET, int(self._nodes / self._seconds * seconds))

    @property
    def _budget_seconds(self) -> float:
        return min(LONG_BUDGET if self._is_plenty else SHORT_BUDGET, self._longest)

    @property
    def pieces(self) -> int:
        """Units that a rest of unknown worth is dealt out to now."""
        return 1 if self._is_plenty else PIECES

    @property
    def units(self) -> int:
        """Units known so far."""
        return len(self._costs)

    @property
    def left(self) -> int:
        """Units that are not done."""
        return len(self._open)

    def share(self, flying: float = 0.0) -> float | None:
        """Share of the work that is done, 0 to 1, by what finished units took and the rest should take.

        Args:
            flying: seconds that went into units which are not done.

        Returns:
            The share, or None where nobody can know.
        """
        if not self._open:
            return 1.0
        if not self._predictable:
            return None
        if not self._all.units or self._all.seconds <= 0:
            return 0.0
        spent = self._all.seconds + self._credit(flying)
        return spent / (self._all.seconds + self._all.value * self._open_cost)

    def _credit(self, flying: float) -> float:
        """What units in flight are taken to have done of themselves; never all of it."""
        return min(flying, NEARLY * self._all.value * (self._open_cost - self._waiting_cost))

    def remaining(self, efficiency: float = 1.0, flying: float = 0.0) -> tuple[float, float] | None:
        """Low and high end of the wall seconds left, or None if unknown.

        Args:
            efficiency: how much of the workers' time goes into units, above 0 and up to 1.
            flying: seconds that went into units which are not done.
        """
        share, error = self.share(flying), self._all.error
        if share is None or share < HONEST or not self._open or self._all.units < min(SEVERAL, self.units):
            return None
        if not math.isfinite(error):
            return None
        mean, now = self._all.value, self._recent.value
        # The pace may go on changing as it did: tables are built, other programs come and go.
        ratios = mean, now, max(2 * now - mean, now / 2)
        width = max(2 * error / self._all.value, DOUBT)
        low, high = min(ratios) * (1 - width) * self._open_cost, max(ratios) * (1 + width) * self._open_cost
        # The last units run alone while other workers have nothing left.
        alone = self._all.value * self._open_cost / len(self._open) * (1 - 1 / self.workers)
        wall = self.workers * min(max(efficiency, 0.05), 1.0)
        credit = self._credit(flying)
        return max(low - credit, 0.0) / wall, max(high - credit, 0.0) / wall + alone
