"""Arguments of calls on many simulations: which of them, and whole numbers for each."""

import numpy as np
from numpy.typing import ArrayLike


def chosen(ids: ArrayLike | None, nsim: int) -> np.ndarray | None:
    """Numbers of simulations, or None for all of them.

    Args:
        ids: numbers in rising order, a mask bool (nsim,), or None.
        nsim: how many simulations there are.

    Raises:
        ValueError: something else.
    """
    if ids is None:
        return None
    ids = np.asarray(ids)
    # a mask
    if ids.dtype == bool:
        if ids.shape != (nsim,):
            raise ValueError(f"ids: a mask of shape {ids.shape}, expected ({nsim},)")
        return None if ids.all() else np.flatnonzero(ids).astype(np.int32)
    if ids.ndim != 1:
        raise ValueError(f"ids have shape {ids.shape}, expected one axis")
    if not ids.size:
        return np.zeros(0, np.int32)
    if ids.dtype.kind not in "iu":
        raise ValueError(f"ids are {ids.dtype}, expected integers")
    # in rising order, so that results lie in the order of the simulations
    wrong = np.flatnonzero(ids[1:] <= ids[:-1])
    if wrong.size:
        a, b = ids[wrong[0]], ids[wrong[0] + 1]
        raise ValueError(f"ids: got {a} before {b}, expected each once and in rising order")
    for end in (ids[0], ids[-1]):
        if not 0 <= end < nsim:
            raise ValueError(f"ids must be in [0, {nsim}), got {end}")
    return ids.astype(np.int32)


def whole_numbers(
    values: ArrayLike, shape: tuple[int, ...], low: int, high: int, name: str
) -> np.ndarray:
    """Integers from low to below high, in a shape.

    Raises:
        ValueError: they are no integers, out of range, or of another shape.
    """
    values = np.asarray(values)
    if values.dtype.kind not in "iu":
        raise ValueError(f"{name}: {values.dtype}, expected integers")
    wrong = values[(values < low) | (values >= high)]
    if wrong.size:
        raise ValueError(f"{name} must be in [{low}, {high}), got {wrong.flat[0]}")
    return np.broadcast_to(values, shape).astype(np.int64)
