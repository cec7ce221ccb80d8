"""The ``estimate`` command: what a count will come to and take, before it is begun."""

import sys
from typing import TYPE_CHECKING

import click

from frontrow.cluster.command.options import (
    json_option,
    options,
    quiet_option,
    verbose_option,
    workers_option,
)
from frontrow.cluster.command.words import (
    Invocation,
    Question,
    complete_problem,
    complete_word,
    find_problem,
    print_json,
    prints_aside,
)
from frontrow.search.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from frontrow.cluster.estimates.forecast import Estimate
    from frontrow.search.estimates.interval import Interval

SHORTEST, LONGEST = 0.1, 86_400.0
"""Seconds that ``--time`` may ask for."""
BUSY = 1.15
"""Wall seconds a processor second from which on it is told that others compute as well."""


def _read_time(ctx: click.Context, param: click.Parameter, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = 0.0
    if not SHORTEST <= number <= LONGEST:
        raise UsageError(f"time: found {value!r}, expected {SHORTEST:g} to {LONGEST:g} seconds")
    return number


def _read_seed(ctx: click.Context, param: click.Parameter, value: str) -> int:
    from frontrow.search.parameter import Parameter

    number: int = Parameter("names the samples", low=0, high=2**63 - 1).read("seed", value)
    return number


@click.command(cls=Question, epilog="Example: frontrow estimate queens 22 --workers 64")
@click.argument("problem", shell_complete=complete_problem)
@click.argument("words", nargs=-1, metavar="[PARAMETERS]...", shell_complete=complete_word)
@options(
    json_option,
    quiet_option,
    workers_option,
    click.option(
        "--time", "seconds", metavar="S", default="10", callback=_read_time, show_default=True,
        help="Seconds to sample for.",
    ),
    click.option(
        "--seed", metavar="K", default="0", callback=_read_seed, show_default=True,
        help="Names the samples: the same number draws the same ones.",
    ),
    verbose_option,
)  # fmt: skip
@click.pass_obj
def estimate(
    invocation: Invocation,
    /,
    problem: str,
    words: tuple[str, ...],
    as_json: bool,
    quiet: bool,
    workers: int | None,
    seconds: float,
    seed: int,
    **answering: str | None,
) -> None:
    """Estimate a count: its values, its time, its memory and its ledger.

    PARAMETERS come in the problem's own order or as NAME=VALUE; "frontrow problems PROBLEM" lists them. A
    random sample of the work is done; nothing is kept. --workers says how many workers the count is to have:
    more than this machine has are taken to be as fast as those here.
    """
    from frontrow.cluster.command.progress import reporter
    from frontrow.cluster.estimates.estimate import estimate as ask

    found = find_problem(problem)
    invocation.interruption.message = lambda: "interrupted; an estimate keeps nothing"
    with prints_aside(), reporter(sys.stderr, quiet=quiet) as report:
        given = {name: value for name, value in answering.items() if value is not None}
        result = ask(
            found.from_words(words, given), workers=workers, seconds=seconds, seed=seed, progress=report
        )
    if as_json:
        print_json(result.to_json())
    else:
        click.echo(estimate_text(result, getattr(found, "labels", {}), verbose=invocation.verbose))


def estimate_text(result: "Estimate", labels: "Mapping[str, str]", *, verbose: bool = False) -> str:
    """An estimate for people: the values, then what the count takes, then where that comes from."""
    from frontrow.cluster.command.display import pairs, question

    told = [
        (labels.get(name, name.replace("_", " ")), _number(value), result.doubts.get(name, ""))
        for name, value in result.values.items()
    ]
    if "all" in result.doubts or not told:
        told = [("values", "unknown", result.doubts.get("all", ""))]
    told += [(name.replace("_", " "), f"at least {value}", "") for name, value in result.greatest.items()]
    told[0] = (f"{told[0][0]} of {question(result.problem, result.spoken, result.options)}", *told[0][1:])
    values = pairs((label, f"{text}: {doubt}" if doubt else text) for label, text, doubt in told)
    return "\n".join([*values, "", *pairs(_needs(result)), "", *pairs(_origin(result, verbose))])


def _needs(result: "Estimate") -> list[tuple[str, object]]:
    workers = f"{result.workers} {'worker' if result.workers == 1 else 'workers'}"
    doubt = result.doubts.get("seconds", "")
    told = f"unknown{': ' if doubt else ''}{doubt}"
    core = result.core_seconds
    return [
        ("time", f"{_times(result.wall_seconds)} with {workers}" if result.wall_seconds else told),
        ("core-hours", _spread(*(_short(each / 3600) for each in _ends(core))) if core else told),
        ("nodes", _number(result.nodes)),
        ("memory", f"about {result.memory_bytes / 1e6:.0f} MB a worker" if result.memory_bytes else ""),
        ("ledger", f"about {_size(result.ledger_bytes)}" if result.ledger_bytes is not None else "unknown"),
        ("units", f"{result.units:,}" if result.units is not None else "made during the count"),
    ]


def _origin(result: "Estimate", verbose: bool) -> list[tuple[str, object]]:
    from frontrow.cluster.command.progress import duration

    what = "slices of units" if result.sampled_by == "units" else "probe" if result.samples == 1 else "probes"
    share = f" ({result.share * 100:.2g} % of the work)" if result.sampled_by == "units" else ""
    sampled = f"{result.samples:,} {what}{share} in {duration(result.seconds)}; intervals of 95 %"
    if result.exact:
        sampled = f"everything in {duration(result.seconds)}: the values are exact"
    busy = f"others computed here as well: {result.slowdown:.1f} times as slow as alone"
    return [
        ("sampled", sampled),
        ("depth", f"at least {result.depth}" if result.depth is not None else ""),
        ("machine", busy if result.slowdown > BUSY else ""),
        ("method", result.method),
        ("kernel", result.kernel),
        ("setup", duration(result.setup_seconds) if verbose else ""),
        ("seed", str(result.seed) if verbose else ""),
    ]


def _ends(value: "Interval") -> tuple[float, float, float]:
    return value.expected, value.low, value.high


def _spread(expected: str, low: str, high: str) -> str:
    return expected if low == high else f"{expected}  ({low} to {high})"


def _number(value: "Interval | None") -> str:
    """A number with as many digits as the interval lets it have."""
    if value is None:
        return "unknown"
    if value.low == value.high:
        return f"{round(value.expected):,}"
    return _spread(*(f"{each:,.0f}" if each < 1e4 else _short(each) for each in _ends(value)))


def _short(number: float) -> str:
    """Three digits."""
    return f"{number:.3g}".replace("e+", "e")


def _times(value: "Interval") -> str:
    from frontrow.cluster.command.progress import duration

    return _spread(*(duration(each) for each in _ends(value)))


def _size(number: int) -> str:
    """Bytes for people."""
    return f"{number / 1e3:.0f} kB" if number < 1e6 else f"{number / 1e6:.0f} MB"
