"""Files of records: a heading, then records of a length, a checksum and a msgpack map; docs/format.md.

Both ways are streams: a file may be larger than the memory.
"""

import enum
import os
import struct
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple, Self

from frontrow.search.errors import StoreError
from frontrow.search.parameter import shown
from frontrow.workers.wire import decode, encode

MAGIC = b"FROW"
VERSION = 1
"""Layout of the file; a file of a higher number is refused."""
_HEADING = struct.Struct("<4sHH")
_PREFIX = struct.Struct("<II")


class Kind(enum.IntEnum):
    """What a file holds."""

    EXPORT = 1
    CHECKPOINT = 2


class Record(NamedTuple):
    """One record of a file.

    Attributes:
        offset: byte at which it begins.
        data: all its bytes, length and checksum included.
        value: what it says.
    """

    offset: int
    data: bytes
    value: dict[str, Any]


def pack_record(value: Mapping[str, Any]) -> bytes:
    """All bytes of a record: the checksum is over the length and the map."""
    body = encode(value)
    length = struct.pack("<I", len(body))
    return length + struct.pack("<I", zlib.crc32(body, zlib.crc32(length))) + body


class RecordWriter:
    """Writes a file from its heading on."""

    def __init__(self, file: BinaryIO, kind: Kind) -> None:
        """Write the heading."""
        self._file = file
        file.write(_HEADING.pack(MAGIC, VERSION, kind))

    def write(self, value: Mapping[str, Any]) -> bytes:
        """Append a record and return its bytes."""
        data = pack_record(value)
        self._file.write(data)
        return data

    def rewrite_first(self, value: Mapping[str, Any]) -> None:
        """Replace the first record by one of the same length."""
        self._file.seek(_HEADING.size)
        self._file.write(pack_record(value))
        self._file.seek(0, os.SEEK_END)


class RecordReader:
    """Reads a file of records, one after the other or by their place.

    Attributes:
        dropped: bytes at the end of a log that hold an incomplete record and were left out, known after
            reading to the end. More of them than a record can have mean damage.
    """

    def __init__(self, path: str | Path, kind: Kind, *, log: bool = False) -> None:
        """Open a file.

        Args:
            path: the file.
            kind: what it has to hold.
            log: whether records are appended one by one, so that the last one may be incomplete.

        Raises:
            StoreError: if it cannot be read, is of another kind, of a newer version or no such file at all.
        """
        self.path = path
        self.dropped = 0
        self._log = log
        try:
            self._file: BinaryIO = open(path, "rb")  # noqa: SIM115 - closed by `close`
            self._size = os.fstat(self._file.fileno()).st_size
            heading = self._file.read(_HEADING.size)
        except OSError as error:
            raise StoreError(f"{path}: cannot be read ({error.strerror})") from error
        try:
            self._check(heading, kind)
        except StoreError:
            self.close()
            raise

    def _check(self, heading: bytes, kind: Kind) -> None:
        if len(heading) < _HEADING.size or heading[: len(MAGIC)] != MAGIC:
            raise self.error(0, f"found {shown(heading[: len(MAGIC)])}", "a file of Frontrow")
        _, version, found = _HEADING.unpack(heading)
        if not 1 <= version <= VERSION:
            raise self.error(4, f"found version {version}", f"{VERSION} or older")
        if found != kind:
            raise self.error(6, f"found kind {found}", f"{kind.value} ({kind.name.lower()})")

    def error(self, offset: int, found: str, expected: str) -> StoreError:
        """What to raise about a place of the file."""
        return StoreError(f"{self.path}, byte {offset}: {found}, expected {expected}")

    def __iter__(self) -> Iterator[Record]:
        """Read every record from the first on.

        Raises:
            StoreError: if one is damaged; it names the byte at which that record begins.
        """
        offset = _HEADING.size
        while offset < self._size:
            try:
                record = self.at(offset)
            except StoreError:
                if self._log and self._is_torn(offset):
                    self.dropped = self._size - offset
                    return
                raise
            yield record
            offset += len(record.data)

    def at(self, offset: int) -> Record:
        """Read the record that begins at a byte.

        Raises:
            StoreError: if it is damaged.
        """
        try:
            self._file.seek(offset)
            prefix = self._file.read(_PREFIX.size)
            length, crc = _PREFIX.unpack(prefix) if len(prefix) == _PREFIX.size else (0, 0)
            end = offset + _PREFIX.size + length
            if len(prefix) < _PREFIX.size or end > self._size:
                raise self.error(offset, f"found a record that is cut off at byte {self._size}", "all of it")
            body = self._file.read(length)
        except OSError as error:
            raise StoreError(f"{self.path}: cannot be read ({error.strerror})") from error
        if zlib.crc32(body, zlib.crc32(prefix[:4])) != crc:
            raise self.error(offset, "found a damaged record (checksum)", "it intact")
        try:
            value = decode(body)
        except ValueError as error:
            raise StoreError(f"{self.path}, byte {offset}: {error}") from error
        if not isinstance(value, dict):
            raise self.error(offset, f"found a {type(value).__name__}", "a map")
        return Record(offset, prefix + body, value)

    def _is_torn(self, offset: int) -> bool:
        """Whether a damaged record is the last thing in the file, or nothing but zeros follow."""
        self._file.seek(offset)
        prefix = self._file.read(_PREFIX.size)
        if len(prefix) < _PREFIX.size or offset + _PREFIX.size + _PREFIX.unpack(prefix)[0] >= self._size:
            return True
        self._file.seek(offset)
        return not any(any(block) for block in iter(lambda: self._file.read(1 << 16), b""))

    def close(self) -> None:
        """Close the file; safe to call twice."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
