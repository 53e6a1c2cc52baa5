"""States of a port's worlds as rows of bytes, from which they go on with the same bits."""

from typing import Any

import numpy as np
from numpy.random import PCG64, Generator

_WORDS = 7  # of a generator: whether there is one, state and increment, and half a word in store
_HALF = (1 << 64) - 1


def rows_of_worlds(arrays: list[np.ndarray], generators: list[Any]) -> np.ndarray:
    """Bytes (n, size) of arrays (n, ...) and generators.

    Raises:
        TypeError: a generator is none of Gymnasium's.
    """
    words = np.array([_words(generator) for generator in generators], np.uint64)
    return np.concatenate([_bytes(array) for array in (*arrays, words)], axis=1)


def put_rows(rows: Any, arrays: list[np.ndarray], generators: list[Any]) -> None:
    """Put into arrays and the list of generators what `rows_of_worlds` has made of them.

    Raises:
        ValueError: rows of other worlds.
    """
    rows = np.asarray(rows, np.uint8)
    words = np.zeros((len(generators), _WORDS), np.uint64)
    sizes = [array.nbytes // len(array) for array in (*arrays, words)]
    if rows.shape != (len(generators), sum(sizes)):
        raise ValueError(
            f"restore_state: found rows of shape {rows.shape}, expected "
            f"{(len(generators), sum(sizes))}, which `save_state` of the same environment gives"
        )
    start = 0
    for array, size in zip((*arrays, words), sizes, strict=True):
        part = np.ascontiguousarray(rows[:, start : start + size])
        array[...] = part.view(array.dtype).reshape(array.shape)
        start += size
    generators[:] = [_generator(row) for row in words.tolist()]


def _bytes(array: np.ndarray) -> np.ndarray:
    flat = np.ascontiguousarray(array).reshape(len(array), -1)
    return flat.view(np.uint8).reshape(len(array), -1)


def _words(generator: Any) -> list[int]:
    if generator is None:
        return [0] * _WORDS
    bits = generator.bit_generator
    if not isinstance(bits, PCG64):
        raise TypeError(f"save_state: found a {type(bits).__name__}, expected numpy's PCG64")
    found: Any = bits.state
    numbers = [found["state"]["state"], found["state"]["inc"]]
    halves = [word for number in numbers for word in (number >> 64, number & _HALF)]
    return [1, *halves, int(found["has_uint32"]), int(found["uinteger"])]


def _generator(words: list[int]) -> Generator | None:
    there, a, b, c, d, has, stored = words
    if not there:
        return None
    bits = PCG64()
    state = {"state": (a << 64) | b, "inc": (c << 64) | d}
    whole: Any = {
        "bit_generator": "PCG64", "state": state, "has_uint32": has, "uinteger": stored
    }  # fmt: skip
    bits.state = whole
    return Generator(bits)
