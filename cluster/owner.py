"""Who answers a question: the ledger, or else the one process that holds the job's lock."""

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from frontrow.cluster.job import Job, JobRow
from frontrow.cluster.lock import JobLock
from frontrow.cluster.result import Progress, Report
from frontrow.cluster.store import Store
from frontrow.search.errors import DisputedError

WATCH = 0.3
"""Seconds between looks at a job that another process works on."""

IsAnswer = Callable[[JobRow], bool]
"""Whether a job is done so that its answer can be given."""


def is_done(row: JobRow) -> bool:
    """Whether a job is done.

    Raises:
        DisputedError: if it has no answer because computations differ.
    """
    if row.state == "disputed":
        settling = f", frontrow verify {row.id} --all recounts every unit" if row.counts else ""
        raise DisputedError(f"job {row.id} is disputed ({row.error}); --fresh computes it again{settling}")
    return row.state == "done"


def settled(ledger: Store, job: Job, *, fresh: bool, is_answer: IsAnswer = is_done) -> JobRow | None:
    """The job if the ledger has its answer; None if it is still to be computed, or afresh.

    Raises:
        DisputedError: as `is_answer` does.
        StoreError: if it is damaged.
    """
    rows = [] if fresh else _rows(ledger, job)
    return next(filter(is_answer, rows), None)


def row_of(ledger: Store, job: Job) -> JobRow:
    """A job that is in the ledger; its file is called as in the question, also where it had another name.

    Raises:
        StoreError: if it is damaged.
    """
    return _rows(ledger, job)[0]


def _rows(ledger: Store, job: Job) -> list[JobRow]:
    return [replace(row.checked(), ref=job.ref) for row in ledger.jobs(job.id)]


@contextlib.contextmanager
def owned(
    ledger: Store, job: Job, report: Report, *, fresh: bool, is_answer: IsAnswer = is_done
) -> Iterator[JobRow | None]:
    """The job if its answer is known, also from a ledger that cannot be written.

    Else it is entered, and this process has its lock in the block; None says that it is to be computed there.
    While another process has the lock, that one is watched, and its answer is the answer.

    Args:
        ledger: where answers are kept.
        job: the question.
        report: told how far another process is.
        fresh: compute again although an answer is there.
        is_answer: whether a job is done so that its answer can be given.

    Raises:
        DisputedError: as `is_answer` does.
        StoreError: if it is damaged, or the ledger cannot be written.
    """
    kept = settled(ledger, job, fresh=fresh, is_answer=is_answer)
    if kept is not None:
        yield kept
        return
    ledger.create(job)
    with ledger.lock(job.id) as lock:
        acquire(lock, ledger, job.id, report)
        ledger.create(job)  # it may have been forgotten while we waited
        if fresh and ledger.jobs(job.id)[0].state == "damaged":
            ledger.replace(job)
        yield settled(ledger, job, fresh=fresh, is_answer=is_answer)
        with contextlib.suppress(OSError):  # thousands of boards would leave as many files
            lock.remove()


def acquire(lock: JobLock, ledger: Store, job: str, report: Report) -> None:
    """Take the job's lock; while another process has it, report how far that one is.

    Raises:
        StoreError: if the ledger can only be read, or the lock's file cannot be made.
    """
    ledger.database.require_writable()
    while not lock.try_acquire():
        rows = ledger.jobs(job)
        if rows:
            row = rows[0]
            report(
                Progress(
                    "watching",
                    share=row.share,
                    units_done=row.units_done,
                    units=row.units,
                    nodes=row.nodes,
                    elapsed=row.seconds,
                    workers=row.workers,
                    note=f"{lock.holder()} works on this job: watching it (share by predicted cost)",
                )
            )
        time.sleep(WATCH)
