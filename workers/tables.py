"""Pattern databases as a search takes them: opened, or built where they are missing."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from frontrow.search.errors import MemoryLimitError
from frontrow.search.patterns import files
from frontrow.search.patterns.lookup import Lookup
from frontrow.search.patterns.partition import Partition
from frontrow.search.rows import Stop
from frontrow.search.sliding.board import Board, Shape
from frontrow.workers.memory import available_memory


@dataclass(frozen=True, slots=True, eq=False)
class PatternTables:
    """Tables and how they are looked up.

    Attributes:
        lookup: the arrays that kernels take.
        values: what these index, flat; read-only.
    """

    lookup: Lookup
    values: NDArray[np.uint8]

    @classmethod
    def open(
        cls,
        shape: Shape,
        goal: Board,
        partition: Partition,
        *,
        threads: int,
        stop: Stop,
        memory: int | None = None,
        progress: Callable[[float], None] = lambda share: None,
        message: Callable[[str], None] = lambda text: None,
        must_keep: bool = False,
    ) -> Self:
        """Open the tables of a partition; what is missing or damaged is built.

        Args:
            shape: of the board.
            goal: the board to reach.
            partition: of its tiles.
            threads: that build.
            stop: polled while tables are built.
            memory: bytes that they may take, open or while they are built; None for what is free.
            progress: is told the share that is built, 0 to 1, now and then, by any thread.
            message: is told what is built and why.
            must_keep: whether tables are of no use in memory only.

        Raises:
            StoppedError: if `stop` was raised.
            MemoryLimitError: if they take more than `memory`, or there is no room to build them.
            FrontrowError: if their folder cannot be used, or they are to be kept and cannot be.
        """
        lookup = Lookup.of(shape, goal, partition)

        def check(size: int) -> None:
            check_limit(partition, size, memory)
            check_room(partition, size)

        check_limit(partition, lookup.tables.entries, memory)
        values = files.open_tables(
            lookup.tables,
            threads=threads,
            stop=stop,
            progress=progress,
            message=message,
            room=check,
            must_keep=must_keep,
        )
        return cls(lookup, values)


def check_limit(partition: Partition, size: int, memory: int | None) -> None:
    """Refuse tables that take more than was allowed.

    Args:
        partition: whose tables are meant.
        size: bytes that they take.
        memory: bytes that they may take; None for no limit.

    Raises:
        MemoryLimitError: it tells both sizes.
    """
    if memory is not None and size > memory:
        raise MemoryLimitError(
            f"memory: found {size:,} bytes needed for tables {partition.sizes}, expected at most {memory:,} "
            "(--memory)"
        )


def check_room(partition: Partition, size: int) -> None:
    """Refuse to build what the memory cannot hold.

    Args:
        partition: whose tables are meant.
        size: bytes that they take while they are built.

    Raises:
        MemoryLimitError: it tells both sizes.
    """
    free = available_memory()
    if size > free:
        raise MemoryLimitError(
            f"tables {partition.sizes}: found {free / 1e9:,.1f} GB of free memory, expected "
            f"{size / 1e9:,.1f} GB to build them (smaller patterns take less)"
        )
