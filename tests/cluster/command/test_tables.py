import json
import re

import pytest

from frontrow.cluster.command.app import run
from frontrow.search.patterns import files


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("FRONTROW_TABLES", str(tmp_path / "tables"))
    return tmp_path / "tables"


def answer(capsys, *words):
    """What a command that succeeds prints as JSON."""
    assert run(["tables", *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def failure(capsys, *words):
    """The status and the line of a command that fails."""
    status = run(["tables", *words])
    seen = capsys.readouterr()
    assert seen.out == ""
    return status, seen.err


def test_tables_are_built_listed_and_forgotten(capsys, folder):
    built = answer(capsys, "build", "2x3", "3-2", "--goal", "blank-first", "--quiet")
    assert built["partition"] == "pdb:1,2,5/3,4"
    assert built["bytes"] == 6**3 + 6**2
    (listed,) = answer(capsys, "list")
    assert (listed["name"], listed["path"]) == (built["name"], built["path"])
    assert (listed["layout"], listed["problem"]) == ("cells", None)
    assert sorted(map(len, listed["cells"])) == [2, 3]
    assert answer(capsys, "forget", built["name"][:6]) == {"forgotten": [built["name"]]}
    assert answer(capsys, "list") == []
    assert not list(folder.glob("*.tables"))


def test_people_get_a_table_and_the_size_before_it_is_built(capsys, folder):
    assert run(["tables", "list"]) == 0
    assert capsys.readouterr().out == f"no tables in {folder}\n"
    assert run(["tables", "build", "2x3", "pdb:1,2/3,4,5"]) == 0
    seen = capsys.readouterr()
    assert "building tables of 0.3 kB for 2x3, once" in seen.err
    assert "partition  pdb:3,4,5/1,2\n" in seen.out
    assert run(["tables", "list"]) == 0
    head, line, where = capsys.readouterr().out.splitlines()
    assert head.split() == ["NAME", "SIZE", "PATTERNS"]
    assert line.split()[1:3] == ["4.3", "kB"]
    assert where == f"in {folder}"


def test_a_damaged_file_is_listed_named_and_built_again(capsys):
    built = answer(capsys, "build", "2x3", "3-2", "--quiet")
    with open(built["path"], "r+b") as file:
        file.truncate(4100)
    (listed,) = answer(capsys, "list")
    assert built["path"] in listed["problem"]
    assert run(["tables", "list"]) == 0
    assert "damaged" in capsys.readouterr().out
    assert run(["tables", "build", "2x3", "3-2"]) == 0
    assert f"{built['path']}: found 4,100 bytes, expected 4,348; it is built again" in capsys.readouterr().err
    assert answer(capsys, "list")[0]["problem"] is None


def test_tables_that_cannot_be_kept_are_a_failure_before_they_are_built(capsys, folder, monkeypatch):
    monkeypatch.setattr(files, "build_all", None)
    folder.write_text("no folder")
    status, line = failure(capsys, "build", "2x3", "3-2")
    assert status == 1
    assert line.splitlines() == [f"frontrow: {folder}: cannot be written (File exists)"]


def test_tables_that_find_no_room_on_the_disk_are_a_failure(capsys, folder, monkeypatch):
    def full(tables, values):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "_write", full)
    status, line = failure(capsys, "build", "2x3", "3-2", "--quiet")
    assert status == 1
    assert re.fullmatch(r"frontrow: .*\.tables: cannot be written \(No space left on device\)\n", line)


def test_all_tables_can_be_forgotten(capsys):
    names = [answer(capsys, "build", "2x3", sizes, "--quiet")["name"] for sizes in ("3-2", "4-1")]
    assert sorted(answer(capsys, "forget", "--all")["forgotten"]) == sorted(names)
    assert files.list_files() == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("build", "2x3", "3-3"), "found patterns of 6 tiles in all, expected 5"),
        (("build", "2x3", "x"), "found 'pdb:x', expected pdb"),
        (("build", "1x5"), "two rows and two columns"),
        (("build", "2x3", "--goal", "1,2,3"), "goal: found 3 cells, expected 6"),
        (("forget",), "found neither names nor --all"),
        (("forget", "--all", "x"), "found names and --all"),
        (("forget", "x"), "found 'x', expected"),
        (("lisst",), "command: found 'lisst', expected list"),
    ],
)
def test_mistakes_are_one_line_and_status_2(capsys, words, said):
    status, line = failure(capsys, *words)
    assert status == 2
    assert said in line
    assert line.count("\n") == 1


def test_a_beginning_that_two_names_share_names_both(capsys):
    names = [answer(capsys, "build", "2x3", sizes, "--quiet")["name"] for sizes in ("3-2", "4-1")]
    status, line = failure(capsys, "forget", "2x3")
    assert status == 2
    assert all(name in line for name in names)
    assert len(files.list_files()) == 2


def test_tables_without_a_command_are_explained(capsys):
    assert run(["tables"]) == 0
    assert "build" in capsys.readouterr().out
