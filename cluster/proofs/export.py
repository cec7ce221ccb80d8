"""Counts as files that others can check and take over; the format is that of docs/format.md."""

import dataclasses
import hashlib
import json
import sqlite3
import stat
from array import array
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from frontrow.cluster.checksum import answer_crc, result_crc, unit_crc
from frontrow.cluster.job import NO_OPTIONS, Job, JobRow
from frontrow.cluster.jobrow import damaged
from frontrow.cluster.proofs.audit import audit
from frontrow.cluster.proofs.proof import END, Entry, Heading, Outcome
from frontrow.cluster.store import Store, now
from frontrow.search.errors import DisputedError, StoreError, UsageError
from frontrow.search.own.files import is_file
from frontrow.search.parameter import shown
from frontrow.workers.file import replacing
from frontrow.workers.records import MAGIC, Kind, Record, RecordReader, RecordWriter
from frontrow.workers.unit import load_countable
from frontrow.workers.wire import decode, encode

Made = TypeVar("Made", Heading, Entry)

_ENTRIES = """
SELECT units.number, parent, cost, rows, units.crc AS unit_crc, attempt, results.epoch, budget, counts, nodes,
    rest, results.crc AS result_crc, seconds, worker, host, kernel
FROM units LEFT JOIN results ON results.job = units.job AND results.number = units.number AND copy = 0
WHERE units.job = ?1
"""
_ORDER = "ORDER BY units.number"
_ONE = "AND units.number = ?2"


def check_is_count(row: JobRow) -> None:
    """Refuse what has no units.

    Raises:
        UsageError: unless it is a count.
    """
    if row.verb != "count":
        raise UsageError(f"job {row.id}: found a job of {row.verb}, expected one of count: it has no units")


class LedgerSource:
    """A job of the ledger (`frontrow.cluster.proofs.proof.Source`).

    Attributes:
        store: the ledger.
        dispute: why the job is disputed; empty unless it is.
    """

    def __init__(self, store: Store, row: JobRow) -> None:
        """Read what the ledger says about the job as a whole.

        Raises:
            StoreError: if that is damaged.
            UsageError: if it is no count, or its problem is not known here.
        """
        row.checked()
        check_is_count(row)
        self.store = store
        self.dispute = row.error if row.state == "disputed" else ""
        problem = load_countable(row.ref)
        self.heading = Heading(
            id=row.id,
            job=Job(row.verb, row.ref),
            state=row.state if row.state in ("done", "disputed") else "partial",
            created=row.created,
            finished=row.updated,
            method=row.method,
            kernel=row.kernel,
            engine=row.engine,
            workers=row.workers,
            seconds=row.seconds,
            setup_seconds=row.setup_seconds,
            tallies=tuple(problem.tallies),
            maxima=tuple(problem.maxima),
            units=row.units,
            answer=row.answer,
            digest=bytes(hashlib.sha256().digest_size),
        )

    def entries(self) -> Iterator[Entry]:
        """Every unit from the first on.

        Raises:
            StoreError: if one is damaged.
        """
        return map(self._entry, self.store.database.stream(_ENTRIES + _ORDER, self.heading.id))

    def entry(self, number: int) -> Entry:
        """One unit.

        Raises:
            StoreError: if it is damaged or gone.
        """
        rows = self.store.database.select(_ENTRIES + _ONE, self.heading.id, number)
        if not rows:
            raise StoreError(
                f"{self.store.path}: found no unit {number} of job {self.heading.id}, expected it"
            )
        return self._entry(rows[0])

    def _entry(self, row: sqlite3.Row) -> Entry:
        number, outcome = row["number"], None
        intact = unit_crc(number, row["rows"]) == row["unit_crc"]
        if row["counts"] is not None:
            intact &= result_crc(number, row["counts"], row["nodes"], row["rest"]) == row["result_crc"]
        if not intact:
            raise damaged(self.store.path, self.heading.id, f"unit {number}")
        if row["counts"] is not None:
            outcome = Outcome(
                *(row["attempt"], row["epoch"], row["budget"], tuple(decode(row["counts"]))),
                *(row["nodes"], row["rest"], row["seconds"], row["worker"], row["host"], row["kernel"]),
            )
        return Entry(number, row["parent"], row["cost"], decode(row["rows"]), outcome)


class FileSource:
    """An export (`frontrow.cluster.proofs.proof.Source`)."""

    def __init__(self, path: str | Path, *, trust: bool = False) -> None:
        """Open a file and read what it says about the job as a whole.

        Args:
            path: the file.
            trust: whether Python source that it may carry, that of a person's own problem, may be run.

        Raises:
            StoreError: if it cannot be read, is damaged, is no export or is of a newer version.
            UsageError: if there is none, it is no regular file, or it carries Python source that is not
                trusted.
        """
        self.path = path
        if not _is_file(Path(path)):
            raise UsageError(f"{path}: found no such file, expected an export")
        self._reader = RecordReader(path, Kind.EXPORT)
        self._places = array("q")
        try:
            first = next(iter(self._reader), None)
            if first is None:
                raise self._reader.error(0, "found no record", "a job")
            self.heading = self._made(Heading, first)
            self._refuse_code(trust)
        except BaseException:
            self.close()
            raise

    def _refuse_code(self, trust: bool) -> None:
        """Run nothing that somebody else wrote, unless that is allowed.

        Raises:
            UsageError: if the file carries Python source that is not trusted.
            StoreError: if it means a Python file of this machine.
        """
        ref = self.heading.job.ref
        if not ref.source and is_file(ref.name):
            raise StoreError(f"{self.path}: found the problem {shown(ref.name)}, expected one without a path")
        if ref.source and not trust:
            raise UsageError(
                f"{self.path}: found Python source in it ({shown(ref.file)}), expected --trust, "
                "which allows to run it"
            )

    def _made(self, kind: type[Made], record: Record) -> Made:
        try:
            return kind.from_record(record.value)
        except ValueError as error:
            raise StoreError(f"{self._reader.path}, byte {record.offset}: {error}") from error

    def entries(self) -> Iterator[Entry]:
        """Every unit from the first on.

        Raises:
            StoreError: if anything is damaged, or the units do not have the digest that is stated.
        """
        digest, end, count = hashlib.sha256(), None, 0
        self._places = array("q")
        records = iter(self._reader)
        next(records)
        for record in records:
            if end is not None:
                raise self._reader.error(record.offset, "found a record after the end mark", "none")
            if record.value.get("record") == END:
                end = record
                continue
            digest.update(record.data)
            self._places.append(record.offset)
            count += 1
            yield self._made(Entry, record)
        if end is None:
            raise StoreError(f"{self._reader.path}: found no end mark after {count} units, expected one")
        for record_of, units, found in (
            ("the heading", self.heading.units, self.heading.digest),
            ("the end mark", end.value.get("units"), end.value.get("digest")),
        ):
            if units != count or found != digest.digest():
                raise StoreError(
                    f"{self._reader.path}: found {count} units with the digest {digest.hexdigest()}, "
                    f"expected those that {record_of} states"
                )

    def entry(self, number: int) -> Entry:
        """The unit at a place, from 0.

        Raises:
            StoreError: if it is damaged.
        """
        return self._made(Entry, self._reader.at(self._places[number]))

    def close(self) -> None:
        """Close the file; safe to call twice."""
        self._reader.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def export(store: Store, job: str, path: Path, *, partial: bool = False) -> Heading:
    """Write a job of the ledger to a file; the same job always makes the same bytes.

    Args:
        store: the ledger.
        job: the job's id.
        path: the file; an export that is there is replaced.
        partial: whether a job that is not done is written as well, marked as such.

    Raises:
        UsageError: if the job has no units or is not done, another file is there, or none can be made.
        StoreError: if the ledger is damaged.
        FrontrowError: if the file cannot be written to its end; no part of it is left then.
    """
    _check_target(path)
    with store.database.snapshot():
        row = store.jobs(job)[0].checked()
        check_is_count(row)
        if row.state != "done" and (not partial or row.state == "disputed"):
            hint = "" if row.state == "disputed" else " (or --partial)"
            raise UsageError(f"job {job}: found it {row.state}, expected it done{hint}")
        source = LedgerSource(store, row)
        digest = hashlib.sha256()
        with replacing(path, "file", plain=True) as file:
            writer = RecordWriter(file, Kind.EXPORT)
            writer.write(source.heading.to_record())
            for entry in source.entries():
                digest.update(writer.write(entry.to_record()))
            heading = dataclasses.replace(source.heading, digest=digest.digest())
            writer.write({"record": END, "units": heading.units, "digest": heading.digest})
            writer.rewrite_first(heading.to_record())
    return heading


_KINDS = {stat.S_IFDIR: "folder", stat.S_IFIFO: "pipe", stat.S_IFSOCK: "socket"}


def _is_file(path: Path) -> bool:
    """Whether a regular file is there, and not nothing.

    An export is read and written with going back and forth; opening a pipe may wait for ever besides.

    Raises:
        UsageError: if something else is there.
        StoreError: if that cannot be known.
    """
    try:
        kind = stat.S_IFMT(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise StoreError(f"{path}: cannot be read ({error.strerror})") from error
    if kind != stat.S_IFREG:
        raise UsageError(f"{path}: found a {_KINDS.get(kind, 'device')}, expected a regular file")
    return True


def _check_target(path: Path) -> None:
    """Refuse to write over what is no export.

    Raises:
        UsageError: if something else is there.
        StoreError: if it cannot be read.
    """
    if not _is_file(path):
        return
    try:
        with path.open("rb") as file:
            known = file.read(len(MAGIC)) in (MAGIC, b"")
    except OSError as error:
        raise StoreError(f"{path}: cannot be read ({error.strerror})") from error
    if not known:
        raise UsageError(f"{path}: found something that is no export, expected a new file or an export")


def take_in(store: Store, source: FileSource) -> bool:
    """Enter the job of an export into the ledger, unless it is there.

    What can be checked without counting anything again is checked before. A job that is partial can be gone
    on with.

    Returns:
        Whether it was entered.

    Raises:
        StoreError: if a check fails, or the ledger has begun the job and knows less.
        DisputedError: if the ledger has another answer.
    """
    store.database.require_writable()
    failed = [check for check in audit(source)[0] if not check.passed]
    if failed:
        raise StoreError(f"{source.path}: {failed[0].name}: {failed[0].text}")
    heading = source.heading
    with store.lock(heading.id) as lock:
        if not lock.try_acquire():
            raise StoreError(f"job {heading.id}: found {lock.holder()} working on it, expected nobody")
        known = store.jobs(heading.id)
        if known and known[0].units:
            return _compare(known[0], heading)
        with store.database.transaction():
            store.database.execute("DELETE FROM jobs WHERE id = ?", heading.id)
            _insert(store, source)
    return True


def _compare(row: JobRow, heading: Heading) -> bool:
    """Whether the ledger lacks what an export has: never, or it is an error."""
    row.checked()
    if row.answer is not None:
        if heading.answer is not None and dict(row.answer) != dict(heading.answer):
            found, expected = dict(heading.answer), dict(row.answer)
            raise DisputedError(f"job {row.id}: found {found}, expected {expected} as in the ledger")
        return False
    raise StoreError(
        f"job {row.id}: found it {row.state} in the ledger, expected it done or unknown "
        f"(frontrow forget {row.id} makes room)"
    )


def _insert(store: Store, source: FileSource) -> None:
    heading = source.heading
    insert, ref = store.database.insert, heading.job.ref
    answer = None if heading.answer is None else json.dumps(dict(heading.answer))
    question = (heading.id, heading.job.verb, ref.name, ref.values, ref.version, ref.source, ref.file)
    state = ("interrupted" if answer is None else "done", heading.created, heading.finished)
    how = (0, heading.method, heading.kernel, heading.engine, heading.workers)
    crcs = (answer_crc(heading.id, answer), None)
    found = (heading.seconds, heading.setup_seconds, answer, None, "", *crcs, NO_OPTIONS, now())
    insert("jobs", (*question, *state, *how, *found))
    epoch = 0
    for entry in source.entries():
        blob = encode(entry.rows)
        unit = (heading.id, entry.number, entry.parent, entry.cost, blob, unit_crc(entry.number, blob))
        insert("units", unit)
        done = entry.outcome
        if done is not None:
            epoch = max(epoch, done.epoch)
            counts = encode(list(done.counts))
            crc = result_crc(entry.number, counts, done.nodes, done.rest)
            head = (heading.id, entry.number, 0, done.attempt, done.epoch, done.budget)
            came = (counts, done.nodes, done.rest, crc, done.seconds)
            insert("results", (*head, *came, done.worker, done.host, done.kernel))
    store.database.execute("UPDATE jobs SET epoch = ? WHERE id = ?", epoch, heading.id)
