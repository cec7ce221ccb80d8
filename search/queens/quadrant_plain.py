"""The quadrant counter without compiled kernels: slow, short, and what the kernels are compared with."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from frontrow.search.queens.quadrant_tables import NE, NW, SE, SW, Part, Quarters

if TYPE_CHECKING:
    from frontrow.search.rows import Rows


def tally_plainly(
    part: Part,
    tables: dict[int, tuple[Quarters, int, int]],
    box: NDArray[np.int64],
    ties: tuple[int, int],
    m: int,
    counts: NDArray[np.int64],
    figures: NDArray[np.int64],
) -> None:
    """Do what `frontrow.search.queens.quadrant_match.tally_pairs` does, without groups and budgets."""
    c_from, c_to, b_from, b_to, d_from, d_to = box.tolist()
    for t in range(c_to - c_from):
        here = m + (c_from + t in ties)
        east = _half(tables, NE, SE, t, range(b_from, b_to), ties)
        west = _half(tables, SW, NW, t, range(d_from, d_to), ties)
        lengths = [halves[0].size + halves[1].size for halves in (east, west)]
        figures[0] += lengths[0]
        figures[1] += lengths[1] if lengths[0] else 0
        figures[4] += sum(lengths) + 100
        for east_tie in range(2):
            for west_tie in range(2):
                counts[here + east_tie + west_tie] += _disjoint(east[east_tie], west[west_tie], part.bits)
    box[0] = c_to


def _half(
    tables: dict[int, tuple[Quarters, int, int]],
    one: int,
    other: int,
    t: int,
    sets: range,
    ties: tuple[int, int],
) -> "tuple[Rows, Rows]":
    """Half boards without and with a tie."""
    lists: tuple[list[NDArray[np.uint64]], list[NDArray[np.uint64]]] = ([], [])
    for s in sets:
        words = [_list(*tables[quadrant], t, s) for quadrant in (one, other)]
        free = (words[0][:, None] & words[1]) == 0
        lists[s in ties].append((words[0][:, None] | words[1])[free])
    empty = np.empty(0, np.uint64)
    return np.concatenate([empty, *lists[0]]), np.concatenate([empty, *lists[1]])


def _list(quarters: Quarters, first: int, step: int, t: int, s: int) -> NDArray[np.uint64]:
    begin, end = quarters.first[first + t * step, s : s + 2].tolist()
    words: NDArray[np.uint64] = quarters.words[begin:end]
    listed: NDArray[np.uint64] = words[words != np.uint64(2**64 - 1)]
    return listed


def _disjoint(east: NDArray[np.uint64], west: NDArray[np.uint64], bits: int) -> int:
    """Pairs of words without a common bit among the lowest."""
    mask = np.uint64((1 << bits) - 1)
    return sum(int(np.count_nonzero((west & (word & mask)) == 0)) for word in east)
