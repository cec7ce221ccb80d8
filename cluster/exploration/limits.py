"""Limits of an exploration, and what is said when one is reached."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from frontrow.cluster.exploration.result import Layer
from frontrow.cluster.result import plural
from frontrow.search.errors import LimitError


@dataclass(frozen=True, slots=True)
class Room:
    """What a run may use.

    Attributes:
        seconds: of this run; None for no limit.
        memory: bytes of all shards together.
        disk: bytes of the job's files.
    """

    seconds: float | None
    memory: int
    disk: int


class TimeLimitError(LimitError):
    """The time is over; a layer may be left halfway."""


SETUP = 60.0
"""Seconds that a time limit leaves for what comes before the work, such as the reading of a checkpoint: every
run is to come further."""


class Clock:
    """The time that a run has.

    Attributes:
        limit: seconds; None for no limit.
        began: `time.perf_counter` at its begin.
    """

    def __init__(self, limit: float | None, name: str = "the time limit") -> None:
        """Args: limit: seconds from now on; None for no limit; name: of the limit, for people."""
        self.limit, self.began, self._name = limit, time.perf_counter(), name

    def for_setup(self, what: str = "kernels") -> "Clock":
        """The time that setup has, before the work. Args: what: it is, for people."""
        if self.limit is None or self.limit >= SETUP:
            return self.anew()
        return Clock(SETUP, f"the time for {what}")

    def anew(self) -> "Clock":
        """A clock with the same limit that begins now."""
        return Clock(self.limit, self._name)

    @property
    def elapsed(self) -> float:
        """Seconds so far."""
        return time.perf_counter() - self.began

    @property
    def left(self) -> float | None:
        """Seconds left, a thousandth at least; None without a limit."""
        return None if self.limit is None else max(self.limit - self.elapsed, 0.001)

    def check(self) -> None:
        """See whether the time is over.

        Raises:
            TimeLimitError: if it is.
        """
        if self.limit is not None and self.elapsed >= self.limit:
            raise self.over()

    def over(self) -> TimeLimitError:
        """What to raise when the time is over."""
        return TimeLimitError(f"{self._name} of {self.limit or 0:g} s was reached")


def full(layers: Sequence[Layer], memory: int) -> str:
    """That there was no room for the layer after these within so many bytes."""
    if not layers:
        return f"memory: found no room for the start within {memory:,} bytes (--memory)"
    return (
        f"memory: found no room for layer {len(layers)} beside {layers[-1].nbytes:,} bytes, expected at most "
        f"{memory:,} bytes in all (--memory): {kept(layers, 'with more --memory ')}"
    )


def too_large(layers: Sequence[Layer], memory: int) -> str:
    """That there was no room for the checkpoint of these layers within so many bytes."""
    return (
        f"memory: found no room for the checkpoint of {_named(layers)}, which took {layers[-1].nbytes:,} "
        f"bytes, expected at most {memory:,} in all (--memory): with more --memory the same command goes on "
        "from there"
    )


def slow(error: LimitError, limit: float | None) -> str:
    """That a time limit was too short to go on from a checkpoint."""
    return (
        f"{error} while the checkpoint was read: the same command goes on from it with a --time-limit above "
        f"{limit or 0:g} s"
    )


def kept(layers: Sequence[Layer], needs: str = "") -> str:
    """How far a run came whose last layer was written down. Args: needs: ``with ... ``, to come further."""
    return f"{_done(layers)}; {needs}the same command goes on from there"


def lost(layers: Sequence[Layer], written: int, needs: str = "") -> str:
    """How far a run came whose last layers could not be written down, but so many before them are."""
    if not written:
        return f"{_done(layers)}, but no checkpoint is kept: the same command begins anew"
    return (
        f"{_done(layers)}, the checkpoint that is kept has {_named(layers[:written])}: {needs}the same "
        "command goes on from there"
    )


def _done(layers: Sequence[Layer]) -> str:
    states = sum(layer.states for layer in layers)
    are = "is" if states == 1 else "are"
    return f"{states:,} {plural('state', states)} in {_named(layers)} {are} done"


def _named(layers: Sequence[Layer]) -> str:
    return f"layers 0 to {layers[-1].depth}" if len(layers) > 1 else "layer 0"
