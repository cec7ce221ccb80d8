"""Checkpoints: what is written is read, what is damaged is told, and runs go on from it with any shards."""

import re
import subprocess
import sys
import threading

import pytest

import frontrow
from frontrow.cluster.exploration import groups, run, saving, trail
from frontrow.cluster.exploration.checkpoint import KEPT, Checkpoints
from frontrow.cluster.exploration.limits import Clock, TimeLimitError
from frontrow.cluster.exploration.place import Threads
from frontrow.cluster.exploration.result import Layer
from frontrow.cluster.store import Store
from frontrow.search.errors import LimitError, MemoryLimitError, StoreError
from frontrow.workers.group import LocalGroup
from frontrow.workers.team import Halted
from tests.exploration_support import TRIAL, group_of, grown, grown_on, kinds, known_layers, made, trial

CASES = [
    (name, params, table)
    for name, params in [
        (TRIAL, {"n": 3000, "goal": 2760}),
        ("sliding", {"size": "2x4", "start": "6,5,7,_,1,2,3,4"}),
        ("pegs", {"board": "triangle15"}),
    ]
    for table in kinds(made(name, **params))
]
SCRIPT = """
import sys
import frontrow
from frontrow.cluster.exploration import groups, saving
saving.CHECKPOINT, saving.CHEAP, groups.SMALL, groups.SMALL_SWEPT = 0.0, 0.0, 8, 8
shards, table, store = sys.argv[1:]
tell = lambda layer: print(layer.depth, layer.states, flush=True)
frontrow.explore(
    "sliding", size="2x4", start="6,5,7,_,1,2,3,4", table=table, shards=int(shards), store=store,
    until_goal=True, on_layer=tell,
)
"""
QUESTION = {"size": "2x4", "start": "6,5,7,_,1,2,3,4"}


@pytest.fixture
def often(monkeypatch):
    """A checkpoint after every layer, and all shards from the first layers on."""
    monkeypatch.setattr(saving, "CHECKPOINT", 0.0)
    monkeypatch.setattr(saving, "CHEAP", 0.0)
    monkeypatch.setattr(groups, "SMALL", 8)
    monkeypatch.setattr(groups, "SMALL_SWEPT", 8)


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0].rpartition('/')[2]} {case[2]}")
def case(request):
    return request.param


def layer(depth):
    return Layer(depth, 5, 9, None, 1 << 70, 0, None, 0.25, 100)


def stopped(depth):
    """What stops a run after a layer, as Ctrl-C does."""

    def stop(found):
        if found.depth == depth:
            raise KeyboardInterrupt

    return stop


def folder_of(store):
    [folder] = (store / "explorations").iterdir()
    return folder


@pytest.mark.parametrize("shards", [1, 3])
def test_what_is_written_is_what_a_group_goes_on_from(case, tmp_path, shards):
    name, params, table = case
    graph = made(name, **params)
    group = group_of(graph, table, 2)
    grown(group, graph, depth=6)
    files = Checkpoints(tmp_path / "job", "job", 1 << 30)
    files.write(table, (layer(0), layer(1)), 1.5, group.kept())
    [found] = files.last()
    assert (found.table, found.layers, found.seconds) == (table, (layer(0), layer(1)), 1.5)
    assert files.heading() == found
    assert files.used() == found.path.stat().st_size
    other = group_of(graph, table, shards)
    other.restore(found.kept())
    expected = known_layers(graph, False, None)[7:]
    assert [(each.new, each.generated) for each in grown_on(other)] == [
        (each[0], each[5]) for each in expected
    ]


def test_the_last_checkpoints_are_left(tmp_path):
    files = Checkpoints(tmp_path / "job", "job", 1 << 30)
    for depth in range(4):
        files.write("hash", tuple(map(layer, range(depth + 1))), 0.0, iter(()))
    assert [len(each.layers) for each in files.last()] == [4, 3][:KEPT]
    files.remove()
    assert list(files.last()) == []
    assert files.table() is None


def test_files_of_later_layers_and_damaged_ones_make_room_for_a_good_one(tmp_path):
    files = Checkpoints(tmp_path, "job", 1 << 30)
    for depth in (7, 8, 9):
        files.write("hash", tuple(map(layer, range(depth + 1))), 0.0, iter(()))
    damaged_at(tmp_path / "layer-00009.frow", 20)
    assert isinstance(next(files.last()), StoreError)
    files.write("hash", tuple(map(layer, range(11))), 0.0, iter(()))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["layer-00008.frow", "layer-00010.frow"]
    files.write("hash", tuple(map(layer, range(4))), 0.0, iter(()))
    assert [path.name for path in tmp_path.iterdir()] == ["layer-00003.frow"]


def damaged_at(path, byte):
    data = bytearray(path.read_bytes())
    data[byte] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("byte", [0, 6, 9, 40, -30, -1])
def test_a_changed_byte_is_found(tmp_path, byte):
    graph = trial(3000)
    group = group_of(graph, "hash")
    grown(group, graph, depth=6)
    files = Checkpoints(tmp_path, "job", 1 << 30)
    files.write("hash", (layer(0),), 0.0, group.kept())
    [path] = tmp_path.iterdir()
    damaged_at(path, byte)
    [error] = files.last()
    assert isinstance(error, StoreError)
    assert str(error).startswith(f"{path}, byte ")


@pytest.mark.parametrize("length", [0, 4, 30, -1, -40])
def test_a_file_that_is_cut_off_is_found(tmp_path, length):
    graph = trial(3000)
    group = group_of(graph, "hash")
    grown(group, graph, depth=6)
    files = Checkpoints(tmp_path, "job", 1 << 30)
    files.write("hash", (layer(0),), 0.0, group.kept())
    [path] = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:length])
    [error] = files.last()
    assert isinstance(error, StoreError)


def test_the_checkpoint_of_another_job_is_refused(tmp_path):
    Checkpoints(tmp_path, "one", 1 << 30).write("hash", (layer(0),), 0.0, iter(()))
    [error] = Checkpoints(tmp_path, "two", 1 << 30).last()
    assert "found job one, expected two" in str(error)


def test_files_stay_within_their_bytes(tmp_path):
    graph = trial(3000)
    group = group_of(graph, "hash")
    grown(group, graph)
    files = Checkpoints(tmp_path, "job", 1000)
    with pytest.raises(
        LimitError, match=r"disk: found \d.* bytes needed .* expected at most 1,000 \(--disk\)"
    ):
        files.write("hash", (layer(0),), 0.0, group.kept())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("before", "after"), [(1, 2), (3, 1), (2, 5)])
def test_an_interrupted_run_goes_on_with_another_number_of_shards(case, tmp_path, often, before, after):
    name, params, table = case
    asked = {**params, "table": table, "store": tmp_path, "paths": table != "rank"}
    with pytest.raises(KeyboardInterrupt):
        frontrow.explore(name, **asked, shards=before, on_layer=stopped(7))
    told = []
    result = frontrow.explore(name, **asked, shards=after, on_layer=told.append)
    assert result.resumed == 7
    assert result.layers == tuple(told)
    known = known_layers(made(name, **params), False, None)
    found = [(each.states, each.goals, each.generated) for each in result.layers]
    assert found == [(new, goals, generated) for new, _, _, goals, _, generated in known]
    if result.paths is not None:
        assert result.paths == tuple(ways for _, _, ways, *_ in known)
    assert list((tmp_path / "explorations").iterdir()) == []


@pytest.mark.parametrize("table", ["layers", "hash"])
def test_groups_are_told_how_many_rows_they_take_over(tmp_path, often, monkeypatch, table):
    told, restore = [], LocalGroup.restore

    def counting(self, kept, rows):
        parts = [(role, part.copy(), counts) for role, part, counts in kept]
        told.append((rows, sum(part.shape[0] for _, part, _ in parts)))
        restore(self, iter(parts), rows)

    monkeypatch.setattr(LocalGroup, "restore", counting)
    asked = {"problem": "sliding", **QUESTION, "table": table, "store": tmp_path}
    with pytest.raises(KeyboardInterrupt):
        frontrow.explore(**asked, on_layer=stopped(9))
    frontrow.explore(**asked, shards=2)
    monkeypatch.setattr(groups, "SMALL", 500)
    frontrow.explore(TRIAL, n=30_000, table="hash", shards=2, store=tmp_path)
    assert len(told) >= 2
    assert all(expected == found for expected, found in told)


@pytest.mark.parametrize(("little", "resumed"), [(1 << 20, 10), (10, 0)])
@pytest.mark.parametrize("table", ["rank", "layers", "hash"])
def test_an_interrupt_keeps_the_last_layer_if_it_is_little(tmp_path, monkeypatch, table, little, resumed):
    monkeypatch.setattr(run, "LITTLE", little)
    asked = {"problem": "sliding", **QUESTION, "table": table, "store": tmp_path}
    layer, told = LocalGroup.layer, []

    def interrupted(self, tick):
        if len(told) == 10:
            raise Halted
        return layer(self, tick)

    with monkeypatch.context() as patched:
        patched.setattr(LocalGroup, "layer", interrupted)
        with pytest.raises(KeyboardInterrupt):
            frontrow.explore(**asked, on_layer=told.append)
    result = frontrow.explore(**asked)
    assert (result.resumed, result.states) == (resumed, 20160)


@pytest.mark.parametrize("widened", [True, False])
def test_a_time_limit_holds_while_a_layer_is_taken_over(tmp_path, often, monkeypatch, widened):
    asked = {"problem": "sliding", **QUESTION, "table": "layers", "store": tmp_path}
    if not widened:
        with pytest.raises(KeyboardInterrupt):
            frontrow.explore(**asked, on_layer=stopped(9))
    over, restore = threading.Event(), LocalGroup.restore

    def slow(self, kept, rows):
        over.set()
        restore(self, kept, rows)
        over.clear()

    def check(self):
        if over.is_set():
            raise TimeLimitError(f"the time limit of {self.limit:g} s was reached")

    with monkeypatch.context() as patched:
        patched.setattr(LocalGroup, "restore", slow)
        patched.setattr(Clock, "check", check)
        then = r": .* are done; the same command goes on from there$"
        if not widened:
            then = " while the checkpoint was read: the same command goes on from it with a --time-limit"
        with pytest.raises(LimitError, match=f"s was reached{then}"):
            frontrow.explore(**asked, time_limit=100, shards=2 if widened else 1)
    result = frontrow.explore(**asked)
    assert result.resumed >= 5
    assert result.states == 20160


@pytest.mark.parametrize("table", ["rank", "layers", "hash"])
def test_the_way_is_the_same_after_an_interruption(tmp_path, often, table):
    asked = {"problem": "sliding", **QUESTION, "until_goal": True, "table": table}
    whole = frontrow.explore(**asked, store=tmp_path / "whole")
    for depth in (5, 17):
        with pytest.raises(KeyboardInterrupt):
            frontrow.explore(**asked, store=tmp_path, shards=3, on_layer=stopped(depth))
    result = frontrow.explore(**asked, store=tmp_path, shards=2)
    assert (result.resumed, result.way) == (17, whole.way)


@pytest.mark.jit
@pytest.mark.parametrize("table", ["rank", "hash"])
def test_a_run_that_is_killed_goes_on_from_its_last_checkpoint(tmp_path, often, table):
    for shards, lines in ((2, 6), (1, 12), (3, 20)):
        process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, str(shards), table, str(tmp_path)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        for _, line in zip(range(lines), process.stdout, strict=False):
            assert line
        process.kill()
        process.communicate()
        with Store.open(tmp_path) as ledger:
            assert ledger.jobs()[0].state == "interrupted"
    result = frontrow.explore("sliding", **QUESTION, table=table, store=tmp_path, until_goal=True)
    assert result.resumed >= 19
    known = known_layers(made("sliding", **QUESTION), False, None)
    assert [each.states for each in result.layers] == [new for new, *_ in known][: result.depth + 1]
    assert len(result.way.moves) == result.goal_depth == result.depth


def test_a_damaged_checkpoint_is_told_and_the_one_before_it_used(tmp_path, often):
    asked = {"problem": "sliding", **QUESTION, "store": tmp_path}
    with pytest.raises(KeyboardInterrupt):
        frontrow.explore(**asked, on_layer=stopped(9))
    last = max(folder_of(tmp_path).glob("layer-*"))
    damaged_at(last, 100)
    notes = []
    result = frontrow.explore(
        **asked, progress=lambda p: notes.append(p.note) if p.phase == "resuming" else None
    )
    [note] = notes
    assert note.startswith(f"{last}, byte 8: found a damaged record (checksum)")
    assert note.endswith("; the checkpoint before it is used")
    assert result.resumed == 8
    assert result.states == 20160


def test_where_every_checkpoint_is_damaged_a_run_begins_anew(tmp_path, often):
    asked = {"problem": "sliding", **QUESTION, "store": tmp_path}
    with pytest.raises(KeyboardInterrupt):
        frontrow.explore(**asked, on_layer=stopped(9))
    for path in folder_of(tmp_path).glob("layer-*"):
        damaged_at(path, 100)
    told = []
    result = frontrow.explore(**asked, progress=told.append)
    later, first = [each.note for each in told if each.phase == "resuming"]
    assert later.endswith("; the checkpoint before it is tried")
    assert first.endswith("; there is no earlier one: it begins anew")
    assert (result.resumed, result.states) == (0, 20160)


@pytest.mark.parametrize("table", ["layers", "hash"])
def test_a_run_goes_on_with_the_table_that_it_was_begun_with(tmp_path, often, table):
    asked = {"problem": "sliding", **QUESTION, "store": tmp_path}
    with pytest.raises(KeyboardInterrupt):
        frontrow.explore(**asked, table=table, on_layer=stopped(9))
    result = frontrow.explore(**asked)
    assert (result.table, result.why, result.resumed) == (table, "as the run that it goes on from", 9)


def test_a_table_that_cannot_take_over_begins_anew_and_says_so(tmp_path, often):
    asked = {"problem": "sliding", **QUESTION, "store": tmp_path}
    with pytest.raises(KeyboardInterrupt):
        frontrow.explore(**asked, table="rank", on_layer=stopped(9))
    notes = []
    result = frontrow.explore(
        **asked,
        table="layers",
        progress=lambda p: notes.append(p.note) if p.phase == "resuming" else None,
    )
    assert "a checkpoint of a rank table is left out" in notes[0]
    assert (result.resumed, result.states) == (0, 20160)


@pytest.mark.parametrize("shards", [1, 2])
def test_a_memory_limit_ends_with_the_last_layer_kept_and_more_memory_goes_on(tmp_path, shards):
    asked = {"problem": "sliding", "size": "3x3", "table": "hash", "store": tmp_path}
    with pytest.raises(LimitError, match=r"memory: found no room for layer \d+ .* the same command goes on"):
        frontrow.explore(**asked, shards=shards, memory=1 << 20)
    result = frontrow.explore(**asked, shards=3)
    assert result.resumed > 15
    assert [each.states for each in result.layers] == [
        each.states for each in frontrow.explore("sliding", size="3x3", store=tmp_path / "other").layers
    ]
    assert result.exhausted


def test_a_layer_that_other_shards_have_no_room_for_is_kept(tmp_path, often, monkeypatch):
    def no_room(place, plan):
        raise MemoryLimitError("memory: found no room")

    monkeypatch.setattr(saving, "CHECKPOINT", 1e9)
    asked = {"problem": "sliding", "size": "3x3", "table": "hash", "store": tmp_path}
    with monkeypatch.context() as patch:
        patch.setattr(Threads, "start", no_room)
        with pytest.raises(LimitError, match=r"no room for layer 5 .* the same command goes on"):
            frontrow.explore(**asked, shards=2)
    result = frontrow.explore(**asked)
    assert (result.resumed, result.states) == (5, 181440)


def test_a_memory_limit_that_is_too_small_for_the_checkpoint_is_a_limit_too(tmp_path):
    asked = {"problem": "sliding", "size": "3x3", "table": "hash", "store": tmp_path}
    with pytest.raises(LimitError):
        frontrow.explore(**asked, memory=1 << 20)
    with pytest.raises(LimitError, match=r"memory: found no room .* \(--memory\)"):
        frontrow.explore(**asked, memory=1 << 16)
    assert frontrow.explore(**asked).states == 181440


@pytest.mark.parametrize("shards", [1, 2])
def test_a_time_limit_ends_with_the_last_layer_kept(tmp_path, monkeypatch, shards):
    asked = {"problem": "sliding", "size": "3x3", "store": tmp_path}
    monkeypatch.setattr(groups, "SMALL", 8)
    with pytest.raises(LimitError, match=r"the time limit of 0\.000\d* s was reached"):
        frontrow.explore(**asked, shards=shards, time_limit=0.0001)
    result = frontrow.explore(**asked)
    assert result.states == 181440


def test_a_disk_limit_ends_a_run_that_needs_more(tmp_path, often):
    asked = {"problem": "sliding", "size": "3x3", "table": "hash", "store": tmp_path}
    with pytest.raises(
        LimitError, match=r"disk: found .* \(--disk\): [\d,]+ states in layers 0 to \d"
    ) as error:
        frontrow.explore(**asked, disk=20_000)
    told = r"the checkpoint that is kept has layers 0 to (\d+): with more --disk the same command goes on"
    [kept] = re.findall(told, str(error.value))
    assert sum(path.stat().st_size for path in folder_of(tmp_path).iterdir()) <= 20_000
    result = frontrow.explore(**asked)
    assert result.resumed == int(kept) + 1 > 5
    assert result.states == 181440


def test_a_disk_limit_says_that_nothing_could_be_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(trail, "IN_MEMORY", 0)
    asked = {"problem": "sliding", **QUESTION, "table": "hash", "store": tmp_path, "until_goal": True}
    with pytest.raises(
        LimitError,
        match=r"\(--disk\): 1 state in layer 0 is done, but no checkpoint is kept: .* begins anew$",
    ):
        frontrow.explore(**asked, disk=1)


def test_the_way_is_walked_back_beside_the_thread_that_takes_signals(tmp_path, monkeypatch):
    threads = []
    walk = run.walk_back
    monkeypatch.setattr(
        run, "walk_back", lambda *args: threads.append(threading.current_thread()) or walk(*args)
    )
    frontrow.explore("sliding", size="2x2", start="3,1,2,_", store=tmp_path, until_goal=True)
    [thread] = threads
    assert thread is not threading.main_thread()


def test_an_interrupt_that_a_compiled_function_wraps_is_one(tmp_path, monkeypatch):
    def wrapped(*args):
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as error:
            raise SystemError("a result with an exception set") from error

    monkeypatch.setattr(run, "walk_back", wrapped)
    with pytest.raises(KeyboardInterrupt):
        frontrow.explore("sliding", size="2x2", start="3,1,2,_", store=tmp_path, until_goal=True)
    with Store.open(tmp_path) as ledger:
        assert ledger.jobs()[0].state == "interrupted"
