"""Problems in a person's own file: found, named by digest, and explained when they fail."""

import textwrap

import pytest

from frontrow import UsageError
from frontrow.search import blame, files, registry
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
        (GOOD + "class Two(CountingTree):\n    pass\n", r"found the problems Chain \(line 4\) and Two \(line 16\), expected one"),
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


def test_a_helper_class_that_the_problem_derives_from_is_no_second_problem(tmp_path):
    derived = GOOD + "\nclass Longer(Chain):\n    pass\n"
    assert registry.find(write(tmp_path, derived)).__name__ == "Longer"


def test_files_that_cannot_be_read_are_named(tmp_path):
    with pytest.raises(UsageError, match=r"gone\.py: No such file"):
        registry.find(str(tmp_path / "gone.py"))
    (tmp_path / "latin.py").write_bytes(b"# caf\xe9\n")
    with pytest.raises(UsageError, match="byte 5 that is not UTF-8"):
        registry.find(str(tmp_path / "latin.py"))


def test_a_failure_in_a_method_is_explained_without_our_frames(tmp_path):
    kind = registry.find(write(tmp_path, GOOD.replace("node[0] + 1", "node[0] // 0")))
    with pytest.raises(ZeroDivisionError) as failure:
        kind(n=3).children((1,))
    assert blame.explain(failure.value, kind).startswith("mine.py, line 12 in children: ZeroDivisionError:")


def test_a_class_from_elsewhere_has_no_source_to_send():
    problem = registry.find("queens")
    assert files.origin(problem) == ("", "")

    class Stray(problem):
        pass

    with pytest.raises(UsageError, match="expected one of a file such as"):
        files.origin(Stray)
