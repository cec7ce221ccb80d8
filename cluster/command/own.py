"""The commands for a person's own problem: ``new`` writes a file to start from, ``check`` tries one out."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from frontrow.cluster.command.options import (
    json_option,
    options,
    verbose_option,
)
from frontrow.cluster.command.words import (
    Question,
    complete_problem,
    complete_word,
    find_problem,
    print_json,
    prints_aside,
)
from frontrow.search.errors import FrontrowError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from frontrow.search.own.checks import Outcome
    from frontrow.search.problem import Problem
    from frontrow.search.registry import ProblemRef

KINDS = ("tree", "graph")
"""Problems that there is a file to start from for."""


@click.command(epilog="Example: frontrow new tree mine.py")
@click.argument("kind", metavar="|".join(KINDS))
@click.argument("file", metavar="FILE")
@options(json_option, verbose_option)
def new(kind: str, file: str, as_json: bool) -> None:
    """Write a file to start a problem of your own from.

    A tree is for "frontrow count", a graph for "frontrow explore". The file has comments and works at once;
    one that is there already is left alone.
    """
    from frontrow.search.own import templates

    if kind not in KINDS:
        raise UsageError(f"kind: found {kind!r}, expected {' or '.join(KINDS)}")
    path = Path(file).expanduser()
    if path.suffix != ".py" or path.is_dir():
        raise UsageError(f"file: found {file!r}, expected a name that ends in .py")
    try:
        with path.open("x", encoding="utf-8") as stream:
            stream.write(templates.begun(kind, path.stem))
    except FileExistsError as error:
        raise UsageError(f"{file}: found a file already, expected a new name") from error
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}, expected a file that can be written") from error
    if as_json:
        print_json({"written": str(path)})
    else:
        from frontrow.cluster.command.display import question

        verb = "count" if kind == "tree" else "explore"
        click.echo(f"wrote {path}; try: frontrow {verb} {question(file, {'n': 8})}")


@click.command(cls=Question, epilog="Example: frontrow check ./mine.py n=6")
@click.argument("problem", shell_complete=complete_problem)
@click.argument("words", nargs=-1, metavar="[PARAMETERS]...", shell_complete=complete_word)
@options(json_option, verbose_option)
def check(problem: str, words: tuple[str, ...], as_json: bool, **answering: str | None) -> int:
    """Check that a problem keeps its word.

    Its methods are compared with each other and with the slow defaults: kernels with the plain walk, the
    whole with its parts and with budgets, the list with the count, and everything with itself a second time
    and in other orders.
    Take a small question: all of a tree is walked several times, and of a graph the first 5,000 states.
    """
    from frontrow.cluster.question import ask_about
    from frontrow.search.own import checks
    from frontrow.search.problem import Problem

    found = find_problem(problem)
    given = {name: value for name, value in answering.items() if value is not None}
    outcomes: list[checks.Outcome] = []
    with prints_aside() as stdout:
        asked, ref = ask_about(Problem, "check", found.from_words(words, given), {})  # type: ignore[type-abstract]
        for outcome in checks.run(asked):
            outcomes.append(outcome)
            if not as_json and stdout is not None:
                click.echo(_line(asked, outcome), file=stdout)
        told = json.dumps(_object(asked, ref, outcomes)) if as_json else f"\n{_verdict(ref, outcomes)}"
    failed = sum(outcome.holds is False for outcome in outcomes)
    click.echo(told)
    return 1 if failed else 0


_WORDS = {True: "ok", None: "-", False: "FAILED"}


def _line(problem: "Problem", outcome: "Outcome") -> str:
    """One line for a check, and below it the row at which it fails."""
    word = click.style(f"{_WORDS[outcome.holds]:<6}", fg="red" if outcome.holds is False else None)
    lines = [f"{word}  {outcome.name:<10}  {outcome.note}"]
    if outcome.row is not None:
        lines += [f"        {line}" for line in _drawn(problem, outcome).splitlines()]
    return "\n".join(lines)


def _drawn(problem: "Problem", outcome: "Outcome") -> str:
    """The row at which a check fails, drawn by the problem; as words where it cannot."""
    from frontrow.search.own.blame import explained

    row = outcome.row
    assert row is not None
    try:
        with explained(problem):
            return str(problem.render(row))
    except FrontrowError:
        return ",".join(map(str, row.tolist()))


def _verdict(ref: "ProblemRef", outcomes: "Sequence[Outcome]") -> str:
    from frontrow.cluster.command.display import worded
    from frontrow.cluster.wording import wording

    asked = worded(ref.file or ref.name, wording(ref))
    failed = [outcome.name for outcome in outcomes if outcome.holds is False]
    apply = sum(outcome.holds is not None for outcome in outcomes)
    if failed:
        return f"{asked}: {len(failed)} of {apply} checks failed: {', '.join(failed)}"
    return f"{asked}: all {apply} checks hold"


def _object(problem: "Problem", ref: "ProblemRef", outcomes: "Sequence[Outcome]") -> dict[str, Any]:
    return {
        "verb": "check",
        "problem": ref.name,
        "file": ref.file or None,
        "params": dict(ref.params()),
        "holds": all(outcome.holds is not False for outcome in outcomes),
        "checks": [
            {
                "name": outcome.name,
                "holds": outcome.holds,
                "note": outcome.note,
                "row": None if outcome.row is None else _drawn(problem, outcome),
            }
            for outcome in outcomes
        ],
    }
