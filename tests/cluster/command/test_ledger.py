"""Ledgers that are damaged or cannot be written, as the command line tells it."""

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from frontrow.cluster.command.app import run

Captured = pytest.CaptureFixture[str]


def asked(folder: Path, *words: str) -> list[str]:
    return [*words, "--store", str(folder)]


def tampered(folder: Path, statement: str) -> None:
    with contextlib.closing(sqlite3.connect(folder / "ledger.sqlite3")) as connection, connection:
        assert connection.execute(statement).rowcount > 0


@pytest.mark.parametrize("expression", ["replace(answer, '724', '725')", "'garbage'"])
def test_a_tampered_answer_is_never_served(expression: str, capfd: Captured, tmp_path: Path) -> None:
    words = asked(tmp_path, "count", "queens", "10", "--json")
    assert run(words) == 0
    job = json.loads(capfd.readouterr().out)["job"]
    tampered(tmp_path, f"UPDATE jobs SET answer = {expression}")
    before = (tmp_path / "ledger.sqlite3").read_bytes()
    for command in (
        ["count", "queens", "10"],
        ["count", "queens", "10", "--verify", "sample"],
        ["show", job],
        ["verify", job],
        ["export", job, str(tmp_path / "file")],
    ):
        assert run(asked(tmp_path, *command)) == 1
        out, err = capfd.readouterr()
        assert out == ""
        assert err.startswith(f"frontrow: {tmp_path}/ledger.sqlite3: found the answer of job {job} damaged")
        assert err.count("\n") == 1
    assert (tmp_path / "ledger.sqlite3").read_bytes() == before
    assert run(asked(tmp_path, "jobs")) == 0
    assert " damaged " in capfd.readouterr().out
    assert run([*words, "--fresh"]) == 0
    assert json.loads(capfd.readouterr().out)["values"]["solutions"] == "724"
    assert run(words) == 0


def test_a_tampered_count_of_a_unit_is_one_line(capfd: Captured, tmp_path: Path) -> None:
    assert run(asked(tmp_path, "count", "queens", "8", "--json")) == 0
    job = json.loads(capfd.readouterr().out)["job"]
    tampered(tmp_path, "UPDATE results SET counts = x'00'")
    assert run(asked(tmp_path, "verify", job)) == 1
    out, err = capfd.readouterr()
    assert out.startswith(f"FAILED  records   {tmp_path}/ledger.sqlite3: found unit 0 of job {job} damaged")
    assert err == ""


@pytest.fixture
def protected(tmp_path: Path) -> Iterator[tuple[Path, Callable[[], object]]]:
    """A folder, and what makes it one that cannot be written."""
    folder = tmp_path / "folder"
    folder.mkdir()
    if os.geteuid() != 0:
        yield folder, lambda: folder.chmod(0o500)
        folder.chmod(0o700)
        return
    mount = shutil.which("mount")
    small = [str(mount), "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    if mount is None or subprocess.run(small, capture_output=True, check=False).returncode:
        pytest.skip("this user may not mount a small file system")
    yield folder, lambda: subprocess.run([mount, "-o", "remount,ro", str(folder)], check=True)
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_ledger_that_cannot_be_written_still_answers(
    capfd: Captured, tmp_path: Path, protected: tuple[Path, Callable[[], object]]
) -> None:
    folder, protect = protected
    file = str(tmp_path / "file.frow")
    assert run(asked(folder, "count", "queens", "8", "--json")) == 0
    job = json.loads(capfd.readouterr().out)["job"]
    protect()
    for command in (
        ["jobs"],
        ["show", job],
        ["verify", job, "--quiet"],
        ["export", job, file],
        ["count", "queens", "8"],
    ):
        assert run(asked(folder, *command)) == 0
    assert "92 solutions of queens n=8" in capfd.readouterr().out
    for command in (
        ["count", "queens", "8", "--fresh"],
        ["count", "queens", "9"],
        ["count", "queens", "8", "--verify", "sample"],
        ["forget", job],
        ["import", file],
    ):
        assert run(asked(folder, *command)) == 1
        out, err = capfd.readouterr()
        assert out == ""
        assert err.startswith(f"frontrow: {folder}/ledger.sqlite3: cannot be written (")
        assert err.count("\n") == 1
