"""Distinct values of long lists; numpy's `unique` imports a package of another kind of arrays."""

import numpy as np


def distinct(*columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distinct values, or rows of several columns.

    Args:
        columns: whole numbers, or numbers without nan, (n,) each; the first one counts most.

    Returns:
        Where each distinct value stands first, in the order of the values, and for each element
        which of them it has, (n,).
    """
    if len(columns) == 1:
        order = np.argsort(columns[0], kind="stable")
    else:
        order = np.lexsort(columns[::-1])
    new = np.zeros(len(order), bool)
    new[:1] = True
    for column in columns:
        ordered = column[order]
        new[1:] |= ordered[1:] != ordered[:-1]
    place = np.empty(len(order), int)
    place[order] = np.cumsum(new) - 1
    return order[new], place
