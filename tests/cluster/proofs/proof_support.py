"""Exports as tests make them: of small questions, and changed by somebody who knows the format."""

import hashlib
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

from frontrow.cluster.api import count
from frontrow.cluster.proofs.export import export
from frontrow.cluster.result import Count
from frontrow.cluster.store import Store
from frontrow.search.registry import ProblemRef
from frontrow.search.rows import Stop
from frontrow.workers.engine import Take
from frontrow.workers.local import LocalEngine
from frontrow.workers.records import Kind, RecordReader, RecordWriter, pack_record
from frontrow.workers.unit import UnitResult, WorkUnit, load_countable, run_unit

Record = dict[str, Any]
Edit = Callable[[Record, list[Record]], object]
"""Changes the job's record and the units' records of an export in place."""

TREE = """
from frontrow import CountingTree

class Tree(CountingTree):
    n: int
    cells, bits = 16, 4

    def children(self, node):
        return [(*node, value) for value in range(len(node) % 3 + 1)] if len(node) < self.n else []

    def is_solution(self, node):
        return len(node) == self.n
"""
"""A problem of a person's own; nobody can predict what is under its nodes, so its units have budgets."""


class Inline:
    """An engine of one worker in the calling thread; `twist` changes what comes back."""

    name = "inline"
    workers = 1

    def __init__(self, twist: Callable[[UnitResult], UnitResult] = lambda result: result) -> None:
        self.twist = twist
        self.units: list[WorkUnit] = []

    def start(self, ref: ProblemRef) -> None:
        self.problem = load_countable(ref)

    def map(self, ref: ProblemRef, take: Take, stop: Stop) -> Generator[tuple[UnitResult, ...], None, None]:
        while batch := take():
            self.units += batch
            for unit in batch:
                yield (self.twist(run_unit(self.problem, unit, stop, "w")),)

    def close(self) -> None:
        pass


def interrupting(after: int) -> Inline:
    """An engine that is interrupted after some units."""
    done = 0

    def twist(result: UnitResult) -> UnitResult:
        nonlocal done
        if done == after:
            raise KeyboardInterrupt
        done += 1
        return result

    return Inline(twist)


def exported(folder: Path, problem: str, **params: Any) -> tuple[Path, Count]:
    """Count a question in a ledger of this folder and export it."""
    result = count(problem, engine=LocalEngine(2), store=folder, **params)
    path = folder / "job.frow"
    with Store.open(folder) as store:
        export(store, result.job, path)
    return path, result


def records(path: Path) -> list[Record]:
    """All records of an export."""
    with RecordReader(path, Kind.EXPORT) as reader:
        return [record.value for record in reader]


def forge(path: Path, edit: Edit, *, digest: bool = True) -> None:
    """Change an export so that all checksums are right; the digests only if they are asked for."""
    heading, *units, end = records(path)
    edit(heading, units)
    if digest:
        state = hashlib.sha256(b"".join(map(pack_record, units)))
        heading |= {"units": len(units), "digest": state.digest()}
        end |= {"units": len(units), "digest": state.digest()}
    with open(path, "wb") as file:
        writer = RecordWriter(file, Kind.EXPORT)
        for record in (heading, *units, end):
            writer.write(record)
