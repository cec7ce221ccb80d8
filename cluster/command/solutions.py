"""The ``solutions`` command: lists, boards and pictures."""

import contextlib
import os
import sys
from typing import TYPE_CHECKING

import click

from frontrow.cluster.command.options import (
    options,
    quiet_option,
    ray_address_option,
    ray_option,
    read_natural,
    read_path,
    verbose_option,
    workers_option,
)
from frontrow.cluster.command.words import (
    Invocation,
    Question,
    complete_problem,
    complete_word,
    completing,
    find_problem,
    prints_aside,
)
from frontrow.search.errors import UsageError

if TYPE_CHECKING:
    from typing import TextIO

FORMATS = ("list", "board", "json", "csv")
"""As `frontrow.cluster.command.formats` knows them."""
MOST_DRAWN = 100
"""Boards of a picture."""


def _read_format(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is not None and value not in FORMATS:
        raise UsageError(f"format: found {value!r}, expected {' or '.join(FORMATS)}")
    return value


@click.command(cls=Question, epilog="Example: frontrow solutions queens 6")
@click.argument("problem", shell_complete=complete_problem)
@click.argument("words", nargs=-1, metavar="[PARAMETERS]...", shell_complete=complete_word)
@options(
    click.option(
        "--format",
        "form",
        metavar="|".join(FORMATS),
        callback=_read_format,
        shell_complete=completing(FORMATS),
        help="Integers with commas (list), drawings (board), a JSON array a line (json), or a table (csv).",
    ),
    click.option("--json", "as_json", is_flag=True, help="The same as --format json."),
    click.option("--limit", metavar="K", callback=read_natural(0), help="List K solutions at most."),
    click.option(
        "--unique", is_flag=True, help="One solution of every class of symmetric ones: the smallest."
    ),
    click.option(
        "--out", metavar="FILE", callback=read_path, help="Write to FILE, which appears when complete."
    ),
    click.option(
        "--attacks",
        is_flag=True,
        help="Draw boards with the squares under attack; with --limit 0, the board that is given.",
    ),
    click.option(
        "--svg",
        metavar="FILE",
        callback=read_path,
        help=f"Draw the first solution, or the first K with --limit K up to {MOST_DRAWN}, as a picture; with"
        " --limit 0, the board that is given.",
    ),
    quiet_option,
    workers_option,
    ray_option,
    ray_address_option,
    verbose_option,
)
@click.pass_obj
def solutions(
    invocation: Invocation,
    /,
    problem: str,
    words: tuple[str, ...],
    form: str | None,
    as_json: bool,
    limit: int | None,
    unique: bool,
    out: str | None,
    attacks: bool,
    svg: str | None,
    quiet: bool,
    workers: int | None,
    ray: bool,
    ray_address: str | None,
    **answering: str | None,
) -> None:
    """List the solutions of a problem, in order.

    PARAMETERS come in the problem's own order or as NAME=VALUE; "frontrow problems PROBLEM" lists them. The
    list begins at once and nothing of it is kept.
    """
    from frontrow.cluster.command.formats import head, writer
    from frontrow.cluster.command.output import picture, sink
    from frontrow.cluster.command.progress import reporter
    from frontrow.cluster.solutions import list_rows, listable

    if svg is not None and out is not None and os.path.realpath(svg) == os.path.realpath(out):
        raise UsageError(f"svg: found {svg} for --out as well, expected another file")
    if svg is not None and limit is not None and limit > MOST_DRAWN:
        raise UsageError(f"limit: found {limit} with --svg, expected 0 to {MOST_DRAWN}")
    chosen = _form(form, as_json, attacks, svg)
    found = find_problem(problem)
    interruption, listed = invocation.interruption, 0
    interruption.message = lambda: _interrupted(listed, out)
    report = reporter(sys.stderr, quiet=quiet or (out is None and _is_terminal(sys.stdout)))
    with prints_aside() as stdout, report:
        given = {name: value for name, value in answering.items() if value is not None}
        asked = listable(found.from_words(words, given), {})
        text = writer(asked, chosen, attacks=attacks)
        blocks = list_rows(
            asked,
            limit=limit,
            unique=unique,
            workers=workers,
            engine=invocation.engine(ray, ray_address),
            ray_address=ray_address,
            progress=report,
        )
        with (
            contextlib.closing(blocks),
            picture(
                asked,
                _path(svg, stdout),
                1 if limit is None else limit,
                attacks=attacks,
            ) as draw,
            sink(_path(out, stdout), stdout) as write,
        ):
            write(head(asked, chosen))
            for rows in blocks:
                write(text(rows))
                draw(rows)
                listed += rows.shape[0]
            if limit == 0:
                draw(asked.initial())
                if attacks and chosen == "board":
                    write(text(asked.initial()))


def _form(form: str | None, as_json: bool, attacks: bool, svg: str | None) -> str:
    """The format, also where it follows from other options.

    Raises:
        UsageError: if they contradict each other.
    """
    if as_json and form not in (None, "json"):
        raise UsageError(f"format: found {form} and --json, expected one of them")
    chosen = "json" if as_json else form or ("board" if attacks else "list")
    if attacks and chosen != "board" and svg is None:
        raise UsageError(f"attacks: found the format {chosen}, expected board, or --svg")
    return chosen


def _path(path: str | None, stdout: "TextIO | None") -> str | None:
    """Where to write; a path that means standard output leads to where that is meanwhile."""
    if path in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1") and stdout is not None:
        return f"/dev/fd/{stdout.fileno()}"
    return path


def _is_terminal(stream: "TextIO | None") -> bool:
    return stream is not None and stream.isatty()


def _interrupted(listed: int, out: str | None) -> str:
    """How far a list came; none of it is kept."""
    lost = "" if out is None else f"; {out} was not written"
    return f"interrupted after {listed:,} {'solution' if listed == 1 else 'solutions'}{lost}"
