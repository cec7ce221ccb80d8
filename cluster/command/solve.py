"""The ``solve`` command."""

import os
import sys
from typing import TYPE_CHECKING

import click

from frontrow.cluster.command.options import (
    ANSWERING,
    WHERE,
    disk_option,
    memory_option,
    number_of,
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
    prints_aside,
)
from frontrow.search.errors import FrontrowError, UnreachableError, UsageError

if TYPE_CHECKING:
    from frontrow.cluster.command.boards import Asked
    from frontrow.cluster.command.shown import Shown
    from frontrow.cluster.command.unfinished import Unfinished
    from frontrow.cluster.solving.result import Threshold
    from frontrow.cluster.solving.solver import Settings
    from frontrow.search.problem import Problem

METHODS = ("auto", "ida", "astar", "bfs", "greedy")
"""As `frontrow.cluster.solving.wanted` knows them."""
NOTATIONS = ("blank", "tile", "number")
"""As `frontrow.search.solving.notation` knows them."""


def _read_weight(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    if value is None:
        return None
    number = number_of(value)
    if not 1 <= number < float("inf"):
        raise UsageError(f"weight: found {value!r}, expected a number from 1")
    return number


class _Puzzle(Question):
    """A question about a problem that has no options of its own; others are refused when they are named."""

    def _options_of(self, problem: "type[Problem]", ctx: click.Context) -> list[click.Parameter]:
        return []


@click.command(cls=_Puzzle, epilog="Example: frontrow solve sliding board.txt")
@click.argument("problem", shell_complete=complete_problem)
@click.argument("words", nargs=-1, metavar="[FILE|-|PARAMETERS]...", shell_complete=complete_word)
@options(
    click.option(
        "--method",
        metavar="|".join(METHODS),
        default="auto",
        shell_complete=completing(METHODS),
        help="How to search; greedy need not find a shortest solution, nor the first of its length.",
    ),
    click.option(
        "--heuristic",
        metavar="NAME",
        default="auto",
        help="manhattan, linear-conflict, walking, or pattern databases: pdb, pdb:6-6-3, pdb:1,2,3/4,5/...",
    ),
    click.option(
        "--weight",
        metavar="W",
        callback=_read_weight,
        help="Be content with a solution at most W times as long as the shortest; if it is as short, it need "
        "not be the first.",
    ),
    click.option("--all", "every", is_flag=True, help="Count all shortest solutions."),
    click.option(
        "--limit", metavar="K", callback=read_natural(0), help="With --all: list the first K (default 10)."
    ),
    click.option(
        "--moves",
        metavar="|".join(NOTATIONS),
        default="blank",
        shell_complete=completing(NOTATIONS),
        help="Write the way the blank goes (default), the way the tile goes, or the tile's number.",
    ),
    click.option("--steps", is_flag=True, help="Show every board, numbered from step 0."),
    click.option(
        "--out", metavar="FILE", callback=read_path, help="Write the solution with all its steps to FILE."
    ),
    click.option(
        "--svg", metavar="FILE", callback=read_path, help="Draw the steps of every board as a picture."
    ),
    click.option("--animate", is_flag=True, help="Play the solution in the terminal; elsewhere as --steps."),
    click.option("--encoding", metavar="NAME", help="Of the board file, such as shift_jis (default UTF-8)."),
    memory_option,
    disk_option,
    *ANSWERING,
    *WHERE,
)
@click.pass_obj
def solve(
    invocation: Invocation,
    /,
    problem: str,
    words: tuple[str, ...],
    method: str,
    heuristic: str,
    weight: float | None,
    every: bool,
    limit: int | None,
    moves: str,
    steps: bool,
    out: str | None,
    svg: str | None,
    animate: bool,
    encoding: str | None,
    memory: int | None,
    disk: int | None,
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
    """Solve a sliding puzzle in the fewest moves, which is proved, and show how.

    The board comes from a FILE, from standard input (-), or as PARAMETERS: frontrow solve sliding 3x3
    start=8,1,3,4,_,2,7,6,5. A file may hold several boards. Of all shortest solutions the first is shown,
    in the order U, D, L, R of the blank, but with --weight and --method greedy.
    """
    from frontrow.cluster.command.boards import boards_of, file_among, goal_file_among
    from frontrow.cluster.command.output import check_apart, check_target
    from frontrow.cluster.command.progress import reporter
    from frontrow.cluster.command.shown import Shown
    from frontrow.cluster.command.solved import threshold_line
    from frontrow.cluster.command.unfinished import Unfinished
    from frontrow.cluster.solve import checked_settings
    from frontrow.cluster.solving.choice import check_fit
    from frontrow.cluster.solving.wanted import Wanted

    if animate and as_json:
        raise UsageError("animate: found it with --json, expected one of them")
    plays = animate and _can_play()
    if sys.stdout is None and out is None and svg is None:
        raise UsageError("standard output: found it closed, expected it open, or --out or --svg")
    read = ("the board", file_among(words)), ("the goal", goal_file_among(words))
    check_apart(*read, ("out", out), ("svg", svg))
    boards = list(boards_of(problem, words, encoding))
    for option, path in (("out", out), ("svg", svg)):
        check_target(option, path)
    if limit is not None and not every:
        raise UsageError(f"limit: found {limit} without --all, expected --all")
    listed = (10 if limit is None else limit) if every else 0
    wanted = Wanted.of(method, heuristic, weight, every=every, listed=listed)
    check_fit((asked.problem for asked in boards if asked.problem is not None), wanted)
    report = reporter(sys.stderr, quiet=quiet)
    unfinished = Unfinished(invocation.interruption, report, fresh=fresh)
    tells = not quiet and sys.stderr is not None and (len(boards) == 1 or invocation.verbose)

    def on_threshold(each: "Threshold") -> None:
        unfinished.note_round(each.bound)
        if tells:
            report.echo(threshold_line(each), sys.stderr)

    settings = checked_settings(
        wanted,
        notation=moves,
        memory=memory,
        disk=disk,
        workers=workers,
        engine=invocation.engine(ray, ray_address),
        ray_address=ray_address,
        store=store,
        fresh=fresh,
        time_limit=time_limit,
        progress=unfinished.note,
        on_threshold=on_threshold,
    )
    shown = Shown(
        report,
        as_json=as_json,
        steps=steps or animate > plays,
        verbose=invocation.verbose,
        several=len(boards) > 1,
    )
    with prints_aside() as stdout, report:
        shown.stdout = stdout
        _solve_all(boards, settings, store, shown, unfinished)
    shown.finish(out=out, svg=svg, plays=plays)
    return shown.status


def _can_play() -> bool:
    """Whether standard output is a terminal that can go back to earlier lines."""
    return sys.stdout is not None and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def _solve_all(
    boards: "list[Asked]", settings: "Settings", store: str | None, shown: "Shown", unfinished: "Unfinished"
) -> None:
    """Solve one board after the other; with several, one that fails does not stop the rest.

    Raises:
        FrontrowError: if a single board fails.
    """
    from frontrow.cluster.solving.solver import OutOfLimitError, Solver

    with Solver.open(store, settings) as solver:
        for asked in boards:
            if asked.problem is None:
                shown.fail(asked.name, asked.error, UsageError.exit_status)
                continue
            unfinished.begin(asked.name if len(boards) > 1 else "")
            try:
                found = solver.solve(asked.problem, {})
                shown.add(asked.name, found, 0 if found.solved else UnreachableError.exit_status)
            except OutOfLimitError as error:
                shown.add(asked.name, error.solution, error.exit_status)
            except FrontrowError as error:
                if len(boards) == 1:
                    raise
                shown.fail(asked.name, str(error), error.exit_status)
