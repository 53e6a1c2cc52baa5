"""Cache of compiled assets, shared by models that have the same ones.

Programs compile a model again and again, with other positions or for each episode, and most of that
time goes into meshes and pictures, which stay. They are known by their contents: a file may change.
"""

import hashlib
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np

Value = TypeVar("Value")
_kept: dict[tuple, tuple[Any, int]] = {}


class Limit:
    """Size limit of the cache; the least recently used entry goes first.

    Attributes:
        capacity: bytes.
    """

    capacity = 256 << 20


def kept(key: tuple, make: Callable[[], Value]) -> Value:
    """Value of a key in the cache, computed by a function if it is missing; nobody may change it.

    Args:
        key: all that it depends on, contents as their `digest`.
        make: makes it; errors are raised, and nothing is kept.
    """
    found = _kept.pop(key, None)
    if found is None:
        value = make()
        found = value, _size(value)
    # used last; other threads may do the same
    _kept[key] = found
    shrink()
    return found[0]


def shrink() -> None:
    """Keep no more than the limit says."""
    total = size_of_kept()
    for old in list(_kept):
        if total <= Limit.capacity:
            break
        total -= _kept.pop(old, (None, 0))[1]


def size_of_kept() -> int:
    """Bytes that are kept."""
    return sum(size for _, size in list(_kept.values()))


def forget() -> None:
    """Keep nothing of what was made so far."""
    _kept.clear()


def digest(parts: Iterable[bytes | np.ndarray]) -> bytes:
    """Digest of contents, the key of a cache."""
    found = hashlib.sha256()
    for part in parts:
        found.update(len(part).to_bytes(8, "little"))
        found.update(np.ascontiguousarray(part).data if isinstance(part, np.ndarray) else part)
    return found.digest()


def _size(value: Any) -> int:
    """Bytes of the arrays in an object; they cannot be written any more."""
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
        return value.nbytes
    if isinstance(value, tuple | list):
        return 64 + sum(map(_size, value))
    return 64 + sum(map(_size, vars(value).values())) if hasattr(value, "__dict__") else 64
