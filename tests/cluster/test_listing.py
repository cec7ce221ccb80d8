"""A list is the same and in order whoever searches, and little of it is kept."""

import itertools
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontrow import CountingTree, solutions
from frontrow.cluster import listing
from frontrow.cluster.listing import ListRun, Order
from frontrow.cluster.ray_engine import RayEngine
from frontrow.search.errors import EngineError, ProblemError, UsageError
from frontrow.search.problems.queens import Queens
from frontrow.search.rows import new_stop
from frontrow.workers.local import LocalEngine
from frontrow.workers.processes import ProcessEngine
from frontrow.workers.unit import UnitResult, run_unit
from tests.ray_support import trial

FILE = '''
import os
from pathlib import Path
from frontrow import CountingTree, parameter

class Words(CountingTree):
    """Words without the same letter twice in a row; those of two letters and of n are solutions."""

    n: int
    folder: str = parameter(parse=str, default="", help="where the first worker that meets 2,1,2 dies")
    cells, bits = 12, 2

    def children(self, node):
        if node == (2, 1, 2) and self.folder:
            self.die()
        letters = range(3) if len(node) < self.n else ()
        return [(*node, letter) for letter in letters if node[-1:] != (letter,)]

    def is_solution(self, node):
        return len(node) in (2, self.n)

    def die(self):
        if self.folder == "fail":
            raise ValueError("no such word")
        try:
            (Path(self.folder) / "died").touch(exist_ok=False)
        except FileExistsError:
            return
        os.kill(os.getpid(), 9)
'''


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("files") / "words.py"
    path.write_text(FILE, encoding="utf-8")
    return str(path)


def words(n, word=()):
    """The list that the file stands for."""
    if len(word) in (2, n):
        yield word
    if len(word) < n:
        for letter in range(3):
            if word[-1:] != (letter,):
                yield from words(n, (*word, letter))


# The order


class Counter(CountingTree):
    """Numbers below 600, each a child of the one before it or of that divided by 3."""

    cells, bits = 6, 2

    def children(self, node):
        return [(*node, digit) for digit in range(4)] if len(node) < 5 else []

    def is_solution(self, node):
        return sum(node) % 3 == 0


def searched(problem, batch):
    [unit] = batch
    return run_unit(problem, unit, new_stop(), "w")


EVERY = Counter().list_under(Counter().initial(), 10**9, 10**9, new_stop(), unique=False).solutions.tolist()


@given(st.integers(1, 5), st.integers(1, 40), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_parts_that_come_back_in_any_order_make_one_list(workers, most, random):
    problem, found, flying, held = Counter(), [], [], []
    order = Order(problem.initial(), workers, most=most)
    while not order.is_complete:
        while len(flying) < 2 * workers and (batch := order.take()):
            flying.append(batch)
        assert flying
        result = searched(problem, flying.pop(random.randrange(len(flying))))
        order.put(result)
        held.append(sum(part.rows.shape[0] for part in order._parts if part.is_found))
        found += [row.tolist() for rows in order.pop() for row in rows]
    assert not flying
    assert order.take() is None
    assert found == EVERY
    # What waits for its turn, and what the last units to be handed out bring.
    assert max(held) <= (listing.WINDOW + 2) * workers * most + most


def test_what_comes_first_is_handed_out_though_too_much_waits():
    problem = Counter()
    order = Order(problem.initial(), 1, most=1)
    first = order.take()
    waiting = []
    order.put(searched(problem, first))
    head = order.take()
    for _ in range(100):
        batch = order.take()
        if batch is None:
            break
        waiting.append(batch)
        order.put(searched(problem, batch))
    assert len(waiting) < 20
    order.put(searched(problem, head))
    assert list(order.pop())
    assert order.take() is not None


def test_a_second_result_of_a_unit_changes_nothing():
    problem = Counter()
    order = Order(problem.initial(), 2, most=5)
    first = order.take()
    order.put(searched(problem, first))
    nodes = order.nodes
    order.put(searched(problem, first))
    assert order.nodes == nodes
    found = [row.tolist() for rows in order.pop() for row in rows]
    while batch := order.take():
        for _ in range(2):
            order.put(searched(problem, batch))
        found += [row.tolist() for rows in order.pop() for row in rows]
    assert found == EVERY


def test_budgets_follow_the_pace_of_the_workers():
    order = Order(np.zeros((1, 1), np.uint64), 1)
    none = np.zeros((0, 1), np.uint64)
    budgets = []
    for _ in range(20):
        [unit] = order.take()
        budgets.append(unit.budget)
        seconds = unit.budget / 1e6  # a million nodes a second
        head = (unit.number, 0, unit.budget, (), unit.budget)
        order.put(UnitResult(*head, unit.rows, seconds, "w", "host", "", none))
    assert budgets[0] == listing.FIRST_BUDGET
    assert all(after <= listing.GROWTH * before for before, after in itertools.pairwise(budgets))
    assert budgets[-1] == pytest.approx(1e6 * listing.TARGET, rel=0.01)


# Whole lists


def listed(problem, engine, limit=None, unique=False):
    run = ListRun(problem, engine, limit=limit, unique=unique, here=False, report=lambda _: None)
    return [tuple(line) for rows in run.blocks() for line in problem.integers(rows).tolist()]


@pytest.mark.parametrize("workers", [1, 2, 7])
@pytest.mark.parametrize("most", [3, listing.MOST])
def test_threads_list_the_same_queens_in_the_same_order(workers, most, monkeypatch):
    monkeypatch.setattr(listing, "MOST", most)
    for n in (6, 8, 10 if most > 3 else 7):
        problem = Queens(n=n)
        rows = problem.list_under(problem.initial(), 10**9, 10**9, new_stop(), unique=False).solutions
        assert listed(problem, LocalEngine(workers)) == [
            tuple(line) for line in problem.integers(rows).tolist()
        ]


@pytest.mark.parametrize("workers", [1, 2, 7])
def test_processes_list_the_same_words_in_the_same_order(path, workers):
    with closing(ProcessEngine(workers)) as engine:
        assert list(solutions(path, n=7, engine=engine)) == list(words(7))


@pytest.mark.ray
@pytest.mark.parametrize("workers", [1, 2, 7])
def test_ray_lists_the_same_in_the_same_order(one_ray, path, workers):
    with closing(RayEngine(workers=workers)) as engine:
        assert list(solutions(path, n=7, engine=engine)) == list(words(7))
        here = list(solutions("queens", n=8, workers=1))
        assert list(solutions("queens", n=8, engine=engine)) == here
        assert list(solutions("queens", n=8, engine=engine, unique=True, limit=5)) == list(
            solutions("queens", n=8, workers=1, unique=True, limit=5)
        )


def test_a_killed_process_changes_nothing(path, tmp_path):
    with closing(ProcessEngine(2)) as engine:
        assert list(solutions(path, n=8, folder=str(tmp_path), engine=engine)) == list(words(8))
    assert (tmp_path / "died").exists()


@pytest.mark.ray
def test_a_killed_ray_worker_changes_nothing(one_ray, path, tmp_path):
    with closing(RayEngine(workers=2)) as engine:
        assert list(solutions(path, n=8, folder=str(tmp_path), engine=engine)) == list(words(8))
    assert (tmp_path / "died").exists()


@pytest.mark.parametrize("n", range(11))
def test_as_many_queens_are_listed_as_are_counted(n):
    problem = Queens(n=n)
    totals = problem.tally(problem.split(), None, new_stop()).counts
    found = listed(problem, LocalEngine(2))
    assert len(found) == totals[0]
    assert found == sorted(set(found))


# From Python


def test_solutions_of_four_queens():
    assert list(solutions("queens", n=4)) == [(1, 3, 0, 2), (2, 0, 3, 1)]
    assert list(solutions("queens", n=4, unique=True)) == [(1, 3, 0, 2)]
    assert list(solutions(Queens(n=4, fixed="-,-,3"))) == [(2, 0, 3, 1)]
    assert list(solutions("queens", n=0)) == [()]
    assert list(solutions("queens", n=3)) == []


def test_shorter_nodes_are_shorter_tuples(path):
    assert list(solutions(path, n=3, limit=4)) == [(0, 1), (0, 1, 0), (0, 1, 2), (0, 2)]


@pytest.mark.parametrize("limit", [0, 1, 5, 40, 1000])
def test_a_limit_takes_the_first_ones(limit):
    assert list(solutions("queens", n=7, limit=limit)) == list(solutions("queens", n=7))[:limit]


class Watched(LocalEngine):
    """Remembers the stop flags of its runs."""

    def __init__(self, workers):
        super().__init__(workers)
        self.stops = []

    def map(self, ref, take, stop):
        self.stops.append(stop)
        return super().map(ref, take, stop)


def test_a_list_that_is_closed_early_stops_the_workers():
    engine = Watched(2)
    found = solutions("queens", n=20, engine=engine)
    assert next(found) == (0, 2, 4, 1, 3, 12, 14, 11, 17, 19, 16, 8, 15, 18, 7, 9, 6, 13, 5, 10)
    assert engine.stops[0][0] == 0
    found.close()
    assert engine.stops[0][0] == 1


def test_a_list_that_reached_its_limit_stops_the_workers():
    engine = Watched(2)
    assert len(list(solutions("queens", n=16, engine=engine, limit=3))) == 3
    assert engine.stops[0][0] == 1


def test_nothing_is_searched_before_it_is_asked_for():
    engine = Watched(1)
    solutions("queens", n=8, engine=engine)
    assert list(solutions("queens", n=8, engine=engine, limit=0)) == []
    assert engine.stops == []


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"n": 4, "limit": -1}, "limit: found -1, expected an integer from 0"),
        ({"n": 4, "limit": 1.5}, "limit: found 1.5, expected an integer from 0"),
        ({"n": 6, "fixed": [0], "unique": True}, "unique: found no symmetries in this queens problem"),
        ({"n": 65}, "n: found 65"),
        ({"n": 4, "engine": "cloud"}, "engine: found 'cloud'"),
        ({"n": 4, "workers": 0}, "workers: found 0"),
    ],
)
def test_a_bad_question_is_refused_before_it_is_iterated(options, line):
    with pytest.raises(UsageError, match=line):
        solutions("queens", **options)


def test_what_is_no_tree_is_refused(tmp_path):
    problem = trial(tmp_path).load()
    with pytest.raises(UsageError, match="which cannot be listed, expected a CountingTree"):
        solutions(problem)


def test_a_tree_that_only_counts_is_refused():
    path = str(Path(__file__).parents[2] / "benchmarks/problems/unbalanced.py")
    with pytest.raises(
        UsageError, match="problem unbalanced: found neither children nor expand, expected one"
    ):
        solutions(path, size=10)


def test_a_failing_file_is_named_with_its_line(path):
    with pytest.raises(ProblemError, match=r"^words\.py, line \d+ in die: ValueError: no such word$"):
        list(solutions(path, n=8, folder="fail", workers=2))


def test_an_engine_that_gives_up_early_is_no_end_of_the_list():
    class Lazy(LocalEngine):
        def map(self, ref, take, stop):
            yield ()

    with pytest.raises(EngineError, match="found parts that nobody searched"):
        list(solutions("queens", n=5, engine=Lazy(1)))


def test_progress_tells_what_was_listed(monkeypatch):
    monkeypatch.setattr(listing, "TELL", 0.0)
    told = []
    found = list(solutions("queens", n=9, progress=told.append, workers=2))
    last = [progress for progress in told if progress.phase == "listing"][-1]
    assert told[0].phase == "starting"
    assert (last.totals, last.share) == ({"solutions": len(found)}, None)
    assert last.nodes > 352
