"""Cubes drawn as unfolded nets."""

from frontrow.search.cube import geometry
from frontrow.search.rows import Rows

COLOURS = dict(zip(geometry.FACES, "WRGYOB", strict=True))
"""White, red, green, yellow, orange, blue: the common colours, white on top and green in front."""

_SIDES = {
    face: tuple(sides)
    for face, sides in zip("URFDLB", ("LRBF", "FBUD", "LRUD", "LRFB", "BFUD", "RLUD"), strict=True)
}
"""The faces to the left, to the right, above and below each one as it lies in the net."""
_GAP = "  "


def draw(row: Rows) -> str:
    """Draw a row, shape ``(words,)``: U above, then L F R B side by side, then D; one letter a sticker."""
    size = 3 if row.shape[0] == 2 else 2
    stickers = _stickers(row)
    faces = {face: _face(face, size, stickers) for face in geometry.FACES}
    indent = " " * (2 * size - 1) + _GAP
    middle = [_GAP.join(lines) for lines in zip(*(faces[face] for face in "LFRB"), strict=True)]
    above, below = ([indent + line for line in faces[face]] for face in "UD")
    return "\n".join([*above, *middle, *below])


def _stickers(row: Rows) -> dict[frozenset[str], dict[str, str]]:
    """By the set of faces that a place lies on: the colour on each of them."""
    found: dict[frozenset[str], dict[str, str]] = {frozenset(f): {f: COLOURS[f]} for f in geometry.FACES}
    for place, (cubie, turned) in geometry.to_cubies(row).items():
        seen = {face: COLOURS[cubie[(k - turned) % len(cubie)]] for k, face in enumerate(place)}
        found[frozenset(place)] = seen
    return found


def _face(face: str, size: int, stickers: dict[frozenset[str], dict[str, str]]) -> list[str]:
    left, right, above, below = _SIDES[face]
    columns = (left, "", right) if size == 3 else (left, right)
    rows = (above, "", below) if size == 3 else (above, below)
    return [" ".join(stickers[frozenset(face + a + b)][face] for b in columns) for a in rows]
