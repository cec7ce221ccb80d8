"""Whether estimates are honest: how often the truth lies within the interval that was printed.

    python -m benchmarks.estimate [N ...] [--time S] [--runs K] [--method M] [--count] [--workers K] [--json]

For each N the board is estimated K times with another seed each, S seconds a time, and the intervals are
compared with the known total (tests/counts/queens.txt, from OEIS A000170). With ``--count`` every estimate is
followed by a real count, with a ledger of its own, and the times are compared as well: processor seconds of
all threads, and seconds from the first unit to the last commit. Of the 95 % intervals at least 9 in 10 are to
hold the truth; fewer end the run with status 1. What was tallied as a whole is exact, and is told apart.

held     intervals that hold the truth, and estimates; an "unknown" is no estimate
off      median of the relative distance from the truth
width    median of the interval's width in relation to the truth
exact    estimates that tallied everything
"""

import argparse
import dataclasses
import json
import math
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import frontrow
from frontrow.search.problems.queens import Queens
from frontrow.workers.unit import available_workers

COUNTS = Path(__file__).parents[1] / "tests" / "counts" / "queens.txt"
ENOUGH = 0.9
"""Share of intervals that are to hold the truth."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the table."""

    n: int
    method: str
    of: str
    held: int
    estimates: int
    runs: int
    off: float
    width: float
    exact: int

    @property
    def is_honest(self) -> bool:
        """Whether enough intervals hold the truth."""
        return self.held >= ENOUGH * self.estimates


@dataclass(frozen=True, slots=True)
class Pair:
    """An interval, the truth, and whether the estimate was exact."""

    interval: frontrow.Interval | None
    truth: float
    exact: bool


def totals() -> dict[int, int]:
    """Known numbers of solutions by n."""
    lines = COUNTS.read_text(encoding="utf-8").splitlines()
    rows = [line.split() for line in lines if line.strip() and not line.startswith("#")]
    return {int(row[0]): int(row[1]) for row in rows}


def counted(problem: Queens, workers: int) -> tuple[float, float]:
    """Count for real: processor seconds of this process, and seconds of the run."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.process_time()
        result = frontrow.count(problem, workers=workers, store=folder)
        return time.process_time() - began, result.seconds


def pairs(n: int, options: argparse.Namespace) -> dict[str, list[Pair]]:
    """All estimates of a board and what they are compared with."""
    problem = Queens(n=n, method=options.method)
    found: dict[str, list[Pair]] = {}
    known = totals()[n]
    for seed in range(options.runs):
        told = frontrow.estimate(problem, seconds=options.time, seed=seed, workers=options.workers)
        found.setdefault("total", []).append(Pair(told.values.get("solutions"), known, told.exact))
        if options.count:
            core, wall = counted(problem, options.workers)
            found.setdefault("core seconds", []).append(Pair(told.core_seconds, core, told.exact))
            found.setdefault("seconds", []).append(Pair(told.wall_seconds, wall, told.exact))
    return found


def line(n: int, method: str, of: str, taken: Sequence[Pair]) -> Line:
    """Sum up the estimates of one number."""
    told = [(pair.interval, pair.truth) for pair in taken if pair.interval is not None]
    held = sum(interval.low <= truth <= interval.high for interval, truth in told)
    off = [abs(interval.expected / truth - 1) for interval, truth in told]
    width = [(interval.high - interval.low) / truth for interval, truth in told]
    middle = statistics.median if told else lambda _: math.nan
    exact = sum(pair.exact for pair in taken)
    return Line(n, method, of, held, len(told), len(taken), middle(off), middle(width), exact)


def text(each: Line) -> str:
    """One line of the table."""
    held = f"{each.held}/{each.estimates}" + ("" if each.is_honest else " TOO FEW")
    unknown = each.runs - each.estimates
    return (
        f"{each.n:>3}  {each.method:<9} {each.of:<12} {held:>7}  {each.off * 100:6.2f} %  "
        f"{each.width * 100:7.2f} %  {each.exact:>5}  {unknown:>7}"
    )


def read_options(words: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.estimate",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("boards", metavar="N", type=int, nargs="*", default=[16, 17, 18, 19, 20])
    parser.add_argument(
        "--time", type=float, default=1.0, metavar="S", help="seconds an estimate (default 1)"
    )
    parser.add_argument("--runs", type=int, default=20, metavar="K", help="estimates a board (default 20)")
    parser.add_argument("--method", default="auto", help="the counting method")
    parser.add_argument("--count", action="store_true", help="count for real after every estimate")
    parser.add_argument(
        "--workers", type=int, default=available_workers(), metavar="K", help="default all cores"
    )
    parser.add_argument("--json", action="store_true", help="print a list of objects instead of the table")
    options = parser.parse_args(words)
    unknown = [str(n) for n in options.boards if n not in totals()]
    if unknown:
        parser.error(f"N: found {', '.join(unknown)}, expected boards of {COUNTS.name}")
    return options


def main(words: Sequence[str] | None = None) -> None:
    """Print the table line by line."""
    options = read_options(words)
    lines: list[Line] = []
    if not options.json:
        print(f"estimates of {options.time:g} s, {options.runs} a board, {options.workers} workers")
        print(f"{'n':>3}  {'method':<9} {'of':<12} {'held':>7}  {'off':>8}  {'width':>9}  exact  unknown")
    for n in options.boards:
        method = Queens(n=n, method=options.method).settle().method
        for of, taken in pairs(n, options).items():
            lines.append(line(n, method, of, taken))
            if not options.json:
                print(text(lines[-1]), flush=True)
    if options.json:
        print(json.dumps([dataclasses.asdict(each) for each in lines], indent=1))
    if not all(each.is_honest for each in lines):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
