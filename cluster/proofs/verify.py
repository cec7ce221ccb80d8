"""Whether a count proves its answer: its units, their sums, and some of them computed again."""

import contextlib
import random
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from frontrow.cluster.owner import acquire
from frontrow.cluster.proofs.audit import Check, Fault, audit, known, values_of
from frontrow.cluster.proofs.export import LedgerSource
from frontrow.cluster.proofs.proof import Heading, Outcome, Source
from frontrow.cluster.proofs.recount import recount
from frontrow.cluster.result import Report
from frontrow.search.errors import StoreError
from frontrow.search.problem import Countable, Totals
from frontrow.search.rows import digest
from frontrow.workers.engine import Engine
from frontrow.workers.local import in_background
from frontrow.workers.unit import UnitResult, WorkUnit, load_countable

DISPUTING = ("answer", "known", "recount")
"""Checks that, if they fail, say that the answer of a job is wrong."""
SECONDS = 10.0
"""Seconds after which no further unit is computed again unless their number is given; one is at least."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of all checks.

    Attributes:
        complete: whether there is an answer; without one nothing is proved.
        recounted: units that were computed again and came out the same.
    """

    heading: Heading
    checks: tuple[Check, ...]
    complete: bool
    recounted: int

    @property
    def holds(self) -> bool:
        """Whether there is an answer and nothing wrong was found with it, however little was recounted."""
        return self.complete and all(check.passed for check in self.checks)

    @property
    def verified(self) -> bool:
        """Whether the answer is proved: it holds, and every unit was recounted."""
        return self.holds and self.recounted == self.heading.units

    @property
    def share(self) -> float:
        """Share of the units that was recounted: how likely it was to see a single one that is wrong."""
        return self.recounted / self.heading.units if self.heading.units else 1.0


@dataclass(frozen=True, slots=True)
class Sample:
    """Which units are computed again.

    Attributes:
        units: how many, drawn at random; None for as many as `SECONDS` allow.
        everything: all of them.
        seed: names the draw.
    """

    units: int | None = None
    everything: bool = False
    seed: int = 0


def verify(source: Source, choose: Callable[[Countable], Engine], sample: Sample, report: Report) -> Verdict:
    """Check a count, the cheap checks first; if one fails, nothing is computed again.

    Args:
        source: where the count lies.
        choose: gives the engine for a problem; it is closed at the end.
        sample: which units are computed again.
        report: told how far that is.

    Raises:
        EngineError: if workers cannot be started or a unit cannot be finished.
        ProblemError: if a person's own problem fails.
    """
    checks, done = audit(source)
    complete = source.heading.answer is not None
    recounted = 0
    if all(check.passed for check in checks):
        engine = choose(load_countable(source.heading.job.ref))
        try:
            check, recounted = _recounted(source, engine, sample, report, done)
        finally:
            engine.close()
        checks.append(check)
    return Verdict(source.heading, tuple(checks), complete, recounted)


def dispute(source: LedgerSource, verdict: Verdict, report: Report) -> bool:
    """Make a job of the ledger disputed if its answer was found wrong, so that it is not given any more.

    Args:
        source: the job.
        verdict: what was found.
        report: told while another process works on the job.

    Returns:
        Whether it is disputed now; a ledger that can only be read stays as it is, and so does a job that was
        changed meanwhile.
    """
    failed = [check for check in verdict.checks if check.name in DISPUTING and not check.passed]
    store, job = source.store, source.heading.id
    if not failed or not verdict.complete or store.database.obstacle:
        return False
    with store.lock(job) as lock:
        acquire(lock, store, job, report)
        rows = store.jobs(job)
        if not rows or rows[0].state != "done" or rows[0].updated != source.heading.finished:
            return False
        store.finish(job, store.own(job), "disputed", error=failed[0].text)
    return True


_DROP_CONTRADICTIONS = """
DELETE FROM results WHERE job = ?1 AND copy > 0 AND number IN (
    SELECT again.number FROM results again
    JOIN results first ON first.job = again.job AND first.number = again.number AND first.copy = 0
    WHERE again.job = ?1 AND again.copy > 0 AND (again.counts <> first.counts OR again.rest <> first.rest))
"""


def settle(source: LedgerSource, verdict: Verdict, report: Report) -> Verdict:
    """Give a disputed job its answer back if each of its units was recounted and came out the same.

    Second results that contradict the first ones, which were just found right, are dropped.

    Args:
        source: the job.
        verdict: what was found.
        report: told while another process works on the job.

    Returns:
        The verdict, with the answer if the job is not disputed any more.

    Raises:
        FrontrowError: if the counts contradict each other.
    """
    heading, store = source.heading, source.store
    is_whole = verdict.recounted == heading.units and all(check.passed for check in verdict.checks)
    if heading.state != "disputed" or not is_whole or store.database.obstacle:
        return verdict
    problem = load_countable(heading.job.ref)
    totals = Totals(problem)
    for entry in source.entries():
        if entry.outcome is not None:
            totals.add(entry.outcome.counts)
    settled = replace(heading, state="done", answer=in_background(lambda: values_of(problem, totals)))
    checks = (*verdict.checks, *known(settled))
    if not all(check.passed for check in checks):
        return replace(verdict, checks=checks)
    with store.lock(heading.id) as lock:
        acquire(lock, store, heading.id, report)
        rows = store.jobs(heading.id)
        if not rows or rows[0].state != "disputed" or rows[0].updated != heading.finished:
            return verdict
        epoch = store.own(heading.id)
        with store.database.transaction():
            store.database.execute(_DROP_CONTRADICTIONS, heading.id)
        store.finish(heading.id, epoch, "done", answer=settled.answer)
    return replace(verdict, heading=settled, checks=checks, complete=True)


@dataclass(slots=True)
class _Comparison:
    """What is known of the units that are being computed again."""

    expected: dict[int, Outcome] = field(default_factory=dict)
    agreed: int = 0
    fault: Fault = field(default_factory=Fault)

    def take_in(self, result: UnitResult) -> None:
        """Compare a result; a second one of the same unit is passed over."""
        known = self.expected.pop(result.number, None)
        if known is None:
            return
        if (result.counts, digest(result.rest)) == (known.counts, known.rest):
            self.agreed += 1
        else:
            found, expected = list(known.counts), list(result.counts)
            self.fault.note(f"unit {result.number}: found {found}, expected {expected} as computed here")


def _recounted(
    source: Source, engine: Engine, sample: Sample, report: Report, done: NDArray[np.int64]
) -> tuple[Check, int]:
    """Compute units again and compare."""
    numbers = done.tolist()
    total, seconds, least = len(numbers), None, 0
    if not sample.everything:
        random.Random(sample.seed).shuffle(numbers)
        if sample.units is None:
            seconds, least = SECONDS, 1
        else:
            del numbers[sample.units :]
    comparison = _Comparison()
    empty = digest(np.empty((0, load_countable(source.heading.job.ref).words), np.uint64))

    def units() -> Iterator[WorkUnit]:
        for number in numbers:
            entry = source.entry(number)
            if entry.outcome is None:
                raise StoreError(f"unit {number}: found no result any more, expected it")
            comparison.expected[number] = entry.outcome
            budget = None if entry.outcome.rest == empty else entry.outcome.budget
            yield WorkUnit(number, entry.rows, entry.cost, budget)

    began = time.perf_counter()
    if numbers:
        _compare_all(source, engine, report, units(), comparison, len(numbers), least, seconds)
    took = time.perf_counter() - began
    seed = "" if sample.everything else f" (seed {sample.seed})"
    said = f"{comparison.agreed:,} of {total:,} units come out the same here{seed}, {took:.1f} s"
    text = comparison.fault.text
    return Check("recount", not text, text or said), comparison.agreed


def _compare_all(
    source: Source,
    engine: Engine,
    report: Report,
    units: Iterator[WorkUnit],
    comparison: _Comparison,
    total: int,
    least: int,
    seconds: float | None,
) -> None:
    """Compare until all units are done or one differs."""
    ref = source.heading.job.ref
    results: Generator[tuple[UnitResult, ...], None, None] = recount(
        ref, engine, units, report, total=total, least=least, seconds=seconds
    )
    with contextlib.closing(results):
        for batch in results:
            for result in batch:
                comparison.take_in(result)
            if comparison.fault.text:
                return
