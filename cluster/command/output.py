"""Where a list goes: to standard output, or to a file that has its name only once it is complete."""

import contextlib
import os
import secrets
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO, TextIO

import numpy as np

from frontrow.cluster.command.formats import drawn
from frontrow.search.errors import FrontrowError, UsageError
from frontrow.search.own.blame import explained
from frontrow.search.rows import Rows
from frontrow.search.tree import CountingTree

Sink = Callable[[bytes], object]
"""Takes some of the text."""


@contextlib.contextmanager
def written(path: str, option: str) -> Iterator[BinaryIO]:
    """A file to write to. It is made beside the one that is meant, and takes its place at the end.

    What is interrupted, or fails, leaves nothing behind, and a file that was there before as it was. A device
    or a pipe is written to directly.

    Args:
        path: the file that is meant.
        option: the option that names it, for messages.

    Raises:
        UsageError: if it cannot be made.
    """
    target = Path(os.path.realpath(path))
    is_device = Path(path).is_absolute() and Path(path).parts[1:2] == ("dev",)
    is_plain = not is_device and (target.is_file() or not target.exists())
    place = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}.part") if is_plain else target
    try:
        file = place.open("xb" if is_plain else "ab")  # what /dev/stdout leads to may hold something
    except OSError as error:
        raise UsageError(f"{option}: found {path}: {error.strerror}, expected a file to write to") from error
    try:
        with file:
            yield file
            file.flush()
            if is_plain:
                os.fsync(file.fileno())
        if is_plain:
            place.replace(target)
    except BaseException:
        if is_plain:
            place.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def sink(path: str | None, stdout: TextIO | None) -> Iterator[Sink]:
    """What takes the list: the file of ``--out``, or else standard output, if there is one.

    Raises:
        UsageError: if the file cannot be made.
    """
    if path is not None:
        with written(path, "out") as file:
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
        FrontrowError: if there was nothing to draw.
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

    with written(path, "svg") as file:
        yield take
        if not kept.shape[0]:
            raise FrontrowError("svg: found no solution to draw, expected one")
        with explained(problem):
            file.write(board.picture(kept, attacks=attacks).encode())
