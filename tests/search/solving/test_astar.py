"""Best-first search comes to the first shortest way, with any heuristic and number of shards."""

import math
from collections import deque

import numpy as np
import pytest

from frontrow.search.errors import FrontrowError, MemoryLimitError, StoppedError
from frontrow.search.problems.sliding import Sliding
from frontrow.search.rows import new_stop
from frontrow.search.sliding.board import draw, parity
from frontrow.search.sliding.layout import to_cells, to_rows
from frontrow.search.solving import astar
from frontrow.search.solving.astar import BestFirst
from frontrow.search.solving.replay import checked

PLENTY = 1 << 30


def step(shape, board, way):
    """The board after a way of the blank; None off the board."""
    place = board.index(0)
    row, column = divmod(place, shape.columns)
    down, right = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}[way]
    row, column = row + down, column + right
    if not (0 <= row < shape.rows and 0 <= column < shape.columns):
        return None
    target, tiles = row * shape.columns + column, list(board)
    tiles[place], tiles[target] = tiles[target], 0
    return tuple(tiles)


def distances(shape, goal):
    """Moves from every board to the goal, by plain breadth-first search."""
    found, waiting = {goal: 0}, deque([goal])
    while waiting:
        board = waiting.popleft()
        for way in "UDLR":
            near = step(shape, board, way)
            if near is not None and near not in found:
                found[near] = found[board] + 1
                waiting.append(near)
    return found


def first_moves(shape, known, board):
    """The first shortest way in the order U, D, L, R, and how many shortest ways there are."""
    moves = []
    while known[board]:
        for way in "UDLR":
            near = step(shape, board, way)
            if near is not None and known[near] == known[board] - 1:
                moves.append(way)
                board = near
                break
    return moves


def count_ways(shape, known, board, memo):
    if not known[board]:
        return 1
    if board not in memo:
        near = [step(shape, board, way) for way in "UDLR"]
        nearer = [each for each in near if each is not None and known[each] == known[board] - 1]
        memo[board] = sum(count_ways(shape, known, each, memo) for each in nearer)
    return memo[board]


SMALL = Sliding(size="2x3")
KNOWN = distances(SMALL.shape, SMALL.goal_board)


RNG = np.random.default_rng(1)
BLIND = {board for board in KNOWN if RNG.random() < 0.7}


def puzzle(board):
    return Sliding(size="2x3", start=draw(SMALL.shape, board))


def exact(rows):
    """The true moves that are left."""
    return np.array([KNOWN[board] for board in map(tuple, to_cells(rows, 6).tolist())], np.int64)


def jumpy(rows):
    """The true moves for some boards, and their parity for the others: it jumps from board to board."""
    return np.array(
        [KNOWN[b] % 2 if b in BLIND else KNOWN[b] for b in map(tuple, to_cells(rows, 6).tolist())]
    )


def zero(rows):
    return np.zeros(rows.shape[0], np.int64)


def solved(problem, lower, weight=1, shards=1, consistent=True):
    search = BestFirst(problem, lower, weight, shards, PLENTY, new_stop(), consistent=consistent)
    while search.length is None:
        search.expand(lambda tasks: [task() for task in tasks])
    return search, problem.move_names(search.ways().first())


SAMPLE = sorted(KNOWN)[::17]


@pytest.mark.parametrize("board", SAMPLE)
@pytest.mark.parametrize(("lower", "consistent"), [(zero, True), (exact, True), (jumpy, False)])
def test_the_first_shortest_way_is_found(board, lower, consistent):
    search, moves = solved(puzzle(board), lower, consistent=consistent)
    assert moves == first_moves(SMALL.shape, KNOWN, board)
    assert search.bound == search.length == KNOWN[board]


def test_without_expanding_again_a_heuristic_that_jumps_leads_astray():
    firsts = [first_moves(SMALL.shape, KNOWN, board) for board in SAMPLE]
    assert [solved(puzzle(board), jumpy)[1] for board in SAMPLE] != firsts


@pytest.mark.parametrize("board", SAMPLE[::3])
@pytest.mark.parametrize("shards", [2, 3, 7])
def test_shards_change_nothing(board, shards):
    one, moves = solved(puzzle(board), zero)
    some, same = solved(puzzle(board), zero, shards=shards)
    assert (some.expanded, same) == (one.expanded, moves)


@pytest.mark.parametrize("board", SAMPLE[::3])
def test_all_shortest_ways_are_counted_and_listed_in_order(board):
    search, moves = solved(puzzle(board), zero)
    ways = search.ways()
    listed = ["".join(SMALL.move_names(way)) for way in ways.listed(100)]
    order = [["UDLR".index(move) for move in each] for each in listed]
    assert ways.count() == count_ways(SMALL.shape, KNOWN, board, {}) == len(listed)
    assert listed[0] == "".join(moves)
    assert order == sorted(order)
    assert len(set(listed)) == len(listed)


@pytest.mark.parametrize("board", SAMPLE[::3])
@pytest.mark.parametrize("weight", [1.5, 3, math.inf])
def test_weighted_ways_lead_to_the_goal_within_the_weight(board, weight):
    problem = puzzle(board)
    search, moves = solved(problem, exact, weight=weight)
    checked(problem.shape, board, problem.goal_board, moves)
    assert len(moves) <= KNOWN[board] * weight
    assert len(moves) == search.length


def test_the_bound_rises_to_the_length():
    board = max(KNOWN, key=KNOWN.__getitem__)
    search = BestFirst(puzzle(board), zero, 1, 1, PLENTY, new_stop())
    bounds = []
    while search.length is None:
        search.expand(lambda tasks: [task() for task in tasks])
        bounds.append(search.bound)
    assert bounds == sorted(bounds)
    assert bounds[-1] == KNOWN[board] == 21


def test_memory_is_a_limit():
    search = BestFirst(puzzle(max(KNOWN, key=KNOWN.__getitem__)), zero, 1, 1, 3000, new_stop())
    with pytest.raises(MemoryLimitError):
        while search.length is None:
            search.expand(lambda tasks: [task() for task in tasks])


def test_the_stop_flag_ends_it():
    stop = new_stop()
    search = BestFirst(puzzle(SAMPLE[3]), zero, 1, 1, PLENTY, stop)
    stop[0] = 1
    with pytest.raises(StoppedError):
        search.expand(lambda tasks: [task() for task in tasks])


def test_no_ways_are_known_before_the_goal_is():
    search = BestFirst(puzzle(SAMPLE[3]), zero, 1, 1, PLENTY, new_stop())
    with pytest.raises(FrontrowError, match="found no goal"):
        search.ways()


def test_a_goal_out_of_reach_leaves_nothing_waiting():
    odd = (2, 1, 3, 4, 5, 0)
    assert parity(SMALL.shape, odd) != parity(SMALL.shape, SMALL.goal_board)
    search = BestFirst(puzzle(odd), zero, 1, 1, PLENTY, new_stop())
    while search.next_bucket() is not None:
        search.expand(lambda tasks: [task() for task in tasks])
    assert (search.length, search.expanded) == (None, 360)


def test_large_boards_have_rows_of_several_words():
    start = [*range(1, 25), 0]
    start[18], start[23], start[24] = 0, 19, 24
    problem = Sliding(size="5x5", start=start)
    search, moves = solved(problem, zero, shards=2)
    assert moves == ["D", "R"]
    assert search.ways().first().tolist()[-1] == to_rows(np.array([[*range(1, 25), 0]])).tolist()[0]


def together(tasks):
    return [task() for task in tasks]


def finished(search):
    while search.length is None:
        search.expand(together)
    moves = SMALL.move_names(search.ways().first())
    return moves, search.expanded, search.bound, search.ways().count()


def half(rows):
    return exact(rows) // 2


SEARCHES = [(zero, 1, True), (exact, 1, True), (jumpy, 1, False), (half, 3, True), (half, math.inf, True)]


@pytest.fixture
def narrow(monkeypatch):
    """Portions are small: most buckets have several."""
    monkeypatch.setattr(astar, "PORTION", 1)


@pytest.mark.parametrize("board", SAMPLE[::5])
@pytest.mark.parametrize(("lower", "weight", "consistent"), SEARCHES)
def test_portions_change_nothing(board, lower, weight, consistent, monkeypatch):
    def begun():
        return BestFirst(puzzle(board), lower, weight, 2, PLENTY, new_stop(), consistent=consistent)

    whole = finished(begun())
    monkeypatch.setattr(astar, "PORTION", 3)
    assert finished(begun()) == whole


@pytest.mark.parametrize("board", SAMPLE[::7])
@pytest.mark.parametrize(("lower", "weight", "consistent"), SEARCHES)
@pytest.mark.parametrize("shards", [(2, 2), (1, 3), (3, 1)])
def test_a_search_goes_on_from_what_another_one_kept(narrow, board, lower, weight, consistent, shards):
    def begun(count):
        return BestFirst(puzzle(board), lower, weight, count, PLENTY, new_stop(), consistent=consistent)

    expected, steps = finished(begun(2)), 0
    search = begun(shards[0])
    while search.length is None:
        if steps % 11 == 0 or (weight > 1 and search.standing.current):
            other = begun(shards[1])
            other.restore(search.standing, list(search.kept()))
            assert other.next_bucket() == search.next_bucket()
            assert finished(other) == expected
        search.expand(together)
        steps += 1


def test_a_search_that_was_stopped_within_a_portion_keeps_what_was_before(narrow):
    board, stop = max(KNOWN, key=KNOWN.__getitem__), new_stop()
    search = BestFirst(puzzle(board), zero, 1, 2, PLENTY, stop)
    for _ in range(60):
        search.expand(together)
    before = sorted((*part[:2], part.rows.tolist()) for part in search.kept()), search.standing[:2]

    def stopped(tasks):
        tasks[0]()
        stop[0] = 1
        return together(tasks[1:] + tasks)

    with pytest.raises(StoppedError):
        search.expand(stopped)
    assert (sorted((*part[:2], part.rows.tolist()) for part in search.kept()), search.standing[:2]) == before
    other = BestFirst(puzzle(board), zero, 1, 1, PLENTY, new_stop())
    other.restore(search.standing, search.kept())
    assert finished(other) == finished(BestFirst(puzzle(board), zero, 1, 1, PLENTY, new_stop()))


def test_what_has_no_room_is_not_taken_over():
    search = BestFirst(puzzle(max(KNOWN, key=KNOWN.__getitem__)), zero, 1, 1, PLENTY, new_stop())
    for _ in range(12):
        search.expand(together)
    other = BestFirst(puzzle(max(KNOWN, key=KNOWN.__getitem__)), zero, 1, 1, 2000, new_stop())
    with pytest.raises(MemoryLimitError):
        other.restore(search.standing, search.kept())
    search.clear()
    assert search.nbytes == 0


def test_heuristics_are_asked_for_a_bounded_number_of_boards(monkeypatch):
    monkeypatch.setattr(astar, "PIECE", 7)
    farthest, asked = max(KNOWN, key=KNOWN.get), []

    def lower(rows):
        asked.append(rows.shape[0])
        return np.array([KNOWN[tuple(cells)] % 2 for cells in to_cells(rows, 6).tolist()])

    search = BestFirst(puzzle(farthest), lower, 1, 2, PLENTY, new_stop())
    while search.length is None:
        search.expand(lambda tasks: [task() for task in tasks])
    assert search.length == KNOWN[farthest]
    assert max(asked) == 7
