"""Counts boards of every kind with the kernel that was asked for, or with the next best on this machine."""

import functools

import numpy as np
from numpy.typing import NDArray

from frontrow.search.errors import StoppedError
from frontrow.search.queens import board, plan, small
from frontrow.search.queens.board import Cells
from frontrow.search.rows import Stop, new_stop

ENOUGH = 512
"""Boards into which a board with fixed queens is split, if it takes long enough."""
WORTHWHILE = 20_000_000
"""Predicted cost that is not worth splitting: about 0.01 s."""
RECOUNTED = 4_000_000
"""Nodes that the scalar kernel counts of boards that lanes have counted before: about 0.2 s."""


def _boards(cells: Cells) -> plan.Boards:
    return (cells[:, 1:] - 1).astype(np.int8)


def _cells(boards: plan.Boards, weights: plan.Weights, kind: int) -> Cells:
    return np.concatenate([kind * board.WEIGHTS + weights[:, None], boards.astype(np.int64) + 1], axis=1)


@functools.cache
def missing_lanes(n: int) -> str:
    """Why lanes cannot be used for n queens on this machine; empty if they can."""
    import llvmlite.binding
    import numba

    from frontrow.search.lanes import OLDEST_LLVM

    if numba.config.DISABLE_JIT:
        return "the JIT is disabled"
    if llvmlite.binding.llvm_version_info[0] < OLDEST_LLVM:
        found = ".".join(map(str, llvmlite.binding.llvm_version_info))
        return f"found LLVM {found}, expected {OLDEST_LLVM} or newer"
    try:
        from frontrow.search.queens import lanes

        lanes.tally_boards(np.empty((0, n), np.int8), np.empty(0, np.int64), np.arange(n), new_stop())
    except Exception as error:  # noqa: BLE001 - whatever the compiler stumbles over, there is another kernel
        return (str(error) or type(error).__name__).splitlines()[0]
    return ""


def compiles(method: str, n: int) -> bool:
    """Whether n queens are counted by a kernel when `method` is asked for, and not in numpy."""
    return method != "scalar" or n > small.LARGEST


def used(method: str, n: int) -> str:
    """The method that counts n queens on this machine when `method` is asked for."""
    return "scalar" if method == "lanes" and missing_lanes(n) else method


def other(method: str, n: int) -> str:
    """The method that counts n queens by other code than `method` does; empty if there is none for boards."""
    if used(method, n) == "lanes":
        return "scalar"
    return "" if n <= small.LARGEST or missing_lanes(n) else "lanes"


def describe(method: str, n: int) -> str:
    """The kernel in words."""
    if used(method, n) == "lanes":
        from frontrow.search import lanes

        bits = plan.kept_columns(n)
        features = "AVX-512" if lanes.NATIVE else "portable vectors"
        return f"lanes {lanes.BYTES * 8 // bits} x u{bits}, {features}"
    name = "numpy" if n <= small.LARGEST else "scalar"
    return f"{name} (lanes do not compile here: {missing_lanes(n)})" if method == "lanes" else name


def _count_by_lanes(
    boards: plan.Boards, weights: plan.Weights, lines: NDArray[np.int64], stop: Stop
) -> tuple[NDArray[np.int64], int]:
    """Count by lanes, and one by one the boards that have too few free rows for them."""
    from frontrow.search.queens import lanes, scalar

    full = (boards < 0).sum(axis=1) < lanes.FEWEST
    counts, nodes = lanes.tally_boards(boards[~full], weights[~full], lines, stop)
    if nodes >= 0 and full.any():
        others, visited = scalar.tally_boards(boards[full], weights[full], lines, stop)
        return counts + others, nodes + visited if visited >= 0 else -1
    return counts, nodes


def _counter(kind: int, method: str, n: int) -> plan.Counter:
    """The kernel for one kind of boards."""
    if kind != board.ALL:
        if n <= small.LARGEST:
            return functools.partial(small.tally_turned, kind)
        from frontrow.search.queens import turned

        return functools.partial(turned.tally_boards, kind)
    if used(method, n) == "lanes":
        return _count_by_lanes
    if n <= small.LARGEST:
        return small.tally_boards
    from frontrow.search.queens import scalar

    return scalar.tally_boards


def warm(method: str, n: int) -> None:
    """Compile or load every kernel that `tally` may need, by counting no board at all."""
    none, weights, lines = np.empty((0, n), np.int8), np.empty(0, np.int64), np.arange(n)
    for kind in board.KINDS:
        _counter(kind, method, n)(none, weights, lines, new_stop())
        if n > small.LARGEST:
            plan.expand(none, kind)
            plan.predict(none, kind)


def predict(cells: Cells) -> NDArray[np.int64]:
    """Predicted cost of each board, at least 1; see `plan.predict`."""
    costs = np.ones(cells.shape[0], np.int64)
    kinds = cells[:, 0] // board.WEIGHTS
    for kind in board.KINDS:
        chosen = kinds == kind
        if chosen.any():
            costs[chosen] = plan.predict(_boards(cells[chosen]), kind)
    return costs


def spread(root: Cells) -> Cells:
    """Expand a board into `ENOUGH` boards, or fewer where the work is short; their weights are 1."""
    boards = _boards(root)
    while boards.shape[0] < ENOUGH and plan.predict(boards, board.ALL).sum() > WORTHWHILE:
        children = plan.expand(boards, board.ALL)[0]
        if not children.shape[0]:
            break
        boards = children
    return _cells(boards, np.ones(boards.shape[0], np.int64), board.ALL)


def tally(cells: Cells, method: str, budget: int | None, stop: Stop) -> tuple[tuple[int, ...], int, Cells]:
    """Count the completions of boards.

    Args:
        cells: boards of any kinds.
        method: ``lanes`` or ``scalar``.
        budget: nodes after which the rest is handed back.
        stop: raised by others.

    Returns:
        Completions times weights by kind, the nodes visited, and the boards left over.

    Raises:
        StoppedError: if `stop` was raised and nothing can be handed back; see `plan.tally`.
    """
    n = cells.shape[1] - 1
    kinds = cells[:, 0] // board.WEIGHTS
    counts, nodes, rest = [0] * len(board.KINDS), 0, []
    for kind in board.KINDS:
        chosen = cells[kinds == kind]
        if not chosen.shape[0]:
            continue
        left = None if budget is None else max(0, budget - nodes)
        outcome = plan.tally(
            _boards(chosen), chosen[:, 0] % board.WEIGHTS, kind, _counter(kind, method, n), left, stop
        )
        counts[kind] = outcome.solutions
        nodes += outcome.nodes
        rest.append(_cells(outcome.boards, outcome.weights, kind))
    left_over = np.concatenate(rest) if rest else cells[:0]
    if stop[0] and left_over.shape[0] and not nodes:
        raise StoppedError("queens: stopped")
    return tuple(counts), nodes, left_over


def recount(cells: Cells, method: str, second: str, stop: Stop) -> tuple[int, ...]:
    """Count the completions of boards that were counted by one method by another one.

    Where that is the slow scalar kernel, it counts some of them, seeded by the boards, and the rest is
    counted as before.

    Raises:
        StoppedError: if `stop` was raised.
    """
    shuffled = cells[np.random.default_rng(cells.ravel()).permutation(cells.shape[0])]
    budget = RECOUNTED if second == "scalar" else None
    counts, _, rest = tally(shuffled, second, budget, stop)
    more, _, _ = tally(rest, method, None, stop)
    return tuple(first + last for first, last in zip(counts, more, strict=True))
