"""Lists go to a stream, pictures to files."""

import io

import pytest

from frontrow import CountingTree, FrontrowError, UsageError
from frontrow.cluster.command.output import picture, sink
from frontrow.search.problems.queens import Queens


def names(folder):
    return sorted(path.name for path in folder.iterdir())


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
