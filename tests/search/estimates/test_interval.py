"""Intervals hold as often as they say, also for skewed draws, and nothing is said where nothing is known."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from frontrow.search.estimates.interval import Guess, student

Draws = Callable[[np.random.Generator, int], NDArray[np.float64]]

# All have the mean 1.
SKEWED: dict[str, Draws] = {
    "log-normal, 0.3": lambda chance, count: chance.lognormal(-(0.3**2) / 2, 0.3, count),
    "log-normal, 1": lambda chance, count: chance.lognormal(-0.5, 1.0, count),
    "log-normal, 1.5": lambda chance, count: chance.lognormal(-(1.5**2) / 2, 1.5, count),
    "exponential": lambda chance, count: chance.exponential(1.0, count),
    "one in ten": lambda chance, count: (chance.random(count) < 0.1) * 10.0,
}


@pytest.mark.parametrize("count", [10, 40, 200])
@pytest.mark.parametrize("name", SKEWED)
def test_intervals_hold_the_truth_nine_times_in_ten_and_more(name: str, count: int) -> None:
    chance = np.random.default_rng(7)
    told = [Guess.mean(SKEWED[name](chance, count)).interval() for _ in range(1000)]
    given = [interval for interval in told if interval is not None]
    held = sum(interval.low <= 1 <= interval.high for interval in given)
    # Ten draws of the most skewed of them hide how skewed they are.
    least = 0.8 if name == "log-normal, 1.5" and count == 10 else 0.9
    if name == "one in ten" and count == 10:
        assert len(given) < 30
        return
    assert held >= least * len(given)
    assert len(given) > 300


def test_intervals_are_not_wider_than_they_have_to_be() -> None:
    chance = np.random.default_rng(7)
    told = [Guess.mean(chance.normal(1, 0.1, 100)).interval() for _ in range(1000)]
    assert all(interval is not None for interval in told)
    held = sum(interval.low <= 1 <= interval.high for interval in told if interval is not None)
    assert held < 980


@pytest.mark.parametrize(
    ("freedom", "expected"),
    [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (5, 2.571), (10, 2.228), (30, 2.042), (1e9, 1.960)],
)
def test_student_is_that_of_the_tables(freedom: float, expected: float) -> None:
    assert student(freedom) == pytest.approx(expected, abs=0.002)


def test_nothing_is_said_where_nothing_is_known() -> None:
    assert Guess(5.0, 0.6, 100, 0.0, 0.1).doubt() == "the samples differ too much"
    assert Guess(5.0, 0.3, 6, 0.0, 0.1).doubt() == "the samples differ too much"
    assert Guess(5.0, 0.1, 100, 0.0, 0.51).doubt() == "one sample carries over half of the weight"
    assert Guess(5.0, 0.1, 2, 0.0, 0.1).doubt() == "too few samples in the time given"
    assert Guess.mean(np.zeros(50)).doubt() == "not met in any sample"
    assert Guess.mean(np.array([3.0])).doubt() == "too few samples in the time given"
    assert Guess.mean(np.array([1.0] * 49 + [80.0])).doubt() == "one sample carries over half of the weight"
    assert Guess(5.0, 0.6, 100, 0.0, 0.1).interval() is None


def test_a_mean_of_draws_near_the_largest_float_is_that_of_small_ones() -> None:
    draws = np.array([1.0, 2.0, 2.5, 1.5, 3.0])
    small, large = Guess.mean(draws), Guess.mean(np.ldexp(draws, 1020))
    assert large == replace(small, expected=math.ldexp(small.expected, 1020))


def test_an_exact_number_has_an_interval_of_no_width() -> None:
    guess = Guess.exactly(np.array([3.0, 3.0]))
    interval = guess.interval()
    assert interval is not None
    assert guess.is_exact
    assert (interval.low, interval.expected, interval.high) == (3, 3, 3)


def test_a_product_is_as_uncertain_as_its_factors_together() -> None:
    product = Guess(2.0, 0.03, 20, 0.0, 0.1).times(Guess(5.0, 0.04, 30, 0.0, 0.2))
    assert product.expected == 10
    assert product.error == pytest.approx(0.05)
    assert 20 < product.freedom < 50
    assert Guess(2.0, 0.03, 2, 0.0, 0.1).widened(0.5).doubt() == "too few samples in the time given"
    exact = Guess(2.0).times(Guess(3.0))
    assert exact.expected == 6
    assert exact.is_exact
