"""How progress is told while a run goes on: a live line on a terminal, else a plain line now and then."""

import dataclasses
import os
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TextIO

import click

from frontrow.cluster.result import Progress, plural

if TYPE_CHECKING:
    from rich.console import RenderableType

FIRST = 2.0
"""Seconds before the first plain line."""
EVERY = 5.0
"""Seconds between plain lines."""
PATIENCE = 0.3
"""Seconds that a run may take before the live line appears, so that short runs do not flicker."""

_PHASES = {
    "starting": "starting workers (kernels that are new are compiled once per machine)",
    "compiling": "compiling kernels (once per machine, some seconds)",
    "planning": "splitting the work",
    "counting": "counting",
    "watching": "watching another process that works on this job",
    "verifying": "computing units a second time",
    "resuming": "going on from a checkpoint",
    "saving": "writing the last layer down",
}
_UNITS = ((86400.0, "d"), (3600.0, "h"), (60.0, "min"), (1.0, "s"))


def duration(seconds: float) -> str:
    """Seconds for people: three digits below a minute, the two largest units above."""
    if seconds < 59.95:
        return f"{seconds:.3g} s" if seconds >= 0.001 or seconds == 0 else "under 0.001 s"
    left = round(seconds)
    for index, (size, name) in enumerate(_UNITS[:-1]):
        if left >= size:
            smaller, smaller_name = _UNITS[index + 1]
            rest = int(left % size // smaller)
            return f"{int(left // size)} {name}" + (f" {rest} {smaller_name}" if rest else "")
    return f"{left} s"


def span(low: float, high: float) -> str:
    """A range of seconds for people, such as ``3-5 min``."""
    if high < 1:
        return "under 1 s"
    size, name = next((size, name) for size, name in _UNITS if high >= 1.5 * size or size == 1)
    first, last = round(low / size), max(1, round(high / size))
    return f"about {last} {name}" if first >= last else f"{first}-{last} {name}"


def moment(text: str) -> str:
    """A moment of the ledger (UTC, ISO 8601) for people."""
    return text.replace("T", " ").replace("+00:00", " UTC")


def scaled(number: float) -> str:
    """A rate with three digits and a prefix, such as ``5.21 G``."""
    for size, prefix in ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= 0.9995 * size:
            value = number / size
            return f"{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f} {prefix}"
    return f"{number:.0f}"


def share_text(share: float | None) -> str:
    """A share in per cent that says 100 only when nothing is left."""
    if share is None:
        return "share unknown"
    return "100 %" if share >= 1 else f"{min(share * 100, 99.9):.1f} %"


def done_text(progress: Progress) -> str:
    """How much of the work is done."""
    return share_text(progress.share) + ("" if progress.share is None else " done")


def phrases(progress: Progress) -> list[str]:
    """Where a run stands, the most telling words first; the share is not among them."""
    told = []
    if progress.resumed and progress.elapsed < EVERY:
        told.append(f"went on from {progress.resumed:,} of {progress.units:,} units")
    if progress.remaining is not None:
        told.append(f"{span(*progress.remaining)} left")
    for name, total in list(progress.totals.items())[:1]:
        told.append(f"{total} {name.replace('_', ' ')} so far")
    if progress.share is None and "nodes" not in list(progress.totals)[:1]:
        told.append(f"{scaled(progress.nodes)} nodes so far")
    if progress.rate > 0:
        told.append(f"{scaled(progress.rate)} nodes/s")
    told.append(f"{duration(round(progress.elapsed))} elapsed")
    if progress.note:
        told.append(progress.note)
    return told


def layer_phrases(progress: Progress) -> list[str]:
    """Where an exploration stands, the most telling words first."""
    states = f"{scaled(progress.nodes)} {plural('state', progress.nodes)}"
    told = [f"layer {progress.units_done}: {states} so far"]
    if progress.rate > 0:
        told.append(f"{scaled(progress.rate)} states/s")
    told.append(f"{duration(round(progress.elapsed))} elapsed")
    if progress.note:
        told.append(progress.note)
    return told


def search_phrases(progress: Progress) -> list[str]:
    """Where a search in buckets stands, the most telling words first."""
    boards = f"{scaled(progress.nodes)} {plural('board', progress.nodes)} expanded"
    told = [f"{progress.units_done} moves at least: {boards}"]
    told.append(f"{duration(round(progress.elapsed))} elapsed")
    if progress.note:
        told.append(progress.note)
    return told


_STANDING = {"exploring": layer_phrases, "searching": search_phrases}


class Silent:
    """Keeps the last progress and tells nothing but what is lost."""

    def __init__(self, warnings: TextIO | None = None) -> None:
        """Args: warnings: where lines about what is lost go; None for nowhere."""
        self.last: Progress | None = None
        self._warnings = warnings

    def __call__(self, progress: Progress) -> None:
        """Take note of where the run stands."""
        self.last = progress
        if progress.warning and self._warnings is not None:
            click.echo(f"frontrow: {plain_line(progress)}", file=self._warnings)

    def echo(self, text: str, stream: TextIO | None) -> None:
        """Write a line of the answer while the run goes on."""
        click.echo(text, file=stream)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave nothing on the screen."""


class PlainLines(Silent):
    """Writes one plain line every few seconds; short runs write none."""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        """Args: stream: where lines go; clock: gives seconds."""
        super().__init__()
        self._stream = stream
        self._clock = clock
        self._due = clock() + FIRST
        self._announced = ""
        self._timer = threading.Timer(FIRST, self._remind)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()

    def _remind(self) -> None:
        """Workers that start slowly report nothing meanwhile: say what the wait is for."""
        if self.last is not None and self.last.phase == "starting":
            self._write(self.last)

    def _write(self, progress: Progress) -> None:
        click.echo(f"frontrow: {plain_line(progress)}", file=self._stream)

    def __call__(self, progress: Progress) -> None:
        """Write a line if one is due, and at once when kernels are compiled or another process is watched."""
        super().__call__(progress)
        news = progress.phase in ("compiling", "watching") and progress.phase != self._announced
        if progress.phase == "resuming":
            self._write(progress)
            return
        if not news and self._clock() < self._due:
            return
        self._announced = progress.phase
        self._due = self._clock() + (FIRST if news else EVERY)
        self._write(progress)


def plain_line(progress: Progress) -> str:
    """One line that says where a run stands."""
    if progress.phase == "counting":
        return ", ".join([done_text(progress), *phrases(progress)])
    if progress.phase == "listing":
        return ", ".join(phrases(progress))
    if progress.phase in _STANDING:
        return ", ".join(_STANDING[progress.phase](progress))
    if progress.phase == "verifying":
        of_all = f"of {progress.units:,}" if progress.units else "so far"
        return f"{_PHASES[progress.phase]}: {progress.units_done:,} {of_all}"
    words = (
        progress.note
        if progress.phase in ("watching", "resuming", "saving") and progress.note
        else _PHASES.get(progress.phase, progress.phase)
    )
    if progress.phase == "watching" and progress.units:
        return f"{words}, {done_text(progress)}"
    return words


class LiveLine(Silent):
    """One line at the bottom of a terminal that moves by itself and vanishes at the end."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self._stream = stream
        self._began = self._received = time.monotonic()
        self._timer = threading.Timer(PATIENCE, self._start)
        self._timer.daemon = True
        self._lock = threading.Lock()
        self._over = False
        self._live: Any = None

    def __call__(self, progress: Progress) -> None:
        """Take note of where the run stands; the line shows it by itself."""
        if progress.phase == "resuming":
            self.echo(f"frontrow: {plain_line(progress)}", self._stream)
        super().__call__(progress)
        self._received = time.monotonic()

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the line away and show the cursor."""
        self._timer.cancel()
        with self._lock:
            self._over = True
            if self._live is not None:
                self._live.stop()

    def echo(self, text: str, stream: TextIO | None) -> None:
        """Write a line of the answer, above the live line where that is on the same terminal."""
        with self._lock:
            if self._live is None or stream is None or not stream.isatty():
                click.echo(text, file=stream)
            else:
                self._live.console.out(text, highlight=False)

    def _start(self) -> None:
        from rich.console import Console
        from rich.live import Live
        from rich.spinner import Spinner

        console = Console(file=self._stream, highlight=False)
        spinner = Spinner("dots" if console.encoding.startswith("utf") else "line")
        with self._lock:
            if not self._over:
                self._live = Live(
                    console=console,
                    transient=True,
                    refresh_per_second=8,
                    redirect_stdout=False,
                    get_renderable=lambda: self._render(console.width, spinner),
                )
                self._live.start()

    def _render(self, width: int, spinner: "RenderableType") -> "RenderableType":
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        progress = self.last or Progress("starting")
        now = time.monotonic() - self._received + progress.elapsed
        line = Table.grid(padding=(0, 1))
        if progress.phase == "counting" or (progress.phase == "watching" and progress.units):
            bar = 0 if width < 60 or progress.share is None else 12 if width < 100 else 24
            share = Text(f"{share_text(progress.share):>6}", "bold")
            cells: list[RenderableType] = [share]
            if bar:
                cells.append(ProgressBar(total=1.0, completed=progress.share or 0.0, width=bar))
            told = phrases(dataclasses.replace(progress, elapsed=now))
            left = width - bar - len(share) - 3
            cells.append(Text(fitted(told, left), no_wrap=True, overflow="ellipsis"))
        else:
            told = [plain_line(progress), f"{time.monotonic() - self._began:.0f} s"]
            if progress.phase == "listing":
                told = phrases(dataclasses.replace(progress, elapsed=now))
            if progress.phase in _STANDING:
                told = _STANDING[progress.phase](dataclasses.replace(progress, elapsed=now))
            cells = [spinner, Text(fitted(told, width - 4), no_wrap=True, overflow="ellipsis")]
        line.add_row(*cells)
        return line


def fitted(told: list[str], width: int) -> str:
    """As many of the words as fit into a width, at least the first."""
    line = told[0]
    for words in told[1:]:
        if len(line) + 2 + len(words) > width:
            break
        line += f"  {words}"
    return line


def reporter(stream: TextIO | None, *, quiet: bool) -> Silent:
    """What tells progress on a stream: a live line on a terminal, else plain lines; if quiet, warnings."""
    if quiet or stream is None:
        return Silent(stream)
    if stream.isatty() and os.environ.get("TERM") != "dumb":
        return LiveLine(stream)
    return PlainLines(stream)
