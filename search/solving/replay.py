"""The independent check: every move of a path is made on plain tuples, without rows and kernels."""

import re
from collections.abc import Sequence

from frontrow.search.errors import FrontrowError
from frontrow.search.sliding.board import Board, Shape

_WAYS = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}
"""What a way of the blank adds to its row and column."""
_MOVE = re.compile(r"([UDLR])([2-9]|[1-9][0-9]+)?")


def replay(shape: Shape, start: Board, moves: Sequence[str]) -> list[Board]:
    """Every board on a path, the start first.

    Args:
        shape: of the boards.
        start: tiles row by row, 0 for the blank.
        moves: the ways the blank goes: ``U``, ``D``, ``L`` or ``R``, or ``U2`` over two cells.

    Raises:
        FrontrowError: if a move is none, or leaves the board.
    """
    boards = [start]
    for number, move in enumerate(moves, 1):
        match = _MOVE.fullmatch(move)
        if match is None:
            raise FrontrowError(f"move {number}: found {move!r}, expected U, D, L or R")
        board = boards[-1]
        for _ in range(int(match[2] or 1)):
            board = _step(shape, board, match[1], number)
        boards.append(board)
    return boards


def _step(shape: Shape, board: Board, way: str, number: int) -> Board:
    place = board.index(0)
    down, right = _WAYS[way]
    row, column = place // shape.columns + down, place % shape.columns + right
    if not (0 <= row < shape.rows and 0 <= column < shape.columns):
        raise FrontrowError(f"move {number}: found {way} off the board, expected a move within it")
    target = row * shape.columns + column
    tiles = list(board)
    tiles[place], tiles[target] = tiles[target], 0
    return tuple(tiles)


def checked(shape: Shape, start: Board, goal: Board, moves: Sequence[str]) -> list[Board]:
    """The boards of a path that has to end at the goal.

    Raises:
        FrontrowError: if it does not, or a move cannot be made.
    """
    boards = replay(shape, start, moves)
    if boards[-1] != goal:
        raise FrontrowError(f"path of {len(moves)} moves: found {boards[-1]} at its end, expected {goal}")
    return boards
