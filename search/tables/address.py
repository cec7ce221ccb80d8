"""Words of memory by address, for kernels that work on many arrays at once.

A kernel cannot be handed a list of arrays cheaply. It is handed their addresses instead; whoever calls it keeps
the arrays alive. Without Numba's compiler the same functions work through ctypes, slowly.
"""

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.extending import intrinsic, overload
from numpy.typing import NDArray

WORD = 8
"""Bytes a word."""
LINE = 64
"""Bytes that processors fetch at once."""

_WORD = ir.IntType(64)
_BYTE = ir.IntType(8)
_INT = ir.IntType(32)


def load(address: int, index: int) -> Any:
    """The word `index` words after an address."""
    return np.uint64(ctypes.c_uint64.from_address(int(address) + WORD * int(index)).value)


def store(address: int, index: int, value: Any) -> None:
    """Write the word `index` words after an address."""
    ctypes.c_uint64.from_address(int(address) + WORD * int(index)).value = int(value)


def prefetch(address: int) -> None:
    """Have the line of memory at an address fetched to be written soon."""


def trailing_zeros(word: Any) -> int:
    """The number of the lowest bit that is set; the word is not 0."""
    return (int(word) & -int(word)).bit_length() - 1


def lines_of(count: int) -> tuple[NDArray[np.uint64], int]:
    """Zeroed memory for so many lines, and the address at which the first one begins.

    Returns:
        The array that owns the memory, and an address in it that is a multiple of `LINE`.
    """
    owner = np.zeros((count + 1) * (LINE // WORD), np.uint64)
    start: int = owner.__array_interface__["data"][0]
    return owner, -(-start // LINE) * LINE


def _compiled(plain: Callable[..., Any], generator: Callable[..., Any]) -> None:
    """Say what kernels do where they call `plain`."""
    inner: Any = intrinsic(generator)

    if plain.__code__.co_argcount == 1:
        overload(plain)(lambda address: lambda address: inner(address))
    elif plain.__code__.co_argcount == 2:
        overload(plain)(lambda address, index: lambda address, index: inner(address, index))
    else:
        overload(plain)(
            lambda address, index, value: lambda address, index, value: inner(address, index, value)
        )


def _pointer(builder: Any, args: Any) -> Any:
    return builder.gep(builder.inttoptr(args[0], _WORD.as_pointer()), [args[1]])


def _load(_typing: Any, address: Any, index: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.load(_pointer(builder, args))

    return types.uint64(types.intp, types.intp), generate


def _store(_typing: Any, address: Any, index: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        builder.store(args[2], _pointer(builder, args))
        return context.get_dummy_value()

    return types.void(types.intp, types.intp, types.uint64), generate


def _prefetch(_typing: Any, address: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        place = _BYTE.as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [place, _INT, _INT, _INT])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        # For writing, to be kept in all caches, of data.
        numbers = [ir.Constant(_INT, number) for number in (1, 3, 1)]
        builder.call(function, [builder.inttoptr(args[0], place), *numbers])
        return context.get_dummy_value()

    return types.void(types.intp), generate


def _trailing_zeros(_typing: Any, word: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.intp(types.uint64), generate


_compiled(load, _load)
_compiled(store, _store)
_compiled(prefetch, _prefetch)
_compiled(trailing_zeros, _trailing_zeros)
