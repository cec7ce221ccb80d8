"""Estimates asked from Python: what a count will come to and take, before it is begun."""

import os
import resource
import sys
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frontrow.cluster.arguments import check_above, check_natural, check_workers, listener
from frontrow.cluster.estimates.forecast import Estimate
from frontrow.cluster.estimates.sampler import Run, Sampler, sample_tree, unknown, within
from frontrow.cluster.question import ask
from frontrow.cluster.result import Progress, Report
from frontrow.cluster.wording import wording
from frontrow.search.errors import UsageError
from frontrow.search.estimates.interval import Guess, Interval
from frontrow.search.kernel import is_cold
from frontrow.search.own.blame import explained
from frontrow.search.problem import Countable, Problem
from frontrow.search.rows import new_stop
from frontrow.search.tree import look_at_root
from frontrow.workers.local import in_background
from frontrow.workers.unit import available_workers, prepare

SECONDS = 10.0
"""Seconds that an estimate takes unless another time is asked for."""
UNSEEN = 0.06
"""Relative standard error of a time that no sample shows: clock speed, caches, ledger and coordinator."""
START = 0.05
"""Seconds that a run may take on top, however short it is."""

_LEDGER = 40_960
_RECORD = 400
_PAGE, _INLINE = 4096, 1000
"""Bytes of an empty ledger, of a unit and its result without rows, of a page of SQLite, and of rows that are
kept in a page with others; as measured."""


def estimate(
    problem: str | Problem,
    *,
    workers: int | None = None,
    seconds: float = SECONDS,
    seed: int = 0,
    progress: Report | None = None,
    **params: Any,
) -> Estimate:
    """Estimate a count: its values, its time, its size.

    Units are sampled on all cores of this machine, or probes are sent down a tree whose costs cannot be
    predicted. Nothing is written to the ledger.

    Args:
        problem: a problem's name, with its parameters as keywords, or a problem.
        workers: workers that the count is to have, each as fast as one of this machine while all its cores
            compute; default all cores that the process may use.
        seconds: the time for sampling, kept within a tenth.
        seed: names the samples: the same seed draws the same, as far as the time goes.
        progress: called a few times a second, in this thread.
        **params: the problem's parameters and options.

    Raises:
        UsageError: for a bad problem, parameter or option.
        ProblemError: if a person's own problem fails.
        KeyboardInterrupt: at once.
    """
    called = time.perf_counter()
    check_workers(workers)
    check_above("seconds", seconds, optional=False)
    check_natural("seed", seed, 0, optional=False)
    report = listener("progress", progress)
    asked, ref = ask("estimate", problem, params)
    here = available_workers()
    wanted = here if workers is None else workers
    report(Progress("compiling" if asked.compiles and is_cold() else "starting"))
    with explained(asked, UsageError):
        in_background(lambda: look_at_root(asked))
    if not asked.holds_interpreter:  # slow Python is tried out within the time: it has no kernels
        in_background(lambda: prepare(asked))
    kernel = in_background(lambda: asked.kernel)
    threads = 1 if asked.holds_interpreter or not asked.predictable else min(wanted, here)
    memory = _Memory()
    began = time.perf_counter()
    run = _sampled(asked, threads, seconds, seed, report, memory)
    worded = wording(ref)
    ended = time.perf_counter()
    return _estimate(
        run,
        asked,
        wanted,
        params=worded.params,
        options=worded.options,
        silent=worded.silent,
        kernel=kernel,
        memory_bytes=memory.worker(threads, asked.worker_bytes),
        seed=seed,
        seconds=ended - began,
        setup_seconds=began - called,
    )


def _sampled(
    problem: Countable, threads: int, seconds: float, seed: int, report: Report, memory: "_Memory"
) -> Run:
    stop = new_stop()
    phase = f"sampling for {seconds:g} s"

    def tell() -> None:
        memory.look()
        report(Progress(phase))

    tell()
    if problem.predictable:
        run = within(seconds, stop, lambda: Sampler(problem, threads, seconds, seed, stop).run(), tell)
    else:
        run = within(seconds, stop, lambda: sample_tree(problem, seconds, seed, stop), tell)
    memory.look()
    return run or Run(unknown("one step took longer than the time given"))


def _estimate(run: Run, problem: Countable, workers: int, **facts: Any) -> Estimate:
    """Put an estimate together; `facts` are fields of it."""
    outcome, frame = run.outcome, run.frame
    exact = outcome.counts is not None or (outcome.nodes.is_exact and not outcome.doubt)
    nothing = dict.fromkeys(_named(problem), Guess(0.0, freedom=0.0, top=1.0))
    guesses = nothing | outcome.values
    values: dict[str, Interval | None] = {name: guess.interval() for name, guess in guesses.items()}
    if outcome.counts is not None:
        totals = problem.summary(dict(zip(problem.tallies, outcome.counts, strict=True)))
        values = {name: Interval(value, value, value) for name, value in totals.items() if value is not None}
        guesses = {}
    seconds = outcome.seconds.widened(UNSEEN)
    tables = _tables(run, workers)
    nodes, core = outcome.nodes.interval(), _core(seconds.interval(), tables)
    doubts = {name: guess.doubt() for name, guess in guesses.items()}
    doubts |= {"nodes": outcome.nodes.doubt(), "seconds": seconds.doubt()}
    if outcome.doubt:
        values, nodes, core, doubts = dict.fromkeys(nothing), None, None, {"all": outcome.doubt}
    return Estimate(
        problem=problem.name,
        values=values,
        greatest=outcome.greatest,
        nodes=nodes,
        core_seconds=core,
        wall_seconds=_wall(core, run, tables, workers),
        workers=workers,
        units=None if frame is None else int(frame.units.size),
        ledger_bytes=None if frame is None else ledger_bytes(frame.units, problem.words),
        depth=None if "depth" in problem.tallies else outcome.depth or None,
        method=problem.method_used,
        sampled_by="units" if problem.predictable else "probes",
        samples=outcome.draws,
        share=run.share,
        slowdown=run.slowdown,
        exact=exact,
        doubts={name: doubt for name, doubt in doubts.items() if doubt},
        **facts,
    )


def _named(problem: Countable) -> list[str]:
    """Names of the values that can be estimated."""
    with explained(problem):
        return list(problem.expected({name: 0.0 for name in problem.tallies if name not in problem.maxima}))


def _tables(run: Run, workers: int) -> Interval:
    """Processor seconds for tables: made once a process and where they fit no more once a unit."""
    if run.frame is None:
        return Interval(0.0, 0.0, 0.0)
    processes = 1 if workers <= available_workers() else workers  # workers of other machines share nothing
    made = min(run.frame.tables * processes, run.frame.touches)
    return Interval(run.once * made, run.once * made / 2, run.once * max(run.frame.touches, 1.5 * made))


def _core(interval: Interval | None, tables: Interval) -> Interval | None:
    """Processor seconds with what tables take, and what a short run takes longer."""
    if interval is None:
        return None
    high = interval.high + tables.high + START
    return Interval(interval.expected + tables.expected, interval.low + tables.low, high)


def _wall(core: Interval | None, run: Run, tables: Interval, workers: int) -> Interval | None:
    """The time that passes, not below that of the longest unit; others may wait while a table is made.

    If others compute on this machine as well, and no other has to help, they may stop, go on, or do as much
    more as they did during the last minute.
    """
    if core is None:
        return None
    frame = run.frame
    longest = core.expected * frame.largest / frame.cost if frame is not None and frame.cost else 0.0
    low, expected, high = (max(each / workers, longest) for each in (core.low, core.expected, core.high))
    high += tables.high * (1 - 1 / workers)
    if workers <= available_workers():
        expected *= run.slowdown
        high *= max(run.slowdown**1.5, run.crowd)
    return Interval(expected, low, high + START)


def ledger_bytes(units: NDArray[np.int64], words: int) -> int:
    """About the size of a ledger with one finished job.

    Args:
        units: rows of each unit.
        words: words of a row.
    """
    rows = 8 * words * units
    paged = np.where(rows > _INLINE, _PAGE * -(-rows // _PAGE) + _RECORD, rows)
    return int(_LEDGER + (paged + _RECORD).sum())


def _resident() -> int:
    """Bytes resident now; where the system does not tell, the most there ever were."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024


@dataclass(slots=True)
class _Memory:
    """Resident memory of this process: what it was before, and the most it was since."""

    before: int = field(default_factory=_resident)
    most: int = 0

    def look(self) -> None:
        """Take note of how much it is now."""
        self.most = max(self.most, _resident())

    def worker(self, threads: int, known: int) -> int | None:
        """Bytes that a worker in a process of its own would take, `known` at least."""
        if not self.before:
            return known or None
        return max(self.before + max(self.most - self.before, 0) // threads, known)
