import numpy as np
import pytest

from frontrow.search.errors import MemoryLimitError
from frontrow.search.patterns import files
from frontrow.search.patterns.partition import Partition
from frontrow.search.rows import new_stop
from frontrow.search.sliding.board import Shape, blank_last
from frontrow.workers import tables
from frontrow.workers.tables import PatternTables

SHAPE = Shape(2, 3)
GOAL = blank_last(SHAPE)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("FRONTROW_TABLES", str(tmp_path / "tables"))
    return tmp_path / "tables"


def opened(**how):
    partition = Partition.parse("pdb:3-2", SHAPE, GOAL)
    return PatternTables.open(SHAPE, GOAL, partition, threads=2, stop=new_stop(), **how)


def test_tables_bound_boards_by_what_their_file_holds():
    shares = []
    found = opened(progress=shares.append)
    np.testing.assert_array_equal(found.values, files.load(found.lookup.tables))
    boards = np.array([GOAL, (1, 2, 3, 4, 0, 5), (1, 0, 3, 4, 2, 5)])
    assert found.lookup.bounds(boards, found.values).tolist() == [0, 1, 2]
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_tables_that_do_not_fit_the_memory_are_refused_with_both_sizes(monkeypatch, folder):
    monkeypatch.setattr(tables, "available_memory", lambda: 0)
    with pytest.raises(
        MemoryLimitError, match="tables 3-2: found 0.0 GB of free memory, expected 0.0 GB"
    ) as error:
        opened()
    assert error.value.exit_status == 4
    assert not folder.exists()


def test_tables_beyond_the_memory_that_is_allowed_are_refused_also_if_they_are_there(folder):
    size = opened().lookup.tables.entries
    with pytest.raises(MemoryLimitError, match=f"found {size} bytes .* tables 3-2, expected at most 7 "):
        opened(memory=7)
    assert opened(memory=size).values.shape == (size,)
    next(folder.glob("*.tables")).unlink()
    with pytest.raises(MemoryLimitError, match="tables 3-2"):
        opened(memory=size)  # building takes more
    assert not list(folder.glob("*.tables"))


def test_tables_that_are_there_need_no_room(monkeypatch):
    before = opened()
    monkeypatch.setattr(tables, "available_memory", lambda: 0)
    np.testing.assert_array_equal(opened().values, before.values)
