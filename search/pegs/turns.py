"""The symmetries of a board: which turns and mirrors map its holes to its holes."""

from frontrow.search.pegs.board import Board

Matrix = tuple[int, int, int, int]
"""Twice what x and y of a hole are multiplied by: ``(ax + by, cx + dy)``."""

_UPRIGHT: Matrix = (-2, 0, 0, 2)
"""The mirror that swaps left and right."""
_QUARTER: Matrix = (0, -2, 2, 0)
_SIXTH: Matrix = (1, -3, 1, 1)
"""A sixth of a turn where lines of holes are half a hole apart; both turns are clockwise."""


def symmetries(board: Board) -> list[tuple[str, tuple[int, ...]]]:
    """All symmetries of a board, each once, the identity first: a name and where each hole goes.

    ``turn 90`` is a turn by 90 degrees, ``mirror 45`` a reflection in the upright axis turned by 45. They map
    jumps to jumps, since they map the grid to itself.
    """
    step, degrees = (_SIXTH, 60) if board.is_triangular else (_QUARTER, 90)
    number = {hole: i for i, hole in enumerate(_aligned([(2 * x, 2 * y) for x, y in board.holes]))}
    found: dict[tuple[int, ...], str] = {}
    for name, turn, element in (("turn", degrees, (2, 0, 0, 2)), ("mirror", degrees // 2, _UPRIGHT)):
        for times in range(360 // degrees):
            images = _aligned([_apply(element, hole) for hole in board.holes])
            places = tuple(number.get(image, -1) for image in images)
            if -1 not in places and places not in found:
                found[places] = f"{name} {times * turn}" if found else "identity"
            element = _product(step, element)
    return [(name, places) for places, name in found.items()]


def _apply(matrix: Matrix, hole: tuple[int, int]) -> tuple[int, int]:
    a, b, c, d = matrix
    return a * hole[0] + b * hole[1], c * hole[0] + d * hole[1]


def _product(first: Matrix, second: Matrix) -> Matrix:
    (a, b, c, d), (e, f, g, h) = first, second
    return (a * e + b * g) // 2, (a * f + b * h) // 2, (c * e + d * g) // 2, (c * f + d * h) // 2


def _aligned(points: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Points moved to where the least x and the least y are 0."""
    left, top = min(x for x, _ in points), min(y for _, y in points)
    return [(x - left, y - top) for x, y in points]
