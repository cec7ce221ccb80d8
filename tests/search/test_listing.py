"""Listing: every solution once, in the order of the walk, whatever the limit and the budget."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontrow import CountingTree, StoppedError
from frontrow.search.listing import list_solutions
from frontrow.search.problems.queens import Queens
from frontrow.search.queens import board, listing
from frontrow.search.rows import new_stop

UNIQUE = [1, 1, 0, 0, 1, 2, 1, 6, 12, 46, 92, 341]  # OEIS A002562; n = 0 has the empty board
PLENTY = 10**9


class Even(CountingTree):
    """Words over 0, 1, 2 up to four letters; those with an even sum are solutions, inner nodes too.

    Words that are each other's reverse form a class.
    """

    cells, bits = 4, 2
    symmetric = True

    def children(self, node):
        return [(*node, letter) for letter in range(3)] if len(node) < 4 else []

    def is_solution(self, node):
        return sum(node) % 2 == 0

    def is_canonical(self, node):
        return node <= node[::-1]


class EvenRows(CountingTree):
    """The same tree on rows: a letter is two bits, above a bit that ends the word."""

    words = 1
    symmetric = True

    def initial(self):
        return np.array([[1]], np.uint64)

    def letters(self, rows):
        texts = [bin(int(row[0]))[3:] for row in rows]
        return [tuple(int(text[i : i + 2], 2) for i in range(0, len(text), 2)) for text in texts]

    def expand(self, rows):
        children = rows * np.uint64(4) + np.arange(3, dtype=np.uint64)
        parents = np.repeat(np.arange(rows.shape[0], dtype=np.int32), 3)
        short = np.repeat(rows[:, 0] < 256, 3)
        return children.reshape(-1, 1)[short], parents[short]

    def is_solution(self, rows):
        return np.array([sum(word) % 2 == 0 for word in self.letters(rows)], np.bool_)

    def is_canonical(self, rows):
        return np.array([word <= word[::-1] for word in self.letters(rows)], np.bool_)


def walk(problem, node):
    if problem.is_solution(node):
        yield node
    for child in problem.children(node):
        yield from walk(problem, child)


def listed(problem, limit, budget, unique=False, how=None):
    """All solutions as rows, some at a time; and the largest part."""
    how = how or type(problem).list_under
    rows, found, largest = problem.initial(), [problem.initial()[:0]], 0
    while rows.shape[0]:
        part = how(problem, rows, limit, budget, new_stop(), unique=unique)
        assert part.nodes > 0 or part.solutions.shape[0] > 0
        found.append(part.solutions)
        largest = max(largest, part.solutions.shape[0])
        rows = part.rest
    return np.concatenate(found), largest


WORDS = list(walk(Even(), ()))


@given(st.integers(1, 50), st.integers(1, 50), st.booleans())
def test_parents_come_before_children_for_every_limit_and_budget(limit, budget, unique):
    expected = [word for word in WORDS if not unique or Even().is_canonical(word)]
    rows, largest = listed(Even(), limit, budget, unique)
    assert [Even().render(row) for row in rows] == [",".join(map(str, word)) for word in expected]
    assert largest <= limit


@given(st.integers(1, 50), st.integers(1, 50), st.booleans())
def test_a_tree_on_rows_is_listed_like_one_on_tuples(limit, budget, unique):
    rows, _ = listed(EvenRows(), limit, budget, unique)
    assert EvenRows().letters(rows) == [word for word in WORDS if not unique or Even().is_canonical(word)]


def permutations(n):
    """All solutions by trying every placement of n queens in n columns, in order."""
    for columns in itertools.permutations(range(n)):
        if (
            len({row + c for row, c in enumerate(columns)})
            == len({row - c for row, c in enumerate(columns)})
            == n
        ):
            yield columns


def by_kernel(problem, rows, limit, budget, stop, *, unique):
    """The kernel also for boards that are too small for it."""
    from frontrow.search.listing import Listed

    found, rest, nodes = listing.list_cells(
        board.to_cells(rows, problem.n), limit, budget, stop, unique=unique
    )
    return Listed(board.to_rows(found), board.to_rows(rest), nodes)


WAYS = [CountingTree.list_under, by_kernel]


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("n", range(8))
def test_queens_are_listed_in_lexicographic_order(n, how):
    problem = Queens(n=n)
    rows, _ = listed(problem, PLENTY, PLENTY, how=how)
    assert [tuple(line) for line in problem.integers(rows).tolist()] == list(permutations(n))


def images(columns):
    """The eight images of a board by rotation and reflection."""
    n = len(columns)
    squares = list(enumerate(columns))
    for _ in range(4):
        squares = [(c, n - 1 - r) for r, c in squares]
        yield tuple(c for _, c in sorted(squares))
        yield tuple(n - 1 - c for _, c in sorted(squares))


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("n", range(9))
def test_of_a_class_of_queens_the_smallest_is_listed(n, how):
    problem = Queens(n=n)
    every = problem.integers(listed(problem, PLENTY, PLENTY, how=how)[0]).tolist()
    rows, _ = listed(problem, PLENTY, PLENTY, unique=True, how=how)
    found = [tuple(line) for line in problem.integers(rows).tolist()]
    assert found == sorted({min(images(columns)) for columns in every})
    assert len(found) == UNIQUE[n]


@pytest.mark.parametrize("n", range(12))
def test_listed_queens_are_as_many_as_counted_ones(n):
    problem = Queens(n=n)
    totals = problem.tally(problem.split(), None, new_stop()).counts
    for unique, expected in ((False, totals[0]), (True, UNIQUE[n])):
        assert listed(problem, PLENTY, PLENTY, unique)[0].shape == (expected, problem.words)


@st.composite
def partly_filled(draw):
    n = draw(st.integers(1, 8))
    fixed = []
    for row in range(draw(st.integers(0, n))):
        free = [
            column
            for column in range(n)
            if not any(board.attacks((row, column), (r, c)) for r, c in enumerate(fixed) if c is not None)
        ]
        fixed.append(draw(st.sampled_from([None, *free])))
    return Queens(n=n, fixed=fixed)


@given(partly_filled(), st.integers(1, 20), st.integers(1, 60), st.booleans())
@settings(deadline=None)
def test_kernel_and_default_list_the_same_completions_for_every_limit_and_budget(
    problem, limit, budget, unique
):
    unique = unique and problem.symmetric
    expected, _ = listed(problem, PLENTY, PLENTY, unique, CountingTree.list_under)
    found, largest = listed(problem, limit, budget, unique, by_kernel)
    assert found.tolist() == expected.tolist()
    assert unique or largest <= limit


@pytest.mark.parametrize("n", [31, 32, 33, 63, 64])
def test_large_boards_with_few_free_rows_are_listed_like_they_are_counted(n):
    first = some_solution(n)
    fixed = [None if row % 9 == 4 or row == n - 1 else column for row, column in enumerate(first)]
    problem = Queens(n=n, fixed=fixed)
    rows, _ = listed(problem, PLENTY, PLENTY)
    found = [tuple(line) for line in problem.integers(rows).tolist()]
    assert first in found
    assert found == sorted(found)
    assert len(found) == problem.tally(problem.split(), None, new_stop()).counts[0]


def some_solution(n):
    """A solution for n above 3 (Pauls, Deutsche Schachzeitung 1874): the even columns, then the odd ones."""
    even, odd = list(range(1, n, 2)), list(range(0, n, 2))
    if n % 6 == 2:
        odd = [odd[1], odd[0], *odd[3:], odd[2]]
    if n % 6 == 3:
        even, odd = [*even[1:], even[0]], [*odd[2:], *odd[:2]]
    return (*even, *odd)


def test_only_boards_of_queens_placed_one_by_one_have_solutions():
    cells = board.root(6, board.HALF_TURN, [])
    for how in WAYS:
        part = how(Queens(n=6), board.to_rows(cells), PLENTY, PLENTY, new_stop(), unique=False)
        assert not part.solutions.shape[0]


@pytest.mark.parametrize("problem", [Even(), EvenRows(), Queens(n=6)])
def test_listing_obeys_the_stop_flag(problem):
    stop = new_stop()
    stop[0] = 1
    with pytest.raises(StoppedError):
        list_solutions(problem, problem.initial(), 1, 1, stop)


def test_the_kernel_obeys_the_stop_flag():
    stop = new_stop()
    stop[0] = 1
    with pytest.raises(StoppedError):
        by_kernel(Queens(n=20), Queens(n=20).initial(), 1, 1, stop, unique=False)
