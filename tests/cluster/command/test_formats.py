"""How listed solutions are written."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontrow import CountingTree, UsageError
from frontrow.cluster.command.formats import drawn, head, number_lines, writer
from frontrow.search.problems.queens import Queens
from frontrow.search.rows import new_stop


class Deep(CountingTree):
    """Chains of growing numbers."""

    cells, bits = 3, 60

    def children(self, node):
        return [(*node, 10 ** (7 * len(node)))] if len(node) < 3 else []

    def is_solution(self, node):
        return True


class Words(CountingTree):
    """Rows of two words; drawn on a line of its own, or on two."""

    words = 2
    two_lines = False

    def initial(self):
        return np.array([[2**64 - 1, 7]], np.uint64)

    def render(self, row):
        return f"<{row[0]}\n{row[1]}>" if self.two_lines else f"<{row[0]} {row[1]}>"

    def expand(self, rows):
        return rows[:0], np.zeros(0, np.int32)

    def is_solution(self, rows):
        return np.ones(rows.shape[0], np.bool_)


class TwoLines(Words):
    two_lines = True


def all_of(problem):
    return problem.list_under(problem.initial(), 10**6, 10**6, new_stop(), unique=False).solutions


def text(problem, form, attacks=False):
    return (head(problem, form) + writer(problem, form, attacks=attacks)(all_of(problem))).decode()


lines_of_numbers = st.integers(0, 5).flatmap(
    lambda width: st.lists(st.lists(st.integers(0, 2**62), max_size=width), max_size=8).map(
        lambda lines: (width, lines)
    )
)


@given(lines_of_numbers, st.booleans(), st.sampled_from(["", "["]), st.sampled_from(["", "]"]))
def test_lines_of_integers_are_what_python_writes(case, pad, opening, closing):
    width, lines = case
    values = np.full((len(lines), width), -1)
    for row, line in zip(values, lines, strict=True):
        row[: len(line)] = line
    found = number_lines(values, opening=opening, closing=closing, pad=pad).decode()
    fields = [[*map(str, line), *([""] * (width - len(line)) if pad else [])] for line in lines]
    assert found == "".join(f"{opening}{','.join(line)}{closing}\n" for line in fields)


def test_words_of_64_bits_are_written_in_full():
    assert number_lines(np.array([[2**64 - 1, 0], [9, 10]], np.uint64)) == b"18446744073709551615,0\n9,10\n"


def test_queens_in_every_format():
    problem = Queens(n=4)
    assert text(problem, "list") == "1,3,0,2\n2,0,3,1\n"
    assert text(problem, "json") == "[1,3,0,2]\n[2,0,3,1]\n"
    assert text(problem, "csv") == "row0,row1,row2,row3\n1,3,0,2\n2,0,3,1\n"
    first, second = (problem.render(row) for row in all_of(problem))
    assert text(problem, "board") == f"{first}\n\n{second}\n"


def test_boards_of_several_blocks_have_a_blank_line_between_them():
    problem = Queens(n=4)
    write = writer(problem, "board", attacks=False)
    one, two = all_of(problem)[:, None]
    assert (write(one) + write(two)).decode() == text(problem, "board")


def test_boards_with_attacks_are_drawn_by_the_problem():
    problem = Queens(n=4)
    first, second = (problem.draw(row, attacks=True) for row in all_of(problem))
    assert text(problem, "board", attacks=True) == f"{first}\n\n{second}\n"
    assert "| | |" in first


def test_an_empty_board_is_an_empty_line():
    assert text(Queens(n=0), "list") == "\n"
    assert text(Queens(n=0), "json") == "[]\n"


def test_shorter_nodes_have_empty_fields_in_a_table_only():
    assert text(Deep(), "list") == "\n1\n1,10000000\n1,10000000,100000000000000\n"
    assert text(Deep(), "csv") == "cell0,cell1,cell2\n,,\n1,,\n1,10000000,\n1,10000000,100000000000000\n"


def test_integers_that_json_may_lose_digits_of_are_strings():
    lines = text(Deep(), "json").splitlines()
    assert [json.loads(line) for line in lines][2] == ["1", "10000000"]
    assert json.loads(text(Words(), "json")) == ["18446744073709551615", "7"]


def test_rows_are_listed_as_the_problem_renders_them_or_else_as_words():
    assert text(Words(), "list") == "<18446744073709551615 7>\n"
    assert text(TwoLines(), "list") == "18446744073709551615,7\n"
    assert text(TwoLines(), "board") == "<18446744073709551615\n7>\n"
    assert text(Words(), "csv") == "cell0,cell1\n18446744073709551615,7\n"


def test_a_problem_without_boards_cannot_be_drawn():
    with pytest.raises(
        UsageError, match="svg: found deep, which has no board, expected a problem with boards"
    ):
        drawn(Deep(), "svg")
    with pytest.raises(UsageError, match="attacks: found deep"):
        writer(Deep(), "board", attacks=True)
