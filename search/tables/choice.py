"""Which table keeps the states of a graph, and why."""

from dataclasses import dataclass

from frontrow.search.errors import UsageError
from frontrow.search.graph import StateGraph

KINDS = ("rank", "layers", "hash")

FULL = 0.9
"""Part of the memory that bitmaps of threads may take; the rest is for lists of ranks."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A kind of table and the reason for it, in words."""

    kind: str
    why: str


def bitmap_bytes(graph: StateGraph, *, depths: bool = False, threads: int = 1) -> int | None:
    """Bytes of the bitmaps of a whole rank table; None if states have no ranks.

    Args:
        graph: the problem.
        depths: whether every state's depth is kept: two bitmaps more.
        threads: threads that sweep over it, each with a bitmap of its own to mark children in.
    """
    states, sweep = graph.states(), graph.sweep()
    if states is None:
        return None
    bitmaps = (4 if depths else 2) + threads
    if sweep is None:
        return bitmaps * states // 8
    return bitmaps * (states // sweep.width) * sweep.dtype().itemsize


def can_sweep(graph: StateGraph, threads: int, memory: int, *, depths: bool = False) -> bool:
    """Whether so many threads can sweep over a whole rank table in so many bytes.

    Args:
        graph: the problem; its states have ranks.
        threads: how many; for a single one there is nothing to share.
        memory: bytes that may be used.
        depths: whether every state's depth is kept.
    """
    bitmaps = bitmap_bytes(graph, depths=depths and graph.lookback == 2, threads=threads)
    return threads > 1 and graph.sweep() is not None and (bitmaps or 0) <= FULL * memory


def choose(
    graph: StateGraph, wanted: str | None, memory: int, *, symmetry: bool, paths: bool, depths: bool = False
) -> Choice:
    """Choose a table by what the problem says.

    Args:
        graph: the problem.
        wanted: a kind that is asked for; None to have one chosen.
        memory: bytes that all shards may use together.
        symmetry: whether states are taken up to symmetry.
        paths: whether ways are counted.
        depths: whether a rank table is to keep every state's depth.

    Raises:
        UsageError: if the kind that is asked for cannot do it.
    """
    need = bitmap_bytes(graph, depths=depths and graph.lookback == 2)
    obstacle = _rank_obstacle(graph, need, memory, symmetry=symmetry, paths=paths)
    if wanted is not None:
        _check(graph, wanted, obstacle)
        return Choice(wanted, "as asked for")
    if not obstacle:
        states = graph.states()
        have = f"{states:,} states have ranks: bits of them"
        if states == 1:
            have = "1 state has a rank: its bits"
        return Choice("rank", f"{have} take {_size(need or 0)}")
    if graph.lookback is not None:
        reason = "every move can be undone" if graph.lookback else "no state is met in two layers"
        return Choice("layers", f"{reason}, so the last layers are enough")
    return Choice("hash", "states of any earlier layer may be met again")


def _check(graph: StateGraph, wanted: str, obstacle: str) -> None:
    if wanted not in KINDS:
        raise UsageError(f"table: found {wanted!r}, expected {', '.join(KINDS)}")
    if wanted == "rank" and obstacle:
        raise UsageError(f"table: found rank, expected layers or hash: {obstacle}")
    if wanted == "layers" and graph.lookback is None:
        raise UsageError("table: found layers, expected hash: states of any earlier layer may be met again")


def _rank_obstacle(graph: StateGraph, need: int | None, memory: int, *, symmetry: bool, paths: bool) -> str:
    """Why states cannot be kept as bits; empty if they can."""
    if need is None:
        return "the states have no ranks"
    if paths:
        return "bits hold no numbers of ways"
    if symmetry:
        return "few of the ranks are those of canonical states"
    if need > memory:
        return f"all ranks take {_size(need)} of the {_size(memory)} of memory"
    return ""


def _size(number: int) -> str:
    for size, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if number >= size:
            return f"{number / size:.3g} {name}"
    return f"{number} byte" if number == 1 else f"{number} bytes"
