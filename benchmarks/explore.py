"""One table about explorations: how fast layers grow in every kind of table, and what a state takes.

    python -m benchmarks.explore ['QUESTION' ...] [--tables rank,layers,hash] [--workers 1,2] [--repeat K]
                                 [--no-floors] [--against 'CMD' [--start 'CMD']] [--json]

A QUESTION is what stands behind ``frontrow explore``, such as 'sliding 2x5' or 'cube 2x2x2 qtm'. For each of
them every contestant runs once a round, in turns, and a table says what each took:

TABLE xK      `frontrow.explore` with that table and K workers, from the first layer to the last: no start-up
set           a plain Python set of all states, children made by the problem's kernel
numpy         layers that are sorted by `numpy.unique` and compared with the two before, or with all
frontrow, CMD with --against: whole processes with one worker and the first table; the user seconds of a run
              to depth 1, or of the command of --start, are taken off

Each has a process of its own. Ratios are those of states a second to the first line of the question, medians
over the rounds of the ratio within a round, with the smallest and the largest. Bytes a state are the most
that the tables held, by all states. Layers are compared; a difference ends the run with status 1.
"""

import argparse
import dataclasses
import json
import shlex
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import frontrow
from benchmarks.pairs import Run, Sample, Spread, in_rounds, ratios, run_command, spend, without_start
from benchmarks.queens import apart
from frontrow.search.errors import UsageError
from frontrow.search.graph import StateGraph
from frontrow.search.registry import find
from frontrow.search.rows import Rows
from frontrow.search.tables.choice import KINDS, choose

QUESTIONS = ("sliding 3x3", "sliding 2x5", "blocks klotski")
PLENTY = 1 << 40


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the table.

    Attributes:
        seconds: median seconds that passed; user seconds of whole processes.
        rate: states a second.
        nbytes: bytes a state; None where it is not known.
        ratio: of the rate to that of the first line.
    """

    question: str
    run: str
    seconds: float
    rate: float
    nbytes: float | None
    ratio: Spread | None


def graph_of(question: str) -> StateGraph:
    """The problem of a question.

    Raises:
        UsageError: if it is none, or no graph.
    """
    name, *words = shlex.split(question)
    problem = find(name).from_words(words, {}).settle()
    if not isinstance(problem, StateGraph):
        raise UsageError(f"problem: found {name}, expected a StateGraph")
    return problem


def explore(question: str, table: str, workers: int) -> Sample:
    """Explore with the kernels loaded; the answer has the bytes a state, then the layers."""
    graph = graph_of(question)
    with tempfile.TemporaryDirectory() as folder:
        frontrow.explore(graph, depth=1, table=table, workers=workers, store=folder)
        results: list[frontrow.Exploration] = []
        sample = spend(
            lambda: results.append(frontrow.explore(graph, table=table, workers=workers, store=folder))
        )
    [result] = results
    most = max(layer.nbytes for layer in result.layers)
    layers = " ".join(str(layer.states) for layer in result.layers)
    return dataclasses.replace(sample, wall=result.seconds, answer=f"{most / result.states} {layers}")


def by_set(question: str) -> Sample:
    """The layers by a Python set."""
    graph = graph_of(question)
    graph.warm()

    def layers() -> str:
        rows, sizes = graph.initial(), []
        seen = _set(rows)
        while rows.shape[0]:
            sizes.append(rows.shape[0])
            new = _set(graph.expand(rows)[0]) - seen
            seen |= new
            rows = np.array(list(new), np.uint64).reshape(-1, graph.words)
        return " ".join(map(str, ["nan", *sizes]))

    return spend(layers)


def _set(rows: Rows) -> set[Any]:
    """Rows as integers, or as tuples of several."""
    return set(rows[:, 0].tolist()) if rows.shape[1] == 1 else set(map(tuple, rows.tolist()))


def by_numpy(question: str) -> Sample:
    """The layers by sorting."""
    graph = graph_of(question)
    graph.warm()

    def layers() -> str:
        rows, sizes = _words(graph.initial()), []
        old = [rows]
        while rows.shape[0]:
            sizes.append(rows.shape[0])
            found = np.unique(_words(graph.expand(rows.view(np.uint64).reshape(-1, graph.words))[0]))
            for known in old:
                found = np.setdiff1d(found, known, assume_unique=True)
            old = [rows, found] if graph.lookback == 2 else [*old, found]
            rows = found
        return " ".join(map(str, ["nan", *sizes]))

    return spend(layers)


def _words(rows: Rows) -> np.ndarray[tuple[int], np.dtype[np.void | np.uint64]]:
    """Rows as single items that can be sorted."""
    rows = np.ascontiguousarray(rows)
    return rows[:, 0] if rows.shape[1] == 1 else rows.view([("", np.uint64)] * rows.shape[1])[:, 0]


def can_keep(graph: StateGraph, table: str) -> bool:
    """Whether a kind of table can keep the states of a graph."""
    try:
        choose(graph, table, PLENTY, symmetry=False, paths=False)
    except UsageError:
        return False
    return True


def contestants(question: str, options: argparse.Namespace) -> dict[str, Run]:
    """Those for one question, by the name that the table gives them."""
    graph = graph_of(question)
    runs: dict[str, Run] = {}
    for table in filter(lambda kind: can_keep(graph, kind), options.tables):
        for workers in options.workers:
            runs[f"{table} x{workers}"] = lambda t=table, w=workers: apart(explore, question, t, w)  # type: ignore[misc]
    if not options.no_floors:
        runs["set"] = lambda: apart(by_set, question)
        runs["numpy"] = lambda: apart(by_numpy, question)
    return runs


def lines(question: str, options: argparse.Namespace) -> list[Line]:
    """All lines of a question.

    Raises:
        SystemExit: if two contestants come to different layers.
    """
    samples = in_rounds(contestants(question, options), options.repeat)
    answers = {name: taken[0].answer.split() for name, taken in samples.items()}
    first, *_ = samples
    for name, taken in samples.items():
        if any(sample.answer.split()[1:] != answers[first][1:] for sample in taken):
            raise SystemExit(f"{question}: found other layers by {name} than by {first}, expected the same")
    states = sum(map(int, answers[first][1:]))
    found = []
    for name, taken in samples.items():
        walls = [sample.wall for sample in taken]
        ratio = ratios([sample.wall for sample in samples[first]], walls)
        seconds, nbytes = statistics.median(walls), float(answers[name][0])
        known = None if np.isnan(nbytes) else nbytes
        found.append(Line(question, name, seconds, states / seconds, known, None if name == first else ratio))
    return found + (against(question, states, options) if options.against else [])


def against(question: str, states: int, options: argparse.Namespace) -> list[Line]:
    """Two lines about whole processes."""
    table = next(kind for kind in options.tables if can_keep(graph_of(question), kind))
    ours = [sys.executable, "-m", "frontrow", "explore", *shlex.split(question), "--table", table]
    with tempfile.TemporaryDirectory() as folder:
        ours += ["--workers", "1", "--fresh", "--quiet", "--json", "--store", folder]
        commands = {"frontrow": ours, "start": [*ours, "--depth", "1"], "CMD": shlex.split(options.against)}
        if options.start:
            commands["CMD start"] = shlex.split(options.start)
        runs = {name: (lambda c=command: run_command(c)) for name, command in commands.items()}
        samples = in_rounds(runs, options.repeat)
    mine = without_start(samples["frontrow"], samples["start"])
    theirs = without_start(samples["CMD"], samples.get("CMD start", [Sample(0.0, 0.0)]))
    found = []
    for name, seconds in (("frontrow", mine), ("CMD", theirs)):
        median = max(statistics.median(seconds), 1e-9)
        ratio = ratios(theirs, mine) if name == "frontrow" else None
        found.append(Line(question, name, median, states / median, None, ratio))
    return found


def text(line: Line) -> str:
    """One line of the table."""
    nbytes = "" if line.nbytes is None else f"{line.nbytes:.2f}"
    start = f"{line.question:<16} {line.run:<10} {line.seconds:9.4f} {line.rate / 1e6:9.3f} {nbytes:>9}"
    if line.ratio is None:
        return start
    return f"{start}  {line.ratio.median:7.2f}  {line.ratio.low:6.2f} - {line.ratio.high:<6.2f}"


def read_options(words: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.explore",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("questions", metavar="QUESTION", nargs="*", default=list(QUESTIONS))
    parser.add_argument("--tables", default=",".join(KINDS), help="kinds of tables, separated by commas")
    parser.add_argument("--workers", default="1,2", help="numbers of workers, separated by commas")
    parser.add_argument("--repeat", type=int, default=3, metavar="K", help="rounds (default 3)")
    parser.add_argument("--no-floors", action="store_true", help="leave out the set and numpy")
    parser.add_argument("--against", metavar="CMD", help="another program to pair with")
    parser.add_argument("--start", metavar="CMD", help="what that program takes to start up")
    parser.add_argument("--json", action="store_true", help="print a list of objects instead of the table")
    options = parser.parse_args(words)
    options.tables = options.tables.split(",")
    options.workers = [int(word) for word in options.workers.split(",")]
    unknown = set(options.tables) - set(KINDS)
    if unknown:
        parser.error(f"--tables: found {', '.join(sorted(unknown))}, expected {', '.join(KINDS)}")
    return options


def main(words: Sequence[str] | None = None) -> None:
    """Print the table question by question."""
    options = read_options(words)
    found: list[Line] = []
    if not options.json:
        print(f"{'question':<16} {'run':<10} {'seconds':>9} {'M/s':>9} {'B/state':>9}  {'ratio':>7}  range")
    for question in options.questions:
        for line in lines(question, options):
            found.append(line)
            if not options.json:
                print(text(line), flush=True)
    if options.json:
        print(json.dumps([dataclasses.asdict(line) for line in found], indent=1))


if __name__ == "__main__":
    main()
