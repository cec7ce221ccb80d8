"""Units: what a worker gets and what it gives back."""

import contextlib
import dataclasses
import os
import socket
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from frontrow.search.contract import check_slice
from frontrow.search.errors import StoppedError, UsageError
from frontrow.search.own.blame import explained
from frontrow.search.problem import Countable, Problem, Slice
from frontrow.search.registry import ProblemRef
from frontrow.search.rows import HAND_BACK, Rows, Stop
from frontrow.search.tree import CountingTree

Kind = TypeVar("Kind", bound=Problem)


@dataclass(frozen=True, slots=True)
class WorkUnit:
    """One row of the ledger: some rows of a problem, to be tallied.

    Attributes:
        number: the unit's number within its job, from 0.
        rows: shape ``(k, words)``.
        cost: predicted relative cost, at least 1.
        budget: nodes after which the rest is handed back; part of the unit, kept by every attempt.
        attempt: how often the unit was handed out before.
        listing: solutions after which the rest is handed back, where they are listed; None where they are
            counted. A unit that lists has a budget.
        unique: list only one solution a class.
        recount: compute a second time what is known already, by another way if there is one.
    """

    number: int
    rows: Rows
    cost: int
    budget: int | None = None
    attempt: int = 0
    listing: int | None = None
    unique: bool = False
    recount: bool = False

    def again(self) -> "WorkUnit":
        """The same unit, to be handed out once more."""
        return dataclasses.replace(self, attempt=self.attempt + 1)


RECOUNT = "recount of "
"""Begins the kernel of a result that is a second computation."""

Batch = tuple[WorkUnit, ...]
"""What a worker gets at a time: 0.1 to 2 s of predicted work."""


@dataclass(frozen=True, slots=True)
class UnitResult:
    """What one attempt at a unit came to.

    Attributes:
        number: the unit's number.
        attempt: which attempt this is the result of.
        budget: the unit's budget, or, where it was handed back sooner, the one that would have left the same.
        counts: one exact integer a tally; none if solutions were listed.
        nodes: nodes visited.
        rest: rows that the budget left, shape ``(k, words)``, usually empty.
        seconds: time the worker spent on it.
        worker: name of the worker.
        host: name of the machine.
        kernel: what computed it.
        solutions: what was listed, shape ``(k, words)``; None if the unit was counted.
    """

    number: int
    attempt: int
    budget: int | None
    counts: tuple[int, ...]
    nodes: int
    rest: Rows
    seconds: float
    worker: str
    host: str
    kernel: str
    solutions: Rows | None = None


def run_batch(
    problem: Countable, batch: Iterable[WorkUnit], stop: Stop, worker: str
) -> tuple[UnitResult, ...]:
    """Tally, list or recount units one after the other; those that `stop` left no time for are left out."""
    results = []
    with contextlib.suppress(StoppedError):
        for unit in batch:
            results.append(run_unit(problem, unit, stop, worker))
    return tuple(results)


def run_unit(problem: Countable, unit: WorkUnit, stop: Stop, worker: str) -> UnitResult:
    """Tally, list or recount one unit. Pure: the same unit gives the same result, however often it runs.

    Raises:
        StoppedError: if `stop` was raised meanwhile.
        ProblemError: if a person's own problem fails; it names their file and line.
        UsageError: if solutions are asked for that cannot be listed.
    """
    began = time.perf_counter()
    with explained(problem):
        run = _listed if unit.listing is not None else _recounted if unit.recount else _tallied
        part = run(problem, unit, stop)
    return dataclasses.replace(
        part, seconds=time.perf_counter() - began, worker=worker, host=socket.gethostname()
    )


def _tallied(problem: Countable, unit: WorkUnit, stop: Stop) -> UnitResult:
    part, budget = problem.tally(unit.rows, unit.budget, stop), unit.budget
    if stop[0] == HAND_BACK and isinstance(part, Slice) and len(part.rest):
        budget = part.nodes  # which would have left the same
    part = check_slice(problem, part, budget)
    head = (unit.number, unit.attempt, budget)
    return UnitResult(*head, part.counts, part.nodes, part.rest, 0.0, "", "", problem.kernel)


def _recounted(problem: Countable, unit: WorkUnit, stop: Stop) -> UnitResult:
    """A unit once more; what a budget leaves depends on the way, so with a budget it is the same way."""
    if unit.budget is not None:
        again = _tallied(problem, unit, stop)
        return dataclasses.replace(again, kernel=RECOUNT + again.kernel)
    counts = problem.recount(unit.rows, stop)
    part = check_slice(problem, Slice(counts, 0, unit.rows[:0]), None)
    head = (unit.number, unit.attempt, None)
    return UnitResult(*head, part.counts, 0, part.rest, 0.0, "", "", RECOUNT + problem.kernel)


def _listed(problem: Countable, unit: WorkUnit, stop: Stop) -> UnitResult:
    if not isinstance(problem, CountingTree):
        raise UsageError(f"problem {problem.name}: found no way to list it, expected a CountingTree")
    assert unit.listing is not None
    assert unit.budget is not None
    part = problem.list_under(unit.rows, unit.listing, unit.budget, stop, unique=unit.unique)
    head = (unit.number, unit.attempt, unit.budget)
    return UnitResult(*head, (), part.nodes, part.rest, 0.0, "", "", "", part.solutions)


def load_countable(ref: ProblemRef) -> Countable:
    """The problem of a reference that is to be counted; see `load`."""
    return load(Countable, "count", ref)  # type: ignore[type-abstract]


def load(kind: type[Kind], verb: str, ref: ProblemRef) -> Kind:
    """The problem of a reference, as workers need it.

    Raises:
        UsageError: if it is unknown here, or not of the kind.
        ProblemError: if a person's own problem fails.
    """
    with explained():
        problem = ref.load()
    if not isinstance(problem, kind):
        raise UsageError(f"problem {ref.name}: found no way to {verb} it, expected a {kind.__name__}")
    return problem


def prepare(problem: Countable) -> Countable:
    """Compile or load the problem's kernels and try it out, in a process that is to tally it.

    Raises:
        ProblemError: if a person's own problem fails.
    """
    with explained(problem):
        problem.warm()
    return problem


def available_workers() -> int:
    """Cores that this process may use: its affinity, and its cgroup's quota rounded up."""
    count = os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        count = len(os.sched_getaffinity(0))
    return max(1, min(count, _cgroup_cores() or count))


def _cgroup_cores() -> int | None:
    """Cores that the cgroup's quota allows (cgroup v2 or v1), or None without a quota."""
    try:
        with open("/sys/fs/cgroup/cpu.max", encoding="ascii") as file:
            quota, period = file.read().split()
    except (OSError, ValueError):
        try:
            with open("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", encoding="ascii") as file:
                quota = file.read().strip()
            with open("/sys/fs/cgroup/cpu/cpu.cfs_period_us", encoding="ascii") as file:
                period = file.read().strip()
        except OSError:
            return None
    if not quota.isdigit() or not period.isdigit() or int(period) == 0:
        return None
    return max(1, -(-int(quota) // int(period)))
