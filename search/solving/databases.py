"""Sums of pattern databases, and of their mirror images where the goal has one."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from frontrow.search.kernel import lean, lean_inlined
from frontrow.search.patterns import places
from frontrow.search.patterns.lookup import Lookup
from frontrow.search.rows import Stop
from frontrow.search.sliding.layout import Cells
from frontrow.search.solving.descent import Ground, Task, Trail, descend
from frontrow.search.solving.heuristic import Heuristic

_ZERO, _ONE, _TWO = np.uint64(0), np.uint64(1), np.uint64(2)


class Sparse(NamedTuple):
    """What is looked up in the layout by cells; arrays of `frontrow.search.patterns.lookup.Lookup`.

    Attributes:
        values: all tables.
        slots: which slot a tile is in, shape ``(cells,)``.
        mirrored: the same in the mirror.
        steps: what a move adds to the index, shape ``(4 * cells,)``.
        mirrored_steps: the same in the mirror.
        sides: 1, or 2 with a mirror.
    """

    values: NDArray[np.uint8]
    slots: NDArray[np.uint8]
    mirrored: NDArray[np.uint8]
    steps: NDArray[np.uint64]
    mirrored_steps: NDArray[np.uint64]
    sides: int


class Dense(NamedTuple):
    """What is looked up in the layout by places; arrays of `frontrow.search.patterns.lookup.Lookup`.

    Attributes:
        values: all tables.
        slots: which slot a tile is in, shape ``(cells,)``.
        mirrored: the same in the mirror.
        base: where a slot's table begins.
        counts: sets of cells of a slot's size.
        toggles: the cells that a tile leaves and enters, shape ``(slots, 4 * cells)``.
        passed: the cells that it passes, shape ``(slots, 4 * cells, columns - 1)``.
        changes: what is added to the order for each tile there, shape ``(4 * cells, cells)``.
        mirrored_changes: the same in the mirror.
        low: see `frontrow.search.patterns.places.set_numbers`.
        high: see there.
        half: cells that `low` numbers.
        sides: 1, or 2 with a mirror.
    """

    values: NDArray[np.uint8]
    slots: NDArray[np.uint8]
    mirrored: NDArray[np.uint8]
    base: NDArray[np.uint64]
    counts: NDArray[np.uint64]
    toggles: NDArray[np.uint64]
    passed: NDArray[np.uint8]
    changes: NDArray[np.int16]
    mirrored_changes: NDArray[np.int16]
    low: NDArray[np.uint32]
    high: NDArray[np.uint32]
    half: np.uint64
    sides: int


class Databases(Heuristic):
    """The greater of the sums over a partition and over its mirror image."""

    def __init__(self, lookup: Lookup, values: NDArray[np.uint8]) -> None:
        """Args: lookup: arrays of the partition; values: its tables, flat; may be mapped read-only."""
        self._lookup, self._values = lookup, values
        self.keys = lookup.sides * lookup.patterns
        slots = values, lookup.slot[0], lookup.slot[-1]
        self._tables: Sparse | Dense
        if not lookup.places:
            self._shares = _shares(lookup)
            self._tables = Sparse(*slots, lookup.steps[0], lookup.steps[-1], lookup.sides)
            return
        self._tables = Dense(
            *slots,
            lookup.base,
            lookup.counts,
            lookup.toggles,
            lookup.passed,
            lookup.changes[0],
            lookup.changes[-1],
            lookup.low,
            lookup.high,
            np.uint64(lookup.shape.cells // 2),
            lookup.sides,
        )

    def begin(self, boards: Cells) -> NDArray[np.uint64]:
        """The key of every slot, then its value, shape ``(n, 2 * slots)``."""
        keys = self._lookup.keys(boards) if self._lookup.places else self._indices(boards)
        return np.concatenate([keys, self._held(keys).astype(np.uint64)], axis=1)

    def read(self, begun: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The greater sum, shape ``(n,)``."""
        held = begun[:, self.keys :].astype(np.int64)
        sums = held.reshape(-1, self._lookup.sides, self._lookup.patterns).sum(axis=2)
        greatest: NDArray[np.int64] = sums.max(axis=1)
        return greatest

    def _indices(self, boards: Cells) -> NDArray[np.uint64]:
        """What `Lookup.indices` gives in the layout by cells, faster for one board."""
        found: NDArray[np.uint64] = self._shares[:, boards, np.arange(boards.shape[1])].sum(axis=2).T
        return found + self._lookup.base

    def _held(self, keys: NDArray[np.uint64]) -> NDArray[np.uint8]:
        """The values of keys."""
        indices = keys
        if self._lookup.places:
            indices = self._lookup.base + np.stack(
                [
                    places.indices(keys[:, slot], int(size), self._lookup.shape.cells)
                    for slot, size in enumerate(self._lookup.sizes)
                ],
                axis=1,
            )
        return self._values[indices]

    def search(self, ground: Ground, task: Task, trail: Trail, stop: Stop) -> int:
        """Run the kernel of the layout."""
        run = search_dense if isinstance(self._tables, Dense) else search_sparse
        return int(run(self._tables, ground, task, trail, stop))


def _shares(lookup: Lookup) -> NDArray[np.uint64]:
    """What a tile on a cell adds to the index of each slot, shape ``(slots, tiles, cells)``."""
    cells = lookup.shape.cells
    shares = np.zeros((lookup.base.size, cells, cells), np.uint64)
    tiles = np.arange(1, cells)
    for side in range(lookup.sides):
        slots = lookup.slot[side, 1:]
        shares[slots, tiles] = lookup.weights[side, 1:, None] * lookup.images[slots]
    return shares


@lean_inlined
def _begin(tables: Any, begun: Any, packet: Any, trail: Any) -> Any:
    a, b = _ZERO, _ZERO
    slots = trail.keys.size
    for slot in range(slots):
        trail.keys[slot] = begun[packet, slot]
        trail.values[slot] = begun[packet, slots + slot]
        if slot < slots // tables.sides:
            a += begun[packet, slots + slot]
        else:
            b += begun[packet, slots + slot]
    return a, b, max(a, b)


@lean_inlined
def _advance(
    tables: Any, trail: Any, a: Any, b: Any, tile: Any, place: Any, before: Any, move: Any, most: Any
) -> Any:
    slot = np.uint64(tables.slots[tile])
    step = tile << _TWO | move
    key = trail.keys[slot] + tables.steps[step]
    value = np.uint64(tables.values[key])
    a = a + value - np.uint64(trail.values[slot])
    lower, other, held = a, _ZERO, _ZERO
    if tables.sides == 2 and a <= most:
        slot = np.uint64(tables.mirrored[tile])
        other = trail.keys[slot] + tables.mirrored_steps[step]
        held = np.uint64(tables.values[other])
        b = b + held - np.uint64(trail.values[slot])
        lower = max(a, b)
    return lower, a, b, (key, value, other, held)


@lean_inlined
def _commit(tables: Any, trail: Any, depth: Any, tile: Any, before: Any, move: Any, four: Any) -> Any:
    slot = np.uint64(tables.slots[tile])
    trail.old_keys[depth, 0], trail.old_values[depth, 0] = trail.keys[slot], trail.values[slot]
    trail.keys[slot], trail.values[slot] = four[0], four[1]
    if tables.sides == 2:
        slot = np.uint64(tables.mirrored[tile])
        trail.old_keys[depth, 1], trail.old_values[depth, 1] = trail.keys[slot], trail.values[slot]
        trail.keys[slot], trail.values[slot] = four[2], four[3]


@lean_inlined
def _undo(tables: Any, trail: Any, depth: Any, tile: Any, before: Any, move: Any) -> Any:
    slot = np.uint64(tables.slots[tile])
    trail.keys[slot], trail.values[slot] = trail.old_keys[depth, 0], trail.old_values[depth, 0]
    if tables.sides == 2:
        slot = np.uint64(tables.mirrored[tile])
        trail.keys[slot], trail.values[slot] = trail.old_keys[depth, 1], trail.old_values[depth, 1]


@lean_inlined
def _look_up(tables: Any, trail: Any, changes: Any, slot: Any, way: Any, step: Any) -> Any:
    """The key of a slot after its tile has moved, and the value then."""
    key = places.move_key(
        trail.keys[slot], slot, way, step, trail.board, tables.toggles, tables.passed, changes
    )
    index = places.index_key(key, tables.counts[slot], tables.half, tables.low, tables.high)
    return key, np.uint64(tables.values[tables.base[slot] + index])


@lean_inlined
def _advance_dense(
    tables: Any, trail: Any, a: Any, b: Any, tile: Any, place: Any, before: Any, move: Any, most: Any
) -> Any:
    slot = np.uint64(tables.slots[tile])
    way, step = place << _TWO | move, tile << _TWO | move
    key, value = _look_up(tables, trail, tables.changes, slot, way, step)
    a = a + value - np.uint64(trail.values[slot])
    lower, other, held = a, _ZERO, _ZERO
    if tables.sides == 2 and a <= most:
        slot = np.uint64(tables.mirrored[tile])
        other, held = _look_up(tables, trail, tables.mirrored_changes, slot, way, step)
        b = b + held - np.uint64(trail.values[slot])
        lower = max(a, b)
    return lower, a, b, (key, value, other, held)


@lean
def search_dense(tables: Any, ground: Any, task: Any, trail: Any, stop: Any) -> Any:
    """`frontrow.search.solving.descent.descend` with tables that are laid out by places."""
    return descend(_begin, _advance_dense, _commit, _undo, tables, ground, task, trail, stop)


@lean
def search_sparse(tables: Any, ground: Any, task: Any, trail: Any, stop: Any) -> Any:
    """`frontrow.search.solving.descent.descend` with tables that are laid out by cells."""
    return descend(_begin, _advance, _commit, _undo, tables, ground, task, trail, stop)
