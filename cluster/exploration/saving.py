"""When the layers of a run are written down, and which checkpoint a run goes on from."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from frontrow.cluster.exploration.checkpoint import Checkpoint, Checkpoints
from frontrow.cluster.exploration.result import Layer
from frontrow.cluster.exploration.trail import Trail
from frontrow.search.errors import StoreError

if TYPE_CHECKING:
    from frontrow.workers.group import Kept

CHECKPOINT = 30.0
"""Seconds between checkpoints, at least."""
LITTLE = 192 << 20
"""Bytes that are written down even when somebody waits for the end: about a second's work."""
CHEAP = 10
"""How much longer than it took to write the last checkpoint the next one waits."""


class Saving:
    """The checkpoints of one run.

    Attributes:
        written: layers that the last checkpoint has.
    """

    def __init__(
        self, folder: Path, job: str, disk: int, table: str, trail: Trail | None, tell: Callable[[str], None]
    ) -> None:
        """Begin without layers.

        Args:
            folder: of the job's files.
            job: its id.
            disk: bytes that its files may take.
            table: kind of the tables.
            trail: layers that are kept for the way to the goal, if they are.
            tell: is told, in words, which checkpoints cannot be used.
        """
        self._files = Checkpoints(folder, job, disk)
        self._table, self._trail, self._tell = table, trail, tell
        self.written = 0
        self._saved = time.perf_counter()
        self._seconds = 0.0
        """What the last one took to write."""

    def look(self) -> None:
        """See what an earlier run has `written`, without reading all of it."""
        self.written = self._files.layers(self._table)

    def last(self) -> Checkpoint | None:
        """The last good checkpoint; it is told which ones are left out."""
        found, damaged = None, list[StoreError]()
        for each in self._files.last():
            if isinstance(each, StoreError):
                damaged.append(each)
            elif each.table == self._table:
                found = each
                break
            else:
                self._tell(f"{each.path}: a checkpoint of a {each.table} table is left out")
        self.written = 0 if found is None else len(found.layers)
        for error in damaged:
            then = "there is no earlier one: it begins anew"
            if error is not damaged[-1]:
                then = "the checkpoint before it is tried"
            elif found is not None:
                then = "the checkpoint before it is used"
            self._tell(f"{error}; {then}")
        return found

    def begin(self) -> None:
        """Count the time to the first checkpoint from now on."""
        self._saved, self._seconds = time.perf_counter(), 0.0

    @property
    def is_due(self) -> bool:
        """Whether it is time for a checkpoint."""
        return time.perf_counter() - self._saved >= max(CHECKPOINT, CHEAP * self._seconds)

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
