"""Whatever a person's own file does wrong while it is counted is told by the file's own line."""

import json
import textwrap

import pytest

from frontrow import FrontrowError, ProblemError, UsageError, count, estimate, solutions
from frontrow.cluster.store import Store
from frontrow.search.own import checks
from frontrow.search.own.files import find
from frontrow.workers.local import LocalEngine

ROWS = """
import numpy as np
from frontrow import CountingTree, Slice, UsageError, parameter

class Mine(CountingTree):
    n: int
    words = 1

    def initial(self):
        return np.zeros((1, 1), np.uint64)

    def expand(self, rows):
        parents = np.repeat(np.flatnonzero(rows[:, 0] < self.n), 2)
        return rows[parents] + np.uint64(1), parents

    def is_solution(self, rows):
        return rows[:, 0] == self.n

"""
NODES = """
from frontrow import CountingTree

class Mine(CountingTree):
    n: int
    cells, bits = 9, 3

    def children(self, node):
        return [(*node, 0), (*node, 1)] if len(node) < self.n else []

    def is_solution(self, node):
        return len(node) == self.n

"""


def failure(tmp_path, monkeypatch, text, n=4):
    """How counting a file fails, and what the ledger says of the job."""
    monkeypatch.setenv("FRONTROW_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "mine.py"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FrontrowError) as caught:
        count(str(path), n=n, engine=LocalEngine(1), store=tmp_path)
    with Store.open(tmp_path) as ledger:
        rows = ledger.jobs()
    return caught.value, rows[0] if rows else None


IN_A_RUN = [
    ("split", "", "return None", "found the NoneType None, expected uint64 of shape (k, 1)"),
    ("split", "", "return {}[1]", "KeyError: 1"),
    ("cost", "rows", "return [1]", "found the list [1], expected integers of shape (1,)"),
    ("cost", "rows", "return rows[:, 0] / 2", "found float64 of shape (1,), expected integers of shape (1,)"),
    ("cost", "rows", "raise MemoryError", "MemoryError"),
    ("summary", "totals", "return totals['x']", "KeyError: 'x'"),
    ("summary", "totals", "return {'a': 0.5}", "found {'a': 0.5}, expected a dict of names and integers"),
    ("summary", "", "return {}", "TypeError: Mine.summary() takes 1 positional argument but 2 were given"),
    ("is_solution", "rows", "return True", "found the bool True, expected bool of shape (1,)"),
    ("is_solution", "rows", "return rows[:, 0]", "found uint64 of shape (1,), expected bool of shape (1,)"),
    ("is_solution", "rows", "return rows == 1", "found bool of shape (1, 1), expected bool of shape (1,)"),
    (
        "expand",
        "rows",
        "return rows",
        "found uint64 of shape (1, 1), expected children and each one's parent",
    ),
    (
        "expand",
        "rows",
        "return rows, None",
        "found the parents the NoneType None, expected integers of shape (1,)",
    ),
    (
        "expand",
        "rows",
        "return rows, np.array([7])",
        "found the parents [7], expected rising integers from 0 to 0",
    ),
    (
        "expand",
        "rows",
        "return rows.astype(int), 0",
        "found int64 of shape (1, 1), expected uint64 of shape (k, 1)",
    ),
    ("measure", "rows", "return rows[:, 0]", "found uint64 of shape (1,), expected integers of shape (1, 1)"),
    ("measure", "rows", "return ~rows * 1", "found 18446744073709551615, expected integers below 2^63"),
    ("tally", "rows, budget, stop", "return 5", "found the int 5, expected a Slice"),
    (
        "tally",
        "rows, budget, stop",
        "return Slice((1, 2), 1, rows[:0])",
        "found the counts (1, 2) and 1 nodes",
    ),
    (
        "tally",
        "rows, budget, stop",
        "return Slice((.5,), 1, rows[:0])",
        "found the float 0.5 for count 0 (solutions), expected an integer",
    ),
    (
        "tally",
        "rows, budget, stop",
        "return Slice((1,), 1.0, rows[:0])",
        "found the float 1.0 for nodes, expected an integer",
    ),
    (
        "tally",
        "rows, budget, stop",
        "return Slice(1, 1, rows[:0])",
        "found the int 1, expected 1 counts",
    ),
    (
        "tally",
        "rows, budget, stop",
        "return Slice((1,), 0, rows)",
        "found 1 rows left, expected at least one node",
    ),
    (
        "tally",
        "rows, budget, stop",
        "return Slice((1,), 1, 7)",
        "found the int 7, expected uint64 of shape (k, 1)",
    ),
    ("tally", "rows", "return 5", "TypeError: Mine.tally() takes 2 positional arguments but 4 were given"),
    ("warm", "", "raise SystemExit(3)", "SystemExit: 3"),
    ("warm", "", "raise UnicodeError('a\\nb')", "UnicodeError: a b"),
]


@pytest.mark.parametrize(("name", "arguments", "body", "told"), IN_A_RUN)
def test_a_wrong_method_on_rows_is_told_by_its_line(tmp_path, monkeypatch, name, arguments, body, told):
    text = f"{ROWS}    def {name}({', '.join(filter(None, ('self', arguments)))}):\n        {body}\n"
    error, job = failure(tmp_path, monkeypatch, text)
    own = told[0].isupper() and "takes" not in told  # raised in the method's body, one line further down
    assert str(error).startswith(f"mine.py, line {19 + own} in {name}: {told}")
    assert isinstance(error, ProblemError)
    assert error.exit_status == 1
    assert (job.state, job.error) == ("failed", str(error))


@pytest.mark.parametrize(
    ("name", "body", "told"),
    [
        (
            "children",
            "return [[0]]",
            "found the node [0], expected a tuple of at most 9 integers from 0 to 7",
        ),
        (
            "children",
            "return [(8,)]",
            "found the node (8,), expected a tuple of at most 9 integers from 0 to 7",
        ),
        ("children", "return [(-1,)]", "found the node (-1,), expected"),
        ("children", "return [(.5,)]", "found the node (0.5,), expected"),
        ("children", "return [('a',)]", "found the node ('a',), expected"),
        ("children", "return [(1 << 70,)]", "found the node (1180591620717411303424,), expected"),
        ("children", "return [((1, 2), 3)]", "found the node ((1, 2), 3), expected"),
        ("children", "return [(0,) * 10]", "found the node (0, 0, 0, 0, 0, 0, 0, 0, 0, 0), expected"),
        ("children", "return [*node, 5]", "found the node 5, expected"),
        ("children", "return None", "found 'NoneType' object is not iterable, expected tuples of integers"),
        ("children", "return (len(node) for x in y)", "NameError: name 'y' is not defined"),
        ("children", "yield from 5", "TypeError: 'int' object is not iterable"),
        ("is_solution", "pass", "found None, expected True or False"),
        ("is_solution", "return node[0]", "IndexError: tuple index out of range"),
        (
            "is_solution",
            "import numpy; return numpy.ones(2)",
            "found array([1., 1.]), expected True or False",
        ),
        ("measure_node", "return 1, 2", "found (1, 2), expected one integer each for solutions"),
        ("measure_node", "return 1", "found 1, expected one integer each for solutions"),
        ("measure_node", "return ('a',)", "found 'a', expected an integer"),
        ("measure_node", "return (.5,)", "found 0.5, expected an integer"),
    ],
)
def test_a_wrong_method_on_tuples_is_told_by_its_line(tmp_path, monkeypatch, name, body, told):
    error, job = failure(tmp_path, monkeypatch, f"{NODES}    def {name}(self, node):\n        {body}\n")
    own = "Error:" in told
    assert str(error).startswith(f"mine.py, line {14 + own} in {name}: {told}")
    assert isinstance(error, ProblemError)
    assert (job.state, job.error) == ("failed", str(error))


@pytest.mark.parametrize(
    ("begun", "method", "body", "told"),
    [
        (NODES, "root", "return 5", "line 14 in root: found the node 5, expected a tuple"),
        (NODES, "root", "1 // 0", "line 15 in root: ZeroDivisionError"),
        (ROWS, "initial", "1 // 0", "line 20 in initial: ZeroDivisionError"),
        (
            ROWS,
            "initial",
            "return [[0]]",
            "line 19 in initial: found the list [[0]], expected uint64 of shape (k, 1)",
        ),
        (
            ROWS,
            "initial",
            "return np.zeros((1, 1))",
            "line 19 in initial: found float64 of shape (1, 1), expected uint64 of shape (k, 1)",
        ),
    ],
)
def test_a_wrong_root_is_a_matter_of_usage_whatever_is_asked(
    tmp_path, monkeypatch, begun, method, body, told
):
    error, job = failure(tmp_path, monkeypatch, f"{begun}    def {method}(self):\n        {body}\n")
    assert (job.state, job.error) == ("failed", str(error))
    path = str(tmp_path / "mine.py")
    with pytest.raises(FrontrowError) as in_a_list:
        list(solutions(path, n=4))
    with pytest.raises(FrontrowError) as in_an_estimate:
        estimate(path, n=4)
    with pytest.raises(FrontrowError) as in_a_check:
        list(checks.run(find(path)(n=4)))
    for raised in (error, in_a_list.value, in_an_estimate.value, in_a_check.value):
        assert str(raised).startswith(f"mine.py, {told}")
        assert raised.exit_status == 2


def test_a_tree_on_tuples_that_draws_rows_is_told_of_show(tmp_path, monkeypatch):
    text = f"{NODES}    def render(self, row):\n        return 'x'\n"
    error, job = failure(tmp_path, monkeypatch, text)
    assert str(error).startswith("mine.py, line 14 in render: found it beside children, expected show")
    assert (error.exit_status, job) == (2, None)


@pytest.mark.parametrize(
    ("attribute", "told"),
    [
        ("words = 0", "class Mine: words: found 0, expected an integer from 1"),
        ("words = 'a'", "class Mine: words: found 'a', expected an integer from 1"),
        ("words = 2", "line 9 in initial: found uint64 of shape (1, 1), expected uint64 of shape (k, 2)"),
        ("words = property(lambda self: 1 // 0)", "line 19: ZeroDivisionError: integer division"),
        ("kernel = property(lambda self: 1 // 0)", "line 19: ZeroDivisionError: integer division"),
    ],
)
def test_wrong_attributes_on_rows_are_told(tmp_path, monkeypatch, attribute, told):
    error, _ = failure(tmp_path, monkeypatch, f"{ROWS}    {attribute}\n")
    assert told in str(error)


@pytest.mark.parametrize(
    ("attribute", "told"),
    [
        ("bits = 64", "class Mine: bits: found 64, expected an integer from 1 to 63"),
        ("bits = 'a'", "class Mine: bits: found 'a', expected an integer from 1 to 63"),
        ("cells = -1", "class Mine: cells: found -1, expected an integer from 1 to 65536"),
        ("cells = property(lambda self: 2.5)", "line 14 in cells: found 2.5, expected an integer"),
    ],
)
def test_wrong_attributes_on_tuples_are_told(tmp_path, monkeypatch, attribute, told):
    error, _ = failure(tmp_path, monkeypatch, f"{NODES}    {attribute}\n")
    assert told in str(error)


@pytest.mark.parametrize(
    ("name", "body", "told"),
    [
        ("settle", "return 1 // 0", "mine.py, line 20 in settle: ZeroDivisionError"),
        ("settle", "pass", "settle: found None, expected the problem or one like it"),
        ("check", "raise KeyError('k')", "mine.py, line 20 in check: KeyError: 'k'"),
        ("check", "raise UsageError('n: found 4, expected 5')", "n: found 4, expected 5"),
        (
            "__init__",
            "1 // 0",
            "mine.py, line 19 in __init__: TypeError: Mine.__init__() got an unexpected keyword",
        ),
        ("__post_init__", "1 // 0", "mine.py, line 20 in __post_init__: ZeroDivisionError"),
    ],
)
def test_what_fails_before_a_run_is_a_matter_of_usage(tmp_path, monkeypatch, name, body, told):
    error, job = failure(tmp_path, monkeypatch, f"{ROWS}    def {name}(self):\n        {body}\n")
    assert str(error).startswith(told)
    assert isinstance(error, UsageError)
    assert job is None


def test_a_failure_deep_in_a_tree_leaves_a_job_that_goes_on(tmp_path, monkeypatch):
    flag = tmp_path / "repaired"
    text = textwrap.dedent(f"""
        from pathlib import Path
        from frontrow import CountingTree

        class Mine(CountingTree):
            n: int
            cells, bits = 2, 40

            def root(self):
                return (0, 0)

            def children(self, node):
                depth, number = node
                if (depth, number) == (13, 7777) and not Path({json.dumps(str(flag))}).exists():
                    raise OSError(2, "No such file or directory", "{flag.name}")
                return [(depth + 1, 2 * number + side) for side in (0, 1)] if depth < self.n else []

            def is_solution(self, node):
                return node[0] == self.n
    """)
    error, job = failure(tmp_path, monkeypatch, text, n=15)
    assert str(error).startswith("mine.py, line 15 in children: FileNotFoundError: [Errno 2] No such file")
    assert job.units_done > 0
    flag.touch()
    result = count(str(tmp_path / "mine.py"), n=15, engine=LocalEngine(1), store=tmp_path)
    assert (result.values["solutions"], result.nodes, result.job) == (2**15, 2**16 - 1, job.id)
    assert result.resumed == job.units_done


def test_long_messages_are_cut(tmp_path, monkeypatch):
    error, _ = failure(
        tmp_path, monkeypatch, f"{ROWS}    def split(self):\n        raise ValueError('x' * 9999)\n"
    )
    assert len(str(error)) < 500


def test_solutions_that_python_takes_as_true_are_true(tmp_path, monkeypatch):
    monkeypatch.setenv("FRONTROW_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "mine.py"
    path.write_text(
        f"{NODES}    def is_solution(self, node):\n        return node and node[-1] * 7\n", "utf-8"
    )
    assert count(str(path), n=3, engine=LocalEngine(1), store=tmp_path).values == {"solutions": 7}
