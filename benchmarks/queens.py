"""One table about counting n-queens.

    python -m benchmarks.queens [N ...] [--runs quadrant,lanes,scalar,c,workers] [--repeat K] [--workers K]
                                [--patience S] [--method M] [--ray] [--against 'CMD'] [--json]

For each N every contestant runs once a round, in turns, and a table says what each took:

quadrant, lanes, scalar   the method alone, one thread: no start-up, no splitting, no ledger
C                         benchmarks/queens.c compiled on the spot, as a whole process; left out without a
                          compiler
1 worker                  `frontrow.count` through coordinator and ledger, from the first unit to the last
                          commit; its ratio to the method alone is what coordinator and ledger cost
K workers                 the same with more workers; the ratio is the speed-up
ray K                     the same on a Ray that is started before (start-up apart); its workers keep
                          the tables of one round for the next
frontrow, CMD             with --against: whole processes, one thread, the user seconds of n = 8 taken off
                          both; ``{n}`` in CMD is replaced by N, else N is put at its end

All but Ray have a process of their own for every run, so that nothing is left from the one before.
--method is that of the lines that are not about one method: auto by default, as for ``frontrow count``.

Ratios are medians over the rounds of the ratio within a round, with the smallest and the largest.
Every answer is compared with the others; a difference ends the run with status 1.
"""

import argparse
import dataclasses
import json
import multiprocessing
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import frontrow
from benchmarks.pairs import (
    Run,
    Sample,
    Spread,
    in_rounds,
    ratios,
    run_command,
    spend,
    with_number,
    without_start,
)
from frontrow.search.count import cut
from frontrow.search.problem import Totals
from frontrow.search.problems.queens import Queens
from frontrow.search.queens import limits
from frontrow.search.rows import new_stop
from frontrow.workers.engine import Engine
from frontrow.workers.local import LocalEngine
from frontrow.workers.unit import available_workers

START = 8
"""The board whose time counts as start-up."""
METHODS = ("quadrant", "lanes", "scalar")
CONTESTANTS = (*METHODS, "c", "workers")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the table.

    Attributes:
        user: median user seconds, None where other processes do the work.
        wall: median seconds that passed.
        compared: what the ratio says, in words, or empty.
    """

    n: int
    run: str
    user: float | None
    wall: float
    compared: str = ""
    ratio: Spread | None = None


def apart(function: Callable[..., Sample], *words: object) -> Sample:
    """Run a function in a process of its own."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(function, *words).result()


def tally_alone(n: int, method: str) -> Sample:
    """Tally all units of a board in this thread."""
    problem = Queens(n=n, method=method)
    problem.warm()
    units = [rows for rows, _ in cut(problem, problem.split())]

    def total() -> int | None:
        stop, totals = new_stop(), Totals(problem)
        for rows in units:
            totals.add(problem.tally(rows, None, stop).counts)
        named = dict(zip(problem.tallies, totals.counts, strict=True))
        return problem.summary(named)["solutions"]

    return spend(total)


def count(n: int, method: str, engine: Engine | int, folder: Path) -> Sample:
    """Count through coordinator and ledger; `wall` is from the first unit to the last commit.

    Args:
        n: size of the board.
        method: the counting method.
        engine: the engine, or how many workers a local one is to have.
        folder: folder of the ledger.
    """
    results: list[frontrow.Count] = []
    used = LocalEngine(engine) if isinstance(engine, int) else engine
    question = Queens(n=n, method=method)
    question.warm()
    frontrow.count("queens", n=START, engine=used, store=folder)  # everything is imported now
    sample = spend(lambda: results.append(frontrow.count(question, engine=used, store=folder, fresh=True)))
    return dataclasses.replace(sample, wall=results[0].seconds, answer=str(results[0].values["solutions"]))


class Contest:
    """The contestants and what they share: a temporary store, the engines, the compiled C program."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.options = options
        self.folder = folder
        self.c_program = compile_c(folder) if "c" in options.runs else None
        self.ray: Engine | None = None
        self.ray_seconds = 0.0
        self.dropped: set[str] = set()

    def start_ray(self, stack: ExitStack) -> None:
        """Start Ray and count a small board on it, so that nothing of its start is measured later."""
        from frontrow.cluster.ray_engine import RayEngine

        self.ray = engine = RayEngine(None, self.options.workers)
        stack.callback(engine.close)
        self.ray_seconds = spend(lambda: count(START, "auto", engine, self.folder)).wall

    def runs(self, n: int) -> dict[str, Run]:
        """The contestants for one board, by the name that the table gives them."""
        wanted, workers = self.options.runs, self.options.workers
        runs: dict[str, Run] = {}
        for method in METHODS:
            if method in wanted and (method != "quadrant" or limits.LEAST <= n <= limits.MOST):
                runs[method] = partial(apart, tally_alone, n, method)
        if self.c_program is not None:
            runs["C"] = partial(run_command, [str(self.c_program), str(n)])
        if "workers" in wanted:
            for k in sorted({1, workers}):
                runs[worker_name(k)] = partial(apart, count, n, self.options.method, k, self.folder)
        if self.ray is not None:
            runs[f"ray {workers}"] = partial(count, n, self.options.method, self.ray, self.folder)
        if self.options.against:
            runs |= self.processes(n)
        return {name: run for name, run in runs.items() if name not in self.dropped}

    def processes(self, n: int) -> dict[str, Run]:
        """Frontrow and the command to compare with, as whole processes: for n and for start-up."""
        program = str(Path(sys.executable).with_name("frontrow"))
        ours = (
            f"{program} count queens {{n}} --method {self.options.method} --workers 1 --fresh --quiet --json"
        )
        ours += f" --store {self.folder}"
        commands = {"frontrow": ours, "CMD": self.options.against}
        return {
            name if board == n else f"{name} start": partial(run_command, with_number(command, board))
            for board in (n, START)
            for name, command in commands.items()
        }

    def lines(self, n: int) -> list[Line]:
        """Run all rounds for one board and compare."""
        samples = in_rounds(self.runs(n), self.options.repeat)
        compare_answers(n, samples)
        self.dropped |= {name for name, taken in samples.items() if taken[0].wall > self.options.patience}
        base = Queens(n=n, method=self.options.method).settle().method
        many = worker_name(self.options.workers)
        lines = []
        for name, taken in samples.items():
            if name.endswith("start") or name in ("frontrow", "CMD"):
                continue
            line = Line(
                n, name, Spread.of([s.user for s in taken]).median, Spread.of([s.wall for s in taken]).median
            )
            if name in ("quadrant", "scalar", "C"):
                line = against(line, "user, of lanes", samples, name, "lanes", "user")
            elif name == "1 worker":
                line = against(line, f"seconds, of {base} alone", samples, name, base, "wall")
            elif name == many:
                line = against(line, "speed-up on 1 worker", samples, "1 worker", name, "wall")
            elif name.startswith("ray"):
                line = against(line, f"seconds, of {many}", samples, name, many, "wall")
                line = dataclasses.replace(line, user=None)
            lines.append(line)
        return lines + process_lines(n, samples)


def against(
    line: Line, words: str, samples: dict[str, list[Sample]], above: str, below: str, measure: str
) -> Line:
    """Add the ratio of two contestants to a line, if both ran."""
    if above not in samples or below not in samples or above == below:
        return line
    over, under = ([getattr(s, measure) for s in samples[name]] for name in (above, below))
    return dataclasses.replace(line, compared=words, ratio=ratios(over, under))


def process_lines(n: int, samples: dict[str, list[Sample]]) -> list[Line]:
    """The lines about whole processes, start-up taken off."""
    if "CMD" not in samples:
        return []
    net = {name: without_start(samples[name], samples[f"{name} start"]) for name in ("frontrow", "CMD")}
    wall = {name: Spread.of([s.wall for s in samples[name]]).median for name in net}
    ours, theirs = (Line(n, name, Spread.of(net[name]).median, wall[name]) for name in ("frontrow", "CMD"))
    compared = "user less start-up, of frontrow"
    return [ours, dataclasses.replace(theirs, compared=compared, ratio=ratios(net["CMD"], net["frontrow"]))]


def compare_answers(n: int, samples: dict[str, list[Sample]]) -> None:
    """Check that everybody counted the same.

    Raises:
        SystemExit: naming the contestants that differ.
    """
    kept = {name: taken for name, taken in samples.items() if not name.endswith("start")}
    ours = {
        s.answer.strip() for name, taken in kept.items() if name not in ("frontrow", "CMD") for s in taken
    }
    if "frontrow" in kept:
        ours |= {json.loads(s.answer)["values"]["solutions"] for s in kept["frontrow"]}
    if len(ours) > 1:
        raise SystemExit(f"queens {n}: found totals {', '.join(sorted(ours))}, expected one")
    total = next(iter(ours))
    for sample in kept.get("CMD", []):
        if total not in sample.answer.replace(",", "").replace("_", ""):
            print(f"note: {total} is not in what CMD printed for n = {n}", file=sys.stderr)
            return


def compile_c(folder: Path) -> Path | None:
    """Compile the C program; None, with a note, where there is no compiler."""
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        print("note: no C compiler found, the C line is left out", file=sys.stderr)
        return None
    program = folder / "queens"
    source = Path(__file__).with_name("queens.c")
    for tuning in (["-march=native"], []):  # some compilers do not know their own machine
        words = [compiler, "-O3", *tuning, "-o", str(program), str(source)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return program
    raise SystemExit(f"{compiler}: {done.stderr.strip()[-400:]}")


def worker_name(k: int) -> str:
    """How the table names a run with `k` local workers."""
    return f"{k} worker{'s' * (k > 1)}"


def heading(contest: Contest) -> Iterator[str]:
    """What was measured where."""
    options = contest.options
    machine = f"{platform.system()} {platform.machine()}, {available_workers()} cores"
    versions = f"Python {platform.python_version()}, Frontrow {frontrow.__version__}"
    yield f"n-queens: medians of {options.repeat} interleaved rounds; {machine}, {versions}"
    methods = [method for method in METHODS if method in options.runs]
    yield "kernels: " + "; ".join(Queens(n=16, method=method).kernel for method in methods)
    if contest.ray is not None:
        yield f"Ray started and warm after {contest.ray_seconds:.1f} s"
    if options.against:
        yield f"CMD = {options.against}"
    yield f"\n{'n':>3}  {'run':<10} {'user s':>9} {'wall s':>9}  {'ratio':>7}  {'min to max':^15}  of what"


def text(line: Line) -> str:
    """One line of the table."""
    user = f"{line.user:9.3f}" if line.user is not None else f"{'':9}"
    start = f"{line.n:>3}  {line.run:<10} {user} {line.wall:9.3f}"
    if not line.compared:
        return start
    if line.ratio is None:
        return f"{start}  {'':>7}  {'too short':^15}  {line.compared}"
    ratio = f"{line.ratio.median:7.2f}  {line.ratio.low:6.2f} - {line.ratio.high:<6.2f}"
    return f"{start}  {ratio}  {line.compared}"


def read_options(words: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.queens",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("boards", metavar="N", type=int, nargs="*", default=[14, 15, 16, 17, 18])
    parser.add_argument("--runs", default=",".join(CONTESTANTS), help="contestants, separated by commas")
    parser.add_argument(
        "--method",
        choices=("auto", *METHODS),
        default="auto",
        help="method of all but the lines of one method",
    )
    parser.add_argument("--repeat", type=int, default=3, metavar="K", help="rounds (default 3)")
    parser.add_argument(
        "--patience", type=float, default=5, metavar="S",
        help="leave out of bigger boards whoever took longer than this (seconds, default 5)",
    )  # fmt: skip
    parser.add_argument(
        "--workers", type=int, default=available_workers(), metavar="K", help="default all cores"
    )
    parser.add_argument("--ray", action="store_true", help="also count on a Ray that is started for it")
    parser.add_argument("--against", metavar="CMD", help="another program to pair with")
    parser.add_argument("--json", action="store_true", help="print a list of objects instead of the table")
    options = parser.parse_args(words)
    options.runs = set(filter(None, options.runs.split(",")))
    unknown = options.runs - set(CONTESTANTS)
    if unknown:
        expected = f"{', '.join(CONTESTANTS[:-1])} or {CONTESTANTS[-1]}"
        parser.error(f"--runs: found {', '.join(sorted(unknown))}, expected {expected}")
    return options


def main(words: list[str] | None = None) -> None:
    """Print the table line by line."""
    options = read_options(words)
    with ExitStack() as stack:
        contest = Contest(options, Path(stack.enter_context(tempfile.TemporaryDirectory())))
        for method in METHODS:
            Queens(n=START, method=method).warm()
        if options.ray:
            contest.start_ray(stack)
        lines: list[Line] = []
        if not options.json:
            print("\n".join(heading(contest)), flush=True)
        for n in options.boards:
            for line in contest.lines(n):
                lines.append(line)
                if not options.json:
                    print(text(line), flush=True)
        if options.json:
            print(json.dumps([dataclasses.asdict(line) for line in lines], indent=1))


if __name__ == "__main__":
    main()
