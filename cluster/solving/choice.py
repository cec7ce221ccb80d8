"""How a puzzle is searched where nothing was said, and why."""

import functools
from collections.abc import Iterable
from dataclasses import dataclass

from frontrow.cluster.solving.wanted import Wanted
from frontrow.search.errors import UsageError
from frontrow.search.problems.sliding import Sliding
from frontrow.search.sliding.board import Board, Shape

SMALL = 9
"""Cells up to which counting distances is enough: a board takes some milliseconds."""
MOST = 36
"""Cells of the largest board that has pattern databases, and that is searched depth first by default."""
CONSISTENT = ("manhattan", "linear-conflict", "walking")
"""Heuristics that no move changes by more than one."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A way to search.

    Attributes:
        method: ``ida``, ``astar``, ``bfs`` or ``greedy``.
        heuristic: its name; empty for none.
        why: why so, for people.
    """

    method: str
    heuristic: str
    why: str


def choose(problem: Sliding, wanted: Wanted, memory: int) -> Choice:
    """How to search a puzzle.

    Args:
        problem: the puzzle.
        wanted: what was asked for.
        memory: bytes that tables may take.

    Raises:
        UsageError: if what was asked for is not for the puzzle.
    """
    if problem.shape.is_line:
        return Choice("bfs", "", f"the {problem.size} board has one way only, whatever the method")
    if problem.slides:
        return _only_breadth(wanted)
    method, why = _method(problem, wanted)
    if method == "bfs":
        return Choice(method, "", why)
    if wanted.heuristic not in ("auto", "pdb"):
        return Choice(method, _named(problem, wanted.heuristic), f"{why}; the heuristic as asked for")
    return _with_heuristic(problem, wanted, method, why, memory)


def check_fit(problems: Iterable[Sliding], wanted: Wanted) -> None:
    """Refuse what is not for any of several puzzles, rather than once for each.

    Raises:
        UsageError: what the first one says.
    """
    refused: UsageError | None = None
    for problem in problems:
        try:
            choose(problem, wanted, 0)
            return
        except UsageError as error:
            refused = refused or error
    if refused is not None:
        raise refused


def _only_breadth(wanted: Wanted) -> Choice:
    """Slides are searched breadth first: the heuristics count moves of one tile."""
    for name, found, usual in (
        ("weight", f"{wanted.weight:g}", wanted.weight == 1),
        ("heuristic", wanted.heuristic, wanted.heuristic == "auto"),
        ("method", wanted.method, wanted.method in ("auto", "bfs")),
    ):
        if not usual:
            raise UsageError(
                f"{name}: found {found} for metric=slide, expected bfs without heuristic or weight"
            )
    return Choice("bfs", "", "metric=slide is searched breadth first")


def _method(problem: Sliding, wanted: Wanted) -> tuple[str, str]:
    if wanted.weight > 1:
        return "astar", "a weight is for A*"
    if wanted.method != "auto":
        return wanted.method, "as asked for"
    if problem.shape.cells > MOST:
        return "astar", f"more than {MOST} cells"
    return "ida", "little memory and no state kept"


def _named(problem: Sliding, heuristic: str) -> str:
    """A heuristic as it is called in full.

    Raises:
        UsageError: if its patterns are not for the board.
    """
    if not heuristic.startswith("pdb"):
        return heuristic
    from frontrow.search.patterns.partition import Partition

    Partition.parse(heuristic, problem.shape, problem.goal_board)
    return heuristic


def _with_heuristic(problem: Sliding, wanted: Wanted, method: str, why: str, memory: int) -> Choice:
    cells = problem.shape.cells
    if wanted.heuristic == "pdb":
        return Choice(method, _partition(problem), f"{why}; the patterns for {problem.size}")
    if cells <= SMALL:
        return Choice(method, "manhattan", f"{why}; {cells} cells are soon searched with any heuristic")
    if method != "ida":
        return Choice(method, "linear-conflict", f"{why}; no move changes the heuristic by more than one")
    if cells > MOST:
        return Choice(method, "linear-conflict", f"{why}; there are no tables for more than {MOST} cells")
    need = table_bytes(problem.shape, problem.goal_board)
    if 2 * need > memory:
        return Choice(method, "linear-conflict", f"{why}; no room for tables of {need:,} bytes")
    return Choice(method, _partition(problem), f"{why}; tables of {need:,} bytes that are built once")


def _partition(problem: Sliding) -> str:
    """The patterns that are used by default, by their sizes."""
    from frontrow.search.patterns.partition import Partition

    return f"pdb:{Partition.parse('pdb', problem.shape, problem.goal_board).sizes}"


@functools.lru_cache(16)
def table_bytes(shape: Shape, goal: Board, heuristic: str = "pdb") -> int:
    """Bytes of pattern databases, by default of those that are used by default."""
    from frontrow.search.patterns.lookup import Lookup
    from frontrow.search.patterns.partition import Partition

    return Lookup.of(shape, goal, Partition.parse(heuristic, shape, goal)).tables.entries
