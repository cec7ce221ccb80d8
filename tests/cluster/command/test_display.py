"""What people read: answers, tables, durations, plain lines and the live line."""

import dataclasses
import io
import json
import os
import pty
import re
import subprocess

import pytest

from frontrow.cluster.command.display import answer, job_text, jobs_table, pairs, question, table
from frontrow.cluster.command.info import cgroup_memory
from frontrow.cluster.command.progress import (
    EVERY,
    FIRST,
    LiveLine,
    PlainLines,
    Silent,
    duration,
    fitted,
    moment,
    plain_line,
    reporter,
    scaled,
    share_text,
    span,
)
from frontrow.cluster.job import JobRow
from frontrow.cluster.result import Count, Progress
from frontrow.search.registry import ProblemRef, find

RESULT = Count(
    problem="queens",
    file="",
    params={"n": 16, "fixed": ()},
    silent=frozenset({"fixed"}),
    values={"solutions": 14772512, "unique": 1846955, "half_turn": 92, "quarter_turn": None},
    nodes=141190304,
    units=1024,
    verified=0,
    method="lanes",
    kernel="16 lanes of 32 bits",
    seconds=83.4,
    setup_seconds=0.25,
    workers=2,
    engine="local",
    job="0123456789abcdef",
    complete=True,
    from_ledger=False,
    resumed=0,
    computed_at="2026-07-05T10:11:12+00:00",
)
COUNTING = Progress(
    "counting",
    share=0.423,
    units_done=300,
    units=1024,
    nodes=10**9,
    rate=5.21e9,
    totals={"solutions": 6203114, "half_turn": 4},
    elapsed=12.3,
    remaining=(170, 290),
    workers=2,
)


def test_an_answer_is_plain_digits_with_the_labels_of_its_problem() -> None:
    assert answer(RESULT, {"unique": "up to symmetry"}).splitlines() == [
        "\x1b[1m14772512\x1b[0m solutions of queens n=16",
        " \x1b[1m1846955\x1b[0m up to symmetry",
        "      \x1b[1m92\x1b[0m half turn",
        "",
        "nodes  141,190,304 in 1,024 units",
        "time   1 min 23 s with 2 workers (local)",
        "job    0123456789abcdef",
    ]


def test_one_unit_and_one_worker_are_no_plural() -> None:
    one = dataclasses.replace(RESULT, units=1, workers=1)
    assert "nodes in 1 unit, 1 local worker, lanes" in repr(one)
    assert "nodes in 1024 units, 2 local workers, lanes" in repr(RESULT)


def test_an_answer_says_what_it_took_over() -> None:
    resumed = dataclasses.replace(RESULT, resumed=300)
    assert "resumed  went on from 300 of 1,024 units" in answer(resumed, {})
    kept = dataclasses.replace(RESULT, from_ledger=True, resumed=300)
    text = answer(kept, {}, verbose=True)
    assert "resumed" not in text
    assert "computed  2026-07-05 10:11:12 UTC (repeat with --fresh to compute again)" in text
    assert "kernel    16 lanes of 32 bits" in text
    assert "verified" not in text


def test_an_answer_says_what_was_computed_twice() -> None:
    sampled = dataclasses.replace(RESULT, verified=3)
    assert "verified  3 of 1,024 units by a second computation" in answer(sampled, {})
    whole = dataclasses.replace(RESULT, confirmed="fedcba9876543210")
    assert "verified  the whole by a second method (job fedcba9876543210)" in answer(whole, {})


def test_a_question_is_shown_as_it_is_typed() -> None:
    assert (
        question("queens", {"n": 0, "fixed": [1, None, 3], "goal": ""}, {"all": True, "way": "a b"})
        == "queens n=0 fixed=1,-,3 goal= --all --way 'a b'"
    )


def test_columns_are_aligned() -> None:
    assert pairs([("a", 1), ("long", "x"), ("none", None)], " ") == [" a     1", " long  x"]
    assert table(("A", "LONG"), [("bcd", "e")]) == ["A    LONG", "bcd  e"]


JOB = JobRow(
    id="0123456789abcdef",
    verb="count",
    ref=ProblemRef("queens", '{"fixed":[null,2],"method":"lanes","n":20}', find("queens").version),
    state="interrupted",
    created="2026-07-05T10:11:12+00:00",
    updated="2026-07-05T10:12:12+00:00",
    method="lanes",
    kernel="k",
    engine="ray",
    workers=7,
    seconds=60.0,
    setup_seconds=1.0,
    answer=None,
    error="",
    units=1000,
    units_done=999,
    verified=0,
    share=0.9999,
    nodes=12345,
    asked="{}",
)


def test_a_job_that_is_not_done_has_no_answer_and_says_how_it_goes_on() -> None:
    assert re.split("  +", jobs_table([JOB]).splitlines()[1]) == [
        "0123456789abcdef",
        "interrupted",
        "99.9 %",
        "1 min",
        "2026-07-05 10:12:12 UTC",
        "count queens n=20 fixed=-,2",
    ]
    lines = job_text(JOB, {}).splitlines()
    assert lines[0] == "job       0123456789abcdef"
    assert "workers   7 (ray)" in lines
    assert "done      99.9 % of the predicted cost, 999 of 1,000 units" in lines
    assert lines[-1] == "goes on with: frontrow count queens n=20 fixed=-,2"


def test_the_command_of_a_job_gives_a_shell_every_value_as_it_is() -> None:
    values = {"n": 20, "fixed": ["it's", "back\\slash", "two\nlines" * 20, "\x1bü\u202e"], "method": "lanes"}
    job = dataclasses.replace(JOB, ref=dataclasses.replace(JOB.ref, values=json.dumps(values), version=0))
    command = job_text(job, {}).splitlines()[-1].partition("goes on with: frontrow ")[2]
    assert command.isprintable()
    printed = subprocess.run(
        ["bash", "-c", f"printf '%s\\0' {command}"], capture_output=True, text=True, check=True
    ).stdout
    fixed = ",".join(values["fixed"])
    assert printed.split("\0")[:-1] == ["count", "queens", "n=20", f"fixed={fixed}", "method=lanes"]
    assert "..." in jobs_table([job])


def test_a_disputed_job_gives_its_reason() -> None:
    text = job_text(dataclasses.replace(JOB, state="disputed", error="unit 3: found [1]"), {})
    assert "error     unit 3: found [1]" in text
    assert text.endswith("computed again with: frontrow count queens n=20 fixed=-,2 --fresh")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (0.0001, "under 0.001 s"),
        (0.15312, "0.153 s"),
        (59.94, "59.9 s"),
        (59.96, "1 min"),
        (200.4, "3 min 20 s"),
        (3600, "1 h"),
        (86399.7, "1 d"),
        (2 * 86400 + 5 * 3600, "2 d 5 h"),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0, 0.4, "under 1 s"),
        (0.2, 3.1, "0-3 s"),
        (15, 19.2, "15-19 s"),
        (170, 290, "3-5 min"),
        (299, 301, "about 5 min"),
        (5000, 10000, "1-3 h"),
        (86400, 400000, "1-5 d"),
    ],
)
def test_the_time_left_is_a_range(low: float, high: float, text: str) -> None:
    assert span(low, high) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (999, "999"), (1000, "1.00 k"), (5.21e9, "5.21 G"), (99.96e6, "100 M"), (12.34e12, "12.3 T")],
)
def test_rates_have_three_digits(number: float, text: str) -> None:
    assert scaled(number) == text


def test_a_share_is_whole_only_at_the_end() -> None:
    assert [share_text(share) for share in (0, 0.0523, 0.99999, 1)] == ["0.0 %", "5.2 %", "99.9 %", "100 %"]


def test_moments_are_in_words_of_people() -> None:
    assert moment("2026-07-05T10:11:12+00:00") == "2026-07-05 10:11:12 UTC"


def test_a_plain_line_tells_share_time_left_total_rate_and_elapsed() -> None:
    assert plain_line(COUNTING) == (
        "42.3 % done, 3-5 min left, 6203114 solutions so far, 5.21 G nodes/s, 12 s elapsed"
    )


def test_where_a_run_went_on_from_is_told_first_and_for_some_seconds() -> None:
    early = dataclasses.replace(COUNTING, remaining=None, rate=0.0, resumed=12, elapsed=EVERY - 1)
    assert plain_line(early) == (
        "42.3 % done, went on from 12 of 1,024 units, 6203114 solutions so far, 4 s elapsed"
    )
    assert "went on" not in plain_line(dataclasses.replace(early, elapsed=EVERY))


def test_a_share_that_nobody_can_know_is_said_to_be_unknown() -> None:
    endless = dataclasses.replace(COUNTING, share=None, remaining=None, rate=0.0)
    assert plain_line(endless) == (
        "share unknown, 6203114 solutions so far, 1.00 G nodes so far, 12 s elapsed"
    )


def test_a_slow_start_without_a_terminal_says_what_it_waits_for() -> None:
    read, write = os.pipe()
    with os.fdopen(write, "w") as stream, PlainLines(stream) as lines:
        lines(Progress("starting"))
        with os.fdopen(read) as reader:
            assert reader.readline().startswith("frontrow: starting workers")


def test_plain_lines_come_every_few_seconds_and_not_for_short_runs() -> None:
    stream, now = io.StringIO(), [0.0]
    lines = PlainLines(stream, clock=lambda: now[0])
    for moments, expected in ((FIRST - 0.1, 0), (FIRST, 1), (FIRST + EVERY - 0.1, 1), (FIRST + EVERY, 2)):
        now[0] = moments
        lines(COUNTING)
        assert stream.getvalue().count("\n") == expected
    assert lines.last == COUNTING


def test_compiling_and_watching_are_announced_at_once() -> None:
    stream = io.StringIO()
    lines = PlainLines(stream, clock=lambda: 0.0)
    lines(Progress("starting"))
    assert stream.getvalue() == ""
    lines(Progress("compiling"))
    lines(Progress("compiling"))
    lines(Progress("watching", share=0.5, units=10, note="process 7 works on this job: watching it"))
    assert stream.getvalue().splitlines() == [
        "frontrow: compiling kernels (once per machine, some seconds)",
        "frontrow: process 7 works on this job: watching it, 50.0 % done",
    ]


def test_words_that_do_not_fit_are_left_out() -> None:
    assert fitted(["abc", "de", "f"], 7) == "abc  de"
    assert fitted(["abc", "de"], 2) == "abc"


def live(monkeypatch: pytest.MonkeyPatch, progress: Progress, until: str, columns: int = 120) -> str:
    """What a terminal receives from the first frame on to the end of a run."""
    monkeypatch.setenv("COLUMNS", str(columns))
    master, slave = pty.openpty()
    shown = b""
    with os.fdopen(slave, "w", encoding="utf-8") as stream:
        line = reporter(stream, quiet=False)
        assert isinstance(line, LiveLine)
        with line:
            line(progress)
            while until.encode() not in shown:
                shown += os.read(master, 4096)
        stream.write("END")
        stream.flush()
        while not shown.endswith(b"END"):
            shown += os.read(master, 4096)
    os.close(master)
    return shown.decode()


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("PYTHONIOENCODING", "utf-8")
    for name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)


def test_the_live_line_is_one_line_that_vanishes_and_gives_the_cursor_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = live(monkeypatch, COUNTING, "nodes/s")
    for text in ("42.3 %", "3-5 min left", "6203114 solutions so far", "5.21 G nodes/s", "\x1b[38;"):
        assert text in shown
    frame, _, rest = shown.rpartition("\x1b[?25h")
    assert frame.startswith("\x1b[?25l")
    assert rest.rstrip("END").replace("\r", "").replace("\n", "") == "\x1b[1A\x1b[2K"


def test_the_live_line_does_without_a_bar_where_nobody_knows_the_share(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = live(monkeypatch, dataclasses.replace(COUNTING, share=None, remaining=None), "nodes/s")
    assert "share unknown" in shown
    assert "━" not in shown


def test_a_narrow_terminal_shows_the_most_telling_words(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = live(monkeypatch, COUNTING, "left", columns=40)
    assert "3-5 min left" in shown
    assert "nodes/s" not in shown


def test_the_live_line_says_that_kernels_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    live(monkeypatch, Progress("compiling"), "compiling kernels (once per machine, some seconds)")


EXPLORING = Progress(
    "exploring",
    share=None,
    units_done=12,
    nodes=3_200_000,
    rate=12e6,
    totals={"states": 3_200_000},
    elapsed=34.2,
)


def test_an_exploration_tells_its_layer_and_how_fast_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    line = "layer 12: 3.20 M states so far, 12.0 M states/s, 34 s elapsed"
    assert plain_line(EXPLORING) == line
    assert plain_line(dataclasses.replace(EXPLORING, note="9 children in it")) == f"{line}, 9 children in it"
    assert (
        plain_line(dataclasses.replace(EXPLORING, nodes=1, rate=0.0))
        == "layer 12: 1 state so far, 34 s elapsed"
    )
    shown = live(monkeypatch, EXPLORING, "elapsed")
    assert "layer 12: 3.20 M states so far  12.0 M states/s  3" in shown


def test_a_search_in_buckets_tells_its_bound_and_what_is_written_down(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searching = Progress("searching", units_done=46, nodes=3_200_000, elapsed=34.2, note="210 MiB")
    told = ["46 moves at least: 3.20 M boards expanded", "34 s elapsed", "210 MiB"]
    assert plain_line(searching) == ", ".join(told)
    assert plain_line(dataclasses.replace(searching, nodes=1)).startswith(
        "46 moves at least: 1 board expanded,"
    )
    assert plain_line(dataclasses.replace(searching, phase="saving", note="writing it")) == "writing it"
    assert plain_line(Progress("saving")) == "writing the last layer down"
    assert "46 moves at least: 3.20 M boards expanded  3" in live(monkeypatch, searching, "MiB")


def test_a_line_about_checkpoints_is_written_at_once() -> None:
    stream = io.StringIO()
    line = PlainLines(stream)
    for number in (1, 2):
        line(Progress("resuming", note=f"file {number}: found it damaged"))
    assert stream.getvalue() == "".join(f"frontrow: file {number}: found it damaged\n" for number in (1, 2))


def test_lines_of_an_answer_stand_above_the_live_line(monkeypatch: pytest.MonkeyPatch) -> None:
    master, slave = pty.openpty()
    shown = b""
    with os.fdopen(slave, "w", encoding="utf-8") as stream:
        line = reporter(stream, quiet=False)
        with line:
            line.echo("before", stream)
            line(EXPLORING)
            while b"elapsed" not in shown:
                shown += os.read(master, 4096)
            line.echo("x" * 150, stream)
            while b"x" * 150 not in shown.replace(b"\r", b"").replace(b"\n", b""):
                shown += os.read(master, 4096)
    os.close(master)
    assert shown.startswith(b"before")
    erased = shown.index(b"x" * 100)
    assert b"\x1b[2K" in shown[shown.index(b"elapsed") : erased]
    elsewhere = io.StringIO()
    line.echo("to a file", elsewhere)
    assert elsewhere.getvalue() == "to a file\n"


def test_no_color_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[38;" not in live(monkeypatch, COUNTING, "nodes/s")


def test_what_tells_progress_depends_on_the_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    assert type(reporter(io.StringIO(), quiet=False)) is PlainLines
    assert type(reporter(io.StringIO(), quiet=True)) is Silent
    assert type(reporter(None, quiet=False)) is Silent
    monkeypatch.setenv("TERM", "dumb")
    master, slave = pty.openpty()
    with os.fdopen(slave, "w") as stream:
        assert type(reporter(stream, quiet=False)) is PlainLines
    os.close(master)


def test_the_memory_limit_is_the_lowest_of_the_groups_around_a_process() -> None:
    files = {
        "/proc/self/cgroup": "0::/a/b\n",
        "/sys/fs/cgroup/a/b/memory.max": "max\n",
        "/sys/fs/cgroup/a/memory.max": "2147483648\n",
        "/sys/fs/cgroup/memory.max": "4294967296\n",
    }
    assert cgroup_memory(lambda path: files.get(path, "")) == 2 << 30
    older = {
        "/proc/self/cgroup": "5:cpu,memory:/job\n3:pids:/\n",
        "/sys/fs/cgroup/memory/job/memory.limit_in_bytes": "1073741824\n",
    }
    assert cgroup_memory(lambda path: older.get(path, "")) == 1 << 30
    assert cgroup_memory(lambda path: "") is None
