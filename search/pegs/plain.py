"""What the kernels of peg solitaire do, in numpy: slow, and plain enough to be compared with."""

import numpy as np
from numpy.typing import NDArray

from frontrow.search.pegs.jumps import Jumps
from frontrow.search.rows import Rows


def expand_rows(rows: Rows, jumps: Jumps) -> tuple[Rows, NDArray[np.int32]]:
    """Make all jumps of every position; the words and the order of the kernel."""
    fits = ((rows[:, None] & jumps.flips) == jumps.taken).all(axis=2)
    parents, chosen = np.nonzero(fits)
    return rows[parents] ^ jumps.flips[chosen], parents.astype(np.int32)


def mark_goals(rows: Rows, goals: Rows) -> NDArray[np.bool_]:
    """Which rows are among the goals, shape ``(k, words)``."""
    marks: NDArray[np.bool_] = (rows[:, None] == goals).all(axis=2).any(axis=1)
    return marks
