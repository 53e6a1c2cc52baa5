"""Attributes that MuJoCo keeps in single precision."""

from typing import TYPE_CHECKING

import numpy as np

from ..text.element import Element

if TYPE_CHECKING:
    from ..draft.draft import Part


def singles(element: "Element | Part", attribute: str) -> np.ndarray:
    """Numbers of an attribute as float32.

    Raises:
        MjcfError: a number that is too large or too small.
    """
    numbers = np.array(element.values[attribute], np.float64)
    with np.errstate(all="ignore"):
        data = numbers.astype(np.float32)
    lost = np.isinf(data) & np.isfinite(numbers)
    lost |= (np.abs(data) < np.finfo(np.float32).tiny) & (data != numbers) & (numbers != 0)
    if lost.any():
        number = numbers[lost][0]
        raise element.error(
            f"{attribute}: {number:g}: expected numbers of single precision, between 1e-38 and 3e38"
        )
    return data
