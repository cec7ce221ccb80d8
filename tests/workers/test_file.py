"""Files appear when they are complete, and not before."""

import errno
import os
import stat
import subprocess
import sys
import tempfile

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


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="there is no folder for files below /dev")
def test_a_plain_file_below_dev_is_replaced_as_any_other():
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        for text in (b"before", b"after"):
            with replacing(f"{folder}/list.txt", "out", plain=True) as file:
                file.write(text)
                assert not (text == b"before" and os.path.exists(f"{folder}/list.txt"))
        assert os.listdir(folder) == ["list.txt"]
        with open(f"{folder}/list.txt", "rb") as file:
            assert file.read() == b"after"


@pytest.mark.skipif(not os.path.exists("/dev/fd/1"), reason="descriptors have no names")
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "link"])
def test_what_is_open_already_is_written_to_directly_though_it_is_a_plain_file(tmp_path, name):
    (tmp_path / "link").symlink_to("/dev/stdout")
    script = f"""
from frontrow.workers.file import replacing
print("before", flush=True)
with replacing({name!r}, "out") as file:
    file.write(b"between ")
print("after", flush=True)
"""
    with open(tmp_path / "all", "wb") as file:
        subprocess.run([sys.executable, "-c", script], stdout=file, cwd=tmp_path, check=True)
    assert (tmp_path / "all").read_text().split() == ["before", "between", "after"]
    assert names(tmp_path) == ["all", "link"]


def test_a_pipe_is_written_to_directly(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    with replacing(tmp_path / "pipe", "out") as file:
        file.write(b"gone")
    assert os.read(reader, 10) == b"gone"
    os.close(reader)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_a_link_that_leads_nowhere_is_told_with_its_target(tmp_path):
    (tmp_path / "link").symlink_to("missing/list.txt")
    with (
        pytest.raises(UsageError, match=r"found .*/link, a link to .*/missing/list\.txt: No such file"),
        replacing(tmp_path / "link", "out"),
    ):
        pass


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
