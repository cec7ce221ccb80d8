"""The count of one round: packets in order, and an end as soon as the first solution is known."""

import math
from collections.abc import Iterable

from frontrow.cluster.coordinator import BATCHES_IN_LIMIT, CountRun
from frontrow.cluster.schedule import Schedule
from frontrow.cluster.store import Committed
from frontrow.search.rows import Rows
from frontrow.search.solving import packet

LEAST_BUDGET = 2_000_000
"""Nodes of a unit, at least: smaller ones would only make more of them."""
FOUND = "found"
"""The tally that says which packet has a solution."""


class _EnoughError(Exception):
    """Nothing that is left comes before the solution that was found."""


class InOrder(Schedule):
    """Units in the order of their first packets, those that a budget left as well."""

    first: dict[int, int]
    """The least number of a packet, by the unit's number."""

    def order(self, first: dict[int, int]) -> None:
        """Hand units out by their first packets from now on; `first` may grow."""
        self.first = first
        self._sort()

    def add(self, children: Iterable[tuple[int, int]]) -> None:
        """Put new units in where they belong."""
        super().add(children)
        self._sort()

    def _sort(self) -> None:
        self._queue.sort(key=lambda number: (self.first[number], number), reverse=True)

    def budget(self, number: int) -> int | None:
        """Nodes after which a unit is to hand back its rest: no less than a worker does in some 50 ms."""
        return max(super().budget(number) or 0, LEAST_BUDGET)

    def drop_beyond(self, place: int) -> None:
        """Leave out units that wait and have only packets behind one."""
        for number in [number for number in self._queue if self.first[number] > place]:
            self._queue.remove(number)
            self._waiting_cost -= self._costs[number]

    def is_open_up_to(self, place: int) -> bool:
        """Whether a unit with a packet up to one is not done."""
        return any(self.first[number] <= place for number in self._open)


class RoundRun(CountRun):
    """A count of packets that ends when the first one with a solution is known, if it looks for that."""

    _first: dict[int, int]

    def _ordered(self, units: list[tuple[int, int]], pending: list[int]) -> Schedule:
        self._first = {number: _least(self._store.unit(self._job.id, number).rows) for number in pending}
        self._in_order = InOrder(
            units,
            pending,
            self._engine.workers,
            self._job.id,
            predictable=self._problem.predictable,
            longest=(self._limits.seconds or math.inf) / BATCHES_IN_LIMIT,
            floor=self._problem.unit_floor,
        )
        self._in_order.order(self._first)
        return self._in_order

    def _count(self) -> None:
        try:
            self._check_enough()
            super()._count()
        except _EnoughError:
            pass
        if self._waiting:
            self._save()

    def _take_in(self, committed: Committed) -> None:
        for units in committed.children.values():
            self._first |= {unit.number: _least(unit.rows) for unit in units}
        super()._take_in(committed)

    def _reached(self) -> str:
        self._check_enough()
        return super()._reached()

    @property
    def _place(self) -> int | None:
        """The first packet that is known to have a solution."""
        found = dict(zip(self._problem.tallies, self._totals.counts, strict=True)).get(FOUND)
        return packet.MOST - found if found else None

    def _check_enough(self) -> None:
        place = self._place
        if place is None:
            return
        self._in_order.drop_beyond(place)
        if not self._in_order.is_open_up_to(place):
            raise _EnoughError

    def _conclude(self) -> dict[str, int | None]:
        place = self._place
        if place is None or self._in_order.is_open_up_to(place):
            return super()._conclude()
        totals = dict(zip(self._problem.tallies, self._totals.counts, strict=True))
        values = self._problem.summary(totals)
        self._store.finish(self._job.id, self._epoch, "done", answer=values)
        return values


def _least(rows: Rows) -> int:
    """The least number of a packet among rows."""
    return min(numbers_of(rows))


def numbers_of(rows: Rows) -> list[int]:
    """The number of the packet that each row is, or is left of."""
    found: list[int] = packet.numbers(rows[:, -1]).tolist()
    return found
