"""Observations and infos of single worlds, as rows of the arrays of all."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector.utils import create_empty_array

from mjenv.porting.program import leaves


def empty_rows(space: gymnasium.Space, count: int) -> dict[tuple, np.ndarray]:
    """Memory for observations, by the keys of dicts that lead to it; () for one array."""
    return leaves(create_empty_array(space, count))


def add_infos(infos: dict[str, Any], name: str, values: np.ndarray, worlds: np.ndarray) -> None:
    """Put infos of some worlds into the arrays of all."""
    if name not in infos:
        infos[name], infos[f"_{name}"] = np.zeros_like(values), np.zeros(len(values), bool)
    array = infos[name] = infos[name] if infos[name].flags.writeable else infos[name].copy()
    array[worlds] = values[worlds]
    infos[f"_{name}"][worlds] = True


def add_info(infos: dict[str, Any], name: str, value: Any, world: int, count: int) -> None:
    """Put an info of one world into the arrays of all."""
    if name not in infos:
        sample = np.asarray(value)
        plain = sample.dtype.kind in "fiub"
        shape = (count, *sample.shape) if plain else (count,)
        infos[name] = np.zeros(shape, sample.dtype if plain else object)
        infos[f"_{name}"] = np.zeros(count, bool)
    array = infos[name] = infos[name] if infos[name].flags.writeable else infos[name].copy()
    array[world] = value
    infos[f"_{name}"][world] = True
