"""Places, cubies and turns of the cube, all derived from the names of places.

A place is named by the faces it lies on, those of a corner clockwise as seen from outside. A cubie has the
name of the place where it belongs. Its orientation o says that the sticker which belongs on the first face of
its name is on face o of its place.

A cubie in its place is a field of `FIELD` bits, its number below and its orientation above. The corners fill
the last word of a row, place by place from the lowest bits; the edges, if there are any, the word before it.
So rows are fields as `frontrow.search.rows.pack` makes them.
"""

import functools
import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frontrow.search.rows import Rows, pack

CORNERS = ("URF", "UFL", "ULB", "UBR", "DFR", "DLF", "DRB", "DBL")
"""The last one never moves if only U, R and F are turned."""
EDGES = ("UR", "UF", "UL", "UB", "DR", "DF", "DL", "DB", "FR", "FL", "BL", "BR")
FACES = "URFDLB"
OPPOSITE = dict(zip(FACES, "DLBURF", strict=True))
FIELD = 5
"""Bits of a place."""
CORNER_BITS, EDGE_BITS = 3, 4
"""Bits of a cubie's number within its field."""
AMOUNTS = ("", "2", "'")
"""What follows the name of a face: a quarter turn clockwise, a half turn, a quarter turn back."""

_CYCLES = {"U": "FLBR", "R": "UBDF", "F": "URDL", "D": "FRBL", "L": "UFDB", "B": "ULDR"}
"""The faces around each one, in the order in which a quarter turn clockwise moves stickers."""
_MOVE = re.compile(r"([URFDLB])(2'|2|'|)")

Letters = Mapping[str, str]
"""Where each face goes."""


def _image(place: str, letters: Letters, places: Sequence[str]) -> tuple[int, int]:
    """Number of the place that a place goes to, and which of its faces the first one becomes."""
    moved = [letters[face] for face in place]
    number = next(i for i, name in enumerate(places) if set(name) == set(moved))
    return number, places[number].index(moved[0])


@dataclass(frozen=True, slots=True)
class Motion:
    """What turns some places onto others.

    Attributes:
        places: where the content of each place goes, shape ``(k,)``.
        twists: what is added to its orientation, shape ``(k,)``.
        modulus: 3 for corners, 2 for edges.
    """

    places: NDArray[np.int64]
    twists: NDArray[np.int64]
    modulus: int

    def then(self, other: "Motion") -> "Motion":
        """This motion, and another one after it."""
        twists = (self.twists + other.twists[self.places]) % self.modulus
        return Motion(other.places[self.places], twists, self.modulus)

    def apply(self, cubies: NDArray[np.int64], turned: NDArray[np.int64]) -> None:
        """Move cubies and their orientations, each of shape ``(k,)``, in place."""
        cubies[self.places], turned[self.places] = cubies.copy(), (turned + self.twists) % self.modulus


def _motion(letters: Letters, places: Sequence[str], face: str = "") -> Motion:
    """What a rotation does to all places, or to those on one face."""
    images = [_image(place, letters, places) if face in place else (i, 0) for i, place in enumerate(places)]
    targets, twists = np.array(images, np.int64).T
    return Motion(targets, twists, len(places[0]))


@functools.cache
def quarter_turn(face: str, *, edges: bool) -> Motion:
    """A quarter turn of a face clockwise, of the corners or of the edges."""
    return _motion(_quarter(face), EDGES if edges else CORNERS, face)


def _quarter(face: str) -> Letters:
    cycle = _CYCLES[face]
    return {name: name for name in FACES} | dict(zip(cycle, cycle[1:] + cycle[0], strict=True))


def turn(face: str, amount: int, *, edges: bool) -> Motion:
    """`amount` (1 to 3) quarter turns of a face clockwise."""
    once = quarter_turn(face, edges=edges)
    motion = once
    for _ in range(amount - 1):
        motion = motion.then(once)
    return motion


def read_moves(text: str) -> tuple[str, ...]:
    """Read a sequence of moves such as ``R U2 F'``.

    Raises:
        ValueError: with what was found and what was expected.
    """
    rest, moves = "".join(text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").split()), []
    while rest:
        found = _MOVE.match(rest)
        if found is None:
            raise ValueError(
                f"found {rest[:20]!r}, expected moves such as R U2 F' (of the faces {' '.join(FACES)})"
            )
        moves.append(found[1] + found[2].replace("2'", "2"))
        rest = rest[found.end() :]
    return tuple(moves)


@functools.lru_cache(maxsize=8)
def scrambled(moves: tuple[str, ...], *, edges: bool) -> Rows:
    """The solved cube after some moves, shape ``(1, words)``.

    Without edges the whole cube is rotated afterwards, so that the last corner is where it belongs.
    """
    kinds = [False, True] if edges else [False]
    cubies = [np.arange(len(EDGES if kind else CORNERS)) for kind in kinds]
    turned = [np.zeros(len(each), np.int64) for each in cubies]
    for move in moves:
        for kind in kinds:
            motion = turn(move[0], AMOUNTS.index(move[1:]) + 1, edges=kind)
            motion.apply(cubies[kind], turned[kind])
    if not edges:
        _bring_home(cubies[0], turned[0])
    bits = (CORNER_BITS, EDGE_BITS)
    fields = [cubies[kind] | turned[kind] << bits[kind] for kind in reversed(kinds)]
    return pack(np.concatenate(fields)[None], FIELD)


def _bring_home(cubies: NDArray[np.int64], turned: NDArray[np.int64]) -> None:
    """Rotate a whole cube so that the last corner is at home."""
    last = len(CORNERS) - 1
    place = int(np.flatnonzero(cubies == last)[0])
    for letters in symmetries():
        motion = _motion(letters, CORNERS)
        comes_home = motion.places[place] == last and (turned[place] + motion.twists[place]) % 3 == 0
        if is_rotation(letters) and comes_home:
            motion.apply(cubies, turned)
            return


def to_cubies(row: Rows) -> dict[str, tuple[str, int]]:
    """By the place: the name of the cubie there in a row, shape ``(words,)``, and its orientation."""
    found = {}
    for word, places in zip(row.tolist()[::-1], (CORNERS, EDGES), strict=False):
        bits = CORNER_BITS if places == CORNERS else EDGE_BITS
        for number, place in enumerate(places):
            field = word >> FIELD * number & (1 << FIELD) - 1
            found[place] = places[field & (1 << bits) - 1], field >> bits
    return found


@functools.cache
def symmetries() -> tuple[Letters, ...]:
    """The 48 rotations and reflections of a cube, the identity first."""
    found = []
    for axes in itertools.permutations("URF"):
        for flips in itertools.product((False, True), repeat=3):
            images = [OPPOSITE[a] if flip else a for a, flip in zip(axes, flips, strict=True)]
            found.append(dict(zip("URFDLB", images + [OPPOSITE[a] for a in images], strict=True)))
    return tuple(found)


def is_rotation(letters: Letters) -> bool:
    """Whether a symmetry is no reflection: names of corners stay clockwise."""
    moved = "".join(letters[face] for face in CORNERS[0])
    return any(moved in name + name for name in CORNERS)


def conjugation(letters: Letters, places: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What a symmetry makes of the cubies in places: it moves the place and renames the cubie.

    Returns:
        Where each place goes, shape ``(k,)``, and what each field becomes there, shape ``(k, 2**FIELD)``;
        fields that do not occur stay as they are.
    """
    images = [_image(place, letters, places) for place in places]
    bits, modulus = (EDGE_BITS if len(places[0]) == 2 else CORNER_BITS), len(places[0])
    values = np.tile(np.arange(1 << FIELD), (len(places), 1))
    for p, place in enumerate(places):
        target = places[images[p][0]]
        for cubie, (renamed, first) in enumerate(images):
            for turned in range(modulus):
                shown = target.index(letters[place[turned]])
                values[p, cubie | turned << bits] = renamed | (shown - first) % modulus << bits
    return np.array([number for number, _ in images], np.int64), values
