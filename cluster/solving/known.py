"""What a search knows while it goes on, and the file that a later run takes it from."""

import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from frontrow.cluster.job import Job
from frontrow.cluster.solving.result import OnThreshold, Threshold
from frontrow.cluster.store import Store
from frontrow.search.errors import LimitError, StoreError
from frontrow.workers.file import replacing
from frontrow.workers.records import Kind, RecordReader, RecordWriter

_NAME = "search.frow"


class TablesLimitError(LimitError):
    """There is too little time or memory for tables: the search has not begun."""


@dataclass(slots=True)
class Known:
    """Bounds of a solution's length, and what it took so far.

    Attributes:
        lower: moves that every solution takes at least: proved.
        upper: moves that are known to be enough; None if nothing is known.
        expanded: boards expanded.
        thresholds: the rounds that are over, in their order.
        large: whether a round is more than one worker's business.
        seconds: of earlier runs.
    """

    lower: int = 0
    upper: int | None = None
    expanded: int = 0
    thresholds: list[Threshold] = field(default_factory=list)
    large: bool = False
    seconds: float = 0.0

    def add(self, threshold: Threshold, tell: OnThreshold) -> None:
        """Note a round that is over."""
        self.thresholds.append(threshold)
        self.expanded += threshold.nodes
        tell(threshold)


def save(folder: Path, job: str, method: str, heuristic: str, known: Known) -> None:
    """Write down what is known, for a later run that searches in the same way.

    Raises:
        FrontrowError: if it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(folder / _NAME, "checkpoint", plain=True) as file:
        RecordWriter(file, Kind.CHECKPOINT).write(
            {
                "job": job,
                "method": method,
                "heuristic": heuristic,
                "lower": known.lower,
                "upper": known.upper,
                "expanded": known.expanded,
                "large": known.large,
                "seconds": known.seconds,
                "thresholds": [[each.bound, each.nodes, each.seconds] for each in known.thresholds],
            }
        )


def forget(folder: Path) -> None:
    """Delete what was kept for a later run."""
    shutil.rmtree(folder, ignore_errors=True)


def read_saved(folder: Path, job: str) -> tuple[str, str, Known] | None:
    """Method, heuristic and what was known when a run was left; None if nothing can be read."""
    path = folder / _NAME
    if not path.exists():
        return None
    try:
        with RecordReader(path, Kind.CHECKPOINT) as reader:
            values: list[dict[str, Any]] = [record.value for record in reader]
    except StoreError:
        return None
    if len(values) != 1 or values[0].get("job") != job:
        return None
    found = values[0]
    thresholds = [Threshold(*each) for each in found["thresholds"]]
    return (
        found["method"],
        found["heuristic"],
        Known(
            found["lower"], found["upper"], found["expanded"], thresholds, found["large"], found["seconds"]
        ),
    )


def with_earlier(known: Known, store: Store, job: Job) -> Known:
    """What is known of a board, with what the ledger has of it from searches in other ways."""
    lower, upper = [known.lower], [] if known.upper is None else [known.upper]
    for row in store.jobs():
        if row.verb != "solve" or row.id == job.id or row.ref != job.ref:
            continue
        if row.state == "done" and row.answer is not None:
            lower.append(row.answer["lower"])
            upper.append(row.answer["upper"])
        elif row.state != "disputed" and (saved := read_saved(store.exploration(row.id), row.id)) is not None:
            lower.append(saved[2].lower)
            upper += [] if saved[2].upper is None else [saved[2].upper]
    return replace(known, lower=max(lower), upper=min(upper, default=None))
