"""How kernels are compiled and where their machine code is kept."""

import functools
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import platformdirs

Function = TypeVar("Function", bound=Callable[..., Any])
KEPT = 8
"""Cache folders of other versions that are left in place."""
_CONFIG: Any = numba.config


@functools.cache
def sources_digest() -> str:
    """Twelve hexadecimal digits that name all sources of `frontrow.search` and Numba's version."""
    state = hashlib.blake2b(numba.__version__.encode(), digest_size=6)
    root = Path(__file__).parent
    for path in sorted(root.rglob("*.py")):
        state.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return state.hexdigest()


@functools.cache
def cache_folder() -> Path:
    """Where compiled kernels live: a folder of the user's cache named by `sources_digest`.

    An edited source gives another folder, so stale machine code is never loaded.
    """
    return kernels_folder() / sources_digest()


def kernels_folder() -> Path:
    """Where the kernels of all versions live; ``FRONTROW_CACHE`` names another cache."""
    root = os.environ.get("FRONTROW_CACHE")
    return (Path(root) if root else Path(platformdirs.user_cache_dir("frontrow"))) / "kernels"


def is_cold() -> bool:
    """Whether no kernel of these sources has been compiled on this machine yet."""
    return not _CONFIG.DISABLE_JIT and next(cache_folder().rglob("*.nbi"), None) is None


def kernel(function: Function) -> Function:
    """Compile a function to machine code that runs without the interpreter lock and is cached on disk."""
    return _compile(function, cache=True, nogil=True)


def inlined(function: Function) -> Function:
    """Compile a function that is only ever called by kernels and is copied into them."""
    return _compile(function, inline="always")


def _compile(function: Function, **options: Any) -> Function:
    # Numba picks a function's cache folder while it is decorated; anybody else's setting is put back.
    before = _CONFIG.CACHE_DIR
    _CONFIG.CACHE_DIR = str(cache_folder())
    try:
        compiled: Any = numba.njit(error_model="numpy", boundscheck=False, **options)(function)
    finally:
        _CONFIG.CACHE_DIR = before
    return compiled  # type: ignore[no-any-return]
