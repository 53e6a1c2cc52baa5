"""States of a port's worlds as rows of bytes, from which they go on with the same bits."""

from random import Random
from typing import Any

import numpy as np
from numpy.random import PCG64, Generator, RandomState

from mjenv.porting.environment.states_of_generators import kind_of

_HALF = (1 << 64) - 1
# words of a generator: whether there is one, then its state
_WORDS = {"PCG64": 7, "MT19937": 316, "Random": 316}


def rows_of_worlds(arrays: list[np.ndarray], generators: list[list[Any]]) -> np.ndarray:
    """Bytes (n, size) of arrays (n, ...) and of each world's generators.

    Raises:
        TypeError: a generator is of an unknown kind, or worlds have other kinds.
    """
    columns = [
        np.array([_words(one, kind) for one in column], np.uint64)
        for column, kind in _columns(generators)
    ]
    return np.concatenate([_bytes(array) for array in (*arrays, *columns)], axis=1)


def put_rows(rows: Any, arrays: list[np.ndarray], generators: list[list[Any]]) -> None:
    """Put into arrays and lists of generators what `rows_of_worlds` has made of them.

    Raises:
        ValueError: rows of other worlds.
    """
    rows = np.asarray(rows, np.uint8)
    kinds = [kind for _, kind in _columns(generators)]
    columns = [np.zeros((len(generators), _WORDS[kind]), np.uint64) for kind in kinds]
    sizes = [array.nbytes // len(array) for array in (*arrays, *columns)]
    if rows.shape != (len(generators), sum(sizes)):
        raise ValueError(
            f"restore_state: found rows of shape {rows.shape}, expected "
            f"{(len(generators), sum(sizes))}, which `save_state` of the same environment gives"
        )
    start = 0
    for array, size in zip((*arrays, *columns), sizes, strict=True):
        part = np.ascontiguousarray(rows[:, start : start + size])
        array[...] = part.view(array.dtype).reshape(array.shape)
        start += size
    for world, one in enumerate(generators):
        words = [column[world].tolist() for column in columns]
        one[:] = [_generator(row, kind) for row, kind in zip(words, kinds, strict=True)]


def first_numbers(rows: Any, like: np.ndarray) -> np.ndarray:
    """Whole numbers that each row begins with, as many as some; those if there are not so many."""
    start = np.asarray(rows, np.uint8)[..., : like.nbytes].reshape(-1)[: like.nbytes]
    return start.view(like.dtype) if start.size == like.nbytes else like


def _columns(generators: list[list[Any]]) -> list[tuple[tuple[Any, ...], str]]:
    """Each of the generators that worlds have, in all worlds, and its kind.

    Raises:
        TypeError: see `rows_of_worlds`.
    """
    columns = list(zip(*generators, strict=True))
    return [(column, _kind(column)) for column in columns]


def _bytes(array: np.ndarray) -> np.ndarray:
    flat = np.ascontiguousarray(array).reshape(len(array), -1)
    return flat.view(np.uint8).reshape(len(array), -1)


def _kind(generators: tuple[Any, ...]) -> str:
    """The kind of a generator in all worlds, that of Gymnasium's where no world has it yet."""
    kinds = {kind_of(one) for one in generators if one is not None} or {"PCG64"}
    if len(kinds) > 1 or not kinds <= _WORDS.keys():
        raise TypeError(
            f"save_state: found a {', '.join(sorted(kinds))}, expected one of {', '.join(_WORDS)}"
        )
    return kinds.pop()


def _words(generator: Any, kind: str) -> list[int]:
    if generator is None:
        return [0] * _WORDS[kind]
    if isinstance(generator, RandomState):
        return [1, *_words_of_older(generator)]
    if isinstance(generator, Random):
        return [1, *_words_of_pythons(generator)]
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


def _words_of_pythons(generator: Random) -> list[int]:
    """The same of Python's own."""
    _, state, stored = generator.getstate()
    keys = np.array(state[:-1], np.uint32).view(np.uint64)
    normal = np.array([0.0 if stored is None else stored]).view(np.uint64)
    return [*keys.tolist(), state[-1], int(stored is not None), *normal.tolist()]


def _generator(words: list[int], kind: str) -> Generator | RandomState | Random | None:
    if not words[0]:
        return None
    if kind != "PCG64":
        return _twister(words[1:], kind)
    _, a, b, c, d, has, stored = words
    bits = PCG64()
    state = {"state": (a << 64) | b, "inc": (c << 64) | d}
    whole: Any = {
        "bit_generator": "PCG64", "state": state, "has_uint32": has, "uinteger": stored
    }  # fmt: skip
    bits.state = whole
    return Generator(bits)


def _twister(words: list[int], kind: str) -> RandomState | Random:
    """One of the two that have the state of a Mersenne twister."""
    *keys, place, has, stored = words
    key = np.array(keys, np.uint64).view(np.uint32)
    gauss = float(np.array([stored], np.uint64).view(np.float64)[0])
    if kind == "Random":
        other = Random()
        other.setstate((other.VERSION, (*key.tolist(), place), gauss if has else None))
        return other
    made = RandomState()
    made.set_state(("MT19937", key, place, has, gauss))
    return made
