"""Parameters of a problem: how they are read, checked and described."""

import dataclasses
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from frontrow.search.errors import UsageError

METADATA = "frontrow"
"""Key under which a dataclass field carries its `Parameter`."""
_NUMBER = re.compile(r"[+-]?[0-9]+")


@dataclass(frozen=True, slots=True)
class Parameter:
    """How one field of a problem is read, checked and described.

    Attributes:
        help: one line for people.
        low: smallest integer allowed (integers only).
        high: largest integer allowed (integers only).
        choices: the words allowed (words only).
        parse: turns a text into the value, for anything that is neither integer nor word; raises
            `ValueError` with a text of the form ``found X, expected Y``. Values given from Python
            pass through it as well.
        option: written ``--name`` and not ``name=value``: it says how the question is answered.
    """

    help: str
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()
    parse: Callable[[Any], Any] | None = None
    option: bool = False

    @property
    def expected(self) -> str:
        """What a value has to be, in words."""
        if self.parse is not None:
            return self.help
        if self.choices:
            return " or ".join(self.choices)
        if self.low is None and self.high is None:
            return "an integer"
        if self.high is None:
            return f"an integer from {self.low}"
        return (
            f"an integer from {self.low} to {self.high}" if self.low is not None else f"at most {self.high}"
        )

    def read(self, name: str, value: object) -> Any:
        """Check one value, a text or a Python object, and return it in its canonical form.

        Raises:
            UsageError: if the value is not allowed.
        """
        try:
            if self.parse is not None:
                return self.parse(value)
            if self.choices:
                return self._read_word(value)
            return self._read_integer(value)
        except ValueError as error:
            raise UsageError(f"{name}: {error}") from error

    def _read_word(self, value: object) -> str:
        word = str(value).strip()
        if word not in self.choices:
            raise ValueError(f"found {shown(value)}, expected {self.expected}")
        return word

    def _read_integer(self, value: object) -> int:
        complaint = f"found {shown(value)}, expected {self.expected}"
        if isinstance(value, str):
            text = value.strip()
            if not _NUMBER.fullmatch(text) or len(text) > 40:
                raise ValueError(complaint)
            number = int(text)
        elif isinstance(value, bool):
            raise ValueError(complaint)
        else:
            try:
                number = operator.index(value)  # type: ignore[arg-type]
            except TypeError as error:
                raise ValueError(complaint) from error
        if (self.low is not None and number < self.low) or (self.high is not None and number > self.high):
            raise ValueError(complaint)
        return number


def shown(value: object) -> str:
    """A value as an error message quotes it: short, printable, on one line; bytes as hexadecimal digits."""
    text = repr(value)
    if isinstance(value, bytes):
        text = f"the bytes {value.hex(' ')}" if value else "nothing"
    return text if len(text) <= 60 else f"{text[:50]}... ({len(text)} characters)"


def parameter(
    *,
    help: str = "",
    default: Any = dataclasses.MISSING,
    low: int | None = None,
    high: int | None = None,
    choices: tuple[str, ...] = (),
    parse: Callable[[Any], Any] | None = None,
    option: bool = False,
) -> Any:
    """Declare a field of a problem together with its range and its help."""
    spec = Parameter(help, low, high, choices, parse, option)
    return dataclasses.field(default=default, metadata={METADATA: spec})
