"""The ledger's file: opened, checked, written in transactions, its failures explained."""

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from frontrow.cluster.checksum import answer_crc
from frontrow.search.errors import StoreError

APPLICATION = 0x46524F57  # "FROW"
SCHEMA = 2
"""Layout of the file; a file of a higher number is refused, one of a lower number is brought up to it."""

ROOM = 1 << 16
"""Bytes free on a disk without which SQLite cannot open a file to write: it makes others beside it."""

_TABLES = """
CREATE TABLE jobs (
    id TEXT PRIMARY KEY, verb TEXT NOT NULL, problem TEXT NOT NULL, "values" TEXT NOT NULL,
    version INTEGER NOT NULL, source TEXT NOT NULL, file TEXT NOT NULL,
    state TEXT NOT NULL, created TEXT NOT NULL, updated TEXT NOT NULL,
    epoch INTEGER NOT NULL, method TEXT NOT NULL, kernel TEXT NOT NULL, engine TEXT NOT NULL,
    workers INTEGER NOT NULL, seconds REAL NOT NULL, setup_seconds REAL NOT NULL,
    answer TEXT, earlier TEXT, error TEXT NOT NULL, answer_crc INTEGER, earlier_crc INTEGER,
    options TEXT NOT NULL DEFAULT '{}', imported TEXT NOT NULL DEFAULT ''
);
CREATE TABLE units (
    job TEXT NOT NULL REFERENCES jobs(id) ON DELETE CASCADE, number INTEGER NOT NULL, parent INTEGER,
    cost INTEGER NOT NULL, rows BLOB NOT NULL, crc INTEGER NOT NULL,
    PRIMARY KEY (job, number)
) WITHOUT ROWID;
CREATE TABLE results (
    job TEXT NOT NULL REFERENCES jobs(id) ON DELETE CASCADE, number INTEGER NOT NULL, copy INTEGER NOT NULL,
    attempt INTEGER NOT NULL, epoch INTEGER NOT NULL, budget INTEGER, counts BLOB NOT NULL,
    nodes INTEGER NOT NULL, rest TEXT NOT NULL, crc INTEGER NOT NULL, seconds REAL NOT NULL,
    worker TEXT NOT NULL, host TEXT NOT NULL, kernel TEXT NOT NULL,
    PRIMARY KEY (job, number, copy)
) WITHOUT ROWID;
"""


class Database:
    """One SQLite file in WAL mode: one writer at a time, and readers never block it.

    Attributes:
        path: the file.
        obstacle: why it can only be read; empty if it can be written.
        schema: the layout of the file; below `SCHEMA` only where it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        """Open the file, only to read where it cannot be written; a new one is made.

        Raises:
            StoreError: if it cannot be read or made, is no ledger, or is of a newer version. Nothing is
                overwritten then.
        """
        self.path = path
        self.obstacle = ""
        with self._explained():
            path.parent.mkdir(parents=True, exist_ok=True)
            file = Path(os.path.realpath(path))  # beside which SQLite has its other files
            self.obstacle = _obstacle(file)
            self._connection = sqlite3.connect(
                _address(file, self.obstacle),
                timeout=30,
                isolation_level=None,
                check_same_thread=False,
                uri=True,
            )
            self._connection.row_factory = sqlite3.Row
            try:
                self._prepare()
            except BaseException:
                self.close()
                raise

    def _prepare(self) -> None:
        application = self._pragma("application_id")
        self.schema = self._pragma("user_version")
        empty = self._is_empty()
        if application != APPLICATION and not (empty and application == 0 and self.schema == 0):
            raise StoreError(f"{self.path}: found a database of another program, expected a Frontrow ledger")
        if self.schema > SCHEMA:
            raise StoreError(
                f"{self.path}: found a ledger of version {self.schema}, expected {SCHEMA} or older"
            )
        if self.obstacle:
            if empty:
                self.require_writable()
            return
        self.execute("PRAGMA journal_mode = WAL")
        self.execute("PRAGMA foreign_keys = ON")
        self.set_durable(False)
        if self.schema < SCHEMA:
            with self.transaction():
                # Another process may have been quicker between the look and the lock.
                self.schema = self._pragma("user_version")
                if self.schema == 0:
                    for statement in _TABLES.split(";"):
                        self.execute(statement)
                    self.execute(f"PRAGMA application_id = {APPLICATION}")
                elif self.schema == 1:
                    self._add_columns()
                self.execute(f"PRAGMA user_version = {max(self.schema, SCHEMA)}")
            self.schema = SCHEMA

    def _add_columns(self) -> None:
        """Bring the file from version 1 to version 2."""
        for column in ("answer_crc", "earlier_crc"):
            self.execute(f"ALTER TABLE jobs ADD COLUMN {column} INTEGER")
        self.execute("ALTER TABLE jobs ADD COLUMN options TEXT NOT NULL DEFAULT '{}'")
        self.execute("ALTER TABLE jobs ADD COLUMN imported TEXT NOT NULL DEFAULT ''")
        for job, answer, earlier in self.select("SELECT id, answer, earlier FROM jobs"):
            self.execute(
                "UPDATE jobs SET answer_crc = ?, earlier_crc = ? WHERE id = ?",
                *(answer_crc(job, answer), answer_crc(job, earlier), job),
            )

    def require_writable(self) -> None:
        """Refuse what needs writing.

        Raises:
            StoreError: if the file can only be read.
        """
        if self.obstacle:
            raise StoreError(f"{self.path}: cannot be written ({self.obstacle})")

    def _pragma(self, name: str) -> int:
        return int(self._connection.execute(f"PRAGMA {name}").fetchone()[0])

    def _is_empty(self) -> bool:
        return bool(self._connection.execute("SELECT count(*) = 0 FROM sqlite_master").fetchone()[0])

    def set_durable(self, durable: bool) -> None:
        """Whether each commit waits for the disk (a power cut loses nothing) or for the system only."""
        self.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All of the block or nothing of it.

        Raises:
            StoreError: if it cannot be written.
        """
        self.require_writable()
        with self._explained():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):  # SQLite has rolled back by itself on a full disk
                    self._connection.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[None]:
        """Reads within the block see the ledger as it was at the first of them; nothing can be written."""
        self.execute("BEGIN")
        try:
            yield
        finally:
            self.execute("ROLLBACK")

    def select(self, query: str, *values: object) -> list[sqlite3.Row]:
        """All rows of a query."""
        with self._explained():
            return self._connection.execute(query, values).fetchall()

    def stream(self, query: str, *values: object) -> Iterator[sqlite3.Row]:
        """The rows of a query one by one; within a `snapshot`, however many there are."""
        with self._explained():
            yield from self._connection.execute(query, values)

    def execute(self, statement: str, *values: object) -> None:
        """Run one statement."""
        with self._explained():
            self._connection.execute(statement, values)

    def insert(self, table: str, row: tuple[object, ...]) -> None:
        """Insert one row that has a value for every column."""
        self.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(row))})", *row)

    def close(self) -> None:
        """Close the file; safe to call twice."""
        self._connection.close()

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn the errors of SQLite and of the system into one line that names the file."""
        try:
            yield
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise StoreError(f"{self.path}: {_explain(str(error), self.obstacle)}") from error
        except (FileExistsError, NotADirectoryError) as error:
            raise StoreError(f"{error.filename}: found a file, expected a folder") from error
        except OSError as error:
            raise StoreError(f"{self.path.parent}: cannot be written ({error.strerror})") from error


def _beside(path: Path, suffix: str) -> Path:
    """A file that SQLite keeps beside the ledger: ``-wal`` has recent commits, ``-shm`` finds them."""
    return path.with_name(path.name + suffix)


def _obstacle(path: Path) -> str:
    """Why the ledger can only be read; empty if it can be written, or made.

    Nothing is opened to find out: closing a file gives up all locks that SQLite has on it in this process.

    Raises:
        StoreError: if it cannot be read, or is not there and cannot be made.
    """
    folder, there = path.parent, os.path.exists(path)
    if not _may(folder, os.X_OK) or (there and not _may(path, os.R_OK)):
        raise StoreError(f"{path}: cannot be read (permission denied)")
    kept = [each for suffix in ("", "-wal", "-shm") if (each := _beside(path, suffix)).exists()]
    disk = os.statvfs(folder)
    if not _may(folder, os.W_OK) or not all(_may(each, os.W_OK) for each in kept):
        obstacle = "read-only file system" if disk.f_flag & os.ST_RDONLY else "permission denied"
    elif len(kept) < 3 and disk.f_blocks and disk.f_bavail * disk.f_frsize < ROOM:
        obstacle = "the disk is full"
    else:
        return ""
    if not there:
        raise StoreError(f"{path}: cannot be written ({obstacle})")
    return obstacle


def _may(path: Path, mode: int) -> bool:
    return os.access(path, mode, effective_ids=os.access in os.supports_effective_ids)


def _address(path: Path, obstacle: str) -> str:
    """How SQLite is to open the file.

    What can only be read must not get new files beside it, which would then be another user's; without these
    it is read as a file that nobody changes, as long as nothing is in the log.

    Raises:
        StoreError: if there are commits in the log that only a writer can take over.
    """
    address = path.as_uri()
    if not obstacle:
        return address
    log, index = _beside(path, "-wal"), _beside(path, "-shm")
    if log.exists() and index.exists() and _may(log, os.R_OK) and _may(index, os.R_OK):
        return f"{address}?mode=ro"
    if not log.exists() or not log.stat().st_size:
        return f"{address}?mode=ro&immutable=1"
    raise StoreError(
        f"{path}: cannot be read (there are commits in {log.name} that only who may write can take over)"
    )


def _explain(text: str, obstacle: str) -> str:
    if "full" in text:
        return "the disk is full; what was committed is kept: free some space and repeat the command"
    if "unable to open" in text and obstacle:
        return f"cannot be read ({text})"
    if "readonly" in text or "unable to open" in text:
        return f"cannot be written ({text})"
    if "not a database" in text or "malformed" in text or "codec" in text:
        return f"found a damaged or foreign file ({text}), expected a Frontrow ledger; it is left as it is"
    return text
