"""Views of models and data by the elements of the spec that they were compiled from."""

from collections.abc import Sequence
from typing import Any

MISMATCH = "The mjSpec does not match mjModel. Please recompile the mjSpec."


def bind_scalar(holder: Any, element: Any) -> Any:
    """The view of one element.

    Args:
        holder: an `MjModel` or `MjData`.
        element: an element of the spec that the model was compiled from.

    Raises:
        ValueError: the spec was changed since, or is another one.
    """
    kind = getattr(element, "_kind", "")
    if not kind:
        raise TypeError(f"bind: expected an element of a spec, found {type(element).__name__}")
    model = getattr(holder, "model", holder)
    if element.signature != model.signature or element.id < 0:
        raise ValueError(MISMATCH)
    return getattr(holder, kind)(element.id)


class _Several:
    """Views of several elements: attributes are lists."""

    def __init__(self, views: list[Any]):
        object.__setattr__(self, "elements", views)

    def __getattr__(self, name: str) -> list[Any]:
        try:
            return [item for view in self.elements for item in getattr(view, name)]
        except AttributeError:
            raise AttributeError(
                f"'{type(self).__name__}' object has no attribute '{name}'"
            ) from None


class _SeveralOfData(_Several):
    def __setattr__(self, name: str, value: Any) -> None:
        for view, item in zip(self.elements, value, strict=False):
            setattr(view, name, item)


class _SeveralOfModel(_Several):
    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"Cannot set {name} on MjModel.")


def bind(holder: Any, elements: Any) -> Any:
    """The view of an element, or one of several elements in a row."""
    if not isinstance(elements, Sequence):
        return bind_scalar(holder, elements)
    views = [bind_scalar(holder, element) for element in elements]
    return _SeveralOfData(views) if hasattr(holder, "model") else _SeveralOfModel(views)
