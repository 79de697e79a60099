"""A set of small numbers that gives its least or greatest at once: two levels of 64-bit words."""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types, uint64
from numba.extending import intrinsic


@intrinsic
def _trailing_zeros(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), generate


@intrinsic
def _leading_zeros(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), generate


@njit
def words(count):
    """How many uint64 zeros a set of numbers below `count` needs: the words, then a summary of them."""
    low = (count + 63) >> 6
    return low + ((low + 63) >> 6)


@njit
def put(bits, low, number):
    """Add a number; `low` is how many words are not summary."""
    # Unsigned numbers spare the compiled code a test for indices that count from the end.
    number = uint64(number)
    word = number >> uint64(6)
    bits[word] |= uint64(1) << (number & uint64(63))
    bits[uint64(low) + (word >> uint64(6))] |= uint64(1) << (word & uint64(63))


@njit
def take_least(bits, low):
    """Remove and return the least number, or return -1."""
    for at in range(low, bits.size):
        if bits[at]:
            word = ((at - low) << 6) + int(_trailing_zeros(bits[at]))
            number = (word << 6) + int(_trailing_zeros(bits[word]))
            bits[word] &= bits[word] - uint64(1)
            if not bits[word]:
                bits[at] &= bits[at] - uint64(1)
            return number
    return -1


@njit
def take_greatest(bits, low):
    """Remove and return the greatest number, or return -1."""
    for back in range(uint64(bits.size - low)):
        at = uint64(bits.size - 1) - back
        summary = bits[at]
        if summary:
            upper = uint64(63) - _leading_zeros(summary)
            word = ((at - uint64(low)) << uint64(6)) + upper
            own = bits[word]
            inner = uint64(63) - _leading_zeros(own)
            own ^= uint64(1) << inner
            bits[word] = own
            if not own:
                bits[at] = summary ^ (uint64(1) << upper)
            return np.int64((word << uint64(6)) + inner)
    return np.int64(-1)
