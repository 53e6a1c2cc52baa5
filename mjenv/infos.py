"""The infos of a vector environment, in the format of Gymnasium's: arrays and masks."""

from typing import Any

import numpy as np

Infos = dict[str, Any]


def masked(values: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """A copy with zeros outside the mask, whatever is there; one value may stand for all."""
    values = np.asarray(values)
    if values.ndim == 0:
        values = np.broadcast_to(values, mask.shape)
    if mask.all():
        return values.copy()
    mask = mask.reshape(-1, *[1] * (values.ndim - 1))
    return np.where(mask, values, values.dtype.type(0))


def report(infos: Infos, named: dict[str, np.ndarray], mask: np.ndarray) -> None:
    """Report values for the environments of a mask, as Gymnasium's vector environments do."""
    if not mask.any():
        return
    for name, values in named.items():
        infos[name] = masked(values, mask)
        infos[f"_{name}"] = mask.copy()
