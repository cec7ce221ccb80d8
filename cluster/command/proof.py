"""The commands that let others check a count: ``export``, ``import`` and ``verify``."""

import contextlib
import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from frontrow.cluster.command.options import (
    WHERE,
    json_option,
    options,
    quiet_option,
    read_natural,
    store_option,
    verbose_option,
    workers_option,
)
from frontrow.cluster.command.words import (
    Invocation,
    complete_job,
    completing,
    print_json,
    prints_aside,
)
from frontrow.search.errors import UsageError

if TYPE_CHECKING:
    from frontrow.cluster.proofs.proof import Heading, Source
    from frontrow.cluster.proofs.verify import Verdict

HOW = ("sample", "full")
"""As `frontrow.cluster.proofs.second` knows them."""


def _read_how(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is not None and value not in HOW:
        raise UsageError(f"verify: found {value!r}, expected {' or '.join(HOW)}")
    return value


verify_option = click.option(
    "--verify",
    metavar="|".join(HOW),
    callback=_read_how,
    shell_complete=completing(HOW),
    help="Compute some units, or the whole, a second time: by another computation if there is one.",
)
_trust_option = click.option(
    "--trust",
    is_flag=True,
    help="Run the Python source that the file may carry: a problem of somebody's own.",
)


@click.command(name="export", epilog="Example: frontrow export 43e0 queens16.frow")
@click.argument("job", metavar="ID", shell_complete=complete_job)
@click.argument("file", metavar="FILE", type=click.Path())
@options(
    click.option("--partial", is_flag=True, help="Also a job that is not done; it is marked as incomplete."),
    json_option,
    quiet_option,
    store_option,
    verbose_option,
)
def export_(job: str, file: str, partial: bool, store: str | None, as_json: bool, quiet: bool) -> None:
    """Write a job with all its units to a file that others can check and take over."""
    from frontrow.cluster.proofs.export import export
    from frontrow.cluster.store import Store

    path = _file(file, "output")
    with Store.open(store) as ledger, prints_aside():
        heading = export(ledger, ledger.find(job).id, path, partial=partial)
    if as_json:
        print_json({"verb": "export", **_object(heading), "file": file})
        return
    what = "" if heading.answer is not None else ", which is not done"
    click.echo(f"wrote {heading.units:,} units of job {heading.id}{what} to {file}")
    if not quiet:
        click.echo(f"check them with: frontrow verify {file}")


@click.command(name="import", epilog="Example: frontrow import queens16.frow")
@click.argument("file", metavar="FILE", type=click.Path())
@options(_trust_option, json_option, quiet_option, store_option, verbose_option)
def import_(file: str, trust: bool, store: str | None, as_json: bool, quiet: bool) -> None:
    """Enter a job from a file into the ledger, unless it is there.

    What can be checked without counting again is checked before; "frontrow verify FILE" checks more.
    """
    from frontrow.cluster.proofs.export import FileSource, take_in
    from frontrow.cluster.store import Store

    with FileSource(_file(file, "input"), trust=trust) as source:
        with Store.open(store) as ledger, prints_aside():
            entered = take_in(ledger, source)
        heading = source.heading
    if as_json:
        print_json({"verb": "import", **_object(heading), "entered": entered})
    elif entered:
        click.echo(f"entered job {heading.id} with {heading.units:,} units")
        if not quiet:
            click.echo(f"count some of them here with: frontrow verify {heading.id}")
    else:
        click.echo(f"job {heading.id} is in the ledger already, with the same values")


@click.command(epilog="Example: frontrow verify queens16.frow --sample 100")
@click.argument("target", metavar="ID|FILE", shell_complete=complete_job)
@options(
    click.option(
        "--sample", metavar="K", callback=read_natural(0),
        help="Compute K units again, drawn at random (default: for about 10 s, at least one).",
    ),
    click.option("--all", "everything", is_flag=True, help="Compute all units again."),
    click.option(
        "--seed", metavar="S", callback=read_natural(0), help="Draw the units that another run drew."
    ),
    _trust_option,
    json_option,
    quiet_option,
    workers_option,
    *WHERE,
)  # fmt: skip
@click.pass_obj
def verify(
    invocation: Invocation,
    /,
    target: str,
    sample: int | None,
    everything: bool,
    seed: int | None,
    trust: bool,
    as_json: bool,
    quiet: bool,
    workers: int | None,
    ray: bool,
    ray_address: str | None,
    store: str | None,
) -> int:
    """Check that a job of the ledger, or a file from "frontrow export", proves its answer.

    Checksums; the units, which have to be exactly those that the problem is split into here; their sum; the
    total, if it is a published one; and units computed again, by another computation where the problem has
    one. It is verified if all of them were (--all); else nothing wrong was found.
    """
    from frontrow.cluster.command.progress import reporter
    from frontrow.cluster.proofs.export import LedgerSource
    from frontrow.cluster.proofs.verify import Sample, dispute, settle, verify
    from frontrow.cluster.question import engine_for

    if everything and sample is not None:
        raise UsageError(f"sample: found {sample} and --all, expected one of them")
    engine = invocation.engine(ray, ray_address)
    invocation.interruption.message = lambda: "interrupted before everything was checked"
    drawn = Sample(sample, everything, secrets.randbelow(1 << 32) if seed is None else seed)
    with contextlib.ExitStack() as opened:
        source = _source(target, store, trust, opened)
        with prints_aside(), reporter(sys.stderr, quiet=quiet) as report:
            verdict = verify(
                source,
                lambda problem: engine_for(problem, engine, ray_address, workers),
                drawn,
                report,
            )
            before, disputed = "", False
            if isinstance(source, LedgerSource):
                before = source.dispute
                verdict = settle(source, verdict, report)
                disputed = dispute(source, verdict, report)
    settled = bool(before) and verdict.complete
    if as_json:
        stays = disputed or (bool(before) and not settled)
        print_json({**_verdict_object(verdict, drawn.seed), "disputed": stays})
    else:
        click.echo(_verdict_text(verdict, before))
        if disputed:
            click.echo("the job is disputed now: its answer is not given any more")
        if settled:
            click.echo("the job is not disputed any more: its answer is given again")
    return 0 if verdict.holds else 1


def _file(name: str, stream: str) -> Path:
    """The file that a name means.

    Raises:
        UsageError: if it means standard input or output: exports are read and written back and forth.
    """
    if name == "-":
        raise UsageError(f"-: found standard {stream}, expected a regular file (./- is one with this name)")
    return Path(name).expanduser()


def _source(target: str, store: str | None, trust: bool, opened: contextlib.ExitStack) -> "Source":
    """The file or the job that is meant.

    Raises:
        UsageError: if there is neither.
    """
    from frontrow.cluster.proofs.export import FileSource, LedgerSource
    from frontrow.cluster.store import Store

    path = _file(target, "input")
    is_id = bool(target) and set(target.lower()) <= set("0123456789abcdef")
    if path.is_file() or path.suffix or len(path.parts) > 1 or (path.exists() and not is_id):
        return opened.enter_context(FileSource(path, trust=trust))
    ledger = opened.enter_context(Store.open(store))
    with prints_aside():
        return LedgerSource(ledger, ledger.find(target))


def _object(heading: "Heading") -> dict[str, Any]:
    """What all three commands print of a job with ``--json``."""
    answer = heading.answer
    return {
        "job": heading.id,
        "problem": heading.job.ref.name,
        "params": dict(heading.job.ref.params()),
        "complete": answer is not None,
        "values": {name: None if value is None else str(value) for name, value in (answer or {}).items()},
        "units": str(heading.units),
        "digest": heading.digest.hex() if any(heading.digest) else None,
    }


def _verdict_object(verdict: "Verdict", seed: int) -> dict[str, Any]:
    return {
        "verb": "verify",
        **_object(verdict.heading),
        "holds": verdict.holds,
        "verified": verdict.verified,
        "recounted": str(verdict.recounted),
        "seed": seed,
        "checks": [
            {"name": check.name, "holds": check.passed, "note": check.text} for check in verdict.checks
        ],
    }


def _verdict_text(verdict: "Verdict", dispute: str) -> str:
    """One line a check, and what follows from them; `dispute` is why the job was disputed before."""
    from frontrow.cluster.command.printable import printable

    lines = []
    for check in verdict.checks:
        word = click.style(f"{'ok' if check.passed else 'FAILED':<6}", fg=None if check.passed else "red")
        lines.append(f"{word}  {check.name:<8}  {printable(check.text)}")
    failed = [check.name for check in verdict.checks if not check.passed]
    if failed:
        last = f"not verified: {', '.join(failed)}"
    elif not verdict.complete and dispute:
        last = (
            f"not verified: the job is disputed ({printable(dispute)}); what there is holds "
            "(--all recounts every unit, which gives the answer back if all come out the same)"
        )
    elif not verdict.complete:
        last = "not verified: the job is not done, so there is no answer; what there is holds"
    elif verdict.verified:
        last = f"verified: {_values(verdict.heading)}"
    else:
        last = f"nothing wrong found: {_values(verdict.heading)}, {_recounted(verdict)}"
    return "\n".join([*lines, "", last])


def _recounted(verdict: "Verdict") -> str:
    """How much of a count was recounted, and how much that says."""
    if not verdict.recounted:
        return f"none of {verdict.heading.units:,} units recounted"
    return (
        f"{verdict.recounted:,} of {verdict.heading.units:,} units recounted "
        f"(a single altered unit would be seen with {verdict.share * 100:.2g} %)"
    )


def _values(heading: "Heading") -> str:
    from frontrow.cluster.command.display import worded
    from frontrow.cluster.command.printable import printable
    from frontrow.cluster.wording import wording

    ref = heading.job.ref
    name, value = next(iter((heading.answer or {}).items()))
    return f"{value} {printable(name.replace('_', ' '))} of {worded(ref.file or ref.name, wording(ref))}"
