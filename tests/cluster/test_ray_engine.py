"""The Ray engine: exact with any number of workers, whatever happens to them, and silent."""

import os
import signal
import socket
import subprocess
import sys
import textwrap
from contextlib import closing
from pathlib import Path

import pytest

from frontrow.cluster import ray_engine
from frontrow.cluster.api import count
from frontrow.cluster.ray_engine import RayEngine
from frontrow.search import registry
from frontrow.search.errors import EngineError, ProblemError, UsageError
from frontrow.search.problems.queens import Queens
from frontrow.search.registry import ProblemRef
from frontrow.search.rows import HAND_BACK, new_stop
from frontrow.workers import dispatch
from frontrow.workers.unit import WorkUnit
from tests.ray_support import CORES, COUNT, DIE, FAIL, GATE, gated_units, taking, trial, trial_units

pytestmark = pytest.mark.ray
EIGHT_QUEENS = 92  # OEIS A000170


@pytest.fixture(scope="module")
def two(one_ray):
    """An engine with two workers, which outlives whatever a test does to it."""
    with closing(RayEngine(workers=2)) as engine:
        yield engine


ENDING = """
import os
from frontrow import CountingTree

class Ending(CountingTree):
    cells, bits = 1, 4

    def root(self):
        return (0,)

    def children(self, node):
        os._exit(3)

    def is_solution(self, node):
        return True
"""


def waiting(folder):
    """Process ids of the workers that came to the gate."""
    return [int(path.name.removeprefix("waits-")) for path in folder.glob("waits-*")]


@pytest.mark.parametrize(("asked", "given"), [(1, 1), (2, 2), (CORES + 2, CORES)])
def test_totals_are_exact_with_as_many_workers_as_there_is_room_for(one_ray, asked, given):
    problem = Queens(n=8, method="scalar")
    rows = problem.split()
    units = [WorkUnit(number, rows[number : number + 1], 1) for number in range(rows.shape[0])]
    with closing(RayEngine(workers=asked)) as engine:
        engine.start(ProblemRef.of(problem))
        assert engine.workers == given
        results = [
            result
            for batch in engine.map(ProblemRef.of(problem), taking(units, 3), new_stop())
            for result in batch
        ]
    assert sum(result.counts[0] for result in results) == EIGHT_QUEENS
    assert sorted(result.number for result in results) == list(range(len(units)))
    assert {result.worker.split(":")[0] for result in results} == {"ray"}


def test_a_job_has_the_same_answer_on_ray_as_here(two, tmp_path):
    here = count("queens", n=8, workers=1, store=tmp_path / "here")
    there = count("queens", n=8, engine=two, store=tmp_path / "there")
    assert (there.values, there.units, there.engine) == (here.values, here.units, "ray")


def test_a_killed_worker_costs_its_batch_and_not_the_run(two, tmp_path):
    units = trial_units([(COUNT, n) for n in range(20)] + [(GATE, 100)] + [(COUNT, n) for n in range(20)])
    results = []
    for batch in two.map(trial(tmp_path), taking(units, 4), new_stop()):
        results += batch
        for worker in waiting(tmp_path):
            if not (tmp_path / "open").exists():
                os.kill(worker, signal.SIGKILL)
                (tmp_path / "open").touch()
    assert sum(result.counts[0] for result in results) == 2 * sum(range(20)) + 100
    assert sorted(result.number for result in results) == list(range(len(units)))
    assert next(result.attempt for result in results if result.number == 20) == 1


def test_a_unit_that_kills_every_worker_ends_the_run_and_is_named(two, tmp_path, monkeypatch):
    monkeypatch.setattr(dispatch, "ATTEMPTS", 2)
    units = trial_units([(COUNT, 1), (DIE, 2), (COUNT, 3), (COUNT, 4)])
    with pytest.raises(
        EngineError, match=r"^trial_problem.py: found 2 workers lost while they tallied unit 1 \(.+\)"
    ):
        list(two.map(trial(tmp_path), taking(units, 2), new_stop()))


def test_what_a_unit_raises_is_raised_here(two, tmp_path):
    reason = r"^trial_problem.py, line [0-9]+ in _fail: ZeroDivisionError: a unit that cannot be tallied$"
    with pytest.raises(ProblemError, match=reason) as caught:
        list(two.map(trial(tmp_path), taking(trial_units([(COUNT, 1), (FAIL, 2)])), new_stop()))
    assert caught.type is ProblemError


def test_what_was_done_before_a_stop_is_handed_back(two, tmp_path):
    stop, results = new_stop(), []
    for batch in two.map(trial(tmp_path), taking(gated_units()), stop):
        results += batch
        if len(waiting(tmp_path)) == 2:
            stop[0] = HAND_BACK
    [part] = results
    assert (part.number, part.counts, part.nodes, part.budget) == (0, (3,), 1, 1)
    assert part.rest.tolist() == [[GATE, 4]]


def test_a_raised_stop_flag_ends_the_run_and_frees_the_workers(two, tmp_path):
    stop = new_stop()
    run = two.map(trial(tmp_path), taking(trial_units([(GATE, 1)] * 6)), stop)
    for batch in run:
        assert batch == ()
        stop[0] = len(waiting(tmp_path)) == 2
    [(again,)] = [
        batch for batch in two.map(trial(tmp_path), taking(trial_units([(COUNT, 5)])), new_stop()) if batch
    ]
    assert again.counts == (5,)


def test_a_run_that_is_left_frees_the_workers(two, tmp_path):
    run = two.map(trial(tmp_path), taking(trial_units([(GATE, 1)] * 6)), new_stop())
    while len(waiting(tmp_path)) < 2:
        next(run)
    run.close()
    results = [*two.map(trial(tmp_path), taking(trial_units([(COUNT, 5)])), new_stop())]
    assert sum(len(batch) for batch in results) == 1


def test_a_file_that_ends_its_workers_while_it_is_loaded_is_named(one_ray, tmp_path, monkeypatch):
    monkeypatch.setattr(ray_engine, "ATTEMPTS", 1)
    (tmp_path / "mine.py").write_text(ENDING, encoding="utf-8")
    ref = ProblemRef.of(registry.find(str(tmp_path / "mine.py"))())
    reason = r"^mine\.py: found a worker process that it ended, expected all of them to live$"
    with closing(RayEngine(workers=1)) as engine, pytest.raises(EngineError, match=reason):
        engine.start(ref)


def test_a_worker_with_other_sources_is_refused(one_ray, tmp_path, monkeypatch):
    build = ray_engine.build()
    monkeypatch.setattr(ray_engine, "build", lambda: build | {"kernel sources": "other"})
    digest = build["kernel sources"]
    with (
        closing(RayEngine(workers=1)) as engine,
        pytest.raises(EngineError, match=f"found kernel sources {digest}, expected other$"),
    ):
        engine.start(trial(tmp_path))


def test_closing_twice_is_harmless_and_leaves_a_ray_of_the_users(one_ray, tmp_path):
    engine = RayEngine(workers=1)
    engine.close()
    engine.start(trial(tmp_path))
    engine.close()
    engine.close()
    assert ray_engine.ray.is_initialized()


def test_another_cluster_than_the_one_in_use_is_refused(one_ray, tmp_path):
    with pytest.raises(UsageError, match=r"^--ray-address: found 127\.0\.0\.1:9, expected .+:[0-9]+ as this"):
        RayEngine("127.0.0.1:9").start(trial(tmp_path))


@pytest.mark.parametrize("workers", [0, -1])
def test_a_bad_number_of_workers_is_refused(workers):
    with pytest.raises(UsageError, match=f"^workers: found {workers}, expected 1 or more$"):
        RayEngine(workers=workers)


def python(code, *words):
    """Run code in a process that no Ray is connected to."""
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )


UNREACHABLE = """
    import sys
    from frontrow.cluster import ray_engine, ray_session
    from frontrow.search.errors import EngineError
    from frontrow.search.problems.queens import Queens
    from frontrow.search.registry import ProblemRef

    ray_session.GREETING = 0.2
    engine = ray_engine.RayEngine(sys.argv[1])
    try:
        engine.start(ProblemRef.of(Queens(n=4, method="scalar")))
    except EngineError as error:
        print(error)
    engine.close()
"""


@pytest.mark.parametrize("listens", [False, True])
def test_a_cluster_that_does_not_answer_is_an_error_on_one_line(listens):
    with socket.socket() as silent:
        silent.bind(("", 0))
        if listens:
            silent.listen()
        port = silent.getsockname()[1]
        done = python(UNREACHABLE, f"127.0.0.1:{port}")
    reason = "no answer within 0 s" if listens else "connection refused"
    assert done.stdout == f"Ray at 127.0.0.1:{port}: found {reason}, expected a running cluster\n"
    assert done.stderr == ""


SILENT = """
    import os, signal, sys
    from pathlib import Path
    from frontrow.cluster.ray_engine import RayEngine
    from frontrow.search.rows import HAND_BACK, new_stop
    from tests.ray_support import COUNT, GATE, taking, trial, trial_units

    folder = Path(sys.argv[1])
    signal.signal(signal.SIGTERM, lambda *_: print("asked to end"))
    engine = RayEngine(workers=2)
    total = 0
    for batch in engine.map(trial(folder), taking(trial_units([(GATE, 1), (COUNT, 2)])), new_stop()):
        total += sum(result.counts[0] for result in batch)
        for path in folder.glob("waits-*"):
            if not (folder / "open").exists():
                os.kill(int(path.name.removeprefix("waits-")), signal.SIGKILL)
                (folder / "open").touch()
    os.kill(os.getpid(), signal.SIGTERM)
    engine.close()
    print(total)
"""


def test_a_ray_of_our_own_says_nothing_even_when_a_worker_is_killed(tmp_path):
    done = python(SILENT, str(tmp_path))
    assert (done.stdout, done.stderr) == ("asked to end\n3\n", "")


BROKEN = """
    import sys, time
    from pathlib import Path
    import ray, psutil
    from frontrow.cluster.ray_engine import RayEngine
    from frontrow.search.errors import EngineError
    from frontrow.search.rows import HAND_BACK, new_stop
    from tests.ray_support import GATE, taking, trial, trial_units

    folder = Path(sys.argv[1])
    engine = RayEngine(workers=1)
    kin = set()
    try:
        for _ in engine.map(trial(folder), taking(trial_units([(GATE, 1)])), new_stop()):
            if not kin and [*folder.glob("waits-*")]:
                kin = {*psutil.Process().children(recursive=True)}
                [raylet] = [process for process in kin if process.name() == "raylet"]
                raylet.kill()
    except EngineError as error:
        print(error)
    engine.close()
    deadline = time.monotonic() + 20
    while left := [each for each in kin if each.is_running() and each.status() != psutil.STATUS_ZOMBIE]:
        assert time.monotonic() < deadline, left
    print(len(kin) > 2)
"""


def test_the_death_of_our_own_raylet_ends_the_run_and_leaves_no_process(tmp_path):
    done = python(BROKEN, str(tmp_path))
    said = "Ray on this machine: found raylet killed by signal 9, expected it to run"
    assert (done.stdout, done.stderr) == (f"{said}\nTrue\n", "")
