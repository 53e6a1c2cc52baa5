"""Infos of the worlds of several tasks, put together: arrays over all, and masks."""

from collections.abc import Iterable
from typing import Any

import numpy as np

Infos = dict[str, Any]


def merged(parts: Iterable[tuple[Any, Infos]], count: int) -> Infos:
    """One task's infos beside the other's.

    Args:
        parts: for each task the numbers of its worlds and their infos, as its vector environment
            reports them.
        count: number of all worlds.

    Returns:
        For each name an array (count, ...), zero where a world has none, and the mask of those
        that have, by "_" and the name; for dicts of infos such a dict.
    """
    found: Infos = {}
    dicts: dict[str, list[tuple[Any, Infos]]] = {}
    for rows, infos in parts:
        for name, values in infos.items():
            if name[:1] == "_" and name[1:] in infos:
                continue
            mask = infos.get(f"_{name}", True)
            if isinstance(values, dict):
                dicts.setdefault(name, []).append((rows, values))
            else:
                _put(found, name, np.asarray(values), rows, count)
            _put(found, f"_{name}", np.asarray(mask), rows, count)
    for name, inner in dicts.items():
        found[name] = merged(inner, count)
    return found


def _put(found: Infos, name: str, values: np.ndarray, rows: Any, count: int) -> None:
    """Put values of some worlds into the array of all, which has room for those of any task."""
    array, shape = found.get(name), values.shape[1:]
    if array is None:
        array = found[name] = np.zeros((count, *shape), values.dtype)
        if values.dtype == object:
            array[...] = None
    elif array.dtype != values.dtype or (values.ndim and array.shape[1:] != shape):
        array = found[name] = _widened(array, values)
    if array.dtype == object and values.ndim > 1:
        numbers = np.arange(count)[rows]
        for row, value in zip(numbers.tolist(), values, strict=True):
            array[row] = value
    else:
        array[rows] = values


def _widened(array: np.ndarray, values: np.ndarray) -> np.ndarray:
    """A copy of an array that takes other values, too: objects where shapes or kinds differ."""
    same = array.shape[1:] == values.shape[1:]
    if same and object not in (array.dtype, values.dtype):
        return array.astype(np.result_type(array, values))
    wide = np.full(len(array), None, object)
    for row, value in enumerate(array):
        wide[row] = value
    return wide
