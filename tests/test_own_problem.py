"""What docs/own-problem.md shows is what happens: its files are written, its commands run, in their order."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCUMENT = (Path(__file__).parents[1] / "docs/own-problem.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Times, ids and the number of units differ from run to run and from machine to machine.
VARYING = re.compile(r"^(time|job|nodes) .*$", re.MULTILINE)
# The last columns of a layer: states a second, and memory.
MEASURED = re.compile(r"^( *\d+ .*).{9} .{9} .{8}$", re.MULTILINE)


def plain(output: str) -> str:
    """Output without what varies, but for the number of nodes."""
    nodes = re.findall(r"^nodes +([\d,]+) in", output, re.MULTILINE)
    return " ".join([VARYING.sub(r"\1", MEASURED.sub(r"\1", output)).strip(), *nodes])


def commands(block: str) -> list[tuple[str, str]]:
    """Each command of a console block and what is shown below it."""
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return [(line, output) for line, _, output in (part.partition("\n") for part in parts)]


def test_every_block_is_python_with_a_name_or_a_console() -> None:
    blocks = BLOCK.findall(DOCUMENT)
    assert len(blocks) >= 10
    for language, body in blocks:
        if language == "python":
            assert re.match(r"# \w+\.py\n", body)
        else:
            assert language == "console"
            assert commands(body)
    assert DOCUMENT.count("```") == 2 * len(blocks)


@pytest.mark.jit
def test_the_files_and_commands_of_the_page_give_what_it_shows(tmp_path: Path) -> None:
    environment = os.environ | {
        "FRONTROW_STORE": str(tmp_path / "store"),
        "FRONTROW_CACHE": str(tmp_path / "cache"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    for language, body in BLOCK.findall(DOCUMENT):
        if language == "python":
            name = body.partition("\n")[0].removeprefix("# ")
            (tmp_path / name).write_text(body, encoding="utf-8")
            continue
        for command, shown in commands(body):
            done = subprocess.run(
                ["bash", "-c", command],
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            # Progress goes to stderr, so of a command that works only stdout is shown.
            printed = done.stderr if done.returncode else done.stdout
            assert plain(printed) == plain(shown), command


def test_the_page_names_what_a_failing_check_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from frontrow.search import registry
    from frontrow.search.own import checks

    monkeypatch.setenv("FRONTROW_CACHE", str(tmp_path / "cache"))
    [half] = [body for language, body in BLOCK.findall(DOCUMENT) if body.startswith("# half.py\n")]
    assert half.count("1 if c == middle else 2") == 1
    (tmp_path / "half.py").write_text(half.replace("1 if c == middle else 2", "2"), encoding="utf-8")
    problem = registry.find(str(tmp_path / "half.py"))(n=7)
    outcome = checks.check(checks.Subject(problem), "root")
    assert outcome.holds is False
    assert f"`{outcome.note}`" in DOCUMENT.replace("\n", " ")
