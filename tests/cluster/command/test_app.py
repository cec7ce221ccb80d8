"""The command line: what goes where, exit statuses, what is refused, signals and start-up."""

import json
import logging
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pytest
from click.shell_completion import BashComplete

from frontrow.cluster import api
from frontrow.cluster.command.app import app, run
from frontrow.cluster.store import Store
from frontrow.search.errors import DisputedError, LimitError
from frontrow.search.registry import find, names

FRONTROW = (sys.executable, "-m", "frontrow")
PATIENCE = 120
"""Seconds after which a process that should have ended fails its test."""

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def quiet_log() -> Iterator[None]:
    """Undo what ``-v`` does to the log of this process."""
    handlers, level = logging.root.handlers[:], logging.root.level
    yield
    logging.root.handlers[:] = handlers
    logging.root.setLevel(level)


def asked(tmp_path: Path, *words: str) -> list[str]:
    return [*words, "--store", str(tmp_path)]


def refused(capfd: Captured, *words: str) -> str:
    """The one line by which a command is refused with status 2."""
    status = run(words)
    out, err = capfd.readouterr()
    assert status == 2
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("frontrow: ")
    return err.strip()


BAD_SIZES = ("abc", "", "1.5", "-1", "65", "0x8", "1e1", "9" * 30, "-", "8 8", "1_0", "٨", "+-3", "-0.5")


@pytest.mark.parametrize("word", BAD_SIZES)
@pytest.mark.parametrize("form", ["{}", "n={}"])
@pytest.mark.parametrize("extra", [(), ("--json",)])
def test_a_bad_size_is_one_line_that_names_the_range(
    word: str, form: str, extra: tuple[str, ...], capfd: Captured, tmp_path: Path
) -> None:
    line = refused(capfd, *asked(tmp_path, "count", "queens", form.format(word), *extra))
    assert line == f"frontrow: n: found {word!r}, expected an integer from 0 to 64"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("word", [" 8 ", "8\r", "8\n", "+8", "08", "n=8", "n= 8\r"])
def test_blanks_around_a_size_are_ignored(word: str, capfd: Captured, tmp_path: Path) -> None:
    assert run(asked(tmp_path, "count", "queens", word)) == 0
    assert capfd.readouterr().out.startswith("92 solutions of queens n=8\n")


@pytest.mark.parametrize(("size", "solutions"), [("0", "1"), ("1", "1"), ("2", "0"), ("3", "0")])
def test_a_count_of_zero_is_an_answer(size: str, solutions: str, capfd: Captured, tmp_path: Path) -> None:
    assert run(asked(tmp_path, "count", "queens", size)) == 0
    assert capfd.readouterr().out.startswith(f"{solutions} solutions of queens n={size}\n")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["cuont", "queens", "8"], "command: found 'cuont', expected count"),
        (["count", "quens", "8"], "problem: found 'quens', expected queens"),
        (
            ["count", "-1"],
            f"problem: found '-1', expected {' or '.join(names())} or a file such as ./mine.py",
        ),
        (["count"], "problem: found nothing, expected one (see frontrow count --help)"),
        (["count", "queens"], "n: found nothing, expected an integer from 0 to 64"),
        (["count", "queens", "8", "n=9"], "n: found twice, expected once"),
        (["count", "queens", "8", "m=9"], "queens: found 'm=9', expected the parameters n, fixed"),
        (["count", "queens", "8", "1", "2"], "queens: found '2', expected the parameters n, fixed"),
        (["count", "queens", "8", "--methd", "lanes"], "option: found '--methd', expected --method"),
        (["count", "queens", "8", "--methd=lanes"], "option: found '--methd', expected --method"),
        (["count", "queens", "8", "-x"], "option: found '-x', expected a known option"),
        (
            ["count", "queens", "8", "--method", "fast"],
            "method: found 'fast', expected auto or quadrant or lanes or scalar",
        ),
        (["count", "queens", "8", "method=lanes"], "queens: found 'method=lanes', expected the parameters"),
        (
            ["count", "queens", "8", "--workers", "0"],
            "workers: found '0', expected an integer from 1 to 1024",
        ),
        (["count", "queens", "8", "--workers", "-1"], "workers: found '-1', expected an integer from 1"),
        (["count", "queens", "8", "--workers", "2.0"], "workers: found '2.0', expected an integer from 1"),
        (["count", "queens", "8", "--workers", "1025"], "workers: found '1025', expected an integer from 1"),
        (["count", "queens", "8", "--workers"], "--workers: found no value, expected one"),
        (["count", "queens", "8", "--time-limit", "0"], "time_limit: found '0', expected a number above 0"),
        (
            ["count", "queens", "8", "--node-limit", "nan"],
            "node_limit: found 'nan', expected a number above 0",
        ),
        (["count", "queens", "8", "--store", " "], "store: found ' ', expected a folder"),
        (["count", "queens", "5", "-,-,9"], "fixed: found column 9 in row 2, expected 0 to 4 or -"),
        (["count", "queens", "5", "0,1"], "fixed: found queens that attack each other"),
        (["problems", "quens"], "problem: found 'quens', expected queens, another one of frontrow problems"),
        (["completion", "tcsh"], "shell: found 'tcsh', expected bash or zsh or fish"),
        (["--vrsion"], "option: found '--vrsion', expected --version"),
        (
            ["--json", "count", "queens", "8"],
            "option: found --json before the command, expected it after: frontrow count ... --json",
        ),
        (
            ["--partial", "--json", "jobs"],
            "option: found --partial before the command, expected it after: frontrow export ... --partial",
        ),
        (
            ["count", "queens", "8", "--method"],
            "--method: found no value, expected auto or quadrant or lanes or scalar",
        ),
        (["forget"], "ID: found nothing, expected one (see frontrow forget --help)"),
        (["show", "a1", "b2"], "show: found 'b2' as well, expected frontrow show [OPTIONS] ID"),
    ],
)
def test_a_mistake_is_one_line_that_says_what_was_expected(
    words: list[str], line: str, capfd: Captured
) -> None:
    assert refused(capfd, *words).startswith(f"frontrow: {line}")


def test_the_answer_for_people(capfd: Captured, tmp_path: Path) -> None:
    assert run(asked(tmp_path, "count", "queens", "8", "--workers", "1")) == 0
    out, _ = capfd.readouterr()
    values, _, told = out.partition("\n\n")
    assert values.splitlines() == [
        "92 solutions of queens n=8",
        "12 up to rotation and reflection",
        " 4 unchanged by a half turn",
        " 0 unchanged by a quarter turn",
    ]
    facts = dict(line.split(maxsplit=1) for line in told.splitlines())
    assert list(facts) == ["nodes", "time", "job"]
    assert facts["time"].endswith("with 1 worker (local)")
    with Store.open(tmp_path) as store:
        assert facts["job"] == store.jobs()[0].id


def test_a_partly_filled_board_is_named_and_has_no_symmetric_counts(capfd: Captured, tmp_path: Path) -> None:
    assert run(asked(tmp_path, "count", "queens", "6", "fixed=-,3")) == 0
    first, second, *_ = capfd.readouterr().out.splitlines()
    assert first == "1 solutions of queens n=6 fixed=-,3"
    assert second == ""
    assert run(asked(tmp_path, "count", "queens", "5", "-,-,1", "--json")) == 0
    printed = json.loads(capfd.readouterr().out)
    assert printed["params"] == {"n": 5, "fixed": [None, None, 1]}
    assert printed["values"] == {"solutions": "2", "unique": None, "half_turn": None, "quarter_turn": None}


def test_a_repeated_count_comes_from_the_ledger_and_says_when(capfd: Captured, tmp_path: Path) -> None:
    words = asked(tmp_path, "count", "queens", "7")
    assert run(words) == 0
    assert "computed" not in capfd.readouterr().out
    assert run(words) == 0
    out, _ = capfd.readouterr()
    with Store.open(tmp_path) as store:
        date = store.jobs()[0].updated.replace("T", " ").replace("+00:00", " UTC")
    assert f"computed  {date} (repeat with --fresh to compute again)" in out
    assert run([*words, "--fresh"]) == 0
    assert "computed" not in capfd.readouterr().out


def test_verbose_names_method_and_kernel(capfd: Captured, tmp_path: Path) -> None:
    assert run(asked(tmp_path, "count", "queens", "6", "--method", "scalar", "-v")) == 0
    out, _ = capfd.readouterr()
    assert "\nmethod  scalar (asked for)\nkernel  " in out


JSON_TYPES: dict[str, type | tuple[type, ...]] = {
    "verb": str,
    "problem": str,
    "file": type(None),
    "params": dict,
    "options": dict,
    "values": dict,
    "nodes": str,
    "units": str,
    "verified": str,
    "method": str,
    "kernel": str,
    "seconds": (int, float),
    "setup_seconds": (int, float),
    "workers": int,
    "engine": str,
    "job": str,
    "complete": bool,
    "from_ledger": bool,
    "resumed": int,
    "computed_at": str,
    "confirmed": type(None),
    "imported": type(None),
}


def test_json_is_one_object_in_which_big_numbers_are_strings(capfd: Captured, tmp_path: Path) -> None:
    assert run(asked(tmp_path, "count", "queens", "8", "--json", "--workers", "2")) == 0
    out, _ = capfd.readouterr()
    assert out.count("\n") == 1
    printed = json.loads(out)
    assert list(printed) == list(JSON_TYPES)
    for name, kind in JSON_TYPES.items():
        assert isinstance(printed[name], kind), name
    assert printed["values"] == {"solutions": "92", "unique": "12", "half_turn": "4", "quarter_turn": "0"}
    assert int(printed["nodes"]) > 0
    assert (printed["verb"], printed["problem"], printed["engine"]) == ("count", "queens", "local")
    assert printed["workers"] == 2
    assert printed["complete"]
    assert not printed["from_ledger"]


def test_jobs_show_and_forget(capfd: Captured, tmp_path: Path) -> None:
    assert run(asked(tmp_path, "jobs")) == 0
    assert capfd.readouterr().out == "no jobs\n"
    for size in ("5", "6"):
        assert run(asked(tmp_path, "count", "queens", size, "--quiet")) == 0
    capfd.readouterr()

    assert run(asked(tmp_path, "jobs")) == 0
    head, *lines = capfd.readouterr().out.splitlines()
    assert head.split("  ")[0] == "JOB"
    assert head.split()[1:] == ["STATE", "COST", "DONE", "TIME", "UPDATED", "QUESTION"]
    assert sorted(line.rsplit("  ", 1)[1] for line in lines) == ["count queens n=5", "count queens n=6"]
    assert run(asked(tmp_path, "jobs", "--json")) == 0
    listed: list[dict[str, Any]] = json.loads(capfd.readouterr().out)
    [job] = [each["job"] for each in listed if each["params"]["n"] == 6]

    assert run(asked(tmp_path, "show", job[:6])) == 0
    out, _ = capfd.readouterr()
    assert out.startswith("4 solutions of queens n=6\n")
    assert f"job       {job}\nquestion  count queens n=6\nstate     done\n" in out
    assert run(asked(tmp_path, "show", job, "--json")) == 0
    shown = json.loads(capfd.readouterr().out)
    assert shown["values"]["solutions"] == "4"
    assert (shown["state"], shown["share"], shown["complete"]) == ("done", 1.0, True)
    assert isinstance(shown["units_done"], str)

    assert run(asked(tmp_path, "forget", job[:8])) == 0
    assert capfd.readouterr().out == f"forgot {job}\n"
    assert refused(capfd, *asked(tmp_path, "show", job)).startswith(f"frontrow: job '{job}': found no job")
    assert refused(capfd, *asked(tmp_path, "forget", "")).startswith("frontrow: job '': found no job")
    assert run(asked(tmp_path, "forget", listed[0]["job"], listed[1]["job"])) == 2
    with Store.open(tmp_path) as store:
        assert len(store.jobs()) == 1


def test_problems_lists_parameters_with_ranges_defaults_and_examples(capfd: Captured) -> None:
    assert run(["problems"]) == 0
    assert [line.split()[0] for line in capfd.readouterr().out.splitlines()] == names()
    assert run(["problems", "queens"]) == 0
    out, _ = capfd.readouterr()
    for text in (
        "an integer from 0 to 64 (required)",
        "  fixed ",
        "--method ",
        "(default auto)",
        "  frontrow count queens",
    ):
        assert text in out
    assert run(["problems", "queens", "--json"]) == 0
    [size, fixed, method, order] = json.loads(capfd.readouterr().out)["parameters"]
    assert (size["name"], size["low"], size["high"], size["required"]) == ("n", 0, 64, True)
    assert (fixed["name"], fixed["required"], fixed["default"], fixed["option"]) == (
        "fixed",
        False,
        [],
        False,
    )
    assert (method["choices"], method["default"], method["option"]) == (
        ["auto", "quadrant", "lanes", "scalar"],
        "auto",
        True,
    )
    assert run(["problems", "--json"]) == 0
    assert [each["name"] for each in json.loads(capfd.readouterr().out)] == names()
    assert order["name"] == "order"


@pytest.mark.parametrize("name", names())
def test_the_examples_of_a_problem_are_questions(name: str, capfd: Captured) -> None:
    assert run(["problems", name, "--json"]) == 0
    examples = json.loads(capfd.readouterr().out)["examples"]
    assert examples
    for example in examples:
        front, verb, *words = shlex.split(example)
        given = app.commands[verb].make_context(verb, words).params
        assert (front, given["problem"]) == ("frontrow", name)
        options = {option: given[option] for option in ("method",) if given.get(option)}
        assert find(name).from_words(given["words"], options).name == name


def test_info_names_kernel_folders_and_machine(capfd: Captured, tmp_path: Path) -> None:
    assert run(asked(tmp_path / "ledger", "info", "--json")) == 0
    facts = json.loads(capfd.readouterr().out)
    assert facts["store_folder"] == str(tmp_path / "ledger")
    assert not (tmp_path / "ledger").exists()
    assert 1 <= facts["cores"] <= facts["cores_installed"]
    assert facts["memory"] > 1 << 20
    assert "queens 16" in facts["kernels"]
    assert run(asked(tmp_path, "info")) == 0
    assert f"store                {tmp_path}\n" in capfd.readouterr().out
    assert run(["--version"]) == 0
    assert capfd.readouterr().out == f"frontrow {facts['version']}, kernels {facts['sources']}\n"


@pytest.mark.parametrize(
    ("error", "status"), [(DisputedError("unit 3: found 1, expected 2"), 1), (LimitError("late\nvery"), 4)]
)
def test_a_failure_is_one_line_with_its_own_status(
    error: Exception, status: int, capfd: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object, **options: object) -> None:
        raise error

    monkeypatch.setattr(api, "count", fail)
    assert run(["count", "queens", "8", "--json"]) == status
    out, err = capfd.readouterr()
    assert out == ""
    assert err == f"frontrow: {str(error).replace(chr(10), ' ')}\n"


def test_an_unforeseen_error_is_one_line_and_a_traceback_on_request(
    capfd: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object, **options: object) -> None:
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr(api, "count", fail)
    assert run(["count", "queens", "8"]) == 1
    assert capfd.readouterr() == (
        "",
        "frontrow: unexpected ZeroDivisionError: by nothing (-v shows the traceback)\n",
    )
    assert run(["count", "queens", "8", "-v"]) == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert "Traceback" in err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--workers", "3"], {"workers": 3, "engine": "local", "ray_address": None, "fresh": False}),
        (["--time-limit", "1.5", "--node-limit", "1e6"], {"time_limit": 1.5, "node_limit": 1000000}),
        (["--ray", "--fresh"], {"workers": None, "engine": "ray", "ray_address": None, "fresh": True}),
        (
            ["--ray-address", "auto"],
            {"workers": None, "engine": "ray", "ray_address": "auto", "fresh": False},
        ),
    ],
)
def test_options_reach_the_question(
    words: list[str], expected: dict[str, object], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: dict[str, object] = {}

    def remember(problem: object, **options: object) -> None:
        seen.update(options, problem=problem)
        raise LimitError("seen")

    monkeypatch.setattr(api, "count", remember)
    assert run(asked(tmp_path, "count", "--method", "scalar", *words, "queens", "8")) == 4
    assert {name: seen[name] for name in expected} == expected
    assert seen["store"] == str(tmp_path)
    assert getattr(seen["problem"], "method") == "scalar"  # noqa: B009


@pytest.mark.parametrize(
    ("words", "beginning", "expected"),
    [
        ([], "pro", ["problems"]),
        (["count"], "que", ["queens"]),
        (["problems"], "que", ["queens"]),
        (["count", "queens"], "fi", ["fixed="]),
        (["count", "queens", "8", "--method"], "la", ["lanes"]),
        (["count", "queens"], "--meth", ["--method"]),
    ],
)
def test_words_are_completed(words: list[str], beginning: str, expected: list[str]) -> None:
    complete = BashComplete(app, {}, "frontrow", "_FRONTROW_COMPLETE")
    assert [item.value for item in complete.get_completions(words, beginning)] == expected


def test_job_ids_are_completed(tmp_path: Path) -> None:
    job = api.count("queens", n=4, store=tmp_path).job
    complete = BashComplete(app, {}, "frontrow", "_FRONTROW_COMPLETE")
    words = asked(tmp_path, "forget")
    assert [item.value for item in complete.get_completions(words, job[:3])] == [job]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(shell: str, capfd: Captured) -> None:
    assert run(["completion", shell]) == 0
    assert f"_FRONTROW_COMPLETE={shell}_complete" in capfd.readouterr().out


# In processes of their own


def python(code: str, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, timeout=PATIENCE, check=False
    )


LOADED = """
import sys
from frontrow.cluster.command.app import run
assert run(sys.argv[2:]) == 0
print(*sorted(set(sys.argv[1].split(",")) & set(sys.modules)), file=sys.stderr)
"""


def test_help_needs_nothing_but_click() -> None:
    for words in (["--help"], ["count", "--help"], ["jobs", "-h"], []):
        done = python(LOADED, "numpy,numba,ray,rich,sqlite3", *words)
        assert done.stderr == "\n", done.stderr
        assert done.stdout.startswith("Usage: frontrow")


def test_a_short_count_loads_neither_rich_nor_ray(tmp_path: Path) -> None:
    done = python(LOADED, "ray,rich", *asked(tmp_path, "count", "queens", "8", "--quiet"))
    assert done.stdout.startswith("92 solutions")
    assert done.stderr == "\n", done.stderr


def begun(tmp_path: Path, *words: str, **environment: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [*FRONTROW, *asked(tmp_path, *words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )


def await_line(stream: IO[str] | None, text: str) -> None:
    assert stream is not None
    for line in stream:
        if text in line:
            return
    pytest.fail(f"the process ended before it said {text!r}")


@pytest.mark.parametrize(("number", "cause"), [(signal.SIGINT, ""), (signal.SIGTERM, "SIGTERM: ")])
def test_an_interrupted_count_says_how_far_it_came_and_goes_on(
    number: signal.Signals, cause: str, tmp_path: Path
) -> None:
    process = begun(tmp_path, "count", "queens", "24", "--json")
    await_line(process.stderr, "done, ")
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert out == ""
    last = err.splitlines()[-1]
    assert last.startswith(f"frontrow: {cause}interrupted (")
    assert last.endswith("; the same command goes on from there")
    with Store.open(tmp_path) as store:
        assert store.jobs()[0].state == "interrupted"


@pytest.mark.jit
def test_an_interrupt_while_kernels_compile_ends_the_process(tmp_path: Path) -> None:
    process = begun(tmp_path, "count", "queens", "24", FRONTROW_CACHE=str(tmp_path / "cache"))
    await_line(process.stderr, "compiling kernels (once per machine, some seconds)")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert err.splitlines()[-1].startswith("frontrow: interrupted")


STUBBORN = """
import sys, time
from frontrow.cluster.command.interrupt import Interruption
interruption = Interruption()
interruption.install()
interruption.message = lambda: "left at once"
while True:
    try:
        print("ready", flush=True)
        time.sleep(PATIENCE)
    except KeyboardInterrupt:
        pass
""".replace("PATIENCE", str(PATIENCE))


def test_a_process_that_ignores_the_interrupt_is_ended_all_the_same() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", STUBBORN], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        await_line(process.stdout, "ready")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE / 2)
    assert process.returncode == 130
    assert err == "frontrow: left at once\n"


def test_a_reader_that_left_is_met_with_silence_and_a_status() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [*FRONTROW, "problems"], stdout=writer, stderr=subprocess.PIPE, timeout=PATIENCE, check=False
    )
    os.close(writer)
    assert done.returncode == 1
    assert done.stderr == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_output_is_one_line_and_a_status() -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*FRONTROW, "problems"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("frontrow: output: ")


def test_a_ledger_that_cannot_be_opened_is_one_line(capfd: Captured, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    for words in (["jobs"], ["count", "queens", "4"], ["show", "abc"], ["forget", "abc"]):
        assert run([*words, "--store", str(tmp_path / "taken")]) == 1
        out, err = capfd.readouterr()
        assert out == ""
        assert err.count("\n") == 1
        assert str(tmp_path / "taken") in err
