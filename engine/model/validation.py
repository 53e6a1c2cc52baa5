"""Validation errors of a model, and comparisons that raise them."""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .model import Model


class ValidationError(Exception):  # what a check has found, not an error by itself
    """A number of a model that cannot be used; the text says which."""


def refuse(name: str, bad: Any, values: np.ndarray, expected: Any) -> None:
    """Raise `ValidationError` for the first element of an array that is bad.

    Args:
        name: the array.
        bad: whether each element is.
        values: its elements.
        expected: what was expected, or an array of what was, element by element.
    """
    if bad.any():
        k = int(np.argmax(bad))
        instead = expected if isinstance(expected, str) else expected.flat[k]
        raise ValidationError(f"{name}[{k}]: found {values.flat[k]}, expected {instead}")


def same(name: str, found: np.ndarray, expected: np.ndarray) -> None:
    """Raise `ValidationError` where an array differs from what others say that it is."""
    refuse(name, found != expected, found, expected)


def in_range(name: str, where: np.ndarray, values: Any, low: Any, size: Any) -> None:
    """Refuse values out of a range where a condition holds; its size may differ by element."""
    size = np.broadcast_to(size, values.shape)
    bad = where & ((values < low) | (values >= size))
    if bad.any():
        k = int(np.argmax(bad))
        raise ValidationError(f"{name}[{k}]: found {values[k]}, expected {low} to {size[k] - 1}")


def starts(counts: np.ndarray) -> np.ndarray:
    """First place of each of some groups that follow one another."""
    return np.cumsum(counts) - counts


def total(name: str, size: str, found: int, model: "Model") -> None:
    """Raise `ValidationError` where counts do not add up to a size."""
    if found != getattr(model, size):
        raise ValidationError(
            f"{name}: found {found} in all, expected {size} = {getattr(model, size)}"
        )
