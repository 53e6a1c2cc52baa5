"""Lists inside elements, as the bindings show them: indexed from 0, of a length that stays."""

from collections.abc import Iterator
from typing import Any


class _List:
    """A view of a list of an element: what is set in it is set in the element.

    It has no negative indexes and no slices, as in the bindings; another list is assigned to the
    attribute.
    """

    __slots__ = ("_items",)
    _items: Any

    def __init__(self, items: Any):
        self._items = items

    def __len__(self) -> int:
        return len(self._items)

    def _place(self, index: int) -> int:
        if not 0 <= index < len(self._items):
            raise IndexError("Index out of range.")
        return index

    def __setitem__(self, index: int, value: Any) -> None:
        self._items[self._place(index)] = value

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self)!r})"


class _Numbers(_List):
    __slots__ = ()

    def __getitem__(self, index: int) -> Any:
        return self._items[self._place(index)].item()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items.tolist())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        array = self._items if dtype is None else self._items.astype(dtype)
        return array.copy() if copy is not False and array is self._items else array


class MjDoubleVec(_Numbers):
    """Numbers."""

    __slots__ = ()


class MjFloatVec(_Numbers):
    """Numbers of single precision."""

    __slots__ = ()


class MjIntVec(_Numbers):
    """Whole numbers."""

    __slots__ = ()


class _Texts(_List):
    __slots__ = ()

    def __getitem__(self, index: int) -> str:
        return self._items[self._place(index)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __setitem__(self, index: int, value: str) -> None:
        if not isinstance(value, str):
            raise TypeError(f"expected text, found {type(value).__name__}")
        super().__setitem__(index, value)


class MjStringVec(_Texts):
    """Names."""

    __slots__ = ()


class MjCharVec(_Texts):
    """Letters."""

    __slots__ = ()


class MjByteVec(_Numbers):
    """Bytes."""

    __slots__ = ()


VIEWS: dict[str, Any] = {
    "dv": MjDoubleVec,
    "fv": MjFloatVec,
    "iv": MjIntVec,
    "sv": MjStringVec,
    "c": MjCharVec,
}
