"""What README.md and the pages on the verbs show is what happens: their commands print what they say."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import frontrow

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", *(f"docs/{verb}.md" for verb in ("counting", "solutions", "exploring", "solving")))
"""In the order in which they are read: later ones use what earlier ones computed."""
TEXT = "\n".join((ROOT / page).read_text(encoding="utf-8") for page in PAGES)
# Prepared elsewhere, or in need of what a test machine lacks; `make` is checked by a dry run.
NOT_RUN = re.compile(r"git clone |cd frontrow$|pip install |.* --ray")
# Times, dates, ids and machine code differ from run to run and from machine to machine.
VARYING = re.compile(r"^(time|job|computed|kernel|method) .*$", re.MULTILINE)


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def commands() -> list[tuple[str, str]]:
    """Each command of the console blocks and what is shown below it."""
    found: list[tuple[str, str]] = []
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, output = part.partition("\n")
            found.append((line.partition("  #")[0].strip(), output.strip()))
    return found


def plain(output: str) -> str:
    """Output without what varies; runs of blanks count as one, since they follow the widest line."""
    return re.sub(r"[ \t]+", " ", VARYING.sub(r"\1", output)).strip()


@pytest.mark.jit
def test_commands_print_what_the_pages_show(tmp_path: Path) -> None:
    environment = os.environ | {
        "FRONTROW_STORE": str(tmp_path / "store"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    ran = 0
    for command, shown in commands():
        if NOT_RUN.match(command):
            continue
        if command.startswith("make "):
            subprocess.run([*command.split(), "--dry-run"], cwd=ROOT, capture_output=True, check=True)
            continue
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
        assert shown, command
        assert plain(printed) == plain(shown), command
        ran += 1
    assert ran >= 12


@pytest.mark.jit
def test_python_examples_print_what_the_readme_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRONTROW_STORE", str(tmp_path))
    examples = doctest.DocTestParser().get_doctest("".join(blocks("pycon")), {}, "README.md", None, 0)
    assert len(examples.examples) >= 3
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    report: list[str] = []
    failed, _ = runner.run(examples, out=report.append)
    assert not failed, "".join(report)


def test_documented_fields_are_those_of_the_json_objects() -> None:
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    of_count, _, of_others = text.partition("That of `explore` has the common fields")
    of_explore, _, of_solve = of_others.partition("That of `solve` has the common fields")
    counted, explored, solved = (
        frontrow.count("queens", n=4).to_json(),
        frontrow.explore("sliding", size="2x2").to_json(),
        frontrow.solve("sliding", size="2x2").to_json(),
    )
    assert documented(of_count) == set(counted)
    of_one = {"values", "nodes", "units", "verified", "method", "kernel", "confirmed", "imported"}
    common = set(counted) - of_one
    assert documented(of_explore) | common == set(explored)
    assert documented(of_solve) | common == set(solved)


def documented(text: str) -> set[str]:
    """The fields in the tables of a text."""
    rows = re.findall(r"^\| (`.*?) \| (?:string|object|number|boolean|list)", text, re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}
