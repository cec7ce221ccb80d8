"""`frontrow.solve`: lengths are the known ones, ways the first, and limits say what is proved."""

import json
import threading

import numpy as np
import pytest

import frontrow
from frontrow.cluster.job import Job
from frontrow.cluster.solving import bounds, deepening, known
from frontrow.cluster.solving.known import Known
from frontrow.cluster.solving.result import Threshold
from frontrow.cluster.solving.solver import OutOfLimitError
from frontrow.cluster.store import Store
from frontrow.search.errors import DisputedError, LimitError, StoppedError, UnreachableError, UsageError
from frontrow.search.problems.sliding import Sliding
from frontrow.search.registry import ProblemRef
from frontrow.search.sliding.board import parity

HARDEST = [[8, 6, 7], [2, 5, 4], [3, 0, 1]]
FIRST = "UULDDRRUULDLDRRUULDLDRRUULLDDRR"
"""Of its 40 shortest solutions the first."""
ODD = [[1, 0, 8], [6, 4, 5], [3, 7, 2]]
"""It takes 23 moves; other searches find 25 and 27."""
KORF = {  # Korf 1985, numbers 12, 9, 19, 23 of his list; the goal has the blank first
    (14, 1, 9, 6, 4, 8, 12, 5, 7, 2, 3, 0, 10, 11, 13, 15): 45,
    (3, 14, 9, 11, 5, 4, 8, 2, 13, 12, 6, 7, 10, 1, 15, 0): 46,
    (7, 11, 8, 3, 14, 0, 6, 15, 1, 4, 13, 9, 5, 12, 2, 10): 46,
    (10, 9, 3, 11, 0, 13, 2, 14, 5, 6, 4, 7, 8, 15, 1, 12): 49,
}


@pytest.fixture
def solve(tmp_path):
    """`frontrow.solve` with a ledger of its own."""
    return lambda problem="sliding", **options: frontrow.solve(problem, store=tmp_path, **options)


@pytest.mark.jit
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"method": "bfs"},
        {"method": "astar"},
        {"method": "astar", "heuristic": "linear-conflict", "workers": 1},
        {"method": "astar", "heuristic": "pdb:4-4"},
        {"method": "ida", "heuristic": "manhattan"},
        {"method": "ida", "heuristic": "linear-conflict"},
        {"method": "ida", "heuristic": "walking", "workers": 1},
        {"method": "ida", "heuristic": "pdb"},
        {"heuristic": "pdb:1,2,3/4,5,6/7,8"},
    ],
    ids=lambda options: " ".join(map(str, options.values())) or "auto",
)
def test_every_method_and_heuristic_finds_the_first_shortest_solution(solve, options):
    found = solve(start=HARDEST, **options)
    assert "".join(found.moves) == FIRST
    assert (found.solved, found.optimal, found.length, found.lower, found.upper) == (True, True, 31, 31, 31)
    assert len(found.boards) == 32
    assert found.boards[0] == "8 6 7\n2 5 4\n3 _ 1"
    assert found.boards[-1] == "1 2 3\n4 5 6\n7 8 _"


@pytest.mark.jit
@pytest.mark.parametrize("tiles", KORF)
def test_known_boards_have_their_known_lengths(solve, tiles):
    found = solve(size="4x4", start=tiles, goal="blank-first")
    assert (found.length, found.optimal) == (KORF[tiles], True)


@pytest.mark.jit
@pytest.mark.parametrize("method", ["ida", "astar", "bfs"])
def test_all_shortest_solutions_are_counted_and_the_first_listed(solve, method):
    found = solve(start=HARDEST, method=method, every=True, limit=3)
    assert found.solutions == 40
    assert ["".join(each) for each in found.listed][0] == FIRST
    assert len(found.listed) == 3
    assert list(found.listed) == sorted(found.listed, key=lambda each: ["UDLR".index(move) for move in each])


@pytest.mark.jit
@pytest.mark.parametrize(
    ("options", "most"), [({"weight": 1.5}, 46), ({"method": "greedy"}, None), ({"weight": 1}, 31)]
)
def test_a_weight_bounds_the_length(solve, options, most):
    found = solve(start=HARDEST, **options)
    assert found.lower <= 31 <= found.length
    assert found.optimal == (found.lower == found.length)
    assert most is None or found.length <= most
    if options.get("weight") == 1.5:
        assert found.length <= 1.5 * found.lower + 1


@pytest.mark.jit
@pytest.mark.parametrize(
    ("moves", "first"), [("blank", ("U", "U")), ("tile", ("D", "D")), ("number", ("5", "6"))]
)
def test_moves_are_written_as_wanted(solve, moves, first):
    found = solve(start=HARDEST, moves=moves)
    assert (found.moves[:2], found.notation) == (first, moves)


def test_what_is_solved_already_takes_no_moves(solve):
    found = solve(size="4x4", every=True, limit=5)
    assert (found.solved, found.optimal, found.length, found.moves) == (True, True, 0, ())
    assert (len(found.boards), found.solutions, found.listed) == (1, 1, ((),))


@pytest.mark.parametrize("start", [[[2, 1, 3], [4, 5, 0]], [[2, 1, 0]], [[1], [0], [3], [2]]])
def test_what_cannot_be_solved_is_told_at_once(solve, start):
    with pytest.raises(UnreachableError, match="the goal cannot be reached"):
        solve(start=start)


@pytest.mark.jit
def test_a_list_of_boards_gives_a_list(solve):
    good, bad = [[1, 2, 3], [4, 0, 5]], [[2, 1, 3], [4, 0, 5]]
    found = solve(start=[good, bad, HARDEST])
    assert [(each.solved, each.length) for each in found] == [(True, 1), (False, None), (True, 31)]
    assert "cannot be reached" in found[1].reason
    again = solve([Sliding(size="2x3", start=good), Sliding(size="3x3", start=HARDEST)])
    assert [each.from_ledger for each in again] == [True, True]


ROWS = [[1, 2, 3], [4, 0, 5]]


@pytest.mark.jit
@pytest.mark.parametrize(
    "start",
    [
        lambda: (board for board in [ROWS, ROWS]),
        lambda: map(list, [ROWS, ROWS]),
        lambda: [map(iter, ROWS), zip(*zip(*ROWS, strict=True), strict=True)],
        lambda: (board for board in [(1, 2, 3, 4, 0, 5), iter((1, 2, 3, 4, 0, 5))]),
    ],
    ids=["generator", "map", "iterators of rows", "boards in one row"],
)
def test_boards_may_come_from_iterators(solve, start):
    found = solve(start=start(), size="2x3")
    assert [(each.solved, each.length, each.reason) for each in found] == [(True, 1, "")] * 2


@pytest.mark.jit
@pytest.mark.parametrize(
    "start",
    [
        lambda: zip(*zip(*ROWS, strict=True), strict=True),
        lambda: (row for row in ROWS),
        lambda: [ROWS[0], filter(lambda tile: True, ROWS[1])],
    ],
    ids=["zip", "generator", "filter"],
)
def test_rows_may_come_from_iterators(solve, start):
    found = solve(start=start(), goal=iter([iter([1, 2, 3]), iter([4, 5, 0])]))
    assert (found.length, found.params["size"]) == (1, "2x3")


@pytest.mark.jit
def test_slides_are_searched_breadth_first(solve):
    found = solve(start=[[1, 2, 3], [0, 4, 5]], metric="slide", moves="number")
    assert (found.length, found.moves, found.method) == (1, ("4+5",), "bfs")


@pytest.mark.jit
def test_one_row_has_one_way(solve):
    found = solve(start=[[0, 1, 2, 3]])
    assert (found.moves, found.method, found.optimal) == (("R", "R", "R"), "bfs", True)


@pytest.mark.jit
def test_an_answer_is_kept_and_can_be_computed_again(solve, tmp_path):
    first = solve(start=HARDEST)
    again = solve(start=HARDEST)
    fresh = solve(start=HARDEST, fresh=True)
    assert [each.from_ledger for each in (first, again, fresh)] == [False, True, False]
    assert first.moves == again.moves == fresh.moves
    with Store.open(tmp_path) as store:
        [row] = store.jobs()
        assert (row.verb, row.state, row.share) == ("solve", "done", 1.0)
        assert row.solution("number").moves == solve(start=HARDEST, moves="number").moves
        assert not store.exploration(row.id).exists()


@pytest.mark.jit
def test_another_answer_than_the_one_before_is_disputed(solve, tmp_path):
    job = solve(start=HARDEST).job
    with Store.open(tmp_path) as store, store.lock(job) as lock:
        assert lock.try_acquire()
        answer = dict(store.jobs(job)[0].answer)
        answer["moves"] = answer["moves"][::-1]
        epoch = store.own(job)
        store.finish(job, epoch, "done", answer=answer)
    with pytest.raises(DisputedError, match="as in the earlier run"):
        solve(start=HARDEST, fresh=True)
    with pytest.raises(DisputedError, match="--fresh computes it again"):
        solve(start=HARDEST)


@pytest.mark.jit
def test_a_limit_tells_the_bounds_and_the_next_run_goes_on(solve, tmp_path, monkeypatch):
    def by_all(self, bound):
        raise LimitError("the time limit of 1 s was reached")

    monkeypatch.setattr(deepening.Deepening, "_expected", lambda self: 9.0 if self._rate else 0.0)
    monkeypatch.setattr(deepening.Deepening, "_rate", 1.0, raising=False)
    rounds = []
    with monkeypatch.context() as patch:
        patch.setattr(
            "frontrow.cluster.solving.rounds.Rounds.of", lambda *args, **rest: lambda bound: by_all(0, bound)
        )
        patch.setattr(deepening, "FIRST_NODES", 40)
        patch.setattr(deepening, "QUICK_NODES", 0)
        with pytest.raises(OutOfLimitError, match="moves at least") as caught:
            solve(start=HARDEST, heuristic="manhattan", on_threshold=rounds.append)
    told = caught.value.solution
    assert caught.value.exit_status == 4
    assert (told.solved, told.complete, told.optimal) == (False, False, False)
    assert told.lower == rounds[-1].bound + 2
    assert told.upper >= 31
    with Store.open(tmp_path) as store:
        [row] = store.jobs()
        assert row.state == "interrupted"
        saved = known.read_saved(store.exploration(row.id), row.id)
    assert saved[2].lower == told.lower


def test_what_is_known_is_read_as_it_was_written(tmp_path):
    state = Known(40, 50, 1 << 70, [Threshold(40, 1 << 70, 0.5)], large=True, seconds=3.5)
    known.save(tmp_path / "job", "1234", "ida", "walking", state)
    assert known.read_saved(tmp_path / "job", "1234") == ("ida", "walking", state)
    assert known.read_saved(tmp_path / "job", "other") is None
    path = tmp_path / "job" / "search.frow"
    path.write_bytes(path.read_bytes()[:-3] + b"abc")
    assert known.read_saved(tmp_path / "job", "1234") is None


def with_rounds_done(folder):
    """A puzzle of which the ledger in a folder knows three rounds."""
    problem = Sliding(size="3x3", start=HARDEST)
    job = Job("solve", ProblemRef.of(problem), json.dumps({}))
    done = [Threshold(bound, 5, 0.1) for bound in (21, 23, 25)]
    with Store.open(folder) as store:
        store.create(job)
        known.save(store.exploration(job.id), job.id, "ida", "manhattan", Known(27, 45, 15, done))
    return problem


@pytest.mark.jit
def test_an_interrupted_search_goes_on_after_the_rounds_that_are_done(solve, tmp_path):
    problem = with_rounds_done(tmp_path)
    rounds = []
    found = solve(problem, on_threshold=rounds.append)
    assert [each.bound for each in rounds] == [27, 29, 31]
    assert [each.bound for each in found.thresholds] == [21, 23, 25, 27, 29, 31]
    assert ("".join(found.moves), found.resumed) == (FIRST, 3)


@pytest.mark.jit
@pytest.mark.parametrize(("method", "memory"), [("astar", (30_000, 60_000)), ("bfs", (90_000, 200_000))])
def test_a_limit_tells_how_many_rounds_were_taken_over(solve, method, memory):
    told = []
    for most in memory:
        with pytest.raises(OutOfLimitError) as caught:
            solve(size="3x4", start=(11, 10, 9, 8, 7, 6, 5, 4, 3, 1, 2, 0), method=method, memory=most)
        told.append(caught.value.solution)
    assert told[0].resumed == 0
    assert told[1].resumed > 0
    assert not told[1].complete


@pytest.mark.jit
def test_a_limit_tells_how_many_rounds_of_depth_first_were_taken_over(solve, tmp_path, monkeypatch):
    problem = with_rounds_done(tmp_path)

    def over(self):
        raise LimitError("the time limit of 1 s was reached")

    monkeypatch.setattr(deepening.Deepening, "run", over)
    with pytest.raises(OutOfLimitError) as caught:
        solve(problem)
    found = caught.value.solution
    assert (found.complete, found.to_json()["resumed"], len(found.thresholds)) == (False, 3, 3)


@pytest.mark.jit
def test_an_error_that_came_of_ctrl_c_within_a_kernel_is_an_interruption(solve, tmp_path, monkeypatch):
    def signalled(*args):
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as cause:
            raise SystemError("a result with an exception set") from cause

    with monkeypatch.context() as patch:
        patch.setattr(deepening.Deepening, "_here", signalled)
        with pytest.raises(KeyboardInterrupt):
            solve(start=HARDEST, heuristic="manhattan")
    with Store.open(tmp_path) as store:
        [row] = store.jobs()
        assert row.state == "interrupted"
        assert known.read_saved(store.exploration(row.id), row.id)[2].lower == 21


@pytest.mark.jit
def test_quick_rounds_start_no_thread_and_all_come_to_the_same(solve, monkeypatch):
    found, backed, in_background = [], [], deepening.in_background

    def counted(*args):
        backed[-1] += 1
        return in_background(*args)

    monkeypatch.setattr(deepening, "in_background", counted)
    for quick in (0, 300, 1 << 20):
        monkeypatch.setattr(deepening, "QUICK_NODES", quick)
        backed.append(0)
        solution = solve(start=HARDEST, heuristic="manhattan", fresh=True)
        found.append((solution.moves, [(each.bound, each.nodes) for each in solution.thresholds]))
    assert found[1:] == found[:-1]
    rounds = len(found[0][1])
    assert backed[0] == rounds > backed[1] > backed[2] == 0


@pytest.mark.jit
def test_what_a_long_round_proved_is_kept_at_once(solve, tmp_path, monkeypatch):
    monkeypatch.setattr(deepening, "FIRST_NODES", 40)
    monkeypatch.setattr(deepening, "QUICK_NODES", 0)
    monkeypatch.setattr(deepening, "SHORT", 0.0)
    monkeypatch.setattr(deepening, "ALONE", 0.0)
    kept = []

    def on_threshold(each):
        with Store.open(tmp_path) as store:
            [job] = [row.id for row in store.jobs() if row.verb == "solve"]
            saved = known.read_saved(store.exploration(job), job)
            kept.append(None if saved is None else (saved[2].thresholds[-1].bound, saved[2].lower))

    rounds = [each.bound for each in solve(start=HARDEST, on_threshold=on_threshold).thresholds]
    long = [each for each in kept if each is not None]
    assert len(long) > 2
    assert long == list(zip(rounds, [*rounds[1:], 31], strict=True))[-len(long) :]


@pytest.mark.jit
def test_memory_is_a_limit_of_a_star(solve):
    with pytest.raises(OutOfLimitError, match="memory: found .* needed") as caught:
        solve(start=HARDEST, method="astar", heuristic="manhattan", memory=60_000)
    assert 21 <= caught.value.solution.lower <= 31 <= caught.value.solution.upper


@pytest.mark.jit
def test_tables_that_are_named_obey_the_memory(solve):
    with pytest.raises(
        OutOfLimitError, match="bytes needed for tables 4-4, expected at most 1,000 "
    ) as caught:
        solve(start=HARDEST, heuristic="pdb:4-4", memory=1000)
    told = caught.value.solution
    assert (told.lower, told.upper) == (21, None)  # there is no room to look for a solution either
    assert "goes on" not in told.reason


@pytest.mark.jit
def test_building_tables_obeys_the_time_limit(solve, monkeypatch):
    stopped = threading.Event()

    def endless(*args, stop, progress, **rest):
        progress(0.25)
        while not stop[0]:
            stopped.wait(0.01)
        stopped.set()
        raise StoppedError("stopped")

    monkeypatch.setattr("frontrow.search.patterns.files.open_tables", endless)
    notes = []
    with pytest.raises(
        OutOfLimitError,
        match="limit of 0.5 s was reached while tables 4-4 were built, of which nothing is kept; 21 moves",
    ) as caught:
        solve(start=HARDEST, heuristic="pdb:4-4", time_limit=0.5, progress=notes.append)
    told = caught.value.solution
    assert (told.lower, told.upper) == (21, 31)  # which no time limit bounds
    assert stopped.wait(60)
    assert [each.elapsed > 0 for each in notes if each.note == "building tables"] == [True]


@pytest.mark.jit
@pytest.mark.parametrize("method", ["astar", "bfs"])
def test_what_is_enough_at_a_limit_depends_on_the_board_alone(solve, monkeypatch, method):
    with pytest.raises(OutOfLimitError, match="27 are enough") as caught:
        solve(start=ODD, method=method, memory=20_000, time_limit=60)
    assert caught.value.solution.upper == 27
    monkeypatch.setattr(bounds, "UPPER_BOARDS", 10)
    with pytest.raises(OutOfLimitError, match="no solution is known yet") as caught:
        solve(start=ODD, method=method, memory=20_000, fresh=True)


@pytest.mark.jit
def test_a_limit_tells_what_other_searches_of_the_board_proved(solve):
    def told_at_a_limit(**asked):
        with pytest.raises(OutOfLimitError) as caught:
            solve(memory=20_000, **asked)
        found = caught.value.solution
        assert f"{found.lower} moves at least, {found.upper} are enough" in found.reason
        return found.lower, found.upper

    assert (solve(start=ODD, weight=1.2).length, solve(start=ODD, weight=1.2).lower) == (25, 21)
    lower, upper = told_at_a_limit(start=ODD, method="bfs")
    assert (lower >= 21, upper) == (True, 25)
    assert solve(start=ODD).length == 23
    assert told_at_a_limit(start=ODD, method="astar") == (23, 23)
    with pytest.raises(OutOfLimitError, match="no solution is known yet"):
        solve(start=ODD, goal=HARDEST, method="astar", memory=1)  # another question


@pytest.mark.jit
def test_what_is_enough_is_looked_for_before_long_rounds_if_there_is_a_limit(solve, monkeypatch):
    looked = []

    def by_all(*args, **rest):
        def search(bound):
            raise LimitError("the time limit of 60 s was reached" if looked else "too early")

        return search

    def upper_bound(problem, memory):
        looked.append(memory)
        return 27

    monkeypatch.setattr("frontrow.cluster.solving.run.upper_bound", upper_bound)
    monkeypatch.setattr("frontrow.cluster.solving.rounds.Rounds.of", by_all)
    monkeypatch.setattr(deepening, "FIRST_NODES", 40)
    monkeypatch.setattr(deepening, "QUICK_NODES", 0)
    monkeypatch.setattr(deepening, "SHORT", 0.0)
    monkeypatch.setattr(deepening, "ALONE", 0.0)
    with pytest.raises(OutOfLimitError, match="limit of 60 s was reached"):
        solve(start=ODD, heuristic="manhattan", time_limit=60)
    assert len(looked) == 1


@pytest.mark.jit
def test_a_limit_of_bfs_tells_the_bounds_of_heuristics(solve):
    with pytest.raises(OutOfLimitError, match="moves at least") as caught:
        solve(start=HARDEST, method="bfs", memory=60_000)
    assert 21 <= caught.value.solution.lower <= 31 <= caught.value.solution.upper


@pytest.mark.jit
def test_a_limit_or_a_bad_board_of_a_list_keeps_the_others(solve):
    twice, easy = [[1, 2, 3], [4, 5, 5], [7, 8, 0]], [[1, 2, 3], [4, 5, 6], [7, 0, 8]]
    found = solve(start=[twice, HARDEST, None, easy], method="astar", heuristic="manhattan", memory=60_000)
    assert [each.solved for each in found] == [False, False, False, True]
    assert found[0].reason.startswith("start[0]: found tile 5 again in row 2, expected tile 6")
    assert 21 <= found[1].lower <= 31 <= found[1].upper
    assert "with more --memory the same command goes on from there" in found[1].reason
    assert found[2].reason.startswith("start[2]: ")


def test_options_that_are_not_for_any_board_of_a_list_are_refused_at_once(solve):
    bad, easy = [[1, 2, 3], [4, 5, 5], [7, 8, 0]], [[1, 2, 3], [4, 5, 6], [7, 0, 8]]
    with pytest.raises(UsageError, match="^heuristic: found"):
        solve(start=[bad, easy, HARDEST], heuristic="pdb:9")


@pytest.mark.jit
def test_options_that_are_for_some_boards_of_a_list_keep_these(solve):
    found = solve(start=[[[1, 2, 3], [4, 0, 5]], HARDEST], heuristic="pdb:4-4")
    assert [each.solved for each in found] == [False, True]
    assert found[0].reason.startswith("start[0]: heuristic: found")


@pytest.mark.jit
@pytest.mark.parametrize(
    "options",
    [
        {"weight": 1.5},
        {"method": "ida"},
        {"method": "astar"},
        {"method": "greedy"},
        {"heuristic": "walking"},
        {"heuristic": "pdb:6-6-3"},
        {"method": "ida", "heuristic": "pdb"},
        {"every": True, "limit": 1, "method": "ida"},
    ],
)
@pytest.mark.parametrize(("size", "moves"), [("1x4", ("R",)), ("4x1", ("D",))])
def test_one_row_has_one_way_whatever_is_asked(solve, options, size, moves):
    found = solve(size=size, start="1,2,0,3", **options)
    assert (found.moves, found.method, found.optimal, found.lower) == (moves, "bfs", True, 1)
    assert f"the {size} board has one way only, whatever the method" in found.why
    with pytest.raises(UnreachableError, match="tiles cannot pass each other"):
        solve(size=size, start="2,1,0,3", **options)


@pytest.mark.jit
@pytest.mark.parametrize("size", ["7x7", "2x19", "19x2"])
def test_large_boards_are_searched_depth_first_without_tables(solve, size):
    rows, columns = map(int, size.split("x"))
    tiles = [*range(1, rows * columns - 1), 0, rows * columns - 1]
    found = solve(size=size, start=tiles, method="ida")
    assert (found.moves, found.method, found.heuristic) == (("R",), "ida", "linear-conflict")
    assert found.why == "as asked for; there are no tables for more than 36 cells"
    with pytest.raises(UsageError, match="^heuristic: found 'pdb'"):
        solve(size=size, start=tiles, method="ida", heuristic="pdb")


@pytest.mark.parametrize(
    "start",
    [
        np.array([[1, 2, 3], [4, 5, 6], [7, 0, 8]]),
        ((1, 2, 3), (4, 5, 6), (7, 0, 8)),
        np.array([1, 2, 3, 4, 5, 6, 7, 0, 8]),
        [*"1234567_8"],
    ],
)
@pytest.mark.jit
def test_a_board_may_be_any_sequence(solve, start):
    assert solve(start=start).moves == ("R",)


EASY = [1, 2, 3, 4, 5, 6, 7, 0, 8]


@pytest.mark.parametrize(
    ("start", "size"),
    [
        ([EASY, EASY], {"size": "3x3"}),
        ([EASY, EASY], {}),
        (["1,2,3,4,5,6,7,_,8", "1 2 3\n4 5 6\n7 _ 8"], {}),
        (np.array([EASY, EASY]).reshape(2, 3, 3), {}),
    ],
    ids=["rows", "rows without a size", "texts", "array"],
)
@pytest.mark.jit
def test_several_boards_may_be_rows_texts_or_an_array(solve, start, size):
    assert [each.moves for each in solve(start=start, **size)] == [("R",), ("R",)]


@pytest.mark.parametrize("tile", [-8, None, True, 1.0])
def test_what_is_no_tile_is_named(solve, tile):
    with pytest.raises(UsageError, match=f"^start: found {tile}, expected tiles from 1 on"):
        solve(start=[[1, 2, 3], [4, 5, 6], [7, 0, tile]])


def test_an_empty_list_gives_an_empty_list(solve):
    assert solve([]) == solve(start=[]) == []


def test_a_list_of_something_else_than_problems_is_refused(solve):
    with pytest.raises(UsageError, match=r"problem\[0\]: found .*, expected a problem"):
        solve([HARDEST])


@pytest.mark.jit
@pytest.mark.parametrize("seed", range(6))
def test_methods_agree_on_boards_at_random(solve, seed):
    rng = np.random.default_rng(seed)
    rows, columns = [(2, 3), (3, 2), (2, 4), (3, 3), (4, 2), (2, 5)][seed]
    goal = rng.permutation(rows * columns)
    start = rng.permutation(rows * columns)
    problem = Sliding(size=f"{rows}x{columns}", start=start.tolist(), goal=goal.tolist())
    if problem.unreachable:
        where = [place for place in range(start.size) if start[place]][:2]
        start[where] = start[where[::-1]]
        problem = Sliding(size=f"{rows}x{columns}", start=start.tolist(), goal=goal.tolist())
    found = {
        (method, heuristic): solve(problem, method=method, heuristic=heuristic).moves
        for method, heuristic in [
            ("bfs", "auto"),
            ("astar", "manhattan"),
            ("ida", "manhattan"),
            ("ida", "linear-conflict"),
            ("ida", "walking"),
            ("auto", "pdb"),
        ]
    }
    assert len(set(found.values())) == 1, found


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "dfs"}, "method: found 'dfs', expected auto, ida"),
        ({"heuristic": "zero"}, "heuristic: found 'zero', expected auto, manhattan"),
        ({"weight": 0.5}, "weight: found 0.5, expected a number from 1"),
        ({"weight": 2, "method": "ida"}, "weight: found 2 for ida, expected it for astar"),
        ({"weight": 2, "method": "greedy"}, "weight: found 2 for greedy, expected it for astar"),
        ({"weight": 1, "method": "greedy"}, "weight: found 1 for greedy, expected it for astar"),
        ({"weight": 2, "heuristic": "pdb:4-4"}, "weight: found pdb:4-4, expected manhattan"),
        ({"every": True, "method": "greedy"}, "all: found a search that need not be optimal"),
        ({"heuristic": "walking", "method": "bfs"}, "heuristic: found walking for bfs, expected none"),
        ({"moves": "arrows"}, "moves: found 'arrows', expected blank or tile or number"),
        ({"disk": 0}, "disk: found 0, expected an integer from 1"),
        ({"limit": 3}, "limit: found 3 without every"),
        ({"metric": "slide", "method": "ida"}, "method: found ida for metric=slide, expected bfs without"),
        ({"metric": "slide", "weight": 2}, "weight: found 2 for metric=slide, expected bfs without"),
        ({"metric": "slide", "heuristic": "walking"}, "heuristic: found walking for metric=slide, expected"),
        ({"start": [[1, 2], [2, 0]]}, "start: found tile 2 again in row 2, expected tile 3"),
        ({"goal": [[1, 2, 3], [4, 0, 5]]}, "goal: found 2 lines, expected 3|line 1: found"),
    ],
)
def test_what_does_not_fit_is_refused(solve, options, message):
    with pytest.raises(UsageError, match=message):
        solve(**{"start": HARDEST, **options})


def test_other_problems_are_refused(solve):
    with pytest.raises(UsageError, match="found no way to solve queens"):
        solve("queens", n=6)


def test_the_parity_of_the_known_boards_is_that_of_the_goal():
    for tiles in KORF:
        problem = Sliding(size="4x4", start=tiles, goal="blank-first")
        assert parity(problem.shape, tiles) == parity(problem.shape, problem.goal_board)
