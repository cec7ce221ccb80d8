"""All jumps of a board, and for each part of a row which of them it does not rule out."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frontrow.search.pegs.board import Board
from frontrow.search.rows import WORD, Rows, words_for

_ONE_WORD, _SEVERAL = 11, 8
"""Most holes that are looked up together: the tables of the English board are 96 KiB."""


@dataclass(frozen=True, slots=True, eq=False)
class Jumps:
    """The jumps of a board, numbered by the hole they start from and then by direction.

    Attributes:
        names: ``x,y,dx,dy`` of each: the peg on x,y jumps over the one on x+dx,y+dy to x+2dx,y+2dy.
        taken: the holes from and over which each jumps, shape ``(jumps, words)``.
        flips: the three holes that each changes, shape ``(jumps, words)``.
        possible: a bit for each jump that a chunk of a row does not rule out, shape
            ``(chunks, entries, groups)``; jump j is bit ``j % 64`` of group ``j // 64``.
        places: word of each chunk, shape ``(chunks,)``, ``int64``.
        shifts: lowest bit of each chunk in its word, shape ``(chunks,)``.
        masks: as many bits as each chunk has, shape ``(chunks,)``.
    """

    names: tuple[str, ...]
    taken: Rows
    flips: Rows
    possible: NDArray[np.uint64]
    places: NDArray[np.int64]
    shifts: NDArray[np.uint64]
    masks: NDArray[np.uint64]

    @property
    def lines(self) -> int:
        """Threes of holes in a line: on each a peg can jump one way or the other, never both."""
        return len({flip.tobytes() for flip in self.flips})

    @property
    def arrays(self) -> tuple[Any, ...]:
        """What the kernel takes."""
        return (self.flips, self.possible, self.places, self.shifts, self.masks)

    def name(self, before: Rows, after: Rows) -> str | None:
        """What the jump from one row to another, shape ``(words,)``, is called; None if there is none."""
        fits = (self.flips == before ^ after).all(axis=1) & (self.taken == before & self.flips).all(axis=1)
        return self.names[int(fits.argmax())] if fits.any() else None


def find(board: Board) -> Jumps:
    """Find all jumps of a board."""
    words, number = words_for(len(board.holes), 1), {hole: i for i, hole in enumerate(board.holes)}
    names, threes = [], []
    for x, y in board.holes:
        for dx, dy in board.directions:
            three = [number.get((x + step * dx, y + step * dy)) for step in range(3)]
            if None not in three:
                names.append(f"{x},{y},{dx},{dy}")
                threes.append(three)
    holes = np.array(threes, np.int64).reshape(len(threes), 3)
    bits = np.zeros((2, len(threes), len(board.holes)), np.bool_)
    each = np.arange(len(threes))
    for step in range(3):
        bits[step == 2 :, each, holes[:, step]] = True
    taken, flips = _to_rows(bits[0], words), _to_rows(bits[1], words)
    return Jumps(tuple(names), taken, flips, *_tables(bits, words))


def _to_rows(bits: NDArray[np.bool_], words: int) -> Rows:
    """Pack bits, shape ``(n, holes)``: bit i of a row is item i."""
    padded = np.zeros((bits.shape[0], words * WORD), np.bool_)
    padded[:, : bits.shape[1]] = bits
    return np.packbits(padded, axis=1, bitorder="little").view("<u8").astype(np.uint64)


def _tables(bits: NDArray[np.bool_], words: int) -> tuple[Any, ...]:
    """What `Jumps` looks up: of a jump's holes ``bits[1]``, just those of ``bits[0]`` have to hold pegs."""
    _, jumps, holes = bits.shape
    size = _ONE_WORD if words == 1 else _SEVERAL
    size = -(-holes // -(-holes // size)) if words == 1 else size
    firsts = np.arange(0, holes, size)
    values, weights = np.arange(1 << size)[:, None], 1 << np.arange(size)
    groups = max(1, -(-jumps // WORD))
    possible = np.zeros((firsts.size, 1 << size, groups), np.uint64)
    for chunk, first in enumerate(firsts.tolist()):
        part = bits[:, :, first : first + size]
        taken, flips = part @ weights[: part.shape[2]]
        possible[chunk] = _to_rows((values & flips) == taken, groups)
    places, shifts = np.divmod(firsts, WORD)
    counts = np.minimum(size, holes - firsts).astype(np.uint64)
    masks = (np.uint64(1) << counts) - np.uint64(1)
    return possible, places, shifts.astype(np.uint64), masks
