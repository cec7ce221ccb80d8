"""The ledger's file: opened, checked, written in transactions, its failures explained."""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from frontrow.search.errors import StoreError

APPLICATION = 0x46524F57  # "FROW"
SCHEMA = 1
"""Layout of the file; a file of a higher number is refused."""

_TABLES = """
CREATE TABLE jobs (
    id TEXT PRIMARY KEY, verb TEXT NOT NULL, problem TEXT NOT NULL, "values" TEXT NOT NULL,
    version INTEGER NOT NULL, source TEXT NOT NULL, file TEXT NOT NULL,
    state TEXT NOT NULL, created TEXT NOT NULL, updated TEXT NOT NULL,
    epoch INTEGER NOT NULL, method TEXT NOT NULL, kernel TEXT NOT NULL, engine TEXT NOT NULL,
    workers INTEGER NOT NULL, seconds REAL NOT NULL, setup_seconds REAL NOT NULL,
    answer TEXT, earlier TEXT, error TEXT NOT NULL
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
    """One SQLite file in WAL mode: one writer at a time, and readers never block it."""

    def __init__(self, path: Path) -> None:
        """Open the file; a new one is made.

        Raises:
            StoreError: if it cannot be read or written, is no ledger, or is of a newer version. Nothing
                is overwritten then.
        """
        self.path = path
        with self._explained():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(
                path, timeout=30, isolation_level=None, check_same_thread=False
            )
            self._connection.row_factory = sqlite3.Row
            try:
                self._prepare()
            except BaseException:
                self.close()
                raise

    def _prepare(self) -> None:
        application = self._pragma("application_id")
        schema = self._pragma("user_version")
        empty = self._is_empty()
        if application != APPLICATION and not (empty and application == 0 and schema == 0):
            raise StoreError(f"{self.path}: found a database of another program, expected a Frontrow ledger")
        if schema > SCHEMA:
            raise StoreError(f"{self.path}: found a ledger of version {schema}, expected {SCHEMA} or older")
        self.execute("PRAGMA journal_mode = WAL")
        self.execute("PRAGMA foreign_keys = ON")
        self.set_durable(False)
        if empty:
            with self.transaction():
                # Another process may have been quicker between the look and the lock.
                if self._is_empty():
                    for statement in _TABLES.split(";"):
                        self.execute(statement)
                    self.execute(f"PRAGMA application_id = {APPLICATION}")
                    self.execute(f"PRAGMA user_version = {SCHEMA}")

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
        except sqlite3.DatabaseError as error:
            raise StoreError(f"{self.path}: {_explain(str(error))}") from error
        except OSError as error:
            raise StoreError(f"{self.path.parent}: cannot be written ({error.strerror})") from error


def _explain(text: str) -> str:
    if "full" in text:
        return "the disk is full; what was committed is kept: free some space and repeat the command"
    if "readonly" in text or "unable to open" in text:
        return f"cannot be written ({text})"
    if "not a database" in text or "malformed" in text:
        return f"found a damaged or foreign file ({text}), expected a Frontrow ledger; it is left as it is"
    return text
