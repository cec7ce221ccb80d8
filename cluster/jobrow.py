"""A job as it lies in the ledger, checked while it is read."""

import json
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from frontrow.cluster.checksum import answer_crc
from frontrow.cluster.job import COUNTS, NO_OPTIONS, Job, JobRow
from frontrow.search.errors import StoreError
from frontrow.search.registry import ProblemRef

_TEXTS = ("id", "created", "updated", "method", "kernel", "engine")
_NUMBERS = ("units", "units_done", "verified", "nodes", "workers")
_SECONDS = ("seconds", "setup_seconds")
_STATES = ("ready", "running", "interrupted", "done", "disputed", "failed")
_UNKNOWN = ProblemRef("?", "{}", 0)


def read_job(row: sqlite3.Row, path: Path, is_held: Callable[[str], bool]) -> JobRow:
    """Make a job of its row; what is damaged has the state ``damaged`` and no answer.

    Args:
        row: the columns of the job and the sums over its units.
        path: the ledger, for messages.
        is_held: whether some process works on the job of an id.
    """
    state, share, verb, ref, answer, error = "damaged", None, "?", _UNKNOWN, None, ""
    try:
        ref = _question(row, path)
        verb, state, error = row["verb"], row["state"], row["error"]
        answer = read_answer(row, "answer", path)
        read_answer(row, "earlier", path)
        if state == "done" and answer is None:
            raise damaged(path, row["id"], "the answer")
    except StoreError as damage:
        state, error, answer = "damaged", str(damage), None
    else:
        if state in ("ready", "running"):
            begun = row["units_done"] or (verb not in COUNTS and state == "running")
            state = "running" if is_held(row["id"]) else "interrupted" if begun else "ready"
        share = row["cost_done"] / row["cost"] if row["cost"] else 0.0
        if verb not in COUNTS or (row["units_done"] and row["cost"] == row["units"]):
            # Nobody knows how many layers or rounds there are; every unit costs 1 if nothing is predicted.
            share = None
    fields: dict[str, Any] = {name: str(row[name]) for name in _TEXTS}
    for names, kind in ((_NUMBERS, int), (_SECONDS, float)):
        fields |= {name: row[name] if isinstance(row[name], kind) else kind() for name in names}
    return JobRow(
        **fields,
        verb=verb,
        ref=ref,
        state=state,
        error=error,
        asked=_options(row),
        imported=_imported(row),
        answer=answer,
        share=1.0 if state == "done" else share,
    )


def _question(row: sqlite3.Row, path: Path) -> ProblemRef:
    """The problem that a job is about; the job's id is a checksum of it.

    Raises:
        StoreError: if anything but the answer is damaged, as far as that shows.
    """
    ref = ProblemRef(row["problem"], row["values"], row["version"], row["source"], row["file"])
    options = _options(row)
    texts = ("verb", "problem", "values", "source", "file", "error", *_TEXTS)
    kinds = ((texts, str), (("version", *_NUMBERS), int), (_SECONDS, float))
    sound = all(isinstance(row[name], kind) for names, kind in kinds for name in names)
    if not sound or row["state"] not in _STATES or Job(row["verb"], ref, options).id != row["id"]:
        raise damaged(path, row["id"], "the entry")
    return ref


def _options(row: sqlite3.Row) -> str:
    # Ledgers of version 1 have no such column; one that cannot be written is read as it is.
    return str(row["options"]) if "options" in row.keys() else NO_OPTIONS  # noqa: SIM118 - no mapping


def _imported(row: sqlite3.Row) -> str:
    # Nor do they have this one: nothing could be imported then.
    return str(row["imported"]) if "imported" in row.keys() else ""  # noqa: SIM118 - no mapping


def read_answer(row: sqlite3.Row, name: str, path: Path) -> Mapping[str, Any] | None:
    """An answer of a job, checked.

    Args:
        row: has the job's id, the answer and its checksum.
        name: column of the answer: ``answer``, or ``earlier`` for the one that a fresh run set aside.
        path: the ledger, for messages.

    Raises:
        StoreError: if it is damaged.
    """
    text, crc = row[name], f"{name}_crc"
    # Ledgers of version 1 have no checksums of answers; one that cannot be written is read as it is.
    sound = crc not in row.keys() or answer_crc(row["id"], text) == row[crc]  # noqa: SIM118 - no mapping
    if sound and text is None:
        return None
    try:
        values = json.loads(text) if sound else None
    except ValueError:
        values = None
    if not isinstance(values, dict):
        raise damaged(path, row["id"], "the answer" if name == "answer" else "the earlier answer")
    return values


def damaged(path: Path, job: str, what: str) -> StoreError:
    """What to raise about a part of a job that is not as it was written, and what helps."""
    return StoreError(
        f"{path}: found {what} of job {job} damaged (checksum), expected it intact "
        f"(--fresh computes it again, frontrow forget {job} deletes it)"
    )
