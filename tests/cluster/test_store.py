"""The ledger: nothing counted twice, nothing damaged served, nothing foreign overwritten."""

import contextlib
import os
import shutil
import sqlite3
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from frontrow.cluster.database import SCHEMA
from frontrow.cluster.job import Job
from frontrow.cluster.owner import acquire
from frontrow.cluster.store import Store, store_folder
from frontrow.search.errors import StoreError, UsageError
from frontrow.search.problems.queens import Queens
from frontrow.search.registry import ProblemRef
from frontrow.workers.unit import UnitResult, WorkUnit

NONE = np.empty((0, 1), np.uint64)
JOB = Job("count", ProblemRef.of(Queens(n=8).settle()))


def result(number, counts=(1,), rest=NONE, worker="a"):
    return UnitResult(number, 0, None, counts, 10, rest, 0.5, worker, "host", "kernel")


def begin(store, fresh=False):
    return store.begin(JOB.id, fresh=fresh, method="m", kernel="k", engine="local", workers=2)


def commit(store, epoch, results, cuts=None):
    return store.commit(JOB.id, epoch, results, cuts or {}, seconds=1.0, setup_seconds=0.1)


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path) as store:
        store.create(JOB)
        yield store


@pytest.fixture
def epoch(store):
    epoch = begin(store)
    store.add_units(JOB.id, epoch, [WorkUnit(n, np.full((2, 1), n, np.uint64), 5 + n) for n in range(4)])
    return epoch


def test_units_come_back_as_they_were_entered(store, epoch):
    unit = store.unit(JOB.id, 3)
    assert (unit.number, unit.cost, unit.rows.tolist()) == (3, 8, [[3], [3]])
    assert store.pending(JOB.id) == [(0, 5), (1, 6), (2, 7), (3, 8)]


def test_results_of_any_size_are_kept_exactly(store, epoch):
    commit(store, epoch, [result(0, (2**200, -1))])
    assert [done.counts for done in store.done(JOB.id)] == [(2**200, -1)]
    assert [number for number, _ in store.pending(JOB.id)] == [1, 2, 3]


def test_a_second_equal_result_is_compared_and_never_added(store, epoch):
    commit(store, epoch, [result(0)])
    committed = commit(store, epoch, [result(0, worker="b")])
    assert (committed.accepted, committed.agreed, committed.disputes) == ((), 1, ())
    assert [done.counts for done in store.done(JOB.id)] == [(1,)]
    assert store.jobs(JOB.id)[0].verified == 1


def test_a_second_different_result_is_a_dispute_that_names_both(store, epoch):
    committed = commit(store, epoch, [result(0), result(0, (2,), worker="b")])
    assert committed.disputes == ("unit 0: found [2] by b, expected [1] as by a",)
    assert [done.counts for done in store.done(JOB.id)] == [(1,)]


def test_a_second_result_with_another_rest_is_a_dispute(store, epoch):
    committed = commit(store, epoch, [result(0), result(0, rest=np.ones((1, 1), np.uint64))])
    assert len(committed.disputes) == 1


def test_rest_becomes_units_in_the_same_transaction(store, epoch):
    rows = np.full((1, 1), 9, np.uint64)
    committed = commit(store, epoch, [result(0, rest=rows)], {0: [(rows, 77)]})
    assert [(unit.number, unit.cost) for unit in committed.children[0]] == [(4, 77)]
    assert store.left(JOB.id) == {0: 77}
    assert store.unit(JOB.id, 4).rows.tolist() == [[9]]


def test_results_of_an_earlier_owner_are_fenced_off(store, epoch):
    begin(store)
    with pytest.raises(StoreError, match="taken over"):
        commit(store, epoch, [result(0)])
    assert store.done(JOB.id) == []


def test_progress_is_weighted_by_cost(store, epoch):
    commit(store, epoch, [result(0)])
    row = store.jobs(JOB.id)[0]
    assert (row.units, row.units_done, row.nodes, row.share) == (4, 1, 10, pytest.approx(5 / 26))


def test_a_job_whose_owner_is_gone_is_interrupted(store, epoch):
    with store.lock(JOB.id) as lock:
        assert lock.try_acquire()
        assert store.jobs(JOB.id)[0].state == "running"
    assert store.jobs(JOB.id)[0].state == "ready"
    commit(store, epoch, [result(0)])
    assert store.jobs(JOB.id)[0].state == "interrupted"


def test_only_one_holder_of_a_lock_at_a_time(store):
    with store.lock(JOB.id) as one, store.lock(JOB.id) as two:
        assert one.try_acquire()
        assert not two.try_acquire()
        assert f"process {os.getpid()}" in two.holder()
        one.release()
        assert two.try_acquire()


def test_forgetting_deletes_everything_but_not_while_it_runs(store, epoch):
    with store.lock(JOB.id) as lock:
        lock.try_acquire()
        with pytest.raises(StoreError, match="working on it"):
            store.forget(JOB.id)
    store.forget(JOB.id)
    assert store.jobs() == []
    assert store.pending(JOB.id) == []


def test_jobs_are_found_by_the_beginning_of_their_id(store):
    assert store.find(JOB.id[:5]).id == JOB.id
    for prefix in ("", "nope"):
        with pytest.raises(UsageError, match="expected one"):
            store.find(prefix)


def test_a_fresh_run_keeps_the_answer_aside(store, epoch):
    store.finish(JOB.id, epoch, "done", answer={"solutions": 92})
    begin(store, fresh=True)
    assert store.earlier_answer(JOB.id) == {"solutions": 92}
    begin(store, fresh=True)  # interrupted and begun afresh once more
    assert store.earlier_answer(JOB.id) == {"solutions": 92}
    assert store.jobs(JOB.id)[0].answer is None


def test_engine_workers_and_store_are_not_part_of_a_job():
    assert JOB.id == Job("count", ProblemRef.of(Queens(n=8).settle())).id
    assert JOB.id != replace(JOB, ref=replace(JOB.ref, version=JOB.ref.version + 1)).id
    assert JOB.id != Job("count", ProblemRef.of(Queens(n=9).settle())).id
    assert JOB.id != Job("count", ProblemRef.of(Queens(n=8, method="lanes").settle())).id


# Files that are not what they should be


def edit(store, statement, *values):
    with sqlite3.connect(store.path) as connection:
        connection.execute(statement, values)
    connection.close()


def test_a_damaged_unit_is_named(store, epoch):
    edit(store, "UPDATE units SET rows = zeroblob(length(rows)) WHERE number = 2")
    with pytest.raises(StoreError, match=r"ledger\.sqlite3: found unit 2 .* damaged"):
        store.unit(JOB.id, 2)


@pytest.mark.parametrize("counts", [b"\x91\x02", b"\0", b"", "text", 7])
def test_a_tampered_result_is_named(store, epoch, counts):
    commit(store, epoch, [result(0)])
    edit(store, "UPDATE results SET counts = ?", counts)
    with pytest.raises(StoreError, match=r"ledger\.sqlite3: found the result of unit 0 .* damaged"):
        store.done(JOB.id)


@pytest.fixture
def answered(store, epoch):
    store.finish(JOB.id, epoch, "done", answer={"solutions": 92})
    assert store.jobs(JOB.id)[0].checked().answer == {"solutions": 92}
    return store


BAD_ANSWERS = (
    "replace(answer, '92', '93')",
    "'garbage'",
    "'{}'",
    "'[92]'",
    "''",
    "x'00'",
    "92",
    "NULL",
    "answer || ' '",
)


@pytest.mark.parametrize("expression", BAD_ANSWERS)
def test_a_tampered_answer_is_none_and_says_what_helps(answered, expression):
    edit(answered, f"UPDATE jobs SET answer = {expression}")
    [row] = answered.jobs()
    assert (row.state, row.answer, row.ref) == ("damaged", None, JOB.ref)
    with pytest.raises(
        StoreError,
        match=rf"^{answered.path}: found the answer of job {JOB.id} damaged .*--fresh .* forget {JOB.id}",
    ):
        row.checked()
    answered.forget(JOB.id)
    assert answered.jobs() == []


@pytest.mark.parametrize(
    "change",
    ["\"values\" = '{'", "\"values\" = x'00'", "version = 'x'", "problem = 'knights'", "state = 'bored'",
     "seconds = 'long'", "workers = x'00'", "error = x'ff'"],
)  # fmt: skip
def test_a_tampered_entry_spoils_no_other_job(answered, change):
    other = Job("count", ProblemRef.of(Queens(n=9).settle()))
    answered.create(other)
    edit(answered, f"UPDATE jobs SET {change} WHERE id = ?", JOB.id)
    states = {row.id: row.state for row in answered.jobs()}
    assert states == {JOB.id: "damaged", other.id: "ready"}
    answered.forget(JOB.id)
    assert [row.id for row in answered.jobs()] == [other.id]


def test_a_job_that_is_done_without_an_answer_is_damaged(answered):
    edit(answered, "UPDATE jobs SET answer = NULL, answer_crc = NULL")
    assert answered.jobs()[0].state == "damaged"


def test_an_answer_of_another_job_is_damage(answered):
    other = Job("count", ProblemRef.of(Queens(n=9).settle()))
    answered.create(other)
    edit(
        answered,
        """UPDATE jobs SET (answer, answer_crc, state) =
        (SELECT answer, answer_crc, state FROM jobs WHERE id = ?)""",
        JOB.id,
    )
    assert {row.id: row.state for row in answered.jobs()} == {JOB.id: "done", other.id: "damaged"}


def test_a_tampered_earlier_answer_is_damage_too(answered):
    begin(answered, fresh=True)
    assert answered.earlier_answer(JOB.id) == {"solutions": 92}
    edit(answered, "UPDATE jobs SET earlier = replace(earlier, '92', '93')")
    with pytest.raises(StoreError, match="found the earlier answer of job .* damaged"):
        answered.earlier_answer(JOB.id)
    assert answered.jobs()[0].state == "damaged"
    with answered.lock(JOB.id) as lock:
        assert lock.try_acquire()
        answered.replace(JOB)
    assert (answered.jobs()[0].state, answered.earlier_answer(JOB.id)) == ("ready", None)


def aged(store):
    """Make it a ledger of version 1, which had no checksums of answers, no options and no imports."""
    for column in ("answer_crc", "earlier_crc", "options", "imported"):
        edit(store, f"ALTER TABLE jobs DROP COLUMN {column}")
    edit(store, "PRAGMA user_version = 1")
    store.close()


def test_a_ledger_of_version_1_is_brought_up_to_date(answered):
    aged(answered)
    with Store.open(answered.path.parent) as store:
        assert store.jobs()[0].checked().answer == {"solutions": 92}
        assert store.jobs()[0].imported == ""
        begin(store, fresh=True)
        assert store.earlier_answer(JOB.id) == {"solutions": 92}
        edit(store, "UPDATE jobs SET earlier = '{}'")
    with Store.open(answered.path.parent) as store:
        assert store.jobs()[0].state == "damaged"


@pytest.mark.parametrize("content", [b"a letter to my aunt " * 100, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_foreign_file_is_refused_and_left_alone(tmp_path, content):
    path = tmp_path / "ledger.sqlite3"
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"ledger\.sqlite3: found a damaged or foreign file"):
        Store.open(tmp_path)
    assert path.read_bytes() == content


def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "ledger.sqlite3"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE recipes (name)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="database of another program"):
        Store.open(tmp_path)
    assert path.read_bytes() == before


def test_a_ledger_of_a_newer_version_is_refused_and_left_alone(store):
    edit(store, f"PRAGMA user_version = {SCHEMA + 1}")
    store.close()
    before = store.path.read_bytes()
    with pytest.raises(StoreError, match=f"version {SCHEMA + 1}, expected {SCHEMA} or older"):
        Store.open(store.path.parent)
    assert store.path.read_bytes() == before


def test_a_torn_file_is_an_error_that_names_it(store, epoch):
    store.close()
    size = store.path.stat().st_size
    os.truncate(store.path, size // 2)
    with pytest.raises(StoreError, match=r"ledger\.sqlite3"), Store.open(store.path.parent) as torn:
        torn.done(JOB.id)
        for number, _ in torn.pending(JOB.id):
            torn.unit(JOB.id, number)
        torn.add_units(JOB.id, begin(torn), [WorkUnit(9, NONE, 1)])


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(StoreError, match="file: found a file, expected a folder$"):
        Store.open(tmp_path / "file")
    with pytest.raises(StoreError, match="file/store: found a file, expected a folder$"):
        Store.open(tmp_path / "file" / "store")


@pytest.fixture
def small_disk(tmp_path):
    """A file system of half a megabyte, where the system lets us mount one."""
    mount = shutil.which("mount")
    target = tmp_path / "disk"
    target.mkdir()
    made = mount and subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(target)], capture_output=True, check=False
    )
    if not made or made.returncode:
        pytest.skip("this user may not mount a small file system")
    yield target
    subprocess.run(["umount", "-l", str(target)], check=True)


def test_a_full_disk_is_one_clear_error_and_loses_nothing(small_disk):
    with Store.open(small_disk) as store:
        store.create(JOB)
        epoch = begin(store)
        store.add_units(JOB.id, epoch, [WorkUnit(0, np.zeros((1, 1), np.uint64), 1)])
        commit(store, epoch, [result(0)])
        big = [WorkUnit(number, np.zeros((1000, 4), np.uint64), 1) for number in range(1, 40)]
        with pytest.raises(StoreError, match="the disk is full"):
            store.add_units(JOB.id, epoch, big)
    with Store.open(small_disk) as store:
        assert [done.number for done in store.done(JOB.id)] == [0]
        assert store.pending(JOB.id) == []


def use_up(disk):
    """Leave no byte on a small disk."""
    with contextlib.suppress(OSError), open(disk / "rest", "wb", buffering=0) as rest:
        while rest.write(bytes(1 << 12)):
            pass


def test_a_ledger_on_a_full_disk_can_be_read(small_disk):
    fill(small_disk)
    use_up(small_disk)
    with Store.open(small_disk) as store:
        read_only(store, "the disk is full")
    with pytest.raises(StoreError, match=r"new/ledger\.sqlite3: cannot be written \(the disk is full\)$"):
        Store.open(small_disk / "new")


def test_a_disk_that_is_full_is_no_reason_to_fail_at_a_lock(small_disk):
    with Store.open(small_disk) as store:
        store.create(JOB)
        (small_disk / "locks").mkdir()
        (small_disk / "locks" / JOB.id).touch()
        use_up(small_disk)
        with store.lock(JOB.id) as lock:
            assert lock.try_acquire()
            assert lock.holder() == "another process"
        with pytest.raises(StoreError, match=r"ledger\.sqlite3: the disk is full"):
            store.add_units(JOB.id, begin(store), [WorkUnit(0, np.zeros((4000, 4), np.uint64), 1)])


def test_a_lock_that_cannot_be_made_is_named(store):
    store.path.parent.joinpath("locks").write_text("no folder")
    with pytest.raises(StoreError, match=f"locks/{JOB.id}: cannot be written \\(File exists"):
        store.lock(JOB.id).try_acquire()


# Ledgers that can only be read


def writes(store):
    """What needs writing, each by itself."""
    return (
        lambda: store.create(JOB),
        lambda: begin(store),
        lambda: store.forget(JOB.id),
        lambda: store.own(JOB.id),
        lambda: acquire(store.lock(JOB.id), store, JOB.id, print),
    )


def read_only(store, reason):
    """Check that an open ledger is read in full, and that all that writes says why it cannot."""
    assert store.find(JOB.id).checked().answer == {"solutions": 92}
    assert [done.counts for done in store.done(JOB.id)] == [(1,)]
    assert store.unit(JOB.id, 3).cost == 8
    for write in writes(store):
        with pytest.raises(StoreError, match=rf"ledger\.sqlite3: cannot be written \({reason}\)$"):
            write()


def test_a_ledger_on_a_read_only_disk_can_be_read(small_disk):
    fill(small_disk)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    before = sorted(path.name for path in small_disk.iterdir())
    with Store.open(small_disk) as store:
        read_only(store, "read-only file system")
    assert sorted(path.name for path in small_disk.iterdir()) == before
    with pytest.raises(StoreError, match="none/.*: cannot be written|none: cannot be written"):
        Store.open(small_disk / "none")


def fill(folder):
    """A closed ledger with an answer; SQLite leaves nothing beside it."""
    with Store.open(folder) as store:
        store.create(JOB)
        epoch = begin(store)
        units = [WorkUnit(n, np.full((2, 1), n, np.uint64), 5 + n) for n in range(4)]
        store.add_units(JOB.id, epoch, units)
        commit(store, epoch, [result(0)])
        store.finish(JOB.id, epoch, "done", answer={"solutions": 92})


@pytest.fixture
def nobody():
    """Runs a function as a user who may do nothing, in a folder that all may reach."""
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody else")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)

        def run(function):
            os.seteuid(65534)
            try:
                return function()
            finally:
                os.seteuid(0)

        yield folder, run


@pytest.mark.parametrize("modes", [(0o755, 0o644), (0o777, 0o644), (0o755, 0o666)])
def test_a_ledger_of_another_user_can_be_read(nobody, modes):
    folder, run = nobody
    fill(folder)
    (folder / "ledger.sqlite3").chmod(modes[1])
    folder.chmod(modes[0])

    def look():
        with Store.open(folder) as store:
            read_only(store, "permission denied")

    run(look)
    assert not list(folder.glob("ledger.sqlite3-*"))  # the owner could not write to files of somebody else


def test_a_ledger_in_use_by_another_user_is_read_up_to_the_last_commit(nobody):
    folder, run = nobody
    fill(folder)
    other = Job("count", ProblemRef.of(Queens(n=9).settle()))
    with Store.open(folder) as owner:
        owner.create(other)
        owner.database.execute("PRAGMA wal_checkpoint(PASSIVE)")
        owner.create(Job("count", ProblemRef.of(Queens(n=10).settle())))

        def look():
            with Store.open(folder) as store:
                read_only(store, "permission denied")
                return len(store.jobs())

        assert run(look) == 3


def test_commits_that_only_a_writer_can_take_over_are_told(nobody):
    folder, run = nobody
    crashed = folder / "crashed"
    crashed.mkdir()
    with Store.open(folder) as owner:
        owner.create(JOB)
        for name in ("ledger.sqlite3", "ledger.sqlite3-wal"):
            shutil.copy(folder / name, crashed / name)
    with pytest.raises(StoreError, match=r"ledger\.sqlite3: cannot be read \(there are commits in ledger"):
        run(lambda: Store.open(crashed))
    with Store.open(crashed) as store:
        assert len(store.jobs()) == 1


@pytest.mark.parametrize("private", ["ledger.sqlite3", "."])
def test_a_ledger_that_cannot_be_read_says_so(nobody, private):
    folder, run = nobody
    fill(folder)
    (folder / private).chmod(0o600)
    with pytest.raises(StoreError, match=r"ledger\.sqlite3: cannot be read \(permission denied\)$"):
        run(lambda: Store.open(folder))


def test_a_ledger_of_version_1_that_cannot_be_written_is_read_as_it_is(nobody):
    folder, run = nobody
    fill(folder)
    with Store.open(folder) as store:
        aged(store)
    before = store.path.read_bytes()

    def look():
        with Store.open(folder) as store:
            read_only(store, "permission denied")

    run(look)
    assert store.path.read_bytes() == before


def test_the_store_is_where_the_user_says(monkeypatch, tmp_path):
    monkeypatch.setenv("FRONTROW_STORE", str(tmp_path / "env"))
    assert store_folder() == tmp_path / "env"
    assert store_folder(tmp_path / "option") == tmp_path / "option"
    monkeypatch.delenv("FRONTROW_STORE")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert "frontrow" in str(store_folder())
