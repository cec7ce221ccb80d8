"""Files that have their name only once they are complete."""

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from frontrow.search.errors import FrontrowError, UsageError

_MOST_LINKS = 40
"""Links that are followed, as systems do."""


@contextlib.contextmanager
def replacing(path: str | Path, option: str, *, plain: bool = False) -> Iterator[BinaryIO]:
    """A file to write to. It is made beside the one that is meant, and takes its place at the end.

    What is interrupted, or fails, leaves nothing behind, and a file that was there before as it was. A device
    or a pipe is written to directly, and so is what is open already (``/dev/stdout``, ``/dev/fd/3``).

    Args:
        path: the file that is meant.
        option: what names it, for messages.
        plain: whether it has to be a file in which one can go back.

    Raises:
        UsageError: if it cannot be made.
        FrontrowError: if it cannot be written to its end.
    """
    target, opened = Path(os.path.realpath(path)), _opened_as(path)
    is_plain = opened is None and (target.is_file() or not target.exists())
    if plain and not is_plain and not target.is_dir():
        raise UsageError(f"{option}: found {path}, which is no plain file, expected one")
    place = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}.part") if is_plain else Path(path)
    try:
        # What was written there before stays, and what comes after it comes after this.
        opening = place if opened is None else os.dup(opened)
        file = open(opening, "x+b" if is_plain else "ab")  # noqa: SIM115 - closed below
    except OSError as error:
        where = f"{path}, a link to {target}" if os.path.islink(path) else path
        raise UsageError(f"{option}: found {where}: {error.strerror}, expected a file to write to") from error
    try:
        with file:
            yield file
            file.flush()
            if is_plain:
                os.fsync(file.fileno())
        if is_plain:
            place.replace(target)
    except BaseException as error:
        if is_plain:
            place.unlink(missing_ok=True)
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            raise FrontrowError(f"{path}: cannot be written ({error.strerror or error})") from error
        raise


def _opened_as(path: str | Path) -> int | None:
    """The descriptor that a path names, by itself or by links; None if it names none of this process."""
    place = os.path.abspath(path)
    for _ in range(_MOST_LINKS):
        folder = os.path.realpath(os.path.dirname(place))
        name = os.path.basename(place)
        if folder in ("/dev/fd", f"/proc/{os.getpid()}/fd") and name.isdecimal():
            return int(name)
        place = os.path.join(folder, name)
        if not os.path.islink(place):
            return None
        place = os.path.join(folder, os.readlink(place))
    return None
