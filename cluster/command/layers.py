"""How layers look on paper: the live table, its summary, CSV and plots."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

import click

from frontrow.cluster.command.display import computed_text, pairs, steps_text, time_text, title
from frontrow.cluster.command.progress import duration, scaled
from frontrow.cluster.exploration.result import Exploration, Layer
from frontrow.cluster.job import JobRow
from frontrow.cluster.result import plural
from frontrow.search.errors import UsageError
from frontrow.search.graph import StateGraph
from frontrow.workers.file import replacing

PLOTS = (".png", ".svg")


class Table:
    """The layers as a table with columns of fixed width, a line as soon as a layer is finished."""

    def __init__(self, write: Callable[[str], None], *, boards: bool, paths: bool, silent: bool) -> None:
        """Make an empty table.

        Args:
            write: takes a line.
            boards: have a column of boards, if the first layer says how many there are.
            paths: have a column of ways.
            silent: write nothing.
        """
        self._write_line = write
        self._silent = silent
        self._total = 0
        self._lines = 0
        self._columns = [("depth", 5), ("new", 14)]
        self._columns += [("boards", 15)] if boards else []
        self._columns += [("paths", 26)] if paths else []
        self._columns += [
            ("total", 15),
            ("generated", 15),
            ("duplicates", 15),
            ("states/s", 9),
            ("memory", 9),
            ("B/state", 8),
        ]

    def add(self, layer: Layer) -> None:
        """Write a layer."""
        if self._silent:
            return
        if not self._lines:
            if layer.boards is None:
                self._columns = [column for column in self._columns if column[0] != "boards"]
            self._write([name for name, _ in self._columns])
        self._total += layer.states
        self._lines += 1
        rate = layer.states / layer.seconds if layer.seconds > 0 else 0.0
        cells = {
            "depth": str(layer.depth),
            "new": f"{layer.states:,}",
            "boards": f"{layer.boards or 0:,}",
            "paths": f"{layer.paths or 0:,}",
            "total": f"{self._total:,}",
            "generated": f"{layer.generated:,}",
            "duplicates": f"{max(layer.generated - layer.states, 0):,}" if layer.depth else "0",
            "states/s": scaled(rate) if layer.depth else "",
            "memory": bytes_text(layer.nbytes),
            "B/state": f"{layer.nbytes / self._total:.3g}",
        }
        self._write([cells[name] for name, _ in self._columns])

    def complete(self, result: Exploration) -> None:
        """Write the layers that came from an earlier run, if none has been written."""
        if not self._lines:
            for layer in result.layers:
                self.add(layer)

    def _write(self, cells: list[str]) -> None:
        self._write_line(
            " ".join(cell.rjust(width) for cell, (_, width) in zip(cells, self._columns, strict=True))
        )


def layers_text(row: JobRow, folder: Path) -> str:
    """The layers of a job as a table, and what it came to; of one that is not done, as far as it is kept.

    Args:
        row: the job.
        folder: of its checkpoints.
    """
    from frontrow.cluster.exploration.checkpoint import Checkpoints

    asked, lines = row.asked_for, list[str]()
    table = Table(lines.append, boards="symmetry" in asked, paths="paths" in asked, silent=False)
    result = row.exploration()
    last = None if result.complete else Checkpoints(folder, row.id, 0).heading()
    for layer in result.layers if last is None else last.layers:
        table.add(layer)
    if result.complete:
        lines.append(summary(result, None, verbose=False))
    return "".join(f"{line}\n" for line in lines) + ("\n" if lines else "")


def bytes_text(number: int) -> str:
    """Bytes for people: three digits and a binary prefix."""
    for size, name in ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if number >= size:
            return f"{number / size:.3g} {name}"
    return f"{number} B"


def summary(result: Exploration, graph: StateGraph | None, *, verbose: bool) -> str:
    """What ``explore`` prints below the table: the total, then how it was found, then the way.

    Args:
        result: the answer.
        graph: the problem; None where nobody's code is to be run.
        verbose: whether to print kernel and setup as well.
    """
    what = plural("state", result.states)
    if "symmetry" in result.options:
        what = "class of states" if result.states == 1 else "classes of states"
    head = f"{click.style(f'{result.states:,}', bold=True)} {what} of {title(result)}"
    boards = result.boards
    rows = [
        ("depth", f"{result.depth}" + ("" if result.exhausted else " (there is more beyond)")),
        ("boards", "" if boards is None else f"{sum(boards):,}"),
        ("goal", _goal(result, graph)),
        (
            "sequences",
            "" if result.sequences is None else f"{result.sequences:,} of fewest moves to the goal",
        ),
        ("table", f"{result.table}: {result.why}"),
        ("time", time_text(result)),
        ("resumed", f"went on from layer {result.resumed - 1}" if result.resumed else ""),
        ("computed", computed_text(result)),
        ("job", result.job),
        ("kernel", graph.kernel if verbose and graph is not None else ""),
        ("setup", duration(result.setup_seconds) if verbose else ""),
    ]
    way = [] if result.way is None else ["", steps_text(result.way.boards, result.way.moves)]
    return "\n".join(["", head, "", *pairs(rows), *way])


def _goal(result: Exploration, graph: StateGraph | None) -> str:
    if result.goal_depth is not None:
        return f"{result.goal_depth} {plural('move', result.goal_depth)} away"
    if graph is None or not graph.has_goal:
        return ""
    if graph.unreachable:
        return f"cannot be reached: {graph.unreachable}"
    return "cannot be reached" if result.exhausted else "not reached yet"


def write_csv(path: str, result: Exploration) -> None:
    """Write the layers as comma-separated values; the file appears when it is complete."""
    names = ("depth", "states", "generated", "boards", "paths", "goals", "seconds", "nbytes")
    with replacing(path, "csv") as file:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(names)
        for layer in result.layers:
            row = [getattr(layer, name) for name in names]
            writer.writerow(["" if value is None else value for value in row])
        file.write(text.getvalue().encode())


def check_plot(path: str) -> None:
    """Refuse a plot that cannot be drawn, before anything is computed.

    Raises:
        UsageError: for another ending than .png and .svg, or without matplotlib.
    """
    if Path(path).suffix.lower() not in PLOTS:
        raise UsageError(f"plot: found {path!r}, expected a name that ends in {' or '.join(PLOTS)}")
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise UsageError("plot: found no matplotlib, expected it (pip install 'frontrow[plot]')") from error


def write_plot(path: str, result: Exploration) -> None:
    """Draw the states a layer over the depth, on a logarithmic scale."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    axes.semilogy([layer.depth for layer in result.layers], [layer.states for layer in result.layers], "o-")
    axes.set_xlabel("moves from the start")
    axes.set_ylabel("states")
    axes.set_title(title(result))
    axes.grid(visible=True, alpha=0.3)
    with replacing(path, "plot") as file:
        figure.savefig(file, format=Path(path).suffix[1:].lower())
