"""What a heuristic is: lower bounds of boards, and a kernel that searches with them."""

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from frontrow.search.rows import Stop
from frontrow.search.sliding.layout import Cells
from frontrow.search.solving.descent import Ground, Task, Trail


class Heuristic(ABC):
    """Lower bounds for one shape and goal. Their parity is that of the moves that are left.

    Attributes:
        keys: entries of `Trail.keys` and `Trail.values` that the kernel needs.
    """

    keys: int = 0

    @abstractmethod
    def begin(self, boards: Cells) -> NDArray[np.uint64]:
        """What the kernel needs to know of each board, shape ``(n, any)``."""

    @abstractmethod
    def read(self, begun: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The lower bounds of boards, shape ``(n,)``, from what `begin` gave for them."""

    def bounds(self, boards: Cells) -> NDArray[np.int64]:
        """Moves that each board takes at least, shape ``(n,)``."""
        return self.read(self.begin(boards))

    @abstractmethod
    def search(self, ground: Ground, task: Task, trail: Trail, stop: Stop) -> int:
        """Search packets; see `frontrow.search.solving.descent.descend`."""
