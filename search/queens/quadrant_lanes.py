"""Eight 64-bit lanes as one value in kernels, and memory by address, for the quadrant counter.

Kernels that call each other many thousand times a second take addresses and not arrays: Numba counts
references to arrays with locked instructions, which cost a sixth of the time here. Whoever passes an address
keeps the array alive.

Everything is expressed in LLVM's portable vectors: processors with AVX-512 get one instruction an
operation, others a correct sequence of their own.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.extending import intrinsic, models, register_model

LANES = 8
_I1, _I8, _I32, _I64 = (ir.IntType(bits) for bits in (1, 8, 32, 64))
_VECTOR = ir.VectorType(_I64, LANES)
_MASK = ir.VectorType(_I1, LANES)
_ZERO = ir.Constant(_VECTOR, [0] * LANES)
_ONES = ir.Constant(_VECTOR, [-1] * LANES)


def _intrinsic(generator: Callable[..., Any]) -> Any:
    """Make an intrinsic; Numba's own types describe how it is generated and not how it is called."""
    return intrinsic(generator)


class EightWords(types.Type):  # type: ignore[misc]
    """Numba's type of eight unsigned 64-bit lanes."""

    def __init__(self) -> None:
        super().__init__(name="frontrow.EightWords")


eight = EightWords()


@register_model(EightWords)
class _EightWordsModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)


def _address(builder: Any, args: Any, kind: Any) -> Any:
    return builder.gep(builder.inttoptr(args[0], kind.as_pointer()), [args[1]])


def _splat(builder: Any, scalar: Any) -> Any:
    undefined = ir.Constant(_VECTOR, ir.Undefined)
    first = builder.insert_element(undefined, scalar, ir.Constant(_I32, 0))
    return builder.shuffle_vector(first, undefined, ir.Constant(ir.VectorType(_I32, LANES), [0] * LANES))


def _call(builder: Any, name: str, result: Any, args: list[Any]) -> Any:
    kind = ir.FunctionType(result, [arg.type for arg in args])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), args)


def _binary(operation: str) -> Any:
    @_intrinsic
    def function(_typing: Any, left: Any, right: Any) -> Any:
        def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return getattr(builder, operation)(args[0], args[1])

        return eight(eight, eight), generate

    return function


def _shift(operation: str) -> Any:
    @_intrinsic
    def function(_typing: Any, value: Any, bits: Any) -> Any:
        def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return getattr(builder, operation)(args[0], _splat(builder, args[1]))

        return eight(eight, types.uint64), generate

    return function


vand = _binary("and_")
vor = _binary("or_")
vxor = _binary("xor")
vadd = _binary("add")
vshl = _shift("shl")
vshr = _shift("lshr")


def _reader(kind: Any, result: Any) -> Any:
    @_intrinsic
    def function(_typing: Any, address: Any, index: Any) -> Any:
        def generate(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            value = builder.load(_address(builder, args, kind))
            return context.cast(builder, value, result, types.int64)

        return types.int64(types.intp, types.intp), generate

    return function


read64 = _reader(_I64, types.int64)
read32 = _reader(_I32, types.int32)
read16 = _reader(ir.IntType(16), types.uint16)


@_intrinsic
def load(_typing: Any, address: Any, index: Any) -> Any:
    """The word `index` words after an address."""

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.load(_address(builder, args, _I64))

    return types.uint64(types.intp, types.intp), generate


@_intrinsic
def store(_typing: Any, address: Any, index: Any, value: Any) -> Any:
    """Write the word `index` words after an address."""

    def generate(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        builder.store(args[2], _address(builder, args, _I64))
        return context.get_dummy_value()

    return types.void(types.intp, types.intp, types.uint64), generate


@_intrinsic
def vload(_typing: Any, address: Any, index: Any) -> Any:
    """The eight words from `index` words after an address on."""

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        place = builder.bitcast(_address(builder, args, _I64), _VECTOR.as_pointer())
        return builder.load(place, align=8)

    return eight(types.intp, types.intp), generate


@_intrinsic
def vstore(_typing: Any, address: Any, index: Any, value: Any) -> Any:
    """Write eight words from `index` words after an address on."""

    def generate(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        place = builder.bitcast(_address(builder, args, _I64), _VECTOR.as_pointer())
        builder.store(args[2], place, align=8)
        return context.get_dummy_value()

    return types.void(types.intp, types.intp, eight), generate


@_intrinsic
def vset(_typing: Any, scalar: Any) -> Any:
    """The same word in every lane."""

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return _splat(builder, args[0])

    return eight(types.uint64), generate


@_intrinsic
def vnot(_typing: Any, value: Any) -> Any:
    """Complement of every lane."""

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.xor(args[0], _ONES)

    return eight(eight), generate


@_intrinsic
def vzero(_typing: Any, value: Any) -> Any:
    """Which lanes are zero, as the bits of a byte."""

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.bitcast(builder.icmp_unsigned("==", args[0], _ZERO), _I8)

    return types.uint8(eight), generate


@_intrinsic
def vcompress(_typing: Any, value: Any, mask: Any) -> Any:
    """The lanes that `mask` selects, moved together from lane 0 on."""

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        operands = [args[0], builder.bitcast(args[1], _MASK), _ZERO]
        return _call(builder, "llvm.experimental.vector.compress.v8i64", _VECTOR, operands)

    return eight(eight, types.uint8), generate


@_intrinsic
def vcount(_typing: Any, value: Any) -> Any:
    """Number of ones in each lane."""

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return _call(builder, "llvm.ctpop.v8i64", _VECTOR, [args[0]])

    return eight(eight), generate


def _reduction(operation: str, result: Any) -> Any:
    @_intrinsic
    def function(_typing: Any, value: Any) -> Any:
        def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return _call(builder, f"llvm.vector.reduce.{operation}.v8i64", _I64, [args[0]])

        return result(eight), generate

    return function


vsum = _reduction("add", types.int64)
vall = _reduction("and", types.uint64)


@_intrinsic
def count8(_typing: Any, mask: Any) -> Any:
    """Number of ones in a byte."""

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.ctpop(builder.zext(args[0], _I64))

    return types.int64(types.uint8), generate


@_intrinsic
def lowest(_typing: Any, bits: Any) -> Any:
    """Number of the lowest one of a set that is not empty."""

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(_I1, 1))

    return types.int64(types.int64), generate
