"""Bits of one word, for kernels."""

from typing import Any

from numba import int64, uint64

from frontrow.search.kernel import inlined


@inlined
def count_ones(word: Any) -> Any:
    """How many bits of a 64-bit word are set; sums of neighbours, which LLVM turns into vectors."""
    word = word - ((word >> uint64(1)) & uint64(0x5555555555555555))
    word = (word & uint64(0x3333333333333333)) + ((word >> uint64(2)) & uint64(0x3333333333333333))
    word = (word + (word >> uint64(4))) & uint64(0x0F0F0F0F0F0F0F0F)
    word += word >> uint64(8)
    word += word >> uint64(16)
    word += word >> uint64(32)
    return int64(word & uint64(0x7F))


@inlined
def lowest_one(word: Any) -> Any:
    """Place of the lowest bit of a 64-bit word that is not zero."""
    return count_ones((word ^ (word - uint64(1))) >> uint64(1))
