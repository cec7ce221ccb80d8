"""Problems in a person's own file: read, named by digest, and explained when they fail."""

import hashlib
import importlib.util
import inspect
import os
import sys
import tempfile
import traceback
from pathlib import Path
from types import ModuleType

import platformdirs

from frontrow.search.errors import UsageError
from frontrow.search.parameter import shown
from frontrow.search.problem import Problem

_PREFIX = "frontrow_file_"


def is_file(name: str) -> bool:
    """Whether a problem's name means a file."""
    return name.endswith(".py") or os.sep in name


def read(path: str) -> tuple[str, str]:
    """The source of a file and the name by which messages call it.

    Raises:
        UsageError: if it cannot be read as UTF-8 text.
    """
    try:
        return Path(path).expanduser().read_text(encoding="utf-8"), Path(path).name
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}, expected a Python file with one problem") from error
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{path}: found byte {error.start} that is not UTF-8, expected Python source"
        ) from error


def load(source: str, file: str) -> type[Problem]:
    """The one problem that a source defines, imported under a name made of its digest.

    The same source gives the same module in every process, so objects of it can be sent about.

    Raises:
        UsageError: if it does not import, or defines no or two problems.
    """
    return _only_problem(_module(source, file), file)


def origin(problem: type[Problem]) -> tuple[str, str]:
    """Source and file of a problem that `load` made; two empty texts for one that ships with Frontrow.

    Raises:
        UsageError: if it is from elsewhere, so that workers could not find it.
    """
    if problem.__module__.startswith(_PREFIX):
        module = sys.modules[problem.__module__]
        return str(module.frontrow_source), str(module.frontrow_file)
    if problem.__module__.startswith("frontrow."):
        return "", ""
    raise UsageError(
        f"problem: found class {problem.__name__} of module {problem.__module__}, "
        "expected a problem's name or a file such as ./mine.py"
    )


def explain(error: BaseException, problem: type[Problem]) -> str | None:
    """Where and how a person's own file failed, on one line; None if the problem is none of theirs."""
    if not problem.__module__.startswith(_PREFIX):
        return None
    module = sys.modules[problem.__module__]
    return _explain(error, str(module.__file__), str(module.frontrow_file))


def _explain(error: BaseException, path: str, file: str) -> str:
    message = f"{type(error).__name__}: {' '.join(str(error).split())}".removesuffix(": ")
    if isinstance(error, SyntaxError) and error.filename == path:
        return f"{file}, line {error.lineno}: {type(error).__name__}: {error.msg}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    if not frames:
        return f"{file}: {message}"
    last = frames[-1]
    where = "" if last.name == "<module>" else f" in {last.name}"
    return f"{file}, line {last.lineno}{where}: {message}"


def _module(source: str, file: str) -> ModuleType:
    digest = hashlib.sha256(f"{file}\0{source}".encode()).hexdigest()[:16]
    name = _PREFIX + digest
    if name in sys.modules:
        return sys.modules[name]
    path = _written(source, digest, file)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    vars(module).update(frontrow_source=source, frontrow_file=file)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[name]
        if isinstance(error, Exception):
            raise UsageError(_explain(error, str(path), file)) from error
        raise
    return module


def _written(source: str, digest: str, file: str) -> Path:
    """The source as a file of the cache: tracebacks show its lines and Numba keeps its kernels beside it."""
    root = os.environ.get("FRONTROW_CACHE") or platformdirs.user_cache_dir("frontrow")
    path = Path(root) / "sources" / digest / (Path(file).stem + ".py")
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=path.parent, encoding="utf-8", delete=False) as part:
            part.write(source)
        os.replace(part.name, path)
    return path


def _only_problem(module: ModuleType, file: str) -> type[Problem]:
    found = [
        member
        for member in vars(module).values()
        if inspect.isclass(member) and issubclass(member, Problem) and member.__module__ == module.__name__
    ]
    outer = [
        each for each in found if not any(other is not each and issubclass(other, each) for other in found)
    ]
    if len(outer) != 1:
        names = ", ".join(each.__name__ for each in outer) or "none"
        raise UsageError(f"{file}: found the problems {shown(names)}, expected one class that is a Problem")
    missing = sorted(outer[0].__abstractmethods__)
    if missing:
        raise UsageError(f"{file}: class {outer[0].__name__}: found no {', '.join(missing)}, expected it")
    return outer[0]
