"""How large a model may be: what does not fit is refused before its memory is taken."""

from collections.abc import Mapping
from math import prod

import numpy as np

from ...model import LAYOUTS
from .element import Element

LARGEST = 1 << 29  # bytes of all arrays, and of all pictures and height fields


class Budget:
    """Bytes of assets, which are held twice while a model is compiled."""

    def __init__(self):
        self.taken = 0

    def take(self, part, size: int) -> None:
        """Count the bytes of an asset.

        Raises:
            UnsupportedFeature: those so far are too many.
        """
        self.taken += size
        if self.taken > LARGEST:
            raise part.element.unsupported(f"a model with assets of more than {LARGEST >> 20} MB")


def check_size(root: Element, sizes: Mapping[str, int]) -> None:
    """Refuse a model whose arrays are too large.

    Args:
        root: its document.
        sizes: sizes of mjModel by name; those that are missing are 0.
    """
    total = 0
    for _, dims, dtype in LAYOUTS:
        count = prod(n if isinstance(n, int) else sizes.get(n, 0) for n in dims)
        total += count * (1 if dtype is None else np.dtype(dtype).itemsize)
    if total > LARGEST:
        raise root.unsupported(f"a model of {total >> 20} MB", f"the most are {LARGEST >> 20} MB")
