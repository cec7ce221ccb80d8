"""Rising bounds find the first shortest solution, whatever the heuristic and the packets."""

import numpy as np
import pytest

from frontrow.search.errors import StoppedError, UsageError
from frontrow.search.patterns.pattern import PLACES
from frontrow.search.rows import new_stop
from frontrow.search.sliding.board import Shape, blank_first, blank_last
from frontrow.search.solving import packet
from frontrow.search.solving.automaton import MOVES, SHIFT, automaton, longest_pattern
from frontrow.search.solving.finder import Finder
from frontrow.search.solving.replay import checked
from tests.search.patterns_support import walked
from tests.search.solving.finder_support import (
    HEURISTICS,
    PUZZLES,
    all_solutions,
    distances,
    finder,
    first_solution,
    known,
    numbered_children,
    solve,
    some_boards,
    to_row,
)

EASY = (9, 12, 13, 16, 19)
"""Those of Korf's instances whose solutions are shortest."""
PARTITIONS = ("pdb:6-6-3", "pdb:1,2,3,4/5,6,7,8/9,10,11,12/13,14,15")


@pytest.mark.jit
@pytest.mark.parametrize("puzzle", ["2x2", "2x3", "2x3 middle", "3x2"])
@pytest.mark.parametrize("heuristic", HEURISTICS)
def test_every_board_has_the_first_shortest_solution(puzzle, heuristic):
    found = finder(*PUZZLES[puzzle], heuristic)
    for board in distances(puzzle):
        expected = first_solution(puzzle, board)
        assert all(solve(found, board, wanted)[0] == expected for wanted in (1, 6, 1000))


@pytest.mark.jit
@pytest.mark.parametrize("puzzle", ["3x3", "3x3 snail", "2x4"])
@pytest.mark.parametrize("heuristic", HEURISTICS)
def test_larger_boards_have_the_first_shortest_solution(puzzle, heuristic):
    found = finder(*PUZZLES[puzzle], heuristic)
    for board in some_boards(puzzle, 60):
        expected = first_solution(puzzle, board)
        assert all(solve(found, board, wanted)[0] == expected for wanted in (1, 50))


@pytest.mark.parametrize("heuristic", HEURISTICS[:3])
def test_a_few_boards_without_compiled_kernels(heuristic):
    found = finder(*PUZZLES["2x3"], heuristic)
    for board in some_boards("2x3", 12)[1:]:
        assert solve(found, board)[0] == first_solution("2x3", board)


def test_tiles_in_one_row_are_pushed_along():
    shape = Shape(1, 5)
    found = Finder(shape, blank_last(shape), "manhattan")
    assert solve(found, (0, 1, 2, 3, 4))[0] == (3, 3, 3, 3)


def plain_nodes(found, shape, goal, board, bound):
    """Nodes and children of one bound up to the first solution, and the next bound, by plain recursion."""
    moves, met = automaton(shape, longest_pattern(shape)), {"nodes": 1, "generated": 0, "next": 999}

    def below(place, entry, made):
        if place == goal:
            return True
        for move, child in numbered_children(shape, place):
            if not entry >> move & 1:
                continue
            met["generated"] += 1
            least = made + 1 + int(found.lower_bound(to_row(child))[0])
            if least > bound:
                met["next"] = min(met["next"], least)
                continue
            met["nodes"] += 1
            if below(child, int(moves.next[(entry >> SHIFT) * MOVES + move]), made + 1):
                return True
        return False

    below(board, int(moves.start[board.index(0)]), 0)
    return met["nodes"], met["generated"], met["next"]


@pytest.mark.jit
@pytest.mark.parametrize("heuristic", [*HEURISTICS, "pdb:1,2,3/4,5,6/7,8"])
@pytest.mark.parametrize("puzzle", ["3x3", "3x3 snail"])
def test_a_bound_visits_what_a_plain_search_visits(puzzle, heuristic):
    shape, goal = PUZZLES[puzzle]
    found = finder(shape, goal, heuristic)
    for board in some_boards(puzzle, 5, seed=1)[1:]:
        packets = found.packets(to_row(board), 1)
        for bound in range(distances(puzzle)[board] - 4, distances(puzzle)[board] + 1, 2):
            if bound < int(found.lower_bound(to_row(board))[0]):
                continue
            part = found.deepen(packets, 0, 1, bound, None, new_stop())
            plain = plain_nodes(found, shape, goal, board, bound)
            assert (part.nodes, part.generated, part.next_bound % 1000) == plain


@pytest.mark.jit
def test_the_places_layout_visits_what_the_cells_layout_visits():
    shape = Shape(3, 5)
    goal = blank_last(shape)
    sparse, dense = finder(shape, goal, "pdb:5-5-4"), finder(shape, goal, "pdb:7-7")
    board = (5, 1, 3, 4, 10, 2, 6, 8, 9, 0, 11, 7, 12, 13, 14)
    moves, _ = solve(dense, board)
    assert moves == solve(sparse, board)[0]
    assert moves == solve(finder(shape, goal, "manhattan"), board)[0]


@pytest.mark.jit
@pytest.mark.parametrize(
    ("shape", "heuristic"), [(Shape(3, 3), "pdb:1,2,3/4,5,6/7,8"), (Shape(4, 3), "pdb:4-4-3")], ids=str
)
def test_a_bound_visits_the_same_in_both_layouts(monkeypatch, shape, heuristic):
    goal = blank_last(shape)
    sparse = finder(shape, goal, heuristic)
    monkeypatch.setattr("frontrow.search.patterns.lookup.layout_for", lambda *args: PLACES)
    dense = finder.__wrapped__(shape, goal, heuristic)
    for board in walked(shape, goal, 400, seed=6)[100::100]:
        rows = to_row(board)
        assert dense.lower_bound(rows) == sparse.lower_bound(rows)
        parts = [
            each.deepen(each.packets(rows, 1), 0, 1, int(each.lower_bound(rows)[0]) + 6, None, new_stop())
            for each in (sparse, dense)
        ]
        assert len({(part.nodes, part.generated, part.next_bound, part.place) for part in parts}) == 1
        assert parts[0].nodes > 10


@pytest.mark.jit
@pytest.mark.parametrize("number", EASY)
def test_korfs_easier_boards_have_their_known_lengths(number):
    shape, goal = Shape(4, 4), blank_first(Shape(4, 4))
    length, tiles = next((length, tiles) for n, length, tiles in known("4x4") if n == number)
    found = {}
    for heuristic in ("walking", *PARTITIONS):
        moves, _ = solve(finder(shape, goal, heuristic), tiles, 100)
        checked(shape, tiles, goal, ["UDLR"[move] for move in moves])
        found[heuristic] = moves
    assert {len(moves) for moves in found.values()} == {length}
    assert len(set(found.values())) == 1


@pytest.mark.slow
@pytest.mark.jit
@pytest.mark.parametrize("heuristic", ["pdb", "walking", "pdb:7-7-1", "pdb:7-8"])
def test_all_of_korfs_boards_have_their_known_lengths(heuristic):
    shape, goal = Shape(4, 4), blank_first(Shape(4, 4))
    found = finder(shape, goal, heuristic)
    for _, length, tiles in known("4x4"):
        moves, _ = solve(found, tiles)
        checked(shape, tiles, goal, ["UDLR"[move] for move in moves])
        assert len(moves) == length


@pytest.mark.slow
@pytest.mark.jit
@pytest.mark.timeout(1800)
def test_boards_of_twenty_four_tiles_have_their_known_lengths():
    shape, goal = Shape(5, 5), blank_first(Shape(5, 5))
    found = finder(shape, goal, "pdb:6-6-6-6")
    for number, length, tiles in known("5x5"):
        if number in (25, 40):
            moves, _ = solve(found, tiles)
            checked(shape, tiles, goal, ["UDLR"[move] for move in moves])
            assert len(moves) == length


@pytest.mark.jit
@pytest.mark.parametrize("heuristic", HEURISTICS)
@pytest.mark.parametrize("budget", [1, 17, 1000])
def test_budgets_change_neither_nodes_nor_the_answer(heuristic, budget):
    found, stop = finder(*PUZZLES["3x3"], heuristic), new_stop()
    board = some_boards("3x3", 2)[0]
    length = distances("3x3")[board]
    for bound in (length - 2, length):
        packets = found.packets(to_row(board), 20)
        whole = found.deepen(packets, 0, len(packets), bound, None, stop)
        nodes, generated, least, rest = 0, 0, [], packets.rows
        while True:
            some = found.from_rows(rest)
            part = found.deepen(some, 0, len(some), bound, budget, stop)
            nodes, generated, rest = nodes + part.nodes, generated + part.generated, part.rest
            least += [part.next_bound] if part.next_bound >= 0 else []
            assert part.nodes <= budget + 1
            if not rest.shape[0]:
                break
        assert (nodes, generated, min(least)) == (whole.nodes, whole.generated, whole.next_bound)
        assert (part.place >= 0) == (whole.place >= 0) == (bound == length)
        if part.place >= 0:
            assert packet.numbers(some.marks[part.place : part.place + 1])[0] == whole.place


def test_packets_keep_the_order_of_their_moves():
    found = finder(*PUZZLES["3x3"], "manhattan")
    packets = found.packets(to_row(some_boards("3x3", 2)[0]), 200)
    prefixes = [packets.prefix(place) for place in range(len(packets))]
    assert len(packets) >= 200
    assert prefixes == sorted(set(prefixes))
    assert len({board.tobytes() for board in packets.boards}) == len(packets)


@pytest.mark.parametrize("puzzle", ["2x2", "2x3"])
def test_packets_drop_boards_that_were_met_before(puzzle):
    found = finder(*PUZZLES[puzzle], "manhattan")
    for board in some_boards(puzzle, 10)[1:]:
        packets = found.packets(to_row(board), 1000)
        # All other boards have been met, so that only the first way to the goal is left.
        assert [packets.prefix(place) for place in range(len(packets))] == [first_solution(puzzle, board)]


def test_packets_are_the_same_as_rows():
    found = finder(*PUZZLES["3x3"], "linear-conflict")
    packets = found.packets(to_row(some_boards("3x3", 2)[0]), 30)
    again = found.from_rows(packets.rows)
    assert np.array_equal(again.boards, packets.boards)
    assert np.array_equal(again.marks, packets.marks)
    assert np.array_equal(again.begun, packets.begun)


def test_the_goal_is_found_in_no_moves():
    shape, goal = PUZZLES["3x3"]
    found = finder(shape, goal, "manhattan")
    packets = found.packets(to_row(goal), 10)
    assert len(packets) == 1
    part = found.deepen(packets, 0, 1, 0, None, new_stop())
    assert (part.place, part.moves, part.nodes) == (0, (), 1)


@pytest.mark.jit
def test_a_raised_stop_flag_ends_a_search():
    shape = Shape(4, 4)
    found = Finder(shape, blank_first(shape), "manhattan")
    tiles = next(tiles for _, length, tiles in known("4x4") if length == 66)
    stop = new_stop()
    stop[0] = 1
    packets = found.packets(to_row(tiles), 1)
    with pytest.raises(StoppedError):
        found.deepen(packets, 0, 1, 60, None, stop)


@pytest.mark.jit
@pytest.mark.parametrize("puzzle", ["2x2", "2x3", "3x3"])
def test_all_shortest_solutions_are_counted_and_listed(puzzle):
    found = finder(*PUZZLES[puzzle], "manhattan")
    for board in some_boards(puzzle, 40):
        every = all_solutions(puzzle, board)
        part = found.count_all(to_row(board), len(every[0]), 3, new_stop())
        assert part.solutions == len(every)
        assert part.listed == tuple(every[:3])


@pytest.mark.jit
@pytest.mark.parametrize(("wanted", "budget"), [(1, 50), (40, 20), (4000, None)])
def test_all_solutions_are_the_same_in_packets_and_with_budgets(wanted, budget):
    found, stop = finder(*PUZZLES["3x3"], "manhattan"), new_stop()
    for board in some_boards("3x3", 4):
        every = all_solutions("3x3", board)
        length = len(every[0])
        packets = found.packets(to_row(board), wanted, every=True)
        solutions, rest = 0, packets.rows
        while rest.shape[0]:
            left = found.from_rows(rest)
            part = found.count(left, 0, len(left), length, 0, budget, stop)
            solutions, rest = solutions + part.solutions, part.rest
        assert solutions == len(every)
        listed = [
            found.count(packets, place, place + 1, length, 99, None, stop).listed
            for place in range(len(packets))
        ]
        assert sum(listed, ()) == tuple(every[:99])


def test_an_unknown_heuristic_is_refused():
    shape = Shape(3, 3)
    with pytest.raises(UsageError, match="heuristic: found 'guess', expected manhattan"):
        Finder(shape, blank_last(shape), "guess")
    with pytest.raises(UsageError, match="with its tables"):
        Finder(shape, blank_last(shape), "pdb:4-4")
