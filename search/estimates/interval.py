"""Numbers that were estimated: how far off they may be, and when nothing honest can be said."""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

LARGEST_ERROR = 0.5
"""Relative standard error above which a number is unknown."""
LARGEST_PART = 0.5
"""Share of a sum that one draw may have brought."""
FEW_DRAWS = 10
"""Draws below which half of `LARGEST_ERROR` is too much already: few draws hide how skewed they are."""
FEWEST_DRAWS = 4
"""Draws less one, at least."""
PUSH = 2.0
"""How many times the correction for skewness is applied: the skewness of a small sample is too small."""

_Z = 1.959964
_T = (math.inf, 12.706, 4.303, 3.182, 2.776, 2.571)
"""Student's quantile for 0 to 5 degrees of freedom."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A number that is expected, and the ends of its 95 % interval."""

    expected: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Guess:
    """An estimate of a number that is not negative.

    Attributes:
        expected: the estimate.
        error: its relative standard error; 0 if it is exact.
        freedom: degrees of freedom of the error.
        skewness: skewness of the estimate (not of a draw).
        top: largest share of `expected` that one draw brought; 0 if it is exact.
    """

    expected: float
    error: float = 0.0
    freedom: float = math.inf
    skewness: float = 0.0
    top: float = 0.0

    @classmethod
    def mean(cls, draws: NDArray[np.float64]) -> "Guess":
        """The mean of independent draws, shape ``(k,)``."""
        # Halved or doubled until the largest is about 1, so that its third power is a float as well.
        scale = math.ldexp(1.0, math.frexp(float(np.abs(draws).max()))[1] - 1)
        draws = draws / scale
        count, mean = draws.size, float(draws.mean())
        if mean <= 0 or count < 2:
            return cls(mean * scale, freedom=count - 1, top=1.0)
        deviation = float(draws.std())
        skewness = float(((draws - mean) ** 3).mean()) / deviation**3 / math.sqrt(count) if deviation else 0.0
        error = deviation / math.sqrt(count - 1) / mean
        return cls(mean * scale, error, count - 1, skewness, float(draws.max()) / mean / count)

    @classmethod
    def exactly(cls, draws: NDArray[np.float64]) -> "Guess":
        """What every draw came to."""
        return cls(float(draws[0]))

    @property
    def is_exact(self) -> bool:
        """Whether nothing was estimated."""
        return self.error == 0 and self.top == 0

    def doubt(self) -> str:
        """Why nothing can be said; empty if something can."""
        if self.is_exact:
            return ""
        if self.freedom < FEWEST_DRAWS:
            return "too few samples in the time given"
        if self.expected <= 0:
            return "not met in any sample"
        if self.top > LARGEST_PART:
            return "one sample carries over half of the weight"
        if self.error > (LARGEST_ERROR if self.freedom > FEW_DRAWS - 2 else LARGEST_ERROR / 2):
            return "the samples differ too much"
        return ""

    def interval(self) -> Interval | None:
        """The 95 % interval; None where `doubt` says why.

        On a logarithmic scale with Student's quantile, since what is added up is skewed to the right, and its
        upper end pushed further by the skewness (Johnson, Journal of the American Statistical Association
        73, 1978, applied `PUSH` times). In simulations it holds the truth in 92 to 97 of 100 cases for 10 and
        more draws that are exponential, log-normal with a deviation of up to 1, or rare; with a deviation of
        1.5 in 84 of 100 for 10 draws, and in 93 for 40.
        """
        if self.doubt():
            return None
        quantile = student(self.freedom)
        width = quantile * self.error
        push = PUSH * max(self.skewness, 0.0) * self.error * (1 + 2 * quantile**2) / 6
        return Interval(
            self.expected, self.expected * math.exp(-width), self.expected * math.exp(width + push)
        )

    def times(self, other: "Guess") -> "Guess":
        """The product with another, independent estimate."""
        error = math.hypot(self.error, other.error)
        if not error:
            return replace(self, expected=self.expected * other.expected)
        parts = [(each.error / error, each) for each in (self, other)]
        freedom = min(self.freedom, other.freedom)
        if freedom >= FEWEST_DRAWS:
            freedom = 1 / max(sum(part**4 / each.freedom for part, each in parts), 1e-9)
        return Guess(
            self.expected * other.expected,
            error,
            freedom,
            sum(part**3 * each.skewness for part, each in parts),
            max(self.top, other.top),
        )

    def plus(self, other: "Guess") -> "Guess":
        """The sum with another, independent estimate; unknown if one was not met in any sample."""
        both = (self, other)
        total = sum(each.expected for each in both)
        if total <= 0 or any(each.expected <= 0 and not each.is_exact for each in both):
            return Guess(0.0, freedom=min(each.freedom for each in both), top=max(each.top for each in both))
        parts = [(each.error * each.expected / total, each) for each in both]
        error = math.hypot(*(part for part, _ in parts))
        freedom = min((each.freedom for part, each in parts if part), default=math.inf)
        if error and freedom >= FEWEST_DRAWS:
            freedom = error**4 / max(sum(part**4 / each.freedom for part, each in parts), 1e-99)
        skewness = sum((part / error) ** 3 * each.skewness for part, each in parts) if error else 0.0
        top = max(each.top * each.expected / total for each in both)
        return Guess(total, error, freedom, skewness, top)

    def widened(self, error: float) -> "Guess":
        """The same number, with an independent relative standard error added that sampling does not show."""
        return self.times(Guess(1.0, error))


def student(freedom: float) -> float:
    """Student's 97.5 % quantile (Abramowitz and Stegun, 26.7.5; within 0.002).

    Args:
        freedom: degrees of freedom, 1 or more; what is between two whole numbers counts as the lower one.
    """
    if freedom < len(_T):
        return _T[max(int(freedom), 0)]
    z, v = _Z, freedom
    return (
        z
        + (z**3 + z) / (4 * v)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3)
    )
