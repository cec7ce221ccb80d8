"""A search in buckets goes on where a limit left it, and comes to the same; what cannot be read is told."""

import gc
import random
import subprocess
import sys
import threading

import pytest

import frontrow
from frontrow.cluster.exploration import saving as exploring
from frontrow.cluster.exploration.limits import Clock
from frontrow.cluster.solving import bestfirst, bounds, saving
from frontrow.cluster.solving.result import Threshold
from frontrow.cluster.solving.saving import Rounds, SearchFiles
from frontrow.cluster.solving.solver import OutOfLimitError
from frontrow.cluster.store import Store
from frontrow.search.errors import DiskLimitError, MemoryLimitError
from frontrow.search.problems.sliding import Sliding
from frontrow.search.rows import new_stop
from frontrow.search.solving import astar
from frontrow.search.solving.astar import BestFirst
from frontrow.search.tables.rowset import RowSet
from frontrow.workers.shard import Shard

EIGHT = {"size": "3x3", "start": (8, 6, 7, 2, 5, 4, 3, 0, 1)}
OTHERS = {
    "2x4": {"size": "2x4", "start": (7, 6, 5, 4, 3, 1, 2, 0)},
    "3x3": EIGHT,
    "4x2": {"size": "4x2", "start": (7, 6, 5, 4, 3, 2, 1, 0), "goal": "blank-first"},
}
WAYS = [
    ("2x4", {"heuristic": "manhattan"}),
    ("3x3", {"heuristic": "linear-conflict"}),
    ("3x3", {"heuristic": "pdb:4-4"}),
    ("3x3", {"heuristic": "walking"}),
    ("4x2", {"heuristic": "manhattan"}),
    ("3x3", {"weight": 1.3}),
    ("3x3", {"weight": 2.5, "heuristic": "walking"}),
    ("3x3", {"method": "greedy", "heuristic": "manhattan"}),
    ("3x3", {"method": "greedy", "heuristic": "pdb:4-4"}),
]


@pytest.fixture(autouse=True)
def narrow(monkeypatch):
    """Portions are small."""
    monkeypatch.setattr(astar, "PORTION", 500)


def limited(monkeypatch, error, after):
    """Let a search reach a limit once so many portions were expanded."""
    expand = BestFirst.expand

    def expanded(self, pool):
        if self.weight not in bounds.UPPER_WEIGHTS and self.expanded > after:
            raise error
        expand(self, pool)

    monkeypatch.setattr(BestFirst, "expand", expanded)


def left_at(store, monkeypatch, after, **asked):
    """A search that comes to a limit after so many boards; what it says."""
    with monkeypatch.context() as patch:
        limited(patch, MemoryLimitError("9 bytes"), after)
        with pytest.raises(OutOfLimitError) as caught:
            frontrow.solve("sliding", store=store, **asked)
    return caught.value


def interrupted_at(store, monkeypatch, after, **asked):
    """A search that Ctrl-C reaches within a portion, once so many boards were expanded; what it told."""
    reached, check_stop, told = threading.Event(), BestFirst._check_stop, []

    def slow(self):
        if self.expanded > after:
            reached.set()
            while not self._stop[0]:
                threading.Event().wait(0.01)
        check_stop(self)

    def check(self):
        if reached.is_set():
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(BestFirst, "_check_stop", slow)
        patch.setattr(Clock, "check", check)
        with pytest.raises(KeyboardInterrupt):
            frontrow.solve("sliding", store=store, progress=told.append, **asked)
    return told


def files_of(store):
    return sorted(store.glob("explorations/*/buckets-*.frow"))


def told(found):
    return (
        found.moves,
        found.optimal,
        (found.lower, found.upper, found.expanded),
        (found.solutions, found.listed),
        [(each.bound, each.nodes) for each in found.thresholds],
    )


def test_where_a_search_stands_is_read_as_it_was_written(tmp_path, monkeypatch):
    monkeypatch.setattr(astar, "PORTION", 1)
    problem = Sliding(size="3x3", start=EIGHT["start"])
    search = BestFirst(problem, bounds.conflicts_of(problem), 1.5, 1, 1 << 30, new_stop())
    while search.expanded < 20 or search.standing.current is None:
        search.expand(lambda tasks: [task() for task in tasks])
    files = SearchFiles(tmp_path, "job", 1 << 30)
    rounds = Rounds((Threshold(21, 1 << 70, 0.5),), 12, 0.25)
    files.write(7, "astar linear-conflict", search, rounds)
    [found] = files.last()
    assert (found.way, found.standing, found.rounds) == ("astar linear-conflict", search.standing, rounds)
    assert found.number == 7
    assert [(*part[:2], part.rows.tolist()) for part in found.states()] == [
        (*part[:2], part.rows.tolist()) for part in search.kept()
    ]
    [error] = SearchFiles(tmp_path, "other", 1 << 30).last()
    assert "found job job, expected other" in str(error)


@pytest.mark.jit
@pytest.mark.parametrize(("board", "way"), WAYS)
def test_a_search_that_was_left_comes_to_the_same(tmp_path, monkeypatch, board, way):
    asked = {"method": "astar", **way, **OTHERS[board]}
    threads = set()
    asked["on_threshold"] = lambda _: threads.add(threading.current_thread())
    asked |= {} if asked["method"] == "greedy" or "weight" in way else {"every": True, "limit": 4}
    whole = frontrow.solve("sliding", store=tmp_path / "whole", **asked)
    parts = tmp_path / "parts"
    for part, workers in ((1, 2), (2, 1), (3, 3)):
        after = whole.expanded * part // 4
        error = left_at(parts, monkeypatch, after, workers=workers, **asked)
        assert str(error).endswith("with more --memory the same command goes on from there")
        assert (error.exit_status, error.solution.complete) == (4, False)
        assert after < error.solution.expanded < whole.expanded
        assert error.solution.lower <= whole.length
        assert error.solution.upper >= whole.lower
        assert [path.name for path in files_of(parts)][-1] == f"buckets-{part:05}.frow"
    notes = []

    def progress(each):
        notes.append(each)
        threads.add(threading.current_thread())

    found = frontrow.solve("sliding", store=parts, progress=progress, **asked)
    assert told(found) == told(whole)
    assert threads == {threading.current_thread()}
    assert found.resumed == len(error.solution.thresholds)
    went_on = f"going on from {error.solution.expanded:,} boards expanded, "
    assert [each.note.startswith(went_on) for each in notes if each.phase == "resuming"] == [True]
    assert files_of(parts) == []


@pytest.mark.jit
@pytest.mark.parametrize(("board", "way"), WAYS)
def test_ctrl_c_loses_one_portion_only(tmp_path, monkeypatch, board, way):
    asked = {"method": "astar", **way, **OTHERS[board]}
    asked |= {} if asked["method"] == "greedy" or "weight" in way else {"every": True, "limit": 4}
    whole = frontrow.solve("sliding", store=tmp_path / "whole", **asked)
    parts, kept = tmp_path / "parts", []
    for part, workers in ((1, 2), (2, 1), (3, 3)):
        after = whole.expanded * part // 4
        notes = interrupted_at(parts, monkeypatch, after, workers=workers, **asked)
        assert [each.phase for each in notes[-2:]] == ["saving", "searching"]
        assert notes[-1].nodes == notes[-1].kept > after
        kept.append(notes[-1].kept)
    assert kept[-1] < whole.expanded
    with Store.open(parts) as store:
        assert [row.state for row in store.jobs()] == ["interrupted"]
    notes = []
    found = frontrow.solve("sliding", store=parts, progress=notes.append, **asked)
    assert told(found) == told(whole)
    assert f"going on from {kept[-1]:,} boards expanded, " in " ".join(each.note for each in notes)
    assert files_of(parts) == []


@pytest.mark.jit
def test_ctrl_c_writes_nothing_that_takes_long_to_write(tmp_path, monkeypatch):
    asked = {"method": "astar", "heuristic": "manhattan", **EIGHT}
    interrupted_at(tmp_path, monkeypatch, 3000, **asked)
    [path] = files_of(tmp_path)
    monkeypatch.setattr(bestfirst, "LITTLE", path.stat().st_size)
    notes = interrupted_at(tmp_path, monkeypatch, 9000, **asked)
    assert "saving" not in [each.phase for each in notes]
    assert 3000 < notes[-1].kept < 9000 < notes[-1].nodes
    assert files_of(tmp_path) == [path]


@pytest.mark.jit
def test_ctrl_c_keeps_no_search_that_took_the_goal(tmp_path, monkeypatch):
    asked = {"method": "astar", "heuristic": "manhattan", **EIGHT}
    go = bestfirst.BestFirstRun._go
    over = threading.Event()

    def gone(self, pool):
        go(self, pool)
        over.set()
        while not self._stop[0]:
            threading.Event().wait(0.01)

    def check(self):
        if over.is_set():
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(bestfirst.BestFirstRun, "_go", gone)
        patch.setattr(Clock, "check", check)
        with pytest.raises(KeyboardInterrupt):
            frontrow.solve("sliding", store=tmp_path, **asked)
    assert files_of(tmp_path) == []
    assert frontrow.solve("sliding", store=tmp_path, **asked).length == 31


@pytest.mark.jit
def test_a_limit_while_a_checkpoint_is_read_says_how_to_get_further(tmp_path, monkeypatch):
    asked = {"method": "astar", "heuristic": "manhattan", **EIGHT}
    left_at(tmp_path, monkeypatch, 9000, **asked)
    reading, check_stop = threading.Event(), BestFirst._check_stop

    def slow(self):
        reading.set()
        while not self._stop[0]:
            threading.Event().wait(0.01)
        check_stop(self)

    def check(self):
        if reading.is_set():
            reading.clear()
            raise self.over()

    before = [path.read_bytes() for path in files_of(tmp_path)]
    with monkeypatch.context() as patch:
        patch.setattr(BestFirst, "_check_stop", slow)
        patch.setattr(Clock, "check", check)
        patch.setattr("frontrow.cluster.solving.run.upper_bound", lambda *_: None)
        patch.setattr("frontrow.cluster.solving.run.warm", lambda *_: None)
        with pytest.raises(OutOfLimitError) as caught:
            frontrow.solve("sliding", store=tmp_path, time_limit=90, **asked)
    assert str(caught.value).startswith(
        "the time limit of 90 s was reached while the checkpoint was read: the same command goes on from it "
        "with a --time-limit above 90 s; "
    )
    assert str(caught.value).count("the same command") == 1
    assert [path.read_bytes() for path in files_of(tmp_path)] == before
    assert frontrow.solve("sliding", store=tmp_path, **asked).resumed


@pytest.mark.jit
def test_a_time_limit_within_a_portion_loses_that_portion_only(tmp_path, monkeypatch):
    asked = {"method": "astar", "heuristic": "manhattan", **EIGHT}
    whole = frontrow.solve("sliding", store=tmp_path / "whole", **asked)
    reached, check_stop = threading.Event(), BestFirst._check_stop

    def slow(self):
        if self.weight == 1 and self.expanded > 5000:
            reached.set()
            while not self._stop[0]:
                threading.Event().wait(0.01)
        check_stop(self)

    def check(self):
        if reached.is_set():
            reached.clear()
            raise self.over()

    with monkeypatch.context() as patch:
        patch.setattr(BestFirst, "_check_stop", slow)
        patch.setattr(Clock, "check", check)
        with pytest.raises(OutOfLimitError, match="; the same command goes on from there") as caught:
            frontrow.solve("sliding", store=tmp_path, time_limit=60, **asked)
    assert caught.value.solution.expanded > 5000
    found = frontrow.solve("sliding", store=tmp_path, **asked)
    assert told(found) == told(whole)


@pytest.mark.jit
def test_damaged_checkpoints_are_told_and_the_search_begins_anew(tmp_path, monkeypatch):
    asked = {"method": "astar", "heuristic": "manhattan", **EIGHT}
    whole = frontrow.solve("sliding", store=tmp_path / "whole", **asked)
    for after in (3000, 9000):
        left_at(tmp_path, monkeypatch, after, **asked)
    first, second = files_of(tmp_path)
    for path, byte in ((second, 300), (first, -40)):
        data = bytearray(path.read_bytes())
        data[byte] ^= 1
        path.write_bytes(data)
    notes = []
    found = frontrow.solve("sliding", store=tmp_path, progress=notes.append, **asked)
    assert told(found) == told(whole)
    notes = [each.note for each in notes if each.phase == "resuming"]
    assert [note.partition(", byte ")[0] for note in notes] == [str(second), str(first)]
    assert [note.partition("; ")[2] for note in notes] == [
        "the checkpoint before it is tried",
        "the search begins anew",
    ]
    assert found.resumed == 0


@pytest.mark.jit
def test_the_checkpoint_before_a_damaged_one_is_used(tmp_path, monkeypatch):
    asked = {"method": "astar", "heuristic": "manhattan", **EIGHT}
    for after in (3000, 9000):
        error = left_at(tmp_path, monkeypatch, after, **asked)
    files_of(tmp_path)[1].write_bytes(b"nonsense")
    notes = []
    again = left_at(tmp_path, monkeypatch, 4000, progress=notes.append, **asked)
    assert [each.warning for each in notes if each.phase == "resuming"] == [True, False]
    notes = [each.note for each in notes if each.phase == "resuming"]
    assert "buckets-00002.frow, byte 0: found" in notes[0]
    assert notes[0].endswith("; the checkpoint before it is used")
    assert notes[1].startswith("going on from 3,")
    assert 4000 < again.solution.expanded < error.solution.expanded
    assert [path.name for path in files_of(tmp_path)] == ["buckets-00001.frow", "buckets-00002.frow"]


@pytest.mark.jit
def test_fresh_and_forget_leave_no_checkpoint(tmp_path, monkeypatch):
    asked = {"method": "astar", "heuristic": "manhattan", **EIGHT}
    left_at(tmp_path, monkeypatch, 9000, **asked)
    error = left_at(tmp_path, monkeypatch, 2000, fresh=True, **asked)
    assert 2000 < error.solution.expanded < 9000
    assert [path.name for path in files_of(tmp_path)] == ["buckets-00001.frow"]
    assert "the same command without --fresh goes on from there" in str(error)
    with Store.open(tmp_path) as store:
        store.forget(error.solution.job)
    assert files_of(tmp_path) == []


@pytest.mark.jit
def test_where_nothing_can_be_written_the_bounds_are_kept(tmp_path, monkeypatch):
    asked = {"method": "astar", "heuristic": "manhattan", **EIGHT}

    def full(self):
        raise DiskLimitError("disk: found no room, expected some")

    monkeypatch.setattr(saving.SearchFiles, "check_room", full)
    notes = []
    error = left_at(tmp_path, monkeypatch, 9000, progress=notes.append, **asked)
    assert str(error).endswith("; the same command begins anew but keeps these bounds")
    assert "disk: found no room, expected some; no more checkpoints are written" in [
        each.note for each in notes
    ]
    bounds = []
    again = left_at(tmp_path, monkeypatch, 0, on_threshold=bounds.append, **asked)
    assert again.solution.lower == error.solution.lower
    assert again.solution.upper == error.solution.upper


@pytest.mark.jit
def test_checkpoints_obey_the_disk_and_the_search_goes_on_without(tmp_path, monkeypatch):
    asked = {"method": "astar", "heuristic": "manhattan", **EIGHT}
    notes = []
    error = left_at(tmp_path, monkeypatch, 9000, disk=60_000, progress=notes.append, **asked)
    assert str(error).endswith("; the same command begins anew but keeps these bounds")
    assert sum(path.stat().st_size for path in tmp_path.glob("explorations/*/*")) <= 60_000
    assert [each.note for each in notes if each.warning][0].endswith(
        "expected at most 60,000 (--disk); no more checkpoints are written"
    )
    left_at(tmp_path, monkeypatch, 9000, **asked)
    assert len(files_of(tmp_path)) == 1


@pytest.mark.jit
def test_the_disk_is_a_limit_of_bfs(tmp_path, monkeypatch):
    monkeypatch.setattr(exploring, "CHECKPOINT", 0.0)
    monkeypatch.setattr(exploring, "CHEAP", 0.0)
    with pytest.raises(OutOfLimitError, match=r"disk: found .* expected at most 9,000 \(--disk\)"):
        frontrow.solve("sliding", store=tmp_path, method="bfs", disk=9_000, **EIGHT)


@pytest.mark.jit
def test_a_checkpoint_that_finds_no_room_is_kept(tmp_path, monkeypatch):
    asked = {"method": "astar", "heuristic": "manhattan", **EIGHT}
    left_at(tmp_path, monkeypatch, 9000, **asked)
    before = [path.read_bytes() for path in files_of(tmp_path)]
    with pytest.raises(OutOfLimitError, match="with more --memory the same command goes on"):
        frontrow.solve("sliding", store=tmp_path, memory=60_000, **asked)
    assert [path.read_bytes() for path in files_of(tmp_path)] == before


SCRIPT = """
import sys
import frontrow
from frontrow.cluster.solving import saving
from frontrow.search.solving import astar
saving.CHECKPOINT = saving.CHEAP = 0
astar.PORTION = 500
save = saving.SearchSaving.save
def told(self, search, rounds):
    save(self, search, rounds)
    print(search.expanded, flush=True)
saving.SearchSaving.save = told
start = (8, 6, 7, 2, 5, 4, 3, 0, 1)
frontrow.solve(
    "sliding", size="3x3", start=start, method="astar", heuristic="manhattan", store=sys.argv[1]
)
"""


@pytest.mark.jit
def test_a_search_killed_at_random_moments_goes_on_from_its_last_checkpoint(tmp_path):
    asked = {"method": "astar", "heuristic": "manhattan", **EIGHT}
    whole = frontrow.solve("sliding", store=tmp_path / "whole", **asked)
    generator, last = random.Random(3), []
    for _ in range(3):
        process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        for _, line in zip(range(generator.randint(5, 25)), process.stdout, strict=False):
            last.append(int(line))
        process.kill()
        process.communicate()
    notes = []
    found = frontrow.solve("sliding", store=tmp_path, progress=notes.append, **asked)
    assert told(found) == told(whole)
    assert last == sorted(last)
    assert any(each.note.startswith("going on from ") for each in notes)


@pytest.mark.jit
@pytest.mark.parametrize("method", ["astar", "ida", "bfs"])
def test_no_search_may_hold_more_than_the_memory(tmp_path, monkeypatch, method):
    held = []
    begin = BestFirst.__init__

    def begun(self, graph, lower, weight, shards, memory, stop, **rest):
        held.append((weight, memory))
        begin(self, graph, lower, weight, shards, memory, stop, **rest)

    monkeypatch.setattr(BestFirst, "__init__", begun)
    monkeypatch.setattr(bounds, "UPPER_MEMORY", 90_000)
    heuristic = {} if method == "bfs" else {"heuristic": "pdb:4-4"}
    memory = 1000 if method != "bfs" else 1
    with pytest.raises(OutOfLimitError, match="no solution is known yet"):
        frontrow.solve("sliding", store=tmp_path, method=method, memory=memory, **heuristic, **EIGHT)
    assert {each for weight, each in held if weight in bounds.UPPER_WEIGHTS} == {memory}


@pytest.mark.jit
@pytest.mark.parametrize(("method", "module"), [("astar", "run"), ("bfs", "solver")])
def test_tables_are_given_back_before_a_bound_from_above_is_looked_for(tmp_path, monkeypatch, method, module):
    held = []

    def upper_bound(*_):
        gc.collect()
        objects = gc.get_objects()  # among them are proxies of what is gone, which have a type only
        held.append(sum(each.nbytes for each in objects if type(each) in (BestFirst, RowSet)))
        held.append(sum(type(each) is Shard for each in objects))

    monkeypatch.setattr(f"frontrow.cluster.solving.{module}.upper_bound", upper_bound)
    with pytest.raises(OutOfLimitError, match="memory: found"):
        frontrow.solve("sliding", store=tmp_path, method=method, memory=50_000, **EIGHT)
    assert held == [0, 0]


def test_a_bound_from_above_needs_room():
    problem = Sliding(size="3x3", start=EIGHT["start"])
    assert bounds.upper_bound(problem, 2000) is None
    assert bounds.upper_bound(problem, 1 << 20) >= 31
