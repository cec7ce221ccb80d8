"""Pattern databases as the kernels of a search take them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Additive:
    """Disjoint patterns that hold every tile, each with a table of the moves its own tiles take at least.

    The index of a pattern in `values` is its `base` plus the sum of ``weight[tile] * cell`` over its tiles.
    For a pattern of k tiles on n cells these are n^k entries: one addition updates an index.

    Attributes:
        values: all tables one after the other, flat, ``uint8``; may be memory-mapped and read-only.
        base: where each pattern's table begins, shape ``(patterns,)``, ``int64``.
        slot: which pattern each tile is in, shape ``(cells,)``, ``int64``; 0 for the blank.
        weight: of each tile, shape ``(cells,)``, ``int64``; 0 for the blank.
    """

    values: NDArray[np.uint8]
    base: NDArray[np.int64]
    slot: NDArray[np.int64]
    weight: NDArray[np.int64]
