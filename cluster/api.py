"""Questions asked from Python; the command line asks the same way."""

import time
from functools import partial
from pathlib import Path
from typing import Any

from frontrow.cluster.arguments import check_asking, check_natural, listener
from frontrow.cluster.coordinator import CountRun, Limits
from frontrow.cluster.job import Job
from frontrow.cluster.owner import owned, row_of
from frontrow.cluster.question import ask, open_engine
from frontrow.cluster.result import Count, Progress, Report
from frontrow.cluster.store import Store
from frontrow.search.kernel import is_cold
from frontrow.search.problem import Problem
from frontrow.workers.engine import Engine


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
    check_asking(engine, ray_address, workers, store=store, fresh=fresh, time_limit=time_limit)
    check_natural("node_limit", node_limit, 1)
    report = listener("progress", progress)
    asked, ref = ask("count", problem, params)
    if verify is not None:
        from frontrow.cluster.proofs.second import count_twice

        with open_engine(asked, engine, ray_address, workers) as chosen:
            again = partial(
                count,
                engine=chosen,
                store=store,
                fresh=fresh,
                time_limit=time_limit,
                node_limit=node_limit,
                progress=progress,
            )
            return count_twice(asked, verify, again, chosen, store, report)
    job = Job("count", ref)
    with Store.open(store) as ledger, owned(ledger, job, report, fresh=fresh) as kept:
        if kept is not None:
            return kept.count()
        report(Progress("compiling" if asked.compiles and is_cold() else "starting"))
        with open_engine(asked, engine, ray_address, workers) as chosen:
            run = CountRun(job, asked, ledger, chosen, report, called, Limits(time_limit, node_limit))
            run.run(fresh=fresh)
        return row_of(ledger, job).count(from_ledger=False, resumed=run.resumed)
