"""Checkpoints: what a later run needs to go on from a finished layer or a search, one file each."""

import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import numpy as np

from frontrow.cluster.exploration.result import Layer
from frontrow.search.errors import DiskLimitError, StoreError
from frontrow.search.rows import Rows
from frontrow.workers.file import replacing
from frontrow.workers.records import Kind, RecordReader, RecordWriter

if TYPE_CHECKING:
    from frontrow.workers.group import Kept

KEPT = 2
"""Checkpoints that are left in the folder: the last one, and the one before if it is damaged."""
Found = TypeVar("Found")
"""What a checkpoint is for those who go on from it."""


@dataclass(frozen=True, slots=True)
class Written:
    """A file that was looked through from its first byte to its last.

    Attributes:
        path: the file.
    """

    path: Path

    def parts(self) -> Iterator[dict[str, Any]]:
        """The records between the first one and the end; their rows may be kept."""
        with RecordReader(self.path, Kind.CHECKPOINT) as reader:
            for record in reader:
                if "role" in record.value:
                    yield record.value


@dataclass(frozen=True, slots=True)
class Checkpoint(Written):
    """The checkpoint of an exploration.

    Attributes:
        path: the file.
        table: kind of the tables.
        layers: the finished layers.
        seconds: what they took in all runs.
    """

    table: str
    layers: tuple[Layer, ...]
    seconds: float

    def kept(self) -> "Kept":
        """The parts that the tables take over."""
        for part in self.parts():
            yield part["role"], np.ascontiguousarray(part["rows"]), part["counts"]


class CheckpointFolder(Generic[Found]):
    """The folder of a job's checkpoints: files in their order, of which the last good one counts."""

    file_name: ClassVar[str]
    """Of a checkpoint by its number; sorts as the numbers do."""

    def __init__(self, folder: Path, job: str, disk: int) -> None:
        """Args: folder: beside the ledger; job: its id; disk: bytes that its files may take."""
        self.folder = folder
        self._job, self._disk = job, disk
        self._damaged: set[Path] = set()

    def _described(self, path: Path, head: dict[str, Any]) -> Found:
        """What the first record of a file says."""
        raise NotImplementedError

    def _write(self, number: int, head: Mapping[str, Any], parts: Iterable[Mapping[str, Any]]) -> None:
        """Write a checkpoint; the file appears when it is complete.

        Files that are damaged, or of higher numbers, which nobody could go on from, then make room.

        Args:
            number: of the file.
            head: the first record.
            parts: the others; each has a ``role``.

        Raises:
            DiskLimitError: if it would take more of the disk than it may.
            FrontrowError: if it cannot be written.
        """
        path = self.folder / self.file_name.format(number)
        _make(self.folder)
        with replacing(path, "checkpoint", plain=True) as file:
            writer, written = RecordWriter(file, Kind.CHECKPOINT), 0
            writer.write({"job": self._job, **head})
            for part in parts:
                writer.write(part)
                written += 1
                self.check_room()
            writer.write({"end": True, "parts": written})
        useless = {each for each in self._files() if each > path} | (self._damaged - {path})
        self._damaged.clear()
        for each in useless:
            each.unlink(missing_ok=True)
        for old in self._files()[KEPT:]:
            old.unlink(missing_ok=True)

    def check_room(self) -> None:
        """See to it that the files stay within their bytes.

        Raises:
            DiskLimitError: if they do not.
        """
        used = self.used()
        if used > self._disk:
            raise DiskLimitError(
                f"disk: found {used:,} bytes needed so far in {self.folder}, expected at most {self._disk:,} "
                "(--disk)"
            )

    def heading(self) -> Found | None:
        """The last checkpoint that can be read, as far as its first record says."""
        for path in self._files():
            try:
                with RecordReader(path, Kind.CHECKPOINT) as reader:
                    for record in reader:
                        return self._described(path, record.value)
            except StoreError:
                continue
        return None

    def used(self) -> int:
        """Bytes of all files of the job."""
        return sum(path.stat().st_size for path in self.folder.glob("*")) if self.folder.exists() else 0

    def _files(self) -> list[Path]:
        """All checkpoints, the last one first."""
        return sorted(self.folder.glob(self.file_name.partition("{")[0] + "*.frow"), reverse=True)

    def last(self) -> Iterator[Found | StoreError]:
        """The checkpoints from the last one on: each as it is, or what is wrong with it."""
        for path in self._files():
            try:
                yield self._read(path)
            except StoreError as error:
                self._damaged.add(path)
                yield error

    def _read(self, path: Path) -> Found:
        head, parts, ended = None, 0, False
        with RecordReader(path, Kind.CHECKPOINT) as reader:
            for record in reader:
                if head is None:
                    head = record.value
                    if head.get("job") != self._job:
                        raise reader.error(record.offset, f"found job {head.get('job')}", self._job)
                elif "role" in record.value:
                    parts += 1
                else:
                    ended = record.value.get("parts") == parts
            if head is None or not ended:
                raise StoreError(f"{path}: found {parts} parts and no end, expected all of the checkpoint")
        return self._described(path, head)

    def remove(self) -> None:
        """Delete the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)


class Checkpoints(CheckpointFolder[Checkpoint]):
    """The checkpoints of an exploration, numbered by the last layer."""

    file_name = "layer-{:05d}.frow"

    def write(self, table: str, layers: tuple[Layer, ...], seconds: float, kept: "Kept") -> None:
        """Write a checkpoint.

        Raises:
            DiskLimitError: if it would take more of the disk than it may.
            FrontrowError: if it cannot be written.
        """
        head = {"table": table, "layers": [layer.to_json() for layer in layers], "seconds": seconds}
        parts = ({"role": role, "rows": rows, "counts": counts} for role, rows, counts in kept)
        self._write(layers[-1].depth, head, parts)

    def table(self) -> str | None:
        """The kind of the tables of the last checkpoint that can be read; its layers by `heading`."""
        found = self.heading()
        return None if found is None else found.table

    def layers(self, table: str) -> int:
        """How many layers the last checkpoint has; 0 without one, or if it is of another table."""
        found = self.heading()
        return len(found.layers) if found is not None and found.table == table else 0

    def _described(self, path: Path, head: dict[str, Any]) -> Checkpoint:
        layers = tuple(Layer.from_json(values) for values in head["layers"])
        return Checkpoint(path, head["table"], layers, float(head["seconds"]))


def write_rows(path: Path, blocks: Iterator[Rows]) -> None:
    """Write rows to a file of their own; it appears when it is complete.

    Raises:
        FrontrowError: if it cannot be written.
    """
    _make(path.parent)
    with replacing(path, "trail", plain=True) as file:
        writer = RecordWriter(file, Kind.CHECKPOINT)
        for rows in blocks:
            writer.write({"rows": rows})


def _make(folder: Path) -> None:
    """Make a folder unless it is there.

    Raises:
        StoreError: if it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{folder}: cannot be made ({error.strerror})") from error


def read_rows(path: Path) -> Iterator[Rows]:
    """The rows that `write_rows` wrote.

    Raises:
        StoreError: if the file is damaged.
    """
    with RecordReader(path, Kind.CHECKPOINT) as reader:
        for record in reader:
            yield record.value["rows"]
