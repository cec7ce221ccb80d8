"""When the layers of a run are written down, and which checkpoint a run goes on from."""

import time
from pathlib import Path
from typing import TYPE_CHECKING

from frontrow.cluster.exploration.checkpoint import Checkpoint, Checkpoints, takes_over
from frontrow.cluster.exploration.result import Layer
from frontrow.cluster.exploration.trail import Trail
from frontrow.search.errors import StoreError

if TYPE_CHECKING:
    from frontrow.workers.group import Kept

CHECKPOINT = 30.0
"""Seconds between checkpoints, at least."""
LITTLE = 192 << 20
"""Bytes that are written down even when somebody waits for the end: about a second's work."""
FRAMES = 0.02
"""Part by which files may be larger than their rows."""
CHEAP = 10
"""How much longer than it took to write the last checkpoint the next one waits."""


class Saving:
    """The checkpoints of one run.

    Attributes:
        written: layers that the last checkpoint has.
    """

    def __init__(self, folder: Path, job: str, disk: int, table: str, trail: Trail | None) -> None:
        """Begin without layers.

        Args:
            folder: of the job's files.
            job: its id.
            disk: bytes that its files may take.
            table: kind of the tables.
            trail: layers that are kept for the way to the goal, if they are.
        """
        self._files = Checkpoints(folder, job, disk, table)
        self._table, self._trail = table, trail
        self._notes: list[str] = []
        self.written = 0
        self._saved = time.perf_counter()
        self._seconds = 0.0
        """What the last one took to write."""

    def look(self) -> None:
        """See what an earlier run has `written`, without reading all of it."""
        self.written = self._files.layers(self._table)

    def last(self) -> Checkpoint | None:
        """The last good checkpoint with all that belongs to it; which ones are left out is noted."""
        found, damaged = None, list[str]()
        if self._trail is not None:
            self._trail.forget(0)
        for each in self._files.last():
            error = each if isinstance(each, StoreError) else None
            if isinstance(each, Checkpoint):
                if not takes_over(self._table, each.table):
                    kept = f"{each.path}: a checkpoint of a {each.table} table is left out"
                    self._notes.append(f"{kept}; it stays for --table {each.table}")
                    continue
                error = self._check_trail(each)
                if error is None:
                    found = each
                    break
            if str(error) not in damaged:  # a layer that several of them need
                damaged.append(str(error))
        self.written = 0 if found is None else len(found.layers)
        if self._trail is not None:
            self._trail.forget(self.written)
        self._notes += [f"{text}; the checkpoint before it is tried" for text in damaged[:-1]]
        then = "there is no earlier one: it begins anew"
        if found is not None:
            then = "the checkpoint before it is used"
        self._notes += [f"{text}; {then}" for text in damaged[-1:]]
        return found

    def _check_trail(self, found: Checkpoint) -> StoreError | None:
        """What is wrong with the layers of the way that a checkpoint needs; None if nothing is."""
        if self._trail is None:
            return None
        try:
            self._trail.check(found.layers)
        except StoreError as error:
            self._files.leave_out(found.path)
            return error
        return None

    def take_notes(self) -> list[str]:
        """In words, which checkpoints could not be used."""
        notes, self._notes = self._notes, []
        return notes

    def tidy(self) -> None:
        """Delete what no checkpoint needs."""
        self._files.tidy()

    def begin(self) -> None:
        """Count the time to the first checkpoint from now on."""
        self._saved, self._seconds = time.perf_counter(), 0.0

    @property
    def is_due(self) -> bool:
        """Whether it is time for a checkpoint."""
        return time.perf_counter() - self._saved >= max(CHECKPOINT, CHEAP * self._seconds)

    def is_last_to_fit(self, now: int, following: int) -> bool:
        """Whether files of so many bytes have room, but not those that would follow, beside what is kept."""
        room = self._files.room - (0 if self._trail is None else self._trail.unstored)
        return (1 + FRAMES) * now <= room < following

    def save(self, layers: tuple[Layer, ...], seconds: float, kept: "Kept") -> None:
        """Write a checkpoint. Args: layers: that are finished; seconds: of all runs; kept: of the tables.

        Raises:
            DiskLimitError: if there is no room for it.
            FrontrowError: if it cannot be written.
        """
        begun = time.perf_counter()
        if self._trail is not None:
            self._trail.save()
        self._files.write(self._table, layers, seconds, kept)
        self.written = len(layers)
        self._saved = time.perf_counter()
        self._seconds = self._saved - begun

    def check_room(self) -> None:
        """See to it that the files stay within their bytes.

        Raises:
            DiskLimitError: if they do not.
        """
        self._files.check_room()

    def remove(self) -> None:
        """Delete all checkpoints: of an answer nothing else is needed."""
        self._files.remove()
