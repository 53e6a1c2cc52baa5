"""MuJoCo's 64-bit hash of a string (Bernstein's, with exclusive or), also of long indentations."""

from functools import cache, lru_cache

START = 5381  # the hash of an empty string
MASK = (1 << 64) - 1
LOW = 64  # of the remainder that decides what a space adds


def hash_string(text: bytes, before: int = START) -> int:
    """Hash of a string.

    Args:
        text: the string.
        before: hash of what stands before it.
    """
    h = before
    for byte in text:
        # bytes above 127 count as negative numbers
        h = ((h * 33) & MASK) ^ (byte if byte < 128 else 0xFFFFFFFFFFFFFF00 | byte)
    return h


@lru_cache(1 << 12)
def hash_name(name: bytes) -> int:
    """Hash of a name; the same ones stand in many models."""
    return hash_string(name)


def hash_spaces(count: int, before: int = START) -> int:
    """Hash of a run of spaces.

    Args:
        count: number of spaces.
        before: hash of what stands before them.
    """
    h, power = before, 0
    while count:
        if count & 1:
            factor, added = _spaces(power)
            h = (factor * h + added[h % LOW]) & MASK
        count, power = count >> 1, power + 1
    return h


@cache
def _spaces(power: int) -> tuple[int, list[int]]:
    """Factors and summands of 2^power spaces in a hash, by its remainder.

    Exclusive or with a space, 32, adds 32 or takes it away, as the last six bits decide, and what
    these become depends on themselves alone.
    """
    if not power:
        return 33, [((33 * low) ^ 32) - 33 * low for low in range(LOW)]
    factor, added = _spaces(power - 1)
    after = [(factor * low + added[low]) % LOW for low in range(LOW)]
    twice = [(factor * added[low] + added[after[low]]) & MASK for low in range(LOW)]
    return factor * factor & MASK, twice
