"""SIMD values for kernels: 64 bytes as 32 lanes of 16 bits or 16 lanes of 32 bits, a first-class Numba type.

Numba has no vector type, and LLVM's own vectorisers cannot invent one where lanes are packed, looked up and
counted. Here a `Lanes` value is one LLVM vector; operators and the functions below are single instructions
on a processor that has them (AVX-512) and the same arithmetic in several instructions elsewhere.

Functions that take an array work on the lanes that its elements make: ``uint16`` or ``uint32``. Masks are
plain ``uint32`` numbers, bit i for lane i.
"""

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import llvmlite.binding
import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.extending import intrinsic, lower_builtin, models, register_model
from numba.core.typing.templates import AbstractTemplate, infer_global, signature

BYTES = 64
"""Size of a value."""
WIDTHS = (16, 32)
"""Bits that a lane may have."""
BANK = 32
"""Values that a `bank` holds."""
TABLE = 32
"""Entries of a table for `lookup`."""

_WORD = ir.IntType(32)


def _features() -> frozenset[str]:
    """The processor features that Numba compiles for."""
    chosen = numba.config.CPU_FEATURES
    if chosen is not None:
        return frozenset(word[1:] for word in chosen.split(",") if word.startswith("+"))
    host = llvmlite.binding.get_host_cpu_features()
    return frozenset(name for name, present in host.items() if present)


NATIVE: bool = "avx512bw" in _features()
"""Whether `lookup` and `pick` may be used."""
OLDEST_LLVM = 19
"""First release of LLVM that can compress vectors."""


class Lanes(types.Type):  # type: ignore[misc]
    """The type of a value whose lanes have `bits` bits."""

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self.count = BYTES * 8 // bits
        super().__init__(f"Lanes({self.count} x uint{bits})")

    @property
    def vector(self) -> Any:
        """The LLVM type."""
        return ir.VectorType(ir.IntType(self.bits), self.count)

    @property
    def flags(self) -> Any:
        """The LLVM type of one bit a lane."""
        return ir.VectorType(ir.IntType(1), self.count)

    def constant(self, numbers: Sequence[int]) -> Any:
        """An LLVM constant with these numbers in its lanes."""
        return ir.Constant(self.vector, list(numbers))

    @property
    def zero(self) -> Any:
        """An LLVM constant with zero in every lane."""
        return self.constant([0] * self.count)


class Bank(types.Type):  # type: ignore[misc]
    """The type of a small array of values that LLVM keeps in registers once its loops are unrolled."""

    def __init__(self, lanes: Lanes) -> None:
        self.lanes = lanes
        super().__init__(f"Bank({BANK} x {lanes.name})")


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Lanes) -> None:
        super().__init__(manager, kind, kind.vector)


@register_model(Bank)
class _BankModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Bank) -> None:
        super().__init__(manager, kind, kind.lanes.vector.as_pointer())


@functools.cache
def _lanes(bits: int) -> Lanes:
    return Lanes(bits)


def _lanes_of(array: Any) -> Lanes:
    """The lanes that the elements of a one-dimensional array make."""
    if not isinstance(array, types.Array) or array.ndim != 1 or array.dtype.bitwidth not in WIDTHS:
        raise numba.TypingError(f"lanes: found {array}, expected a one-dimensional array of uint16 or uint32")
    return _lanes(array.dtype.bitwidth)


def _define_operator(
    symbol: Any, result: Any, arguments: Sequence[Any], build: Callable[[Any, Sequence[Any]], Any]
) -> None:
    """Teach Numba a Python operator: its types, and the LLVM code for it."""

    @infer_global(symbol)
    class _Template(AbstractTemplate):  # type: ignore[misc]
        def generic(self, args: Any, keywords: Any) -> Any:
            del keywords
            if len(args) == len(arguments) and args[0] == arguments[0]:
                return signature(result, *arguments)
            return None

    @lower_builtin(symbol, *arguments)  # type: ignore[untyped-decorator]
    def _lower(context: Any, builder: Any, _: Any, args: Sequence[Any]) -> Any:
        value = build(builder, args)
        return context.get_dummy_value() if value is None else value


def _operation(define: Callable[..., Any]) -> Any:
    """Make an operation that kernels can call; `define` gives its types and its LLVM code."""
    return intrinsic(define)


def _read_bank(builder: Any, args: Sequence[Any]) -> Any:
    return builder.load(builder.gep(args[0], [args[1]]), align=BYTES)


def _write_bank(builder: Any, args: Sequence[Any]) -> None:
    builder.store(args[2], builder.gep(args[0], [args[1]]), align=BYTES)


for _kind in map(_lanes, WIDTHS):
    _pair = (_kind, _kind)
    _define_operator(operator.and_, _kind, _pair, lambda builder, args: builder.and_(*args))
    _define_operator(operator.or_, _kind, _pair, lambda builder, args: builder.or_(*args))
    _define_operator(operator.xor, _kind, _pair, lambda builder, args: builder.xor(*args))
    _define_operator(operator.sub, _kind, _pair, lambda builder, args: builder.sub(*args))
    _define_operator(operator.invert, _kind, _pair[:1], lambda builder, args: builder.not_(args[0]))
    _define_operator(operator.getitem, _kind, (Bank(_kind), types.intp), _read_bank)
    _define_operator(operator.setitem, types.none, (Bank(_kind), types.intp, _kind), _write_bank)


def _address(context: Any, builder: Any, sig: Any, args: Sequence[Any]) -> Any:
    """Where a value at ``array[index]`` lies; the array and the index are the first arguments."""
    array, kind = context.make_array(sig.args[0])(context, builder, args[0]), _lanes_of(sig.args[0])
    return builder.bitcast(builder.gep(array.data, [args[1]]), kind.vector.as_pointer())


def _call(builder: Any, name: str, result: Any, arguments: Sequence[Any]) -> Any:
    """Call an LLVM function."""
    kind = ir.FunctionType(result, [argument.type for argument in arguments])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), arguments)


def _splat(builder: Any, kind: Lanes, number: Any) -> Any:
    """The same LLVM number, of the lanes' width, in every lane."""
    undefined = ir.Constant(kind.vector, ir.Undefined)
    single = builder.insert_element(undefined, number, ir.Constant(_WORD, 0))
    everywhere = ir.Constant(ir.VectorType(_WORD, kind.count), [0] * kind.count)
    return builder.shuffle_vector(single, undefined, everywhere)


def _resize(builder: Any, number: Any, bits: int) -> Any:
    """An unsigned LLVM number with another width."""
    if number.type.width < bits:
        return builder.zext(number, ir.IntType(bits))
    return builder.trunc(number, ir.IntType(bits)) if number.type.width > bits else number


def _to_mask(builder: Any, flags: Any) -> Any:
    return _resize(builder, builder.bitcast(flags, ir.IntType(flags.type.count)), 32)


def _to_flags(builder: Any, kind: Lanes, mask: Any) -> Any:
    return builder.bitcast(_resize(builder, mask, kind.count), kind.flags)


@_operation
def bank(typing: Any, array: Any) -> Any:
    """Make a `Bank` of `BANK` values on the stack; ``values[i]`` reads and writes one."""
    kind = _lanes_of(array)

    def build(context: Any, builder: Any, _: Any, args: Any) -> Any:
        memory = cgutils.alloca_once(builder, kind.vector, size=BANK)
        memory.align = BYTES
        return memory

    return Bank(kind)(array), build


@_operation
def load(typing: Any, array: Any, index: Any) -> Any:
    """Read a value from `index` on; no bounds are checked."""
    kind = _lanes_of(array)

    def build(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.load(_address(context, builder, sig, args), align=kind.bits // 8)

    return kind(array, types.intp), build


@_operation
def store(typing: Any, array: Any, index: Any, value: Any) -> Any:
    """Write a value to `index` and on; no bounds are checked."""
    kind = _lanes_of(array)

    def build(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        builder.store(args[2], _address(context, builder, sig, args), align=kind.bits // 8)
        return context.get_dummy_value()

    return types.void(array, types.intp, kind), build


@_operation
def lookup(typing: Any, array: Any, index: Any, place: Any) -> Any:
    """Lane i is entry ``place[i]`` of a table of `TABLE` numbers from `index` on; only where `NATIVE`."""
    kind = _lanes_of(array)

    def build(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        address = _address(context, builder, sig, args)
        low = builder.load(address, align=kind.bits // 8)
        if kind.count == TABLE:
            return _call(builder, "llvm.x86.avx512.permvar.hi.512", kind.vector, [low, args[2]])
        high = builder.load(builder.gep(address, [ir.Constant(_WORD, 1)]), align=kind.bits // 8)
        return _call(builder, "llvm.x86.avx512.vpermi2var.d.512", kind.vector, [low, args[2], high])

    return kind(array, types.intp, kind), build


@_operation
def splat(typing: Any, array: Any, number: Any) -> Any:
    """The same number in every lane."""
    kind = _lanes_of(array)

    def build(context: Any, builder: Any, _: Any, args: Any) -> Any:
        return _splat(builder, kind, _resize(builder, args[1], kind.bits))

    return kind(array, types.uint64), build


@_operation
def lane_numbers(typing: Any, array: Any) -> Any:
    """Lane i holds i."""
    kind = _lanes_of(array)

    def build(context: Any, builder: Any, _: Any, args: Any) -> Any:
        return kind.constant(range(kind.count))

    return kind(array), build


@_operation
def shift_up(typing: Any, value: Any, places: Any) -> Any:
    """Every lane times ``2**places``; `places` is below the width of a lane."""

    def build(context: Any, builder: Any, _: Any, args: Any) -> Any:
        return builder.shl(args[0], _splat(builder, value, _resize(builder, args[1], value.bits)))

    return value(value, types.uint64), build


@_operation
def shift_down(typing: Any, value: Any, places: Any) -> Any:
    """Every lane divided by ``2**places``; `places` is below the width of a lane."""

    def build(context: Any, builder: Any, _: Any, args: Any) -> Any:
        return builder.lshr(args[0], _splat(builder, value, _resize(builder, args[1], value.bits)))

    return value(value, types.uint64), build


@_operation
def smaller(typing: Any, first: Any, second: Any) -> Any:
    """The smaller number of each lane."""

    def build(context: Any, builder: Any, _: Any, args: Any) -> Any:
        return _call(builder, f"llvm.umin.v{first.count}i{first.bits}", first.vector, args)

    return first(first, first), build


@_operation
def count_bits(typing: Any, value: Any) -> Any:
    """How many bits are set in each lane."""

    def build(context: Any, builder: Any, _: Any, args: Any) -> Any:
        return _call(builder, f"llvm.ctpop.v{value.count}i{value.bits}", value.vector, args)

    return value(value), build


@_operation
def pick(typing: Any, value: Any, order: Any) -> Any:
    """Lane i is the lane of `value` whose number is in lane i of `order`; only where `NATIVE`."""
    name = "llvm.x86.avx512.permvar.hi.512" if value.bits == 16 else "llvm.x86.avx512.permvar.si.512"

    def build(context: Any, builder: Any, _: Any, args: Any) -> Any:
        return _call(builder, name, value.vector, args)

    return value(value, value), build


@_operation
def compress(typing: Any, value: Any, mask: Any) -> Any:
    """The lanes in the mask, moved together from lane 0 on, and zeros."""
    name = f"llvm.experimental.vector.compress.v{value.count}i{value.bits}"

    def build(context: Any, builder: Any, _: Any, args: Any) -> Any:
        flags = _to_flags(builder, value, args[1])
        return _call(builder, name, value.vector, [args[0], flags, value.zero])

    return value(value, types.uint32), build


@_operation
def keep(typing: Any, value: Any, mask: Any) -> Any:
    """The lanes in the mask; the others become zero."""

    def build(context: Any, builder: Any, _: Any, args: Any) -> Any:
        return builder.select(_to_flags(builder, value, args[1]), args[0], value.zero)

    return value(value, types.uint32), build


@_operation
def nonzero(typing: Any, value: Any) -> Any:
    """Mask of the lanes that are not zero."""

    def build(context: Any, builder: Any, _: Any, args: Any) -> Any:
        return _to_mask(builder, builder.icmp_unsigned("!=", args[0], value.zero))

    return types.uint32(value), build


@_operation
def equal(typing: Any, first: Any, second: Any) -> Any:
    """Mask of the lanes that are the same in both."""

    def build(context: Any, builder: Any, _: Any, args: Any) -> Any:
        return _to_mask(builder, builder.icmp_unsigned("==", args[0], args[1]))

    return types.uint32(first, first), build


@_operation
def size(typing: Any, mask: Any) -> Any:
    """How many lanes a mask has."""

    def build(context: Any, builder: Any, _: Any, args: Any) -> Any:
        return builder.zext(builder.ctpop(args[0]), ir.IntType(64))

    return types.int64(types.uint32), build
