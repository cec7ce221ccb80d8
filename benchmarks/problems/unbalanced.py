"""A tree of a given number of nodes that no split can balance, walked by a kernel.

Its first subtree holds more than half of all nodes, again and again, and it is tens of thousands of levels
deep. A node knows the size of its subtree, so the number of nodes is right by construction.
"""

import numpy as np

from frontrow import CountingTree, Slice, StoppedError, kernel, parameter


@kernel
def mixed(value):
    """Scatter 64 bits (the finisher of splitmix64; Steele, Lea and Flood, OOPSLA 2014)."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


@kernel
def walk(rows, budget, stop, counts):
    """Depth first with a stack of its own; rows are (size, seed, depth).

    Adds to `counts` (nodes, leaves, greatest depth) and returns the rows that the budget left; None if
    `stop` was raised.
    """
    one, two = np.uint64(1), np.uint64(2)
    stack = np.empty((rows.shape[0] + 1024, 3), np.uint64)
    stack[: rows.shape[0]] = rows[::-1]
    top = rows.shape[0]
    nodes = 0
    while top > 0 and nodes != budget:
        if nodes & 0xFFFF == 0 and stop[0]:
            return None
        top -= 1
        nodes += 1
        size, seed, depth = stack[top, 0], stack[top, 1], stack[top, 2]
        counts[2] = max(counts[2], np.int64(depth))
        if size == one:
            counts[1] += 1
            continue
        # Nearly all nodes give all but a few nodes to their first child, the others 60 %.
        below = size - one
        draw = mixed(seed)
        few = min(below, one + draw % np.uint64(200))
        first = below - few if draw >> np.uint64(54) else max(one, below * np.uint64(3) // np.uint64(5))
        second = (below - first) // two
        if top + 3 > stack.shape[0]:
            larger = np.empty((2 * stack.shape[0], 3), np.uint64)
            larger[:top] = stack[:top]
            stack = larger
        child = np.uint64(0)
        for part in (below - first - second, second, first):  # the first child ends on top
            child += one
            if part > np.uint64(0):
                stack[top, 0], stack[top, 1], stack[top, 2] = part, mixed(seed + child), depth + one
                top += 1
    counts[0] += nodes
    return stack[:top][::-1].copy()


class Unbalanced(CountingTree):
    """Rows are (size of the subtree, seed, depth)."""

    summary_line = "a tree of a given size that no split can balance"
    tallies = ("nodes", "leaves", "depth")
    maxima = ("depth",)
    words = 3

    size: int = parameter(low=1, high=2**40, help="nodes of the tree")

    def initial(self):
        """The root."""
        return np.array([[self.size, 1, 0]], np.uint64)

    def render(self, row):
        """Size and depth."""
        return f"{row[0]} nodes at depth {row[2]}"

    def tally(self, rows, budget, stop):
        """Walk the subtrees of the rows."""
        counts = np.zeros(3, np.int64)
        rest = walk(rows, -1 if budget is None else budget, stop, counts)
        if rest is None:
            raise StoppedError("stopped")
        return Slice(tuple(counts.tolist()), int(counts[0]), rest)
