"""The symmetries of a cube that leave some row where it is."""

import functools

import numpy as np
from numpy.typing import NDArray

from frontrow.search.cube import geometry
from frontrow.search.symmetry import Group


@functools.cache
def _all(edges: bool) -> tuple[tuple[str, ...], NDArray[np.int64], NDArray[np.int64]]:
    """Names, places and values, as `Group.of_fields` takes them, of all 48 symmetries.

    Without edges, of the 6 that leave the last corner where it is.
    """
    kinds = (geometry.EDGES, geometry.CORNERS) if edges else (geometry.CORNERS,)
    names: list[str] = []
    moved, values = [], []
    for letters in geometry.symmetries():
        parts = [geometry.conjugation(letters, places) for places in kinds]
        if edges or parts[-1][0][-1] == len(geometry.CORNERS) - 1:
            names.append("".join(letters[face] for face in "URF") if names else "identity")
            begins = (0, len(kinds[0]))
            moved.append(
                np.concatenate([places + begin for (places, _), begin in zip(parts, begins, strict=False)])
            )
            values.append(np.concatenate([images for _, images in parts]))
    return tuple(names), np.stack(moved), np.stack(values)


def _group(edges: bool, elements: NDArray[np.int64]) -> Group:
    names, places, values = _all(edges)
    chosen = [names[element] for element in elements]
    return Group.of_fields(chosen, places.shape[1], geometry.FIELD, places[elements], values[elements])


@functools.lru_cache(maxsize=8)
def fixing(row: tuple[int, ...]) -> Group:
    """The symmetries that leave a row, given by its words, and the solved cube where they are.

    An element is named by the faces that U, R and F become.
    """
    edges = len(row) == 2
    everything = np.arange(len(_all(edges)[0]))
    images = _group(edges, everything).images(np.array([row], np.uint64))
    return _group(edges, np.flatnonzero((images[:, 0] == np.array(row, np.uint64)).all(axis=1)))
