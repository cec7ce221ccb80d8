"""What a count of a tree of which nothing is known will take and come to.

A first look counts from the root on for a while: small trees end there. Then probes estimate the nodes and
the tallies, and counting from nodes here and there tells how many nodes a second is worked off.
"""

import math
import time

import numpy as np

from frontrow.search.contract import check_slice
from frontrow.search.estimates.estimate import Outcome
from frontrow.search.estimates.interval import Guess
from frontrow.search.estimates.probing import Numbers, Prober, Probes
from frontrow.search.problem import Countable, Slice, Totals
from frontrow.search.rows import Rows, Stop

LOOK, PROBED = 0.15, 0.85
"""Shares of the time at which the first look and the probes should be over."""
PIECE = 0.01
"""Share of the time that counting from one node takes, at most."""
FIRST_BUDGET = 64
"""Nodes counted at first."""
ENOUGH = 8
"""Nodes to count from that tell the rate better than the first look."""


class _Counter:
    """Counts in small pieces and notes what each took."""

    def __init__(self, problem: Countable, longest: float, stop: Stop) -> None:
        """Args: longest: seconds of a piece, roughly; stop: raised by others."""
        self._problem, self._longest, self._stop = problem, longest, stop
        self._budget = FIRST_BUDGET
        self.pieces: list[tuple[float, int]] = []

    def count(self, rows: Rows) -> Slice:
        """Tally some nodes of rows."""
        began = time.thread_time()
        part = self._problem.tally(rows, self._budget, self._stop)
        seconds = time.thread_time() - began
        part = check_slice(self._problem, part, self._budget)
        self.pieces.append((seconds, part.nodes))
        if part.rest.shape[0]:
            fitting = int(part.nodes * self._longest / max(seconds, 1e-6))
            self._budget = min(max(fitting, FIRST_BUDGET), 4 * self._budget)
        return part


def size_tree(problem: Countable, seconds: float, seed: int, stop: Stop) -> Outcome:
    """Estimate a count.

    Args:
        problem: what is to be counted.
        seconds: what the estimate may take.
        seed: names the random choices.
        stop: raised by others.

    Raises:
        StoppedError: if `stop` was raised.
    """
    began = time.perf_counter()
    counter = _Counter(problem, PIECE * seconds, stop)
    totals, nodes, rest = Totals(problem), 0, problem.split()
    while rest.shape[0] and time.perf_counter() - began < LOOK * seconds:
        part = counter.count(rest)
        totals.add(part.counts)
        nodes += part.nodes
        rest = part.rest
    if not rest.shape[0]:
        spent = sum(each for each, _ in counter.pieces)
        return Outcome(Guess(spent), Guess(nodes), {}, totals.counts, {})
    probes = Prober(problem, seed, stop).send(began + PROBED * seconds)
    looked, counter.pieces = counter.pieces, []
    for row in probes.rows:
        if time.perf_counter() - began > seconds:
            break
        counter.count(row[None, :])
    rate = _ratio(counter.pieces if len(counter.pieces) >= ENOUGH else counter.pieces + looked)
    return _concluded(problem, probes, rate, nodes)


def _concluded(problem: Countable, probes: Probes, rate: Guess, seen: int) -> Outcome:
    """Put together what the probes found and how fast nodes are counted; `seen` nodes exist at least."""
    sums = [place for place, name in enumerate(problem.tallies) if name not in problem.maxima]
    names = [problem.tallies[place] for place in sums]
    tallies = probes.values[:, [1 + place for place in sums]].tolist()
    lines = [problem.expected(dict(zip(names, line, strict=True))) for line in tallies]
    nodes = _mean(probes.values[:, 0], exact=probes.exact)
    values = {name: _mean(np.array([line[name] for line in lines]), exact=probes.exact) for name in lines[0]}
    interval, doubt = nodes.interval(), ""
    if probes.cut_short:
        doubt = "a probe did not come to its end in time: the tree is too deep"
    elif interval is not None and seen > interval.high:
        doubt = "the first look alone found more nodes than the probes make expect"
    greatest = {
        name: count
        for name, count in zip(problem.tallies, probes.greatest, strict=True)
        if name in problem.maxima
    }
    draws = probes.values.shape[0]
    return Outcome(nodes.times(rate), nodes, values, None, greatest, probes.depth, draws, doubt)


def _mean(draws: Numbers, *, exact: bool) -> Guess:
    """The mean of independent draws."""
    mean = float(draws.mean())
    if exact:
        return Guess(mean)
    count = draws.size
    if mean <= 0 or count < 2:
        return Guess(mean, freedom=count - 1, top=1.0)
    deviation = float(draws.std())
    skewness = float(((draws - mean) ** 3).mean()) / deviation**3 / math.sqrt(count) if deviation else 0.0
    error = deviation / math.sqrt(count - 1) / mean
    return Guess(mean, error, count - 1, skewness, float(draws.max()) / mean / count)


def _ratio(pieces: list[tuple[float, int]]) -> Guess:
    """Seconds a node (Cochran, Sampling Techniques, 3rd edition 1977, section 6.4)."""
    seconds, nodes = (np.array(column, np.float64) for column in zip(*pieces, strict=True))
    ratio, count = float(seconds.sum() / nodes.sum()), nodes.size
    if count < 2 or ratio <= 0:
        return Guess(ratio, freedom=count - 1, top=1.0)
    errors = seconds - ratio * nodes
    error = math.sqrt(float((errors**2).sum()) * count / (count - 1)) / float(seconds.sum())
    return Guess(ratio, error, count - 1, 0.0, 1e-9)
