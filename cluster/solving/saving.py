"""Checkpoints of a search in buckets: what a later run needs to go on after the last portion expanded."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from frontrow.cluster.exploration.checkpoint import CheckpointFolder, Written
from frontrow.cluster.exploration.saving import CHEAP, CHECKPOINT
from frontrow.cluster.solving.result import Threshold
from frontrow.search.errors import FrontrowError, StoreError
from frontrow.search.solving.astar import BestFirst, Part, Standing

_ROLE = "states"


@dataclass(frozen=True, slots=True)
class Rounds:
    """The rounds of a search.

    Attributes:
        over: those that are over, in their order.
        nodes: boards that had been expanded when the current one began.
        seconds: of the current one, in all runs.
    """

    over: tuple[Threshold, ...] = ()
    nodes: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class SearchCheckpoint(Written):
    """The checkpoint of a search.

    Attributes:
        path: the file.
        way: method and heuristic.
        standing: where the search stands.
        rounds: the same of its rounds.
    """

    way: str
    standing: Standing
    rounds: Rounds

    def states(self) -> Iterator[Part]:
        """What the search takes over."""
        for part in self.parts():
            yield Part(part["moves"], part["left"], np.ascontiguousarray(part["rows"]))

    @property
    def number(self) -> int:
        """Of the file."""
        return int(self.path.stem.rpartition("-")[2])


class SearchFiles(CheckpointFolder[SearchCheckpoint]):
    """The checkpoints of a search, numbered one after the other."""

    file_name = "buckets-{:05d}.frow"

    def write(self, number: int, way: str, search: BestFirst, rounds: Rounds) -> None:
        """Write a checkpoint of a search that stands still.

        Raises:
            DiskLimitError: if it would take more of the disk than it may.
            FrontrowError: if it cannot be written.
        """
        standing = search.standing
        head = {
            "way": way,
            "bound": standing.bound,
            "expanded": standing.expanded,
            "current": None if standing.current is None else list(standing.current),
            "thresholds": [each.to_json() for each in rounds.over],
            "nodes": rounds.nodes,
            "seconds": rounds.seconds,
        }
        parts = ({"role": _ROLE, **part._asdict()} for part in search.kept())
        self._write(number, head, parts)

    def _described(self, path: Path, head: dict[str, Any]) -> SearchCheckpoint:
        current = head["current"]
        standing = Standing(head["bound"], head["expanded"], None if current is None else (*current,))
        over = tuple(map(Threshold.from_json, head["thresholds"]))
        return SearchCheckpoint(path, head["way"], standing, Rounds(over, head["nodes"], head["seconds"]))


class SearchSaving:
    """The checkpoints of one run.

    Attributes:
        goes_on: whether a later run can go on from one.
        kept: boards that were expanded when the last one was written; 0 without one.
    """

    def __init__(self, folder: Path, job: str, disk: int, way: str) -> None:
        """Begin without a checkpoint.

        Args:
            folder: of the job's files.
            job: its id.
            disk: bytes that its files may take.
            way: method and heuristic.
        """
        self._files = SearchFiles(folder, job, disk)
        self._way = way
        self._notes: list[tuple[str, bool]] = []
        self._number = 0
        self._written: Standing | None = None
        self._refused = False
        begun = self._files.heading()
        self.goes_on = begun is not None
        self.kept = begun.standing.expanded if begun is not None and begun.way == way else 0
        self.begin()

    def take_notes(self) -> list[tuple[str, bool]]:
        """What is new to tell, each in words and whether something is lost: cannot be read or written."""
        count = len(self._notes)  # another thread may add to them
        notes = self._notes[:count]
        del self._notes[:count]
        return notes

    def begin(self) -> None:
        """Count the time to the first checkpoint from now on."""
        self._saved, self._seconds = time.perf_counter(), 0.0

    def last(self) -> SearchCheckpoint | None:
        """The last good checkpoint of a search in the same way; which ones are left out is noted."""
        found, left_out = None, list[str]()
        for each in self._files.last():
            if isinstance(each, StoreError):
                left_out.append(str(each))
            elif each.way != self._way:
                left_out.append(f"{each.path}: found a checkpoint of {each.way}, expected {self._way}")
            else:
                found = each
                break
        self._notes += [(f"{why}; the checkpoint before it is tried", True) for why in left_out[:-1]]
        then = "the search begins anew" if found is None else "the checkpoint before it is used"
        self._notes += [(f"{why}; {then}", True) for why in left_out[-1:]]
        self.goes_on, self.kept = found is not None, 0 if found is None else found.standing.expanded
        if found is not None:
            standing = found.standing
            self._number, self._written = found.number, standing
            went_on = f"going on from {standing.expanded:,} boards expanded, {standing.bound} moves at least"
            self._notes.append((went_on, False))
        return found

    @property
    def is_due(self) -> bool:
        """Whether it is time for a checkpoint."""
        wait = max(CHECKPOINT, CHEAP * self._seconds)
        return not self._refused and time.perf_counter() - self._saved >= wait

    def save(self, search: BestFirst, rounds: Rounds) -> None:
        """Write a checkpoint of a search that stands still; a failure is noted, and is the last attempt."""
        if self._refused or search.standing == self._written:
            return
        begun = time.perf_counter()
        try:
            self._files.write(self._number + 1, self._way, search, rounds)
        except FrontrowError as error:
            self._refused = True
            self._notes.append((f"{error}; no more checkpoints are written", True))
            return
        self._number, self.goes_on, self._written = self._number + 1, True, search.standing
        self.kept = search.expanded
        self._saved = time.perf_counter()
        self._seconds = self._saved - begun
