"""One bound of a search as a count: the same whoever counts it."""

import pytest

import frontrow
from frontrow.search import registry
from frontrow.search.errors import UsageError
from frontrow.search.problems._threshold import Threshold
from frontrow.search.rows import new_stop
from frontrow.search.sliding.board import Shape, blank_first
from frontrow.search.solving.packeted import PACKETS
from tests.search.solving.finder_support import finder, first_solution, known, some_boards, to_row

LENGTH, TILES = next((length, tiles) for _, length, tiles in known("4x4") if length == 42)
GOAL = blank_first(Shape(4, 4))


def asked(bound, heuristic="walking", tiles=TILES):
    """The parameters."""
    return {"size": "4x4", "start": tiles, "goal": GOAL, "heuristic": heuristic, "bound": bound}


def test_it_is_known_but_not_listed():
    assert registry.find("_threshold") is Threshold
    assert "_threshold" not in registry.names()
    with pytest.raises(UsageError, match="expected blocks or cube"):
        registry.find("_nothing")


@pytest.mark.jit
@pytest.mark.parametrize("heuristic", ["walking", "pdb:1,2,3,4/5,6,7,8/9,10,11,12/13,14,15"])
@pytest.mark.parametrize("workers", [1, 2, 7])
def test_a_count_says_what_a_search_says(tmp_path, heuristic, workers):
    found, stop = finder(Shape(4, 4), GOAL, heuristic), new_stop()
    packets = found.packets(to_row(TILES), PACKETS)
    for bound in (LENGTH - 2, LENGTH):
        alone = found.deepen(packets, 0, len(packets), bound, None, stop)
        result = frontrow.count("_threshold", **asked(bound, heuristic), workers=workers, store=tmp_path)
        if bound < LENGTH:
            assert result.values == {
                "place": None,
                "next_bound": alone.next_bound,
                "generated": alone.generated,
            }
            assert result.nodes == alone.nodes
        else:
            assert result.values == {"place": alone.place, "next_bound": None, "generated": None}
            problem = Threshold(**asked(bound, heuristic))
            assert problem.moves(alone.place, stop) == alone.moves
            assert len(alone.moves) == LENGTH


@pytest.mark.jit
def test_budgets_leave_the_tallies_as_they_are():
    problem = Threshold(**asked(LENGTH - 2))
    rows, stop = problem.split()[:300], new_stop()
    whole = problem.tally(rows, None, stop)
    generated, near, nodes, rest = 0, 0, 0, rows
    while rest.shape[0]:
        part = problem.tally(rest, 500, stop)
        generated, near, nodes = generated + part.counts[0], max(near, part.counts[2]), nodes + part.nodes
        rest = part.rest
    assert (generated, 0, near) == whole.counts
    assert nodes == whole.nodes


@pytest.mark.jit
def test_the_answer_is_the_first_solution():
    board = some_boards("3x3", 2)[0]
    expected = first_solution("3x3", board)
    problem = Threshold(
        size="3x3", start=board, goal="1,2,3,4,5,6,7,8,_", heuristic="manhattan", bound=len(expected)
    )
    totals = dict(zip(problem.tallies, problem.tally(problem.split(), None, new_stop()).counts, strict=True))
    assert problem.moves(problem.summary(totals)["place"], new_stop()) == expected


def test_the_packets_are_units_of_similar_cost():
    problem = Threshold(**asked(LENGTH))
    rows = problem.split()
    costs = problem.cost(rows)
    assert rows.shape == (costs.size, 2)
    assert costs.min() >= 1
    assert costs.sum() // problem.unit_floor < 512


def test_bad_boards_are_refused():
    with pytest.raises(UsageError, match="start: found 3 cells, expected 16"):
        Threshold(**asked(4, tiles=(1, 2, 0)))
    with pytest.raises(UsageError, match="bound: found -1"):
        Threshold(**asked(-1))
