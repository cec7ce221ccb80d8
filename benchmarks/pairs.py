"""Measuring side by side: rounds in which every contestant runs once, and ratios within a round.

On a shared machine the time of a run depends on what else runs at that moment. Contestants that take turns
see the same disturbances, so the median of the ratios within rounds is steadier than a ratio of medians.
"""

import os
import resource
import shlex
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sample:
    """What one run took.

    Attributes:
        user: seconds of processor time outside the kernel, over all threads and waited-for children.
        wall: seconds that passed.
        answer: what the run came to or printed.
    """

    user: float
    wall: float
    answer: str = ""


Run = Callable[[], Sample]


@dataclass(frozen=True, slots=True)
class Spread:
    """Median, smallest and largest of some numbers."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, numbers: Sequence[float]) -> "Spread":
        """The spread of at least one number."""
        return cls(statistics.median(numbers), min(numbers), max(numbers))


def spend(function: Callable[[], object]) -> Sample:
    """Run a function in this process; user time is that of all threads meanwhile."""
    user = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    began = time.perf_counter()
    answer = function()
    wall = time.perf_counter() - began
    return Sample(resource.getrusage(resource.RUSAGE_SELF).ru_utime - user, wall, str(answer))


def run_command(words: Sequence[str]) -> Sample:
    """Run a command as a whole process, without a terminal; the answer is its standard output.

    Raises:
        SystemExit: if it fails, with the end of what it printed.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        began = time.perf_counter()
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        printed = out.read().decode(errors="replace")
        if process.returncode:
            tail = (err.read().decode(errors="replace") or printed).strip()[-400:]
            raise SystemExit(
                f"{shlex.join(words)}: found exit status {process.returncode}, expected 0: {tail}"
            )
    return Sample(usage.ru_utime, wall, printed)


def with_number(command: str, number: int) -> list[str]:
    """Split a command line and put a number where ``{n}`` stands, or at its end."""
    words = shlex.split(command)
    if not any("{n}" in word for word in words):
        return [*words, str(number)]
    return [word.replace("{n}", str(number)) for word in words]


def in_rounds(runs: Mapping[str, Run], rounds: int) -> dict[str, list[Sample]]:
    """Run every contestant once a round, every other round in reverse order.

    Returns:
        The samples by name, one a round, in the order of the rounds.
    """
    samples: dict[str, list[Sample]] = {name: [] for name in runs}
    for number in range(rounds):
        names = list(runs)
        for name in names if number % 2 == 0 else reversed(names):
            samples[name].append(runs[name]())
    return samples


def ratios(above: Sequence[float], below: Sequence[float]) -> Spread | None:
    """The spread of the ratios within rounds; None where a time is too short to be told from nothing."""
    if not above or min(*above, *below) <= 0:
        return None
    return Spread.of([over / under for over, under in zip(above, below, strict=True)])


def without_start(samples: Sequence[Sample], starts: Sequence[Sample]) -> list[float]:
    """User seconds with the median user seconds of starting up taken off."""
    start = statistics.median(sample.user for sample in starts)
    return [sample.user - start for sample in samples]
