"""How tiles are divided into patterns: names, and what is chosen without one."""

import functools
import itertools
import re
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from frontrow.search.errors import UsageError
from frontrow.search.parameter import shown
from frontrow.search.patterns.pattern import MOST_CELLS, MOST_TILES
from frontrow.search.sliding.board import Board, Shape
from frontrow.search.sliding.moves import moves
from frontrow.search.sliding.turns import grid

HELP = "pdb, pdb:6-6-3 (tiles a pattern), or pdb:1,2,3/4,5/... (the tiles of each)"

_SIZES = re.compile(r"[0-9]{1,2}(-[0-9]{1,2})*")
_TILES = re.compile(r"[0-9]{1,2}(,[0-9]{1,2})*(/[0-9]{1,2}(,[0-9]{1,2})*)*")
_LARGEST = 6
"""Tiles of the largest pattern that is chosen without being asked for."""
_MOST_ENTRIES = 1 << 28
"""Entries of the largest table that is chosen so."""

_DEFAULTS = {
    (3, 3): (6, 2),
    (3, 5): (6, 6, 2),
    (5, 3): (6, 6, 2),
    (4, 4): (6, 6, 3),
    (5, 5): (6, 6, 6, 6),
}
"""Sizes that are better than nearly equal ones: sums are greater by 1.4 on 3x3, 0.5 on 3x5 and 2 on 4x4."""
_KNOWN: dict[tuple[int, int], tuple[tuple[tuple[int, ...], ...], ...]] = {
    # Korf and Felner 2002, and Felner, Korf and Hanan 2004, whose goals have the blank in the first cell.
    (4, 4): (
        ((3, 6, 7, 10, 11, 15), (1, 2, 4, 5, 8, 9), (12, 13, 14)),
        ((1, 4, 5, 8, 9, 12, 13), (2, 3, 6, 7, 10, 11, 15), (14,)),
        ((2, 3, 6, 7, 10, 11, 14, 15), (1, 4, 5, 8, 9, 12, 13)),
    ),
    (5, 5): (
        ((1, 2, 5, 6, 7, 12), (3, 4, 8, 9, 13, 14), (10, 11, 15, 16, 20, 21), (17, 18, 19, 22, 23, 24)),
    ),
}
"""Good partitions as goal cells, for a blank whose goal is the first cell."""


@dataclass(frozen=True, slots=True)
class Partition:
    """Tiles in disjoint patterns that hold every tile once.

    Attributes:
        parts: tiles of each pattern, in rising order; the larger patterns first.
    """

    parts: tuple[tuple[int, ...], ...]

    @classmethod
    def parse(cls, text: str, shape: Shape, goal: Board) -> Self:
        """Read ``pdb`` (the default for the shape), ``pdb:6-6-3``, or ``pdb:1,2,3/4,5,6/...``.

        Args:
            text: what a person wrote.
            shape: of the board.
            goal: the board to reach.

        Raises:
            UsageError: if it is none, or not of the tiles of the goal.
        """
        name, _, rest = text.strip().partition(":")
        if name != "pdb" or (rest == "" and ":" in text):
            raise UsageError(f"heuristic: found {shown(text)}, expected {HELP}")
        if shape.is_line or shape.cells > MOST_CELLS:
            raise UsageError(
                f"heuristic: found {shown(text)} for a {shape} board, expected it for two rows and two "
                f"columns at least and {MOST_CELLS} cells at most"
            )
        if rest == "" or _SIZES.fullmatch(rest):
            sizes = tuple(map(int, rest.split("-"))) if rest else default_sizes(shape)
            _check_sizes(sizes, shape)
            return cls._of_cells(_divide(shape, goal.index(0), sizes), goal)
        if not _TILES.fullmatch(rest):
            raise UsageError(f"heuristic: found {shown(text)}, expected {HELP}")
        parts = tuple(tuple(map(int, part.split(","))) for part in rest.split("/"))
        _check_tiles([tile for part in parts for tile in part], shape)
        _check_sizes(tuple(map(len, parts)), shape)
        return cls._of_tiles(parts)

    @classmethod
    def _of_cells(cls, parts: tuple[tuple[int, ...], ...], goal: Board) -> Self:
        return cls._of_tiles(tuple(tuple(goal[cell] for cell in part) for part in parts))

    @classmethod
    def _of_tiles(cls, parts: tuple[tuple[int, ...], ...]) -> Self:
        return cls(
            tuple(sorted((tuple(sorted(part)) for part in parts), key=lambda part: (-len(part), part)))
        )

    @property
    def sizes(self) -> str:
        """Tiles a pattern, such as ``6-6-3``."""
        return "-".join(str(len(part)) for part in self.parts)

    def __str__(self) -> str:
        """What `parse` reads, tile by tile."""
        return "pdb:" + "/".join(",".join(map(str, part)) for part in self.parts)


def default_sizes(shape: Shape) -> tuple[int, ...]:
    """Tiles a pattern where nothing else is asked for: as many as are quick to build, all nearly equal."""
    known = _DEFAULTS.get((shape.rows, shape.columns))
    if known is not None:
        return known
    tiles, most = shape.cells - 1, _LARGEST
    while shape.cells**most > _MOST_ENTRIES:
        most -= 1
    count = -(-tiles // most)
    return tuple(tiles // count + (number < tiles % count) for number in range(count))


def _check_sizes(sizes: tuple[int, ...], shape: Shape) -> None:
    """Refuse patterns that are too large or do not have all tiles.

    Raises:
        UsageError: it says which.
    """
    largest = max(sizes)
    if largest > MOST_TILES or min(sizes) < 1:
        found = largest if largest > MOST_TILES else 0
        raise UsageError(f"heuristic: found a pattern of {found} tiles, expected 1 to {MOST_TILES}")
    if sum(sizes) != shape.cells - 1:
        raise UsageError(
            f"heuristic: found patterns of {sum(sizes)} tiles in all, expected {shape.cells - 1} of a "
            f"{shape} board"
        )


def _check_tiles(tiles: list[int], shape: Shape) -> None:
    """Refuse tiles that are there twice, not at all, or belong to no board of the shape.

    Raises:
        UsageError: it names the tile.
    """
    for tile in tiles:
        if not 1 <= tile < shape.cells:
            raise UsageError(f"heuristic: found tile {tile}, expected 1 to {shape.cells - 1}")
        if tiles.count(tile) > 1:
            raise UsageError(f"heuristic: found tile {tile} in two patterns, expected it in one")
    for tile in range(1, shape.cells):
        if tile not in tiles:
            raise UsageError(f"heuristic: found no pattern with tile {tile}, expected every tile in one")


def _divide(shape: Shape, blank: int, sizes: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Patterns of given sizes as goal cells; where the blank's goals are images, so are the patterns."""
    images = list(grid(shape).values())
    least = min(int(goes[blank]) for goes in images)
    goes = next(goes for goes in images if goes[least] == blank)
    return tuple(tuple(goes[list(part)].tolist()) for part in _divide_least(shape, least, sizes))


@functools.lru_cache(64)
def _divide_least(shape: Shape, blank: int, sizes: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Known good patterns of given sizes, or compact ones."""
    for parts in _KNOWN.get((shape.rows, shape.columns), ()) if blank == 0 else ():
        if sorted(map(len, parts)) == sorted(sizes):
            return parts
    return min((_compact(shape, path, sizes) for path in _paths(shape, blank)), key=lambda found: found[0])[1]


def _paths(shape: Shape, blank: int) -> list[list[int]]:
    """All cells but the blank's, along lines that turn at the border, from every corner."""
    cells = np.arange(shape.cells).reshape(shape.rows, shape.columns)
    paths = []
    for board in (cells, cells.T):
        for turned in (board, board[::-1], board[:, ::-1], board[::-1, ::-1]):
            lines = [line[:: -1 if number % 2 else 1] for number, line in enumerate(turned)]
            paths.append([cell for cell in np.concatenate(lines).tolist() if cell != blank])
    return paths


def _compact(
    shape: Shape, path: list[int], sizes: tuple[int, ...]
) -> tuple[int, tuple[tuple[int, ...], ...]]:
    """Cut a path into patterns, then exchange cells as long as that brings patterns' cells closer together.

    Returns:
        The sum of squared distances within patterns, and the patterns.
    """
    cells = np.arange(shape.cells)
    rows, columns = np.divmod(cells, shape.columns)
    apart = abs(rows[:, None] - rows) + abs(columns[:, None] - columns)
    squares = apart.astype(np.int64) ** 2
    owner = np.full(shape.cells, -1)
    owner[path] = np.repeat(np.arange(len(sizes)), sorted(sizes, reverse=True))
    cost = _cost(shape, squares, owner)
    improved = True
    while improved:
        improved = False
        for one, other in itertools.combinations(path, 2):
            if owner[one] == owner[other]:
                continue
            owner[[one, other]] = owner[[other, one]]
            exchanged = _cost(shape, squares, owner)
            if exchanged < cost:
                cost, improved = exchanged, True
            else:
                owner[[one, other]] = owner[[other, one]]
    return cost, tuple(tuple(np.flatnonzero(owner == part).tolist()) for part in range(len(sizes)))


def _cost(shape: Shape, squares: NDArray[np.int64], owner: NDArray[np.int64]) -> int:
    """The sum of squared distances within patterns, and much for every pattern that is not connected."""
    same = (owner[:, None] == owner) & (owner >= 0)
    return int(squares[same].sum()) + 10_000 * _pieces(shape, owner)


def _pieces(shape: Shape, owner: NDArray[np.int64]) -> int:
    """How many connected pieces the patterns have."""
    table = moves(shape, False)
    label = np.arange(shape.cells)
    pairs = [
        (cell, to)
        for cell in range(shape.cells)
        for to in table.targets[cell, : table.counts[cell]].tolist()
        if owner[cell] == owner[to]
    ]
    changed = True
    while changed:
        changed = False
        for one, other in pairs:
            if label[one] < label[other]:
                label[other], changed = label[one], True
    return len(set(label.tolist()))
