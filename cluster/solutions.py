"""Lists of solutions: asked for from Python, and by the command line in the same way."""

import contextlib
from collections.abc import Generator
from typing import Any

from frontrow.cluster.arguments import check_flag, check_natural, listener
from frontrow.cluster.listing import ListRun
from frontrow.cluster.question import ask, engine_for
from frontrow.cluster.result import Report
from frontrow.search.errors import UsageError
from frontrow.search.parameter import shown
from frontrow.search.problem import Problem
from frontrow.search.rows import Rows
from frontrow.search.tree import CountingTree
from frontrow.workers.engine import Engine


def solutions(
    problem: str | Problem,
    *,
    limit: int | None = None,
    unique: bool = False,
    workers: int | None = None,
    engine: str | Engine = "local",
    ray_address: str | None = None,
    progress: Report | None = None,
    **params: Any,
) -> Generator[tuple[int, ...], None, None]:
    """List the solutions of a problem, one after the other, in order.

    The order is that of a walk through the tree, parents before children: for queens, the lexicographic order
    of the columns. Solutions are searched for as they are asked for; closing the iterator stops the workers.
    Nothing is kept in the ledger, and no more than some thousand solutions a worker in memory.

    Args:
        problem: a problem's name, with its parameters as keywords, or a problem.
        limit: solutions to list at most.
        unique: list only one solution of every class of symmetric ones; for queens the lexicographically
            smallest of its eight images.
        workers: workers that search at the same time; default all cores that the process may use, or
            all of the cluster.
        engine: ``local``, ``ray``, or an engine that the caller closes.
        ray_address: ``auto`` or ``host:port`` of a Ray cluster; implies ``ray``.
        progress: called a few times a second, in the thread that iterates.
        **params: the problem's parameters and options.

    Returns:
        An iterator over tuples of integers: the node of a problem on tuples, the queens' columns row by row,
        the words of any other row.

    Raises:
        UsageError: for a bad problem, parameter or option; at once.
        EngineError: if workers cannot be started or a part cannot be searched; while it is iterated.
    """
    asked = listable(problem, params)
    blocks = list_rows(
        asked,
        limit=limit,
        unique=unique,
        workers=workers,
        engine=engine,
        ray_address=ray_address,
        progress=progress,
    )
    return _tuples(asked, blocks)


def listable(problem: str | Problem, params: dict[str, Any]) -> CountingTree:
    """The problem that is asked about.

    Raises:
        UsageError: if it cannot be listed.
    """
    asked, _ = ask("solutions", problem, params)
    if not isinstance(asked, CountingTree):
        raise UsageError(f"problem: found {shown(asked)}, which cannot be listed, expected a CountingTree")
    if not asked.unfolds():
        raise UsageError(
            f"problem {asked.name}: found neither children nor expand, expected one of them to list"
        )
    return asked


def list_rows(
    asked: CountingTree,
    *,
    limit: int | None,
    unique: bool,
    workers: int | None,
    engine: str | Engine,
    ray_address: str | None,
    progress: Report | None,
) -> Generator[Rows, None, None]:
    """List solutions as rows, in blocks of shape ``(k, words)``; see `solutions`.

    Raises:
        UsageError: for a bad option; at once.
    """
    check_natural("limit", limit, 0)
    check_flag("unique", unique)
    report = listener("progress", progress)
    if unique and not asked.symmetric:
        raise UsageError(f"unique: found no symmetries in this {asked.name} problem, expected some")
    chosen = engine_for(asked, engine, ray_address, workers)
    ours = chosen is not engine
    here = ours and chosen.name == "local" and asked.on_tuples()
    run = ListRun(asked, chosen, limit=limit, unique=unique, here=here, report=report)
    return _closed(run, chosen if ours else None)


def _closed(run: ListRun, engine: Engine | None) -> Generator[Rows, None, None]:
    """The blocks of a run; the engine is closed when it ends, however it does."""
    try:
        with contextlib.closing(run.blocks()) as blocks:
            yield from blocks
    finally:
        if engine is not None:
            engine.close()


def _tuples(
    problem: CountingTree, blocks: Generator[Rows, None, None]
) -> Generator[tuple[int, ...], None, None]:
    with contextlib.closing(blocks):
        for rows in blocks:
            values = problem.integers(rows)
            if (values < 0).any():
                for line in values.tolist():
                    yield tuple(value for value in line if value >= 0)
            else:
                yield from map(tuple, values.tolist())
