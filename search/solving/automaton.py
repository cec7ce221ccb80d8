"""The automaton that keeps a search from moves whose effect it has by other moves already.

Words of moves that start with the blank in the same cell and bring the same tiles to the same cells have the
same effect. In the order of length and, for one length, of U < D < L < R, only the first word of an effect is
kept (Taylor and Korf 1993). A word that is not kept is forbidden, and so is every word that contains it.

Why the lexicographically first of the shortest solutions contains no forbidden word: if it did, the word that
is kept in place of the forbidden one has the same effect, so it makes a solution again, and that one would be
shorter, or as long and lexicographically earlier. So what is pruned is never needed, and a search that tries
U, D, L and R in this order finds that solution first.

The forbidden words that contain no other one are the patterns of an automaton (Aho and Corasick 1975): its
states are the cell of the blank some moves ago and the moves since, the longest ones that begin a pattern.
"""

import functools
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from frontrow.search.sliding import layout, moves
from frontrow.search.sliding.board import Shape

Numbers: TypeAlias = NDArray[np.int64]

MOVES = 4
SHIFT = 4
"""An entry of the automaton has the moves that are allowed in its low bits and the state above them."""
LARGE = 36
"""Cells up to which patterns of medium length are looked for."""


@dataclass(frozen=True, slots=True, eq=False)
class Automaton:
    """Which moves are allowed after which.

    An entry is a state times 16, plus bit m for each move m that is allowed (0 U, 1 D, 2 L, 3 R).

    Attributes:
        start: entries for a search that begins with the blank in a cell, shape ``(cells,)``, ``uint32``.
        next: ``next[4 * state + move]`` is the entry after a move, ``uint32``.
        patterns: how many words are forbidden that contain no other forbidden word.
    """

    start: NDArray[np.uint32]
    next: NDArray[np.uint32]
    patterns: int

    @property
    def states(self) -> int:
        """How many states there are."""
        return int(self.next.shape[0]) // MOVES


def longest_pattern(shape: Shape) -> int:
    """Length of the longest patterns: two more would prune little more."""
    return 12 if shape.cells <= layout.WORD_CELLS else 10 if shape.cells <= LARGE else 8


@functools.lru_cache(16)
def automaton(shape: Shape, longest: int) -> Automaton:
    """The automaton whose patterns have at most so many moves; 2 forbids only to go straight back."""
    steps = step_table(shape)
    found = [_forbidden(steps, cell, longest) for cell in range(shape.cells)]
    levels = [np.concatenate([keys[length] for keys in found]) for length in range(longest + 1)]
    return _unfold(steps, _minimal(steps, levels))


@functools.lru_cache(16)
def step_table(shape: Shape) -> Numbers:
    """The cell that the blank comes to by each move, shape ``(cells, 4)``; -1 where it cannot move so."""
    table = moves.moves(shape, slides=False)
    steps = np.full((shape.cells, MOVES), -1, np.int64)
    for cell in range(shape.cells):
        for target in table.targets[cell, : table.counts[cell]].tolist():
            steps[cell, "UDLR".index(moves.name_move(shape, cell, target))] = target
    steps.setflags(write=False)
    return steps


def _forbidden(steps: Numbers, cell: int, longest: int) -> list[Numbers]:
    """The words from a cell that are not kept, but all of whose beginnings are: keys by their length.

    The key of a word of m moves is the cell times 4^m, plus the moves as digits of base 4.
    """
    cells = steps.shape[0]
    boards, places = np.arange(1, cells + 1, dtype=np.uint8)[None, :], np.array([cell])
    boards[0, cell] = 0
    keys = np.array([cell])
    seen = {boards[0].tobytes()}
    levels = [np.empty(0, np.int64)]
    for _ in range(longest):
        parents, ways = np.nonzero(steps[places] >= 0)
        before, places = places[parents], steps[places[parents], ways]
        boards, lines = boards[parents], np.arange(parents.size)
        boards[lines, before], boards[lines, places] = boards[lines, places], 0
        keys = keys[parents] * MOVES + ways
        kept = np.empty(parents.size, np.bool_)
        for line, effect in enumerate(boards.view(f"V{cells}")[:, 0].tolist()):
            kept[line] = effect not in seen
            seen.add(effect)
        levels.append(keys[~kept])
        boards, places, keys = boards[kept], places[kept], keys[kept]
    return levels


def _minimal(steps: Numbers, levels: list[Numbers]) -> list[Numbers]:
    """The words that do not end in another forbidden one; keys by length, sorted."""
    minimal = []
    for length, keys in enumerate(levels):
        whole = np.ones(keys.size, np.bool_)
        place = keys >> 2 * length
        for left in range(length - 1, 1, -1):
            place = steps[place, keys >> 2 * left & 3]
            suffixes = (place << 2 * left) + (keys & (1 << 2 * left) - 1)
            whole &= ~np.isin(suffixes, levels[left])
        minimal.append(np.sort(keys[whole]))
    return minimal


def _unfold(steps: Numbers, patterns: list[Numbers]) -> Automaton:
    """The automaton of patterns, made in the order of the length of the moves that states remember."""
    cells, longest = steps.shape[0], len(patterns) - 1
    # Beginnings of patterns by their length: the states. Those of length 0 are the cells.
    begun = [np.arange(cells)]
    for length in range(1, longest):
        beginnings = [keys >> 2 * (n - length) for n, keys in enumerate(patterns) if n > length]
        begun.append(np.unique(np.concatenate(beginnings)))
    first = np.cumsum([0, *(keys.size for keys in begun)])
    target, allowed = np.zeros((first[-1], MOVES), np.int64), np.zeros((first[-1], MOVES), np.bool_)
    ends, shorter = np.empty(first[-1], np.int64), np.zeros(first[-1], np.int64)
    ends[:cells] = np.arange(cells)
    for length, keys in enumerate(begun):
        states = first[length] + np.arange(keys.size)
        longer = begun[length + 1] if length + 1 < longest else np.empty(0, np.int64)
        for move in range(MOVES):
            after, place = keys * MOVES + move, steps[ends[states], move]
            # What the longest suffix that is a state as well does with the move; without one, the new cell.
            target[states, move] = target[shorter[states], move] if length else np.maximum(place, 0)
            allowed[states, move] = place >= 0
            if length:
                allowed[states, move] &= allowed[shorter[states], move]
            allowed[states, move] &= ~np.isin(after, patterns[length + 1])
            found = np.isin(after, longer)
            children = first[length + 1] + np.searchsorted(longer, after[found])
            ends[children], shorter[children] = place[found], target[states[found], move]
            target[states[found], move] = children
    entries = (np.arange(first[-1]) << SHIFT) + (allowed << np.arange(MOVES)).sum(axis=1)
    following = np.where(allowed, entries[target], 0).astype(np.uint32).reshape(-1)
    return Automaton(entries[:cells].astype(np.uint32), following, sum(keys.size for keys in patterns))
