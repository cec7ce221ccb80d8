"""Eight 64-bit lanes as one value in kernels, for the quadrant counter.

Everything is expressed in LLVM's portable vectors: processors with AVX-512 get one instruction an
operation, others a correct sequence of their own.
"""

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


class EightWords(types.Type):  # type: ignore[misc]
    """Numba's type of eight unsigned 64-bit lanes."""

    def __init__(self) -> None:
        super().__init__(name="frontrow.EightWords")


eight = EightWords()


@register_model(EightWords)
class _EightWordsModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)


def _address(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    array = context.make_array(signature.args[0])(context, builder, args[0])
    return builder.bitcast(builder.gep(array.data, [args[1]]), _VECTOR.as_pointer())


def _splat(builder: Any, scalar: Any) -> Any:
    undefined = ir.Constant(_VECTOR, ir.Undefined)
    first = builder.insert_element(undefined, scalar, ir.Constant(_I32, 0))
    return builder.shuffle_vector(first, undefined, ir.Constant(ir.VectorType(_I32, LANES), [0] * LANES))


def _call(builder: Any, name: str, result: Any, args: list[Any]) -> Any:
    kind = ir.FunctionType(result, [arg.type for arg in args])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), args)


def _binary(operation: str) -> Any:
    @intrinsic  # type: ignore[untyped-decorator]
    def function(_typing: Any, left: Any, right: Any) -> Any:
        def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return getattr(builder, operation)(args[0], args[1])

        return eight(eight, eight), generate

    return function


def _shift(operation: str) -> Any:
    @intrinsic  # type: ignore[untyped-decorator]
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


@intrinsic  # type: ignore[untyped-decorator]
def vload(_typing: Any, array: Any, index: Any) -> Any:
    """Lanes ``array[index : index + 8]``."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_address(context, builder, signature, args), align=8)

    return eight(array, types.intp), generate


@intrinsic  # type: ignore[untyped-decorator]
def vstore(_typing: Any, array: Any, index: Any, value: Any) -> Any:
    """Write ``array[index : index + 8]``."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], _address(context, builder, signature, args), align=8)
        return context.get_dummy_value()

    return types.void(array, types.intp, eight), generate


@intrinsic  # type: ignore[untyped-decorator]
def vset(_typing: Any, scalar: Any) -> Any:
    """The same word in every lane."""

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return _splat(builder, args[0])

    return eight(types.uint64), generate


@intrinsic  # type: ignore[untyped-decorator]
def vnot(_typing: Any, value: Any) -> Any:
    """Complement of every lane."""

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.xor(args[0], _ONES)

    return eight(eight), generate


@intrinsic  # type: ignore[untyped-decorator]
def vzero(_typing: Any, value: Any) -> Any:
    """Which lanes are zero, as the bits of a byte."""

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.bitcast(builder.icmp_unsigned("==", args[0], _ZERO), _I8)

    return types.uint8(eight), generate


@intrinsic  # type: ignore[untyped-decorator]
def vcompress(_typing: Any, value: Any, mask: Any) -> Any:
    """The lanes that `mask` selects, moved together from lane 0 on."""

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        operands = [args[0], builder.bitcast(args[1], _MASK), _ZERO]
        return _call(builder, "llvm.experimental.vector.compress.v8i64", _VECTOR, operands)

    return eight(eight, types.uint8), generate


@intrinsic  # type: ignore[untyped-decorator]
def vcount(_typing: Any, value: Any) -> Any:
    """Number of ones in each lane."""

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return _call(builder, "llvm.ctpop.v8i64", _VECTOR, [args[0]])

    return eight(eight), generate


def _reduction(operation: str, result: Any) -> Any:
    @intrinsic  # type: ignore[untyped-decorator]
    def function(_typing: Any, value: Any) -> Any:
        def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return _call(builder, f"llvm.vector.reduce.{operation}.v8i64", _I64, [args[0]])

        return result(eight), generate

    return function


vsum = _reduction("add", types.int64)
vall = _reduction("and", types.uint64)


@intrinsic  # type: ignore[untyped-decorator]
def count8(_typing: Any, mask: Any) -> Any:
    """Number of ones in a byte."""

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.ctpop(builder.zext(args[0], _I64))

    return types.int64(types.uint8), generate
