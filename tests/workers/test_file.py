"""Files appear when they are complete, and not before."""

import errno
import os
import stat

import pytest

from frontrow import FrontrowError, UsageError
from frontrow.workers.file import replacing


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_has_its_name_only_when_it_is_complete(tmp_path):
    with replacing(tmp_path / "list.txt", "out") as file:
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
    with pytest.raises(error), replacing(path, "out") as file:
        file.write(b"half")
        raise error
    assert names(tmp_path) == ["list.txt"]
    assert path.read_text() == "before"


def test_a_file_has_the_rights_that_new_files_have(tmp_path):
    (tmp_path / "other").touch()
    with replacing(tmp_path / "list.txt", "out"):
        pass
    assert stat.S_IMODE((tmp_path / "list.txt").stat().st_mode) == stat.S_IMODE(
        (tmp_path / "other").stat().st_mode
    )


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "list.txt").write_text("before")
    (tmp_path / "link").symlink_to("list.txt")
    with replacing(tmp_path / "link", "out") as file:
        file.write(b"after")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "list.txt").read_text() == "after"


def test_a_device_is_written_to_directly():
    with replacing(os.devnull, "out") as file:
        file.write(b"gone")
    assert not os.path.isfile(os.devnull)


def test_a_place_that_cannot_be_written_to_is_a_usage_error(tmp_path):
    for place in (tmp_path / "missing" / "list.txt", tmp_path):
        with (
            pytest.raises(UsageError, match=r"^out: found .*, expected a file to write to$"),
            replacing(place, "out"),
        ):
            pass
    assert not names(tmp_path)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
def test_a_file_that_cannot_be_written_to_its_end_is_named(number, tmp_path):
    path = tmp_path / "list.txt"
    path.write_text("before")
    with (
        pytest.raises(FrontrowError, match=r"list\.txt: cannot be written \(") as raised,
        replacing(path, "out") as file,
    ):
        file.write(b"half")
        raise OSError(number, os.strerror(number))
    assert not isinstance(raised.value, UsageError)
    assert names(tmp_path) == ["list.txt"]
    assert path.read_text() == "before"


def test_a_reader_that_leaves_is_no_failure_of_the_file(tmp_path):
    with pytest.raises(BrokenPipeError), replacing(tmp_path / "list.txt", "out"):
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")
    assert not names(tmp_path)


def test_what_is_written_to_and_fro_must_be_a_plain_file(tmp_path):
    with replacing(tmp_path / "file", "file", plain=True) as file:
        file.write(b"before")
        file.seek(0)
        file.write(b"after!")
    assert (tmp_path / "file").read_bytes() == b"after!"
    with (
        pytest.raises(UsageError, match=f"file: found {os.devnull}, which is no plain file"),
        replacing(os.devnull, "file", plain=True),
    ):
        pass
