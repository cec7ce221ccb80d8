"""What a count will take and come to, from a random sample of its work.

The seconds, nodes and counts of slices that were drawn are put in relation to their predicted cost: the
separate ratio estimator (Cochran, Sampling Techniques, 3rd edition 1977, chapter 6). Costs need not be right:
wrong ones make the interval wide, not false. Where everything was drawn, the counts are exact.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from frontrow.search.estimates.interval import Guess
from frontrow.search.estimates.sampling import (
    FIRST_TALLY,
    NODES,
    SECONDS,
    Costs,
    Draw,
    Frame,
    Sample,
    Stratum,
    measure,
)
from frontrow.search.problem import Countable, Totals
from frontrow.search.rows import Rows, Stop

PILOT = 0.01
"""Seconds that are enough to tell how fast costs are worked off."""
AGAIN = 0.2
"""Seconds from which on a sample is not taken twice."""
UNIT_FLOOR = 0.01
"""Seconds that `Countable.unit_floor` is about."""


def pace(problem: Countable, rows: Rows, costs: Costs, seed: int, stop: Stop) -> tuple[float, float]:
    """How fast costs are worked off.

    Args:
        problem: what is to be counted.
        rows: those of its `split`.
        costs: their predicted costs.
        seed: names the sample.
        stop: raised by others.

    Returns:
        Seconds of one thread a predicted cost, to a power of 4 times what `Countable.unit_floor` promises, so
        that slices are the same in all runs on a machine, and with them the draws of a seed. And the seconds
        of the last sample, which may be more than was wanted of it.

    Raises:
        StoppedError: if `stop` was raised.
    """
    promised = UNIT_FLOOR / problem.unit_floor
    kinds = problem.strata(rows)
    weights = np.bincount(kinds, costs)
    chosen = np.flatnonzero(kinds == weights.argmax())
    before = np.cumsum(costs[chosen]) - costs[chosen]
    first = int(np.searchsorted(before, random.Random(seed).random() * weights.max(), "right")) - 1
    target = problem.unit_floor / 16
    while True:
        end = max(int(np.searchsorted(before, before[first] + target)), first + 1)
        some = chosen[first:end]
        draw = Draw(int(weights.argmax()), 0, rows[some], costs[some], np.zeros(some.size, np.int64), 1)
        sample = measure(problem, draw, target, seed, stop)
        if sample.spent < AGAIN:  # the first time may fill caches and tables
            sample = measure(problem, draw, target, seed, stop)
        if sample.spent >= PILOT or target > weights.max():
            break
        target *= 4
    steps = round(math.log(max(sample.spent, 1e-9) / sample.tallied / promised, 4))
    return float(promised * 4.0**steps), sample.spent


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the samples say about the whole.

    Attributes:
        seconds: seconds of one worker.
        nodes: nodes visited.
        values: the values of `Countable.expected`, by name.
        counts: the exact counts, if everything was tallied.
        greatest: of the tallies that are maxima, the greatest met, by name.
        depth: levels below the root that were reached, where levels are seen; else 0.
        draws: how many slices were drawn, or probes sent.
        doubt: why nothing can be said at all; empty if something can.
    """

    seconds: Guess
    nodes: Guess
    values: dict[str, Guess]
    counts: tuple[int, ...] | None
    greatest: dict[str, int]
    depth: int = 0
    draws: int = 0
    doubt: str = ""


def conclude(frame: Frame, samples: Sequence[Sample]) -> Outcome:
    """Estimate the whole from samples, each of another draw."""
    problem = frame.problem
    totals = Totals(problem)
    for sample in samples:
        totals.add(sample.counts)
    groups = [[each for each in samples if each.draw.stratum == s] for s in range(len(frame.strata))]
    parts = [_Part.of(stratum, group) for stratum, group in zip(frame.strata, groups, strict=True)]
    summed = [name not in problem.maxima for name in problem.tallies]
    names = [name for name, is_sum in zip(problem.tallies, summed, strict=True) if is_sum]
    columns = [FIRST_TALLY + place for place, is_sum in enumerate(summed) if is_sum]
    derived = [
        [problem.expected(dict(zip(names, each.values[columns].tolist(), strict=True))) for each in group]
        for group in groups
    ]
    known = dict.fromkeys(name for group in derived for line in group for name in line)
    return Outcome(
        _guess(parts, [[each.values[SECONDS] for each in group] for group in groups]),
        _guess(parts, [[each.values[NODES] for each in group] for group in groups]),
        {name: _guess(parts, [[line[name] for line in group] for group in derived]) for name in known},
        totals.counts if all(part.complete for part in parts) else None,
        {n: c for n, c, is_sum in zip(problem.tallies, totals.counts, summed, strict=True) if not is_sum},
        draws=len(samples),
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """What is known about the draws of a stratum.

    Attributes:
        cost: predicted cost of the stratum.
        costs: those of the draws.
        complete: whether every slice was drawn and tallied.
        left: share of the stratum, by predicted cost, that the draws say nothing certain about.
    """

    cost: float
    costs: Costs
    complete: bool
    left: float

    @classmethod
    def of(cls, stratum: Stratum, samples: Sequence[Sample]) -> "_Part":
        cost = float(stratum.costs.sum())
        whole = all(sample.exact for sample in samples)
        complete = whole and len(samples) == stratum.size
        tallied = sum(sample.tallied for sample in samples)
        left = max(1 - tallied / cost, 0.0) if whole else 1.0
        return cls(cost, np.array([sample.draw.cost for sample in samples]), complete, left)


def _guess(parts: Sequence[_Part], values: Sequence[Sequence[float]]) -> Guess:
    """The separate ratio estimate of one number with its error (Cochran 1977, sections 6.4 and 6.12).

    Args:
        parts: the strata.
        values: the number for every draw of each.
    """
    total = variance = third = weight = largest = 0.0
    freedoms = 0
    is_known = True
    for part, numbers in zip(parts, values, strict=True):
        draws = np.array(numbers, np.float64)
        if part.complete:
            total += float(draws.sum())
            continue
        if draws.size < 2:
            is_known = False
            continue
        ratio = draws.sum() / part.costs.sum()
        share = part.cost / part.costs.mean()  # slices of the stratum
        errors = (draws - ratio * part.costs) * share
        this = part.left * float((errors**2).sum()) / (draws.size - 1) / draws.size
        total += float(ratio) * part.cost
        variance += this
        third += part.left**1.5 * float((errors**3).mean()) / draws.size**2
        weight += this**2 / (draws.size - 1)
        freedoms += draws.size - 1
        largest = max(largest, float(draws.max()) * share / draws.size)
    if not is_known or (freedoms and total <= 0):
        return Guess(total, freedom=0.0 if not is_known else freedoms, top=1.0)
    if not freedoms:
        return Guess(total)
    skewness = third / variance**1.5 if variance else 0.0
    freedom = variance**2 / weight if weight else float(freedoms)
    return Guess(total, math.sqrt(variance) / total, freedom, skewness, max(largest / total, 1e-9))
