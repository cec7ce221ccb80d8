"""Checkpoints: what a later run needs to go on from a finished layer or a search, one file each."""

import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import numpy as np

from frontrow.cluster.exploration.result import Layer
from frontrow.search.errors import DiskLimitError, StoreError
from frontrow.workers.file import replacing
from frontrow.workers.records import Kind, Record, RecordReader, RecordWriter

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

    def _is_usable(self, found: Found) -> bool:
        """Whether one can go on from what is described, so that its records are to be looked through."""
        return True

    def _staying(self, path: Path) -> set[Path]:
        """Files after a new one from which others can go on."""
        return set()

    def _write(self, number: int, head: Mapping[str, Any], parts: Iterable[Mapping[str, Any]]) -> None:
        """Write a checkpoint; the file appears when it is complete.

        Files that are damaged, or of higher numbers, which nobody could go on from, then make room; what was
        left incomplete does so before.

        Args:
            number: of the file.
            head: the first record.
            parts: the others; each has a ``role``.

        Raises:
            DiskLimitError: if it would take more of the disk than it may.
            FrontrowError: if it cannot be written.
        """
        path = self.folder / self.file_name.format(number)
        make_folder(self.folder)
        self._discard_incomplete()
        if path.is_dir():
            discard(path)
        with replacing(path, "checkpoint", plain=True) as file:
            writer, written = RecordWriter(file, Kind.CHECKPOINT), 0
            writer.write({"job": self._job, **head})
            for part in parts:
                writer.write(part)
                written += 1
                self.check_room()
            writer.write({"end": True, "parts": written})
        staying = self._staying(path) - self._damaged
        useless = {each for each in self._files() if each > path} | (self._damaged - {path})
        self._damaged.clear()
        for each in useless - staying:
            discard(each)
        for old in [each for each in self._files() if each not in staying][KEPT:]:
            discard(old)

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
        return next(self.headings(), None)

    def headings(self) -> Iterator[Found]:
        """The checkpoints from the last one on, as far as their first records say and can be read."""
        for path in self._files():
            try:
                with RecordReader(path, Kind.CHECKPOINT) as reader:
                    record = next(iter(reader), None)
                    found = None if record is None else self._understood(reader, record)
            except StoreError:
                continue
            if found is not None:
                yield found

    def _understood(self, reader: RecordReader, record: Record) -> Found:
        """What the first record says.

        Raises:
            StoreError: if it is another job's, or that of something else.
        """
        job = record.value.get("job")
        if job != self._job:
            raise reader.error(record.offset, f"found job {job}", self._job)
        try:
            return self._described(Path(reader.path), record.value)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise reader.error(
                record.offset, "found a file of something else", "the first record of a checkpoint"
            ) from error

    def _discard_incomplete(self) -> None:
        """Delete files that did not become complete before their process was killed."""
        for path in self.folder.glob(".*.part"):
            discard(path)

    @property
    def room(self) -> int:
        """Bytes that the files may take besides."""
        return self._disk - self.used()

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
        found, parts, ended = None, 0, False
        with RecordReader(path, Kind.CHECKPOINT) as reader:
            for record in reader:
                if found is None:
                    found = self._understood(reader, record)
                    if not self._is_usable(found):
                        return found
                elif "role" in record.value:
                    parts += 1
                else:
                    ended = record.value.get("parts") == parts
            if found is None or not ended:
                raise StoreError(f"{path}: found {parts} parts and no end, expected all of the checkpoint")
        return found

    def remove(self) -> None:
        """Delete the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)


class Checkpoints(CheckpointFolder[Checkpoint]):
    """The checkpoints of an exploration, numbered by the last layer, beside layers of the way to the goal."""

    file_name = "layer-{:05d}.frow"
    trail_name = "trail-{:05d}.frow"
    """Of one layer by its depth."""

    def __init__(self, folder: Path, job: str, disk: int, table: str | None = None) -> None:
        """Args: table: kind of the tables that are to go on from them; None for any; the others as above."""
        super().__init__(folder, job, disk)
        self._table = table

    def _is_usable(self, found: Checkpoint) -> bool:
        return self._table is None or takes_over(self._table, found.table)

    def _staying(self, path: Path) -> set[Path]:
        return {each.path for each in self.headings() if each.path > path and not self._is_usable(each)}

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
        """How many layers the last checkpoint has that such tables can take over; 0 without one."""
        return next((len(each.layers) for each in self.headings() if takes_over(table, each.table)), 0)

    def leave_out(self, path: Path) -> None:
        """Take a checkpoint for damaged."""
        self._damaged.add(path)

    def tidy(self) -> None:
        """Delete what no checkpoint needs: incomplete files, and layers of a way beyond all checkpoints."""
        self._discard_incomplete()
        intact = (each for each in self.headings() if each.path not in self._damaged)
        needed = max((len(each.layers) for each in intact), default=0)
        for path in self.folder.glob(self.trail_name.partition("{")[0] + "*.frow"):
            if path.name >= self.trail_name.format(needed):
                discard(path)

    def _described(self, path: Path, head: dict[str, Any]) -> Checkpoint:
        layers = tuple(Layer.from_json(values) for values in head["layers"])
        return Checkpoint(path, head["table"], layers, float(head["seconds"]))


def takes_over(table: str, kept: str) -> bool:
    """Whether tables of one kind can go on from what others kept.

    Layers are a kind of table only where few of them are enough, and there a hash table keeps no more.
    """
    return table == kept or "rank" not in (table, kept)


def make_folder(folder: Path) -> None:
    """Make a folder unless it is there.

    Raises:
        StoreError: if it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{folder}: cannot be made ({error.strerror})") from error


def discard(path: Path) -> None:
    """Delete a file, or what somebody put into its place.

    Raises:
        StoreError: if it cannot be deleted.
    """
    try:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"{path}: cannot be deleted ({error.strerror})") from error
