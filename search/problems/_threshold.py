"""One bound of a search for a shortest solution as a count: many workers share it, and it goes on later.

It is not listed among the problems: `frontrow.solve` counts it where a bound takes long.
"""

import functools
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from frontrow.search.parameter import parameter
from frontrow.search.patterns import files
from frontrow.search.patterns.lookup import Lookup
from frontrow.search.patterns.partition import Partition
from frontrow.search.problem import Countable, Slice
from frontrow.search.rows import Rows, Stop, new_stop
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
_FAR = 1 << MOVES_BITS
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


class Threshold(Countable):
    """Search for the first solution of at most so many moves.

    A row is a packet: a board, and a word that `frontrow.search.solving.packet` explains.
    """

    name: ClassVar[str] = "_threshold"
    version: ClassVar[int] = 1
    summary_line: ClassVar[str] = "one bound of a search for a shortest solution"
    tallies: ClassVar[tuple[str, ...]] = ("generated", "found", "near")
    maxima: ClassVar[tuple[str, ...]] = ("found", "near")
    size: str = parameter(parse=board.read_shape, help=board.SHAPE_HELP)
    start: board.Lines = parameter(parse=_read_board, help=board.BOARD_HELP)
    goal: board.Lines = parameter(parse=_read_board, help=board.BOARD_HELP)
    heuristic: str = parameter(parse=str, help="manhattan, linear-conflict, walking or pdb:...")
    bound: int = parameter(low=0, high=_FAR - 1, help="most moves of a solution")

    def check(self) -> None:
        """Refuse boards that do not have every tile once."""
        for name in ("start", "goal"):
            tiles = board.to_board(name, getattr(self, name), self._shape)
            object.__setattr__(self, name, self._shape.lines(tiles))

    @property
    def _shape(self) -> board.Shape:
        return board.to_shape(self.size)

    @property
    def _finder(self) -> Finder:
        return _finder(self._shape, sum(self.goal, ()), self.heuristic)

    @property
    def _start(self) -> Rows:
        return layout.to_rows(np.array([sum(self.start, ())], np.int64))

    def _packets(self, wanted: int) -> packet.Packets:
        return self._finder.packets(self._start, wanted)

    @property
    def words(self) -> int:
        """Words of a board, and one."""
        return layout.words(self._shape.cells) + 1

    def initial(self) -> Rows:
        """The search as a whole, shape ``(1, words)``."""
        return self._packets(1).rows

    def render(self, row: Rows) -> str:
        """The board of a packet."""
        cells = layout.to_cells(row[None, :-1], self._shape.cells)[0]
        return board.draw(self._shape, tuple(cells.tolist()))

    @cached_property
    def _split(self) -> Rows:
        return self._packets(PACKETS).rows

    def split(self) -> Rows:
        """The packets."""
        return self._split

    def cost(self, rows: Rows) -> NDArray[np.int64]:
        """Grows with the moves between a packet's lower bound and the bound; 1 beyond it."""
        lower = self._finder.lower_bound(rows[:, :-1]) + packet.moves_made(rows[:, -1])
        steps = np.clip((self.bound - lower) // 2 + 1, 0, _MOST_STEPS)
        return np.asarray(_GROWTH**steps, np.int64)

    @cached_property
    def unit_floor(self) -> int:  # type: ignore[override]
        """Nobody knows how long a packet takes, so it is a share of the whole."""
        return int(self.cost(self._split).sum()) // UNITS + 1

    def tally(self, rows: Rows, budget: int | None, stop: Stop) -> Slice:
        """Search packets in order, up to the first solution.

        Of the tallies, `found` is `packet.MOST` less the number of the first packet with a solution, and
        `near` is `_FAR` less the least length above the bound; 0 without one.

        Raises:
            StoppedError: if `stop` was raised.
        """
        packets = self._finder.from_rows(rows)
        part = self._finder.deepen(packets, 0, len(packets), self.bound, budget, stop)
        found = near = 0
        if part.place >= 0:
            found = packet.MOST - int(packet.numbers(packets.marks[part.place : part.place + 1])[0])
        if part.next_bound >= 0:
            near = max(_FAR - part.next_bound, 0)
        return Slice((part.generated, found, near), part.nodes, part.rest)

    def summary(self, totals: dict[str, int]) -> dict[str, int | None]:
        """The first packet with a solution; if there is none, the next bound and the children made.

        Where there is one, it depends on how the packets were shared out what else was searched.
        """
        if totals["found"]:
            return {"place": packet.MOST - totals["found"], "next_bound": None, "generated": None}
        near = totals["near"]
        return {"place": None, "next_bound": _FAR - near if near else None, "generated": totals["generated"]}

    def moves(self, place: int, stop: Stop) -> tuple[int, ...]:
        """The first solution of a packet by its number: 0 U, 1 D, 2 L, 3 R of the blank; none if it has none.

        Raises:
            StoppedError: if `stop` was raised.
        """
        packets = self._packets(PACKETS)
        return self._finder.deepen(packets, place, place + 1, self.bound, None, stop).moves

    def warm(self) -> None:
        """Open the tables, and compile or load the kernel."""
        packets = self._packets(1)
        self._finder.deepen(packets, 0, 1, 0, None, new_stop())

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
