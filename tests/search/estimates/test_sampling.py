"""Slices are a partition of the work, draws are what their seed says, and estimates from them are honest."""

import numpy as np
import pytest

from frontrow.search.contract import check_costs
from frontrow.search.errors import StoppedError
from frontrow.search.estimates.estimate import Outcome, conclude, pace
from frontrow.search.estimates.sampling import Frame, as_floats, measure
from frontrow.search.problem import Countable
from frontrow.search.problems.queens import Queens
from frontrow.search.rows import new_stop
from tests.search.estimates.heap import Heap

HEAPS = [Heap(rows=400), Heap(rows=60, size=2000), Heap(rows=3, size=30), Heap(rows=1), Heap(rows=0)]


def framed(problem: Countable, target: float) -> Frame:
    rows = problem.split()
    return Frame(problem, rows, check_costs(rows, problem.cost(rows)), target)


def sampled(frame: Frame, draws: int, seed: int) -> Outcome:
    samples = []
    for draw in frame.draws(seed):
        if len(samples) == draws:
            break
        samples.append(measure(frame.problem, draw, frame.target, seed, new_stop()))
    return conclude(frame, samples)


@pytest.mark.parametrize("problem", HEAPS, ids=repr)
def test_all_slices_together_are_the_whole(problem: Heap) -> None:
    whole = problem.tally(problem.split(), None, new_stop()) if problem.rows else None
    frame = framed(problem, 1e9)
    outcome = sampled(frame, 10**6, 0)
    assert outcome.counts == (whole.counts if whole else (0, 0, 0))
    assert outcome.nodes.is_exact
    assert outcome.nodes.expected == (whole.nodes if whole else 0)


@pytest.mark.parametrize("target", [50.0, 400.0, 5000.0])
def test_every_row_is_in_one_slice(target: float) -> None:
    for problem in HEAPS:
        frame = framed(problem, target)
        rows = [draw.rows for draw in frame.draws(1) if draw.parts == 1]
        several = {draw.rows.tobytes(): draw for draw in frame.draws(1) if draw.parts > 1}
        rows += [draw.rows for draw in several.values()]
        found = np.concatenate([*rows, np.empty((0, 2), np.uint64)])
        assert sorted(found.tolist()) == sorted(problem.split().tolist())
        assert all(draw.costs.sum() > 2 * target and len(draw.rows) == 1 for draw in several.values())
        assert sum(each.size for each in frame.strata) == len(list(frame.draws(2)))


def test_a_seed_names_the_draws_and_what_is_tallied_of_them() -> None:
    frame = framed(Heap(rows=60, size=2000), 100.0)
    first, again, other = (list(frame.draws(seed))[:50] for seed in (5, 5, 6))
    assert [(each.stratum, each.number) for each in first] == [(each.stratum, each.number) for each in again]
    assert [each.number for each in first] != [each.number for each in other]
    stop = new_stop()
    for draw in first[:10]:
        one, two = (measure(frame.problem, draw, frame.target, 5, stop) for _ in range(2))
        assert (one.values[1:] == two.values[1:]).all()
        assert not one.exact
        assert one.tallied < draw.costs.sum()


@pytest.mark.parametrize(
    ("size", "target", "draws"), [(100, 1e3, 60), (100, 1e3, 100), (5000, 300.0, 30), (5000, 300.0, 100)]
)
def test_intervals_from_slices_hold_the_truth(size: int, target: float, draws: int) -> None:
    problem = Heap(rows=300, size=size)
    truth = problem.tally(problem.split(), None, new_stop())
    frame = framed(problem, target)
    outcomes = [sampled(frame, draws, seed) for seed in range(100, 150)]
    for expected, guesses in (
        (truth.counts[0], [each.values["worth"] for each in outcomes]),
        (truth.counts[1], [each.values["odd"] for each in outcomes]),
        (truth.nodes, [each.nodes for each in outcomes]),
    ):
        told = [interval for guess in guesses if (interval := guess.interval()) is not None]
        assert len(told) >= 45
        assert sum(interval.low <= expected <= interval.high for interval in told) >= 0.9 * len(told)
        found = np.array([guess.expected for guess in guesses]) / expected
        assert abs(found.mean() - 1) < 4 * found.std() / found.size**0.5 + 0.005


def test_a_maximum_is_told_as_the_greatest_met() -> None:
    outcome = sampled(framed(Heap(rows=400), 1000.0), 20, 0)
    assert set(outcome.values) == {"worth", "odd"}
    assert 15 <= outcome.greatest["largest"] <= 45


def test_a_stopped_draw_ends() -> None:
    frame = framed(Heap(rows=60, size=2000), 100.0)
    stop = new_stop()
    stop[0] = 1
    with pytest.raises(StoppedError):
        measure(frame.problem, next(frame.draws(0)), frame.target, 0, stop)


def test_the_pace_is_a_power_of_four_of_what_is_promised() -> None:
    problem = Heap(rows=400)
    rows = problem.split()
    found, last = pace(problem, rows, as_floats(problem.cost(rows)), 0, new_stop())
    steps = np.log2(found / (0.01 / problem.unit_floor)) / 2
    assert steps == pytest.approx(round(steps))
    assert last > 0


@pytest.mark.parametrize("n", [0, 1, 2, 5, 8, 10])
def test_the_whole_of_a_board_is_exact(n: int) -> None:
    problem = Queens(n=n).settle()
    problem.warm()
    outcome = sampled(framed(problem, 1e12), 10**6, 0)
    assert outcome.counts is not None
    totals = problem.summary(dict(zip(problem.tallies, outcome.counts, strict=True)))
    assert totals["solutions"] == {0: 1, 1: 1, 2: 0, 5: 10, 8: 92, 10: 724}[n]
    expected = {name: guess.expected for name, guess in outcome.values.items()}
    assert n < 2 or expected == totals


@pytest.mark.jit
@pytest.mark.parametrize(("n", "method"), [(14, "lanes"), (14, "quadrant"), (15, "quadrant"), (13, "scalar")])
def test_intervals_hold_the_totals_of_boards(n: int, method: str) -> None:
    problem = Queens(n=n, method=method)
    problem.warm()
    known = {13: 73712, 14: 365596, 15: 2279184}[n]
    rows = problem.split()
    costs = problem.cost(rows)
    frame = Frame(problem, rows, costs, float(costs.sum()) / 150)
    told = [sampled(frame, 30, seed).values["solutions"].interval() for seed in range(20)]
    given = [interval for interval in told if interval is not None]
    assert len(given) >= 15
    assert sum(interval.low <= known <= interval.high for interval in given) >= 0.85 * len(given)


@pytest.mark.jit
@pytest.mark.parametrize(
    ("n", "method"), [(18, "quadrant"), (19, "quadrant"), (20, "quadrant"), (20, "lanes")]
)
def test_a_divided_row_is_worth_what_the_row_is(n: int, method: str) -> None:
    problem = Queens(n=n, method=method)
    rows = problem.split()
    costs = problem.cost(rows)
    for place in np.flatnonzero(costs > np.quantile(costs, 0.2))[:: rows.shape[0] // 6].tolist():
        row, stop = rows[place : place + 1], new_stop()
        part = problem.divide(row, stop)
        left = problem.tally(part.rest, None, stop).counts
        found = [one + two for one, two in zip(part.counts, left, strict=True)]
        whole = problem.tally(row, None, stop).counts
        values = [
            problem.expected(dict(zip(problem.tallies, map(float, counts), strict=True)))
            for counts in (found, whole)
        ]
        assert values[0] == values[1]
        assert part.rest.shape[0] > 1 or costs[place] < np.median(costs)
