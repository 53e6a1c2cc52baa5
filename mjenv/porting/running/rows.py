"""Observations and infos of single worlds, as rows of the arrays of all."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector.utils import create_empty_array

from mjenv.porting.running.program import leaves
from mjenv.stepping.infos import is_mask, mask_of


def empty_rows(space: gymnasium.Space, count: int) -> dict[tuple, np.ndarray]:
    """Memory for observations, by the keys of dicts that lead to it; () for one array."""
    return leaves(create_empty_array(space, count))


def mask_of_worlds(worlds: np.ndarray | None, count: int) -> np.ndarray:
    """Which of all worlds are among those with these numbers, (count,) bool; None for all."""
    return np.ones(count, bool) if worlds is None else np.isin(np.arange(count), worlds)


def with_masks(infos: dict[str, Any], worlds: np.ndarray) -> dict[str, Any]:
    """Infos as Gymnasium has them: in dicts, too, each beside the mask of the worlds that have it.

    Args:
        infos: arrays with a row for each world, or dicts of them, written into. One that not all
            worlds have is beside its mask already.
        worlds: which ones have those without a mask, (nworld,).
    """
    found: dict[str, Any] = {}
    for name, values in infos.items():
        if is_mask(name, infos):
            continue
        mask = worlds & infos.get(mask_of(name), True)
        if isinstance(values, dict):
            values = with_masks(values, worlds)
            parts = [values[one] for one in values if is_mask(one, values)]
            mask = np.logical_or.reduce(parts) if parts else np.zeros_like(worlds)
        elif not mask.all():
            values[~mask] = None if values.dtype == object else 0
        if mask.any():
            found[name], found[mask_of(name)] = values, mask.copy()
    return found


def add_infos(infos: dict[str, Any], more: dict[str, Any]) -> None:
    """Put infos of some worlds, beside their masks, into the arrays of all; dicts likewise."""
    for name, values in more.items():
        if is_mask(name, more):
            continue
        worlds = more[mask_of(name)]
        if isinstance(values, dict):
            add_infos(infos.setdefault(name, {}), values)
        else:
            if name not in infos:
                infos[name] = np.zeros_like(values)
                infos[name][...] = None if values.dtype == object else 0
            array = infos[name] = _writable(infos[name])
            array[worlds] = values[worlds]
        _mark(infos, name, worlds, len(worlds))


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
        infos[name] = np.zeros(shape, sample.dtype) if plain else np.full(shape, None)
    array = infos[name] = _writable(infos[name])
    array[world] = value
    _mark(infos, name, world, count)


def _mark(infos: dict[str, Any], name: str, worlds: Any, count: int) -> None:
    """Note that some worlds have an info."""
    infos.setdefault(mask_of(name), np.zeros(count, bool))[worlds] = True


def _writable(array: np.ndarray) -> np.ndarray:
    return array if array.flags.writeable else array.copy()


def copied(values: Any) -> Any:
    """Arrays, or dicts of arrays, of their own."""
    if isinstance(values, dict):
        return {name: copied(some) for name, some in values.items()}
    return values.copy()
