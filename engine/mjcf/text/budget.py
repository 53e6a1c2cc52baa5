"""Limits of the size of a model: too large ones are refused before their memory is allocated."""

from collections.abc import Mapping

import numpy as np

from ...errors import UnsupportedFeature
from ...model.model import LAYOUTS
from .element import Element


def _nbytes() -> dict[tuple[int | str, ...], int]:
    """Bytes of an element of all arrays of each shape in a model."""
    found: dict[tuple[int | str, ...], int] = {}
    for row in LAYOUTS:
        size = 1 if row.dtype is None else np.dtype(row.dtype).itemsize
        found[row.dims] = found.get(row.dims, 0) + size
    return found


NBYTES = _nbytes()


def check_bytes(element: Element, size: int, what: str) -> None:
    """Refuse what takes more memory than the user allows.

    Args:
        element: what asks for it.
        size: its bytes.
        what: it in words.

    Raises:
        UnsupportedFeature: the message names the option that allows more.
    """
    most = element.document.source.max_bytes
    if size > most:
        raise UnsupportedFeature(
            f"{element.where}: {what}: expected at most {most >> 20} MB, found {size >> 20} MB;"
            " allow more with the argument max_bytes of Model.from_xml_path, Model.from_xml_string"
            " or Spec"
        )


class Budget:
    """Bytes of assets, which are held twice while a model is compiled."""

    def __init__(self):
        self.taken = 0

    def take(self, element: Element, size: int) -> None:
        """Count the bytes of an asset, which an element describes.

        Raises:
            UnsupportedFeature: those so far are too many.
        """
        self.taken += size
        check_bytes(element, self.taken, "a model with large assets")


def check_size(root: Element, sizes: Mapping[str, int]) -> None:
    """Refuse a model whose arrays are too large.

    Args:
        root: its document.
        sizes: sizes of mjModel by name; those that are missing are 0.
    """
    total = 0
    for dims, size in NBYTES.items():
        for n in dims:
            size *= n if isinstance(n, int) else sizes.get(n, 0)
        total += size
    check_bytes(root, total, "a model with large arrays")
