"""Solutions of one board or several as they are written: on paper, as JSON, to files, in the terminal."""

import contextlib
import sys
from typing import TextIO

import click

from frontrow.cluster.command.progress import Silent
from frontrow.cluster.command.solved import pictures, play, solution_text
from frontrow.cluster.command.words import print_json
from frontrow.cluster.solving.result import Solution
from frontrow.workers.file import replacing

SEVERITY = (0, 3, 4, 2, 1)
"""Exit statuses of boards: that of several boards is the last one in this order."""


class Shown:
    """Writes solutions as they come, and what is wanted of them in the end."""

    def __init__(self, report: Silent, *, as_json: bool, steps: bool, verbose: bool, several: bool) -> None:
        self._report, self._as_json, self._steps = report, as_json, steps
        self._verbose, self._several = verbose, several
        self._objects: list[object] = []
        self._solutions: list[tuple[str, Solution]] = []
        self._texts: list[tuple[str, Solution | str]] = []
        """What a file gets of every board: its solution, or why there is none."""
        self.stdout: TextIO | None = None
        self.status = 0

    def add(self, name: str, found: Solution, status: int) -> None:
        """Take a solution, or why there is none."""
        self._note(status)
        if status:
            told = f"{name}: {found.reason}" if self._several else found.reason
            click.echo(f"frontrow: {told}", err=True)
        self._objects.append({**({"board": name} if self._several else {}), **found.to_json()})
        self._texts.append((name, found if found.solved else found.reason))
        if found.solved:
            self._solutions.append((name, found))
            if not self._as_json:
                self._write(name, found)

    def fail(self, name: str, error: str, status: int) -> None:
        """Take what is wrong with one of several boards."""
        self._note(status)
        click.echo(f"frontrow: {error}", err=True)
        self._objects.append({"board": name, "verb": "solve", "solved": False, "reason": error})
        self._texts.append((name, error))

    def _note(self, status: int) -> None:
        self.status = max(self.status, status, key=SEVERITY.index)

    def _write(self, name: str, found: Solution) -> None:
        if self.stdout is None:
            return
        text = solution_text(found, steps=self._steps, verbose=self._verbose)
        head = f"{name}\n" if self._several else ""
        gap = "\n" if len(self._solutions) > 1 else ""
        self._report.echo(f"{gap}{head}{text}", self.stdout)

    def finish(self, *, out: str | None, svg: str | None, plays: bool) -> None:
        """Write files and play.

        Raises:
            UsageError: if a file cannot be made.
        """
        if out is not None and self._solutions:
            with replacing(out, "out") as file:
                file.write(self._text().encode())
        if svg is not None and self._solutions:
            with replacing(svg, "svg") as file:
                file.write(pictures([each for _, each in self._solutions]).encode())
        if self._as_json:
            print_json(self._objects if self._several else self._objects[0])
            return
        with contextlib.suppress(KeyboardInterrupt):  # the answer is there
            for name, each in self._solutions if plays else ():
                click.echo(f"\n{name}".rstrip("\n"))
                play(each, lambda text: (sys.stdout.write(text), sys.stdout.flush()))

    def _text(self) -> str:
        """All boards with their steps, or why there are none."""
        texts = []
        for name, each in self._texts:
            told = each if isinstance(each, str) else solution_text(each, steps=True, verbose=False)
            texts.append("\n".join(filter(None, (name, click.unstyle(told)))))
        return "\n\n".join(texts) + "\n"
