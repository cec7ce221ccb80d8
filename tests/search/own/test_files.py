"""Problems in a person's own file: found, named by digest, and explained when they fail."""

import importlib.util
import os
import sys
import textwrap

import pytest

from frontrow import ProblemError, UsageError
from frontrow.search import registry
from frontrow.search.own import blame, files
from frontrow.search.own.blame import explained
from frontrow.search.registry import ProblemRef

GOOD = textwrap.dedent("""
    from frontrow import CountingTree

    class Chain(CountingTree):
        n: int
        cells, bits = 1, 20

        def root(self):
            return (0,)

        def children(self, node):
            return [(node[0] + 1,)] if node[0] < self.n else []

        def is_solution(self, node):
            return node[0] == self.n
""")


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FRONTROW_CACHE", str(tmp_path / "cache"))


def write(tmp_path, text, name="mine.py"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_file_with_one_problem_is_found_by_its_path(tmp_path):
    found = registry.find(write(tmp_path, GOOD))
    assert (found.name, list(found.parameters())) == ("chain", ["n"])


def test_a_reference_carries_the_source_and_makes_an_equal_problem(tmp_path):
    path = write(tmp_path, GOOD)
    problem = registry.find(path)(n=3)
    ref = ProblemRef.of(problem)
    assert (ref.source, ref.file) == (GOOD, "mine.py")
    (tmp_path / "mine.py").unlink()
    assert ref.load() == problem


def test_an_edit_makes_another_problem(tmp_path):
    one = ProblemRef.of(registry.find(write(tmp_path, GOOD))(n=3))
    two = ProblemRef.of(registry.find(write(tmp_path, GOOD + "\n# edited\n"))(n=3))
    assert one != two


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("x = 1\ny = 1 // 0\n", r"^mine\.py, line 2: ZeroDivisionError"),
        ("def f(:\n    pass\n", r"^mine\.py, line 1: SyntaxError"),
        ("import nowhere\n", r"^mine\.py, line 1: ModuleNotFoundError: No module named 'nowhere'"),
        ("x = 1\n", r"^mine\.py: found no problem, expected one"),
        (
            GOOD + "class Two(CountingTree):\n    pass\n",
            r"found the problems Chain \(line 4\) and Two \(line 16\), expected one",
        ),
        (
            "from frontrow import Problem\nclass P(Problem):\n    pass\n",
            "class P: found no initial, render, words",
        ),
        (
            "from frontrow import Problem\nclass P(Problem):\n    x: float\n",
            r"^mine\.py, line 2: class P: x: found type float, expected int, str",
        ),
    ],
)
def test_a_bad_file_is_explained_by_its_own_name_and_line(tmp_path, text, match):
    with pytest.raises(UsageError, match=match):
        registry.find(write(tmp_path, text))


HEAD = "from frontrow import Countable, CountingTree, parameter\n"
TREE = "class P(CountingTree):\n    n: int\n"
NODES = "    cells, bits = 2, 5\n    def children(self, node):\n        return []\n"
ANSWER = "    def is_solution(self, node):\n        return True\n"
ROWS = "    def expand(self, rows):\n        return rows[:0], rows[:0, 0]\n"


@pytest.mark.parametrize(
    ("body", "match"),
    [
        (TREE, "found neither children nor expand, expected one of them"),
        (TREE + NODES, "found no is_solution, expected it"),
        (TREE + NODES.replace("cells, bits = 2, 5", "cells = 2") + ANSWER, "found no bits, expected both"),
        (
            TREE + NODES.replace("cells, bits = 2, 5", "x = 2") + ANSWER,
            "found no bits and no cells, expected",
        ),
        (TREE + ROWS + ANSWER, "found no initial and no words, expected them beside expand"),
        (TREE + NODES + ANSWER + "    tallies = 'ab'\n", "tallies: found 'ab', expected a tuple of words"),
        (TREE + NODES + ANSWER + "    tallies = ()\n", r"tallies: found \(\), expected a tuple of words"),
        (TREE + NODES + ANSWER + "    tallies = ('a', 'a')\n", "tallies: found .*, expected each name once"),
        (TREE + NODES + ANSWER + "    tallies = ('a', 'b')\n", "found the tallies a, b and no measure_node"),
        (TREE + NODES + ANSWER + "    maxima = ('b',)\n", "maxima: found .*expected some of the tallies"),
        (TREE + NODES + ANSWER + "    maxima = 'solutions'\n", "maxima: found 'solutions', expected a tuple"),
        (TREE + NODES + ANSWER + "    examples = '5'\n", "examples: found '5', expected a tuple of words"),
        (TREE + NODES + ANSWER + "    version = '2'\n", "version: found '2', expected an integer from 1"),
        (TREE + NODES + ANSWER + "    unit_floor = 0\n", "unit_floor: found 0, expected an integer from 1"),
        (TREE + NODES + ANSWER + "    name = 5\n", "name: found 5, expected a text"),
        (TREE + NODES + ANSWER + "    labels = 'x'\n", "labels: found 'x', expected a dict"),
        (TREE + "    kernel: int\n" + NODES + ANSWER, "kernel: found a parameter, expected another name"),
        (
            TREE + "    version: int = 2\n" + NODES + ANSWER,
            "version: found a parameter, expected another name",
        ),
        (
            "class P(Countable):\n    n: int\n",
            "found no cost, initial, render, split, tally, words, expected it",
        ),
    ],
)
def test_a_class_that_cannot_work_is_refused_when_it_is_loaded(tmp_path, body, match):
    with pytest.raises(UsageError, match=rf"^mine\.py, line \d+: class P: {match}"):
        registry.find(write(tmp_path, HEAD + body))


@pytest.mark.parametrize(
    ("sizes", "match"),
    [
        ("0, 5", "cells: found 0, expected an integer from 1 to 65536"),
        ("-1, 5", "cells: found -1, expected"),
        ("'3', 5", "cells: found '3', expected"),
        ("True, 5", "cells: found True, expected"),
        ("3, 0", "bits: found 0, expected an integer from 1 to 63"),
        ("3, 65", "bits: found 65, expected"),
        ("3, 3.5", "bits: found 3.5, expected"),
    ],
)
def test_sizes_that_are_none_are_refused_with_their_line(tmp_path, sizes, match):
    body = TREE + NODES.replace("cells, bits = 2, 5", f"cells, bits = {sizes}") + ANSWER
    with pytest.raises(UsageError, match=rf"^mine\.py, line 4: class P: {match}"):
        registry.find(write(tmp_path, HEAD + body))


def test_a_size_of_rows_that_is_none_is_refused_with_its_line(tmp_path):
    body = TREE + ROWS + "    words = 0\n    def initial(self):\n        return None\n" + ANSWER
    with pytest.raises(
        UsageError, match=r"^mine\.py, line 6: class P: words: found 0, expected an integer from 1"
    ):
        registry.find(write(tmp_path, HEAD + body))


def test_sizes_that_follow_from_parameters_are_refused_before_anything_is_counted(tmp_path):
    cells = "    bits = 4\n    @property\n    def cells(self):\n        return self.n\n"
    found = registry.find(write(tmp_path, HEAD + TREE + cells + NODES.partition("\n")[2] + ANSWER))
    with pytest.raises(UsageError, match=r"^mine\.py, line 5 in cells: found -1, expected an integer from 0"):
        found(n=-1)


def test_a_pipe_and_a_device_are_no_files_to_read(tmp_path):
    os.mkfifo(tmp_path / "pipe.py")
    for path, what in (
        (str(tmp_path / "pipe.py"), "a pipe"),
        ("/dev/zero", "a device"),
        (f"{tmp_path}/", "a folder"),
    ):
        with pytest.raises(
            UsageError, match=f"{path}: found {what}, expected a Python file with one problem"
        ):
            registry.find(path)


def test_an_interrupt_is_the_fault_of_a_file_only_if_the_file_raises_it(tmp_path):
    raising = GOOD.replace("return node[0] ==", "raise KeyboardInterrupt\n        return node[0] ==")
    problem = registry.find(write(tmp_path, raising))(n=3)
    with (
        pytest.raises(ProblemError, match=r"^mine\.py, line 15 in is_solution: KeyboardInterrupt$"),
        explained(problem),
    ):
        problem.is_solution((0,))
    calling = GOOD.replace(
        "return node[0] ==", "signal.raise_signal(signal.SIGINT)\n        return node[0] =="
    )
    problem = registry.find(write(tmp_path, f"import signal\n{calling}", "other.py"))(n=3)
    with pytest.raises(KeyboardInterrupt), explained(problem):
        problem.is_solution((0,))
    with pytest.raises(UsageError, match=r"^at\.py, line 1: KeyboardInterrupt$"):
        registry.find(write(tmp_path, "raise KeyboardInterrupt\n", "at.py"))


def test_a_file_imported_anew_remembers_nothing(tmp_path):
    keeping = GOOD + "\n    seen = []\n"
    problem = registry.find(write(tmp_path, keeping))(n=3)
    problem.seen.append(1)
    again = files.load_again(problem)
    assert (again.n, again.seen, problem.seen) == (3, [], [1])
    assert sys.modules[type(problem).__module__].Chain is type(problem)


def test_cells_may_be_a_property(tmp_path):
    cells = "    bits = 4\n    @property\n    def cells(self):\n        return self.n\n"
    found = registry.find(write(tmp_path, HEAD + TREE + cells + NODES.partition("\n")[2] + ANSWER))
    assert (found(n=1).words, found(n=30).words) == (1, 3)


def test_annotations_may_be_texts(tmp_path):
    path = write(tmp_path, "from __future__ import annotations\n" + GOOD)
    assert registry.find(path)(n=" 4 ").n == 4


def test_a_helper_class_that_the_problem_derives_from_is_no_second_problem(tmp_path):
    derived = GOOD + "\nclass Longer(Chain):\n    pass\n"
    assert registry.find(write(tmp_path, derived)).__name__ == "Longer"


def test_files_that_cannot_be_read_are_named(tmp_path):
    with pytest.raises(UsageError, match=r"gone\.py: No such file"):
        registry.find(str(tmp_path / "gone.py"))
    (tmp_path / "latin.py").write_bytes(b"# caf\xe9\n")
    with pytest.raises(UsageError, match="byte 5 that is not UTF-8"):
        registry.find(str(tmp_path / "latin.py"))


def test_windows_line_ends_and_a_byte_order_mark_make_no_other_source(tmp_path):
    plain = ProblemRef.of(registry.find(write(tmp_path, GOOD))(n=3))
    (tmp_path / "mine.py").write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert ProblemRef.of(registry.find(str(tmp_path / "mine.py"))(n=3)) == plain


def test_a_path_may_begin_with_the_home_folder_and_have_blanks_and_any_letters(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    write(tmp_path, GOOD, "mein schöner Baum.py")
    assert registry.find("~/mein schöner Baum.py").name == "chain"
    with pytest.raises(UsageError, match="expected a Python file with one problem"):
        registry.find("~nobody-of-that-name/mine.py")


def test_a_file_that_ends_the_program_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"^mine\.py, line 2: SystemExit: 0$"):
        registry.find(write(tmp_path, "import sys\nsys.exit(0)\n"))


def test_what_a_file_prints_is_kept_off_stdout(tmp_path, capsys):
    registry.find(write(tmp_path, "print('hello')\n" + GOOD))
    assert capsys.readouterr() == ("", "hello\n")


def test_a_file_is_imported_once_a_process(tmp_path, capsys):
    path = write(tmp_path, "print('once')\n" + GOOD)
    assert registry.find(path) is registry.find(path)
    assert capsys.readouterr().err == "once\n"


def test_a_copy_that_somebody_changed_is_not_what_is_run(tmp_path):
    source = GOOD + "\n# this one\n"
    path = files._written(source, files._module_name(source, "mine.py")[-12:], "mine.py")
    path.write_text("1 // 0\n", encoding="utf-8")
    assert registry.find(write(tmp_path, source)).name == "chain"
    assert path.read_text(encoding="utf-8") == source


def test_copies_of_old_states_of_files_go(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "KEPT", 3)
    for number in range(6):
        registry.find(write(tmp_path, f"{GOOD}\n# state {number}\n"))
    assert len(list((tmp_path / "cache" / "sources").iterdir())) == 4


@pytest.mark.parametrize("statement", ["import helper", "from helper import thing", "import helper.deeper"])
@pytest.mark.parametrize("reachable", [False, True])
def test_a_neighbour_cannot_be_imported(tmp_path, monkeypatch, statement, reachable):
    (tmp_path / "helper").mkdir()
    write(tmp_path / "helper", "thing = 1\n", "__init__.py")
    write(tmp_path / "helper", "", "deeper.py")
    if reachable:
        monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(
        UsageError, match=r"^mine\.py, line 1: .*found helper beside the file, expected all in"
    ):
        registry.find(write(tmp_path, statement + GOOD))
    sys.modules.pop("helper", None)
    sys.modules.pop("helper.deeper", None)


def test_a_file_may_lie_beside_frontrow_itself(tmp_path, monkeypatch):
    import frontrow

    monkeypatch.setattr(frontrow.__spec__, "origin", str(tmp_path / "frontrow" / "__init__.py"))
    assert registry.find(write(tmp_path, GOOD)).name == "chain"


def test_a_parameter_has_to_come_back_from_what_is_stored(tmp_path):
    for parse, match in (
        ("lambda text: int(text.split()[0])", "n: found 5, which cannot be kept and read again"),
        ("set", "n: found {'5'}, which cannot be kept and read again"),
        ("lambda value: int(value) + 1", "n: found 6 read again as 7, expected the same value"),
    ):
        text = GOOD.replace("n: int", f"n: int = parameter(parse={parse}, help='')")
        problem = registry.find(write(tmp_path, "from frontrow import parameter" + text))(n="5")
        with pytest.raises(UsageError, match=match):
            ProblemRef.of(problem)


def test_a_failure_in_a_method_is_explained_without_our_frames(tmp_path):
    kind = registry.find(write(tmp_path, GOOD.replace("node[0] + 1", "node[0] // 0")))
    with pytest.raises(ZeroDivisionError) as failure:
        kind(n=3).children((1,))
    assert blame.explain(failure.value, kind).startswith("mine.py, line 12 in children: ZeroDivisionError:")


def script(tmp_path, text):
    """A module as a script that runs has it."""
    spec = importlib.util.spec_from_file_location("a_script_that_runs", write(tmp_path, text))
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_a_class_of_a_script_is_found_in_the_script(tmp_path):
    problem = script(tmp_path, GOOD).Chain(n=3)
    ref = ProblemRef.of(problem)
    assert (ref.source, ref.file, ref.values) == (GOOD, "mine.py", '{"n":3}')
    assert type(ref.load()) is registry.find(str(tmp_path / "mine.py"))


def test_a_script_of_another_problem_is_refused(tmp_path):
    module = script(tmp_path, GOOD)
    write(tmp_path, GOOD.replace("Chain", "Chains"))
    with pytest.raises(UsageError, match=r"mine\.py: found class Chains, expected Chain"):
        ProblemRef.of(module.Chain(n=3))


@pytest.mark.parametrize("call", ["frontrow.count(Chain(n=3))", "next(frontrow.solutions(__file__, n=3))"])
def test_a_question_asked_while_the_file_is_imported_is_refused(tmp_path, call):
    with pytest.raises(
        UsageError, match=r"^mine\.py, line 16: found a call of .* expected it under `if __name"
    ):
        registry.find(write(tmp_path, f"import frontrow{GOOD}{call}\n"))
    assert not files.importing()


def test_a_class_from_elsewhere_has_no_source_to_send():
    problem = registry.find("queens")
    assert files.origin(problem) == ("", "")

    class Stray(problem):
        pass

    with pytest.raises(UsageError, match="expected one at the top of a file such as"):
        files.origin(Stray)
