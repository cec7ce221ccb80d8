import itertools
import json
import os
import struct
import subprocess
import sys
import zlib

import numpy as np
import pytest

from frontrow.search.errors import StoppedError, TableFileError
from frontrow.search.patterns import files
from frontrow.search.patterns.lookup import Lookup
from frontrow.search.patterns.partition import Partition
from frontrow.search.rows import new_stop
from frontrow.search.sliding.board import Shape, blank_first, blank_last, snail

SHAPE = Shape(2, 3)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("FRONTROW_TABLES", str(tmp_path / "tables"))
    return tmp_path / "tables"


def tables_of(shape=SHAPE, make=blank_last, text="pdb:3-2"):
    goal = make(shape)
    return Lookup.of(shape, goal, Partition.parse(text, shape, goal)).tables


def opened(tables, **how):
    told, shares = [], []
    values = files.open_tables(
        tables, threads=1, stop=new_stop(), message=told.append, progress=shares.append, **how
    )
    return values, told, bool(shares)


def test_tables_are_built_once_and_then_mapped(folder):
    tables = tables_of()
    first, told, built = opened(tables)
    assert built
    assert told == ["building tables of 0.3 kB for 2x3, once; this takes 0.4 kB of memory"]
    again, told, built = opened(tables)
    assert (told, built) == ([], False)
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(first, files.build_all(tables, threads=1, stop=new_stop()))
    assert isinstance(again, np.memmap)
    assert not again.flags.writeable
    assert sorted(path.suffix for path in folder.iterdir()) == [".lock", ".tables"]


def test_goals_that_are_images_of_each_other_share_a_file():
    assert files.path_of(tables_of(make=blank_first)) == files.path_of(tables_of(make=blank_last))
    paths = {files.path_of(tables_of(Shape(3, 3), make, "pdb")) for make in (blank_last, blank_first, snail)}
    assert len(paths) == 2


def test_different_tables_have_different_files():
    shape = Shape(3, 3)
    texts = ("pdb", "pdb:4-4", "pdb:5-3", "pdb:1,2,3/4,5,6/7,8", "pdb:1,2,4/3,5,6/7,8")
    assert len({files.path_of(tables_of(shape, text=text)) for text in texts}) == len(texts)


def rewrite(path, change):
    """Change what a file says that it holds; all checksums stay right."""
    data = path.read_bytes()
    length = struct.unpack("<I", data[8:12])[0]
    told = json.loads(data[16 : 16 + length])
    change(told)
    body = json.dumps(told).encode()
    prefix = struct.pack("<I", len(body))
    start = data[:8] + prefix + struct.pack("<I", zlib.crc32(body, zlib.crc32(prefix))) + body
    path.write_bytes(start + bytes(-len(start) % files.PAGE) + data[files.PAGE :])


def flip(path, place):
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)


def truncate(path, size):
    os.truncate(path, path.stat().st_size + size if size < 0 else size)


DAMAGES = {
    "last value": (lambda path: flip(path, -1), "found damaged values (checksum)"),
    "first value": (lambda path: flip(path, files.PAGE), "byte 4096: found damaged values"),
    "description": (lambda path: flip(path, 40), "byte 8: found a damaged description"),
    "length": (lambda path: flip(path, 11), "byte 8: found a damaged description"),
    "magic": (lambda path: flip(path, 0), "byte 0: found the bytes 47 52 4f 57, expected a file of Frontrow"),
    "layout": (lambda path: flip(path, 4), "byte 4: found version 0 and kind 3"),
    "kind": (lambda path: flip(path, 6), "byte 4: found version 1 and kind 2"),
    "cut off": (lambda path: truncate(path, -1), "bytes, expected"),
    "cut off in the description": (lambda path: truncate(path, 60), "byte 8: found a damaged description"),
    "cut off in the heading": (lambda path: truncate(path, 5), "byte 0: found the bytes 46 52 4f 57"),
    "empty": (lambda path: truncate(path, 0), "byte 0: found nothing"),
    "too long": (lambda path: path.write_bytes(path.read_bytes() + b"\0"), "bytes, expected"),
    "another version": (
        lambda path: rewrite(path, lambda told: told.update(version=1)),
        "found tables of version 1, expected 2",
    ),
    "other patterns": (
        lambda path: rewrite(path, lambda told: told["patterns"].reverse()),
        "found other tables",
    ),
    "no patterns": (lambda path: rewrite(path, lambda told: told.pop("patterns")), "makes no sense"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_named_and_built_again(damage):
    tables = tables_of()
    good = np.array(opened(tables)[0])
    path = files.path_of(tables)
    spoil, said = DAMAGES[damage]
    spoil(path)
    with pytest.raises(TableFileError) as error:
        files.load(tables)
    assert str(path) in str(error.value)
    assert said in str(error.value)
    values, told, built = opened(tables)
    assert built
    assert told[0] == f"{error.value}; it is built again"
    np.testing.assert_array_equal(values, good)
    assert opened(tables)[1:] == ([], False)


def test_every_byte_of_a_file_is_checked_or_padding():
    tables = tables_of()
    opened(tables)
    path = files.path_of(tables)
    data = path.read_bytes()
    end = 16 + struct.unpack("<I", data[8:12])[0]
    for place in itertools.chain(range(end), range(files.PAGE, len(data), 7)):
        flip(path, place)
        with pytest.raises(TableFileError):
            files.load(tables)
        flip(path, place)
    np.testing.assert_array_equal(files.load(tables), files.build_all(tables, threads=1, stop=new_stop()))


def test_what_a_killed_process_left_is_removed(folder):
    tables = tables_of()
    folder.mkdir()
    left = folder / f".{files.path_of(tables).name}.12345678.part"
    other = folder / ".another.tables.12345678.part"
    left.write_bytes(b"half")
    other.write_bytes(b"half")
    opened(tables)
    assert not left.exists()
    assert other.exists()


def test_a_folder_that_cannot_be_made_leaves_tables_in_memory(folder):
    folder.write_text("a file")
    tables = tables_of()
    values, told, built = opened(tables)
    assert built
    assert "cannot be written" in told[0]
    assert "in memory only" in told[0]
    np.testing.assert_array_equal(values, files.build_all(tables, threads=1, stop=new_stop()))
    assert folder.read_text() == "a file"


def test_a_full_disk_leaves_tables_in_memory_and_no_file(folder, monkeypatch):
    def fill(part, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", fill)
    values, told, _ = opened(tables_of())
    assert told[-1].endswith("cannot be written (No space left on device); tables are kept in memory only")
    assert values.any()
    assert [path.suffix for path in folder.iterdir()] == [".lock"]


def test_a_stop_leaves_no_file(folder):
    stop = new_stop()
    stop[0] = 1
    with pytest.raises(StoppedError):
        files.open_tables(tables_of(), threads=1, stop=stop)
    assert [path.suffix for path in folder.iterdir()] == [".lock"]


def test_room_is_asked_for_before_anything_is_built(folder):
    asked = []

    def refuse(size):
        asked.append(size)
        raise MemoryError

    tables = tables_of()
    with pytest.raises(MemoryError):
        opened(tables, room=refuse)
    assert asked == [tables.entries]
    assert not folder.exists()
    asked.clear()
    opened(tables, room=asked.append)
    assert len(asked) == 2
    assert asked[1] > tables.entries


ANOTHER = """
import sys
from frontrow.search.patterns import files
from frontrow.search.patterns.lookup import Lookup
from frontrow.search.patterns.partition import Partition
from frontrow.search.rows import new_stop
from frontrow.search.sliding.board import Shape, blank_last

shape = Shape(2, 3)
goal = blank_last(shape)
tables = Lookup.of(shape, goal, Partition.parse("pdb:3-2", shape, goal)).tables
values = files.open_tables(
    tables, threads=1, stop=new_stop(),
    message=lambda text: print(text, flush=True), progress=lambda share: print("builds", flush=True),
)
print(int(values.sum()), flush=True)
"""


def test_two_processes_at_once_build_only_once():
    tables, stop = tables_of(), new_stop()
    with files._lock(tables, stop, print, print):
        other = subprocess.Popen((sys.executable, "-c", ANOTHER), stdout=subprocess.PIPE, text=True)
        assert other.stdout.readline() == f"{files.path_of(tables)}: another process builds it; waiting\n"
        values = files.build_all(tables, threads=1, stop=stop)
        files._write(tables, values)
    rest, _ = other.communicate(timeout=60)
    assert rest == f"{values.sum()}\n"
    assert other.returncode == 0


def test_a_stop_ends_the_waiting_for_another_process():
    tables, stop = tables_of(), new_stop()
    told = []

    def tell(text):
        told.append(text)
        stop[0] = 1

    with files._lock(tables, new_stop(), print, print), pytest.raises(StoppedError):
        files.open_tables(tables, threads=1, stop=stop, message=tell)
    assert "another process builds it" in told[0]


def test_a_list_of_files_says_which_are_damaged(folder):
    assert files.list_files() == []
    for text in ("pdb:3-2", "pdb:4-1", "pdb:5"):
        opened(tables_of(text=text))
    (folder / "notes.txt").write_text("mine")
    spoilt = files.path_of(tables_of(text="pdb:4-1"))
    truncate(spoilt, 5000)
    found = {file.path: file for file in files.list_files()}
    assert len(found) == 3
    assert found[spoilt].tables is None
    assert str(spoilt) in found[spoilt].problem
    whole = found[files.path_of(tables_of())]
    assert (whole.tables, whole.problem) == (tables_of(), "")
    assert whole.bytes == files.PAGE + tables_of().entries
