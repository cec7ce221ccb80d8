"""`frontrow.solve`: shortest solutions."""

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, overload

from frontrow.cluster.arguments import check_above, check_asking, check_flag, check_natural, listener
from frontrow.cluster.question import ask_about
from frontrow.cluster.result import Report
from frontrow.cluster.solving.choice import check_fit
from frontrow.cluster.solving.result import OnThreshold, Solution
from frontrow.cluster.solving.solver import OutOfLimitError, Settings, Solver
from frontrow.cluster.solving.told import refused
from frontrow.cluster.solving.wanted import Wanted
from frontrow.search.errors import UnreachableError, UsageError
from frontrow.search.parameter import shown
from frontrow.search.problem import Problem
from frontrow.search.problems.sliding import Sliding
from frontrow.search.sliding.board import read_board, read_shape, to_shape
from frontrow.search.sliding.reading import gathered, with_size
from frontrow.search.solving.notation import NOTATIONS
from frontrow.workers.engine import Engine


@overload
def solve(problem: str | Problem, **options: Any) -> Any: ...
@overload
def solve(problem: Sequence[Problem], **options: Any) -> list[Solution]: ...
def solve(
    problem: str | Problem | Sequence[Problem],
    *,
    method: str = "auto",
    heuristic: str = "auto",
    weight: float | None = None,
    every: bool = False,
    limit: int = 0,
    moves: str = "blank",
    memory: int | None = None,
    disk: int | None = None,
    workers: int | None = None,
    engine: str | Engine = "local",
    ray_address: str | None = None,
    store: str | Path | None = None,
    fresh: bool = False,
    time_limit: float | None = None,
    progress: Report | None = None,
    on_threshold: OnThreshold | None = None,
    **params: Any,
) -> Any:
    """Solve a puzzle in the fewest moves: of all shortest solutions the first, in the order U, D, L, R.

    With a weight, or greedily, it need be neither: a solution that is proved optimal may be a later one.

    ``frontrow.solve("sliding", start=[[1, 2, 3], [4, 5, 6], [7, 0, 8]])`` gives a `Solution`; a list of
    boards, or of problems, gives a list. Any iterable of boards, of rows and of tiles will do.

    Args:
        problem: ``sliding`` with its parameters as keywords, a problem, or several. Without a ``size`` it is
            that of the start, given row by row.
        method: ``auto``, ``ida``, ``astar``, ``bfs`` or ``greedy``; the last one need not be optimal.
        heuristic: ``auto``, ``manhattan``, ``linear-conflict``, ``walking``, or pattern databases such as
            ``pdb:6-6-3``.
        weight: of the heuristic, from 1: the solution is at most so many times as long as the shortest one.
        every: count all solutions that are as short.
        limit: how many of them to list.
        moves: how moves are written: ``blank`` or ``tile`` (the way it goes), or ``number`` (of the tile).
        memory: bytes that may be used; None for a share of what is free.
        disk: bytes that the checkpoints of a board may take; None for a share of what is free. ``bfs`` comes
            to a limit there; others write no more of them and go on.
        workers: workers that compute at the same time; None for all there are.
        engine: ``local`` or ``ray``, which long rounds of ``ida`` and the layers of ``bfs`` are computed on.
        ray_address: of a Ray cluster; implies ``ray``.
        store: folder of the ledger; None for the user's.
        fresh: compute again although the ledger has the answer.
        time_limit: seconds for each board, after which to stop; the same call goes on from what is proved.
        progress: called a few times a second, in this thread.
        on_threshold: called with every round that is over.
        **params: the problem's parameters.

    Returns:
        A `Solution`; for several boards a list, in which those that cannot be solved, are none, or came to a
        limit are not `solved`, and have the `reason`.

    Raises:
        UsageError: for a bad parameter or option, one that is not for any of several boards, or a single
            bad board.
        UnreachableError: if a single board cannot be solved.
        OutOfLimitError: if a single board came to a limit; its `solution` has the bounds that are proved.
        DisputedError: if a fresh answer differs from the one before.
        FrontrowError: if the ledger, tables or workers fail.
    """
    settings = checked_settings(
        Wanted.of(method, heuristic, _weight(weight), every=every, listed=_limit(limit, every=every)),
        notation=moves,
        memory=memory,
        disk=disk,
        workers=workers,
        engine=engine,
        ray_address=ray_address,
        store=store,
        fresh=fresh,
        time_limit=time_limit,
        progress=progress,
        on_threshold=on_threshold,
    )
    params = {name: gathered(value) for name, value in params.items()}
    asked = _boards(problem, params)
    if asked is not None:
        check_fit(_problems(asked), settings.wanted)
    with Solver.open(store, settings) as solver:
        if asked is not None:
            return [_one_of(solver, settings, *each) for each in asked]
        assert isinstance(problem, (str, Problem))
        found = solver.solve(problem, with_size(params))
    if not found.solved:
        raise UnreachableError(found.reason)
    return found


def checked_settings(
    wanted: Wanted,
    *,
    notation: str,
    memory: int | None,
    disk: int | None,
    workers: int | None,
    engine: str | Engine,
    ray_address: str | None,
    store: str | Path | None,
    fresh: bool,
    time_limit: float | None,
    progress: Report | None,
    on_threshold: OnThreshold | None,
) -> Settings:
    """Options of `solve`, once they, and the store, are found to be fit.

    Raises:
        UsageError: if one is not.
    """
    check_asking(engine, ray_address, workers, store=store, fresh=fresh, time_limit=time_limit)
    check_natural("memory", memory, 1)
    check_natural("disk", disk, 1)
    if notation not in NOTATIONS:
        raise UsageError(f"moves: found {shown(notation)}, expected {' or '.join(NOTATIONS)}")
    return Settings(
        wanted,
        notation,
        memory,
        disk,
        workers,
        engine,
        ray_address,
        fresh,
        time_limit,
        listener("progress", progress),
        listener("on_threshold", on_threshold),
    )


def _weight(weight: float | None) -> float | None:
    check_above("weight", weight)
    return None if weight is None else float(weight)


def _limit(limit: int, *, every: bool) -> int:
    check_natural("limit", limit, 0, optional=False)
    check_flag("every", every)
    if limit and not every:
        raise UsageError(f"limit: found {limit} without every, expected every=True")
    return int(limit)


def _problems(asked: Iterable[tuple[str, str | Problem, dict[str, Any]]]) -> Iterator[Sliding]:
    """Those of several boards that are boards."""
    for _, problem, params in asked:
        with contextlib.suppress(UsageError):
            yield ask_about(Sliding, "solve", problem, with_size(params))[0]


def _one_of(
    solver: Solver, settings: Settings, place: str, problem: str | Problem, params: dict[str, Any]
) -> Solution:
    """The solution of one of several boards; what is wrong with it, or a limit, does not stop the rest."""
    try:
        return solver.solve(problem, with_size(params))
    except OutOfLimitError as error:
        return error.solution
    except UsageError as error:
        name = problem if isinstance(problem, str) else problem.name
        reason = f"{place}: {str(error).removeprefix('start: ')}"
        return refused(name, params, settings.wanted, settings.notation, reason)


def _boards(
    problem: str | Problem | Sequence[Problem], params: dict[str, Any]
) -> list[tuple[str, str | Problem, dict[str, Any]]] | None:
    """Problems with their places and parameters, if there are several; None if there is one."""
    if isinstance(problem, Iterable) and not isinstance(problem, str):
        if params:
            raise UsageError(f"parameters: found {', '.join(params)} beside problems, expected none")
        return [(f"problem[{index}]", _checked(index, each), {}) for index, each in enumerate(problem)]
    starts: Any = params.get("start")
    if not _is_several(starts, params.get("size")):
        return None
    return [(f"start[{index}]", problem, params | {"start": start}) for index, start in enumerate(starts)]


def _is_several(starts: Any, size: Any) -> bool:
    """Whether a start is several boards: some in rows, some a text, or all of them in one row each."""
    if not _is_nested(starts, 1):
        return False
    items = list(starts)
    if not items:
        return isinstance(starts, list)
    if any(_is_nested(item, 2) or _is_board_text(item) for item in items):
        return True
    return len(items) > 1 and all(_is_nested(item, 1) and _fills(item, size) for item in items)


def _is_board_text(value: Any) -> bool:
    return isinstance(value, str) and len(value.replace(",", " ").split()) > 1


def _fills(row: Any, size: Any) -> bool:
    """Whether a row is a board: it has as many cells, or, where nobody says a size, all its tiles."""
    try:
        tiles = [tile for line in read_board(list(row), ()) for tile in line]
        if size is not None:
            return len(tiles) == to_shape(read_shape(size)).cells
    except ValueError:
        return False
    return set(tiles) == set(range(len(tiles)))


def _checked(index: int, problem: Any) -> str | Problem:
    if not isinstance(problem, (str, Problem)):
        raise UsageError(
            f"problem[{index}]: found {shown(problem)}, expected a problem; boards are given as start="
        )
    return problem


def _is_nested(value: Any, depth: int) -> bool:
    """Whether a value is a sequence of sequences, so many deep."""
    if not depth:
        return True
    if isinstance(value, (str, bytes, dict)) or not isinstance(value, Iterable):
        return False
    return _is_nested(next(iter(value), None), depth - 1)


__all__ = ["OutOfLimitError", "solve"]
