"""Runs an estimate for a bounded time: slices are drawn and tallied on threads until the time is up."""

import os
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from frontrow.search.contract import check_costs, check_rows
from frontrow.search.errors import StoppedError
from frontrow.search.estimates.estimate import Outcome, conclude, pace
from frontrow.search.estimates.interval import Guess
from frontrow.search.estimates.sampling import Draw, Frame, Sample, as_floats, measure
from frontrow.search.estimates.sizing import size_tree
from frontrow.search.own.blame import explained
from frontrow.search.problem import Countable
from frontrow.search.rows import Stop
from frontrow.workers.local import TICK

Value = TypeVar("Value")
SLICES = 64
"""Slices that a thread is to tally in the time."""
OVERTIME = 0.08
"""Share of the time after it that a slice in progress may take."""
ABANDON = 0.5
"""Seconds that a stopped thread may take to end before it is left alone: not every problem obeys the flag."""
WARM_UP = 8
"""Part of a slice that is tallied to have a table made."""
TELLING = 0.2
"""Processor seconds from which on it is told whether others compute as well."""
FAR_LONGER = 10.0
"""A slice that takes so many times what its cost predicts shows that costs cannot be relied on."""


@dataclass(frozen=True, slots=True)
class Run:
    """What was found in the time.

    Attributes:
        outcome: the estimates.
        frame: the work in slices; None for a tree of which nothing is known.
        share: share of the predicted cost that was tallied.
        slowdown: wall seconds a processor second while threads computed: over 1 if others did as well.
        crowd: the same for as many threads, as the load of the last minute would have it.
        once: processor seconds that making one table takes; see `Countable.tables`.
    """

    outcome: Outcome
    frame: Frame | None = None
    share: float = 0.0
    slowdown: float = 1.0
    crowd: float = 1.0
    once: float = 0.0


def unknown(doubt: str) -> Outcome:
    """An outcome that says nothing but why."""
    nothing = Guess(0.0, freedom=0.0, top=1.0)
    return Outcome(nothing, nothing, {}, None, {}, doubt=doubt)


def within(
    seconds: float, stop: Stop, function: Callable[[], Value], tell: Callable[[], None]
) -> Value | None:
    """Run a function in a thread and raise the stop flag when the time is up.

    Args:
        seconds: the time, with `OVERTIME` on top.
        stop: the flag; also raised when the caller is interrupted.
        function: what to run; it ends soon once the flag is raised.
        tell: called a few times a second meanwhile, in the thread of the caller.

    Returns:
        What it returned; None if it does not obey the flag.
    """
    answer: queue.SimpleQueue[Value | BaseException] = queue.SimpleQueue()

    def run() -> None:
        try:
            answer.put(function())
        except BaseException as error:  # noqa: BLE001 - handed to the thread that waits
            answer.put(error)

    deadline = time.perf_counter() + seconds * (1 + OVERTIME)
    threading.Thread(target=run, daemon=True, name="frontrow-estimate").start()
    try:
        while (left := deadline - time.perf_counter()) > -ABANDON:
            if left <= 0:
                stop[0] = 1
            try:
                value = answer.get(timeout=min(TICK, left) if left > 0 else TICK)
            except queue.Empty:
                tell()
                continue
            if isinstance(value, BaseException):
                raise value
            return value
        return None
    finally:
        stop[0] = 1


def sample_tree(problem: Countable, seconds: float, seed: int, stop: Stop) -> Run:
    """Estimate a tree of which nothing is known; in one thread, since it is Python that expands it."""
    wall, processor, crowd = time.perf_counter(), time.thread_time(), _crowd(1)
    try:
        with explained(problem):
            outcome = size_tree(problem, seconds, seed, stop)
    except StoppedError:
        return Run(unknown("the first nodes took longer than the time given"))
    slowdown = _slowdown(time.perf_counter() - wall, time.thread_time() - processor)
    return Run(outcome, slowdown=slowdown, crowd=crowd)


def _crowd(threads: int) -> float:
    """How many times as slow as alone so many threads would be beside what ran during the last minute."""
    try:
        return max((os.getloadavg()[0] + threads) / (os.cpu_count() or 1), 1.0)
    except OSError:
        return 1.0


def _slowdown(wall: float, processor: float) -> float:
    """Wall seconds a processor second; of too little nothing is concluded."""
    return max(wall / processor, 1.0) if processor > TELLING else 1.0


class Sampler:
    """Estimates a problem whose costs are predicted, from slices that threads tally."""

    def __init__(self, problem: Countable, threads: int, seconds: float, seed: int, stop: Stop) -> None:
        """Args: threads: slices tallied at a time; seconds: the time from now; stop: raised by others."""
        self._problem, self._threads, self._seed, self._stop = problem, threads, seed, stop
        self._deadline, self._seconds = time.perf_counter() + seconds, seconds
        self._lock = threading.Lock()
        self._done: queue.SimpleQueue[_Landed | BaseException | None] = queue.SimpleQueue()
        self._pace, self._typical = 1.0, 0.0
        self._made: set[int] = set()

    def run(self) -> Run:
        """Sample until the time is up or everything is tallied."""
        self._crowd = _crowd(self._threads)
        with explained(self._problem):
            rows = check_rows(self._problem, self._problem.split(), "split")
            costs = check_costs(rows, self._problem.cost(rows))
            try:
                if rows.shape[0]:
                    some = as_floats(costs)
                    self._pace, self._typical = pace(self._problem, rows, some, self._seed, self._stop)
            except StoppedError:
                frame = Frame(self._problem, rows, costs, float(self._problem.unit_floor))
                return Run(unknown("no unit ended in the time given"), frame)
            self._frame = Frame(self._problem, rows, costs, max(self._seconds / SLICES / self._pace, 1.0))
        self._draws = self._frame.draws(self._seed)
        for number in range(self._threads):
            threading.Thread(target=self._work, daemon=True, name=f"frontrow-sampler-{number}").start()
        landed: list[_Landed] = []
        working = self._threads
        while working:
            item = self._done.get()
            if isinstance(item, BaseException):
                self._stop[0] = 1
                raise item
            if item is None:
                working -= 1
            else:
                landed.append(item)
                self._adapt(landed)
        return self._conclude(landed)

    def _adapt(self, landed: "list[_Landed]") -> None:
        """Learn how long slices take."""
        done = [each.sample for each in landed if each.sample is not None]
        if done:
            spent = sum(each.spent for each in done)
            self._pace = spent / sum(each.tallied for each in done)
            self._typical = spent / len(done)

    def _take(self) -> Draw | None:
        """The next slice, if it should be done before the time is up."""
        with self._lock:
            if self._stop[0]:
                return None
            draw = next(self._draws, None)
            if draw is None:
                return None
            return draw if time.perf_counter() + self._predict(draw) < self._deadline else None

    def _predict(self, draw: Draw) -> float:
        """Seconds that a draw should take: by its cost, and where rows cannot be divided by experience."""
        cost = float(draw.costs.sum())
        target = self._frame.target
        return self._pace * cost if cost <= 2 * target else max(2 * self._pace * target, self._typical)

    def _work(self) -> None:
        """One thread: slice after slice."""
        try:
            while (draw := self._take()) is not None:
                self._done.put(self._land(draw))
            self._done.put(None)
        except BaseException as error:  # noqa: BLE001 - raised again by `run`
            self._done.put(error)

    def _land(self, draw: Draw) -> "_Landed":
        """Tally a slice; before that a little of it for every table that it is the first to need."""
        with self._lock:
            new = [table for table in np.unique(draw.tables).tolist() if table not in self._made]
            self._made.update(new)
        began = None
        try:
            with explained(self._problem):
                made = tuple(self._make(draw.first(table)) for table in new)
                began, wall = time.thread_time(), time.perf_counter()
                sample = self._measure(draw, self._frame.target)
        except StoppedError:
            return _Landed(draw, None, processor=0.0 if began is None else time.thread_time() - began)
        return _Landed(draw, sample, time.perf_counter() - wall, time.thread_time() - began, made)

    def _make(self, draw: Draw) -> float:
        """Have a table made; the seconds that it took beyond what the little that is tallied should take."""
        little = self._measure(draw, self._frame.target / WARM_UP)
        return max(little.spent - self._pace * little.tallied, 0.0)

    def _measure(self, draw: Draw, target: float) -> Sample:
        return measure(self._problem, draw, target, self._seed, self._stop)

    def _conclude(self, landed: "list[_Landed]") -> Run:
        samples = [each.sample for each in landed if each.sample is not None]
        outcome = conclude(self._frame, samples)
        cut = [each for each in landed if each.sample is None]
        if any(each.processor > FAR_LONGER * self._predict(each.draw) for each in cut):
            outcome = unknown("a unit took far longer than its cost predicts")
        processor = sum(each.processor for each in landed if each.sample is not None)
        wall = sum(each.wall for each in landed)
        cost = self._frame.cost
        return Run(
            outcome,
            self._frame,
            min(sum(each.tallied for each in samples) / cost, 1.0) if cost else 1.0,
            _slowdown(wall, processor),
            self._crowd,
            sum(made) / len(made) if (made := [once for each in landed for once in each.made]) else 0.0,
        )


@dataclass(frozen=True, slots=True)
class _Landed:
    """A slice that a thread is through with.

    Attributes:
        sample: what it came to; None if the time was up before.
        wall: seconds that passed.
        processor: processor seconds that it took.
        made: processor seconds of every table that was made for it.
    """

    draw: Draw
    sample: Sample | None
    wall: float = 0.0
    processor: float = 0.0
    made: tuple[float, ...] = ()
