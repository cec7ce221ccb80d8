"""One run of a job: what comes back twice, late, wrong or not at all."""

import sqlite3
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from frontrow.cluster.api import count
from frontrow.cluster.checksum import answer_crc
from frontrow.cluster.coordinator import MOST_ROWS
from frontrow.cluster.pace import Pace
from frontrow.cluster.schedule import Schedule
from frontrow.cluster.store import Store
from frontrow.search.errors import DisputedError, EngineError, LimitError, UsageError
from frontrow.search.problems.queens import Queens
from frontrow.search.rows import new_stop
from frontrow.search.tuples import MOST_WAITING
from frontrow.workers.local import LocalEngine
from frontrow.workers.unit import run_unit

N, TOTAL = 9, 352
PLAIN = str(Path(__file__).parents[2] / "benchmarks/problems/plain.py")


class Inline:
    """An engine of one worker in the calling thread; `twist` changes what comes back."""

    name = "inline"
    workers = 1

    def __init__(self, twist=lambda results: [tuple(results)], budget=None):
        self.twist, self.budget = twist, budget

    def start(self, ref):
        self.problem = ref.load()

    def map(self, ref, take, stop):
        while batch := take():
            units = [replace(unit, budget=self.budget) for unit in batch]
            yield from self.twist([run_unit(self.problem, unit, new_stop(), "w") for unit in units])

    def close(self):
        pass


@pytest.fixture
def small_units(monkeypatch):
    """Many units of a small board."""
    monkeypatch.setattr(Queens, "unit_floor", 1)


@pytest.fixture(autouse=True)
def store(tmp_path, monkeypatch, small_units):
    monkeypatch.setenv("FRONTROW_STORE", str(tmp_path))
    return tmp_path


def state(store):
    with Store.open(store) as ledger:
        return ledger.jobs()[0].state


def test_every_worker_count_gives_the_same_values_and_units():
    results = [count("queens", n=N, engine=LocalEngine(workers), fresh=True) for workers in (1, 2, 7)]
    assert {result.values["solutions"] for result in results} == {TOTAL}
    assert len({(result.units, result.nodes) for result in results}) == 1
    assert results[0].units > 20


def test_results_in_any_order_and_twice_are_added_once():
    engine = Inline(lambda results: [tuple(reversed(results)), (), tuple(results)])
    result = count("queens", n=N, engine=engine)
    assert result.values["solutions"] == TOTAL
    assert result.verified == result.units


def test_a_unit_that_comes_back_different_makes_the_job_disputed(store):
    def lie(results):
        wrong = replace(results[0], counts=(results[0].counts[0] + 1, *results[0].counts[1:]), worker="liar")
        return [tuple(results), (wrong,)]

    with pytest.raises(DisputedError, match="by liar, expected"):
        count("queens", n=N, engine=Inline(lie))
    assert state(store) == "disputed"
    with pytest.raises(DisputedError, match="--fresh"):
        count("queens", n=N)
    assert count("queens", n=N, fresh=True).values["solutions"] == TOTAL
    assert state(store) == "done"


def test_a_fresh_answer_that_differs_from_the_earlier_one_is_disputed(store):
    result = count("queens", n=N)
    with sqlite3.connect(store / "ledger.sqlite3") as connection:
        connection.create_function("crc", 2, answer_crc)
        connection.execute("UPDATE jobs SET answer = replace(answer, '352', '353')")
        connection.execute("UPDATE jobs SET answer_crc = crc(id, answer)")
    connection.close()
    with pytest.raises(DisputedError, match="353.* as in the earlier run"):
        count("queens", n=N, fresh=True)
    assert result.values["solutions"] == TOTAL


def test_the_rest_that_a_budget_leaves_becomes_new_units(monkeypatch):
    monkeypatch.setattr(Queens, "unit_floor", 10**9)
    whole = count("queens", n=N, engine=Inline())
    parts = count("queens", n=N, engine=Inline(budget=50), fresh=True)
    assert parts.values == whole.values
    assert parts.units > whole.units


WIDE = """
from frontrow import CountingTree

class Wide(CountingTree):
    cells, bits = 1, 8

    def children(self, node):
        return [(letter,) for letter in range(100)]

    def is_solution(self, node):
        return True
"""


def test_no_unit_of_a_wide_tree_has_more_rows_than_it_can_work_off(store):
    (store / "wide.py").write_text(WIDE)
    with pytest.raises(LimitError):
        count(str(store / "wide.py"), engine=LocalEngine(1), node_limit=4000)
    with Store.open() as ledger:
        [job] = ledger.jobs()
        sizes = [ledger.unit(job.id, number).rows.shape[0] for number, _ in ledger.pending(job.id)]
    assert sum(sizes) > 300_000
    assert max(sizes) <= MOST_ROWS < MOST_WAITING


def test_an_engine_that_fails_leaves_a_job_that_goes_on(store):
    seen = []

    def fail(results):
        seen.extend(results)
        if len(seen) > 5:
            raise EngineError("unit 7: found no worker that survives it, expected one")
        return [tuple(results), ()]

    with pytest.raises(EngineError, match="unit 7"):
        count("queens", n=N, engine=Inline(fail))
    assert state(store) == "failed"
    result = count("queens", n=N)
    assert result.values["solutions"] == TOTAL
    assert result.resumed >= 1


def test_an_interrupt_keeps_what_came_back(store):
    def interrupt(progress):
        if progress.units_done >= 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        count("queens", n=N, engine=Inline(lambda results: [tuple(results), ()]), progress=interrupt)
    assert state(store) == "interrupted"
    result = count("queens", n=N)
    assert result.values["solutions"] == TOTAL
    assert result.resumed >= 3
    assert not result.from_ledger


def test_the_last_that_an_interrupted_run_tells_leaves_out_the_units_in_flight(monkeypatch):
    monkeypatch.setattr(Pace, "flying", lambda self, now: 5.0)
    monkeypatch.setattr(Schedule, "share", lambda self, flying=0.0: 0.1 + flying / 10)
    told = []

    def interrupt(progress):
        told.append(progress)
        if progress.units_done >= 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        count("queens", n=N, engine=Inline(lambda results: [tuple(results), ()]), progress=interrupt)
    live, kept = told[-2:]
    assert (live.share, kept.share) == (0.6, 0.1)
    assert live.units_done <= kept.units_done  # what came back with the interrupt is kept as well


def test_an_engine_that_loses_units_never_gives_an_answer(store):
    with pytest.raises(Exception, match="units without a result"):
        count("queens", n=N, engine=Inline(lambda results: [tuple(results[1:])]))
    assert state(store) == "failed"


def test_a_finished_job_is_answered_from_the_ledger_and_says_when():
    first = count("queens", n=N)
    again = count("queens", n=N)
    assert (again.values, again.nodes, again.units) == (first.values, first.nodes, first.units)
    assert (again.from_ledger, first.from_ledger) == (True, False)
    assert again.computed_at


def test_a_job_that_another_process_owns_is_watched_and_taken_over_when_it_is_gone(store):
    result = count("queens", n=N)
    watching, answers = threading.Event(), []
    with Store.open(store) as ledger:
        ledger.begin(result.job, fresh=True, method="lanes", kernel="k", engine="local", workers=1)
        lock = ledger.lock(result.job)
        assert lock.try_acquire()

    def watch(progress):
        if progress.phase == "watching":
            assert "process" in progress.note
            watching.set()

    thread = threading.Thread(target=lambda: answers.append(count("queens", n=N, progress=watch)))
    thread.start()
    assert watching.wait(30)
    assert answers == []
    lock.release()
    thread.join(30)
    assert answers[0].values == result.values


def test_progress_ends_with_everything_done_and_never_shrinks():
    seen = []
    result = count("queens", n=N, engine=Inline(lambda results: [tuple(results), ()]), progress=seen.append)
    counting = [progress for progress in seen if progress.phase == "counting"]
    assert counting[-1].share == 1.0
    assert counting[-1].totals["solutions"] == TOTAL
    assert counting[-1].units_done == counting[-1].units == result.units
    assert [p.units_done for p in counting] == sorted(p.units_done for p in counting)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"problem": "quens"}, "problem: found 'quens'"),
        ({"problem": "queens", "n": 65}, "n: found 65, expected an integer from 0 to 64"),
        ({"problem": "queens", "n": 8.0}, "n: found 8.0"),
        ({"problem": "queens", "n": True}, "n: found True"),
        ({"problem": "queens"}, "n: found nothing"),
        ({"problem": "queens", "n": 8, "m": 1}, "found 'm'"),
        ({"problem": "queens", "n": 8, "engine": "gpu"}, "engine: found 'gpu'"),
        ({"problem": "queens", "n": 8, "workers": 0}, "workers: found 0"),
        ({"problem": Queens(n=8), "n": 8}, "beside a problem"),
    ],
)
def test_bad_questions_are_refused_with_what_was_found(arguments, match):
    with pytest.raises(UsageError, match=match):
        count(**arguments)


def test_a_problem_object_asks_the_same_question_as_its_name():
    assert count(Queens(n=8)).job == count("queens", n=" 8 ").job


def test_a_limit_of_nodes_is_one_of_each_run():
    visited = []
    for _ in range(3):
        with pytest.raises(LimitError, match=r"^the limit of 1,000 nodes .* [0-9,]+,[0-9]{3} nodes in all"):
            count(PLAIN, size=200_000, engine=LocalEngine(1), node_limit=1000)
        with Store.open() as ledger:
            visited.append(ledger.jobs()[0].nodes)
    assert visited[0] >= 1000
    assert visited[1] >= visited[0] + 1000
    assert visited[2] >= visited[1] + 1000
