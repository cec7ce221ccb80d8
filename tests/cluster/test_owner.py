"""Who answers a question: the ledger, another process that works on it, or this one."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from frontrow.cluster import owner
from frontrow.cluster.job import Job
from frontrow.cluster.owner import owned
from frontrow.cluster.store import Store
from frontrow.search.errors import DisputedError
from frontrow.search.problems.queens import Queens
from frontrow.search.registry import ProblemRef

JOB = Job("count", ProblemRef.of(Queens(n=8).settle()))


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setattr(owner, "WATCH", 0)
    with Store.open(tmp_path) as opened:
        yield opened


def end(store, state="done"):
    answer = {"solutions": 92} if state == "done" else None
    epoch = store.begin(JOB.id, fresh=False, method="lanes", kernel="k", engine="local", workers=1)
    store.finish(JOB.id, epoch, state, answer=answer, error="")


def unwatched(progress):
    raise AssertionError(f"found {progress}, expected nobody else to work on it")


def test_what_has_no_answer_is_entered_and_belongs_to_this_process_within_the_block(store):
    with owned(store, JOB, unwatched, fresh=False) as kept:
        assert kept is None
        assert store.lock(JOB.id).is_held()
        end(store)
    assert not store.lock(JOB.id).is_held()
    with owned(store, JOB, unwatched, fresh=False) as kept:
        assert kept is not None
        assert kept.answer == {"solutions": 92}


def test_a_job_that_is_over_leaves_no_lock_file(store):
    locks = store.path.parent / "locks"
    with pytest.raises(KeyboardInterrupt), owned(store, JOB, unwatched, fresh=False):
        raise KeyboardInterrupt
    with owned(store, JOB, unwatched, fresh=False):
        assert [each.name for each in locks.iterdir()] == [JOB.id]
        end(store)
    assert not list(locks.iterdir())


def test_a_lock_file_that_is_removed_lets_nobody_in_beside_its_holder(store, tmp_path):
    inside, entered = tmp_path / "inside", []

    def work():
        for _ in range(300):
            with store.lock(JOB.id) as lock:
                if lock.try_acquire():
                    inside.touch(exist_ok=False)
                    entered.append(1)
                    inside.unlink()
                    lock.remove()

    with ThreadPoolExecutor(4) as pool:
        for future in [pool.submit(work) for _ in range(4)]:
            future.result()
    assert entered


def test_an_answer_is_given_while_another_process_computes_it_afresh(store):
    store.create(JOB)
    end(store)
    with store.lock(JOB.id) as other:
        assert other.try_acquire()
        with owned(store, JOB, unwatched, fresh=False) as kept:
            assert kept is not None


@pytest.mark.parametrize("fresh", [False, True])
def test_the_answer_of_the_process_that_was_watched_is_the_answer_unless_a_fresh_one_is_wanted(store, fresh):
    store.create(JOB)
    other = store.lock(JOB.id)
    assert other.try_acquire()
    told = []

    def finish(progress):
        told.append(progress.phase)
        end(store)
        other.release()

    with owned(store, JOB, finish, fresh=fresh) as kept:
        assert (kept is None) is fresh
    assert told == ["watching"]


def test_what_was_forgotten_meanwhile_is_entered_again(store):
    other = store.lock(JOB.id)
    assert other.try_acquire()

    def forget(progress):
        other.release()
        store.forget(JOB.id)

    with owned(store, JOB, forget, fresh=False) as kept:
        assert kept is None
        assert store.jobs(JOB.id)[0].state == "running"


def test_a_disputed_job_is_only_computed_afresh_unless_the_verb_says_otherwise(store):
    store.create(JOB)
    end(store, "disputed")
    with pytest.raises(DisputedError, match="--fresh"), owned(store, JOB, unwatched, fresh=False):
        raise AssertionError("found the block entered")
    with owned(store, JOB, unwatched, fresh=True) as kept:
        assert kept is None
    with owned(store, JOB, unwatched, fresh=False, is_answer=lambda row: row.state == "done") as kept:
        assert kept is None
