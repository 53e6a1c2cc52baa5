"""Followed steps on disk: an environment that was followed before is not followed again.

The key is all that a followed step depends on: the sources of the package and of the follower, what
the environment is made with, the numbers that its objects hold, and its model. Only environments
with a name are kept; functions that make one may do so by what no key knows.
"""

import hashlib
import importlib.util
import io
import pickle
import platform
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path as File
from typing import Any

import gymnasium
import numpy as np

from mjenv.engine.simd.cache import place_of, read, store
from mjenv.porting.attributes import Path
from mjenv.porting.changing import SKIPPED, Slot
from mjenv.porting.original import Original

_FOLLOWER = ("mjenv.porting", "mjenv.tracing", "mjenv.task", "mjenv.mujoco", "mjenv.engine")
_NAME = "port"  # of files


def key_of(
    original: Original, slots: Iterable[Slot], opaque: frozenset[Path], varied: tuple[str, ...]
) -> str | None:
    """Name of a followed step on disk; None for what is not kept.

    Args:
        original: the environment.
        slots: attributes that are known to change.
        opaque: objects that change.
        varied: fields of the model that change.
    """
    if not isinstance(original.target, str):
        return None
    sources = [_sources(top) for top in (*_FOLLOWER, *original.tops)]
    if not all(sources):
        return None
    changing = {slot.path for slot in slots} | original.aliases().keys()
    numbers = {
        path: value
        for path, value in original.places.numbers().items()
        if path not in changing and not any(name in SKIPPED for _, name in path)
    }
    known = [(s.path, np.shape(s.sample), s.certain, s.optional) for s in slots]
    kinds = [np.asarray(s.sample).dtype.str for s in slots]
    model = {n: v for n, v in vars(original.model._twin()).items() if n not in varied}
    digest = hashlib.blake2b(digest_size=16)
    objects = sorted(map(repr, opaque))
    for part in (
        sources, _versions(), original.target, original.kwargs, known, kinds, objects, varied,
        numbers, model, original.env.action_space,
    ):  # fmt: skip
        _add(digest, part)
    return digest.hexdigest()


def load(key: str) -> Any:
    """What was kept under a key; None if there is nothing, or nothing that can be read."""
    content = read(place_of(_NAME, key))
    if content is None:
        return None
    try:
        return pickle.loads(content)
    except (pickle.UnpicklingError, AttributeError, ImportError, EOFError, TypeError):
        return None


def keep(key: str, followed: Any) -> None:
    """Keep a followed step, unless it has results that no file can hold."""
    file = io.BytesIO()
    try:
        pickle.dump(followed, file, protocol=5)
    except (pickle.PicklingError, AttributeError, TypeError):
        return
    store(place_of(_NAME, key), file.getvalue())


def _versions() -> tuple[str, ...]:
    names = ("numpy", "scipy")
    found = [str(getattr(sys.modules.get(name), "__version__", "")) for name in names]
    return (platform.python_version(), gymnasium.__version__, *found)


@cache
def _sources(name: str) -> str:
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


def _add(digest: Any, value: Any) -> None:
    """Have a digest depend on a value, with what is in it."""
    digest.update(type(value).__qualname__.encode() + b"\1")
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
        digest.update(f"{value.dtype.str} {value.shape} ".encode())
        digest.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, dict):
        for name, one in value.items():
            _add(digest, name)
            _add(digest, one)
    elif isinstance(value, list | tuple):
        for one in value:
            _add(digest, one)
    elif isinstance(value, bytes):
        digest.update(value)
    elif value is None or isinstance(value, str | int | float | np.generic | gymnasium.Space):
        digest.update(repr(value).encode())
    elif hasattr(value, "__dict__") and type(value).__module__.startswith("mjenv."):
        _add(digest, {n: v for n, v in vars(value).items() if not n.startswith("_")})
    digest.update(b"\2")
