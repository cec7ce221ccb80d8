"""Depth first searches as counts: many workers share the packets of one, and it goes on later."""

import functools
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frontrow.search.parameter import parameter
from frontrow.search.patterns import files
from frontrow.search.patterns.lookup import Lookup
from frontrow.search.patterns.partition import Partition
from frontrow.search.problem import Countable
from frontrow.search.rows import Rows, new_stop
from frontrow.search.sliding import board, layout
from frontrow.search.solving import packet
from frontrow.search.solving.descent import MOVES_BITS
from frontrow.search.solving.finder import Finder, Opened

PACKETS = 4096
"""Parts that a search is divided into, or up to three times as many."""
UNITS = 512
"""Units that these are grouped into at most, nearly."""
_GROWTH = 4
"""By what two more moves multiply the nodes, nearly: 4.5 for four rows (Korf, Reid and Edelkamp 2001)."""
_MOST_STEPS = 20
"""Steps of two moves up to which costs grow: 4^20 times 4096 packets are far below 2^62."""
FAR = 1 << MOVES_BITS
"""Above every bound."""


def _read_board(value: Any) -> board.Lines:
    lines = board.read_board(value, ())
    assert not isinstance(lines, str)
    return lines


@functools.lru_cache(4)
def _finder(shape: board.Shape, goal: board.Board, heuristic: str) -> Finder:
    """What searches, once a process; tables that are missing are built.

    Raises:
        UsageError: if the heuristic is not for the shape.
        FrontrowError: if tables cannot be built.
    """
    if not heuristic.startswith("pdb"):
        return Finder(shape, goal, heuristic)
    lookup = Lookup.of(shape, goal, Partition.parse(heuristic, shape, goal))
    values = files.open_tables(lookup.tables, threads=1, stop=new_stop())
    return Finder(shape, goal, heuristic, Opened(lookup, values))


class PacketCount(Countable):
    """A search from one board, with the parameters that all such counts have.

    A row is a packet: a board, and a word that `frontrow.search.solving.packet` explains.
    """

    size: str = parameter(parse=board.read_shape, help=board.SHAPE_HELP)
    start: board.Lines = parameter(parse=_read_board, help=board.BOARD_HELP)
    goal: board.Lines = parameter(parse=_read_board, help=board.BOARD_HELP)
    heuristic: str = parameter(parse=str, help="manhattan, linear-conflict, walking or pdb:...")
    bound: int = parameter(low=0, high=FAR - 1, help="most moves of a solution")

    def check(self) -> None:
        """Refuse boards that do not have every tile once."""
        for name in ("start", "goal"):
            tiles = board.to_board(name, getattr(self, name), self._shape)
            object.__setattr__(self, name, self._shape.lines(tiles))

    @property
    def _shape(self) -> board.Shape:
        return board.to_shape(self.size)

    @property
    def finder(self) -> Finder:
        """What searches."""
        return _finder(self._shape, sum(self.goal, ()), self.heuristic)

    @property
    def origin(self) -> Rows:
        """The board that it begins with, shape ``(1, words)``."""
        return layout.to_rows(np.array([sum(self.start, ())], np.int64))

    def packets(self, wanted: int) -> packet.Packets:
        """The search in so many parts or more."""
        return self.finder.packets(self.origin, wanted)

    @property
    def words(self) -> int:
        """Words of a board, and one."""
        return layout.words(self._shape.cells) + 1

    def initial(self) -> Rows:
        """The search as a whole, shape ``(1, words)``."""
        return self.packets(1).rows

    def render(self, row: Rows) -> str:
        """The board of a packet."""
        cells = layout.to_cells(row[None, :-1], self._shape.cells)[0]
        return board.draw(self._shape, tuple(cells.tolist()))

    @cached_property
    def _split(self) -> Rows:
        return self.packets(PACKETS).rows

    def split(self) -> Rows:
        """The packets."""
        return self._split

    def cost(self, rows: Rows) -> NDArray[np.int64]:
        """Grows with the moves between a packet's lower bound and the bound; 1 beyond it."""
        lower = self.finder.lower_bound(rows[:, :-1]) + packet.moves_made(rows[:, -1])
        steps = np.clip((self.bound - lower) // 2 + 1, 0, _MOST_STEPS)
        return np.asarray(_GROWTH**steps, np.int64)

    @cached_property
    def unit_floor(self) -> int:  # type: ignore[override]
        """Nobody knows how long a packet takes, so it is a share of the whole."""
        return int(self.cost(self._split).sum()) // UNITS + 1

    def warm(self) -> None:
        """Open the tables, and compile or load the kernel."""
        packets = self.packets(1)
        self.finder.deepen(packets, 0, 1, 0, None, new_stop())

    @property
    def compiles(self) -> bool:
        """It does."""
        return True

    @property
    def kernel(self) -> str:
        """The heuristic."""
        return f"depth first with {self.heuristic}"

    @property
    def method_used(self) -> str:
        """IDA*."""
        return "ida"
