"""Problems in a person's own file: read, checked, imported under a name made of its digest."""

import ast
import contextlib
import hashlib
import importlib.machinery
import importlib.util
import inspect
import os
import stat
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType, ModuleType

from frontrow.search.errors import FrontrowError, UsageError
from frontrow.search.kernel import cache_root, prune
from frontrow.search.own import blame
from frontrow.search.own.aside import descriptor_aside
from frontrow.search.parameter import shown
from frontrow.search.problem import Problem

KEPT = 64
"""Sources of other files, or of other states of a file, that are left in the cache."""
_WANTED = "expected a Python file with one problem"
_EVERYWHERE = {*sys.builtin_module_names, "frontrow"}
"""What may lie beside a file, as in the sources of Frontrow itself, and is on all machines."""
_loading = threading.RLock()
_importing = threading.local()


def is_file(name: str) -> bool:
    """Whether a problem's name means a file."""
    return name.endswith(".py") or os.sep in name


def find(path: str) -> type[Problem]:
    """The one problem that a file defines.

    Raises:
        UsageError: if the file cannot be read, does not import, imports a neighbour that is not on other
            machines, or defines no or two problems.
    """
    source, file = read(path)
    folder = Path(path).expanduser().parent.resolve()
    with _neighbours_refused(source, file, folder):
        return load(source, file)


def read(path: str) -> tuple[str, str]:
    """The source of a file and the name by which messages call it.

    Raises:
        UsageError: if it cannot be read as UTF-8 text.
    """
    try:
        where = Path(path).expanduser()
        found = _odd(where.stat().st_mode)
        if found:  # reading it might never end
            raise UsageError(f"{path}: found {found}, {_WANTED}")
        return where.read_text(encoding="utf-8-sig"), where.name
    except (OSError, RuntimeError) as error:  # no home folder is a RuntimeError
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"{path}: {reason}, {_WANTED}") from error
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{path}: found byte {error.start} that is not UTF-8, expected Python source"
        ) from error


def _odd(mode: int) -> str:
    """What something is that is no file to read; an empty text for one that is."""
    if stat.S_ISREG(mode):
        return ""
    return "a folder" if stat.S_ISDIR(mode) else "a pipe" if stat.S_ISFIFO(mode) else "a device"


def load(source: str, file: str) -> type[Problem]:
    """The one problem that a source defines, imported under a name made of its digest.

    The same source gives the same module in every process, so objects of it can be sent about. What it prints
    meanwhile goes to stderr.

    Raises:
        UsageError: if it does not import, or defines no or two problems.
    """
    with _loading:
        return _only_problem(_module(source, file), source, file)


def load_again(problem: Problem) -> Problem:
    """A problem like this one of a file that is imported once more, as a new process would.

    Of a class that came from no file there is only the class itself.
    """
    name = type(problem).__module__
    values = {each: getattr(problem, each) for each in problem.parameters()}
    if not name.startswith(blame.PREFIX):
        return type(problem).from_values(values)
    with _loading:
        kept = sys.modules.pop(name)
        try:
            return load(kept.frontrow_source, kept.frontrow_file).from_values(values)
        finally:
            sys.modules[name] = kept


def is_loaded(source: str, file: str) -> bool:
    """Whether `load` would import nothing."""
    return _module_name(source, file) in sys.modules


def importing() -> str:
    """The file that this thread is importing just now, or an empty text."""
    return getattr(_importing, "file", "")


def origin(problem: type[Problem]) -> tuple[str, str]:
    """Source and file of a problem; two empty texts for one that ships with Frontrow.

    A class of a script that is running is looked up in the script's file.

    Raises:
        UsageError: if there is no such file, so that workers could not find the class, or it would ask the
            question again when they import it.
    """
    module = sys.modules.get(problem.__module__)
    if problem.__module__.startswith(blame.PREFIX):
        assert module is not None
        return str(module.frontrow_source), str(module.frontrow_file)
    if problem.__module__.startswith("frontrow."):
        return "", ""
    path = getattr(module, "__file__", None)
    if path is None or not is_file(path):
        raise UsageError(
            f"problem: found class {problem.__qualname__}, typed or made in no file, expected it in a file "
            "such as ./mine.py, which workers import"
        )
    if "." in problem.__qualname__:
        raise UsageError(
            f"problem: found class {problem.__qualname__} of module {problem.__module__}, "
            "expected one at the top of a file such as ./mine.py"
        )
    if module is sys.modules["__main__"]:
        _refuse_unguarded(problem.__name__, *read(path))
    found = find(path)
    if found.__name__ != problem.__name__:
        raise UsageError(f"{path}: found class {found.__name__}, expected {problem.__name__}")
    return read(path)


def _refuse_unguarded(name: str, source: str, file: str) -> None:
    """See to it that the running script asks under a guard, before it is imported and runs once more."""
    frame: FrameType | None = sys._getframe()
    while frame is not None and (frame.f_code.co_name, frame.f_globals.get("__name__")) != (
        "<module>",
        "__main__",
    ):
        frame = frame.f_back
    if frame is None:  # another thread asks, or a prompt after the script
        return
    line = frame.f_lineno
    for step in ast.parse(source).body:
        if step.lineno <= line <= (step.end_lineno or step.lineno) and not _guards(step):
            raise UsageError(
                f"{file}, line {line}: found a question about class {name} outside a guard, expected it "
                'under `if __name__ == "__main__":`, since workers import the file'
            )


def _guards(step: ast.stmt) -> bool:
    """Whether a statement may keep what is in it from being run by an import."""
    if isinstance(step, ast.If):
        return any(isinstance(each, ast.Name) and each.id == "__name__" for each in ast.walk(step.test))
    return isinstance(step, ast.Try)


def _module_name(source: str, file: str) -> str:
    return blame.PREFIX + hashlib.sha256(f"{file}\0{source}".encode()).hexdigest()[:12]


def _module(source: str, file: str) -> ModuleType:
    name = _module_name(source, file)
    if name in sys.modules:
        return sys.modules[name]
    path = _written(source, name.removeprefix(blame.PREFIX), file)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    vars(module).update(frontrow_source=source, frontrow_file=file)
    sys.modules[name] = module
    before, _importing.file = importing(), file
    try:
        with descriptor_aside(), contextlib.redirect_stdout(sys.stderr):
            exec(compile(source, str(path), "exec"), vars(module))  # not the file, which anybody can edit
    except BaseException as error:
        text = blame.explain(error)
        del sys.modules[name]
        if text is None and not isinstance(error, (Exception, SystemExit)):
            raise
        raise UsageError(text or f"{file}: {blame.told(error)}") from error
    finally:
        _importing.file = before
    return module


def _written(source: str, digest: str, file: str) -> Path:
    """The source as a file of the cache: tracebacks show its lines and Numba keeps its kernels by it."""
    folder = cache_root() / "sources" / digest
    path = folder / (Path(file).stem + ".py")
    if not path.exists() or path.read_text(encoding="utf-8") != source:
        prune(folder.parent, KEPT)
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=folder, encoding="utf-8", delete=False) as part:
            part.write(source)
        os.replace(part.name, path)
    with contextlib.suppress(OSError):
        os.utime(folder)  # the folders used last are kept
    return path


def _only_problem(module: ModuleType, source: str, file: str) -> type[Problem]:
    found = [
        member
        for member in vars(module).values()
        if inspect.isclass(member) and issubclass(member, Problem) and member.__module__ == module.__name__
    ]
    outer = [
        each for each in found if not any(other is not each and issubclass(other, each) for other in found)
    ]
    lines = {node.name: node.lineno for node in ast.parse(source).body if isinstance(node, ast.ClassDef)}
    if len(outer) != 1:
        names = " and ".join(f"{each.__name__} (line {lines.get(each.__name__)})" for each in outer)
        what = f"the problems {names}" if outer else "no problem"
        raise UsageError(
            f"{file}: found {what}, expected one class that derives from CountingTree or StateGraph"
        )
    from frontrow.search.own.form import faults

    [problem] = outer
    for name, fault in faults(problem):
        line = blame.line_of(problem, name) or lines.get(problem.__name__)
        raise UsageError(f"{file}, line {line}: class {problem.__name__}: {fault}")
    return problem


@contextlib.contextmanager
def _neighbours_refused(source: str, file: str, folder: Path) -> Iterator[None]:
    """See to it that a file imports nothing that lies beside it: only the file itself is sent and named."""
    try:
        yield
    except FrontrowError as error:
        missing = error.__cause__.name if isinstance(error.__cause__, ModuleNotFoundError) else None
        top = (missing or "").partition(".")[0]
        if top and ((folder / f"{top}.py").exists() or (folder / top).is_dir()):
            raise UsageError(f"{error}: {_alone(top, file)}") from error
        raise
    for line, top in _imports(source):
        spec = None if top in _EVERYWHERE else _spec(top)
        if spec is not None and spec.has_location and spec.origin is not None:
            origin = Path(spec.origin).resolve()
            if folder in (origin.parent, origin.parent.parent) and "site-packages" not in origin.parts:
                raise UsageError(f"{file}, line {line}: import of {top}: {_alone(top, file)}")


def _alone(top: str, file: str) -> str:
    return f"found {top} beside the file, expected all in {shown(file)}: only that is sent to workers"


def _imports(source: str) -> Iterator[tuple[int, str]]:
    """Line and first name of every import."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name.partition(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.lineno, node.module.partition(".")[0]


def _spec(top: str) -> importlib.machinery.ModuleSpec | None:
    try:
        return importlib.util.find_spec(top)
    except (ImportError, ValueError):  # ``__main__`` has none
        return None
