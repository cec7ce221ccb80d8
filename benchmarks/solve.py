"""One table about solving sliding puzzles: seconds, boards expanded a second, and the worst instance.

    python -m benchmarks.solve [15-puzzle] [few] [workers] [24-puzzle] [--instances 12,17] [--workers 1,2]
                               [--heuristics pdb:6-6-3,walking] [--repeat K] [--against 'CMD'] [--json]

The instances are those of tests/counts/korf.txt, whose lengths are known:

15-puzzle     all of that size, by pattern databases and one worker
few           the shortest of these, also by heuristics without pattern databases
workers       one that takes some seconds without pattern databases, by one worker and by two
24-puzzle     two of that size, by one worker and by two; not by default, since their tables take half a
              gigabyte. Others, as --instances 36,29, take minutes each

For each of them every contestant runs once a round, in turns, in a process of its own: `frontrow.solve` with
that heuristic and K workers (xK) on all boards, with IDA*. Seconds are those of the search. What comes
before is apart: the tables of a pattern database are built once, by all cores and with the kernels loaded,
into a folder that is removed at the end, and the column says what that took, the file included.

With --against two whole processes are paired as well, frontrow with one worker and the first heuristic, and
CMD: it gets the name of a file of boards (where {file} stands, or last), one a line, tiles row by row with
commas between, for the goal with the blank first, and prints a length a line; of a line the last whole number
counts. The user seconds of a run on a board that is one move from the goal are taken off both.

Ratios are those of the time of the first line of the set to this one's, medians over the rounds of the ratio
within a round, with the smallest and the largest; that of frontrow is to CMD. Every length is compared with
the known one; a difference ends the run with status 1.
"""

import argparse
import dataclasses
import json
import os
import re
import shlex
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import frontrow
from benchmarks.pairs import Run, Sample, Spread, in_rounds, ratios, run_command, spend, without_start
from benchmarks.queens import apart
from frontrow.search.patterns.partition import Partition
from frontrow.search.problems.sliding import Sliding
from frontrow.search.rows import new_stop
from frontrow.search.sliding.board import Shape, blank_first, to_shape
from frontrow.workers.tables import PatternTables
from frontrow.workers.unit import available_workers

KORF = Path(__file__).parents[1] / "tests" / "counts" / "korf.txt"
GOAL = "blank-first"


@dataclass(frozen=True, slots=True)
class Instance:
    """A board of which it is known how far the goal is."""

    size: str
    number: int
    length: int
    tiles: str


@dataclass(frozen=True, slots=True)
class Group:
    """A set of instances, and what solves them.

    Attributes:
        size: of the boards.
        numbers: of the instances; empty for all of that size.
        heuristics: one contestant each.
        workers: as many contestants again.
    """

    size: str
    numbers: tuple[int, ...]
    heuristics: tuple[str, ...]
    workers: tuple[int, ...]


GROUPS = {
    "15-puzzle": Group("4x4", (), ("pdb:6-6-3", "pdb:7-7-1"), (1,)),
    "few": Group("4x4", (12, 13, 16, 19), ("pdb:6-6-3", "walking", "linear-conflict"), (1,)),
    "workers": Group("4x4", (15,), ("manhattan",), (1, 2)),
    "24-puzzle": Group("5x5", (40, 25), ("pdb:6-6-6-6",), (1, 2)),
}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the table.

    Attributes:
        boards: how many were solved.
        tables: seconds in which the pattern databases were built; None without these.
        seconds: median seconds of all searches together; user seconds of whole processes.
        nodes: boards expanded; None where it is not known.
        rate: nodes a second.
        worst: the instance that took longest; None where it is not known.
        worst_seconds: the median of what that one took.
        ratio: of the seconds of the first line to these.
    """

    set: str
    run: str
    boards: int
    tables: float | None
    seconds: float
    nodes: int | None
    rate: float | None
    worst: int | None
    worst_seconds: float | None
    ratio: Spread | None


def read_instances(size: str, numbers: Sequence[int]) -> tuple[Instance, ...]:
    """The instances of a size with these numbers, or all of them.

    Raises:
        SystemExit: if there is none of a number.
    """
    found = {}
    for line in KORF.read_text(encoding="utf-8").splitlines():
        if line.startswith(size):
            _, number, length, tiles = line.split()
            found[int(number)] = Instance(size, int(number), int(length), tiles)
    unknown = [str(number) for number in numbers if number not in found]
    if unknown:
        known = ", ".join(map(str, sorted(found)))
        raise SystemExit(f"--instances: found {', '.join(unknown)} for {size}, expected some of {known}")
    return tuple(found[number] for number in numbers or found)


def build(size: str, heuristic: str, folder: str) -> Sample:
    """Build the tables of a heuristic with all cores, in a process of its own."""
    os.environ["FRONTROW_TABLES"] = folder
    _open(Shape(3, 3), "pdb")  # loads the kernels
    return spend(lambda: _open(to_shape(size), heuristic).values.size)


def _open(shape: Shape, heuristic: str) -> PatternTables:
    goal = blank_first(shape)
    partition = Partition.parse(heuristic, shape, goal)
    return PatternTables.open(shape, goal, partition, threads=available_workers(), stop=new_stop())


def search(instances: Sequence[Instance], heuristic: str, workers: int, folder: str) -> Sample:
    """Solve boards one after the other, in a process of its own.

    Returns:
        The seconds of the searches; the answer is JSON, by board: length, nodes and seconds.
    """
    os.environ["FRONTROW_TABLES"] = folder
    boards = [Sliding(size=each.size, start=each.tiles, goal=GOAL) for each in instances]
    with tempfile.TemporaryDirectory() as store:
        results: list[frontrow.Solution] = []
        sample = spend(
            lambda: results.extend(
                frontrow.solve(boards, method="ida", heuristic=heuristic, workers=workers, store=store)
            )
        )
    answer = json.dumps([(result.length, result.expanded, result.seconds) for result in results])
    return Sample(sample.user, sum(result.seconds for result in results), answer)


def compare(where: str, lengths: Sequence[int | None], instances: Sequence[Instance]) -> None:
    """Compare lengths with the known ones.

    Raises:
        SystemExit: if one differs, or there are not as many.
    """
    if len(lengths) != len(instances):
        raise SystemExit(f"{where}: found {len(lengths)} lengths, expected {len(instances)}")
    for length, instance in zip(lengths, instances, strict=True):
        if length != instance.length:
            raise SystemExit(
                f"{where}: found {length} moves for {instance.size} number {instance.number}, "
                f"expected {instance.length}"
            )


def lines(name: str, options: argparse.Namespace, folder: str, built: dict[str, float]) -> list[Line]:
    """All lines of a set.

    Args:
        name: of the set.
        options: of the command line.
        folder: of tables.
        built: seconds that tables took, by size and heuristic; those that are missing are built.

    Raises:
        SystemExit: if a length is not the known one.
    """
    group = GROUPS[name]
    instances = read_instances(group.size, options.instances or group.numbers)
    heuristics = options.heuristics or group.heuristics
    runs: dict[str, Run] = {}
    tables: dict[str, float | None] = {}
    for heuristic in heuristics:
        key = f"{group.size} {heuristic}"
        if heuristic.startswith("pdb") and key not in built:
            built[key] = apart(build, group.size, heuristic, folder).wall
        for workers in options.workers or group.workers:
            run = f"{heuristic} x{workers}"
            tables[run] = built.get(key)
            runs[run] = lambda h=heuristic, w=workers: apart(search, instances, h, w, folder)  # type: ignore[misc]
    samples = in_rounds(runs, options.repeat)
    first = [sample.wall for sample in next(iter(samples.values()))]
    found = []
    for place, (run, taken) in enumerate(samples.items()):
        ratio = ratios(first, [sample.wall for sample in taken]) if place else None
        line = line_of(name, run, instances, taken)
        found.append(dataclasses.replace(line, tables=tables[run], ratio=ratio))
    return found + (against(name, instances, heuristics[0], options, folder) if options.against else [])


def line_of(name: str, run: str, instances: Sequence[Instance], samples: Sequence[Sample]) -> Line:
    """What the samples of one contestant come to, without tables and ratio.

    Raises:
        SystemExit: if a length is not the known one.
    """
    rounds = [json.loads(sample.answer) for sample in samples]
    for boards in rounds:
        compare(f"{name} {run}", [length for length, _, _ in boards], instances)
    nodes = sum(expanded for _, expanded, _ in rounds[0])
    each = [statistics.median(boards[place][2] for boards in rounds) for place in range(len(instances))]
    seconds = statistics.median(sample.wall for sample in samples)
    worst = max(range(len(instances)), key=each.__getitem__)
    return Line(
        name,
        run,
        len(instances),
        None,
        seconds,
        nodes,
        nodes / seconds,
        instances[worst].number,
        each[worst],
        None,
    )


def against(
    name: str, instances: Sequence[Instance], heuristic: str, options: argparse.Namespace, folder: str
) -> list[Line]:
    """Two lines about whole processes.

    Raises:
        SystemExit: if a process fails, or a length is not the known one.
    """
    easy = easy_instance(instances[0].size)
    commands: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as place:
        ours = ["--method", "ida", "--heuristic", heuristic, "--workers", "1", "--fresh", "--quiet", "--json"]
        for kind, boards in (("", instances), (" start", [easy])):
            file = Path(place, f"{len(commands)}.txt")
            file.write_text("".join(f"{board.tiles}\n" for board in boards), encoding="utf-8")
            solve = [sys.executable, "-m", "frontrow", "solve", "sliding", str(file), f"goal={GOAL}", *ours]
            commands[f"frontrow{kind}"] = ["env", f"FRONTROW_TABLES={folder}", *solve, "--store", place]
            commands[f"CMD{kind}"] = with_file(options.against, str(file))
        runs = {run: (lambda words=words: run_command(words)) for run, words in commands.items()}
        samples = in_rounds(runs, options.repeat)
    for run, taken in samples.items():
        read = json_lengths if run.startswith("frontrow") else printed_lengths
        for sample in taken:
            compare(f"{name} {run}", read(sample.answer), [easy] if run.endswith("start") else instances)
    mine, theirs = (without_start(samples[run], samples[f"{run} start"]) for run in ("frontrow", "CMD"))
    ratio, nodes = ratios(theirs, mine), _expanded(samples["frontrow"][0].answer)
    found = []
    for run, spent, known in (("frontrow", mine, nodes), ("CMD", theirs, None)):
        seconds = max(statistics.median(spent), 0.0)  # of nearly nothing, what start-up varies by is left
        rate = known / seconds if known is not None and seconds else None
        beside = ratio if run == "frontrow" else None
        found.append(Line(name, run, len(instances), None, seconds, known, rate, None, None, beside))
    return found


def easy_instance(size: str) -> Instance:
    """A board that is one move from the goal."""
    tiles = list(blank_first(to_shape(size)))
    tiles[:2] = reversed(tiles[:2])
    return Instance(size, 0, 1, ",".join(map(str, tiles)))


def with_file(command: str, file: str) -> list[str]:
    """Split a command line and put a file's name where ``{file}`` stands, or at its end."""
    words = shlex.split(command)
    if not any("{file}" in word for word in words):
        return [*words, file]
    return [word.replace("{file}", file) for word in words]


def printed_lengths(answer: str) -> list[int | None]:
    """The last whole number of every line that has one."""
    numbers = [re.findall(r"\d+", line) for line in answer.splitlines()]
    return [int(found[-1]) for found in numbers if found]


def json_lengths(answer: str) -> list[int | None]:
    """The lengths that ``frontrow solve --json`` printed for one board or for several."""
    return [result["length"] for result in _results(answer)]


def _expanded(answer: str) -> int:
    return sum(int(result["expanded"]) for result in _results(answer))


def _results(answer: str) -> list[dict[str, Any]]:
    found = json.loads(answer)
    return found if isinstance(found, list) else [found]


def text(line: Line) -> str:
    """One line of the table."""
    tables = "" if line.tables is None else f"{line.tables:.2f}"
    nodes = "" if line.nodes is None else f"{line.nodes:,}"
    rate = "" if line.rate is None else f"{line.rate / 1e6:.2f}"
    worst = "" if line.worst_seconds is None else f"{line.worst_seconds:.3f} #{line.worst}"
    start = f"{line.set:<10} {line.run:<18} {line.boards:6} {tables:>8} {line.seconds:9.3f} {nodes:>15}"
    start += f" {rate:>7} {worst:>12}"
    if line.ratio is None:
        return start.rstrip()
    return f"{start}  {line.ratio.median:7.2f}  {line.ratio.low:6.2f} - {line.ratio.high:<6.2f}".rstrip()


HEADING = (
    f"{'set':<10} {'run':<18} {'boards':>6} {'tables s':>8} {'search s':>9} {'nodes':>15} {'M/s':>7} "
    f"{'worst s':>12}  {'ratio':>7}  range"
)


def read_options(words: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.solve",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("sets", metavar="SET", nargs="*", help="see above (default: all but the last)")
    parser.add_argument("--instances", metavar="N,...", help="their numbers, instead of those of the set")
    parser.add_argument("--heuristics", metavar="NAME,...", help="instead of those of the set")
    parser.add_argument("--workers", metavar="K,...", help="instead of those of the set")
    parser.add_argument("--repeat", type=int, default=3, metavar="K", help="rounds (default 3)")
    parser.add_argument("--against", metavar="CMD", help="another program to pair with")
    parser.add_argument("--json", action="store_true", help="print a list of objects instead of the table")
    options = parser.parse_args(words)
    options.sets = options.sets or list(GROUPS)[:-1]
    unknown = [name for name in options.sets if name not in GROUPS]
    if unknown:
        parser.error(f"SET: found {', '.join(unknown)}, expected {', '.join(GROUPS)}")
    options.heuristics = options.heuristics and options.heuristics.split(",")
    for name in ("instances", "workers"):
        given = getattr(options, name)
        setattr(options, name, given and [int(word) for word in given.split(",")])
    return options


def main(words: Sequence[str] | None = None) -> None:
    """Print the table set by set."""
    options = read_options(words)
    found: list[Line] = []
    built: dict[str, float] = {}
    if not options.json:
        print(HEADING)
    with tempfile.TemporaryDirectory() as folder:
        for name in options.sets:
            for line in lines(name, options, folder, built):
                found.append(line)
                if not options.json:
                    print(text(line), flush=True)
    if options.json:
        print(json.dumps([dataclasses.asdict(line) for line in found], indent=1))


if __name__ == "__main__":
    main()
