"""Files of what ports have found out, beside the compiled code of the engine.

A key is a digest of all that a thing depends on, with the sources of packages.
"""

import hashlib
import importlib.util
import io
import pickle
from collections.abc import Iterable
from enum import Enum
from functools import cache
from pathlib import Path as File
from typing import Any

import gymnasium
import numpy as np

from mjenv.engine.simd.cache import place_of, read, store

_FOLLOWER = ("mjenv.porting", "mjenv.tracing", "mjenv.task", "mjenv.mujoco", "mjenv.engine")
_NAME = "port"  # of files


def digest_of(packages: Iterable[str], given: Any, *parts: Any) -> str | None:
    """Name of what depends on packages, on ports themselves, and on some numbers and words.

    Args:
        packages: their names.
        given: by users: all of it has to be known.
        parts: what follows from that; objects of other kinds in it tell nothing.

    Returns:
        None where the sources of a package are not known, or not all that users have given.
    """
    sources = [sources_of(name) for name in (*_FOLLOWER, *packages)]
    if not all(sources):
        return None
    digest = hashlib.blake2b(digest_size=16)
    known = _add(digest, given)
    for part in (sources, *parts):
        _add(digest, part)
    return digest.hexdigest() if known else None


def load(key: str) -> Any:
    """What was kept under a key; None if there is nothing, or nothing that can be read."""
    content = read(place_of(_NAME, key))
    if content is None:
        return None
    try:
        return pickle.loads(content)
    except (pickle.UnpicklingError, AttributeError, ImportError, EOFError, TypeError):
        return None


def keep(key: str, value: Any) -> None:
    """Keep a value, unless it has parts that no file can hold."""
    file = io.BytesIO()
    try:
        pickle.dump(value, file, protocol=5)
    except (pickle.PicklingError, AttributeError, TypeError):
        return
    store(place_of(_NAME, key), file.getvalue())


@cache
def sources_of(name: str) -> str:
    """Digest of the sources of a package or a module; "" if they are not known."""
    spec = importlib.util.find_spec(name) if name != "__main__" else None
    if spec is None:
        return ""
    if spec.submodule_search_locations:
        files = [f for one in spec.submodule_search_locations for f in File(one).rglob("*.py")]
    else:
        files = [File(spec.origin)] if spec.origin and spec.origin.endswith(".py") else []
    digest = hashlib.blake2b(digest_size=16)
    for file in sorted(files):
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest() if files else ""


def _add(digest: Any, value: Any) -> bool:
    """Have a digest depend on a value, with what is in it; False for what it cannot tell apart."""
    known = True
    digest.update(type(value).__qualname__.encode() + b"\1")
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
        digest.update(f"{value.dtype.str} {value.shape} ".encode())
        digest.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, dict):
        known = _add_all(digest, (one for item in value.items() for one in item))
    elif isinstance(value, list | tuple):
        known = _add_all(digest, value)
    elif isinstance(value, set | frozenset):
        known = _add_all(digest, sorted(value, key=repr))
    elif isinstance(value, bytes):
        digest.update(value)
    elif isinstance(value, Enum | type):
        digest.update(f"{type(value).__module__} {value!r}".encode())
    elif value is None or isinstance(value, str | int | float | np.generic | gymnasium.Space):
        digest.update(repr(value).encode())
    elif hasattr(value, "__dict__") and type(value).__module__.startswith("mjenv."):
        known = _add(digest, {n: v for n, v in vars(value).items() if not n.startswith("_")})
    else:
        known = False
    digest.update(b"\2")
    return known


def _add_all(digest: Any, values: Iterable[Any]) -> bool:
    """The same of several values."""
    known = True
    for one in values:
        known &= _add(digest, one)
    return known
