"""Kernels that move pieces: by a cell, straight on, or along any path."""

from typing import Any

import numpy as np
from numba import uint64
from numpy.typing import NDArray

from frontrow.search.blocks.plan import Plan
from frontrow.search.kernel import inlined, kernel
from frontrow.search.rows import Rows

_NONE = np.uint64(0)
_ONE = np.uint64(1)


def degree(plan: Plan, metric: str) -> int:
    """An upper bound of the children of a row.

    Straight moves: the foremost cell of a piece that has moved was free, and only one piece can have come
    to it in each direction. Paths: s cells of a piece and f free ones hold it in f + 1 places at most, since
    sets of cells A and B have at least ``|A| + |B| - 1`` sums.
    """
    if metric == "piece":
        return plan.pieces * plan.free
    return 4 * (plan.free if metric == "slide" else min(plan.free, plan.pieces))


def expand(plan: Plan, metric: str, rows: Rows) -> tuple[Rows, NDArray[np.int32]]:
    """Children of rows and the index of each one's parent: pieces in reading order, then directions.

    Args:
        plan: of the puzzle.
        metric: ``step``, ``slide`` or ``piece``.
        rows: shape ``(n, words)``.
    """
    room = rows.shape[0] * degree(plan, metric)
    children, parents = np.empty((room, plan.words), np.uint64), np.empty(room, np.int32)
    if metric == "piece":
        count = _expand_paths(rows, plan.bits, plan.masks, plan.beyond, children, parents)
    else:
        far = metric == "slide"
        count = _expand_lines(rows, plan.bits, plan.masks, plan.beyond, far, children, parents)
    return children[:count], parents[:count]


def reached(plan: Plan, rows: Rows) -> NDArray[np.bool_]:
    """Which rows are as the goal says, shape ``(n,)``."""
    found = np.empty(rows.shape[0], np.bool_)
    _compare_rows(rows, plan.goal, found)
    return found


@inlined
def _find_pieces(
    rows: Any, row: Any, bits: Any, per_word: Any, field: Any, masks: Any, kinds: Any, places: Any
) -> Any:
    """Write the kind and the first cell of each piece; how many there are, and the cells they cover."""
    count, covered, cell = 0, _NONE, 0
    for word in range(rows.shape[1]):
        left = rows[row, word]
        for turn in range(per_word):
            if left == _NONE:
                break
            kind = left & field
            if kind:
                kinds[count], places[count] = kind, cell + turn
                covered |= masks[kind, cell + turn]
                count += 1
            left >>= uint64(bits)
        cell += per_word
    return count, covered


@inlined
def _write_child(
    rows: Any,
    row: Any,
    bits: Any,
    per_word: Any,
    field: Any,
    kind: Any,
    place: Any,
    to: Any,
    children: Any,
    at: Any,
) -> Any:
    """Write the row in which the piece at one cell is at another."""
    for word in range(rows.shape[1]):
        children[at, word] = rows[row, word]
    children[at, place // per_word] &= ~(field << uint64(place % per_word * bits))
    children[at, to // per_word] |= uint64(kind) << uint64(to % per_word * bits)


@kernel
def _expand_lines(
    rows: Any, bits: Any, masks: Any, beyond: Any, far: Any, children: Any, parents: Any
) -> Any:
    """Write the children by straight moves, of any distance if `far`; returns how many.

    Args:
        rows: shape ``(n, words)``.
        bits: of a field.
        masks: as `Plan.masks`.
        beyond: as `Plan.beyond`.
        far: whether a piece may go farther than a cell.
        children: shape ``(n * degree, words)``; written.
        parents: shape ``(n * degree,)``; written.
    """
    cells = masks.shape[1]
    per_word = 64 // bits
    field = (_ONE << uint64(bits)) - _ONE
    kinds, places = np.empty(cells, np.int64), np.empty(cells, np.int64)
    count = 0
    for row in range(rows.shape[0]):
        pieces, covered = _find_pieces(rows, row, bits, per_word, field, masks, kinds, places)
        for piece in range(pieces):
            kind, place = kinds[piece], places[piece]
            others = covered & ~masks[kind, place]
            for direction in range(4):
                to = beyond[direction, place]
                while to >= 0:
                    mask = masks[kind, to]
                    if mask == _NONE or mask & others:
                        break
                    _write_child(rows, row, bits, per_word, field, kind, place, to, children, count)
                    parents[count] = row
                    count += 1
                    if not far:
                        break
                    to = beyond[direction, to]
    return count


@kernel
def _expand_paths(rows: Any, bits: Any, masks: Any, beyond: Any, children: Any, parents: Any) -> Any:
    """Write the children by paths of one piece, nearest places first; otherwise as `_expand_lines`."""
    cells = masks.shape[1]
    per_word = 64 // bits
    field = (_ONE << uint64(bits)) - _ONE
    kinds, places = np.empty(cells, np.int64), np.empty(cells, np.int64)
    waiting = np.empty(cells, np.int64)
    count = 0
    for row in range(rows.shape[0]):
        pieces, covered = _find_pieces(rows, row, bits, per_word, field, masks, kinds, places)
        for piece in range(pieces):
            kind, place = kinds[piece], places[piece]
            others = covered & ~masks[kind, place]
            seen = _ONE << uint64(place)
            waiting[0] = place
            done, known = 0, 1
            while done < known:
                here = waiting[done]
                done += 1
                for direction in range(4):
                    to = beyond[direction, here]
                    if to < 0 or seen >> uint64(to) & _ONE:
                        continue
                    mask = masks[kind, to]
                    if mask == _NONE or mask & others:
                        continue
                    seen |= _ONE << uint64(to)
                    waiting[known] = to
                    known += 1
                    _write_child(rows, row, bits, per_word, field, kind, place, to, children, count)
                    parents[count] = row
                    count += 1
    return count


@kernel
def _compare_rows(rows: Any, goal: Any, found: Any) -> None:
    """Write which rows have the bits of ``goal[1]`` where ``goal[0]`` has any."""
    for row in range(rows.shape[0]):
        same = True
        for word in range(rows.shape[1]):
            same &= rows[row, word] & goal[0, word] == goal[1, word]
        found[row] = same
