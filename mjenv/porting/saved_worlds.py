"""States of a port's worlds as rows of bytes, from which they go on with the same bits."""

from typing import Any

import numpy as np
from numpy.random import PCG64, Generator, RandomState

_HALF = (1 << 64) - 1
# words of a generator: whether there is one, then its state
_WORDS = {"PCG64": 7, "MT19937": 316}


def rows_of_worlds(arrays: list[np.ndarray], generators: list[Any]) -> np.ndarray:
    """Bytes (n, size) of arrays (n, ...) and generators.

    Raises:
        TypeError: a generator is none of Gymnasium's.
    """
    kind = _kind(generators)
    words = np.array([_words(generator, kind) for generator in generators], np.uint64)
    return np.concatenate([_bytes(array) for array in (*arrays, words)], axis=1)


def put_rows(rows: Any, arrays: list[np.ndarray], generators: list[Any]) -> None:
    """Put into arrays and the list of generators what `rows_of_worlds` has made of them.

    Raises:
        ValueError: rows of other worlds.
    """
    rows = np.asarray(rows, np.uint8)
    kind = _kind(generators)
    words = np.zeros((len(generators), _WORDS[kind]), np.uint64)
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
    generators[:] = [_generator(row, kind) for row in words.tolist()]


def _bytes(array: np.ndarray) -> np.ndarray:
    flat = np.ascontiguousarray(array).reshape(len(array), -1)
    return flat.view(np.uint8).reshape(len(array), -1)


def _kind(generators: list[Any]) -> str:
    """The name of the kind of generators, that of Gymnasium's where there is none.

    Raises:
        TypeError: it is none of those known.
    """
    kinds = {_name(one) for one in generators if one is not None} or {"PCG64"}
    if len(kinds) > 1 or not kinds <= _WORDS.keys():
        raise TypeError(f"save_state: found a {', '.join(kinds)}, expected numpy's PCG64")
    return kinds.pop()


def _name(generator: Any) -> str:
    if isinstance(generator, RandomState):
        return str(generator.get_state(legacy=False)["bit_generator"])  # type: ignore[call-overload]
    return type(generator.bit_generator).__name__


def _words(generator: Any, kind: str) -> list[int]:
    if generator is None:
        return [0] * _WORDS[kind]
    if isinstance(generator, RandomState):
        return [1, *_words_of_older(generator)]
    found: Any = generator.bit_generator.state
    numbers = [found["state"]["state"], found["state"]["inc"]]
    halves = [word for number in numbers for word in (number >> 64, number & _HALF)]
    return [1, *halves, int(found["has_uint32"]), int(found["uinteger"])]


def _words_of_older(generator: RandomState) -> list[int]:
    """State, place in it, and the normal number in store."""
    state: Any = generator.get_state(legacy=False)
    keys = np.asarray(state["state"]["key"], np.uint32).view(np.uint64)
    stored = np.array([state["gauss"]], np.float64).view(np.uint64)
    return [*keys.tolist(), int(state["state"]["pos"]), int(state["has_gauss"]), *stored.tolist()]


def _generator(words: list[int], kind: str) -> Generator | RandomState | None:
    if not words[0]:
        return None
    if kind == "MT19937":
        return _older(words[1:])
    _, a, b, c, d, has, stored = words
    bits = PCG64()
    state = {"state": (a << 64) | b, "inc": (c << 64) | d}
    whole: Any = {
        "bit_generator": "PCG64", "state": state, "has_uint32": has, "uinteger": stored
    }  # fmt: skip
    bits.state = whole
    return Generator(bits)


def _older(words: list[int]) -> RandomState:
    *keys, place, has, stored = words
    made = RandomState()
    key = np.array(keys, np.uint64).view(np.uint32)
    gauss = float(np.array([stored], np.uint64).view(np.float64)[0])
    made.set_state(("MT19937", key, place, has, gauss))
    return made
