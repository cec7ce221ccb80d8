"""Standard output for the answer alone, also where a person's own code writes to it past Python."""

import contextlib
import ctypes
import fcntl
import os
import sys
from collections.abc import Iterator
from typing import TextIO


@contextlib.contextmanager
def descriptor_aside() -> Iterator[TextIO | None]:
    """Point the descriptor of standard output to stderr, for `os.write`, C code and other processes.

    Python's own prints are not looked after. Nothing happens where `sys.stdout` is not that descriptor, as in
    a notebook.

    Yields:
        What still leads to standard output, for the answer; None if there is none.
    """
    stream = sys.stdout
    if not _is_standard(stream):
        yield stream
        return
    stream.flush()
    kept = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, 3)  # not what a closed stderr leaves free
    try:
        _point_to_stderr()
        with open(kept, "w", encoding=stream.encoding, errors=stream.errors, closefd=False) as answer:
            yield answer
    finally:
        ctypes.CDLL(None).fflush(None)  # C keeps what it prints until its buffer is full
        os.dup2(kept, 1)
        os.close(kept)


def _is_standard(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.fileno() == 1
    except (OSError, ValueError):  # no descriptor, or closed
        return False


def _point_to_stderr() -> None:
    try:
        os.dup2(2, 1)
    except OSError:  # there is no stderr
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.close(nowhere)
