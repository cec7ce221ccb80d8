"""How answers, jobs and problems look on paper: plain text for people."""

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import click

from frontrow.cluster.command.printable import printable
from frontrow.cluster.command.progress import duration, moment, share_text
from frontrow.cluster.job import JobRow
from frontrow.cluster.result import Count, Result, plural
from frontrow.cluster.wording import EMPTY, Wording
from frontrow.search.graph import StateGraph
from frontrow.search.own.files import origin
from frontrow.search.parameter import Parameter
from frontrow.search.problem import Problem

LONGEST = 40
"""Characters of a value of several lines that are shown."""


def value_text(value: object) -> str:
    """A parameter's value as it is typed: a sequence with commas, ``-`` for nothing.

    A text of several lines, which nobody types, is shown on one, with ``/`` between them.
    """
    return _shortened(_typed(value))


def _typed(value: object) -> str:
    """A parameter's value as it has to be typed, however long it is."""
    if isinstance(value, (list, tuple)):
        return ",".join(_typed(item) for item in value)
    return "-" if value is None else str(value)


def _shortened(text: str) -> str:
    if "\n" not in text:
        return text
    text = "/".join(text.rstrip("\n").split("\n"))
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def _quoted(word: str) -> str:
    """A word as a shell reads it back; what a terminal could take for an order is written as octal bytes."""
    if word.isprintable():
        return shlex.quote(word)
    escaped = {"\\": r"\\", "'": r"\'", "\n": r"\n"}
    return f"$'{''.join(escaped.get(each) or _octal(each) for each in word)}'"


def _octal(character: str) -> str:
    if character.isprintable():
        return character
    return "".join(f"\\{byte:03o}" for byte in character.encode("utf-8", "surrogatepass"))


def question(problem: str, params: Mapping[str, Any], options: Mapping[str, Any] | None = None) -> str:
    """A problem, its parameters and its options as they are typed."""
    return printable(shlex.join([problem, *_words(params, options or {}, value_text)]))


def worded(problem: str, wording: Wording) -> str:
    """A problem and what belongs to it as they are typed."""
    return question(problem, wording.spoken, wording.options)


def title(result: Result) -> str:
    """The question of an answer, as it is typed."""
    return question(result.file or result.problem, result.spoken, result.chosen)


def _words(params: Mapping[str, Any], options: Mapping[str, Any], text: Callable[[object], str]) -> list[str]:
    words = [f"{name}={text(value)}" for name, value in params.items()]
    for name, value in options.items():
        words += [f"--{name.replace('_', '-')}", *([] if value is True else [text(value)])]
    return words


def pairs(rows: Iterable[tuple[str, object]], indent: str = "") -> list[str]:
    """Lines of a name and what belongs to it, in two columns; pairs without a value are left out."""
    shown = [(printable(name), printable(str(value))) for name, value in rows if value not in EMPTY]
    width = max((len(name) for name, _ in shown), default=0)
    return [f"{indent}{name:<{width}}  {value}" for name, value in shown]


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table with aligned columns."""
    every = [[printable(cell) for cell in row] for row in (head, *rows)]
    widths = [max(len(row[column]) for row in every) for column in range(len(head))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in every
    ]


def answer(result: Count, labels: Mapping[str, str], *, verbose: bool = False, why: str = "") -> str:
    """What ``count`` prints: the values, the first one in full words, then how they were found.

    Args:
        result: the answer.
        labels: words for values, by name.
        verbose: whether to print method, kernel and setup as well.
        why: why this method was chosen.
    """
    lines = _values(result, labels)
    if lines:
        lines.append("")
    return "\n".join([*lines, *pairs(_circumstances(result, verbose, why))])


def _values(result: Count, labels: Mapping[str, str]) -> list[str]:
    known = [(name, str(value)) for name, value in result.values.items() if value is not None]
    width = max((len(value) for _, value in known), default=0)
    lines = []
    for index, (name, value) in enumerate(known):
        label = labels.get(name, printable(name.replace("_", " ")))
        if index == 0:
            label = f"{label} of {title(result)}"
        lines.append(f"{' ' * (width - len(value))}{click.style(value, bold=True)} {label}")
    return lines


def _circumstances(result: Count, verbose: bool, why: str) -> list[tuple[str, object]]:
    parts = f"{result.units:,} {plural('unit', result.units)}"
    resumed = (
        f"went on from {result.resumed:,} of {parts}" if result.resumed and not result.from_ledger else ""
    )
    return [
        ("nodes", f"{result.nodes:,} in {parts}"),
        ("time", time_text(result)),
        ("resumed", resumed),
        ("computed", computed_text(result)),
        ("imported", _imported(result.imported, result.job)),
        ("job", result.job),
        ("method", f"{result.method} ({why})" if verbose and why else result.method if verbose else ""),
        ("kernel", result.kernel if verbose else ""),
        ("setup", duration(result.setup_seconds) if verbose else ""),
        ("verified", _verified(result, parts)),
    ]


def time_text(result: Result) -> str:
    """What an answer took."""
    workers = f"{result.workers} {plural('worker', result.workers)} ({result.engine})"
    return f"{duration(result.seconds)} with {workers}" if result.workers else duration(result.seconds)


def computed_text(result: Result) -> str:
    """When an answer of the ledger was computed; empty for one that was computed now."""
    if not result.from_ledger or not result.complete:
        return ""
    return f"{moment(result.computed_at)} (repeat with --fresh to compute again)"


def steps_text(boards: Sequence[str], moves: Sequence[str]) -> str:
    """Every board, numbered from step 0, with the move that leads to it."""
    return "\n\n".join(f"{caption(step, moves)}\n{board}" for step, board in enumerate(boards))


def caption(step: int, moves: Sequence[str]) -> str:
    """The number of a board, and the move that leads to it, if it has a name."""
    move = moves[step - 1] if step else ""
    return f"step {step}" + (f": {move}" if move else "")


def _imported(when: str, job: str) -> str:
    """That others computed it, or a part of it, and how to check that."""
    return f'{moment(when)}, results of a file ("frontrow verify {job}" checks them)' if when else ""


def _verified(result: Count, parts: str) -> str:
    if result.confirmed:
        return f"the whole by a second method (job {result.confirmed})"
    return f"{result.verified:,} of {parts} by a second computation" if result.verified else ""


def jobs_table(rows: Sequence[JobRow]) -> str:
    """The ledger's jobs, a line each."""
    if not rows:
        return "no jobs"
    cells = [
        (
            row.id,
            f"{row.state} (imported)" if row.imported else row.state,
            share_text(row.share),
            duration(row.seconds),
            moment(row.updated),
            _asked(row),
        )
        for row in rows
    ]
    return "\n".join(table(("JOB", "STATE", "COST DONE", "TIME", "UPDATED", "QUESTION"), cells))


def job_text(row: JobRow, labels: Mapping[str, str]) -> str:
    """All that the ledger knows about one job; of an exploration or solution what stands below it."""
    asked = _command(row)
    counts = row.counts
    told: list[tuple[str, object]] = [
        ("job", row.id),
        ("question", asked),
        ("state", row.state),
        ("error", row.error),
        ("done", _done(row) if counts else ""),
        ("nodes", f"{row.nodes:,}" if counts else ""),
        ("time", duration(row.seconds)),
        ("workers", f"{row.workers} ({row.engine})" if row.engine else ""),
        ("table" if row.verb == "explore" else "method", row.method),
        ("heuristic" if row.verb == "solve" else "kernel", row.kernel),
        ("verified", f"{row.verified:,} of {row.units:,} units" if row.verified else ""),
        ("imported", _imported(row.imported, row.id)),
        ("created", moment(row.created)),
        ("updated", moment(row.updated)),
    ]
    values = _values(row.count(), labels) if counts else []
    return "\n".join([*values, *([""] if values else []), *pairs(told), *_advice(row, asked)])


def _done(row: JobRow) -> str:
    """How much is done; the live line of a run, which knows what units took, may say another share."""
    of = "" if row.share is None or row.state == "done" else " of the predicted cost"
    return f"{share_text(row.share)}{of}, {row.units_done:,} of {row.units:,} {plural('unit', row.units)}"


def _asked(row: JobRow) -> str:
    """What is typed to ask for a job, with long texts cut."""
    worded = row.wording
    asked = question(row.ref.file or row.problem, worded.spoken, {**worded.options, **row.asked_for})
    return printable(f"{row.verb} {asked}")


def _command(row: JobRow) -> str:
    """What is typed to ask for a job, whole, for a shell such as bash or zsh."""
    worded = row.wording
    words = _words(worded.spoken, {**worded.options, **row.asked_for}, _typed)
    return " ".join(_quoted(word) for word in (row.verb, row.ref.file or row.problem, *words))


def _advice(row: JobRow, asked: str) -> list[str]:
    if row.state in ("ready", "interrupted", "failed"):
        return ["", f"goes on with: frontrow {asked}"]
    return ["", f"computed again with: frontrow {asked} --fresh"] if row.state == "disputed" else []


def job_object(row: JobRow) -> dict[str, Any]:
    """What ``show --json`` prints: the answer's object and where the job stands."""
    counts = row.counts
    answer = row.count if counts else row.solution if row.verb == "solve" else row.exploration
    return {
        **answer().to_json(),
        "state": row.state,
        "share": None if row.share is None else round(row.share, 6),
        **({"units_done": str(row.units_done)} if counts else {}),
        "version": row.ref.version,
        "created": row.created,
        "updated": row.updated,
        "error": row.error,
    }


def defaults(problem: type[Problem]) -> dict[str, Any]:
    """The parameters that may be left out and what they are then."""
    return {name: getattr(problem, name) for name in problem.parameters() if hasattr(problem, name)}


def problem_object(problem: type[Problem]) -> dict[str, Any]:
    """What ``problems --json`` prints of a problem."""
    given = defaults(problem)
    return {
        "name": problem.name,
        "summary": problem.summary_line,
        "version": problem.version,
        "parameters": [
            {
                "name": name,
                "help": spec.help,
                "low": spec.low,
                "high": spec.high,
                "choices": list(spec.choices) or None,
                "required": name not in given,
                "default": given.get(name),
                "option": spec.option,
            }
            for name, spec in problem.parameters().items()
        ],
        "examples": _examples(problem),
    }


def _examples(problem: type[Problem]) -> list[str]:
    """What to try, as it is typed."""
    name = shlex.quote(origin(problem)[1] or problem.name)
    verb = "explore" if issubclass(problem, StateGraph) else "count"
    return [f"frontrow {verb} {name} {words}" for words in problem.examples]


def problem_text(problem: type[Problem]) -> str:
    """A problem with its parameters, options and examples."""
    lines = [": ".join(filter(None, (problem.name, problem.summary_line)))]
    given = defaults(problem)
    for title, option in (("parameters", False), ("options", True)):
        rows = [
            (f"--{name.replace('_', '-')}" if option else name, _described(spec, given.get(name, "required")))
            for name, spec in problem.parameters().items()
            if spec.option is option
        ]
        if rows:
            lines += ["", f"{title}:", *pairs(rows, "  ")]
    if problem.examples:
        lines += [
            "",
            "examples:",
            *(f"  {example}" for example in _examples(problem)),
        ]
    return "\n".join(lines)


def _described(spec: Parameter, default: object) -> str:
    told = list(dict.fromkeys(text for text in (spec.help, spec.expected) if text))
    if default == "required":
        suffix = " (required)"
    else:
        suffix = "" if default in EMPTY else f" (default {value_text(default)})"
    return ": ".join(told) + suffix
