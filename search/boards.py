"""Boards drawn as text: how files of them are read, whatever wrote them."""

from pathlib import Path
from typing import Any

from frontrow.search.errors import UsageError
from frontrow.search.parameter import parameter, shown

MOST_BYTES = 1 << 20
"""Largest file that is taken for a board."""

_ASCII = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: ord(" ")}
"""Full-width forms, as East Asian input methods write them, and what they stand for (Unicode, U+FF01 on)."""
_OTHERS = ("shift_jis", "utf-16")
"""Encodings that are suggested where they fit and UTF-8 does not."""
_HELP = "how the file is encoded, such as shift_jis; by default UTF-8"


def read_encoding(value: object) -> str:
    """Check the name of an encoding; empty stands for UTF-8.

    Raises:
        ValueError: if there is no such encoding of texts.
    """
    name = str(value).strip()
    try:
        "".encode(name or "utf-8")
    except (LookupError, ValueError) as error:
        raise ValueError(f"found {shown(value)}, expected an encoding such as utf-8 or shift_jis") from error
    return name


def encoding_parameter() -> Any:
    """The parameter ``encoding`` of problems that read boards from files; empty for UTF-8."""
    return parameter(default="", parse=read_encoding, option=True, help=_HELP)


def is_text(value: str) -> bool:
    """Whether a value is a board itself and not the name of a file: it has several lines."""
    return "\n" in value


def read_board_text(path: str | Path, encoding: str | None = None) -> str:
    """Read a file that holds boards, as lines that end in a line feed each.

    Args:
        path: the file; errors name it as it is written here.
        encoding: any that Python knows; by default UTF-8. A byte order mark is left out.

    Raises:
        UsageError: if it cannot be read, is larger than `MOST_BYTES`, or is encoded otherwise.
    """
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except FileNotFoundError as error:
        raise UsageError(f"{path}: found no such file, expected a text file") from error
    except IsADirectoryError as error:
        raise UsageError(f"{path}: found a directory, expected a text file") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"{shown(str(path))}: found {reason}, expected a text file") from error
    return board_text(path, data, encoding)


def board_text(path: str | Path, data: bytes, encoding: str | None = None) -> str:
    """Decode what a file or a stream holds, as `read_board_text` does.

    Args:
        path: what errors name.
        data: all bytes, or more than `MOST_BYTES` of them.
        encoding: any that Python knows; by default UTF-8. A byte order mark is left out.

    Raises:
        UsageError: if it is larger than `MOST_BYTES`, or is encoded otherwise.
    """
    if len(data) > MOST_BYTES:
        raise UsageError(f"{path}: found more than {MOST_BYTES:,} bytes, expected a board")
    text = _decode(path, data, encoding or "utf-8")
    return "".join(line + "\n" for line in rows_of_text(text))


def _decode(path: str | Path, data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        hint = next((f"; try --encoding {name}" for name in _OTHERS if _fits(data, name)), "")
        raise UsageError(
            f"{path}: found byte 0x{data[error.start]:02x} at {error.start} (line {line}),"
            f" expected {'UTF-8' if encoding == 'utf-8' else encoding}{hint}"
        ) from error
    except (LookupError, ValueError) as error:
        raise UsageError(f"{path}: found no {encoding}, expected it because of --encoding") from error


def _fits(data: bytes, encoding: str) -> bool:
    """Whether bytes are a text in an encoding; UTF-16 has to begin with its mark, since any bytes may fit."""
    if encoding == "utf-16" and data[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        return False
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def narrow(text: str) -> str:
    """A text whose full-width forms have become ASCII."""
    return text.translate(_ASCII)


def rows_of_text(text: str) -> list[str]:
    """The lines of a text, whatever they end in, without white space at their ends.

    Full-width forms become ASCII. Empty lines at the end of the text are left out, those at its beginning
    are not: line k is item ``k - 1``.
    """
    plain = narrow(text.replace("\r\n", "\n").replace("\r", "\n"))
    lines = [line.rstrip() for line in plain.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines
