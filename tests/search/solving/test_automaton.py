"""The automaton forbids what is needed by no first shortest solution, and nothing else."""

import pytest

from frontrow.search.sliding.board import Shape
from frontrow.search.solving.automaton import MOVES, SHIFT, automaton, longest_pattern
from tests.search.solving.finder_support import numbered_children

DEPTHS = {(1, 4): 5, (2, 2): 8, (2, 3): 16, (3, 2): 16, (3, 3): 13, (2, 5): 12, (4, 4): 10}


def first_words(shape, place, depth):
    """The first word of each effect of words from a place, length by length."""
    board = [*range(1, shape.cells)]
    board.insert(place, 0)
    layer, seen = [((), tuple(board))], {tuple(board)}
    for _ in range(depth):
        following = []
        for word, before in layer:
            for move, after in numbered_children(shape, before):
                if after not in seen:
                    seen.add(after)
                    following.append(((*word, move), after))
        layer = following
        yield [word for word, _ in layer]


def allows(found, place, word):
    """Whether the automaton lets a word pass."""
    entry = int(found.start[place])
    for move in word:
        if not entry >> move & 1:
            return False
        entry = int(found.next[(entry >> SHIFT) * MOVES + move])
    return True


def allowed_words(found, place, length):
    """How many words of a length it lets pass."""
    entries = [int(found.start[place])]
    for _ in range(length):
        entries = [
            int(found.next[(entry >> SHIFT) * MOVES + move])
            for entry in entries
            for move in range(MOVES)
            if entry >> move & 1
        ]
    return len(entries)


@pytest.mark.parametrize(("shape", "depth"), DEPTHS.items())
def test_the_first_shortest_word_of_every_effect_passes(shape, depth):
    shape = Shape(*shape)
    found = automaton(shape, longest_pattern(shape))
    for place in range(shape.cells):
        for words in first_words(shape, place, depth):
            assert all(allows(found, place, word) for word in words)


@pytest.mark.parametrize("shape", [(2, 2), (2, 3), (3, 3), (4, 4)])
def test_no_other_word_passes_up_to_the_longest_pattern(shape):
    shape, longest = Shape(*shape), 8
    found = automaton(shape, longest)
    for place in range(shape.cells):
        for length, words in enumerate(first_words(shape, place, longest), 1):
            assert allowed_words(found, place, length) == len(words)


def test_patterns_of_two_moves_only_forbid_to_go_straight_back():
    shape = Shape(3, 3)
    found = automaton(shape, 2)
    assert found.patterns == 24
    assert allowed_words(found, 4, 1) == 4
    assert allowed_words(found, 4, 2) == 8
    assert allowed_words(found, 4, 3) == 8


def test_the_automaton_of_the_fifteen_puzzle_has_known_size():
    found = automaton(Shape(4, 4), 12)
    assert (found.states, found.patterns) == (13486, 3556)
