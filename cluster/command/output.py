"""Where answers go: to standard output, or to a file that has its name only once it is complete."""

import contextlib
import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import TextIO

import numpy as np

from frontrow.cluster.command.formats import drawn
from frontrow.search.errors import FrontrowError, UsageError
from frontrow.search.own.blame import explained
from frontrow.search.rows import Rows
from frontrow.search.tree import CountingTree
from frontrow.workers.file import replacing

Sink = Callable[[bytes], object]
"""Takes some of the text."""


class _TrialError(Exception):
    """A file can be made."""


def check_target(option: str, path: str | None) -> None:
    """Refuse a file that cannot be made, before anything is computed.

    Args:
        option: what names it, for messages.
        path: of the file; None for none.

    Raises:
        UsageError: if it is a folder, or its folder is missing or lets nobody write.
    """
    if path is None or (os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)):
        return  # a pipe that is opened once more would end
    with contextlib.suppress(_TrialError), replacing(path, option):
        raise _TrialError  # so that nothing is left behind


def check_apart(*files: tuple[str, str | None]) -> None:
    """Refuse to write one file twice, or one that is read.

    Args:
        files: each as messages call it, with its path; None for none. What is read comes first.

    Raises:
        UsageError: if two are the same.
    """
    seen: dict[str, str] = {}
    for name, path in files:
        if path is None or (os.path.exists(path) and not os.path.isfile(path)):
            continue  # a terminal, a pipe or a folder
        earlier = seen.setdefault(os.path.realpath(path), name)
        if earlier != name:
            raise UsageError(f"{name}: found {path}, which {earlier} names as well, expected another file")


@contextlib.contextmanager
def sink(path: str | None, stdout: TextIO | None) -> Iterator[Sink]:
    """What takes the list: the file of ``--out``, or else standard output, if there is one.

    Raises:
        UsageError: if the file cannot be made.
        FrontrowError: if it cannot be written to its end.
    """
    if path is not None:
        with replacing(path, "out") as file:
            yield file.write
    elif stdout is None:
        yield len
    else:
        yield partial(_pass_on, stdout)


def _pass_on(stream: TextIO, data: bytes) -> None:
    stream.buffer.write(data)
    stream.flush()


@contextlib.contextmanager
def picture(
    problem: CountingTree, path: str | None, most: int, *, attacks: bool
) -> Iterator[Callable[[Rows], None]]:
    """Takes rows, and draws the first of them in the end; takes and does nothing without a path.

    Args:
        problem: whose rows they are.
        path: the file of ``--svg``.
        most: boards to draw at most, but one at least.
        attacks: draw the squares under attack.

    Raises:
        UsageError: if the problem has no boards, or the file cannot be made.
        FrontrowError: if there was nothing to draw, or the file cannot be written to its end.
    """
    if path is None:
        yield lambda rows: None
        return
    board = drawn(problem, "svg")
    kept = problem.initial()[:0]

    def take(rows: Rows) -> None:
        nonlocal kept
        if kept.shape[0] < max(most, 1):
            kept = np.concatenate([kept, rows])[: max(most, 1)]

    with replacing(path, "svg") as file:
        yield take
        if not kept.shape[0]:
            raise FrontrowError("svg: found no solution to draw, expected one")
        with explained(problem):
            file.write(board.picture(kept, attacks=attacks).encode())
