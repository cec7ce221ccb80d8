"""The ledger: jobs, their units and results, in one file that survives a crash."""

import json
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import platformdirs

from frontrow.cluster.checksum import answer_crc, result_crc, unit_crc
from frontrow.cluster.database import Database
from frontrow.cluster.job import Job, JobRow
from frontrow.cluster.jobrow import damaged, read_answer, read_job
from frontrow.cluster.lock import JobLock
from frontrow.search.errors import StoreError, UsageError
from frontrow.search.rows import Rows, digest
from frontrow.workers.unit import RECOUNT, UnitResult, WorkUnit
from frontrow.workers.wire import decode, encode


@dataclass(frozen=True, slots=True)
class Done:
    """One committed result, as `Store.done` reads it back."""

    number: int
    cost: int
    counts: tuple[int, ...]
    nodes: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Committed:
    """What one `Store.commit` did.

    Attributes:
        accepted: results that were the first of their units.
        agreed: results of units that had one already and came out the same.
        disputes: one line for each result that contradicts an earlier one.
        children: units made of the rows that budgets left, by the unit that left them.
    """

    accepted: tuple[UnitResult, ...]
    agreed: int
    disputes: tuple[str, ...]
    children: Mapping[int, Sequence[WorkUnit]]


Cut = Mapping[int, Sequence[tuple[Rows, int]]]
"""The units, rows and cost, that a unit's rest is cut into, by the unit's number."""


def store_folder(folder: str | Path | None = None) -> Path:
    """Where the ledger lives: `folder`, else ``FRONTROW_STORE``, else the user's data folder."""
    chosen = folder or os.environ.get("FRONTROW_STORE") or platformdirs.user_data_dir("frontrow")
    return Path(chosen).expanduser()


def now() -> str:
    """The time in UTC, ISO 8601, whole seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")


_JOBS = """
SELECT jobs.*, count(units.number) AS units, count(first.number) AS units_done,
    count(again.number) AS verified,
    total(units.cost) AS cost, total(iif(first.number IS NULL, 0, units.cost)) AS cost_done,
    coalesce(sum(first.nodes), 0) AS nodes
FROM jobs LEFT JOIN units ON units.job = jobs.id
LEFT JOIN results first ON first.job = jobs.id AND first.number = units.number AND first.copy = 0
LEFT JOIN results again ON again.job = jobs.id AND again.number = units.number AND again.copy = 1
WHERE ?1 IS NULL OR jobs.id = ?1 GROUP BY jobs.id ORDER BY jobs.updated DESC, jobs.id
"""


class Store:
    """An open ledger. One thread uses it; any number of processes may have it open."""

    def __init__(self, database: Database) -> None:
        """Use `Store.open`."""
        self._db = database
        self.path = database.path

    @classmethod
    def open(cls, folder: str | Path | None = None) -> Self:
        """Open the ledger of a folder; a new one is made. One that cannot be written is opened to be read.

        Raises:
            StoreError: if it cannot be read or made, is none, or is of a newer version; nothing is
                overwritten then.
        """
        return cls(Database(store_folder(folder) / "ledger.sqlite3"))

    @property
    def database(self) -> Database:
        """The open file."""
        return self._db

    def set_durable(self, durable: bool) -> None:
        """Whether each commit waits for the disk; see `Database.set_durable`."""
        self._db.set_durable(durable)

    def close(self) -> None:
        """Close the file; safe to call twice."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Jobs

    def lock(self, job: str) -> JobLock:
        """The lock that makes its holder the one process that may change a job."""
        return JobLock(self.path.parent, job)

    def create(self, job: Job) -> None:
        """Enter a job unless it is there."""
        with self._db.transaction():
            self._insert_job(job)

    def replace(self, job: Job) -> None:
        """Enter a job in place of one that is damaged; call it while holding the lock."""
        with self._db.transaction():
            self._db.execute("DELETE FROM jobs WHERE id = ?", job.id)
            self._insert_job(job)

    def _insert_job(self, job: Job) -> None:
        self._db.execute(
            """INSERT OR IGNORE INTO jobs VALUES
            (?,?,?,?,?,?,?,'ready',?,?,0,'','','',0,0,0,NULL,NULL,'',NULL,NULL,?,'')""",
            *(job.id, job.verb, job.ref.name, job.ref.values, job.ref.version),
            *(job.ref.source, job.ref.file, now(), now(), job.options),
        )

    def begin(self, job: str, *, fresh: bool, method: str, kernel: str, engine: str, workers: int) -> int:
        """Make the caller, who holds the lock, the owner of a job; results of earlier owners are fenced off.

        Args:
            job: the job's id.
            fresh: forget units and results; an answer is kept aside, to be compared with the new one.
            method: counting method, for the record.
            kernel: what computes it here.
            engine: name of the engine.
            workers: its workers.

        Returns:
            The epoch that `commit` and `finish` ask for.
        """
        with self._db.transaction():
            if fresh:
                self._db.execute("DELETE FROM units WHERE job = ?", job)
                self._db.execute("DELETE FROM results WHERE job = ?", job)
                self._db.execute(
                    """UPDATE jobs SET answer = NULL, answer_crc = NULL, seconds = 0, setup_seconds = 0,
                    imported = '',
                    earlier = CASE state WHEN 'done' THEN answer WHEN 'disputed' THEN NULL ELSE earlier END,
                    earlier_crc = CASE state WHEN 'done' THEN answer_crc WHEN 'disputed' THEN NULL
                    ELSE earlier_crc END WHERE id = ?""",
                    job,
                )
            self._db.execute(
                """UPDATE jobs SET state = 'running', error = '', epoch = epoch + 1, method = ?, kernel = ?,
                engine = ?, workers = ?, updated = ? WHERE id = ?""",
                *(method, kernel, engine, workers, now(), job),
            )
            [[epoch]] = self._db.select("SELECT epoch FROM jobs WHERE id = ?", job)
        return int(epoch)

    def finish(
        self,
        job: str,
        epoch: int,
        state: str,
        *,
        answer: Mapping[str, Any] | None = None,
        error: str = "",
    ) -> None:
        """Write down how a run ended: done, disputed, failed or interrupted."""
        text = None if answer is None else json.dumps(answer)
        with self._db.transaction():
            self._check_epoch(job, epoch)
            self._db.execute(
                "UPDATE jobs SET state = ?, answer = ?, answer_crc = ?, error = ?, updated = ? WHERE id = ?",
                *(state, text, answer_crc(job, text), error, now(), job),
            )

    def set_seconds(self, job: str, epoch: int, seconds: float, setup_seconds: float) -> None:
        """Write down what a run took."""
        with self._db.transaction():
            self._check_epoch(job, epoch)
            self._db.execute(
                "UPDATE jobs SET seconds = ?, setup_seconds = ? WHERE id = ?", seconds, setup_seconds, job
            )

    def own(self, job: str) -> int:
        """Make the caller, who holds the lock, the owner of a job of which nothing else changes.

        Returns:
            The epoch that `add_copies` and `finish` ask for.

        Raises:
            StoreError: if there is no such job.
        """
        with self._db.transaction():
            self._db.execute("UPDATE jobs SET epoch = epoch + 1 WHERE id = ?", job)
            found = self._db.select("SELECT epoch FROM jobs WHERE id = ?", job)
        if not found:
            raise StoreError(f"job {job}: found it forgotten, expected it in {self.path}")
        return int(found[0]["epoch"])

    def earlier_answer(self, job: str) -> Mapping[str, Any] | None:
        """The answer that a fresh run set aside.

        Raises:
            StoreError: if it is damaged.
        """
        [row] = self._db.select("SELECT id, earlier, earlier_crc FROM jobs WHERE id = ?", job)
        return read_answer(row, "earlier", self.path)

    def jobs(self, job: str | None = None) -> list[JobRow]:
        """All jobs, newest first, or the one with an id; one that is damaged says so."""
        return [
            read_job(row, self.path, lambda job: self.lock(job).is_held())
            for row in self._db.select(_JOBS, job)
        ]

    def find(self, prefix: str) -> JobRow:
        """The job whose id begins with `prefix`.

        Raises:
            UsageError: if there is none or more than one.
        """
        text = prefix.strip().lower()
        ids = [row[0] for row in self._db.select("SELECT id FROM jobs ORDER BY id")]
        found = [name for name in ids if text and name.startswith(text)]
        if len(found) != 1:
            what = "no job" if not found else f"{len(found)} jobs"
            raise UsageError(
                f"job {prefix!r}: found {what} in {self.path}, expected one (see: frontrow jobs)"
            )
        return self.jobs(found[0])[0]

    def exploration(self, job: str) -> Path:
        """The folder of an exploration's checkpoints."""
        return self.path.parent / "explorations" / job

    def forget(self, job: str) -> None:
        """Delete a job with its units, results and checkpoints.

        Raises:
            StoreError: while a process works on it, or if the ledger can only be read.
        """
        self._db.require_writable()
        with self.lock(job) as lock:
            if not lock.try_acquire():
                raise StoreError(f"job {job}: found {lock.holder()} working on it, expected nobody")
            with self._db.transaction():
                self._db.execute("DELETE FROM jobs WHERE id = ?", job)
            shutil.rmtree(self.exploration(job), ignore_errors=True)
            lock.remove()

    # Units and results

    def add_units(self, job: str, epoch: int, units: Iterable[WorkUnit]) -> None:
        """Enter all units of a job in one transaction."""
        with self._db.transaction():
            self._check_epoch(job, epoch)
            self._insert_units(job, units, None)

    def _insert_units(self, job: str, units: Iterable[WorkUnit], parent: int | None) -> None:
        for unit in units:
            blob = encode(unit.rows)
            crc = unit_crc(unit.number, blob)
            self._db.insert("units", (job, unit.number, parent, unit.cost, blob, crc))

    def left(self, job: str) -> dict[int, int]:
        """Cost of the units made of the rest of each unit that left one."""
        rows = self._db.select(
            "SELECT parent, sum(cost) AS cost FROM units WHERE job = ? AND parent >= 0 GROUP BY parent",
            job,
        )
        return {row["parent"]: row["cost"] for row in rows}

    def pending(self, job: str) -> list[tuple[int, int]]:
        """Number and cost of each unit without a result, by number."""
        rows = self._db.select(
            """SELECT number, cost FROM units WHERE job = ?1 AND number NOT IN (SELECT number FROM results
            WHERE job = ?1) ORDER BY number""",
            job,
        )
        return [(row["number"], row["cost"]) for row in rows]

    def unit(self, job: str, number: int) -> WorkUnit:
        """Read one unit.

        Raises:
            StoreError: if it is damaged.
        """
        [[cost, blob, crc]] = self._db.select(
            "SELECT cost, rows, crc FROM units WHERE job = ? AND number = ?", job, number
        )
        if unit_crc(number, blob) != crc:
            raise damaged(self.path, job, f"unit {number}")
        return WorkUnit(number, decode(blob), cost)

    def done(self, job: str) -> list[Done]:
        """Every unit's accepted result.

        Raises:
            StoreError: if one is damaged.
        """
        rows = self._db.select(
            """SELECT number, cost, counts, nodes, rest, results.crc, seconds FROM results
            JOIN units USING (job, number) WHERE job = ? AND copy = 0 ORDER BY number""",
            job,
        )
        for number, _, counts, nodes, rest, crc, _ in rows:
            if result_crc(number, counts, nodes, rest) != crc:
                raise damaged(self.path, job, f"the result of unit {number}")
        return [
            Done(number, cost, tuple(decode(counts)), nodes, seconds)
            for number, cost, counts, nodes, _, _, seconds in rows
        ]

    def commit(
        self,
        job: str,
        epoch: int,
        results: Iterable[UnitResult],
        cuts: Cut,
        *,
        seconds: float,
        setup_seconds: float,
    ) -> Committed:
        """Enter results, and the units made of what their budgets left, in one transaction.

        A result of a unit that has one already is compared with it and never added.

        Raises:
            StoreError: if another process owns the job now, or the disk is full; nothing is entered then.
        """
        accepted: list[UnitResult] = []
        children: dict[int, Sequence[WorkUnit]] = {}
        disputes: list[str] = []
        agreed = 0
        with self._db.transaction():
            self._check_epoch(job, epoch)
            for result in results:
                copy, dispute = self._enter(job, epoch, result)
                if dispute:
                    disputes.append(dispute)
                elif copy:
                    agreed += 1
                else:
                    accepted.append(result)
                    made = self._make_children(job, result.number, cuts.get(result.number, ()))
                    children |= {result.number: made} if made else {}
            self._db.execute(
                "UPDATE jobs SET seconds = ?, setup_seconds = ?, updated = ? WHERE id = ?",
                *(seconds, setup_seconds, now(), job),
            )
        return Committed(tuple(accepted), agreed, tuple(disputes), children)

    def add_copies(self, job: str, epoch: int, results: Iterable[UnitResult]) -> tuple[str, ...]:
        """Enter second results of units that have one, in one transaction.

        Returns:
            One line for each that contradicts the first one.
        """
        with self._db.transaction():
            self._check_epoch(job, epoch)
            told = [self._enter(job, epoch, result)[1] for result in results]
        return tuple(filter(None, told))

    def recounted(self, job: str) -> set[int]:
        """Numbers of the units that were computed a second time on purpose."""
        rows = self._db.select(
            "SELECT DISTINCT number FROM results WHERE job = ? AND copy > 0 AND kernel LIKE ?",
            *(job, f"{RECOUNT}%"),
        )
        return {row["number"] for row in rows}

    def _enter(self, job: str, epoch: int, result: UnitResult) -> tuple[int, str]:
        """Insert one result; its copy number, and a line if it contradicts the first one."""
        counts, rest = encode(list(result.counts)), digest(result.rest)
        known = self._db.select(
            "SELECT counts, rest, worker FROM results WHERE job = ? AND number = ? ORDER BY copy",
            *(job, result.number),
        )
        crc = result_crc(result.number, counts, result.nodes, rest)
        head = (job, result.number, len(known), result.attempt, epoch, result.budget)
        found = (counts, result.nodes, rest, crc)
        self._db.insert("results", (*head, *found, result.seconds, result.worker, result.host, result.kernel))
        if not known or (known[0]["counts"], known[0]["rest"]) == (counts, rest):
            return len(known), ""
        return len(known), (
            f"unit {result.number}: found {list(result.counts)} by {result.worker}, "
            f"expected {decode(known[0]['counts'])} as by {known[0]['worker']}"
        )

    def _make_children(self, job: str, parent: int, cut: Sequence[tuple[Rows, int]]) -> list[WorkUnit]:
        if not cut:
            return []
        first = self._db.select("SELECT max(number) + 1 FROM units WHERE job = ?", job)[0][0]
        units = [WorkUnit(first + index, rows, cost) for index, (rows, cost) in enumerate(cut)]
        self._insert_units(job, units, parent)
        return units

    def _check_epoch(self, job: str, epoch: int) -> None:
        found = self._db.select("SELECT epoch FROM jobs WHERE id = ?", job)
        if [row["epoch"] for row in found] != [epoch]:
            raise StoreError(
                f"job {job}: found it taken over or forgotten by another process, expected to own it"
            )
