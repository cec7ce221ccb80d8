"""The command line. Everything beyond click is imported when it is needed, so that ``--help`` is quick."""

import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NoReturn

import click
from click.shell_completion import get_completion_class

from frontrow.cluster.command.estimate import estimate
from frontrow.cluster.command.explore import explore
from frontrow.cluster.command.interrupt import STATUS, Interruption
from frontrow.cluster.command.options import (
    ANSWERING,
    WHERE,
    json_option,
    node_limit_option,
    options,
    store_option,
    verbose_option,
)
from frontrow.cluster.command.own import check, new
from frontrow.cluster.command.printable import printable
from frontrow.cluster.command.proof import export_, import_, verify, verify_option
from frontrow.cluster.command.solutions import solutions
from frontrow.cluster.command.solve import solve
from frontrow.cluster.command.tables import tables
from frontrow.cluster.command.words import (
    NAME,
    SHELLS,
    Commands,
    Invocation,
    Question,
    click_line,
    complete_job,
    complete_problem,
    complete_word,
    find_problem,
    print_json,
    prints_aside,
    repeated,
)
from frontrow.search.errors import FrontrowError, StoppedError, UsageError, interrupted

if TYPE_CHECKING:
    from frontrow.cluster.job import JobRow
    from frontrow.cluster.result import Progress
    from frontrow.cluster.store import Store


def _print_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from importlib.metadata import version

        from frontrow.search.kernel import sources_digest

        click.echo(f"{NAME} {version(NAME)}, kernels {sources_digest()}")
        ctx.exit()


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Try: frontrow count queens 16",
)
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_print_version,
    help="Show the version and that of the kernels, and exit.",
)  # fmt: skip
@click.pass_context
def app(ctx: click.Context) -> None:
    """Search big spaces exactly, on all cores of a laptop or all nodes of a Ray cluster."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        ctx.color = False
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@app.command(cls=Question, epilog="Example: frontrow count queens 16")
@click.argument("problem", shell_complete=complete_problem)
@click.argument("words", nargs=-1, metavar="[PARAMETERS]...", shell_complete=complete_word)
@options(verify_option, *ANSWERING, node_limit_option, *WHERE)
@click.pass_obj
def count(
    invocation: Invocation,
    /,
    problem: str,
    words: tuple[str, ...],
    as_json: bool,
    quiet: bool,
    fresh: bool,
    workers: int | None,
    time_limit: float | None,
    node_limit: float | None,
    ray: bool,
    ray_address: str | None,
    store: str | None,
    verify: str | None,
    **answering: str | None,
) -> None:
    """Count the solutions of a problem.

    PARAMETERS come in the problem's own order or as NAME=VALUE. Problems have options of their own as well,
    such as --method: "frontrow problems PROBLEM" lists both. A command that was interrupted goes on where it
    stopped when it is repeated.
    """
    from frontrow.cluster import api
    from frontrow.cluster.command.progress import reporter

    found = find_problem(problem)
    chosen = {name: value for name, value in answering.items() if value is not None}
    with prints_aside():
        asked = found.from_words(words, chosen)
    interruption = invocation.interruption
    report = reporter(sys.stderr, quiet=quiet)
    interruption.message = lambda: _interrupted(report.last, fresh)
    with prints_aside(), report:
        result = api.count(
            asked,
            workers=workers,
            engine=invocation.engine(ray, ray_address),
            ray_address=ray_address,
            store=store,
            fresh=fresh,
            time_limit=time_limit,
            node_limit=None if node_limit is None else int(node_limit),
            verify=verify,
            progress=report,
        )
    if as_json:
        print_json(result.to_json())
    else:
        from frontrow.cluster.command.display import answer

        click.echo(answer(result, asked.labels, verbose=invocation.verbose, why=asked.why))


app.add_command(explore)
app.add_command(solutions)
app.add_command(solve)
app.add_command(estimate)
app.add_command(tables)
app.add_command(new)
app.add_command(check)
app.add_command(export_)
app.add_command(import_)
app.add_command(verify)


def _interrupted(last: "Progress | None", fresh: bool) -> str:
    """How far a run came and how it goes on."""
    again = repeated(fresh=fresh)
    if last is None or last.phase in ("starting", "compiling", "planning"):
        return f"interrupted before counting began; {again} goes on from there"
    if last.phase == "verifying":
        return f"interrupted; {last.units_done:,} units came out the same again, the answer is in the ledger"
    from frontrow.cluster.command.progress import done_text

    how_far = f"{done_text(last)}, {last.units_done:,} of {last.units:,} units"
    if last.phase == "watching":
        return f"interrupted ({how_far}); the other process goes on with the job"
    return f"interrupted ({how_far}); {again} goes on from there"


@app.command()
@click.argument("name", required=False, shell_complete=complete_problem)
@options(json_option, verbose_option)
def problems(name: str | None, as_json: bool) -> None:
    """List the problems, or one with its parameters."""
    from frontrow.cluster.command.display import pairs, problem_object, problem_text
    from frontrow.search.registry import find, names

    if name is not None:
        found = find_problem(name)
        if as_json:
            print_json(problem_object(found))
        else:
            click.echo(problem_text(found))
        return
    every = [find(each) for each in names()]
    if as_json:
        print_json([problem_object(each) for each in every])
    else:
        click.echo("\n".join(pairs((each.name, each.summary_line) for each in every)))


@app.command()
@options(json_option, store_option, verbose_option)
def info(store: str | None, as_json: bool) -> None:
    """Show the version, the machine, the kernels in use and where things are kept."""
    from frontrow.cluster.command.info import gather, info_text

    facts = gather(store)
    if as_json:
        print_json(facts)
    else:
        click.echo(info_text(facts))


@app.command()
@options(json_option, store_option, verbose_option)
def jobs(store: str | None, as_json: bool) -> None:
    """List the jobs of the ledger, newest first."""
    from frontrow.cluster.command.display import job_object, jobs_table
    from frontrow.cluster.store import Store

    with Store.open(store) as ledger:
        rows = [row for row in ledger.jobs() if not row.problem.startswith("_")]  # rounds of a solution
    if as_json:
        print_json([job_object(row) for row in rows])
    else:
        click.echo(jobs_table(rows))


@app.command()
@click.argument("job", metavar="ID", shell_complete=complete_job)
@options(json_option, store_option, verbose_option)
def show(job: str, store: str | None, as_json: bool) -> None:
    """Show one job: its answer, or how far it came. The first digits of its id are enough."""
    from frontrow.cluster.command.display import job_object, job_text
    from frontrow.cluster.store import Store

    with Store.open(store) as ledger:
        row = ledger.find(job).checked()
        folder = ledger.exploration(row.id)
    if as_json:
        print_json(job_object(row))
        return
    if row.verb == "explore":
        from frontrow.cluster.command.layers import layers_text

        click.echo(layers_text(row, folder), nl=False)
    if row.verb == "solve" and row.state == "done":
        from frontrow.cluster.command.solved import solution_text

        click.echo(f"{solution_text(row.solution(), steps=False, verbose=False)}\n")
    click.echo(job_text(row, _labels(row)))


def _labels(row: "JobRow") -> Mapping[str, str]:
    """Words for the values of a job whose problem may be unknown here."""
    try:
        return getattr(row.ref.kind(), "labels", {})
    except UsageError:
        return {}


@app.command()
@click.argument("job_ids", metavar="ID...", nargs=-1, required=True, shell_complete=complete_job)
@options(json_option, store_option, verbose_option)
def forget(job_ids: tuple[str, ...], store: str | None, as_json: bool) -> None:
    """Delete jobs and all their results from the ledger."""
    from frontrow.cluster.store import Store

    with Store.open(store) as ledger:
        found = list(dict.fromkeys(ledger.find(job).id for job in job_ids))
        for job in found:
            for part in _parts(ledger, job):
                ledger.forget(part)
            ledger.forget(job)
    if as_json:
        print_json({"forgotten": found})
    else:
        click.echo("\n".join(f"forgot {job}" for job in found))


def _parts(ledger: "Store", job: str) -> list[str]:
    """The ids of the counts that are rounds of a solution which is not done."""
    [row] = ledger.jobs(job)
    if row.verb != "solve":
        return []
    from frontrow.cluster.solving.rounds import parts

    return parts(ledger, row)


@app.command()
@click.argument("shell", metavar="|".join(SHELLS))
@options(verbose_option)
def completion(shell: str) -> None:
    """Print what makes a shell complete frontrow's words.

    For bash, put this into ~/.bashrc: eval "$(frontrow completion bash)"
    """
    if shell not in SHELLS:
        raise UsageError(f"shell: found {shell!r}, expected {' or '.join(SHELLS)}")
    kind = get_completion_class(shell)
    if kind is None:
        raise FrontrowError(f"shell: found no completion for {shell} in click, expected one")
    click.echo(kind(app, {}, NAME, f"_{NAME.upper()}_COMPLETE").source())


# Running


def main() -> NoReturn:
    """The ``frontrow`` command."""
    interruption = Interruption()
    interruption.install()
    status = run(sys.argv[1:], interruption)
    if interruption.received:
        # A thread that compiles or computes would hold the process up.
        os._exit(status)
    sys.exit(status)


def run(words: Sequence[str], interruption: Interruption | None = None) -> int:
    """Run one command and return its exit status; whatever goes wrong is one line on stderr."""
    invocation = Invocation(interruption or Interruption())
    try:
        status = app.main(list(words), prog_name=NAME, standalone_mode=False, obj=invocation)
        if sys.stdout is not None:
            sys.stdout.flush()
    except (KeyboardInterrupt, click.Abort, StoppedError):
        invocation.interruption.tell()
        return STATUS
    except SystemExit as error:
        # Importing Ray replaces what SIGTERM does by an exit.
        if invocation.interruption.received:
            invocation.interruption.tell()
            return STATUS
        return error.code if isinstance(error.code, int) else 1
    except Exception as error:  # noqa: BLE001 - a person gets one line, and the whole on request
        if invocation.interruption.received and interrupted(error):
            invocation.interruption.tell()
            return STATUS
        return _failed(error, verbose=invocation.verbose)
    return status if isinstance(status, int) else 0


def _failed(error: Exception, *, verbose: bool) -> int:
    """Tell what went wrong; the exit status."""
    if isinstance(error, BrokenPipeError):
        # Nobody reads any more; the interpreter must not complain about that when it flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    if isinstance(error, FrontrowError):
        if verbose and error.__cause__ is not None:
            traceback.print_exc()
        return _fail(str(error), error.exit_status)
    if isinstance(error, click.ClickException):
        return _fail(click_line(error), error.exit_code)
    if verbose:
        traceback.print_exc()
    if isinstance(error, OSError):
        return _fail(f"{error.filename or 'output'}: {error.strerror or error}", 1)
    text = _fault_of_a_file(error)
    if text is not None:
        return _fail(text, UsageError.exit_status)
    hint = "" if verbose else " (-v shows the traceback)"
    return _fail(f"unexpected {type(error).__name__}: {error}{hint}", 1)


def _fault_of_a_file(error: BaseException) -> str | None:
    """What a person's own file did wrong outside a run, such as in a parameter's `parse`."""
    if "frontrow.search.own.files" not in sys.modules:
        return None
    from frontrow.search.own.blame import explain

    return explain(error)


def _fail(text: str, status: int) -> int:
    click.echo(f"{NAME}: {printable(' '.join(text.splitlines()))}", err=True)
    return status
