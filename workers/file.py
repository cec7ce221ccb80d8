"""Files that have their name only once they are complete."""

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from frontrow.search.errors import FrontrowError, UsageError


@contextlib.contextmanager
def replacing(path: str | Path, option: str, *, plain: bool = False) -> Iterator[BinaryIO]:
    """A file to write to. It is made beside the one that is meant, and takes its place at the end.

    What is interrupted, or fails, leaves nothing behind, and a file that was there before as it was. A device
    or a pipe is written to directly.

    Args:
        path: the file that is meant.
        option: what names it, for messages.
        plain: whether it has to be a file in which one can go back.

    Raises:
        UsageError: if it cannot be made.
        FrontrowError: if it cannot be written to its end.
    """
    target = Path(os.path.realpath(path))
    is_device = Path(path).is_absolute() and Path(path).parts[1:2] == ("dev",)
    is_plain = not is_device and (target.is_file() or not target.exists())
    if plain and not is_plain and not target.is_dir():
        raise UsageError(f"{option}: found {path}, which is no plain file, expected one")
    place = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}.part") if is_plain else Path(path)
    try:
        file = place.open("x+b" if is_plain else "ab")  # what /dev/stdout leads to may hold something
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
    except BaseException as error:
        if is_plain:
            place.unlink(missing_ok=True)
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            raise FrontrowError(f"{path}: cannot be written ({error.strerror or error})") from error
        raise
