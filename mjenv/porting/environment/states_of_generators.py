"""States of random generators: numpy's two classes, and Python's own."""

import hashlib
from random import Random
from typing import Any

import numpy as np

OLDER = (np.random.RandomState, Random)
KINDS = (np.random.Generator, *OLDER)
_BLOCKS = 16  # of 624 words, in which a generator of an older class may have drawn numbers


def is_fresh(generator: Any) -> bool:
    """True for a generator that has its seed's state: its first number is yet to come."""
    if not isinstance(generator, np.random.Generator):
        return False
    bits: Any = generator.bit_generator
    fresh = type(bits)(bits.seed_seq)
    return _content(fresh.state) == _content(bits.state)


def state_of(generator: Any) -> Any:
    """A generator's state; None for None."""
    if generator is None:
        return None
    if isinstance(generator, np.random.RandomState):
        return generator.get_state(legacy=False)
    return generator.getstate() if isinstance(generator, Random) else generator.bit_generator.state


def content_of(generator: Any) -> Any:
    """A generator's state, as can be compared with others."""
    return _content(state_of(generator))


def _content(state: Any) -> Any:
    if isinstance(state, dict):
        return tuple((name, _content(one)) for name, one in state.items())
    return state.tobytes() if isinstance(state, np.ndarray) else state


def in_words(generator: Any) -> str:
    """A generator's whole state."""
    if not isinstance(generator, OLDER):
        return repr(state_of(generator))
    return f"{_key(generator)} {state_of(generator)!r}"


def is_seeded_with(words: str, kind: type, seed: int) -> bool:
    """True if a generator of an older class was seeded with a number, and has not drawn much since.

    Args:
        words: its state.
        kind: its class.
        seed: the number.
    """
    fresh = kind(seed)
    key = words.partition(" ")[0]
    # its key is another one before the first number, and after each 624 words
    draw = fresh.getrandbits if kind is Random else lambda bits: fresh.bytes(bits // 8)
    for bits in (0, 32, *(32 * 624,) * _BLOCKS):
        if bits:
            draw(bits)
        if _key(fresh) == key:
            return True
    return False


def _key(generator: Any) -> str:
    """The part of the state of an older class that few numbers change."""
    if isinstance(generator, Random):
        words = generator.getstate()[1][:-1]
    else:
        words = state_of(generator)["state"].get("key", ())
    return hashlib.blake2b(np.asarray(words, np.uint32).tobytes(), digest_size=16).hexdigest()


def set_state(generator: Any, state: Any) -> None:
    """Have a generator go on from a state."""
    if isinstance(generator, np.random.RandomState):
        generator.set_state(state)
    elif isinstance(generator, Random):
        generator.setstate(state)
    else:
        generator.bit_generator.state = state


def copied(generator: Any) -> Any:
    """A generator of its own with the same state; None for None."""
    if generator is None:
        return None
    if isinstance(generator, np.random.RandomState):
        other: Any = np.random.RandomState()
    elif isinstance(generator, Random):
        other = Random()
    else:
        other = np.random.Generator(type(generator.bit_generator)())
    set_state(other, state_of(generator))
    return other


def all_copied(generators: list[Any]) -> list[Any]:
    """Generators of their own with the same states."""
    return [copied(one) for one in generators]


def kind_of(generator: Any) -> str:
    """The name of the kind of a generator's numbers: PCG64, MT19937, Random and others."""
    if isinstance(generator, Random):
        return "Random"
    if isinstance(generator, np.random.RandomState):
        return str(generator.get_state(legacy=False)["bit_generator"])  # type: ignore[call-overload]
    return type(generator.bit_generator).__name__
