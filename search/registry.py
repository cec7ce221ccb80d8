"""Problems by name: every module of `frontrow.search.problems` is one; a person's own is one by its file."""

import importlib
import inspect
import json
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from frontrow.search.errors import UsageError
from frontrow.search.own import files
from frontrow.search.parameter import shown
from frontrow.search.problem import Problem

_PACKAGE = "frontrow.search.problems"


def names() -> list[str]:
    """The names of the problems that ship with Frontrow, sorted; imports none of them.

    Those that begin with ``_`` are left out: parts of other questions, which `find` knows but nobody asks.
    """
    return [name for name in _all_names() if not name.startswith("_")]


def _all_names() -> list[str]:
    package = importlib.import_module(_PACKAGE)
    return sorted(module.name for module in pkgutil.iter_modules(package.__path__))


def find(name: str) -> type[Problem]:
    """The class of a problem: one that ships with Frontrow, or that of a file such as ``./mine.py``.

    Raises:
        UsageError: if there is none of that name, or the file does not import or does not define one problem.
    """
    if files.is_file(name):
        return files.find(name)
    if name not in _all_names():
        raise UsageError(
            f"problem: found {shown(name)}, expected {' or '.join(names())}, or a file such as ./mine.py"
        )
    module = importlib.import_module(f"{_PACKAGE}.{name}")
    for member in vars(module).values():
        if inspect.isclass(member) and issubclass(member, Problem) and member.__module__ == module.__name__:
            return member
    raise UsageError(f"problem {name}: found no Problem in {module.__file__}, expected one")


@dataclass(frozen=True, slots=True)
class ProblemRef:
    """A problem by name and values: what is stored, compared and sent instead of the object.

    Attributes:
        name: the problem's name.
        values: its parameters and options as canonical JSON (sorted keys, no blanks).
        version: the problem's version when the reference was made.
        source: the text of the file that defines it; empty if it ships with Frontrow.
        file: what messages call that file.
    """

    name: str
    values: str
    version: int
    source: str = ""
    file: str = ""

    @classmethod
    def of(cls, problem: Problem) -> "ProblemRef":
        """Refer to a problem whose ``auto`` choices are settled.

        Raises:
            UsageError: if it neither ships with Frontrow nor came from a file through `find`.
        """
        text = _canonical(problem)
        return cls(problem.name, text, problem.version, *files.origin(type(problem)))

    def kind(self) -> type[Problem]:
        """The problem's class.

        Raises:
            UsageError: if it is unknown or has another version here.
        """
        found = files.load(self.source, self.file) if self.source else find(self.name)
        if found.version != self.version:
            raise UsageError(f"problem {self.name}: found version {self.version}, expected {found.version}")
        return found

    def load(self) -> Problem:
        """Make the problem.

        Raises:
            UsageError: if it is unknown or has another version here.
        """
        return self.kind().from_values(self.params())

    def params(self) -> Mapping[str, Any]:
        """The parameters and options by name."""
        return json.loads(self.values)  # type: ignore[no-any-return]


def _canonical(problem: Problem) -> str:
    """The parameters as JSON that makes the same problem again.

    Raises:
        UsageError: if there is none: somebody's `parse` gives what JSON cannot hold or what it does not take.
    """
    values = {name: getattr(problem, name) for name in problem.parameters()}
    for name, value in values.items():
        try:
            text = json.dumps(value)
            again = problem.parameters()[name].read(name, json.loads(text))
        except (TypeError, ValueError, AttributeError, UsageError) as error:
            raise UsageError(
                f"{name}: found {shown(value)}, which cannot be kept and read again ({error})"
            ) from error
        if again != value:
            raise UsageError(
                f"{name}: found {shown(value)} read again as {shown(again)}, expected the same value"
            )
    return json.dumps(values, sort_keys=True, separators=(",", ":"))
