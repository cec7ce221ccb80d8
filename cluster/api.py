"""Questions asked from Python; the command line asks the same way."""

import time
from functools import partial
from pathlib import Path
from typing import Any

from frontrow.cluster.arguments import (
    check_above,
    check_engine,
    check_flag,
    check_natural,
    check_progress,
    check_store,
)
from frontrow.cluster.coordinator import CountRun, Limits
from frontrow.cluster.job import Job
from frontrow.cluster.lock import JobLock
from frontrow.cluster.question import ask, engine_for
from frontrow.cluster.result import Count, Progress, Report
from frontrow.cluster.store import Store
from frontrow.search.errors import DisputedError
from frontrow.search.kernel import is_cold
from frontrow.search.problem import Problem
from frontrow.workers.engine import Engine

WATCH = 0.3
"""Seconds between looks at a job that another process works on."""


def count(
    problem: str | Problem,
    *,
    workers: int | None = None,
    engine: str | Engine = "local",
    ray_address: str | None = None,
    store: str | Path | None = None,
    fresh: bool = False,
    time_limit: float | None = None,
    node_limit: int | None = None,
    verify: str | None = None,
    progress: Report | None = None,
    **params: Any,
) -> Count:
    """Count a problem exactly.

    A question that was answered before is answered from the ledger; one that was interrupted goes on where
    it stopped; one that another process works on is watched until it is done.

    Args:
        problem: a problem's name, with its parameters as keywords, or a problem.
        workers: workers that compute at the same time; default all cores that the process may use, or
            all of the cluster.
        engine: ``local`` (threads of this process), ``ray``, or an engine that the caller closes.
        ray_address: ``auto`` or ``host:port`` of a Ray cluster; implies ``ray``. Without it a Ray is started.
        store: folder of the ledger; default ``FRONTROW_STORE``, else the user's data folder.
        fresh: compute again although an answer is there; a different answer is an error.
        time_limit: seconds after which this run stops with a `LimitError`; the same call goes on from there.
        node_limit: nodes after which it does; what workers have begun is still finished.
        verify: ``sample`` computes some units a second time, by another computation where the problem has
            one; ``full`` computes the whole a second time.
        progress: called a few times a second, in this thread.
        **params: the problem's parameters and options.

    Raises:
        UsageError: for a bad problem, parameter or option.
        StoreError: if the ledger cannot be used.
        EngineError: if workers cannot be started or a unit cannot be finished.
        LimitError: if a limit was reached.
        DisputedError: if two computations of the same thing differ.
        KeyboardInterrupt: after what came back is committed; the same call goes on from there.
    """
    called = time.perf_counter()
    check_engine(engine, ray_address, workers)
    check_store(store)
    check_flag("fresh", fresh)
    check_above("time_limit", time_limit)
    check_natural("node_limit", node_limit, 1)
    check_progress(progress)
    report: Report = progress if progress is not None else lambda _: None
    asked, ref = ask("count", problem, params)
    if verify is not None:
        from frontrow.cluster.proofs.second import count_twice

        chosen = engine_for(asked, engine, ray_address, workers)
        again = partial(
            count,
            engine=chosen,
            store=store,
            fresh=fresh,
            time_limit=time_limit,
            node_limit=node_limit,
            progress=progress,
        )
        try:
            return count_twice(asked, verify, again, chosen, store, report)
        finally:
            if chosen is not engine:
                chosen.close()
    job = Job("count", ref)
    with Store.open(store) as ledger:
        kept = _settled(ledger, job) if not fresh else None
        if kept is not None:
            return kept  # also from a ledger that cannot be written
        ledger.create(job)
        with ledger.lock(job.id) as lock:
            acquire(lock, ledger, job.id, report)
            ledger.create(job)  # it may have been forgotten while we waited
            if fresh and ledger.jobs(job.id)[0].state == "damaged":
                ledger.replace(job)
            kept = _settled(ledger, job) if not fresh else None
            if kept is not None:
                return kept
            report(Progress("compiling" if asked.compiles and is_cold() else "starting"))
            chosen = engine_for(asked, engine, ray_address, workers)
            try:
                limits = Limits(time_limit, node_limit)
                run = CountRun(job, asked, ledger, chosen, report, called, limits)
                run.run(fresh=fresh)
            finally:
                if chosen is not engine:
                    chosen.close()
            return ledger.jobs(job.id)[0].checked().count(from_ledger=False, resumed=run.resumed)


def _settled(ledger: Store, job: Job) -> Count | None:
    """The answer in the ledger; None if it is still to be computed.

    Raises:
        DisputedError: if there is none because computations differ.
        StoreError: if it is damaged.
    """
    for row in ledger.jobs(job.id):
        if row.checked().state == "disputed":
            raise DisputedError(f"job {row.id} is disputed ({row.error}); --fresh computes it again")
        if row.state == "done":
            return row.count()
    return None


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
