"""What is asked, as it comes from the command line or from Python, and who works on it."""

import contextlib
from collections.abc import Iterator
from typing import Any, TypeVar

from frontrow.cluster.arguments import check_engine
from frontrow.search.errors import UsageError
from frontrow.search.graph import StateGraph
from frontrow.search.own import files
from frontrow.search.own.blame import explained
from frontrow.search.parameter import shown
from frontrow.search.problem import Countable, Problem
from frontrow.search.registry import ProblemRef, find
from frontrow.workers.engine import Engine
from frontrow.workers.local import LocalEngine
from frontrow.workers.unit import load

Kind = TypeVar("Kind", bound=Problem)


def ask(verb: str, problem: str | Problem, params: dict[str, Any]) -> tuple[Countable, ProblemRef]:
    """The problem that is to be counted, every ``auto`` settled, and its reference; see `ask_about`."""
    return ask_about(Countable, verb, problem, params)  # type: ignore[type-abstract]


def ask_about(
    kind: type[Kind], verb: str, problem: str | Problem, params: dict[str, Any]
) -> tuple[Kind, ProblemRef]:
    """The problem that is asked about, every ``auto`` settled, and its reference.

    Args:
        kind: what the problem has to be.
        verb: what is asked, for messages.
        problem: a problem's name, or a problem.
        params: the parameters that belong to a name.

    Raises:
        UsageError: for a bad problem or parameter.
    """
    if files.importing():
        raise UsageError(
            f"found a call of {verb} while the file is imported, "
            'expected it under `if __name__ == "__main__":`'
        )
    with explained(error_class=UsageError):
        asked = _problem(kind, verb, problem, params)
        ref = ProblemRef.of(asked)
        if ref.source:
            asked = load(kind, verb, ref)  # of the class that workers have, also if this one is a script's
    return asked, ref


def _problem(kind: type[Kind], verb: str, problem: str | Problem, params: dict[str, Any]) -> Kind:
    if isinstance(problem, str):
        made = find(problem).from_values(params)
    elif params:
        raise UsageError(
            f"parameters: found {', '.join(params)} beside a problem, expected them in the problem"
        )
    else:
        made = problem
    if not isinstance(made, kind):
        raise UsageError(_unfit(kind, verb, made))
    settled = made.settle()
    if not isinstance(settled, type(made)):
        raise UsageError(f"settle: found {shown(settled)}, expected the problem or one like it")
    return settled


def _unfit(kind: type[Problem], verb: str, made: object) -> str:
    """Why something cannot be asked about; of a graph and of a tree it says what can be asked instead."""
    told = shown(made)
    if isinstance(made, Problem):
        told = files.origin(type(made))[1] or made.name
    if kind is Countable and isinstance(made, StateGraph):
        return f"problem: found the graph {told}, expected a tree: explore takes graphs, {verb} does not"
    if kind is StateGraph and isinstance(made, Countable):
        return f"problem: found the tree {told}, expected a graph: count takes trees, {verb} does not"
    return f"problem: found no way to {verb} {told}, expected a {kind.__name__}"


def engine_for(
    problem: Countable, engine: str | Engine, ray_address: str | None, workers: int | None
) -> Engine:
    """The engine that is meant; it is not started.

    Args:
        problem: what it is to work on.
        engine: ``local``, ``ray``, or an engine, which is given back.
        ray_address: of a Ray cluster; implies ``ray``.
        workers: workers that compute at the same time; None for all there are.

    Raises:
        UsageError: for a bad name, address or number.
    """
    check_engine(engine, ray_address, workers)
    if not isinstance(engine, str):
        return engine
    workers = None if workers is None else int(workers)  # numpy has integers as well
    if engine == "local" and ray_address is None:
        if not problem.holds_interpreter:
            return LocalEngine(workers)
        from frontrow.workers.processes import ProcessEngine

        return ProcessEngine(workers)
    # Ray takes a second to import.
    from frontrow.cluster.ray_engine import RayEngine

    return RayEngine(ray_address, workers)


@contextlib.contextmanager
def open_engine(
    problem: Countable, engine: str | Engine, ray_address: str | None, workers: int | None
) -> Iterator[Engine]:
    """The engine that is meant, see `engine_for`; one that was made here is closed with the block."""
    chosen = engine_for(problem, engine, ray_address, workers)
    try:
        yield chosen
    finally:
        if chosen is not engine:
            chosen.close()
