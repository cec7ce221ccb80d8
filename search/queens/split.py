"""Splits the whole board into boards whose completions, times a weight, add up to all solutions.

The queens on the centre lines are placed first. The eight symmetries of the square map the centre lines to
themselves, so of every orbit of placements one is kept and its weight is the size of the orbit: an eighth of
the tree is left, and no solution has to be looked at again. The centre is also where queens attack most, so
the tree below is half as large as with queens on the border placed first.

For odd n either a queen stands in the centre, or the middle row's and the middle column's queen stand at
different distances from it (at the same distance they attack each other), and then no symmetry but the
identity keeps the pair: one pair in eight is kept, with weight 8.
"""

import numpy as np
from numpy.typing import NDArray

from frontrow.search.queens import board
from frontrow.search.queens.board import Cells

CROSSED = 32
"""Largest n that is split by a whole cross; beyond, there would be more than 3 * 10**5 boards."""
TURNED = 12
"""Smallest n whose symmetric boards are split further than their root."""

_Index = NDArray[np.int64]


def centre_out(n: int) -> _Index:
    """The n rows (or columns), those in the middle first, the lower number first."""
    return np.array(sorted(range(n), key=lambda line: (abs(2 * line - n + 1), line)), np.int64)


def whole(n: int, crossed: int = CROSSED) -> Cells:
    """Boards of kind `board.ALL` that together stand for all solutions; shape ``(k, n + 1)``.

    Sorted by their free rows and their weight. Boards of more than `crossed` rows are only mirrored.
    """
    if n < 2:
        return board.root(n, board.ALL, ())
    if n > crossed:
        cells = _mirrored(n)
    elif n % 2 == 0:
        cells = _crosses(n, board.root(n, board.ALL, ())[0], n // 2 - 1, n // 2)
    else:
        middle = n // 2
        centred = board.root(n, board.ALL, ())
        board.place(centred, np.array([middle]), np.array([middle]))
        cells = np.concatenate([_crosses(n, centred[0], middle - 1, middle + 1), _pairs(n)])
    return cells[board.group(cells[:, 1:] == 0, cells[:, 0])]


def turned(n: int) -> Cells:
    """Boards of the kinds `board.HALF_TURN` and `board.QUARTER_TURN`, of weight 1 each."""
    roots = [board.root(n, kind, ()) for kind in (board.HALF_TURN, board.QUARTER_TURN)]
    cells = np.concatenate(roots)
    depth = 0 if n < TURNED else n % 2 + (3 if TURNED + 8 <= n <= CROSSED else 2)
    for _ in range(depth):
        cells = board.fill(cells, board.first_free(cells, centre_out(n)))[0]
    return cells


def _crosses(n: int, start: NDArray[np.int64], low: int, high: int) -> Cells:
    """Fill the rows and the columns `low` and `high`, which mirror each other; one board an orbit.

    Args:
        n: rows of the board.
        start: cells, shape ``(n + 1,)``, of the board to add to; every symmetry leaves it unchanged, and its
            queens stand off the four lines.
        low: line on one side of the centre.
        high: its mirror image.

    Costs about 200 steps of numpy on arrays of ``n**4 / 8`` numbers.
    """
    lines = _leading(n)
    lines = lines[:, _consistent(lines, low, high)]
    above, below, left, right = lines
    near, far = np.full_like(above, low), np.full_like(above, high)
    squares = [(near, above), (far, below), (left, near), (right, far)]
    queens = np.flatnonzero(start[1:])
    squares += [(np.full_like(above, row), np.full_like(above, start[row + 1] - 1)) for row in queens]
    peace = np.ones(lines.shape[1], np.bool_)
    for index, first in enumerate(squares):
        for second in squares[:index]:
            peace &= ~_attack(first, second)
    least, sizes = _least(lines[:, peace], n)
    chosen = np.flatnonzero(peace)[least]
    cells = np.repeat(start[None, :], chosen.size, axis=0)
    cells[:, 0] = board.ALL * board.WEIGHTS + sizes[least]
    for row, column in squares[:4]:
        board.place(cells, row[chosen], column[chosen])
    return cells


def _leading(n: int) -> _Index:
    """All queens of four lines, shape ``(4, k)``, of which the first may be the least of its orbit.

    They are the columns of the queens in rows `low` and `high`, and the rows of those in columns `low` and
    `high`. A symmetry brings each of them, or its mirror image, to the first place.
    """
    pieces = []
    for least in range((n + 1) // 2):
        others = np.indices((n - 2 * least,) * 3).reshape(3, -1) + least
        pieces.append(np.concatenate([np.full((1, others.shape[1]), least), others]))
    return np.concatenate(pieces, axis=1)


def _attack(first: tuple[_Index, _Index], second: tuple[_Index, _Index]) -> NDArray[np.bool_]:
    """Whether queens on two different squares attack each other; arrays of squares, and of answers."""
    down, across = np.abs(first[0] - second[0]), np.abs(first[1] - second[1])
    attacked: NDArray[np.bool_] = ((down == 0) != (across == 0)) | ((down == across) & (down != 0))
    return attacked


def _consistent(lines: _Index, low: int, high: int) -> NDArray[np.bool_]:
    """Whether a square that lies on two of the four lines has a queen in both or in neither."""
    above, below, left, right = lines
    agree: NDArray[np.bool_] = (above == low) == (left == low)
    agree &= (above == high) == (right == low)
    agree &= (below == low) == (left == high)
    agree &= (below == high) == (right == high)
    return agree


def _least(lines: _Index, n: int) -> tuple[NDArray[np.bool_], _Index]:
    """Which placements are the least of their orbit, and how large the orbits are."""
    above, below, left, right = lines
    far = n - 1
    images = []
    for a, b, p, q in (
        (above, below, left, right),
        (below, above, far - left, far - right),  # upside down
        (far - above, far - below, right, left),  # left to right
        (far - below, far - above, far - right, far - left),  # both: a half turn
    ):
        images.append(((a * n + b) * n + p) * n + q)
        images.append(((p * n + q) * n + a) * n + b)  # mirrored in the main diagonal
    keys = np.sort(np.stack(images), axis=0)
    return keys[0] == images[0], 1 + (keys[1:] != keys[:-1]).sum(axis=0)


def _pairs(n: int) -> Cells:
    """Boards of odd n without a queen in the centre: one pair in the middle lines out of eight, weight 8."""
    middle = n // 2
    near, far = np.triu_indices(middle, 1)
    cells = np.repeat(board.root(n, board.ALL, ()), near.size, axis=0)
    cells[:, 0] = board.ALL * board.WEIGHTS + 8
    board.place(cells, np.full_like(near, middle), middle + near + 1)
    board.place(cells, middle + far + 1, np.full_like(far, middle))
    for line in (middle - 1, middle + 1):
        cells = _fill_row(cells, line)
    return cells


def _fill_row(cells: Cells, line: int) -> Cells:
    """Put a queen in one row of every board in all ways; boards that have one there stay as they are."""
    full = cells[:, line + 1] > 0
    filled, _ = board.fill(cells, np.where(full, -1, line))
    return np.concatenate([cells[full], filled])


def _mirrored(n: int) -> Cells:
    """Boards up to left and right only: the first queen off the middle column stands left of it."""
    root = board.root(n, board.ALL, ())
    rows = centre_out(n)[:2]
    first = _fill_row(root, int(rows[0]))
    column = first[:, rows[0] + 1] - 1
    left, central = first[2 * column < n - 1], first[2 * column == n - 1]
    central = _fill_row(central, int(rows[1]))
    central = central[2 * (central[:, rows[1] + 1] - 1) < n - 1]
    left = _fill_row(left, int(rows[1]))
    cells = np.concatenate([left, central])
    cells[:, 0] = board.ALL * board.WEIGHTS + 2
    return cells
