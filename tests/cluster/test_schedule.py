"""What is handed out next, and what is said about the time left."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontrow.cluster.schedule import HONEST, SEVERAL, Ratio, Schedule

costs = st.lists(st.integers(1, 10**6), min_size=1, max_size=200)


def drain(schedule, units, seconds=lambda cost: cost * 1e-4):
    """Hand everything out, finishing each batch before the next; yield the batches."""
    known = dict(units)
    while batch := schedule.take():
        yield batch
        for number in batch:
            schedule.done(number, seconds(known[number]), 1)


@given(costs, st.integers(1, 7))
def test_every_unit_is_handed_out_once(costs, workers):
    units = list(enumerate(costs))
    schedule = Schedule(units, range(len(costs)), workers, "seed")
    taken = [number for batch in drain(schedule, units) for number in batch]
    assert sorted(taken) == list(range(len(costs)))
    assert schedule.left == 0
    assert schedule.share() == 1.0


@given(costs, st.data())
def test_the_order_is_the_same_in_every_run_whatever_is_done(costs, data):
    units = list(enumerate(costs))
    done = data.draw(st.sets(st.sampled_from(range(len(costs)))))
    whole, rest = (
        [number for batch in drain(Schedule(units, pending, 2, "job"), units) for number in batch]
        for pending in (range(len(costs)), [n for n in range(len(costs)) if n not in done])
    )
    assert rest == [number for number in whole if number not in done]


def test_the_order_is_random_but_for_large_units_which_come_early_enough():
    units = [(number, 10) for number in range(1000)] + [(1000, 2000)]
    order = [n for batch in drain(Schedule(units, range(1001), 2, "job"), units) for n in batch]
    assert order.index(1000) <= 500  # a sixth of all, for which two workers need what a third takes one
    assert order != sorted(order)
    first = order[:300]
    assert 350 < sum(first) / len(first) < 650  # they come in runs of up to 16


def test_batches_shrink_towards_the_end():
    units = [(number, 1000) for number in range(2000)]
    sizes = [len(batch) for batch in drain(Schedule(units, range(2000), 2, "seed"), units)]
    assert max(sizes) > 10
    assert sizes[-1] <= 1 + max(sizes) // 10


def test_a_batch_holds_at_most_two_seconds_of_predicted_work():
    units = [(number, 1000) for number in range(5000)]
    batches = list(drain(Schedule(units, range(5000), 1, "seed"), units))
    assert max(len(batch) for batch in batches) * 1000 * 1e-4 <= 2.0


def test_units_done_in_an_earlier_run_are_not_handed_out():
    units = [(number, 10) for number in range(20)]
    schedule = Schedule(units, range(10, 20), 2, "seed")
    for number in range(10):
        schedule.done(number, 1e-3, 1)
    assert schedule.share() == pytest.approx(0.5)
    assert sorted(n for batch in drain(schedule, units) for n in batch) == list(range(10, 20))


def test_children_of_a_unit_are_handed_out_too():
    units = [(0, 100)]
    schedule = Schedule(units, [0], 2, "seed")
    assert schedule.take() == [0]
    schedule.add([(1, 40), (2, 60)])
    schedule.done(0, 0.01, 1)
    assert schedule.left == 2
    assert {n for batch in drain(schedule, [(1, 40), (2, 60)]) for n in batch} == {1, 2}


def test_nothing_is_said_about_the_time_left_before_five_percent():
    units = [(number, 10) for number in range(1000)]
    schedule = Schedule(units, range(1000), 2, "seed")
    for count, (number, cost) in enumerate(units, 1):
        assert (schedule.remaining() is not None) == (schedule.share() >= HONEST and count > SEVERAL)
        schedule.done(number, cost * 1e-3, 1)


def test_the_range_of_the_time_left_contains_the_truth():
    # Units whose true seconds scatter by a factor of two around the prediction; 95 of 100 runs must be right.
    right = 0
    for trial in range(100):
        generator = random.Random(trial)
        units = [(number, generator.randint(100, 1000)) for number in range(1000)]
        truth = {number: cost * 1e-3 * generator.uniform(0.5, 2.0) for number, cost in units}
        schedule = Schedule(units, range(1000), 1, str(trial))
        left = sum(truth.values())
        while schedule.share() < 2 * HONEST:
            for number in schedule.take():
                schedule.done(number, truth[number], 1)
                left -= truth[number]
        low, high = schedule.remaining()
        right += low <= left <= high
    assert right >= 90


def test_first_units_that_pay_for_tables_do_not_spoil_the_range():
    # The first forty take three times what they would later: the range says so, then forgets it.
    units = [(number, 100) for number in range(2000)]
    schedule = Schedule(units, range(2000), 1, "seed")
    left, done = 0.3 * 40 + 0.1 * 1960, 0
    while numbers := schedule.take():
        for number in numbers:
            seconds = 0.3 if done < 40 else 0.1
            schedule.done(number, seconds, 1)
            left, done = left - seconds, done + 1
        if schedule.share() >= 0.15 and left > 1:
            low, high = schedule.remaining()
            assert low <= left <= high
            if left < 100:
                assert high - low <= 0.6 * left


def test_a_machine_that_becomes_slower_is_told_from_the_last_units():
    units = [(number, 100) for number in range(1000)]
    schedule = Schedule(units, range(1000), 1, "seed")
    taken = [number for numbers in iter(schedule.take, []) for number in numbers]
    for number in taken[:400]:
        schedule.done(number, 0.1, 1)
    for number in taken[400:600]:
        schedule.done(number, 0.2, 1)
    low, high = schedule.remaining()
    assert low < 400 * 0.1334 < 400 * 0.2 < high


def test_units_in_flight_count_for_what_they_have_done():
    units = [(number, 100) for number in range(20)]
    schedule = Schedule(units, range(20), 2, "seed")
    taken = [number for _ in range(16) for number in schedule.take()]
    for number in taken[:8]:
        schedule.done(number, 1.0, 1)
    assert schedule.share(4.0) == pytest.approx(0.6)
    without, with_them = schedule.remaining(), schedule.remaining(flying=4.0)
    assert with_them[0] == pytest.approx(without[0] - 2.0)
    # A worker that was not heard of for an hour has not done the work of the others.
    assert schedule.share(3600.0) < 1.0


def test_the_ratio_of_exact_predictions_has_no_error():
    ratio = Ratio()
    for cost in (10, 20, 30):
        ratio.add(cost, cost * 0.25)
    assert ratio.value == pytest.approx(0.25)
    assert ratio.error == pytest.approx(0.0, abs=1e-9)


def unpredictable(**options):
    """A thousand units of unknown worth, ten of which took a millisecond for a thousand nodes each."""
    units = [(number, 1) for number in range(1000)]
    schedule = Schedule(units, range(1000), 2, "seed", predictable=False, **options)
    for number in range(10):
        schedule.done(number, 1e-3, 1000)
    return schedule


def test_a_batch_of_units_with_large_budgets_is_small_although_earlier_ones_were_quick():
    schedule = unpredictable()
    seconds = schedule.budget(10) / 1e6
    assert len(schedule.take()) * seconds <= 2.0
    assert unpredictable(longest=0.1).budget(10) <= 0.1 * 1e6
    assert len(unpredictable(longest=0.1).take()) == 1


def test_only_units_of_minutes_have_a_budget_where_costs_are_predicted():
    # 10 ms should cost 1,000: the first unit takes 100 s, the second 5 s.
    schedule = Schedule([(0, 10_000_000), (1, 500_000)], [0, 1], 2, "seed", floor=1000)
    assert (schedule.budget(0), schedule.budget(1)) == (600_000, None)  # nothing was seen yet: short
    schedule.done(1, 50.0, 1_000_000)
    assert schedule.budget(0) == 1_200_000  # a minute at the rate that was seen


def test_units_that_take_longer_than_predicted_have_budgets_once_that_is_seen():
    schedule = Schedule([(number, 500_000) for number in range(3)], range(3), 2, "seed", floor=1000)
    assert schedule.budget(1) is None
    schedule.done(0, 600.0, 1_000_000)
    assert schedule.budget(1) == 100_000


def test_a_unit_that_left_all_its_cost_says_nothing_about_costs_but_about_the_rate():
    schedule = Schedule([(0, 10_000_000), (1, 10_000_000)], [0, 1], 2, "seed", floor=1000)
    schedule.add([(2, 10_000_000)])
    schedule.done(0, 10.0, 1_000_000, left=10_000_000)
    assert schedule.share() == 0.0
    assert schedule.budget(1) == 6_000_000


def test_what_a_budget_left_is_no_work_done():
    schedule = Schedule([(0, 100)], [0], 1, "seed")
    schedule.take()
    schedule.add([(1, 75)])
    schedule.done(0, 1.0, 1, left=75)
    assert schedule.share() == pytest.approx(0.25)
