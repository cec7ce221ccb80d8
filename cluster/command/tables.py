"""The command ``tables``: pattern databases are listed, built beforehand and forgotten."""

import sys
import time
from typing import TYPE_CHECKING, Any

import click

from frontrow.cluster.command.options import (
    json_option,
    options,
    quiet_option,
    verbose_option,
    workers_option,
)
from frontrow.cluster.command.words import (
    Commands,
    Invocation,
    print_json,
)
from frontrow.search.errors import UsageError

if TYPE_CHECKING:
    from frontrow.cluster.command.progress import Silent
    from frontrow.search.patterns.files import TableFile
    from frontrow.search.patterns.lookup import Lookup
    from frontrow.search.patterns.partition import Partition
    from frontrow.workers.tables import PatternTables

_UNUSABLE = "damaged or of another version"


@click.group(cls=Commands, invoke_without_command=True, epilog="Try: frontrow tables build 4x4 6-6-3")
@click.pass_context
def tables(ctx: click.Context) -> None:
    """List, build and forget pattern databases of sliding puzzles.

    A search builds what it needs by itself and keeps it in your cache folder; goals and patterns that are
    turned or reflected images of each other share tables.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@tables.command("list")
@options(json_option, verbose_option)
def list_(as_json: bool) -> None:
    """List the files of tables, with their patterns and sizes."""
    from frontrow.cluster.command.display import table
    from frontrow.search.patterns.files import folder, list_files, size_text

    found = list_files()
    if as_json:
        print_json([_object(file) for file in found])
    elif not found:
        click.echo(f"no tables in {folder()}")
    else:
        cells = [
            (
                file.path.stem,
                size_text(file.bytes),
                _UNUSABLE if file.problem else _patterns(file),
            )
            for file in found
        ]
        click.echo("\n".join([*table(("NAME", "SIZE", "PATTERNS"), cells), f"in {folder()}"]))


def _object(file: "TableFile") -> dict[str, Any]:
    held = None if file.tables is None else [list(pattern.cells) for pattern in file.tables.patterns]
    return {
        "name": file.path.stem,
        "path": str(file.path),
        "bytes": file.bytes,
        "layout": None if file.tables is None else file.tables.layout,
        "cells": held,
        "problem": file.problem or None,
    }


def _patterns(file: "TableFile") -> str:
    """The goal cells of each table."""
    held = () if file.tables is None else file.tables.patterns
    return " / ".join(",".join(map(str, pattern.cells)) for pattern in held)


@tables.command(epilog="Example: frontrow tables build 4x4 7-8 --goal blank-first")
@click.argument("size")
@click.argument("partition", default="pdb")
@click.option("--goal", metavar="BOARD", help="The board to reach (default blank-last).")
@options(json_option, quiet_option, workers_option, verbose_option)
@click.pass_obj
def build(
    invocation: Invocation,
    /,
    size: str,
    partition: str,
    goal: str | None,
    as_json: bool,
    quiet: bool,
    workers: int | None,
) -> None:
    """Build the tables of a board size, if they are not there already.

    PARTITION says how the tiles are divided into patterns: tiles a pattern such as 6-6-3, or the tiles of
    each such as 1,2,3/4,5/6,7,8; without it, what a search takes by itself.
    """
    from frontrow.cluster.command.progress import reporter
    from frontrow.search.patterns.lookup import Lookup
    from frontrow.search.patterns.partition import Partition
    from frontrow.search.problems.sliding import Sliding
    from frontrow.workers.unit import available_workers

    asked = Sliding(size=size, **({} if goal is None else {"goal": goal}))
    word = partition if partition.startswith("pdb") else f"pdb:{partition}"
    chosen = Partition.parse(word, asked.shape, asked.goal_board)
    lookup = Lookup.of(asked.shape, asked.goal_board, chosen)
    report = reporter(sys.stderr, quiet=quiet)
    invocation.interruption.message = lambda: "interrupted; nothing is kept of tables that are not complete"
    with report:
        built = _open(lookup, chosen, workers or available_workers(), report)
    _print_built(built, chosen, as_json=as_json)


def _open(lookup: "Lookup", partition: "Partition", threads: int, report: "Silent") -> "PatternTables":
    """Open tables, and tell what is done meanwhile."""
    from frontrow.cluster.result import Progress
    from frontrow.search.patterns.files import size_text
    from frontrow.search.rows import new_stop
    from frontrow.workers.local import in_background
    from frontrow.workers.tables import PatternTables

    stop, begun = new_stop(), time.perf_counter()
    size = f"tables {partition.sizes} of {size_text(lookup.tables.entries)}"

    def tell(share: float) -> None:
        elapsed = time.perf_counter() - begun
        report(Progress("counting", share=share, elapsed=elapsed, workers=threads, note=f"building {size}"))

    try:
        return in_background(
            lambda: PatternTables.open(
                lookup.shape,
                lookup.goal,
                partition,
                threads=threads,
                stop=stop,
                progress=tell,
                message=lambda text: report(Progress("resuming", note=text)),
                must_keep=True,
            )
        )
    finally:
        stop[0] = 1


def _print_built(built: "PatternTables", partition: "Partition", *, as_json: bool) -> None:
    from frontrow.cluster.command.display import pairs
    from frontrow.search.patterns.files import path_of, size_text

    lookup = built.lookup
    path = path_of(lookup.tables)
    if as_json:
        told = {
            "name": path.stem,
            "path": str(path),
            "partition": str(partition),
            "layout": lookup.tables.layout,
            "bytes": lookup.tables.entries,
        }
        print_json(told)
        return
    rows = [
        ("partition", str(partition)),
        ("size", size_text(lookup.tables.entries)),
        ("layout", lookup.tables.layout),
        ("file", str(path)),
    ]
    click.echo("\n".join(pairs(rows)))


@tables.command()
@click.argument("names", metavar="NAME...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Forget all tables.")
@options(json_option, verbose_option)
def forget(names: tuple[str, ...], everything: bool, as_json: bool) -> None:
    """Delete files of tables; the beginning of a name is enough if only one has it."""
    from frontrow.search.patterns.files import list_files

    found = list_files()
    if everything == bool(names):
        raise UsageError(
            "tables: found neither names nor --all, expected one"
            if not names
            else "tables: found names and --all, expected one"
        )
    chosen = found if everything else [_find(name, found) for name in names]
    for file in chosen:
        file.path.unlink(missing_ok=True)
    forgotten = list(dict.fromkeys(file.path.stem for file in chosen))
    if as_json:
        print_json({"forgotten": forgotten})
    else:
        click.echo("\n".join(f"forgot {name}" for name in forgotten) or "no tables")


def _find(name: str, found: "list[TableFile]") -> "TableFile":
    """The file of a name or of its beginning.

    Raises:
        UsageError: if there is none or more than one.
    """
    matching = [file for file in found if file.path.stem.startswith(name.removesuffix(".tables"))]
    if len(matching) != 1:
        expected = (
            " or ".join(file.path.stem for file in matching or found) or "none, since there are no tables"
        )
        raise UsageError(f"tables: found {name!r}, expected {expected}")
    return matching[0]
