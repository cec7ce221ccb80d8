"""The engine of processes keeps the contract of `Engine` for problems in plain Python."""

import os
import signal

import pytest

from frontrow.cluster.api import count
from frontrow.search import registry
from frontrow.search.errors import EngineError, ProblemError, UsageError
from frontrow.search.registry import ProblemRef
from frontrow.search.rows import new_stop
from frontrow.workers.processes import ProcessEngine
from frontrow.workers.unit import WorkUnit

FILE = """
import os
from frontrow import CountingTree

class Tree(CountingTree):
    n: int
    cells, bits = 2, 20

    def root(self):
        return (0, 0)

    def children(self, node):
        depth, number = node
        if number == 999999:
            raise ValueError("no such node")
        if number == 999998:
            os.kill(os.getpid(), 11)
        return [(depth + 1, 2 * number + side) for side in (0, 1)] if depth < self.n else []

    def is_solution(self, node):
        return node[0] == self.n
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("files") / "tree.py"
    path.write_text(FILE, encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def engine():
    engine = ProcessEngine(2)
    yield engine
    engine.close()


def unit(problem, number, *node):
    from frontrow.search import tuples

    return WorkUnit(number, tuples.to_rows(problem, [node]), 1)


@pytest.fixture(scope="module")
def problem(path):
    return registry.find(path)(n=4)


def run(engine, problem, batches):
    waiting = iter(batches)
    results = engine.map(ProblemRef.of(problem), lambda: next(waiting, None), new_stop())
    return [result for batch in results for result in batch]


def test_units_are_counted_in_other_processes(engine, problem):
    results = run(engine, problem, [(unit(problem, number, 1, number),) for number in range(20)])
    assert sorted(result.number for result in results) == list(range(20))
    assert {result.counts for result in results} == {(8,)}
    assert str(os.getpid()) not in {result.worker.split(":")[-1] for result in results}


def test_a_failing_node_names_the_file_and_line(engine, problem):
    with pytest.raises(ProblemError, match=r"^tree\.py, line 15 in children: ValueError: no such node$"):
        run(engine, problem, [(unit(problem, 0, 1, 999999),)])


def test_a_unit_that_crashes_its_workers_ends_the_run_in_silence(problem, capfd):
    engine = ProcessEngine(1)
    with pytest.raises(
        EngineError, match=r"^tree\.py: found 5 workers lost while they tallied unit 0 \(SIGSEGV\(-11\)\)"
    ):
        run(engine, problem, [(unit(problem, 0, 1, 999998),)])
    engine.close()
    assert capfd.readouterr() == ("", "")


def test_a_killed_worker_costs_its_batch_and_not_the_run(engine, problem):
    batches = [(unit(problem, number, 1, number),) for number in range(40)]
    results, killed = [], False
    for part in engine.map(ProblemRef.of(problem), lambda: batches.pop() if batches else None, new_stop()):
        results += part
        if part and not killed:
            os.kill(int(part[0].worker.split(":")[-1]), signal.SIGKILL)
            killed = True
    assert len({result.worker for result in results}) <= 3  # the other process lived on
    assert {result.number for result in results} == set(range(40))
    assert {result.counts for result in results} == {(8,)}


def test_a_raised_stop_flag_ends_the_run(engine, problem):
    stop = new_stop()
    stop[0] = 1
    assert list(engine.map(ProblemRef.of(problem), lambda: (unit(problem, 0, 0, 0),), stop)) == []


def test_a_count_of_a_file_takes_processes_and_is_exact(path, tmp_path):
    for workers in (1, 2):
        result = count(path, n=10, workers=workers, store=tmp_path, fresh=True)
        assert (result.values["solutions"], result.nodes, result.engine) == (1024, 2047, "local")


def test_a_number_of_workers_below_one_is_refused():
    with pytest.raises(UsageError, match="expected 1 or more"):
        ProcessEngine(0)
