"""What is damaged, missing, in the wrong place or another table's costs little, and is told by name."""

import re
import shutil
from types import SimpleNamespace

import numpy as np
import pytest

import frontrow
from frontrow.cluster.exploration import groups, saving, trail
from frontrow.cluster.exploration.checkpoint import Checkpoints
from frontrow.cluster.exploration.limits import SETUP, Clock
from frontrow.cluster.exploration.place import SHARE
from frontrow.cluster.exploration.result import Layer
from frontrow.cluster.explore import room_for
from frontrow.search.errors import EngineError, LimitError
from frontrow.workers.group import LocalGroup
from tests.exploration_support import known_layers, made

QUESTION = {"size": "2x4", "start": "6,5,7,_,1,2,3,4"}
STATES = 20160
ROWS = np.zeros((1, 1), np.uint64)


@pytest.fixture(autouse=True)
def often(monkeypatch):
    """A checkpoint after every layer, and all shards from the first layers on."""
    monkeypatch.setattr(saving, "CHECKPOINT", 0.0)
    monkeypatch.setattr(saving, "CHEAP", 0.0)
    monkeypatch.setattr(groups, "SMALL", 8)
    monkeypatch.setattr(groups, "SMALL_SWEPT", 8)


@pytest.fixture
def explore(tmp_path):
    """`frontrow.explore` with a ledger of its own; what is told of checkpoints is in `notes`."""

    def run(problem="sliding", *, stop=None, **options):
        def told(progress):
            if progress.phase == "resuming":
                run.notes.append(progress.note)
                run.warned &= progress.warning

        def on_layer(layer):
            if layer.depth == stop:
                raise KeyboardInterrupt

        run.notes, run.warned = [], True
        asked = {**(QUESTION if problem == "sliding" else {}), "store": tmp_path, **options}
        if stop is None:
            return frontrow.explore(problem, **asked, progress=told)
        with pytest.raises(KeyboardInterrupt):
            frontrow.explore(problem, **asked, progress=told, on_layer=on_layer)
        run.folder = next((tmp_path / "explorations").glob("*"), None)
        return None

    return run


def flip(path, folder):
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


def cut_at_a_record(path, folder):
    shorter = folder / "shorter"
    trail.write_layer(shorter, folder.name, int(path.stem[-5:]), iter(()))
    shorter.replace(path)


def remove(path, folder):
    path.unlink()


def make_a_folder(path, folder):
    path.unlink()
    path.mkdir()
    (path / "something").touch()


def put_a_trail(path, folder):
    shutil.copy(folder / "trail-00002.frow", path)


def put_a_checkpoint(path, folder):
    shutil.copy(folder / "layer-00007.frow", path)


def empty(path, folder):
    path.write_bytes(b"")


DAMAGES = {
    flip: r", byte \d+: found a damaged record \(checksum\)",
    cut_at_a_record: r": found 0 states, expected \d+",
    remove: r": cannot be read \(No such file or directory\)",
    make_a_folder: r": cannot be read \(Is a directory\)",
    put_a_trail: r", byte 8: found layer 2 of job \w+, expected layer \d of job",
    put_a_checkpoint: r", byte 8: found a file of something else, expected layer \d of job",
    empty: r", byte 0: found nothing, expected a file of Frontrow",
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("in_memory", [0, 1 << 30])
@pytest.mark.parametrize(
    ("layer", "resumed", "then"),
    [(8, 8, "the checkpoint before it is used"), (3, 0, "there is no earlier one: it begins anew")],
)
def test_a_layer_of_the_way_that_is_damaged_is_told_before_the_search_goes_on(
    explore, tmp_path, monkeypatch, damage, in_memory, layer, resumed, then
):
    monkeypatch.setattr(trail, "IN_MEMORY", in_memory)
    explore(until_goal=True, table="hash", stop=9)
    path = explore.folder / f"trail-{layer:05d}.frow"
    damage(path, explore.folder)
    result = explore(until_goal=True)
    [note] = explore.notes
    assert re.fullmatch(f"{re.escape(str(path))}{DAMAGES[damage]}.*; {then}", note)
    assert explore.warned
    assert result.resumed == resumed
    assert result.way == explore(until_goal=True, store=tmp_path / "other").way


def test_a_layer_of_the_way_that_was_damaged_is_written_anew(explore, tmp_path):
    explore(until_goal=True, table="hash", stop=9)
    flip(explore.folder / "trail-00003.frow", explore.folder)
    explore(until_goal=True, stop=12)
    assert explore.notes != []
    result = explore(until_goal=True)
    assert (explore.notes, result.resumed) == ([], 12)


@pytest.mark.parametrize(
    ("damage", "found"),
    [
        (put_a_trail, "byte 8: found a file of something else, expected the first record of a checkpoint"),
        (make_a_folder, r"cannot be read \(Is a directory\)"),
        (empty, "byte 0: found nothing"),
    ],
)
def test_what_lies_in_the_place_of_a_checkpoint_is_told_and_the_one_before_used(explore, damage, found):
    explore(until_goal=True, table="layers", stop=9)
    path = explore.folder / "layer-00008.frow"
    damage(path, explore.folder)
    explore(until_goal=True, stop=11)
    [note] = explore.notes
    assert re.fullmatch(f"{re.escape(str(path))}[,:] {found}.*; the checkpoint before it is used", note)
    result = explore(until_goal=True)
    assert (explore.notes, result.resumed, len(result.way.moves)) == ([], 11, result.goal_depth)


def test_what_no_checkpoint_needs_is_deleted_when_a_run_begins(explore):
    explore(until_goal=True, table="hash", stop=9)
    for name in ("trail-00009.frow", "trail-00033.frow", ".layer-00009.frow.0a1b.part", ".trail.part"):
        (explore.folder / name).write_bytes(b"x" * 1000)
    explore(until_goal=True, stop=10)
    names = sorted(path.name for path in explore.folder.iterdir())
    layers = [f"trail-{depth:05d}.frow" for depth in range(10)]
    assert names == ["layer-00008.frow", "layer-00009.frow", *layers]
    for path in explore.folder.glob("layer-*"):
        path.unlink()
    (explore.folder / ".layer-00001.frow.0a1b.part").touch()
    explore(until_goal=True, stop=1)
    assert list(explore.folder.iterdir()) == []


def test_a_folder_in_the_place_of_a_layer_of_the_way_makes_room(explore):
    explore(until_goal=True, table="rank", stop=9)
    (explore.folder / "trail-00001.frow").mkdir()
    explore(until_goal=True, table="hash", stop=5)
    assert (explore.folder / "trail-00001.frow").is_file()


def test_what_was_left_incomplete_is_not_counted_when_a_checkpoint_is_written(tmp_path):
    (tmp_path / ".layer-00003.frow.0a1b.part").write_bytes(b"x" * 5000)
    files = Checkpoints(tmp_path, "job", 1000)
    files.write("hash", (Layer(0, 1, 1, None, None, 0, None, 0.0, 1),), 0.0, iter([("current", ROWS, None)]))
    assert [path.name for path in tmp_path.iterdir()] == ["layer-00000.frow"]


def test_after_a_disk_limit_the_same_command_comes_as_far_again(explore, monkeypatch, tmp_path):
    monkeypatch.setattr(saving, "CHECKPOINT", 1e9)
    monkeypatch.setattr(groups, "SMALL", 1 << 15)
    monkeypatch.setattr(trail, "IN_MEMORY", 0)
    reached = []
    for _ in range(2):
        with pytest.raises(LimitError, match=r"disk: found .* begins anew$") as error:
            explore(until_goal=True, table="hash", disk=10_000)
        reached.append(str(error.value))
        [folder] = (tmp_path / "explorations").iterdir()
        assert list(folder.iterdir()) == []
    assert reached[0] == reached[1]


@pytest.mark.parametrize(
    ("problem", "params", "stop"), [("sliding", QUESTION, 9), ("pegs", {"board": "triangle15"}, 6)]
)
@pytest.mark.parametrize(("before", "after"), [("hash", "layers"), ("layers", "hash")])
@pytest.mark.parametrize("shards", [1, 3])
@pytest.mark.parametrize("asked", [{}, {"paths": True}, {"until_goal": True}])
def test_tables_of_rows_take_over_what_the_other_kind_kept(
    explore, problem, params, stop, before, after, shards, asked
):
    explore(problem, **params, **asked, table=before, stop=stop)
    explore(problem, **params, **asked, table=after, stop=stop + 2, shards=shards)
    result = explore(problem, **params, **asked, table=before)
    assert (explore.notes, result.resumed) == ([], stop + 2)
    known = known_layers(made(problem, **params), False, None)[: len(result.layers)]
    assert [(each.states, each.generated) for each in result.layers] == [
        (new, generated) for new, _, _, _, _, generated in known
    ]
    if "paths" in asked:
        assert result.paths == tuple(ways for _, _, ways, *_ in known)


def test_another_table_leaves_checkpoints_of_more_layers_and_says_so(explore):
    explore(table="rank", stop=9)
    explore(table="layers", stop=6)
    path = explore.folder / "layer-00008.frow"
    assert f"{path}: a checkpoint of a rank table is left out; it stays for --table rank" in explore.notes
    names = sorted(path.name for path in explore.folder.iterdir())
    assert names == [f"layer-{depth:05d}.frow" for depth in (4, 5, 7, 8)]
    explore(table="layers", stop=8)
    assert sorted(path.name for path in explore.folder.iterdir())[:2] == [
        "layer-00006.frow",
        "layer-00007.frow",
    ]
    result = explore()
    assert (result.table, result.resumed, result.states) == ("rank", 9, STATES)


def test_checkpoints_of_another_table_make_room_once_there_are_more_layers(explore):
    explore(table="rank", stop=6)
    explore(table="layers", stop=9)
    kept = [each.table for each in Checkpoints(explore.folder, explore.folder.name, 0).headings()]
    assert kept == ["layers", "layers"]
    result = explore()
    assert (result.table, result.resumed, result.states) == ("layers", 9, STATES)


def test_too_little_memory_for_a_checkpoint_asks_for_more(explore):
    with pytest.raises(LimitError, match=r"; with more --memory the same command goes on from there$"):
        explore(table="hash", memory=1 << 17)
    found = (
        r"no room for the checkpoint of layers 0 to \d+, which took [\d,]+ bytes, expected at most 16,384 "
    )
    then = r"in all \(--memory\): with more --memory the same command goes on from there$"
    with pytest.raises(LimitError, match=found + then):
        explore(table="hash", memory=1 << 14)
    result = explore()
    assert result.resumed > 5
    assert result.states == STATES


@pytest.mark.parametrize(("limit", "during"), [(5.0, SETUP), (90.0, 90.0), (None, None)])
def test_going_on_from_a_checkpoint_has_a_minute_at_least(explore, monkeypatch, limit, during):
    explore(table="layers", stop=9)
    restore, inside, asked = LocalGroup.restore, [False], {True: set(), False: set()}

    def restoring(self, kept, rows):
        inside[0] = True
        restore(self, kept, rows)
        inside[0] = False

    monkeypatch.setattr(LocalGroup, "restore", restoring)
    monkeypatch.setattr(Clock, "check", lambda self: asked[inside[0]].add(self.limit))
    assert explore(time_limit=limit, shards=1).resumed == 9
    assert asked == {True: {during}, False: {limit}}


@pytest.mark.parametrize("in_memory", [0, 1 << 30])
def test_the_last_layer_for_which_the_disk_has_room_is_kept(explore, monkeypatch, in_memory):
    monkeypatch.setattr(saving, "CHECKPOINT", 1e9)
    monkeypatch.setattr(trail, "IN_MEMORY", in_memory)
    kept = (
        r"the checkpoint that is kept has layers 0 to (\d+): with more --disk the same command goes on from"
    )
    with pytest.raises(LimitError, match=kept) as error:
        explore(until_goal=True, table="layers", disk=20_000, memory=1 << 18)
    [last] = re.findall(kept, str(error.value))
    result = explore(until_goal=True)
    assert (result.resumed, result.goal_depth) == (int(last) + 1, len(result.way.moves))
    assert result.resumed > 10


def test_where_there_is_room_enough_no_checkpoint_is_written_ahead_of_time(explore, monkeypatch):
    monkeypatch.setattr(saving, "CHECKPOINT", 1e9)
    explore(table="layers", stop=30, disk=1 << 30)
    assert explore.folder is None


def test_a_shard_that_is_lost_is_told_with_the_layer_to_which_it_goes_back(explore, monkeypatch):
    layer, lost = LocalGroup.layer, []

    def losing(self, tick):
        if len(self._shards) > 1 and not lost:
            lost.append(self)
            raise EngineError("Ray shard: found it lost, expected it to run")
        return layer(self, tick)

    monkeypatch.setattr(LocalGroup, "layer", losing)
    monkeypatch.setattr(saving, "CHECKPOINT", 1e9)
    assert explore(table="hash", shards=2).states == STATES
    [note] = explore.notes
    assert re.fullmatch(
        r"Ray shard: found it lost, expected it to run; it goes back from layer \d to layer 0", note
    )
    assert explore.warned


def test_a_layer_that_is_written_down_is_not_written_again_at_a_limit(explore):
    explore(table="layers", stop=9)
    path = explore.folder / "layer-00008.frow"
    before = path.stat()
    with pytest.raises(LimitError, match="layers 0 to 8 are done; the same command goes on from there"):
        explore(time_limit=1e-9, disk=path.stat().st_size)
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_what_a_job_has_on_the_disk_counts_as_free_for_it(tmp_path, monkeypatch):
    folder = tmp_path / "explorations" / "job"
    folder.mkdir(parents=True)
    (folder / "layer-00001.frow").write_bytes(bytes(1000))
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=9000))
    assert room_for(None, 1, None, folder).disk == int(SHARE * 10_000)
    assert room_for(None, 1, 5, folder).disk == 5
    assert room_for(None, 1, None, folder.with_name("other")).disk == int(SHARE * 9000)


def test_the_layer_of_the_goal_needs_no_room_on_the_disk(tmp_path, monkeypatch):
    written, write = [], trail.write_layer
    monkeypatch.setattr(trail, "IN_MEMORY", 0)

    def writing(path, job, depth, blocks):
        written.append(depth)
        write(path, job, depth, blocks)

    monkeypatch.setattr(trail, "write_layer", writing)
    found = frontrow.explore(
        "sliding", size="3x3", start="8,6,7,2,5,4,3,_,1", until_goal=True, table="hash", store=tmp_path
    )
    assert found.depth == 31
    assert written == list(range(31))
