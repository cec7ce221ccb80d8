"""How a count is cut into units: by the problem alone, with integer arithmetic only."""

import numpy as np
from numpy.typing import NDArray

from frontrow.search.contract import check_costs
from frontrow.search.problem import Countable
from frontrow.search.rows import Rows

MOST_UNITS = 300_000
"""Units that a ledger is not to exceed."""

MANY_UNITS = 2_048
"""Units that anything long is cut into."""

LARGEST = 100
"""A unit's cost in multiples of `Countable.unit_floor` (about 1 s) unless `MOST_UNITS` asks for more."""

REST_UNITS = 4
"""Units that a large unit's rest is grouped into, about."""

_SAFE_TOTAL = 1 << 62


def cut(problem: Countable, rows: Rows, costs: NDArray[np.int64] | None = None) -> list[tuple[Rows, int]]:
    """Group consecutive rows into units of similar predicted cost.

    Args:
        problem: what the rows belong to.
        rows: shape ``(n, words)``.
        costs: what `Countable.cost` says of them, if that is known already.

    Returns:
        Rows and predicted cost of each unit, in the order of `rows`; the same on every machine.
    """
    if not rows.shape[0]:
        return []
    costs = _safe(check_costs(rows, problem.cost(rows) if costs is None else costs))
    total, floor = int(costs.sum()), problem.unit_floor
    return _group(rows, costs, max(floor, total // MOST_UNITS, min(total // MANY_UNITS, LARGEST * floor)))


def cut_rest(problem: Countable, rows: Rows) -> list[tuple[Rows, int]]:
    """Group what a budget left of a large unit into a few units, as `cut` does.

    Few, since every large unit leaves a rest again and again, and the ledger keeps them all.
    """
    costs = _safe(check_costs(rows, problem.cost(rows)))
    return _group(rows, costs, max(problem.unit_floor, int(costs.sum()) // REST_UNITS))


def _group(rows: Rows, costs: NDArray[np.int64], target: int) -> list[tuple[Rows, int]]:
    before = np.cumsum(costs) - costs
    edges = np.flatnonzero(np.diff(before // target)) + 1
    sums = np.add.reduceat(costs, np.concatenate(([0], edges)))
    return list(zip(np.split(rows, edges), sums.tolist(), strict=True))


def deal(rows: Rows, pieces: int) -> list[tuple[Rows, int]]:
    """Deal rows of unknown worth out to at most so many units, like cards.

    The first rows of a rest are the deepest and the last ones the shallowest, usually with the largest
    subtrees: this way every unit gets some of each.

    Returns:
        Rows and cost of each unit; every unit costs 1, since nothing is known.
    """
    return [(np.ascontiguousarray(rows[first::pieces]), 1) for first in range(min(pieces, rows.shape[0]))]


def _safe(costs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Predicted costs, at least 1, halved together until their sum is a safe 64-bit integer."""
    costs = np.maximum(costs, 1)
    total = sum(costs.tolist())
    while total >= _SAFE_TOTAL:
        costs = np.maximum(costs >> 1, 1)
        total = sum(costs.tolist())
    return costs
