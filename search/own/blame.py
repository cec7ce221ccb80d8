"""Where a person's own file failed: its name, line and message, and nothing of ours."""

import ast
import contextlib
import inspect
import opcode
import sys
import traceback
from collections.abc import Iterator

from frontrow.search.errors import FrontrowError, MethodError, ProblemError
from frontrow.search.problem import Problem

PREFIX = "frontrow_file_"
"""Begins the names of modules that `frontrow.search.own.files` makes of people's files."""
LONGEST = 400
"""Characters of a message that are quoted."""


@contextlib.contextmanager
def explained(
    problem: Problem | None = None, error_class: type[FrontrowError] = ProblemError
) -> Iterator[None]:
    """Have what a person's own code raises told in one line that names their file.

    Args:
        problem: the problem whose methods are called, if it is known.
        error_class: what is raised instead.

    Raises:
        FrontrowError: of that class; what is no fault of a person's file passes.
    """
    try:
        yield
    except FrontrowError as error:
        text = explain(error, type(problem)) if isinstance(error, MethodError) else None
        if text is None:
            raise
        raise error_class(text) from error
    except BaseException as error:
        text = explain(error, type(problem))
        if text is None:
            raise
        raise error_class(text) from error


def explain(error: BaseException, problem: type = object) -> str | None:
    """Where and how a person's own file failed, on one line; None if no line of theirs is to blame.

    Ctrl-C, wherever it arrives, is nobody's fault; a file that raises KeyboardInterrupt itself is.
    """
    files = {
        str(module.__file__): str(module.frontrow_file)
        for name, module in list(sys.modules.items())
        if name.startswith(PREFIX)
    }
    if isinstance(error, SyntaxError) and error.filename in files:
        return f"{files[error.filename]}, line {error.lineno}: {told(error)}"
    if not isinstance(error, (Exception, SystemExit)) and not _is_raised_by(error, files):
        return None
    place = _last_line(error, files) if not isinstance(error, MethodError) else None
    if place is not None:
        return f"{place}: {told(error)}"
    if isinstance(error, MethodError) and problem.__module__.startswith(PREFIX):
        return f"{_definition(problem, error.method)}: {error.text}"
    if isinstance(error, TypeError):
        owner, _, call = str(error).partition("()")[0].rpartition(".")  # as in ``Mine.tally() takes ...``
        for kind in (problem, *_classes(owner)):
            if owner == kind.__qualname__ and kind.__module__.startswith(PREFIX):
                return f"{_definition(kind, call)}: {told(error)}"
    return None


def _is_raised_by(error: BaseException, files: dict[str, str]) -> bool:
    """Whether a ``raise`` of a person's file raised an error: a signal arrives between two other steps."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return False
    code = trace.tb_frame.f_code
    return code.co_filename in files and code.co_code[trace.tb_lasti] == opcode.opmap["RAISE_VARARGS"]


def _classes(name: str) -> list[type]:
    """Classes of people's files that have a name, of the file imported last first."""
    modules = [module for each, module in reversed(list(sys.modules.items())) if each.startswith(PREFIX)]
    return [vars(module)[name] for module in modules if inspect.isclass(vars(module).get(name))]


def told(error: BaseException) -> str:
    """An error's own words, on one line."""
    if isinstance(error, FrontrowError):
        text = str(error)
    elif isinstance(error, SyntaxError):
        text = f"{type(error).__name__}: {error.msg}"
    else:
        kind = type(error)
        text = traceback.format_exception_only(error)[0].removeprefix(f"{kind.__module__}.")
        text = kind.__name__ + text.removeprefix(kind.__qualname__)
    text = " ".join(text.split()).removesuffix(":")
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def _last_line(error: BaseException, files: dict[str, str]) -> str | None:
    """The innermost line of a person's file that an error passed through."""
    place = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        code = frame.f_code
        if code.co_filename in files:
            name = code.co_qualname.partition(".<locals>")[0].rpartition(".")[2]
            place = f"{files[code.co_filename]}, line {line}" + ("" if name[:1] == "<" else f" in {name}")
    return place


def _definition(problem: type, method: str) -> str:
    """Where a person's file defines a method, or the class if it does not."""
    module = sys.modules[problem.__module__]
    value = inspect.getattr_static(problem, method, None)
    value = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
    code = getattr(value, "__code__", None)
    if code is not None and code.co_filename == module.__file__:
        return f"{module.frontrow_file}, line {code.co_firstlineno} in {method}"
    line = line_of(problem, method)
    where = f"line {line}" if line is not None else f"class {problem.__name__}"
    return f"{module.frontrow_file}, {where}: {method}"


def line_of(problem: type, name: str) -> int | None:
    """The line on which a class of a person's file, or one that it derives from there, sets an attribute."""
    module = sys.modules[problem.__module__]
    bodies = {
        node.name: node.body
        for node in ast.parse(module.frontrow_source).body
        if isinstance(node, ast.ClassDef)
    }
    for kind in problem.__mro__:
        for statement in bodies.get(kind.__name__, []) if kind.__module__ == problem.__module__ else []:
            if isinstance(statement, (ast.Assign, ast.AnnAssign)) and name in {
                part.id
                for part in ast.walk(statement)
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
            }:
                return statement.lineno
    return None
