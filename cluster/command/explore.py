"""The ``explore`` command."""

import contextlib
import sys
from typing import TYPE_CHECKING, TextIO, cast

import click

from frontrow.cluster.command.interrupt import SAVING
from frontrow.cluster.command.options import (
    ANSWERING,
    WHERE,
    disk_option,
    memory_option,
    options,
    read_natural,
    read_path,
)
from frontrow.cluster.command.words import (
    Invocation,
    Question,
    complete_problem,
    complete_word,
    completing,
    find_problem,
    print_json,
    prints_aside,
    repeated,
)
from frontrow.search.errors import UnreachableError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from frontrow.cluster.exploration.result import Exploration
    from frontrow.cluster.result import Progress
    from frontrow.search.graph import StateGraph
    from frontrow.search.problem import Problem

TABLES = ("rank", "layers", "hash")
"""As `frontrow.search.tables.choice` knows them."""
UNREACHED = 3
"""Exit status when all was searched and there is no way to a goal."""


def _read_table(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is not None and value not in TABLES:
        raise UsageError(f"table: found {value!r}, expected {', '.join(TABLES)}")
    return value


@click.command(cls=Question, epilog="Example: frontrow explore sliding 3x3")
@click.argument("problem", shell_complete=complete_problem)
@click.argument("words", nargs=-1, metavar="[PARAMETERS]...", shell_complete=complete_word)
@options(
    click.option("--depth", metavar="D", callback=read_natural(0), help="Stop after D moves from the start."),
    click.option(
        "--symmetry",
        is_flag=True,
        help="Take states up to the symmetries that fix the start and the goal: fewer states, less memory.",
    ),
    click.option("--paths", is_flag=True, help="Count shortest ways as well, exactly."),
    click.option(
        "--until-goal", is_flag=True, help="Stop at the nearest goal and show one shortest way, step by step."
    ),
    click.option(
        "--table",
        metavar="|".join(TABLES),
        callback=_read_table,
        shell_complete=completing(TABLES),
        help="How states are kept: a bit each (rank), the last layers only, or all in a hash table.",
    ),
    click.option("--csv", metavar="FILE", callback=read_path, help="Write the layers to FILE as a table."),
    click.option("--plot", metavar="FILE", callback=read_path, help="Draw the layers: FILE.png or FILE.svg."),
    memory_option,
    disk_option,
    click.option(
        "--shards",
        metavar="K",
        callback=read_natural(1),
        help="Parts of the tables (default one a worker; threads share one of bits).",
    ),
    *ANSWERING,
    *WHERE,
)
@click.pass_obj
def explore(
    invocation: Invocation,
    /,
    problem: str,
    words: tuple[str, ...],
    depth: int | None,
    symmetry: bool,
    paths: bool,
    until_goal: bool,
    table: str | None,
    csv: str | None,
    plot: str | None,
    memory: int | None,
    disk: int | None,
    shards: int | None,
    as_json: bool,
    quiet: bool,
    fresh: bool,
    workers: int | None,
    time_limit: float | None,
    ray: bool,
    ray_address: str | None,
    store: str | None,
    **answering: str | None,
) -> int:
    """Grow a graph layer by layer from its start: how many states are how many moves away.

    PARAMETERS come in the problem's own order or as NAME=VALUE; "frontrow problems PROBLEM" lists them. A
    command that was interrupted goes on from the last checkpoint when it is repeated.
    """
    from frontrow.cluster.command.layers import Table, check_plot, summary, write_csv, write_plot
    from frontrow.cluster.command.output import check_target
    from frontrow.cluster.command.progress import reporter
    from frontrow.cluster.explore import explore as run
    from frontrow.search.graph import StateGraph

    if plot is not None:
        check_plot(plot)
    for option, path in (("csv", csv), ("plot", plot)):
        check_target(option, path)
    chosen = {name: value for name, value in answering.items() if value is not None}
    with prints_aside():
        asked = find_problem(problem, StateGraph).from_words(words, chosen)
        note = _no_symmetry(problem, asked) if symmetry and not quiet else ""
    if note:
        click.echo(note, err=True)
    interruption = invocation.interruption
    report = reporter(sys.stderr, quiet=quiet)
    interruption.message = lambda: interrupted_line(report.last, fresh)

    def told(progress: "Progress") -> None:
        if progress.phase == "saving":
            interruption.grace = SAVING
        report(progress)

    with prints_aside() as stdout, report, _told_as_json(asked, as_json=as_json, stdout=stdout):
        lines = Table(lambda line: report.echo(line, stdout), boards=symmetry, paths=paths, silent=as_json)
        result = run(
            asked,
            depth=depth,
            symmetry=symmetry,
            paths=paths,
            until_goal=until_goal,
            table=table,
            shards=shards,
            memory=memory,
            disk=disk,
            workers=workers,
            engine=invocation.engine(ray, ray_address),
            ray_address=ray_address,
            store=store,
            fresh=fresh,
            time_limit=time_limit,
            progress=told,
            on_layer=lines.add,
        )
        lines.complete(result)
    if csv is not None:
        write_csv(csv, result)
    if plot is not None:
        write_plot(plot, result)
    if as_json:
        print_json(result.to_json())
    else:
        click.echo(summary(result, cast("StateGraph", asked), verbose=invocation.verbose))
    return _status(result, until_goal=until_goal)


@contextlib.contextmanager
def _told_as_json(asked: "Problem", *, as_json: bool, stdout: "TextIO | None") -> "Iterator[None]":
    """Print an object also where theory rules the goal out and nothing is searched."""
    try:
        yield
    except UnreachableError as error:
        if as_json:
            import json

            from frontrow.search.registry import ProblemRef

            ref = ProblemRef.of(asked.settle())
            told = {
                "verb": "explore",
                "problem": ref.name,
                "file": ref.file or None,
                "params": json.loads(ref.values),
                "goal_depth": None,
                "way": None,
                "complete": True,
                "reason": str(error),
            }
            click.echo(json.dumps(told), file=stdout)
        raise


def _no_symmetry(name: str, asked: "Problem") -> str:
    """That a problem has no symmetry to be used, on one line; empty if it has one.

    Raises:
        UsageError: if a person's own file fails.
    """
    from frontrow.search.graph import StateGraph
    from frontrow.search.own.blame import explained
    from frontrow.search.symmetry import Group

    if not isinstance(asked, StateGraph):
        return ""
    with explained(asked, UsageError):
        group = asked.symmetries()
        if not isinstance(group, Group) or group.order > 1:
            return ""
        fixed = "the start and the goal" if asked.has_goal else "the start"
    return (
        f"frontrow: --symmetry: found no symmetry of {name} that fixes {fixed}, so every state is "
        "counted by itself"
    )


def _status(result: "Exploration", *, until_goal: bool) -> int:
    return UNREACHED if until_goal and result.exhausted and result.goal_depth is None else 0


def interrupted_line(last: "Progress | None", fresh: bool) -> str:
    """How far a run came and how it goes on."""
    from frontrow.cluster.result import plural

    again = repeated(fresh=fresh)
    then = f"{again} goes on from the last checkpoint"
    if last is None or not last.kept:
        then = f"{again} begins anew"
    if last is not None and last.phase == "saving":
        then = f"layer {last.units_done - 1} is being written down, and {again} goes on from it"
    if last is None or not last.units_done:
        before = "it went on" if last is not None and last.kept else "the first layer"
        return f"interrupted before {before}; {then}"
    states = f"{last.nodes:,} {plural('state', last.nodes)}"
    return f"interrupted in layer {last.units_done} ({states} before it); {then}"
