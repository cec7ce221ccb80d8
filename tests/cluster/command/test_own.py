"""A person's own file on the command line: counted, explained, interrupted, checked, begun."""

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from frontrow.cluster.api import count
from frontrow.cluster.command.app import run
from frontrow.cluster.store import Store

FRONTROW = (sys.executable, "-m", "frontrow")
PATIENCE = 120
"""Seconds after which a process that should have ended fails its test."""

TREE = """
from frontrow import CountingTree, parameter

class Mine(CountingTree):
    n: int = parameter(low=0, high=30, help="letters")
    workers: int = 2
    style: str = parameter(default="plain", choices=("plain", "fancy"), option=True, help="how")
    cells, bits = 2, 32

    def root(self):
        return (0, 1)

    def children(self, node):
        depth, number = node
        return [(depth + 1, self.workers * number + k) for k in range(self.workers)] if depth < self.n else []

    def is_solution(self, node):
        return node[0] == self.n
"""
ENDLESS = """
from frontrow import CountingTree

class Endless(CountingTree):
    n: int
    cells, bits = 2, 60
    tallies = ("nodes", "depth")
    maxima = ("depth",)

    def root(self):
        return (0, 1)

    def children(self, node):
        depth, number = node
        return [(depth + 1, (2 * number + k) % self.n) for k in (0, 1)]

    def measure_node(self, node):
        return 1, node[0]
"""

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folders(tmp_path, monkeypatch):
    """A ledger, a cache and a working folder of the test's own."""
    monkeypatch.setenv("FRONTROW_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("FRONTROW_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def write(text: str, name: str = "mine.py") -> str:
    Path(name).write_text(text, encoding="utf-8")
    return f"./{name}"


def asked(*words: str) -> "subprocess.CompletedProcess[str]":
    """What a command of its own process comes to."""
    return subprocess.run([*FRONTROW, *words], capture_output=True, text=True, timeout=PATIENCE, check=False)


def jobs(tmp_path):
    with Store.open(tmp_path / "store") as ledger:
        return ledger.jobs()


def test_a_file_is_counted_told_by_its_name_and_found_in_the_ledger(capfd: Captured, tmp_path: Path) -> None:
    os.mkdir("my trees")
    path = write(TREE, "my trees/schöner Baum.py")
    assert run(["count", path, "n=6", "--json"]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    answer = json.loads(out)
    assert (answer["problem"], answer["file"]) == ("mine", "schöner Baum.py")
    assert (answer["values"], answer["params"]) == ({"solutions": "64"}, {"n": 6, "workers": 2})
    assert run(["count", str(tmp_path / path), "6"]) == 0
    out, _ = capfd.readouterr()
    assert out.startswith("64 solutions of 'schöner Baum.py' n=6 workers=2\n")
    assert "computed" in out
    assert run(["jobs"]) == 0
    assert "count 'schöner Baum.py' n=6" in capfd.readouterr().out
    assert run(["show", answer["job"]]) == 0
    assert "question  count 'schöner Baum.py' n=6 workers=2\n" in capfd.readouterr().out


def test_the_examples_of_a_file_name_the_file(capfd: Captured) -> None:
    path = write(
        TREE.replace("    cells, bits", "    examples = ('8', 'n=9')\n    cells, bits"), "my tree.py"
    )
    assert run(["problems", path]) == 0
    shown = capfd.readouterr().out
    assert "\n  frontrow count 'my tree.py' 8\n  frontrow count 'my tree.py' n=9\n" in shown
    assert run(["problems", path, "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["examples"][0] == "frontrow count 'my tree.py' 8"


def test_a_problem_called_like_another_is_another(capfd: Captured) -> None:
    path = write(TREE.replace("Mine", "Queens"), "queens.py")
    assert run(["count", path, "n=3", "-q"]) == 0
    assert run(["count", "queens", "n=3", "-q"]) == 0
    out, _ = capfd.readouterr()
    assert "8 solutions of queens.py n=3" in out
    assert "0 solutions of queens n=3" in out


def test_a_parameter_may_be_called_like_an_option_of_the_command(capfd: Captured) -> None:
    path = write(TREE)
    assert run(["count", path, "n=2", "workers=5", "--workers", "1", "-q"]) == 0
    assert "25 solutions of mine.py n=2 workers=5\n" in capfd.readouterr().out


def test_an_option_of_a_file_is_told_with_its_answer(capfd: Captured, tmp_path: Path) -> None:
    path = write(TREE)
    for words, options, told in ((("--style", "fancy"), {"style": "fancy"}, " --style fancy"), ((), {}, "")):
        assert run(["count", path, "n=1", "-q", *words]) == 0
        assert f"2 solutions of mine.py n=1 workers=2{told}\n" in capfd.readouterr().out
        assert run(["count", path, "n=1", "--json", *words]) == 0
        answer = json.loads(capfd.readouterr().out)
        assert (answer["params"], answer["options"]) == ({"n": 1, "workers": 2}, options)
        assert run(["show", answer["job"]]) == 0
        assert f"question  count mine.py n=1 workers=2{told}\n" in capfd.readouterr().out
    assert repr(count(path, n=1, style="fancy")).startswith("<count mine.py(n=1, workers=2, style='fancy'): ")
    assert run(["estimate", path, "n=1", "--style", "fancy", "-q", "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["options"] == {"style": "fancy"}


def test_a_copy_of_a_file_is_answered_from_the_ledger_under_its_own_name(capfd: Captured) -> None:
    write(TREE)
    assert run(["count", "mine.py", "n=1", "-q", "--style", "fancy"]) == 0
    write(TREE, "twin.py")
    for words in ((), ("--verify", "sample")):
        capfd.readouterr()
        assert run(["count", "twin.py", "n=1", "-q", "--style", "fancy", *words]) == 0
        told = capfd.readouterr().out
        assert told.startswith("2 solutions of twin.py n=1 workers=2 --style fancy\n")
        assert "computed" in told
    assert run(["count", "twin.py", "n=1", "--style", "fancy", "--json"]) == 0
    answer = json.loads(capfd.readouterr().out)
    assert (answer["file"], answer["options"], answer["from_ledger"]) == ("twin.py", {"style": "fancy"}, True)


def test_a_file_that_is_called_like_a_module_of_python_is_counted_all_the_same(capfd: Captured) -> None:
    assert run(["count", write(TREE, "copy.py"), "n=2", "-q"]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    assert out.startswith("4 solutions of copy.py n=2 workers=2\n")


def test_jobs_tells_a_question_as_show_does_though_it_runs_no_file(capfd: Captured) -> None:
    write(TREE)
    assert asked("count", "mine.py", "n=1", "--style", "fancy").returncode == 0
    listed = asked("jobs").stdout.splitlines()[1]
    assert listed.endswith("count mine.py n=1 workers=2 --style fancy")
    assert f"question  {listed[listed.index('count') :]}\n" in asked("show", listed.split()[0]).stdout


def test_options_of_a_file_are_options_of_the_command_and_part_of_the_question(
    capfd: Captured, tmp_path: Path
) -> None:
    path = write(TREE)
    for words in ((), ("--style", "fancy"), ("--style", "plain")):
        assert run(["count", path, "n=1", "-q", *words]) == 0
    assert len(jobs(tmp_path)) == 2
    capfd.readouterr()
    assert run(["count", path, "--help"]) == 0
    assert "--style plain|fancy" in capfd.readouterr().out
    assert run(["show", jobs(tmp_path)[0].id]) == 0
    assert "count mine.py n=1 workers=2" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["n=x"], "n: found 'x', expected an integer from 0 to 30"),
        (["n=31"], "n: found '31', expected an integer from 0 to 30"),
        ([], "n: found nothing, expected an integer from 0 to 30"),
        (["n=1", "m=2"], "mine: found 'm=2', expected the parameters n, workers"),
        (["--n", "5"], "option: found '--n', expected n=VALUE"),
        (["--n=5"], "option: found '--n', expected n=VALUE"),
        (["n=1", "--style", "odd"], "style: found 'odd', expected plain or fancy"),
        (["n=1", "style=plain"], "mine: found 'style=plain', expected the parameters n, workers"),
    ],
)
def test_a_bad_question_about_a_file_is_one_line_and_status_2(
    words: list[str], line: str, capfd: Captured, tmp_path: Path
) -> None:
    assert run(["count", write(TREE), *words]) == 2
    assert capfd.readouterr() == ("", f"frontrow: {line}\n")
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("name", ["workers", "json", "store", "help", "quiet"])
def test_an_option_that_every_command_has_is_refused(name: str, capfd: Captured) -> None:
    path = write(TREE.replace("    workers: int = 2\n", "    workers = 2\n").replace("style:", f"{name}:"))
    assert run(["count", path, "n=1"]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    told = f"problem mine: found the option --{name}, expected another name: frontrow count has one like it"
    assert err == f"frontrow: {told}\n"


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("./gone.py", None, "./gone.py: No such file or directory, expected a Python file with one problem"),
        (
            "./empty.py",
            "",
            "empty.py: found no problem, expected one class that derives from CountingTree or StateGraph",
        ),
        ("./bad.py", "def f(:\n", "bad.py, line 1: SyntaxError: invalid syntax"),
        ("./bad.py", "import nowhere_at_all\n", "bad.py, line 1: ModuleNotFoundError: No module named"),
        ("./bad.py", "x = 5\n\ny = x // 0\n", "bad.py, line 3: ZeroDivisionError: integer division"),
        ("./", None, "./: found a folder, expected a Python file with one problem"),
        ("./bad.py", "import sys\nsys.exit(0)\n", "bad.py, line 2: SystemExit: 0"),
    ],
)
@pytest.mark.parametrize("verb", ["count", "solutions", "check", "problems"])
def test_a_bad_file_is_one_line_and_status_2(
    name: str, text: str | None, line: str, verb: str, capfd: Captured
) -> None:
    if text is not None:
        write(text, name)
    assert run([verb, name]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith(f"frontrow: {line}")
    assert err.count("\n") == 1


def test_a_method_that_fails_is_one_line_and_status_1_and_the_job_goes_on(tmp_path: Path) -> None:
    deep = "if node == (12, 2**12 + 99): raise ValueError('no such\\nnode')"
    path = write(TREE.replace("depth, number = node", f"depth, number = node\n        {deep}"))
    for _ in range(2):
        done = asked("count", path, "n=16", "--json", "--workers", "2")
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == "frontrow: mine.py, line 15 in children: ValueError: no such node\n"
    [job] = jobs(tmp_path)
    assert (job.state, job.share) == ("failed", None)
    shown = asked("show", job.id)
    assert "error     mine.py, line 15 in children: ValueError: no such node\n" in shown.stdout
    assert "\ngoes on with: frontrow count mine.py n=16 workers=2\n" in shown.stdout
    write(TREE)
    assert asked("count", path, "n=16", "--quiet").returncode == 0
    assert len(jobs(tmp_path)) == 2


@pytest.mark.parametrize(
    ("statement", "line"),
    [
        (
            "import os; os._exit(3)",
            "mine.py: found a worker process that it ended, expected all of them to live",
        ),
        ("raise SystemExit(3)", "mine.py, line 15 in children: SystemExit: 3"),
        ("raise KeyboardInterrupt", "mine.py, line 15 in children: KeyboardInterrupt"),
        ("return [(99,)] * 2**20", "mine.py, line 13 in children: found no end for the node (0, 1)"),
        ("while True: yield node", "mine.py, line 13 in children: found no end for the node (0, 1)"),
    ],
)
def test_whatever_workers_die_of_there_is_one_line(statement: str, line: str) -> None:
    text = TREE.replace("depth, number = node", f"depth, number = node\n        {statement}")
    done = asked("count", write(text), "n=4", "--quiet")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"frontrow: {line}")
    assert done.stderr.count("\n") == 1


def test_what_a_file_prints_never_spoils_the_answer() -> None:
    printing = TREE.replace("depth, number = node", "print('in a method'); depth, number = node")
    printing += "\n    def check(self):\n        print('in check')\n"
    printing += "\n    def summary(self, totals):\n        print('in summary')\n        return totals\n"
    done = asked("count", write(printing + "\nprint('at import')\n"), "n=3", "--json")
    assert json.loads(done.stdout)["values"] == {"solutions": "8"}
    assert done.stderr.count("in a method") >= 15
    left = done.stderr  # processes print at the same time, so lines may be mixed
    for text in ("at import", "in check", "in a method", "in summary"):
        assert text in left
        left = left.replace(text, "")
    assert not left.strip()
    done = asked("problems", "./mine.py", "--json")
    assert json.loads(done.stdout)["name"] == "mine"


def test_what_a_file_writes_past_python_never_spoils_a_list_or_a_check() -> None:
    loud = """
import ctypes, os
libc = ctypes.CDLL(None)
os.write(1, b"import ")
libc.printf(b"c import ")
"""
    spoken = 'os.write(1, b"method "); os.system("echo child"); libc.printf(b"c method ")'
    path = write(loud + TREE.replace("depth, number = node", f"{spoken}; depth, number = node"))
    listed = asked("solutions", path, "n=1", "--format", "csv", "--workers", "1")
    assert (listed.returncode, listed.stdout) == (0, "cell0,cell1\n1,2\n1,3\n")
    checked = asked("check", path, "n=1", "--json")
    assert json.loads(checked.stdout)["holds"]
    for done in (listed, checked):
        assert {"import", "method", "child", "c"} <= set(done.stderr.split())


def test_a_tree_that_never_ends_stops_at_limits_and_goes_on(tmp_path: Path) -> None:
    path = write(ENDLESS)
    nodes = [0]
    for limit in ("2000", "30000"):
        done = asked("count", path, "1000", "--node-limit", limit)
        assert (done.returncode, done.stdout) == (4, "")
        last = done.stderr.splitlines()[-1]
        assert last.startswith(f"frontrow: the limit of {int(limit):,} nodes was reached: ")
        assert last.endswith(" nodes in all; the same command goes on from there")
        nodes.append(jobs(tmp_path)[0].nodes)
    assert nodes == sorted(set(nodes))
    done = asked("count", path, "1000", "--time-limit", "0.4")
    assert (done.returncode, done.stdout) == (4, "")
    assert "the time limit of 0.4 s was reached" in done.stderr
    assert jobs(tmp_path)[0].share is None
    assert "share unknown" in asked("jobs").stdout


@pytest.mark.parametrize("method", ["root", "children"])
def test_a_time_limit_ends_also_what_never_comes_back_from_its_first_node(
    method: str, tmp_path: Path
) -> None:
    tree = TREE.replace("return (0, 1)" if method == "root" else "depth, number = node", "while True: pass")
    done = asked("count", write(tree), "n=3", "--time-limit", "0.5")
    line = "frontrow: the time limit of 0.5 s was reached before counting began; the same command goes on"
    assert (done.returncode, done.stdout, done.stderr.splitlines()[-1]) == (4, "", line)
    assert jobs(tmp_path)[0].state == "interrupted"


def test_an_interrupt_of_the_whole_group_leaves_one_line_and_a_job(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*FRONTROW, "count", write(ENDLESS), "1000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("frontrow: share unknown, "):
            break
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (130, "")
    told = [line for line in err.splitlines() if not line.startswith("frontrow: share unknown, ")]
    assert len(told) == 1
    assert re.fullmatch(
        r"frontrow: interrupted \(share unknown, .* units\); the same command goes on .*", told[0]
    )
    assert jobs(tmp_path)[0].state == "interrupted"


SCRIPT = """
import frontrow
{tree}
{first}
if {condition}:
    print(frontrow.count(Mine(n=4)).values, frontrow.count(__file__, n=5).values)
"""


def test_a_script_counts_its_own_class_under_a_guard() -> None:
    write(SCRIPT.format(tree=TREE, first="", condition='__name__ == "__main__"'))
    done = subprocess.run(
        [sys.executable, "mine.py"], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (done.stdout, done.stderr) == ("{'solutions': 16} {'solutions': 32}\n", "")
    assert asked("count", "./mine.py", "4").stdout.startswith("16 solutions of mine.py n=4")


def test_a_script_without_a_guard_is_told_so_and_starts_no_workers() -> None:
    write(SCRIPT.format(tree=TREE, first='print("once")', condition="True"))
    done = subprocess.run(
        [sys.executable, "mine.py"], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 1
    assert done.stdout == "once\n"
    assert done.stderr.count("Traceback") == 1
    last = "mine.py, line 24: found a question about class Mine outside a guard, expected it under"
    assert last in done.stderr.splitlines()[-1]
    done = asked("count", "./mine.py", "4")
    assert (done.returncode, done.stdout) == (2, "")
    line = "mine.py, line 24: found a call of count while the file is imported, expected it under"
    assert done.stderr.splitlines()[-1].startswith(f"frontrow: {line}")


def test_a_script_without_a_guard_asks_about_files_and_shipped_problems() -> None:
    write(TREE)
    ask = "import frontrow\nprint(frontrow.count({}).values)\n"
    for index, question in enumerate(("'queens', n=4", "'mine.py', n=4")):
        write(ask.format(question), f"script{index}.py")
        done = subprocess.run(
            [sys.executable, f"script{index}.py"],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.stderr == ""
        assert done.stdout.startswith(("{'solutions': 2,", "{'solutions': 16}")[index])


def test_a_class_that_is_typed_is_said_to_belong_into_a_file() -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"import frontrow\n{TREE}\nfrontrow.count(Mine(n=4))"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    last = "found class Mine, typed or made in no file, expected it in a file such as ./mine.py"
    assert last in done.stderr.splitlines()[-1]


# Files to start from, and checks


def test_a_new_file_counts_and_passes_its_checks(capfd: Captured) -> None:
    assert run(["new", "tree", "my-tree.py"]) == 0
    assert capfd.readouterr() == ("wrote my-tree.py; try: frontrow count my-tree.py n=8\n", "")
    assert run(["count", "my-tree.py", "n=8", "-q"]) == 0
    assert capfd.readouterr().out.startswith("92 solutions of my-tree.py n=8\n")
    assert run(["check", "my-tree.py", "n=6"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[-1] == "my-tree.py n=6: all 12 checks hold"
    assert {line.split()[0] for line in lines[:-2]} == {"ok", "-"}


def test_what_a_new_file_leaves_in_comments_works_as_well(capfd: Captured) -> None:
    assert run(["new", "tree", "mine.py", "--json"]) == 0
    assert json.loads(capfd.readouterr().out) == {"written": "mine.py"}
    text = Path("mine.py").read_text(encoding="utf-8")
    before, mark, after = text.partition("    # tallies = ")
    assert mark
    write(before + (mark + after).replace("    # ", "    ").replace("    #\n", "\n"), "more.py")
    assert run(["count", "more.py", "n=6", "-q", "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["values"] == {"solutions": "4", "nodes": "153", "depth": "6"}


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["new", "tree", "taken.py"], "taken.py: found a file already, expected a new name"),
        (["new", "tree", "mine"], "file: found 'mine', expected a name that ends in .py"),
        (["new", "tree", "no/mine.py"], "no/mine.py: No such file or directory, expected a file that can be"),
        (["new", "thing", "mine.py"], "kind: found 'thing', expected tree or graph"),
        (["new", "tree"], "file: found nothing, expected one (see frontrow new --help)"),
        (["check"], "problem: found nothing, expected one (see frontrow check --help)"),
        (["check", "queens"], "n: found nothing, expected an integer from 0 to 64"),
    ],
)
def test_a_mistake_in_a_question_about_files_is_one_line(
    words: list[str], line: str, capfd: Captured
) -> None:
    write("kept = True\n", "taken.py")
    assert run(words) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith(f"frontrow: {line}")
    assert Path("taken.py").read_text(encoding="utf-8") == "kept = True\n"


WRONG = (
    TREE
    + """
    def tally(self, rows, budget, stop):
        from frontrow import Slice
        part = super().tally(rows, budget, stop)
        above = [depth <= 3 and 9 >> 3 - depth == number for depth, number in self.integers(rows).tolist()]
        return Slice((part.counts[0] + any(above),), part.nodes, part.rest)

    def show(self, node):
        return "depth {}\\nnumber {}".format(*node)
"""
)


def test_a_check_that_fails_draws_the_row_and_gives_status_1(capfd: Captured) -> None:
    path = write(WRONG)
    assert run(["check", path, "n=5"]) == 1
    out, err = capfd.readouterr()
    assert err == ""
    at = out.splitlines().index(
        "FAILED  kernel      found (5,) by tally, expected (4,) as by the default walk"
    )
    assert out.splitlines()[at + 1 : at + 3] == ["        depth 3", "        number 9"]
    assert out.splitlines()[-1].startswith("mine.py n=5 workers=2: ")
    assert run(["check", path, "n=5", "--json"]) == 1
    told = json.loads(capfd.readouterr().out)
    assert not told["holds"]
    [kernel] = [each for each in told["checks"] if each["name"] == "kernel"]
    assert (kernel["holds"], kernel["row"]) == (False, "depth 3\nnumber 9")


def test_a_check_of_too_large_a_question_is_refused(capfd: Captured) -> None:
    assert run(["check", write(TREE), "n=20"]) == 2
    assert capfd.readouterr() == (
        "",
        "frontrow: problem mine: found more than 100,000 nodes, expected fewer\n",
    )


# On Ray


@pytest.mark.ray
def test_the_source_of_a_file_is_sent_to_ray(one_ray: None, tmp_path: Path) -> None:
    from frontrow.cluster.ray_engine import RayEngine
    from frontrow.search.errors import ProblemError

    write(TREE)
    with closing(RayEngine(workers=2)) as engine:
        result = count("./mine.py", n=10, engine=engine)
        assert (result.values, result.nodes, result.engine) == ({"solutions": 1024}, 2047, "ray")
        deep = "if node[0] == 8: raise ValueError('too deep')"
        write(TREE.replace("depth, number = node", f"depth, number = node\n        {deep}"))
        with pytest.raises(ProblemError, match=r"^mine\.py, line 15 in children: ValueError: too deep$"):
            count("./mine.py", n=10, engine=engine)
