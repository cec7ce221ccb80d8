"""Known layers of sliding puzzles, and slow searches to compare with."""

import itertools
from pathlib import Path

import numpy as np

from frontrow.search.problems.sliding import Sliding
from frontrow.search.sliding import layout
from frontrow.search.sliding.board import Shape

COUNTS = Path(__file__).parent.parent / "counts" / "sliding.txt"


def known():
    """Layers by size and place of the blank."""
    table = {}
    for line in COUNTS.read_text().splitlines():
        if not line.startswith("#"):
            size, place, layers = line.split()
            table[size, int(place)] = [int(number) for number in layers.split(",")]
    return table


def with_blank_at(size, place, **params):
    """The puzzle whose start and goal have the tiles in order and the blank at a place."""
    rows, columns = map(int, size.split("x"))
    tiles = list(range(1, rows * columns))
    return Sliding(size=size, goal=[*tiles[:place], 0, *tiles[place:]], **params)


def plain_children(shape: Shape, board, slides):
    """Children of one board, in order, by moving one tile after the other."""
    children = []
    for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1)):
        cells = list(board)
        row, column = divmod(cells.index(0), shape.columns)
        while 0 <= row + down < shape.rows and 0 <= column + right < shape.columns:
            tile = (row + down) * shape.columns + column + right
            cells[row * shape.columns + column], cells[tile] = cells[tile], 0
            row, column = row + down, column + right
            children.append(tuple(cells))
            if not slides:
                break
    return children


def plain_layers(shape, start, slides, depth=99):
    """All boards layer by layer, as sets of tuples."""
    layers = [{tuple(start)}]
    seen = set(layers[0])
    while layers[-1] and len(layers) <= depth:
        found = {child for board in layers[-1] for child in plain_children(shape, board, slides)} - seen
        layers.append(found)
        seen |= found
    return layers if layers[-1] else layers[:-1]


def layers_by_expand(problem):
    """Sizes of layers of rows of one word; a layer is what is in neither of the two before it."""
    before, current, sizes = np.empty(0, np.uint64), problem.initial()[:, 0], []
    while current.size:
        sizes.append(current.size)
        children = np.unique(problem.expand(current[:, None])[0])
        old = np.concatenate([before, current])
        before, current = current, children[~np.isin(children, old)]
    return sizes


def layers_by_sweep(problem, shards=1, room=4096, step=1 << 40):
    """Sizes of layers and all children generated, by bitmaps that are cut into shards."""
    sweep = problem.sweep()
    groups = problem.states() // sweep.width
    cuts = [groups * shard // shards for shard in range(shards + 1)]
    visited, current, following = (np.zeros(groups, sweep.dtype) for _ in range(3))
    group, place = divmod(int(problem.rank(problem.initial())[0]), sweep.width)
    visited[group] = current[group] = 1 << place
    outside = np.empty(sweep.reach + room, np.uint64)
    sizes, generated = [], 0
    while current.any():
        sizes.append(int(np.unpackbits(current.view(np.uint8)).sum()))
        for first, end in itertools.pairwise(cuts):
            lo = 0
            while lo < end - first:
                hi = min(end - first, lo + step)
                lo, count, children = sweep.push(
                    current[first:end], following[first:end], first, lo, hi, outside
                )
                generated += children
                ranks = outside[:count].astype(np.int64)
                assert not ((first <= ranks // sweep.width) & (ranks // sweep.width < end)).any()
                bits = (1 << ranks % sweep.width).astype(sweep.dtype)
                np.bitwise_or.at(following, ranks // sweep.width, bits)
        current = following & ~visited
        visited |= current
        following = np.zeros(groups, sweep.dtype)
    return sizes, generated


def random_boards(shape, count, seed):
    """Boards of any parity, shape ``(count, cells)``."""
    random = np.random.default_rng(seed)
    return np.array([random.permutation(shape.cells) for _ in range(count)], np.int64)


def to_boards(rows, shape):
    """Rows as tuples of tiles."""
    return list(map(tuple, layout.to_cells(rows, shape.cells).tolist()))
