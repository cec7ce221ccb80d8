"""How moves are written: by the way the blank goes, by the way the tile goes, or by the tile."""

from collections.abc import Sequence

from frontrow.search.sliding.board import Board, Shape

NOTATIONS = ("blank", "tile", "number")
STATED = {
    "blank": "U D L R: the way the blank goes",
    "tile": "U D L R: the way the tile goes",
    "number": "the number of the tile that moves",
}
"""What each notation means, for people."""
_OPPOSITE = {"U": "D", "D": "U", "L": "R", "R": "L"}


def written(shape: Shape, boards: Sequence[Board], moves: Sequence[str], notation: str) -> tuple[str, ...]:
    """Moves in a notation.

    Args:
        shape: of the boards.
        boards: those before and after the moves, one more than moves.
        moves: the ways the blank goes: ``U``, or ``U2`` over two cells.
        notation: one of `NOTATIONS`. Tiles that move together are joined by ``+``, the one that was nearest
            to the blank first.
    """
    if notation == "blank":
        return tuple(moves)
    if notation == "tile":
        return tuple(_OPPOSITE[move[0]] + move[1:] for move in moves)
    return tuple(_tiles(shape, boards[k], boards[k + 1]) for k in range(len(moves)))


def _tiles(shape: Shape, before: Board, after: Board) -> str:
    blank, target = before.index(0), after.index(0)
    step = 1 if blank // shape.columns == target // shape.columns else shape.columns
    way = step if target > blank else -step
    return "+".join(str(before[place]) for place in range(blank + way, target + way, way))
