import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontrow.search.errors import UsageError
from frontrow.search.problems.queens import Queens
from frontrow.search.queens import counting
from tests.search.queens_support import known, one_solution, solutions, total

METHODS = st.sampled_from(["auto", "lanes", "scalar"])


@st.composite
def _partly_filled(draw, n):
    """Columns row by row, None for a free row; no queen attacks another."""
    fixed = []
    for row in range(draw(st.integers(0, n))):
        free = [
            column
            for column in range(n)
            if all(c is None or (column != c and abs(column - c) != row - r) for r, c in enumerate(fixed))
        ]
        fixed.append(draw(st.one_of(st.none(), st.sampled_from(free))) if free else None)
    return fixed


@settings(deadline=None, max_examples=60)
@given(n=st.integers(0, 8), method=METHODS, data=st.data())
def test_completions_match_brute_force(n, method, data):
    fixed = data.draw(_partly_filled(n))
    assert total(Queens(n, fixed, method)) == sum(1 for _ in solutions(n, fixed))


@pytest.mark.jit
@settings(deadline=None, max_examples=25)
@given(n=st.integers(12, 13), data=st.data())
def test_completions_of_middling_boards_agree_between_methods(n, data):
    fixed = data.draw(_partly_filled(n))
    assert total(Queens(n, fixed, "lanes")) == total(Queens(n, fixed, "scalar"))


@settings(deadline=None, max_examples=40)
@given(
    n=st.sampled_from([31, 32, 33, 34, 62, 63, 64]),
    method=METHODS,
    freed=st.sets(st.integers(0, 63), min_size=1, max_size=6),
    mirrored=st.booleans(),
)
def test_completions_of_wide_boards_with_few_free_rows_match_brute_force(n, method, freed, mirrored):
    columns = one_solution(n)
    if mirrored:
        columns = [n - 1 - column for column in columns]
    fixed = [None if row in freed else column for row, column in enumerate(columns)]
    found = total(Queens(n, fixed, method))
    assert found == sum(1 for _ in solutions(n, fixed))
    assert found >= 1


# Counted by a plain backtracker in C as well: masks of one row, shifted from row to row.
@pytest.mark.jit
@pytest.mark.parametrize("method", ["auto", "lanes", "scalar"])
@pytest.mark.parametrize(("last", "completions"), [("0", 32), ("2", 21), ("-", 29577)])
def test_boards_of_31_rows_with_12_or_13_queens(method, last, completions):
    assert total(Queens(31, f"1,3,5,7,9,11,13,15,17,19,21,23,{last}", method)) == completions


@pytest.mark.parametrize("n", [4, 5, 16, 31, 32, 33, 63, 64])
def test_a_full_board_has_one_completion(n):
    columns = one_solution(n)
    assert total(Queens(n, columns)) == 1
    assert total(Queens(n, columns[:-1])) == 1


def test_a_board_without_a_completion_counts_nothing():
    assert total(Queens(4, "0")) == 0
    assert total(Queens(6, "-,-,2,0")) == sum(1 for _ in solutions(6, [None, None, 2, 0]))


def test_a_queen_next_to_the_diagonal_is_no_attack():
    assert total(Queens(5, "0,2,4,1,3")) == 1
    with pytest.raises(UsageError):
        Queens(5, "0,2,4,1,2")


@pytest.mark.jit
def test_a_board_with_much_to_do_is_spread_and_one_with_little_is_not():
    rows = Queens(18, "0").split()
    assert rows.shape[0] >= counting.ENOUGH
    assert Queens(31, "1,3,5,7,9,11,13,15,17,19,21,23,0").split().shape[0] == 1


@pytest.mark.jit
def test_a_spread_board_counts_the_same(monkeypatch):
    monkeypatch.setattr(counting, "WORTHWHILE", 1)
    assert Queens(13, "3").split().shape[0] >= counting.ENOUGH
    assert sum(total(Queens(13, [column])) for column in range(13)) == known()[13][0]
