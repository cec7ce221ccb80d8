"""Limits of an exploration, and what is said when one is reached."""

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

    def check_time(self, passed: float) -> None:
        """See to it that a run of so many seconds may go on.

        Raises:
            TimeLimitError: if not.
        """
        if self.seconds is not None and passed >= self.seconds:
            raise TimeLimitError(f"the time limit of {self.seconds:g} s was reached")


class TimeLimitError(LimitError):
    """The time is over; a layer may be left halfway."""


def full(layers: Sequence[Layer], memory: int) -> str:
    """That there was no room for the layer after these within so many bytes."""
    if not layers:
        return f"memory: found no room for the start within {memory:,} bytes (--memory)"
    return (
        f"memory: found no room for layer {len(layers)} beside {layers[-1].nbytes:,} bytes, expected at most "
        f"{memory:,} bytes in all (--memory): {kept(layers)}"
    )


def kept(layers: Sequence[Layer]) -> str:
    """How far a run came whose last layer was written down."""
    return f"{_done(layers)}; the same command goes on from there"


def lost(layers: Sequence[Layer], written: int) -> str:
    """How far a run came whose last layers could not be written down, but so many before them are."""
    if not written:
        return f"{_done(layers)}, but no checkpoint is kept: the same command begins anew"
    return (
        f"{_done(layers)}, the checkpoint that is kept has layers 0 to {written - 1}: the same "
        "command goes on from there"
    )


def _done(layers: Sequence[Layer]) -> str:
    states = sum(layer.states for layer in layers)
    are, depth = "is" if states == 1 else "are", layers[-1].depth
    where = f"layers 0 to {depth}" if depth else "layer 0"
    return f"{states:,} {plural('state', states)} in {where} {are} done"
