"""How kernels are compiled and where their machine code is kept.

Numba itself is imported when the first kernel is defined: counting a small board needs none.
"""

import functools
import hashlib
import os
import re
import shutil
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import platformdirs

Function = TypeVar("Function", bound=Callable[..., Any])
KEPT = 8
"""Cache folders of other versions that are left in place."""
_FOLDER = re.compile(r"[0-9a-f]{12}")


@functools.cache
def sources_digest() -> str:
    """Twelve hexadecimal digits that name all sources of `frontrow.search` and Numba's version."""
    state = hashlib.blake2b(version("numba").encode(), digest_size=6)
    root = Path(__file__).parent
    for path in sorted(root.rglob("*.py")):
        state.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return state.hexdigest()


def cache_folder() -> Path:
    """Where compiled kernels live: a folder of the user's cache named by `sources_digest`.

    An edited source gives another folder, so stale machine code is never loaded.
    """
    return kernels_folder() / sources_digest()


def cache_root() -> Path:
    """The folder of everything that can be made again; ``FRONTROW_CACHE`` names another one."""
    return Path(os.environ.get("FRONTROW_CACHE") or platformdirs.user_cache_dir("frontrow"))


def kernels_folder() -> Path:
    """Where the kernels of all versions live."""
    return cache_root() / "kernels"


def is_cold() -> bool:
    """Whether no kernel of these sources has been compiled on this machine yet."""
    compiles = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")
    return compiles and next(cache_folder().rglob("*.nbi"), None) is None


def kernel(function: Function) -> Function:
    """Compile a function to machine code that runs without the interpreter lock and is cached on disk."""
    return _compile(function, cache=True, nogil=True)


def inlined(function: Function) -> Function:
    """Compile a function that is only ever called by kernels and is copied into them.

    LLVM does the copying, so a constant argument makes a version of its own.
    """
    return _compile(function, forceinline=True)


def lean(function: Function) -> Function:
    """Compile like `kernel`, for a kernel that makes no arrays, not even slices, but takes tuples of them.

    It counts no references: with arrays in tuples that are handed to `lean_inlined` functions, counting took
    nine tenths of the time.
    """
    return _compile(function, cache=True, nogil=True, _nrt=False)


def lean_inlined(function: Function) -> Function:
    """Compile like `inlined`, for functions that `lean` kernels call; they make no array either."""
    return _compile(function, forceinline=True, _nrt=False)


def _compile(function: Function, **options: Any) -> Function:
    import numba

    config: Any = numba.config
    # Numba picks a function's cache folder while it is decorated; anybody else's setting is put back.
    before = config.CACHE_DIR
    config.CACHE_DIR = str(_prepared())
    try:
        compiled: Any = numba.njit(error_model="numpy", boundscheck=False, **options)(function)
    finally:
        config.CACHE_DIR = before
    return compiled  # type: ignore[no-any-return]


@functools.cache
def _prepared() -> Path:
    """The cache folder; where it is new, folders of old versions are removed."""
    folder = cache_folder()
    if not folder.exists():
        prune(folder.parent)
    return folder


def prune(folder: Path, kept: int = KEPT) -> None:
    """Remove all but the `kept` newest version folders; anything else in the folder stays.

    A process that still uses a removed one compiles again. What cannot be removed is left.
    """
    try:
        found = [path for path in folder.iterdir() if _FOLDER.fullmatch(path.name) and path.is_dir()]
        found.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    except OSError:
        return
    for path in found[kept:]:
        shutil.rmtree(path, ignore_errors=True)
