"""Known layers of cubes, and a cube of stickers in space to compare with."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np

COUNTS = Path(__file__).parent.parent / "counts" / "cube.txt"

NORMALS = {"U": (0, 1, 0), "R": (1, 0, 0), "F": (0, 0, 1), "D": (0, -1, 0), "L": (-1, 0, 0), "B": (0, 0, -1)}
COLOURS = {"U": "W", "R": "R", "F": "G", "D": "Y", "L": "O", "B": "B"}
ACROSS = {
    "U": ("R", "F"),
    "R": ("B", "D"),
    "F": ("R", "D"),
    "D": ("R", "B"),
    "L": ("F", "D"),
    "B": ("L", "D"),
}
"""Which way the columns and the rows of each face run in the net."""

Vector = tuple[int, int, int]
Stickers = dict[tuple[Vector, Vector], str]


def known(size: str, metric: str) -> list[int]:
    """Sizes of layers from the solved cube."""
    for line in COUNTS.read_text().splitlines():
        if line.startswith(f"{size} {metric} "):
            return [int(word) for word in line.split()[2:]]
    raise KeyError((size, metric))


def solved(size: int) -> Stickers:
    """The colour of every sticker by its position and the direction that it faces."""
    steps = (-1, 0, 1) if size == 3 else (-1, 1)
    positions = [(x, y, z) for x in steps for y in steps for z in steps]
    return {
        (position, normal): COLOURS[face]
        for position in positions
        for face, normal in NORMALS.items()
        if np.dot(position, normal) == 1
    }


def rotated(vector: Vector, axis: Vector) -> Vector:
    """A vector after a quarter turn clockwise, as seen from where the axis points to."""
    a, v = np.array(axis), np.array(vector)
    x, y, z = (-np.cross(a, v) + a * np.dot(a, v)).tolist()
    return x, y, z


def turned(stickers: Stickers, face: str, *, everything: bool = False) -> Stickers:
    """The stickers after a quarter turn of a face, or of the whole cube."""
    axis = NORMALS[face]
    return {
        (rotated(at, axis), rotated(to, axis)) if everything or np.dot(at, axis) == 1 else (at, to): colour
        for (at, to), colour in stickers.items()
    }


def scrambled(size: int, moves: Iterable[str]) -> Stickers:
    """The stickers of a solved cube after moves such as U, U2 and U'."""
    stickers = solved(size)
    for move in moves:
        for _ in range({"": 1, "2": 2, "'": 3}[move[1:]]):
            stickers = turned(stickers, move[0])
    return stickers


def orientations(stickers: Stickers) -> list[Stickers]:
    """The same cube held in all 24 ways."""
    found = []
    for first in ["", "F", "FF", "FFF", "R", "RRR"]:
        held = stickers
        for face in first:
            held = turned(held, face, everything=True)
        for _ in range(4):
            held = turned(held, "U", everything=True)
            found.append(held)
    return found


def net(stickers: Stickers, size: int) -> list[str]:
    """The colours of each face, U R F D L B, line by line."""
    steps = (-1, 0, 1) if size == 3 else (-1, 1)
    found = []
    for face, normal in NORMALS.items():
        right, down = (np.array(NORMALS[other]) for other in ACROSS[face])
        for row in steps:
            positions = [tuple((np.array(normal) + right * column + down * row).tolist()) for column in steps]
            found.append(" ".join(stickers[position, normal] for position in positions))
    return found


def drawn(picture: str, size: int) -> list[str]:
    """A drawn net as `net` lists it."""
    lines = picture.splitlines()
    wide = [line.split("  ") for line in lines[size : 2 * size]]
    left, front, right, back = (list(face) for face in zip(*wide, strict=True))
    above, below = ([line.strip() for line in part] for part in (lines[:size], lines[2 * size :]))
    return [*above, *right, *front, *below, *left, *back]
