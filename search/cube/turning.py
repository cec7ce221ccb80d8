"""Turning faces of many cubes."""

import functools
from typing import Any

import numpy as np
from numba import uint64
from numpy.typing import NDArray

from frontrow.search.cube import geometry
from frontrow.search.kernel import inlined, kernel
from frontrow.search.rows import Rows

_CORNER = np.uint64((1 << geometry.CORNER_BITS) - 1)
_SHIFT = np.uint64(geometry.CORNER_BITS)
_FIELD = np.uint64((1 << geometry.FIELD) - 1)
_THREE = np.uint64(3)
_FLIP = geometry.EDGE_BITS


@functools.cache
def quarters(faces: str, *, edges: bool) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """What a quarter turn of each face moves.

    Returns:
        Shape ``(faces, 4, 3)``: the lowest bit of the place it moves from, of the place it moves to, and what
        is added to the orientation; and the bits of all four places, shape ``(faces,)``.
    """
    moves = np.zeros((len(faces), 4, 3), np.uint64)
    masks = np.zeros(len(faces), np.uint64)
    for f, face in enumerate(faces):
        motion = geometry.quarter_turn(face, edges=edges)
        moved = np.flatnonzero(motion.places != np.arange(len(motion.places)))
        for i, place in enumerate(moved.tolist()):
            target = int(motion.places[place])
            moves[f, i] = geometry.FIELD * place, geometry.FIELD * target, int(motion.twists[place])
            masks[f] |= _FIELD << np.uint64(geometry.FIELD * place)
    return moves, masks


@inlined
def turn_corners(word: Any, moves: Any, mask: Any, face: Any) -> Any:
    """Corners after a quarter turn of a face."""
    turned = word & ~mask[face]
    for i in range(4):
        field = word >> moves[face, i, 0] & _FIELD
        orientation = (field >> _SHIFT) + moves[face, i, 2]
        if orientation >= _THREE:
            orientation -= _THREE
        turned |= (field & _CORNER | orientation << _SHIFT) << moves[face, i, 1]
    return turned


@inlined
def turn_edges(word: Any, moves: Any, mask: Any, face: Any) -> Any:
    """Edges after a quarter turn of a face."""
    turned = word & ~mask[face]
    for i in range(4):
        field = word >> moves[face, i, 0] & _FIELD
        turned |= (field ^ moves[face, i, 2] << uint64(_FLIP)) << moves[face, i, 1]
    return turned


@kernel
def _turn_all(
    rows: Any,
    corners: Any,
    corner_mask: Any,
    edges: Any,
    edge_mask: Any,
    half: Any,
    children: Any,
    parents: Any,
) -> None:
    """Turn every face of every cube by every amount.

    Args:
        rows: shape ``(n, words)``.
        corners: of `quarters`.
        corner_mask: of `quarters`.
        edges: of `quarters`; not used if rows have one word.
        edge_mask: of `quarters`; not used if rows have one word.
        half: whether a half turn is a move.
        children: written, shape ``(n * moves, words)``; by face and amount.
        parents: written, shape ``(n * moves,)``.
    """
    words = rows.shape[1]
    count = 0
    for parent in range(rows.shape[0]):
        for face in range(corners.shape[0]):
            corner_word = rows[parent, words - 1]
            edge_word = rows[parent, 0]
            for amount in range(3):
                corner_word = turn_corners(corner_word, corners, corner_mask, face)
                if words == 2:
                    edge_word = turn_edges(edge_word, edges, edge_mask, face)
                if amount == 1 and not half:
                    continue
                children[count, 0] = edge_word
                children[count, words - 1] = corner_word
                parents[count] = parent
                count += 1


def expand(rows: Rows, faces: str, *, half: bool) -> tuple[Rows, NDArray[np.int32]]:
    """All cubes one move away, in the order of rows, faces and amounts, and each one's parent."""
    corners, corner_mask = quarters(faces, edges=False)
    edges, edge_mask = quarters(faces, edges=True)
    count = rows.shape[0] * len(faces) * (3 if half else 2)
    children, parents = np.empty((count, rows.shape[1]), np.uint64), np.empty(count, np.int32)
    _turn_all(rows, corners, corner_mask, edges, edge_mask, half, children, parents)
    return children, parents
