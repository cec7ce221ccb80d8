"""Moves of pieces without kernels and tables: slow, short, and what the kernels are compared with."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from frontrow.search.blocks.picture import Cell
from frontrow.search.blocks.plan import STEPS, Plan
from frontrow.search.rows import Rows, pack, unpack


def expand(plan: Plan, metric: str, rows: Rows) -> tuple[Rows, NDArray[np.int32]]:
    """Do what `frontrow.search.blocks.moves.expand` does, in the same order."""
    children, parents = [], []
    for parent, codes in enumerate(unpack(rows, len(plan.cells), plan.bits).tolist()):
        board = {cell: kind for cell, kind in zip(plan.cells, codes, strict=True) if kind}
        for cell, kind in board.items():
            rest = {other: its for other, its in board.items() if other != cell}
            for place in _places(plan, metric, rest, cell, kind):
                moved = rest | {place: kind}
                children.append([moved.get(each, 0) for each in plan.cells])
                parents.append(parent)
    codes = np.array(children, np.int64).reshape(len(children), len(plan.cells))
    return pack(codes, plan.bits), np.array(parents, np.int32)


def reached(plan: Plan, rows: Rows) -> NDArray[np.bool_]:
    """Do what `frontrow.search.blocks.moves.reached` does."""
    found: NDArray[np.bool_] = (rows & plan.goal[0] == plan.goal[1]).all(axis=1)
    return found


def _places(plan: Plan, metric: str, rest: dict[Cell, int], cell: Cell, kind: int) -> Iterator[Cell]:
    """Where a piece at a cell can go while the others stay."""
    free = set(plan.cells)
    for (row, column), its in rest.items():
        free -= {(row + r, column + c) for r, c in plan.shapes[its]}

    def fits(place: Cell) -> bool:
        return all((place[0] + r, place[1] + c) in free for r, c in plan.shapes[kind])

    if metric == "piece":
        seen = [cell]
        for here in seen:
            for row, column in STEPS:
                to = here[0] + row, here[1] + column
                if to not in seen and fits(to):
                    seen.append(to)
        yield from seen[1:]
        return
    for row, column in STEPS:
        to = cell[0] + row, cell[1] + column
        while fits(to):
            yield to
            if metric == "step":
                break
            to = to[0] + row, to[1] + column
