"""A set of small numbers that gives its least or greatest at once: two levels of 64-bit words."""

from typing import Any

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
    word = number >> 6
    bits[word] |= uint64(1) << uint64(number & 63)
    bits[low + (word >> 6)] |= uint64(1) << uint64(word & 63)


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
    for at in range(bits.size - 1, low - 1, -1):
        if bits[at]:
            upper = 63 - int(_leading_zeros(bits[at]))
            word = ((at - low) << 6) + upper
            inner = 63 - int(_leading_zeros(bits[word]))
            bits[word] ^= uint64(1) << uint64(inner)
            if not bits[word]:
                bits[at] ^= uint64(1) << uint64(upper)
            return (word << 6) + inner
    return -1
