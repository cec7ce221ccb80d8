"""Exports: the same job makes the same bytes, another ledger takes them over, and nothing else is lost."""

import json
import os
import random
import socket
import struct
import threading
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from frontrow.cluster.api import count
from frontrow.cluster.checksum import answer_crc
from frontrow.cluster.proofs.audit import audit
from frontrow.cluster.proofs.export import FileSource, export, take_in
from frontrow.cluster.proofs.proof import Entry, Heading
from frontrow.cluster.store import Store
from frontrow.search.errors import DisputedError, FrontrowError, StoreError, UsageError
from frontrow.search.problems.queens import Queens
from frontrow.workers.local import LocalEngine
from frontrow.workers.records import Kind, RecordReader, pack_record
from tests.cluster.proofs.proof_support import TREE, exported, forge, interrupting, records

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.fixture(autouse=True)
def small_units(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several units of a small board."""
    monkeypatch.setattr(Queens, "unit_floor", 100_000)


def own_problem(tmp_path: Path) -> str:
    (tmp_path / "tree.py").write_text(TREE)
    return str(tmp_path / "tree.py")


def taken_in(path: Path, folder: Path, *, trust: bool = False) -> bool:
    with FileSource(path, trust=trust) as source, Store.open(folder) as store:
        return take_in(store, source)


def test_an_export_holds_the_job_every_unit_in_order_and_an_end_mark(tmp_path: Path) -> None:
    path, result = exported(tmp_path, "queens", n=8)
    heading, *units, end = records(path)
    assert heading["answer"] == dict(result.values)
    assert (heading["id"], heading["problem"], heading["state"]) == (result.job, "queens", "done")
    assert heading["tallies"] == ["solutions", "half_turn", "quarter_turn"]
    assert [unit["number"] for unit in units] == list(range(result.units))
    assert sum(unit["result"]["counts"][0] for unit in units) == 92
    assert sum(unit["result"]["nodes"] for unit in units) == result.nodes
    assert end == {"record": "end", "units": result.units, "digest": heading["digest"]}
    assert result.units > 3


def test_the_same_job_makes_the_same_bytes_also_from_another_ledger(tmp_path: Path) -> None:
    path, result = exported(tmp_path, "queens", n=8)
    with Store.open(tmp_path) as store:
        export(store, result.job, tmp_path / "again.frow")
    assert taken_in(path, tmp_path / "other")
    with Store.open(tmp_path / "other") as store:
        export(store, result.job, tmp_path / "other.frow")
    assert path.read_bytes() == (tmp_path / "again.frow").read_bytes()
    assert path.read_bytes() == (tmp_path / "other.frow").read_bytes()


def test_a_job_that_was_taken_in_is_answered_from_the_ledger(tmp_path: Path) -> None:
    path, result = exported(tmp_path, "queens", n=8)
    assert taken_in(path, tmp_path / "other")
    assert not taken_in(path, tmp_path / "other")
    again = count("queens", n=8, store=tmp_path / "other")
    assert again.from_ledger
    assert (again.values, again.nodes, again.units, again.computed_at) == (
        result.values,
        result.nodes,
        result.units,
        result.computed_at,
    )


def partial(folder: Path) -> tuple[Path, int]:
    """The export of a job of which some units are done, and how many."""
    with pytest.raises(KeyboardInterrupt):
        count("queens", n=10, engine=interrupting(3), store=folder)
    path = folder / "part.frow"
    with Store.open(folder) as store:
        [row] = store.jobs()
        with pytest.raises(UsageError, match="found it interrupted, expected it done"):
            export(store, row.id, path)
        assert not path.exists()
        export(store, row.id, path, partial=True)
    assert 0 < row.units_done < row.units
    return path, row.units_done


def test_a_partial_export_says_so_and_another_machine_goes_on_with_it(tmp_path: Path) -> None:
    path, done = partial(tmp_path)
    heading, *units, _ = records(path)
    assert (heading["state"], heading["answer"]) == ("partial", None)
    assert sum(unit["result"] is not None for unit in units) == done
    assert taken_in(path, tmp_path / "other")
    result = count("queens", n=10, engine=LocalEngine(1), store=tmp_path / "other")
    assert (result.values["solutions"], result.resumed) == (724, done)


def test_a_job_that_is_known_with_another_answer_is_an_error(tmp_path: Path) -> None:
    path, result = exported(tmp_path, "queens", n=8)
    with Store.open(tmp_path / "other") as store:
        assert taken_in(path, tmp_path / "other")
        answer = json.dumps(dict(result.values) | {"solutions": 93})
        crc = answer_crc(result.job, answer)
        store.database.execute("UPDATE jobs SET answer = ?, answer_crc = ?", answer, crc)
        with pytest.raises(
            DisputedError, match=f"job {result.job}: found .*92.*, expected .*93.* as in the ledger"
        ):
            taken_in(path, tmp_path / "other")


def test_work_that_was_begun_here_is_not_written_over(tmp_path: Path) -> None:
    path, _ = exported(tmp_path / "whole", "queens", n=10)
    part, done = partial(tmp_path)
    for each in (path, part):
        with pytest.raises(StoreError, match="found it interrupted in the ledger, expected it done"):
            taken_in(each, tmp_path)
    with Store.open(tmp_path) as store:
        assert store.jobs()[0].units_done == done


def test_a_job_that_was_only_asked_for_makes_room(tmp_path: Path) -> None:
    path, result = exported(tmp_path, "queens", n=8)
    with Store.open(tmp_path / "other") as store:
        with FileSource(path) as source:
            store.create(source.heading.job)
        assert taken_in(path, tmp_path / "other")
        assert store.jobs(result.job)[0].answer == result.values


def test_what_does_not_add_up_is_not_taken_in(tmp_path: Path) -> None:
    path, _ = exported(tmp_path, "queens", n=8)
    forge(path, lambda heading, units: units[0]["result"]["counts"].__setitem__(0, 10**6))
    with pytest.raises(StoreError, match=r"job\.frow: answer: "):
        taken_in(path, tmp_path / "other")
    with Store.open(tmp_path / "other") as store:
        assert store.jobs() == []


def test_units_that_budgets_left_are_exported_with_their_parents(tmp_path: Path) -> None:
    path, result = exported(tmp_path, own_problem(tmp_path), n=9)
    units = records(path)[1:-1]
    assert len(units) == result.units
    assert units[0]["parent"] is None
    assert {unit["parent"] for unit in units[1:]} <= set(range(result.units))
    assert taken_in(path, tmp_path / "other", trust=True)
    with Store.open(tmp_path / "other") as store:
        export(store, result.job, tmp_path / "other.frow")
    assert path.read_bytes() == (tmp_path / "other.frow").read_bytes()


def test_python_source_in_a_file_is_run_only_if_it_is_trusted(tmp_path: Path) -> None:
    path, _ = exported(tmp_path, own_problem(tmp_path), n=5)
    trace = tmp_path / "trace"

    def plant(heading, units):
        heading["source"] += f"\nopen({str(trace)!r}, 'w')\n"

    forge(path, plant)
    with pytest.raises(UsageError, match="found Python source in it .'tree.py'., expected --trust"):
        taken_in(path, tmp_path / "other")
    assert not trace.exists()


def test_a_python_file_of_this_machine_is_not_run_for_somebody_else(tmp_path: Path) -> None:
    path, _ = exported(tmp_path, own_problem(tmp_path), n=5)
    forge(path, lambda heading, units: heading.update(problem=str(tmp_path / "tree.py"), source=""))
    with pytest.raises(StoreError, match="found the problem .*, expected one without a path"):
        FileSource(path, trust=True)


def test_whatever_bytes_a_file_has_the_error_is_one_of_ours(tmp_path: Path) -> None:
    path, _ = exported(tmp_path, "queens", n=8)
    with RecordReader(path, Kind.EXPORT) as reader:
        bodies = [record.data[8:] for record in reader]
    draw, refused = random.Random(1), 0
    for _ in range(300):
        bad = [bytearray(body) for body in bodies]
        body = draw.choice(bad)
        body[draw.randrange(len(body))] = draw.randrange(256)
        whole = b""
        for body in bad:
            length = struct.pack("<I", len(body))
            whole += length + struct.pack("<I", zlib.crc32(length + body)) + body
        path.write_bytes(path.read_bytes()[:8] + whole)
        try:
            with FileSource(path) as source:
                refused += not all(check.passed for check in audit(source)[0])
        except FrontrowError:
            refused += 1
    assert refused > 150


def test_a_file_of_something_else_is_not_written_over(tmp_path: Path) -> None:
    _, result = exported(tmp_path, "queens", n=8)
    other = tmp_path / "thesis.txt"
    other.write_text("years of work")
    with Store.open(tmp_path) as store, pytest.raises(UsageError, match="found something that is no export"):
        export(store, result.job, other)
    assert other.read_text() == "years of work"


def refusal(function: Callable[[], object]) -> str:
    """What a function refuses; it is left alone if it waits for ever."""
    said: list[str] = []

    def run() -> None:
        try:
            function()
        except UsageError as error:
            said.append(str(error))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(20)
    return "".join(said)


@pytest.mark.parametrize("kind", ["pipe", "folder", "socket", "device"])
def test_what_is_no_regular_file_is_neither_written_nor_read(tmp_path: Path, kind: str) -> None:
    _, result = exported(tmp_path, "queens", n=8)
    path = tmp_path / kind
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(os.path.relpath(path))  # a whole path may be too long
    else:
        path = Path("/dev/null")

    def write() -> None:
        with Store.open(tmp_path) as store:
            export(store, result.job, path)

    line = f"{path}: found a {kind}, expected a regular file"
    assert [refusal(write), refusal(lambda: FileSource(path))] == [line, line]


def test_a_file_that_is_not_there_is_a_matter_of_usage(tmp_path: Path) -> None:
    for path in (tmp_path / "none.frow", tmp_path / "none" / "none.frow"):
        assert (
            refusal(lambda path=path: FileSource(path)) == f"{path}: found no such file, expected an export"
        )


def test_a_damaged_ledger_is_not_exported(tmp_path: Path) -> None:
    path, result = exported(tmp_path, "queens", n=8)
    before = path.read_bytes()
    with Store.open(tmp_path) as store:
        store.database.execute("UPDATE results SET nodes = nodes + 1 WHERE number = 2")
        with pytest.raises(StoreError, match="found unit 2 of job .* damaged"):
            export(store, result.job, path)
    assert path.read_bytes() == before
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("name", ["number", "cost", "rows", "parent", "result"])
def test_a_unit_without_a_field_is_an_error_that_names_it(tmp_path: Path, name: str) -> None:
    path, _ = exported(tmp_path, "queens", n=8)
    forge(path, lambda heading, units: units[1].pop(name))
    with FileSource(path) as source, pytest.raises(StoreError, match=rf"byte \d+: {name}: found nothing"):
        list(source.entries())


@pytest.mark.parametrize(("name", "value"), [("number", -1), ("cost", 2**63), ("rows", [1]), ("parent", "0")])
def test_a_unit_with_a_field_of_another_kind_is_an_error_that_names_it(
    tmp_path: Path, name: str, value: object
) -> None:
    path, _ = exported(tmp_path, "queens", n=8)
    forge(path, lambda heading, units: units[1].update({name: value}))
    with (
        FileSource(path) as source,
        pytest.raises(StoreError, match=rf"byte \d+: {name}: found .+, exp"),
    ):
        list(source.entries())


def test_counts_of_any_size_are_kept_exactly(tmp_path: Path) -> None:
    path, _ = exported(tmp_path, "queens", n=8)
    huge = [2**64, 2**200 + 1, -(2**70)]
    forge(path, lambda heading, units: units[0]["result"].update(counts=huge))
    with FileSource(path) as source:
        assert next(source.entries()).outcome.counts == tuple(huge)


def test_golden_files_of_version_1_stay_readable() -> None:
    path = GOLDEN / "export-1.frow"
    with FileSource(path) as source:
        entries = list(source.entries())
        heading = source.heading
    assert heading.answer == {"solutions": 92, "unique": 12, "half_turn": 4, "quarter_turn": 0}
    assert (heading.id, heading.units, heading.job.ref.name) == ("6ad46b312a9c63ff", len(entries), "queens")
    assert heading.job.ref.params() == {"n": 8, "fixed": [], "method": "scalar"}
    assert sum(entry.outcome.counts[0] for entry in entries) == 92
    assert heading.digest.hex() == "3604f1a8cac3e5710beeb19871675485212bdddc18452b2f9e3a9a42a3a98ce5"
    # What is read is written again as the same bytes: nothing of version 1 is lost.
    parts = [pack_record(record.to_record()) for record in (heading, *entries)]
    assert path.read_bytes().startswith(b"FROW\1\0\1\0" + b"".join(parts))
    again = [Entry.from_record(entry.to_record()).to_record().keys() for entry in entries]
    assert again == [entry.to_record().keys() for entry in entries]
    assert Heading.from_record(heading.to_record()) == heading
