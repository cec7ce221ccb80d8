import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontrow.search.errors import StoppedError
from frontrow.search.problems.queens import Queens
from frontrow.search.queens import board, counting, plan, scalar, small, turned
from frontrow.search.queens.split import centre_out
from frontrow.search.rows import HAND_BACK, new_stop
from tests.search.queens_support import one_solution, random_boards, tally


def _count(kernel, boards, weights):
    boards, weights = boards[board.group(boards < 0, weights)], weights[board.group(boards < 0, weights)]
    counts, nodes = kernel(boards, weights, centre_out(boards.shape[1]), new_stop())
    return counts.tolist(), nodes


def _weights(count):
    return np.arange(count) % 3 + 1


@settings(deadline=None, max_examples=40)
@given(n=st.integers(4, 11), freed=st.integers(0, 8), count=st.integers(1, 6), seed=st.integers(0, 2**32))
def test_numpy_and_scalar_kernels_count_the_same_completions_and_nodes(n, freed, count, seed):
    boards = random_boards(n, min(freed, n), count, seed)
    assert _count(small.tally_boards, boards, _weights(count)) == _count(
        scalar.tally_boards, boards, _weights(count)
    )


@pytest.mark.jit
@settings(deadline=None, max_examples=60)
@given(n=st.integers(4, 32), freed=st.integers(3, 11), count=st.integers(1, 80), seed=st.integers(0, 2**32))
def test_lanes_and_scalar_kernels_count_the_same_completions_and_nodes(n, freed, count, seed):
    from frontrow.search.queens import lanes

    boards = random_boards(n, min(freed, n), count, seed)
    boards = boards[~plan.has_gap(boards, board.ALL)]
    weights = _weights(boards.shape[0])
    assert _count(lanes.tally_boards, boards, weights) == _count(scalar.tally_boards, boards, weights)


@pytest.mark.jit
@pytest.mark.parametrize("n", [*range(3, 13), 14])
def test_lanes_count_whole_boards_without_any_symmetry(n):
    from frontrow.search.queens import lanes

    empty, one = np.full((1, n), -1, np.int8), np.ones(1, np.int64)
    assert _count(lanes.tally_boards, empty, one) == _count(scalar.tally_boards, empty, one)


@pytest.mark.jit
@pytest.mark.parametrize(("n", "freed"), [(8, 2), (17, 17), (40, 33)])
def test_boards_that_do_not_fit_a_lane_are_refused(n, freed):
    from frontrow.search.queens import lanes

    boards = np.full((1, n), -1, np.int8)
    boards[0, freed:] = one_solution(n)[freed:]
    with pytest.raises(ValueError, match=f"found {freed} to {freed} free rows, expected 3 to"):
        lanes.tally_boards(boards, np.ones(1, np.int64), centre_out(n), new_stop())


@pytest.mark.jit
@pytest.mark.parametrize("n", [*range(14), 15])
def test_lanes_and_scalar_methods_report_the_same_nodes(n):
    by_lanes, by_scalar = tally(Queens(n, method="lanes")), tally(Queens(n, method="scalar"))
    assert by_lanes.counts == by_scalar.counts
    assert by_lanes.nodes == by_scalar.nodes


@pytest.mark.jit
@pytest.mark.parametrize("n", [18, 19, 21, 22, 23, 24])
def test_lanes_and_scalar_methods_agree_on_parts_of_large_boards(n):
    rows = Queens(n, method="lanes").split()
    cells = board.to_cells(rows[:: rows.shape[0] // 3][:3], n)
    columns = cells[:, 1:]
    for line in centre_out(n)[: n - 12]:  # down to trees of a moment
        free = columns[:, line] == 0
        cells = np.concatenate([cells[~free], board.fill(cells, np.where(free, line, -1))[0][:40:13]])
        columns = cells[:, 1:]
    part = board.to_rows(cells)
    by_lanes, by_scalar = (tally(Queens(n, method=method), part) for method in ("lanes", "scalar"))
    assert by_lanes.counts == by_scalar.counts
    assert by_lanes.nodes == by_scalar.nodes
    assert by_lanes.nodes > 0


@pytest.mark.parametrize("kind", [board.HALF_TURN, board.QUARTER_TURN])
@pytest.mark.parametrize("n", [*range(1, 9), pytest.param(13, marks=pytest.mark.jit)])
def test_both_ways_to_count_turned_boards_agree(n, kind):
    empty, one = np.full((1, n), -1, np.int8), np.ones(1, np.int64)
    lines, stop = centre_out(n), new_stop()
    fast, _ = turned.tally_boards(kind, empty, one, lines, stop)
    slow, _ = small.tally_turned(kind, empty, one, lines, stop)
    assert fast.tolist() == slow.tolist()


@pytest.mark.parametrize("n", [6, 18, 40])
def test_filling_a_line_gives_the_boards_that_the_default_gives(n):
    boards = random_boards(n, min(n, 5), 8, seed=n)
    lines = centre_out(n)
    children, parents = plan.expand(boards, board.ALL)
    low, high = plan.gap(n)
    expected = []
    for index, one in enumerate(boards):
        wide = [c for c in lines if low <= c < high and c not in one]
        rows = [r for r in lines if one[r] < 0]
        squares = [(r, wide[0]) for r in rows] if wide else [(rows[0], c) for c in range(n)]
        for r, c in sorted(squares):
            if not any(board.attacks((r, c), (o, one[o])) for o in range(n) if one[o] >= 0):
                child = one.copy()
                child[r] = c
                expected.append((index, child.tolist()))
    assert list(zip(parents.tolist(), children.tolist(), strict=True)) == expected


def test_predictions_use_integers_only():
    boards = random_boards(20, 9, 50, seed=1)
    costs = plan.predict(boards, board.ALL)
    assert costs.dtype == np.int64
    assert costs.min() >= 1


def _stopped_from_outside(monkeypatch, module, name, problem, rows):
    """Raise the flag from this thread once the other one is about to enter the kernel."""
    entered, outcome, stop = threading.Event(), [], new_stop()
    kernel = getattr(module, name)

    def enter(*args):
        entered.set()
        return kernel(*args)

    def run():
        try:
            problem.tally(rows, None, stop)
            outcome.append("finished")
        except StoppedError:
            outcome.append("stopped")

    monkeypatch.setattr(module, name, enter)
    thread = threading.Thread(target=run)
    thread.start()
    assert entered.wait(60)
    stop[0] = 1
    thread.join(60)
    return outcome


@pytest.mark.jit
@pytest.mark.parametrize("method", ["lanes", "scalar"])
def test_a_flag_raised_by_another_thread_stops_a_kernel(monkeypatch, method):
    from frontrow.search.queens import lanes

    module, name = {"lanes": (lanes, "_count_boards"), "scalar": (scalar, "count_boards")}[method]
    monkeypatch.setattr(plan, "PIECE", plan.HIGHEST)
    problem = Queens(28, method=method)
    rows = problem.split()[:1]
    assert _stopped_from_outside(monkeypatch, module, name, problem, rows) == ["stopped"]


@pytest.mark.jit
def test_a_flag_raised_by_another_thread_stops_the_kernel_of_turned_boards(monkeypatch):
    monkeypatch.setattr(plan, "PIECE", plan.HIGHEST)
    problem = Queens(48)
    cells = board.root(48, board.HALF_TURN, ())
    rows = board.to_rows(cells)
    assert _stopped_from_outside(monkeypatch, turned, "_count_boards", problem, rows) == ["stopped"]


@pytest.mark.jit
@pytest.mark.parametrize("kind", board.KINDS)
@pytest.mark.parametrize("pieces", [1, 2, 5])
def test_what_is_handed_back_at_a_stop_is_what_a_budget_leaves(monkeypatch, kind, pieces):
    n = 12
    monkeypatch.setattr(plan, "PIECE", 400)
    monkeypatch.setattr(plan, "SMALLEST", 100)
    boards, weights = counting._boards(board.root(n, kind, ())), np.ones(1, np.int64)
    count, stop, calls = counting._counter(kind, "scalar", n), new_stop(), 0

    def counted(*words):
        nonlocal calls
        calls += 1
        stop[0] = HAND_BACK if calls > pieces else 0
        found, visited = count(*words)
        return found, -1 if stop[0] else visited

    part = plan.tally(boards, weights, kind, counted, 10**9, stop)
    assert part.boards.shape[0]
    again = plan.tally(boards, weights, kind, count, part.nodes, new_stop())
    assert (again.solutions, again.nodes) == (part.solutions, part.nodes)
    assert np.array_equal(again.boards, part.boards)
    assert np.array_equal(again.weights, part.weights)
    rest = plan.tally(part.boards, part.weights, kind, count, None, new_stop())
    whole = plan.tally(boards, weights, kind, count, None, new_stop())
    assert part.solutions + rest.solutions == whole.solutions


def test_without_the_jit_the_scalar_kernel_says_why_it_is_used():
    code = (
        "from frontrow.search.problems.queens import Queens\n"
        "problem = Queens(12, method='lanes')\n"
        "print(problem.method_used, '|', problem.kernel)"
    )
    shown = _run(code, NUMBA_DISABLE_JIT="1")
    assert shown == "scalar | scalar (lanes do not compile here: the JIT is disabled)"


def test_lanes_that_do_not_compile_are_replaced_by_the_scalar_kernel(monkeypatch):
    monkeypatch.setattr(counting, "missing_lanes", lambda n: "no such instruction")
    problem = Queens(12, method="lanes")
    assert problem.method_used == "scalar"
    assert problem.kernel == "scalar (lanes do not compile here: no such instruction)"
    assert tally(problem, problem.split()[:3]).nodes > 0


def _run(code, **environment):
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=240,
    )
    return done.stdout.strip()


@pytest.mark.jit
def test_lanes_count_right_without_avx_512(tmp_path):
    code = (
        "from frontrow.search.problems.queens import Queens\n"
        "from frontrow.search.rows import new_stop\n"
        "problem = Queens(13, method='lanes')\n"
        "part = problem.tally(problem.split(), None, new_stop())\n"
        "print(problem.kernel, part.counts, part.nodes)"
    )
    plain = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "FRONTROW_CACHE": str(tmp_path)}
    expected = tally(Queens(13))
    assert _run(code, **plain) == f"lanes 32 x u16, portable vectors {expected.counts} {expected.nodes}"


def test_a_small_board_needs_no_numba():
    code = (
        "import sys\n"
        "from frontrow.search.problems.queens import Queens\n"
        "from frontrow.search.rows import new_stop\n"
        "problem = Queens(8)\n"
        "problem.warm()\n"
        "rows = problem.split()\n"
        "problem.cost(rows)\n"
        "print(problem.tally(rows, None, new_stop()).counts[0], 'numba' in sys.modules)"
    )
    assert _run(code) == "92 False"
