"""Files appear when they are complete, and not before."""

import io
import os
import stat

import pytest

from frontrow import CountingTree, FrontrowError, UsageError
from frontrow.cluster.command.output import picture, sink, written
from frontrow.search.problems.queens import Queens


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_has_its_name_only_when_it_is_complete(tmp_path):
    with written(str(tmp_path / "list.txt"), "out") as file:
        file.write(b"some")
        file.flush()
        assert "list.txt" not in names(tmp_path)
        [part] = names(tmp_path)
        assert part.endswith(".part")
    assert names(tmp_path) == ["list.txt"]
    assert (tmp_path / "list.txt").read_bytes() == b"some"


@pytest.mark.parametrize("error", [KeyboardInterrupt, GeneratorExit, ZeroDivisionError])
def test_what_is_interrupted_leaves_the_file_as_it_was(error, tmp_path):
    path = tmp_path / "list.txt"
    path.write_text("before")
    with pytest.raises(error), written(str(path), "out") as file:
        file.write(b"half")
        raise error
    assert names(tmp_path) == ["list.txt"]
    assert path.read_text() == "before"


def test_a_file_has_the_rights_that_new_files_have(tmp_path):
    (tmp_path / "other").touch()
    with written(str(tmp_path / "list.txt"), "out"):
        pass
    assert stat.S_IMODE((tmp_path / "list.txt").stat().st_mode) == stat.S_IMODE(
        (tmp_path / "other").stat().st_mode
    )


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "list.txt").write_text("before")
    (tmp_path / "link").symlink_to("list.txt")
    with written(str(tmp_path / "link"), "out") as file:
        file.write(b"after")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "list.txt").read_text() == "after"


def test_a_device_is_written_to_directly():
    with written(os.devnull, "out") as file:
        file.write(b"gone")
    assert not os.path.isfile(os.devnull)


def test_a_place_that_cannot_be_written_to_is_a_usage_error(tmp_path):
    for place in (tmp_path / "missing" / "list.txt", tmp_path):
        with (
            pytest.raises(UsageError, match=r"^out: found .*, expected a file to write to$"),
            written(str(place), "out"),
        ):
            pass
    assert not names(tmp_path)


def test_without_a_file_the_list_goes_to_the_stream():
    stream = io.TextIOWrapper(io.BytesIO())
    with sink(None, stream) as write:
        write(b"one\n")
        assert stream.buffer.getvalue() == b"one\n"
    with sink(None, None) as write:
        write(b"nobody reads this")


def test_a_picture_shows_the_first_boards(tmp_path):
    problem = Queens(n=4)
    board = problem.initial()
    path = tmp_path / "boards.svg"
    for most, shown in ((1, 1), (2, 2), (0, 1)):
        with picture(problem, str(path), most, attacks=False) as take:
            for _ in range(3):
                take(board)
        assert path.read_text() == problem.picture(board.repeat(shown, axis=0), attacks=False)


def test_a_picture_without_boards_is_none(tmp_path):
    path = str(tmp_path / "a.svg")
    with (
        pytest.raises(FrontrowError, match="svg: found no solution to draw"),
        picture(Queens(n=3), path, 1, attacks=False),
    ):
        pass
    with (
        pytest.raises(UsageError, match="svg: found plain, which has no board"),
        picture(Plain(), path, 1, attacks=False),
    ):
        pass
    assert not names(tmp_path)


class Plain(CountingTree):
    cells, bits = 1, 1

    def children(self, node):
        return []

    def is_solution(self, node):
        return True
