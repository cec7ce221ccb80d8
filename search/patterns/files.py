"""Files of tables: one a partition, checked when it is opened, built by one process of those that need it.

docs/format.md describes the bytes. A file has its name only once it is complete, and every process of a
machine maps the same one. What a power cut or a disk did to it is found by its checksum.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import secrets
import struct
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from frontrow.search.errors import FrontrowError, StoppedError, TableFileError
from frontrow.search.kernel import cache_root
from frontrow.search.parameter import shown
from frontrow.search.patterns.build import build, states
from frontrow.search.patterns.lookup import TableSet
from frontrow.search.patterns.pattern import Pattern
from frontrow.search.rows import Stop

SUFFIX = ".tables"
VERSION = 2
"""Of what the values mean; files of another one are built again."""
PAGE = 4096
"""The values begin at a multiple of so many bytes."""
_MAGIC, _LAYOUT, _KIND = b"FROW", 1, 3
_HEADING = struct.Struct("<4sHH")
_PREFIX = struct.Struct("<II")
_LONGEST = 1 << 20
"""Bytes of the longest description."""
_WAIT = 0.05
"""Seconds between attempts to get the lock."""

Values = NDArray[np.uint8]
Share = Callable[[float], None]
Message = Callable[[str], None]

_IN_MEMORY = "tables are kept in memory only"


@dataclass(frozen=True, slots=True)
class TableFile:
    """A file in the folder of tables.

    Attributes:
        path: where it is.
        bytes: its size.
        tables: what is in it; None if it is damaged.
        problem: what is wrong with it; empty if nothing is seen without reading the values.
    """

    path: Path
    bytes: int
    tables: TableSet | None
    problem: str


def folder() -> Path:
    """Where the files are: in the user's cache folder, or where ``FRONTROW_TABLES`` says."""
    return Path(os.environ.get("FRONTROW_TABLES") or cache_root() / "tables")


def path_of(tables: TableSet) -> Path:
    """The file of some tables."""
    first = tables.patterns[0]
    sizes = "-".join(str(len(pattern.cells)) for pattern in reversed(tables.patterns))
    name = json.dumps(_described(tables), sort_keys=True).encode()
    digest = hashlib.blake2b(name, digest_size=6).hexdigest()
    return folder() / f"{first.shape}-{sizes}-{digest}{SUFFIX}"


def list_files() -> list[TableFile]:
    """All files by name; values are not read."""
    found = []
    for path in sorted(folder().glob(f"*{SUFFIX}")):
        with contextlib.suppress(FileNotFoundError):
            size = path.stat().st_size
            try:
                found.append(TableFile(path, size, _read_heading(path)[0], ""))
            except TableFileError as error:
                found.append(TableFile(path, size, None, str(error)))
    return found


def load(tables: TableSet) -> Values:
    """Map the values of a file, read-only, after they have been checked.

    Raises:
        TableFileError: if the file is damaged, or is one of another version.
        FileNotFoundError: if there is none.
    """
    path = path_of(tables)
    held, begin, checksum = _read_heading(path)
    if held != tables:
        raise TableFileError(f"{path}: found other tables, expected those of its name")
    values: Values = np.memmap(path, np.uint8, "r", begin, (tables.entries,))
    if _checksum(values) != checksum:
        raise TableFileError(f"{path}, byte {begin}: found damaged values (checksum), expected them intact")
    return values


def open_tables(
    tables: TableSet,
    *,
    threads: int,
    stop: Stop,
    progress: Share = lambda share: None,
    message: Message = lambda text: None,
    room: Callable[[int], None] = lambda size: None,
    must_keep: bool = False,
) -> Values:
    """Map the values of some tables; what is missing or damaged is built, by one process at a time.

    Args:
        tables: which ones.
        threads: that build.
        stop: polled while tables are built, and while another process builds them.
        progress: is told the share that is built, 0 to 1, by any thread.
        message: is told what is built, what is wrong with a file, and that another process builds.
        room: is told how many bytes of memory will be taken, and raises if these are too many.
        must_keep: whether tables are of no use in memory only.

    Returns:
        All values, flat, shape ``(tables.entries,)``.

    Raises:
        StoppedError: if `stop` was raised.
        FrontrowError: if the folder cannot be used, or the tables are to be kept and cannot be.
    """
    unkept = _refuse if must_keep else message
    with contextlib.suppress(FileNotFoundError, TableFileError):
        return load(tables)
    room(tables.entries)
    with _lock(tables, stop, message, unkept) as may_write:
        try:
            return load(tables)
        except FileNotFoundError:
            pass
        except TableFileError as error:
            message(f"{error}; it is built again")
        needed = tables.entries + max(states(pattern) for pattern in tables.patterns)
        room(needed)
        message(f"building {_named(tables)}, once; this takes {size_text(needed)} of memory")
        values = build_all(tables, threads=threads, stop=stop, progress=progress)
        if not may_write:
            return values
        try:
            _write(tables, values)
        except OSError as error:
            unkept(f"{path_of(tables)}: cannot be written ({error.strerror}); {_IN_MEMORY}")
            return values
        del values
        return load(tables)


def build_all(tables: TableSet, *, threads: int, stop: Stop, progress: Share = lambda share: None) -> Values:
    """Build tables in memory.

    Raises:
        StoppedError: if `stop` was raised.
    """
    values = np.zeros(tables.entries, np.uint8)
    total = sum(states(pattern) for pattern in tables.patterns)
    reached = 0

    def add(count: int) -> None:
        nonlocal reached
        reached += count
        progress(reached / total)

    for pattern, begin in zip(tables.patterns, tables.offsets, strict=False):
        part = values[begin : begin + pattern.entries(tables.layout)]
        build(pattern, tables.layout, part, threads=threads, stop=stop, progress=add)
    return values


def _described(tables: TableSet) -> dict[str, Any]:
    """What names some tables."""
    return {
        "shape": str(tables.patterns[0].shape),
        "layout": tables.layout,
        "patterns": [
            {"cells": list(pattern.cells), "region": _members(pattern.region)} for pattern in tables.patterns
        ],
    }


def _named(tables: TableSet) -> str:
    return f"tables of {size_text(tables.entries)} for {tables.patterns[0].shape}"


def size_text(number: int) -> str:
    """A number of bytes, for people."""
    return f"{number / 1e6:,.1f} MB" if number >= 1e5 else f"{number / 1e3:,.1f} kB"


def _refuse(text: str) -> None:
    raise FrontrowError(text.removesuffix(f"; {_IN_MEMORY}"))


def _members(cells: int) -> list[int]:
    return [cell for cell in range(cells.bit_length()) if cells >> cell & 1]


def _checksum(values: Values) -> int:
    return zlib.crc32(np.ascontiguousarray(values).data)


def _write(tables: TableSet, values: Values) -> None:
    """Write a file beside its place and give it its name; the lock is held."""
    path = path_of(tables)
    for left in path.parent.glob(f".{path.name}.*.part"):
        left.unlink(missing_ok=True)  # of a process that was killed
    told = {
        "version": VERSION,
        **_described(tables),
        "entries": tables.entries,
        "checksum": _checksum(values),
    }
    body = json.dumps(told).encode()
    length = struct.pack("<I", len(body))
    start = _HEADING.pack(_MAGIC, _LAYOUT, _KIND) + length
    start += struct.pack("<I", zlib.crc32(body, zlib.crc32(length))) + body
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with part.open("xb") as file:
            file.write(start + b"\0" * (-len(start) % PAGE))
            file.write(values.data)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _read_heading(path: Path) -> tuple[TableSet, int, int]:
    """What a file says that it holds, where its values begin, and their checksum.

    Raises:
        TableFileError: if that is damaged, of another version, or not what the size of the file says.
        FileNotFoundError: if there is none.
    """
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            told, end = _read_description(path, file)
        tables = TableSet(tuple(map(_pattern_reader(told["shape"]), told["patterns"])), told["layout"])
        entries, checksum = int(told["entries"]), int(told["checksum"])
    except FileNotFoundError:
        raise
    except OSError as error:
        raise TableFileError(f"{path}: cannot be read ({error.strerror})") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise TableFileError(
            f"{path}, byte 16: found a description that makes no sense, expected one"
        ) from error
    begin = end + -end % PAGE
    if size != begin + entries or entries != tables.entries:
        raise TableFileError(f"{path}: found {size:,} bytes, expected {begin + tables.entries:,}")
    return tables, begin, checksum


def _read_description(path: Path, file: BinaryIO) -> tuple[dict[str, Any], int]:
    heading, prefix = file.read(_HEADING.size), file.read(_PREFIX.size)
    if len(prefix) < _PREFIX.size or heading[:4] != _MAGIC:
        raise TableFileError(f"{path}, byte 0: found {shown(heading[:4])}, expected a file of Frontrow")
    _, layout, kind = _HEADING.unpack(heading)
    if (layout, kind) != (_LAYOUT, _KIND):
        raise TableFileError(
            f"{path}, byte 4: found version {layout} and kind {kind}, expected {_LAYOUT} and {_KIND} (tables)"
        )
    length, checksum = _PREFIX.unpack(prefix)
    body = file.read(length) if length <= _LONGEST else b""
    if len(body) != length or zlib.crc32(body, zlib.crc32(prefix[:4])) != checksum:
        raise TableFileError(f"{path}, byte 8: found a damaged description (checksum), expected it intact")
    told = json.loads(body)
    if told["version"] != VERSION:
        raise TableFileError(f"{path}: found tables of version {told['version']}, expected {VERSION}")
    return told, file.tell()


def _pattern_reader(shape: str) -> Callable[[dict[str, Any]], Pattern]:
    rows, columns = map(int, shape.split("x"))

    def read(told: dict[str, Any]) -> Pattern:
        return Pattern(rows, columns, tuple(told["cells"]), sum(1 << cell for cell in told["region"]))

    return read


@contextlib.contextmanager
def _lock(tables: TableSet, stop: Stop, message: Message, unkept: Message) -> Iterator[bool]:
    """Hold the lock of a file, which vanishes with its process.

    Yields:
        Whether the folder can be written to; if not, there is no lock.

    Raises:
        StoppedError: if `stop` was raised while another process held it.
    """
    path = path_of(tables).with_suffix(".lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("ab", buffering=0)
    except OSError as error:
        unkept(f"{path.parent}: cannot be written ({error.strerror}); {_IN_MEMORY}")
        yield False
        return
    with file:
        waiting = False
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if not waiting:
                    message(f"{path_of(tables)}: another process builds it; waiting")
                waiting = True
            except OSError as error:
                raise FrontrowError(f"{path}: cannot be locked ({error.strerror})") from error
            if stop[0]:
                raise StoppedError("stopped")
            time.sleep(_WAIT)
        yield True
