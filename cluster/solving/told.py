"""Solutions as they are handed out: with every board, in the notation that is wanted."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from frontrow.cluster.job import JobRow
from frontrow.cluster.solving.choice import Choice
from frontrow.cluster.solving.result import Found, Solution
from frontrow.cluster.solving.wanted import Wanted
from frontrow.search.problems.sliding import Sliding
from frontrow.search.registry import ProblemRef
from frontrow.search.sliding.board import draw
from frontrow.search.solving.notation import written
from frontrow.search.solving.replay import checked


def solution_of(
    row: JobRow, problem: Sliding, found: Found, notation: str, *, from_ledger: bool, resumed: int
) -> Solution:
    """What a job came to; every move is made once more.

    Args:
        row: the job.
        problem: the puzzle.
        found: what the search found.
        notation: of the moves.
        from_ledger: whether it was there already.
        resumed: rounds taken over from earlier runs.

    Raises:
        FrontrowError: if the moves do not lead to the goal.
    """
    shape, start, goal = problem.shape, problem.start_board, problem.goal_board
    boards = [] if found.moves is None else checked(shape, start, goal, found.moves)
    listed = [written(shape, checked(shape, start, goal, each), each, notation) for each in found.listed]
    return Solution(
        **row.circumstances(from_ledger=from_ledger, resumed=resumed),
        options=row.asked_for,
        solved=found.moves is not None,
        optimal=found.optimal,
        length=None if found.moves is None else len(found.moves),
        moves=written(shape, boards, found.moves or (), notation),
        boards=tuple(draw(shape, board) for board in boards),
        notation=notation,
        lower=found.lower,
        upper=found.upper,
        expanded=found.expanded,
        method=found.method,
        heuristic=found.heuristic,
        why=found.why,
        reason="",
        thresholds=found.thresholds,
        solutions=found.solutions,
        listed=tuple(listed),
    )


def unsolved(problem: Sliding, wanted: Wanted, choice: Choice, notation: str) -> Solution:
    """That a puzzle cannot be solved, which is known before anything is searched."""
    values = ProblemRef.of(problem).params()
    params = {name: values[name] for name in problem.parameters()}
    reason = f"the goal cannot be reached: {problem.unreachable}"
    found = refused(problem.name, params, wanted, notation, reason)
    return replace(
        found,
        method=choice.method,
        heuristic=choice.heuristic,
        why=choice.why,
        solutions=0 if wanted.every else None,
    )


def refused(name: str, params: Mapping[str, Any], wanted: Wanted, notation: str, reason: str) -> Solution:
    """What stands for one of several boards that is none.

    Args:
        name: of the problem.
        params: as they were given.
        wanted: what was asked.
        notation: of moves.
        reason: what is wrong with it.
    """
    return Solution(
        problem=name,
        file="",
        params=params,
        options=wanted.asked,
        solved=False,
        optimal=False,
        length=None,
        moves=(),
        boards=(),
        notation=notation,
        lower=None,
        upper=None,
        expanded=0,
        method=wanted.method,
        heuristic="",
        why="",
        reason=reason,
        thresholds=(),
        solutions=None,
        listed=(),
        seconds=0.0,
        setup_seconds=0.0,
        workers=0,
        engine="local",
        job="",
        complete=True,
        from_ledger=False,
        resumed=0,
        computed_at="",
    )
