"""How a question is worded: the parameters and options that have to be typed to ask it again."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from frontrow.search.errors import FrontrowError, UsageError
from frontrow.search.own.blame import explained
from frontrow.search.own.files import is_loaded
from frontrow.search.problem import Problem
from frontrow.search.registry import ProblemRef

EMPTY: tuple[object, ...] = (None, "", (), [])
"""Values that say nothing: they are left out where they are the default."""
_UNKNOWN = object()
"""Stands for a default that cannot be told."""


@dataclass(frozen=True, slots=True)
class Wording:
    """A question's values, sorted by how they are told.

    Attributes:
        params: the parameters without the options, in the problem's order.
        options: the options that have to be typed, since they are not what is chosen without them.
        silent: names of parameters that are left out: empty, as they are by default.
    """

    params: Mapping[str, Any]
    options: Mapping[str, Any]
    silent: frozenset[str]

    @property
    def spoken(self) -> dict[str, Any]:
        """The parameters that say something."""
        return {name: value for name, value in self.params.items() if name not in self.silent}


def wording(ref: ProblemRef) -> Wording:
    """How a question is worded, as far as its problem is known here.

    Nobody's code is run for it: of a source that is not imported yet, only the text is read.
    """
    if ref.source and not is_loaded(ref.source, ref.file):
        return _read(ref)
    values = ref.params()
    try:
        kind = ref.kind()
    except UsageError:
        return Wording(dict(values), {}, frozenset(name for name, value in values.items() if value in EMPTY))
    specs = kind.parameters()
    params = {name: values[name] for name, spec in specs.items() if not spec.option}
    silent = (name for name, value in params.items() if value in EMPTY and _is_default(kind, name, value))
    return Wording(params, _chosen(kind, params, values), frozenset(silent))


def _chosen(kind: type[Problem], params: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The options that are not what is chosen without them; all that there are, where that fails."""
    given = {name: value for name, value in values.items() if name not in params}
    try:
        with explained():
            usual = ProblemRef.of(kind.from_values(params).settle()).params() if given else {}
    except FrontrowError:
        return given
    return {name: value for name, value in given.items() if value != usual[name]}


def _is_default(kind: type[Problem], name: str, value: object) -> bool:
    if not hasattr(kind, name):
        return False
    default = getattr(kind, name)
    try:
        with explained():
            default = kind.parameters()[name].read(name, default)
    except FrontrowError:
        return False
    return bool(_plain(default) == value)


def _plain(value: object) -> Any:
    """A value as JSON gives it back."""
    return list(value) if isinstance(value, tuple) else value


def _read(ref: ProblemRef) -> Wording:
    """How a question about somebody's class is worded, by the text of the class."""
    values = ref.params()
    fields = {name: found for name, found in _fields(ref.source).items() if name in values}
    order = [*fields, *(name for name in values if name not in fields)]
    usual = {name: default for name, (_, default) in fields.items()}
    options = {name for name, (option, _) in fields.items() if option}
    params = {name: values[name] for name in order if name not in options}
    return Wording(
        params=params,
        options={name: values[name] for name in order if name in options and values[name] != usual[name]},
        silent=frozenset(
            name
            for name, value in params.items()
            if value in EMPTY and _plain(usual.get(name, _UNKNOWN)) == value
        ),
    )


def _fields(source: str) -> dict[str, tuple[bool, Any]]:
    """Whether a field is an option, and its default as far as that is written out, by the field's name."""
    classes = (each for each in ast.parse(source).body if isinstance(each, ast.ClassDef))
    lines = (line for each in classes for line in each.body if isinstance(line, ast.AnnAssign))
    return {line.target.id: _field(line.value) for line in lines if isinstance(line.target, ast.Name)}


def _field(value: ast.expr | None) -> tuple[bool, Any]:
    if not isinstance(value, ast.Call):
        return False, _literal(value)
    given = {each.arg: _literal(each.value) for each in value.keywords}
    return given.get("option") is True, given.get("default", _UNKNOWN)


def _literal(value: ast.expr | None) -> Any:
    try:
        return _UNKNOWN if value is None else ast.literal_eval(value)
    except ValueError:
        return _UNKNOWN
