"""A search in the plainest way, and known layers."""

from pathlib import Path

import numpy as np

from frontrow.search.problems.blocks import Blocks

COUNTS = Path(__file__).parents[1] / "counts/blocks.txt"


def known():
    """Puzzle, metric, whether mirrored boards are one, distance of the goal, and layers."""
    lines = [line.split() for line in COUNTS.read_text().splitlines() if not line.startswith("#")]
    return [
        (name, metric, up == "yes", int(goal), [*map(int, rest)]) for name, metric, up, goal, *rest in lines
    ]


def explore(problem: Blocks, symmetry=False):
    """Sizes of layers, and the first with a goal; every state is kept."""
    canonical = problem.symmetries().canonical if symmetry else lambda rows: rows
    current, sizes, goal = canonical(problem.initial()), [], None
    seen = {row.tobytes() for row in current}
    while current.shape[0]:
        if goal is None and problem.is_goal(current).any():
            goal = len(sizes)
        sizes.append(current.shape[0])
        children = np.unique(canonical(problem.expand(current)[0]), axis=0)
        current = np.array([row for row in children if row.tobytes() not in seen], np.uint64)
        current = current.reshape(-1, problem.words)
        seen |= {row.tobytes() for row in current}
    return sizes, goal
