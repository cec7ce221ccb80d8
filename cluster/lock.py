"""One owner a job: an operating-system lock that vanishes with its process."""

import contextlib
import fcntl
import os
import socket
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from frontrow.search.errors import StoreError


class JobLock:
    """An exclusive lock on a job, held by at most one process of those that share the store."""

    def __init__(self, folder: Path, job: str) -> None:
        """Args: folder: the store's folder; job: the job's id."""
        self.path = folder / "locks" / job
        self._file: BinaryIO | None = None

    def try_acquire(self) -> bool:
        """Take the lock if it is free.

        Raises:
            StoreError: if the lock file cannot be made.
        """
        while True:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                # Unbuffered: what a full disk refuses must not be tried again when the file is closed.
                file = open(self.path, "a+b", buffering=0)  # noqa: SIM115 - stays open while locked
            except OSError as error:
                raise StoreError(f"{self.path}: cannot be written ({error.strerror})") from error
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                file.close()
                return False
            if self._is_current(file):
                break
            file.close()
        self._file = file
        with contextlib.suppress(OSError):  # who holds it is a courtesy: a full disk must not stop a run
            file.truncate(0)
            file.write(f"process {os.getpid()} on {socket.gethostname()}".encode())
        return True

    def _is_current(self, file: BinaryIO) -> bool:
        """Whether the locked file is still the one at this path (`remove` may have been quicker)."""
        try:
            named = os.stat(self.path)
        except FileNotFoundError:
            return False
        held = os.fstat(file.fileno())
        return (named.st_dev, named.st_ino) == (held.st_dev, held.st_ino)

    def is_held(self) -> bool:
        """Whether some process, this one included, owns the job now."""
        if self._file is not None:
            return True
        try:
            file = open(self.path, encoding="utf-8")  # noqa: SIM115 - closed below
        except OSError:
            return False
        with file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError:
                return True
        return False

    def holder(self) -> str:
        """Who owns the job, as people read it."""
        try:
            return self.path.read_text(encoding="utf-8", errors="replace") or "another process"
        except OSError:
            return "another process"

    def remove(self) -> None:
        """Delete the lock file of a job that nobody works on any more; the last thing to do with the lock.

        Whoever opened the file before finds that it is not the current one, and makes another.
        """
        self.path.unlink(missing_ok=True)

    def release(self) -> None:
        """Give the lock back; safe to call twice."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
