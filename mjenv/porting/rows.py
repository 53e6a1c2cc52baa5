"""Observations and infos of single worlds, as rows of the arrays of all."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector.utils import create_empty_array

from mjenv.porting.program import leaves


def empty_rows(space: gymnasium.Space, count: int) -> dict[tuple, np.ndarray]:
    """Memory for observations, by the keys of dicts that lead to it; () for one array."""
    return leaves(create_empty_array(space, count))


def add_infos(infos: dict[str, Any], name: str, values: Any, worlds: np.ndarray) -> None:
    """Put infos of some worlds into the arrays of all; a dict of arrays likewise."""
    if isinstance(values, dict):
        inner = infos.setdefault(name, {})
        for key, some in values.items():
            add_infos(inner, key, some, worlds)
        _mark(infos, name, worlds, next((len(a) for a in leaves(values).values()), 0))
        return
    if name not in infos:
        infos[name], infos[f"_{name}"] = np.zeros_like(values), np.zeros(len(values), bool)
    array = infos[name] = infos[name] if infos[name].flags.writeable else infos[name].copy()
    array[worlds] = values[worlds]
    infos[f"_{name}"][worlds] = True


def add_info(infos: dict[str, Any], name: str, value: Any, world: int, count: int) -> None:
    """Put an info of one world into the arrays of all, of a dict part by part."""
    if isinstance(value, dict):
        inner = infos.setdefault(name, {})
        for key, one in value.items():
            add_info(inner, key, one, world, count)
        _mark(infos, name, world, count)
        return
    if name not in infos:
        sample = np.asarray(value)
        plain = sample.dtype.kind in "fiub"
        shape = (count, *sample.shape) if plain else (count,)
        infos[name] = np.zeros(shape, sample.dtype if plain else object)
        infos[f"_{name}"] = np.zeros(count, bool)
    array = infos[name] = infos[name] if infos[name].flags.writeable else infos[name].copy()
    array[world] = value
    infos[f"_{name}"][world] = True


def _mark(infos: dict[str, Any], name: str, worlds: Any, count: int) -> None:
    """Note that some worlds have an info."""
    infos.setdefault(f"_{name}", np.zeros(count, bool))[worlds] = True


def masked(values: Any, mask: np.ndarray) -> Any:
    """Infos as they are; in dicts each beside the mask of the worlds that have it."""
    if not isinstance(values, dict):
        return values
    found = {}
    for name, some in values.items():
        found[name], found[f"_{name}"] = masked(some, mask), mask.copy()
    return found


def copied(values: Any) -> Any:
    """Arrays, or dicts of arrays, of their own."""
    if isinstance(values, dict):
        return {name: copied(some) for name, some in values.items()}
    return values.copy()
