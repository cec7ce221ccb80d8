"""A list of solutions in order, found by several workers at once; nothing of it is kept."""

import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from frontrow.cluster.result import Progress, Report
from frontrow.search.contract import check_rows
from frontrow.search.errors import EngineError, UsageError
from frontrow.search.own.blame import explained
from frontrow.search.registry import ProblemRef
from frontrow.search.rows import Rows, new_stop
from frontrow.search.tree import CountingTree
from frontrow.workers.engine import Engine
from frontrow.workers.local import in_background
from frontrow.workers.unit import Batch, UnitResult, WorkUnit, run_unit

WINDOW = 4
"""Parts a worker, from the beginning of the list, among which work is handed out."""
HUNGRY = 2
"""Parts a worker that should be searched or wait; if there are fewer, a part is cut into several."""
MOST = 4096
"""Solutions that a unit lists."""
FIRST_BUDGET = 64
"""Nodes of the first unit; a later one has at most `GROWTH` times as many as any before it."""
GROWTH = 8
TARGET = 0.2
"""Seconds that a unit should take at most."""
FADING = 0.9
"""Weight of what was measured before against one more unit."""
HERE = 0.2
"""Seconds for which this process searches before it starts others."""
TELL = 0.1
"""Seconds between reports, at least."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A stretch of the list.

    Attributes:
        rows: rows to be searched, or the solutions that were found.
        unit: the unit that searches them, or None.
        is_found: whether the rows are solutions.
    """

    rows: Rows
    unit: int | None = None
    is_found: bool = False


class Order:
    """The list that is being made: parts in order, and what to do next for it; no engine and no clock.

    Only parts near the beginning are handed out, so that little has to wait for what comes before it: at
    most `WINDOW` lists of `MOST` solutions a worker, and those of one unit more.
    """

    def __init__(self, rows: Rows, workers: int, *, most: int = MOST, unique: bool = False) -> None:
        """Begin a list.

        Args:
            rows: what the solutions are under, shape ``(n, words)``.
            workers: workers that search at the same time.
            most: solutions that a unit lists, or hardly more.
            unique: list only one solution a class.
        """
        self.workers = workers
        self.nodes = 0
        self._most, self._unique = most, unique
        self._parts = [_Part(rows)] if rows.shape[0] else []
        self._units = self._held = 0
        self._budget = FIRST_BUDGET
        self._seen_nodes = self._seen_seconds = 0.0

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to search or to list."""
        return not self._parts

    def take(self) -> Batch | None:
        """The next unit, or None if none may be handed out now."""
        window = self._parts[: WINDOW * self.workers]
        for place, part in enumerate(window):
            if part.is_found or part.unit is not None:
                continue
            if place and self._held >= WINDOW * self.workers * self._most:
                return None
            idle = HUNGRY * self.workers - sum(not part.is_found for part in window)
            pieces = np.array_split(part.rows, min(max(idle, 0) + 1, part.rows.shape[0]))
            unit = WorkUnit(
                self._units, pieces[0], 1, budget=self._budget, listing=self._most, unique=self._unique
            )
            self._units += 1
            self._parts[place : place + 1] = [
                _Part(pieces[0], unit.number),
                *(_Part(piece) for piece in pieces[1:]),
            ]
            return (unit,)
        return None

    def put(self, result: UnitResult) -> None:
        """Take in what a unit found, and what it left; a second result of a unit changes nothing."""
        place = next((i for i, part in enumerate(self._parts) if part.unit == result.number), None)
        if place is None:
            return
        assert result.solutions is not None
        self._parts[place : place + 1] = [
            part
            # Copies, since both may be views of one array, which each would keep in memory.
            for part in (_Part(result.solutions.copy(), is_found=True), _Part(result.rest.copy()))
            if part.rows.shape[0]
        ]
        self._held += result.solutions.shape[0]
        self.nodes += result.nodes
        self._seen_nodes = FADING * self._seen_nodes + result.nodes
        self._seen_seconds = FADING * self._seen_seconds + result.seconds
        wanted = self._seen_nodes / max(self._seen_seconds, 1e-6) * TARGET
        self._budget = int(min(max(wanted, FIRST_BUDGET), GROWTH * self._budget))

    def pop(self) -> Iterator[Rows]:
        """Take the solutions that nothing comes before any more off the list."""
        while self._parts and self._parts[0].is_found:
            rows = self._parts.pop(0).rows
            self._held -= rows.shape[0]
            yield rows


class ListRun:
    """One list of a problem's solutions."""

    def __init__(
        self,
        problem: CountingTree,
        engine: Engine,
        *,
        limit: int | None,
        unique: bool,
        here: bool,
        report: Report,
    ) -> None:
        """Prepare a list.

        Args:
            problem: what to list.
            engine: who searches; the caller closes it.
            limit: solutions to list at most; None for all.
            unique: list only one solution a class.
            here: search in this process for `HERE` seconds before the engine is started.
            report: told a few times a second how far the list is.

        Raises:
            UsageError: if the root of a person's own tree is no node.
        """
        self._problem, self._engine, self._report = problem, engine, report
        self._limit, self._here = limit, here
        self._stop = new_stop()
        most = MOST if limit is None or unique else min(MOST, limit)
        with explained(problem, UsageError):
            initial = check_rows(problem, problem.initial(), "initial")
        self._order = Order(initial, engine.workers, most=most, unique=unique)
        self._listed = 0
        self._began: float | None = None
        self._told = time.perf_counter()

    def blocks(self) -> Generator[Rows, None, None]:
        """List block by block, each of shape ``(k, words)`` with k above 0; closing it stops the workers.

        Raises:
            ProblemError: if a person's own problem fails.
            EngineError: if workers cannot be started or a unit cannot be finished.
        """
        results = self._results()
        try:
            if self._limit == 0:
                return
            for batch in results:
                for result in batch:
                    self._order.put(result)
                yield from self._ready()
                if self._listed == self._limit:
                    return
                self._tell()
            if not self._order.is_complete:
                raise EngineError("list: found parts that nobody searched, expected none")
        finally:
            self._stop[0] = 1
            results.close()

    def _ready(self) -> Iterator[Rows]:
        for rows in self._order.pop():
            block = rows if self._limit is None else rows[: self._limit - self._listed]
            self._listed += block.shape[0]
            if block.shape[0]:
                yield block

    def _results(self) -> Generator[tuple[UnitResult, ...], None, None]:
        """Results of units as they come."""
        deadline = time.perf_counter() + HERE
        while self._here and time.perf_counter() < deadline:
            batch = self._order.take()
            if batch is None:
                return
            yield in_background(partial(self._run_here, batch))
        self._report(Progress("starting"))
        ref = ProblemRef.of(self._problem)
        yield from self._engine.map(ref, self._order.take, self._stop)

    def _run_here(self, batch: Batch) -> tuple[UnitResult, ...]:
        return tuple(run_unit(self._problem, unit, self._stop, "here") for unit in batch)

    def _tell(self) -> None:
        now = time.perf_counter()
        if now - self._told < TELL:
            return
        self._told = now
        self._order.workers = self._engine.workers
        if not self._order.nodes:
            self._report(Progress("starting", workers=self._engine.workers))
            return
        self._began = self._began or now
        elapsed = now - self._began
        self._report(
            Progress(
                "listing",
                share=None,
                nodes=self._order.nodes,
                rate=self._order.nodes / elapsed if elapsed else 0.0,
                totals={"solutions": self._listed},
                elapsed=elapsed,
                workers=self._engine.workers,
            )
        )
