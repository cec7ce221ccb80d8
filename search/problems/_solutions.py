"""All shortest solutions of a puzzle as a count: many workers share it, and it goes on later.

It is not listed among the problems: `frontrow.solve` counts it where all solutions are asked for.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar

from frontrow.search.problem import Slice
from frontrow.search.rows import Rows, Stop
from frontrow.search.solving.packet import Packets
from frontrow.search.solving.packeted import PACKETS, PacketCount


class Solutions(PacketCount):
    """Count the solutions of exactly so many moves, where none is shorter.

    Rows are packets of a search in which every way counts.
    """

    name: ClassVar[str] = "_solutions"
    version: ClassVar[int] = 1
    summary_line: ClassVar[str] = "all shortest solutions"
    tallies: ClassVar[tuple[str, ...]] = ("generated", "solutions")

    def packets(self, wanted: int) -> Packets:
        """The search in so many parts or more."""
        return self.finder.packets(self.origin, wanted, every=True)

    def tally(self, rows: Rows, budget: int | None, stop: Stop) -> Slice:
        """Count in all packets.

        Raises:
            StoppedError: if `stop` was raised.
        """
        packets = self.finder.from_rows(rows)
        part = self.finder.count(packets, 0, len(packets), self.bound, 0, budget, stop)
        return Slice((part.generated, part.solutions), part.nodes, part.rest)

    def summary(self, totals: dict[str, int]) -> dict[str, int | None]:
        """How many solutions there are."""
        return {"solutions": totals["solutions"], "generated": totals["generated"]}

    def listed(
        self, places: Sequence[int], most: int, threads: int, stop: Stop
    ) -> tuple[tuple[int, ...], ...]:
        """The first solutions among those of some packets, in order: 0 U, 1 D, 2 L, 3 R of the blank.

        Args:
            places: numbers of packets, rising.
            most: how many to list.
            threads: that search at the same time.
            stop: polled.

        Raises:
            StoppedError: if `stop` was raised.
        """
        packets, finder, found = self.packets(PACKETS), self.finder, list[tuple[int, ...]]()

        def search(place: int) -> tuple[tuple[int, ...], ...]:
            return finder.count(packets, place, place + 1, self.bound, most, None, stop).listed

        with ThreadPoolExecutor(threads) as pool:
            for first in range(0, len(places), threads):
                for each in pool.map(search, places[first : first + threads]):
                    found += each
                if len(found) >= most:
                    break
        return tuple(found[:most])
