"""The infos of a vector environment, in the format of Gymnasium's: arrays and masks."""

from typing import Any

import numpy as np

Infos = dict[str, Any]


def mask_of(name: str) -> str:
    """The name of an info's mask."""
    return f"_{name}"


def is_mask(name: str, infos: Infos) -> bool:
    """True if it is the name of another info's mask."""
    return name[:1] == "_" and name[1:] in infos


def masked(values: Any, num_envs: int, mask: np.ndarray | None) -> np.ndarray:
    """A copy with zeros outside the mask, whatever is there; one value may stand for all."""
    values = np.array(values)
    if values.ndim == 0:
        values = np.full(num_envs, values)
    if mask is not None:
        values[~mask] = 0
    return values


def report(
    infos: Infos, named: dict[str, Any], mask: np.ndarray | None, num_envs: int, owned: bool = False
) -> None:
    """Report values for the environments of a mask, as Gymnasium's vector environments do.

    Args:
        infos: where to report.
        named: values by name.
        mask: which environments have them; None for all.
        num_envs: number of environments.
        owned: whether the values are arrays for this very purpose, with zeros outside the mask.
    """
    if mask is not None:
        count = np.count_nonzero(mask)
        if count == 0:
            return
        if count == num_envs:
            mask = None
    masks = (
        np.ones((len(named), num_envs), bool) if mask is None else np.tile(mask, (len(named), 1))
    )
    for (name, values), own in zip(named.items(), masks, strict=True):
        infos[name] = values if owned else masked(values, num_envs, mask)
        infos[mask_of(name)] = own


def rows_of(values: Any, rows: np.ndarray | int) -> Any:
    """Rows of arrays over environments, or of dicts of these, as observations and infos are."""
    if isinstance(values, dict):
        return {name: rows_of(some, rows) for name, some in values.items()}
    return values[rows]
