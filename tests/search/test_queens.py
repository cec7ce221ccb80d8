import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontrow.cluster.job import Job
from frontrow.search.errors import FrontrowError, StoppedError, UsageError
from frontrow.search.problems.queens import Queens
from frontrow.search.queens import board, counting, plan, split
from frontrow.search.registry import ProblemRef, find
from frontrow.search.rows import digest, new_stop
from frontrow.search.tree import CountingTree
from tests.search.queens_support import half_turn, known, quarter_turn, solutions, tally, total, values


def _sizes(first, last, *marks):
    return [pytest.param(n, marks=marks) for n in range(first, last + 1)]


@pytest.mark.parametrize(
    "n",
    [*_sizes(0, 11), *_sizes(12, 14, pytest.mark.jit), *_sizes(15, 18, pytest.mark.jit, pytest.mark.slow)],
)
def test_queens_totals_and_unique_counts_match_oeis(n):
    found = values(Queens(n))
    expected, unique = known()[n]
    assert found["solutions"] == expected
    assert found["unique"] == (1 if n == 0 else unique)


@pytest.mark.parametrize("n", range(10))
def test_symmetric_counts_match_brute_force(n):
    every = list(solutions(n))
    found = values(Queens(n))
    assert found["half_turn"] == sum(half_turn(one) == one for one in every)
    assert found["quarter_turn"] == sum(quarter_turn(one) == one for one in every)


@pytest.mark.jit
@pytest.mark.parametrize(("n", "half", "quarter"), [(12, 80, 8), (13, 136, 8), (16, 3000, 64)])
def test_symmetric_counts_match_oeis_a032522_and_a033148(n, half, quarter):
    cells = split.turned(n)
    counts, _, _ = counting.tally(cells, "scalar", None, new_stop())
    assert counts == (0, half, quarter)


@pytest.mark.parametrize("n", [5, 8, 9, pytest.param(13, marks=pytest.mark.jit)])
def test_totals_by_first_column_form_a_palindrome(n):
    totals = [total(Queens(n, fixed=[column])) for column in range(n)]
    assert totals == totals[::-1]
    assert sum(totals) == known()[n][0]


@pytest.mark.parametrize("n", [4, 7, 8, 9, pytest.param(12, marks=pytest.mark.jit)])
def test_rows_of_the_split_add_up_to_the_whole(n):
    problem = Queens(n)
    rows = problem.split()
    parts = [tally(problem, rows[index : index + 1]).counts for index in range(rows.shape[0])]
    assert tuple(map(sum, zip(*parts, strict=True))) == tally(problem).counts


@pytest.mark.parametrize("n", range(2, 11))
def test_boards_that_are_only_mirrored_add_up_to_the_whole(n):
    cells = split.whole(n, crossed=0)
    counts, _, _ = counting.tally(cells, "scalar", None, new_stop())
    assert counts[0] == known()[n][0]


def test_every_split_is_small():
    sizes = [
        Queens(n, method="lanes").split().shape[0] for n in (*range(0, 31, 5), 29, 31, 32, 33, 34, 48, 63, 64)
    ]
    assert max(sizes) < 300_000
    assert min(sizes) > 0


# A ledger begun on one machine is finished on another one: raise `Queens.version` when these change.
DIGESTS = {
    8: "dc536b795fc1b07386754942a7298eb9",
    13: "0bf5eeffaed15ad9b16193b839c72331",
    16: "da98afbc760b827fb6313ae9c4edd1fe",
    21: "a082b2ff0905eda6c447d5685e8020dd",
    33: "00b916bd8d6856047aa423514a4ae612",
    64: "17cdbc21b9dfb4c46733c82840638167",
}


@pytest.mark.parametrize("n", DIGESTS)
def test_split_is_the_same_on_every_machine(n):
    assert digest(Queens(n, method="lanes").split()) == DIGESTS[n]


@pytest.mark.jit
def test_costs_are_the_same_on_every_machine():
    problem = Queens(20, method="lanes")
    assert (
        digest(problem.cost(problem.split())[:, None].view(np.uint64)) == "c1f85b2834a07498a3c29d84f6dbf50e"
    )


@pytest.mark.jit
@pytest.mark.parametrize("n", [14, 16])
def test_predicted_cost_is_about_the_nodes_visited(n):
    problem = Queens(n, method="lanes")
    rows = problem.split()[: -split.turned(n).shape[0]]
    predicted = int(problem.cost(rows).sum())
    assert 0.5 < predicted / tally(problem, rows).nodes < 2


@pytest.mark.jit
def test_costs_of_hopeless_boards_are_limited_and_still_add_up():
    for n in (27, 32, 64):
        costs = Queens(n, method="lanes").cost(Queens(n, method="lanes").split())
        assert costs.min() >= 1
        assert costs.max() <= plan.HIGHEST
        assert sum(costs.tolist()) < 2**63


@pytest.mark.parametrize("n", range(10))
def test_default_walk_and_kernels_agree(n):
    problem = Queens(n, method="lanes")
    slow = CountingTree.tally(problem, problem.split(), None, new_stop())
    assert tally(problem).counts == slow.counts


@settings(deadline=None, max_examples=30)
@given(n=st.integers(0, 11), budget=st.integers(0, 4000), first=st.integers(0, 400))
def test_a_budgeted_tally_and_its_rest_add_up(n, budget, first):
    problem = Queens(n, method="lanes")
    rows = problem.split()[first:]
    whole = tally(problem, rows).counts
    part = tally(problem, rows, budget)
    sums, spent = list(part.counts), part.nodes
    while part.rest.shape[0]:
        part = tally(problem, part.rest, max(budget, 1))
        sums = [a + b for a, b in zip(sums, part.counts, strict=True)]
        spent += part.nodes
    assert tuple(sums) == whole
    assert spent == tally(problem, rows).nodes


@pytest.mark.jit
@settings(deadline=None, max_examples=12)
@given(
    n=st.sampled_from([12, 13, 14]),
    budget=st.integers(1, 500_000),
    method=st.sampled_from(["lanes", "scalar"]),
    smallest=st.sampled_from([100, 10_000]),
)
def test_a_budget_cuts_boards_into_pieces_that_add_up(n, budget, method, smallest):
    problem = Queens(n, method=method)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "SMALLEST", smallest)
        part = tally(problem, budget=budget)
    rest = tally(problem, part.rest)
    assert tuple(a + b for a, b in zip(part.counts, rest.counts, strict=True))[0] == known()[n][0]


def test_a_budget_of_nothing_hands_everything_back():
    problem = Queens(9)
    part = tally(problem, budget=0)
    assert part.counts == (0, 0, 0)
    assert part.nodes == 0
    assert np.array_equal(part.rest, problem.split())


@pytest.mark.jit
def test_a_huge_board_is_worked_off_in_pieces_within_a_budget():
    problem = Queens(28, method="lanes")
    part = tally(problem, problem.split()[:1], budget=10**7)
    assert part.nodes < 10**9
    assert part.rest.shape[0] > 1
    assert part.rest.shape[1] == problem.words


def test_leaves_are_listed_in_the_order_of_their_columns():
    problem = Queens(6)
    rows, found = problem.initial(), []
    while rows.shape[0]:
        found += board.to_cells(rows[problem.is_solution(rows)], 6)[:, 1:].tolist()
        rows, _ = problem.expand(rows)
    assert [tuple(cell - 1 for cell in one) for one in found] == list(solutions(6))


@given(n=st.integers(0, 64), data=st.data())
def test_boards_survive_packing(n, data):
    headers = st.builds(
        lambda kind, weight: kind * board.WEIGHTS + weight, st.sampled_from(board.KINDS), st.integers(0, 8)
    )
    cell = st.integers(0, n)
    lines = data.draw(st.lists(st.tuples(headers, st.lists(cell, min_size=n, max_size=n)), max_size=5))
    cells = np.array([[header, *columns] for header, columns in lines], np.int64).reshape(len(lines), n + 1)
    rows = board.to_rows(cells)
    assert rows.shape == (len(lines), Queens(n, method="lanes").words)
    assert np.array_equal(board.to_cells(rows, n), cells)


def test_a_board_is_drawn():
    problem = Queens(3, fixed="2,0")
    assert problem.render(problem.initial()[0]).splitlines() == [
        "+---+---+---+",
        "|   |   | Q |",
        "+---+---+---+",
        "| Q |   |   |",
        "+---+---+---+",
        "|   |   |   |",
        "+---+---+---+",
    ]


@pytest.mark.parametrize("text", [" 8 ", "8\r", "+8", 8, np.int64(8)])
def test_n_is_read_from_anything_that_is_an_integer(text):
    assert Queens(text).n == 8


@pytest.mark.parametrize(("n", "method"), [(10, "auto"), (16, "lanes"), (20, "scalar"), (64, "auto")])
def test_only_quadrants_have_orders(n, method):
    with pytest.raises(UsageError, match="^order: found 1, expected 0: only quadrants have orders$"):
        Queens(n, method=method, order=1)
    assert Queens(n, method=method).order == 0


def test_quadrants_have_orders_however_they_are_chosen():
    assert Queens(20, order=2).settle() == Queens(20, method="quadrant", order=2)


def test_the_id_of_an_ordinary_question_stays_as_it_was():
    assert Job("count", ProblemRef.of(Queens(8).settle())).id == "82e97c2b30569527"


@pytest.mark.parametrize("text", ["abc", "", "1.5", "-1", "65", "0x8", "1e1", "9" * 30, None, 1.0, True])
def test_bad_n_names_the_range(text):
    with pytest.raises(UsageError, match="n: found .*, expected an integer from 0 to 64"):
        Queens(text)


@pytest.mark.parametrize(
    ("n", "fixed", "reason"),
    [
        (4, "1,1", "row 0 column 1 and row 1 column 1"),
        (4, "-,0,-,2", "row 1 column 0 and row 3 column 2"),
        (4, [1, 3, 2], "row 1 column 3 and row 2 column 2"),
        (4, "1,4", "column 4 in row 1, expected 0 to 3"),
        (4, "1,3,0,2,-", "found 5 rows, expected at most 4"),
        (0, "-", "found 1 rows, expected at most 0"),
        (4, "", "fixed: found ''"),
        (4, "1,,2", "fixed: found '1,,2'"),
        (4, "-1", "fixed: found '-1'"),
        (4, "1,x", "fixed: found '1,x'"),
        (4, "1.0", "fixed: found '1.0'"),
        (4, "9" * 30, "fixed: found '9"),
        (4, 7, "fixed: found 7"),
        (4, [True], "fixed: found"),
        (4, b"1,3", "fixed: found"),
    ],
)
def test_bad_fixed_queens_are_refused_with_the_reason(n, fixed, reason):
    with pytest.raises(UsageError) as caught:
        Queens(n, fixed=fixed)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_bad_method_is_refused():
    with pytest.raises(
        UsageError, match="method: found 'fast', expected auto or quadrant or lanes or scalar"
    ):
        Queens(8, method="fast")


@pytest.mark.parametrize("fixed", ["1,-,0", " 1 , - , 0 ", "1,-,0,-,-", [1, None, 0], (1, None, 0, None)])
def test_fixed_queens_have_one_canonical_form(fixed):
    problem = Queens(5, fixed=fixed)
    assert problem.fixed == (1, None, 0)
    assert ProblemRef.of(problem) == ProblemRef.of(Queens(5, fixed="1,-,0"))
    assert ProblemRef.of(problem).load() == problem


def test_no_fixed_queen_is_the_whole_board():
    assert Queens(5, fixed="-") == Queens(5, fixed="-,-,-,-,-") == Queens(5)


def test_parameters_are_read_as_a_command_line_gives_them():
    assert Queens.from_words(["8", "fixed=1,3"], {"method": "scalar"}) == Queens(8, (1, 3), "scalar")
    assert find("queens") is Queens


def test_auto_is_settled_by_n_alone():
    methods = {n: Queens(n).settle().method for n in range(65)}
    assert [n for n, method in methods.items() if method == "lanes"] == [*range(12, 18), *range(29, 35)]
    assert [n for n, method in methods.items() if method == "quadrant"] == list(range(18, 29))
    assert Queens(18, fixed="0").settle().method == "lanes"
    assert Queens(64, method="lanes").settle().method == "lanes"


def test_contradicting_totals_are_an_error_and_no_answer():
    with pytest.raises(FrontrowError, match="queens 8: found 93 solutions"):
        Queens(8).summary({"solutions": 93, "half_turn": 4, "quarter_turn": 0})


def test_values_of_symmetry_are_left_out_for_fixed_boards():
    assert values(Queens(8, fixed="0")) == {
        "solutions": 4,
        "unique": None,
        "half_turn": None,
        "quarter_turn": None,
    }


@pytest.mark.parametrize("n", [0, 8, pytest.param(20, marks=pytest.mark.jit)])
def test_a_flag_raised_beforehand_stops_at_once(n):
    stop = new_stop()
    stop[0] = 1
    with pytest.raises(StoppedError):
        Queens(n, method="lanes").tally(Queens(n, method="lanes").split(), None, stop)
