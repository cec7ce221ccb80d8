"""A count that is computed twice: a sample of its units, all of them, or the whole by another method."""

import dataclasses
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

from frontrow.cluster.job import Job, JobRow
from frontrow.cluster.owner import acquire, row_of
from frontrow.cluster.proofs.export import LedgerSource
from frontrow.cluster.proofs.recount import LEAST, recount
from frontrow.cluster.result import Count, Report
from frontrow.cluster.store import Store
from frontrow.search.errors import DisputedError, StoreError, UsageError
from frontrow.search.own.blame import explained
from frontrow.search.parameter import shown
from frontrow.search.problem import Countable
from frontrow.search.registry import ProblemRef
from frontrow.search.rows import digest
from frontrow.workers.engine import Engine
from frontrow.workers.local import in_background
from frontrow.workers.unit import WorkUnit

Counting = Callable[[Countable], Count]
HOW = ("sample", "full")
"""What ``--verify`` takes."""
SHARE, MOST = 50, 64
"""A sample is one unit in so many, `LEAST` of them at least, and so many at most."""
SECONDS_SHARE = 10
"""A sample takes about this part of the time that the count took."""


def count_twice(
    asked: Countable, how: str, count: Counting, engine: Engine, store: str | Path | None, report: Report
) -> Count:
    """Count a problem and verify the answer.

    Args:
        asked: the problem, every ``auto`` settled.
        how: ``sample`` or ``full``.
        count: counts a problem on the engine, with its result in the store.
        engine: where units are counted again.
        store: folder of the ledger.
        report: told how far it is.

    Raises:
        UsageError: if `how` is anything else.
        DisputedError: if the two computations differ.
    """
    if how not in HOW:
        raise UsageError(f"verify: found {shown(how)}, expected {' or '.join(HOW)}")
    result = count(asked)
    with explained(asked):
        second = in_background(asked.second) if how == "full" else None
    with Store.open(store) as ledger:
        if second is not None:
            return _compared(result, count(second), ledger, report)
        row = _recounted(Job("count", ProblemRef.of(asked)), how, ledger, engine, report)
    return row.count(from_ledger=result.from_ledger, resumed=result.resumed)


def _compared(result: Count, other: Count, ledger: Store, report: Report) -> Count:
    """The answer, if another method has the same one.

    Raises:
        DisputedError: if the answers differ. Both jobs are disputed then, but none that was computed here
            because of what was taken from a file.
    """
    differing = [
        f"{name}: found {value} by {result.method}, expected {other.values[name]} as by {other.method}"
        for name, value in result.values.items()
        if name in other.values and None not in (value, other.values[name]) and value != other.values[name]
    ]
    if not differing:
        return dataclasses.replace(result, confirmed=other.job)
    foreign = [each.job for each in (result, other) if each.imported]
    for job in foreign or (result.job, other.job):
        with ledger.lock(job) as lock:
            acquire(lock, ledger, job, report)
            ledger.finish(job, ledger.own(job), "disputed", error=differing[0])
    one = f"; job {foreign[0]}, which was imported, is disputed" if len(foreign) == 1 else ""
    raise DisputedError(f"jobs {result.job} and {other.job}: {differing[0]}{one}")


def _recounted(job: Job, how: str, ledger: Store, engine: Engine, report: Report) -> JobRow:
    """Count units of a job that is done once more, those that were not before.

    Returns:
        The job, of which that many more units are verified.

    Raises:
        DisputedError: if a unit comes out different; the job is disputed then.
        StoreError: if the job was forgotten meanwhile.
    """
    with ledger.lock(job.id) as lock:
        acquire(lock, ledger, job.id, report)
        epoch = ledger.own(job.id)
        row = ledger.jobs(job.id)[0]
        if row.answer is None:
            raise StoreError(f"job {job.id}: found it {row.state}, expected it done")
        known = ledger.recounted(job.id)
        open_ = [number for number in range(row.units) if number not in known]
        sampled = how == "sample"
        if sampled:
            size = min(max(row.units // SHARE, LEAST), MOST, row.units)
            # Who forges a file is not to know which units will be looked at.
            open_ = secrets.SystemRandom().sample(open_, max(size - len(known), 0))
        batches = recount(
            job.ref,
            engine,
            _units(LedgerSource(ledger, row), open_),
            report,
            total=len(open_),
            least=max(LEAST - len(known), 0),
            seconds=row.seconds / SECONDS_SHARE if sampled else None,
        )
        for results in batches if open_ else ():
            disputes = ledger.add_copies(job.id, epoch, results)
            if disputes:
                ledger.finish(job.id, epoch, "disputed", error=disputes[0])
                batches.close()
                raise DisputedError(disputes[0])
        return row_of(ledger, job)


def _units(source: LedgerSource, numbers: list[int]) -> Iterator[WorkUnit]:
    """Units with the budgets that left a rest: what a budget did not cut short is counted without."""
    for number in numbers:
        entry = source.entry(number)
        assert entry.outcome is not None
        budget = None if entry.outcome.rest == digest(entry.rows[:0]) else entry.outcome.budget
        yield WorkUnit(number, entry.rows, entry.cost, budget)
