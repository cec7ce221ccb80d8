"""One bound of a search for a shortest solution as a count: many workers share it, and it goes on later.

It is not listed among the problems: `frontrow.solve` counts it where a bound takes long.
"""

from typing import ClassVar

from frontrow.search.problem import Slice
from frontrow.search.rows import Rows, Stop
from frontrow.search.solving import packet
from frontrow.search.solving.packeted import FAR, PACKETS, PacketCount


class Threshold(PacketCount):
    """Search for the first solution of at most so many moves."""

    name: ClassVar[str] = "_threshold"
    version: ClassVar[int] = 1
    summary_line: ClassVar[str] = "one bound of a search for a shortest solution"
    tallies: ClassVar[tuple[str, ...]] = ("generated", "found", "near")
    maxima: ClassVar[tuple[str, ...]] = ("found", "near")

    def tally(self, rows: Rows, budget: int | None, stop: Stop) -> Slice:
        """Search packets in order, up to the first solution.

        Of the tallies, `found` is `packet.MOST` less the number of the first packet with a solution, and
        `near` is `FAR` less the least length above the bound; 0 without one.

        Raises:
            StoppedError: if `stop` was raised.
        """
        packets = self.finder.from_rows(rows)
        part = self.finder.deepen(packets, 0, len(packets), self.bound, budget, stop)
        found = near = 0
        if part.place >= 0:
            found = packet.MOST - int(packet.numbers(packets.marks[part.place : part.place + 1])[0])
        if part.next_bound >= 0:
            near = max(FAR - part.next_bound, 0)
        return Slice((part.generated, found, near), part.nodes, part.rest)

    def summary(self, totals: dict[str, int]) -> dict[str, int | None]:
        """The first packet with a solution; if there is none, the next bound and the children made.

        Where there is one, it depends on how the packets were shared out what else was searched.
        """
        if totals["found"]:
            return {"place": packet.MOST - totals["found"], "next_bound": None, "generated": None}
        near = totals["near"]
        return {"place": None, "next_bound": FAR - near if near else None, "generated": totals["generated"]}

    def moves(self, place: int, stop: Stop) -> tuple[int, ...]:
        """The first solution of a packet by its number: 0 U, 1 D, 2 L, 3 R of the blank; none if it has none.

        Raises:
            StoppedError: if `stop` was raised.
        """
        packets = self.packets(PACKETS)
        return self.finder.deepen(packets, place, place + 1, self.bound, None, stop).moves
