"""Words of memory by address, for kernels that work on many arrays at once.

A kernel cannot be handed a list of arrays cheaply. It is handed their addresses instead; whoever calls it
keeps the arrays alive. Without Numba's compiler the same functions work through ctypes, slowly.
"""

import contextlib
import ctypes
import mmap
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
HUGE = 2 << 20
"""Bytes of a huge page: memory that begins with one needs fewer small ones."""
OWN = 1 << 20
"""Bytes from which on memory is asked of the system itself."""

_WORD = ir.IntType(64)
_BYTE = ir.IntType(8)
_INT = ir.IntType(32)


def load(address: Any, index: Any) -> Any:
    """The word `index` words after an address."""
    return np.uint64(ctypes.c_uint64.from_address(int(address) + WORD * int(index)).value)


def store(address: Any, index: Any, value: Any) -> None:
    """Write the word `index` words after an address."""
    ctypes.c_uint64.from_address(int(address) + WORD * int(index)).value = int(value)


def prefetch(address: Any) -> None:
    """Have the line of memory at an address fetched to be written soon."""


def trailing_zeros(word: Any) -> int:
    """The number of the lowest bit that is set; the word is not 0."""
    return (int(word) & -int(word)).bit_length() - 1


def alike(address: Any, word: Any) -> Any:
    """A bit for each of the eight words of the line at an address: whether it is equal to a word."""
    line = (ctypes.c_uint64 * (LINE // WORD)).from_address(int(address))
    return np.uint64(sum(1 << place for place, found in enumerate(line) if found == int(word)))


def words_of(count: int) -> NDArray[np.uint64]:
    """Zeroed memory for so many words; large ones go back to the system as soon as they are let go."""
    if count * WORD < OWN:
        return np.zeros(count, np.uint64)
    # What malloc gives may stay with the process for ever after it was freed.
    memory = mmap.mmap(-1, count * WORD + HUGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):  # a system without huge pages
            memory.madvise(mmap.MADV_HUGEPAGE)
    every = np.frombuffer(memory, np.uint64)
    # The rest is never touched, and so takes nothing.
    first = -every.__array_interface__["data"][0] % HUGE // WORD
    return every[first : first + count]


def lines_of(count: int) -> tuple[NDArray[np.uint64], int]:
    """Zeroed memory for so many lines, and the address at which the first one begins.

    Returns:
        The array that owns the memory, and an address in it that is a multiple of `LINE`.
    """
    owner = words_of((count + 1) * (LINE // WORD))
    start: int = owner.__array_interface__["data"][0]
    return owner, -(-start // LINE) * LINE


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


def _alike(_typing: Any, address: Any, word: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        vector = ir.VectorType(_WORD, LINE // WORD)
        line = builder.load(builder.inttoptr(args[0], vector.as_pointer()), align=LINE)
        first = builder.insert_element(ir.Constant(vector, ir.Undefined), args[1], ir.Constant(_INT, 0))
        everywhere = ir.Constant(ir.VectorType(_INT, LINE // WORD), [0] * (LINE // WORD))
        words = builder.shuffle_vector(first, ir.Constant(vector, ir.Undefined), everywhere)
        flags = builder.bitcast(builder.icmp_unsigned("==", line, words), ir.IntType(LINE // WORD))
        return builder.zext(flags, _WORD)

    return types.uint64(types.intp, types.uint64), generate


_load_word: Any = intrinsic(_load)
_store_word: Any = intrinsic(_store)
_prefetch_line: Any = intrinsic(_prefetch)
_count_zeros: Any = intrinsic(_trailing_zeros)
_alike_words: Any = intrinsic(_alike)


def _compiled(plain: Any, implementation: Any) -> None:
    """Say what kernels do where they call `plain`: a function with the same parameters."""
    overload(plain)(implementation)


_compiled(load, lambda address, index: lambda address, index: _load_word(address, index))  # noqa: PLW0108
_compiled(
    store,
    lambda address, index, value: (
        lambda address, index, value: _store_word(address, index, value)  # noqa: PLW0108
    ),
)
_compiled(prefetch, lambda address: lambda address: _prefetch_line(address))  # noqa: PLW0108
_compiled(trailing_zeros, lambda word: lambda word: _count_zeros(word))  # noqa: PLW0108
_compiled(alike, lambda address, word: lambda address, word: _alike_words(address, word))  # noqa: PLW0108
