"""Base of the small structures: fields as attributes of the class, comparison, text, copies."""

import math
from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np

from mjenv.visual.records import Record


def same(one: Any, other: Any) -> bool:
    """True if two values of a field are equal; NaN is equal to itself."""
    if isinstance(one, np.ndarray | float):
        return np.array_equal(one, other, equal_nan=True)
    return bool(one == other)


def shown(title: str, fields: Iterable[tuple[str, Any]]) -> str:
    """Text of an object: its fields line by line, those of structures inside it moved in."""
    lines = [f"<{title}"]
    lines += (f"  {name}: " + "\n  ".join(repr(value).split("\n")) for name, value in fields)
    return "\n".join((*lines, ">"))


def whole_number(value: Any, where: str) -> int:
    """A value for a field of whole numbers.

    Raises:
        TypeError: it is a fraction, or no number.
    """
    if isinstance(value, float | np.floating | str):
        raise TypeError(f"{where}: found {value!r}, expected a whole number")
    return int(value)


def real_number(value: Any, where: str) -> float:
    """A value for a field of real numbers.

    Raises:
        TypeError: it is no number.
    """
    try:
        return math.ldexp(value, 0)  # float(), but of no texts
    except (TypeError, ValueError):
        raise TypeError(f"{where}: found {value!r}, expected a number") from None


def keep_fields(owner: Any, name: str) -> None:
    """Delete an attribute that is none of the class (`__delattr__`)."""
    if hasattr(type(owner), name):
        raise AttributeError(f"property of {type(owner).__name__!r} object has no deleter: {name}")
    object.__delattr__(owner, name)


class Struct(Record):
    """A row of a structured array whose fields are attributes of the class too."""

    __slots__ = ()

    def __init_subclass__(cls, **options: Any):
        super().__init_subclass__(**options)
        dtype: Any = vars(cls).get("DTYPE")
        if dtype is not None:
            for name in dtype.names:
                setattr(cls, name, Column(name, dtype[name]))

    # attributes are those of the class: a name that it lacks is refused, but to subclasses
    __setattr__: Any = object.__setattr__

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _get(self, name: str) -> Any:
        """A field as it is in memory."""
        return self._row[name]

    def _set(self, name: str, value: Any) -> None:
        """Store a plain number."""
        self._row[name] = value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Struct) or other.DTYPE is not self.DTYPE:
            return False
        return all(same(getattr(self, n), getattr(other, n)) for n in self.DTYPE.names or ())

    def __repr__(self) -> str:
        names = sorted(self.DTYPE.names or ())
        return shown(type(self).__name__, ((name, getattr(self, name)) for name in names))

    __str__ = __repr__


class Column(property):
    """A field of a structure: numbers are Python's, arrays are views."""

    def __init__(self, name: str, dtype: np.dtype):
        super().__init__(_reader(name, dtype), _writer(name, dtype))


def _reader(name: str, dtype: np.dtype):
    if dtype.shape:
        return lambda struct: struct._get(name)
    if dtype.kind == "S":
        return lambda struct: struct._get(name).decode(errors="replace")
    return lambda struct: struct._get(name).item()


def _writer(name: str, dtype: np.dtype):
    def write_array(struct: Any, value: Any) -> None:
        array = struct._get(name)
        array[...] = value if np.ndim(value) == 0 else np.reshape(value, array.shape)

    def write_text(struct: Any, value: str) -> None:
        if not isinstance(value, str):
            raise TypeError(f"{type(struct).__name__}.{name}: found {value!r}, expected a str")
        text, most = value.encode(), dtype.itemsize - 1
        if len(text) > most:
            raise ValueError(f"len({name}) cannot exceed {most}: got length {len(text)}")
        struct._set(name, text)

    def write_whole(struct: Any, value: Any) -> None:
        struct._set(name, whole_number(value, f"{type(struct).__name__}.{name}"))

    def write_real(struct: Any, value: Any) -> None:
        struct._set(name, real_number(value, f"{type(struct).__name__}.{name}"))

    if dtype.shape:
        return write_array
    return {"S": write_text, "f": write_real}.get(dtype.kind, write_whole)


class StructList:
    """Structures one after the other, in arrays of their fields: `list[i].number`, `list.number`.

    Attributes:
        ITEM: the class of its items.
    """

    ITEM: ClassVar[type[Struct]]
    __slots__ = ("_columns", "_places")

    def __init__(self, columns: Any, places: range | None = None):
        """Show structures whose fields lie in arrays.

        Args:
            columns: what has `length()`, and `column(name)`, (n, ...) of at least that length.
            places: which of them; None for all that there are at the time.
        """
        object.__setattr__(self, "_columns", columns)
        object.__setattr__(self, "_places", places)

    def __init_subclass__(cls, **options: Any):
        super().__init_subclass__(**options)
        for name in cls.ITEM.DTYPE.names or ():
            setattr(cls, name, _field_of_all(name))
        cls._ITEM_IN_PLACE = _in_place(cls.ITEM)

    _ITEM_IN_PLACE: ClassVar[Any]

    def __len__(self) -> int:
        return self._columns.length() if self._places is None else len(self._places)

    def __getitem__(self, place: Any) -> Any:
        length = len(self)
        if isinstance(place, slice):
            places = range(length) if self._places is None else self._places
            return type(self)(self._columns, places[place])
        place = int(place)
        if not -length <= place < length:
            raise IndexError("list index out of range")
        place %= length
        return self._ITEM_IN_PLACE(
            self._columns, place if self._places is None else self._places[place]
        )

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return False
        columns: Any = other
        names = self.ITEM.DTYPE.names or ()
        return len(self) == len(columns) and all(
            same(getattr(self, name), getattr(columns, name)) for name in names
        )

    def __repr__(self) -> str:
        names = sorted(self.ITEM.DTYPE.names or ())
        return shown(type(self).__name__, ((name, getattr(self, name)) for name in names))


def _field_of_all(name: str) -> property:
    """A field of every structure of a list, as one array."""

    def read(structs: Any) -> np.ndarray:
        places = structs._places
        if places is None:
            return structs._columns.column(name)[: len(structs)]
        start, stop, step = places.start, places.stop, places.step
        return structs._columns.column(name)[start : stop if stop >= 0 else None : step]

    def write(structs: Any, value: Any) -> None:
        read(structs)[...] = value

    return property(read, write)


def _in_place(kind: type[Struct]) -> type[Struct]:
    """The class of structures of a kind that are items of a list."""

    def begin(self: Any, columns: Any, place: int) -> None:
        object.__setattr__(self, "_columns", columns)
        object.__setattr__(self, "_place", place)

    def get(self: Any, name: str) -> Any:
        return self._columns.column(name)[self._place]

    def put(self: Any, name: str, value: Any) -> None:
        self._columns.column(name)[self._place] = value

    def copy(self: Any, memo: dict | None = None) -> Struct:
        twin = kind()
        for name in kind.DTYPE.names or ():
            twin._row[name] = self._get(name)
        return twin

    members = {"__slots__": ("_columns", "_place"), "__module__": kind.__module__}
    members |= {"__init__": begin, "_get": get, "_set": put, "__copy__": copy}
    members |= {"__deepcopy__": copy, "__reduce__": lambda self: copy(self).__reduce__()}
    return type(kind.__name__, (kind,), members)
