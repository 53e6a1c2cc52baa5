"""Attributes of the structures of MjSpec: each field checks what is assigned to it."""

import operator
from functools import cache
from typing import Any, NamedTuple, TypeVar

import numpy as np

from mjenv.mujoco.spec.lists import VIEWS
from mjenv.mujoco.spec.tables import DTYPES, Field, structures

T = TypeVar("T", bound="Record")
LIMITS = {"i": (-(2**31), 2**31 - 1), "b": (0, 255)}
TEXTURES = 10  # roles of the textures of a material


class Record:
    """An object with the fields of a structure, which stand in its `__dict__`."""

    _structure = ""
    __module__ = "mujoco._specs"

    def __init__(self, *_args: Any, **_keywords: Any):
        raise TypeError(f"{self._where()}: No constructor defined!")

    def __setattr__(self, name: str, value: Any) -> None:
        if name[:1] != "_" and not hasattr(type(self), name):
            raise AttributeError(f"'{self._where()}' object has no attribute '{name}'")
        object.__setattr__(self, name, value)

    def __init_subclass__(cls) -> None:
        cls.__module__ = "mujoco._specs"
        for field in _fields(cls._structure).values():
            if field.name not in cls.__dict__:
                setattr(cls, field.name, Attribute(field))

    @classmethod
    def _where(cls) -> str:
        return f"{cls.__module__}.{cls.__name__}"

    @classmethod
    def _default(cls: type[T]) -> T:
        """A new one, with the defaults."""
        made = cls.__new__(cls)
        made._fill()
        return made

    def _fill(self) -> None:
        """Set all fields to their defaults."""
        own, layout = self.__dict__, _layout(self._structure)
        own.update(layout.defaults)
        for name, default in layout.arrays:
            own[name] = default.copy()
        for name, default in layout.lists:
            own[name] = _copied(default)
        for name, kind in layout.inner:
            own[name] = INNER[kind]()

    def _copy_fields(self, other: "Record") -> None:
        """Take over all fields of another one."""
        own, theirs, layout = self.__dict__, other.__dict__, _layout(self._structure)
        own.update({name: theirs[name] for name in layout.defaults})
        for name, _ in layout.arrays:
            own[name] = theirs[name].copy()
        for name, _ in layout.lists:
            own[name] = _copied(theirs[name])
        for name, _ in layout.inner:
            own[name] = theirs[name]._copied()

    def _snapshot(self) -> "Snapshot":
        """Its fields, for new objects that begin with them; nobody may change it later."""
        layout, own = _layout(self._structure), self.__dict__
        apart = {name for part in (layout.arrays, layout.lists, layout.inner) for name, _ in part}
        return Snapshot(
            {name: own[name] for name in layout.defaults if name not in apart},
            [(name, own[name]) for name, _ in layout.arrays],
            [(name, own[name]) for name, _ in layout.lists],
            [(name, own[name]) for name, _ in layout.inner],
        )

    def _copied(self) -> Any:
        made = type(self).__new__(type(self))
        made._copy_fields(self)
        return made


class Snapshot(NamedTuple):
    """Fields of a record by how they are copied.

    Attributes:
        plain: what can be shared.
        arrays, lists, inner: what each object has of its own.
    """

    plain: dict[str, Any]
    arrays: list[tuple[str, np.ndarray]]
    lists: list[tuple[str, list]]
    inner: list[tuple[str, Record]]

    def put(self, own: dict[str, Any]) -> None:
        """Set the fields in the `__dict__` of a new object."""
        own.update(self.plain)
        for name, array in self.arrays:
            own[name] = array.copy()
        for name, items in self.lists:
            own[name] = _copied(items)
        for name, record in self.inner:
            own[name] = record._copied()


INNER: dict[str, Any] = {}  # kinds of fields that are records, and what makes one


def _fields(structure: str) -> dict[str, Field]:
    return structures()[structure].fields if structure else {}


class _Layout(NamedTuple):
    """Fields of a structure by how they are copied.

    Attributes:
        defaults: all of them, in order, as they are at first.
        arrays, lists: those that are arrays, or lists, which each object has of its own.
        inner: those that are records, with their kinds.
    """

    defaults: dict[str, Any]
    arrays: tuple[tuple[str, np.ndarray], ...]
    lists: tuple[tuple[str, list], ...]
    inner: tuple[tuple[str, str], ...]


@cache
def _layout(structure: str) -> _Layout:
    fields = _fields(structure).values()
    inner = tuple((field.name, field.kind) for field in fields if field.kind in INNER)
    own = [(field.name, field.default) for field in fields if field.kind not in INNER]
    return _Layout(
        {field.name: field.default for field in fields},
        tuple((name, value) for name, value in own if isinstance(value, np.ndarray)),
        tuple((name, value) for name, value in own if isinstance(value, list)),
        inner,
    )


def _copied(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, list):
        return [_copied(item) for item in value]
    return value


class Attribute:
    """A field as an attribute of a class."""

    def __init__(self, field: Field):
        self.field = field
        self.view = VIEWS.get(field.kind)
        self.__doc__ = None

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        value = instance.__dict__[self.field.name]
        return value if self.view is None else self.view(value)

    def __set__(self, instance: Any, value: Any) -> None:
        field, own = self.field, instance.__dict__
        if field.kind in INNER:
            own[field.name]._assign(value)
        elif field.is_array:
            own[field.name][:] = array_of(field, value)
        elif field.kind == "c":
            _set_letters(own[field.name], value)
        else:
            own[field.name] = converted(field, value)


def _set_letters(letters: list[str], value: Any) -> None:
    for place, letter in enumerate(value):
        if not isinstance(letter, str):
            raise TypeError(f"expected letters, found {type(letter).__name__}")
        if len(letter) != 1:
            raise ValueError(f"Expected a character, but multi-character string found: {letter!r}")
        if place < len(letters):
            letters[place] = letter


def wrong(field: Field, expected: str, value: Any) -> TypeError:
    """The error that a value is not of the type of a field."""
    return TypeError(f"{field.name}: expected {expected}, found {type(value).__name__}")


def array_of(field: Field, value: Any) -> np.ndarray:
    """Numbers for a field that is an array, from a list or array of as many."""
    dtype, count = DTYPES[field.kind], field.count
    try:
        array = np.asarray(value)
        array = array if array.dtype == dtype else np.asarray(array.astype(dtype))
    except (ValueError, TypeError):
        raise wrong(field, f"{count} numbers", value) from None
    if isinstance(value, str) or array.shape not in ((count,), (count, 1)):
        raise wrong(field, f"{count} numbers", value)
    return array.reshape(count)


def converted(field: Field, value: Any) -> Any:
    """A value as a field keeps it.

    Raises:
        TypeError: it is not of the field's type.
        ValueError: a list of another length than the field takes.
    """
    return CONVERTERS[field.kind](field, value)


def _whole(field: Field, value: Any) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise wrong(field, "a whole number", value) from None
    low, high = LIMITS[field.kind]
    if not low <= number <= high:
        raise TypeError(f"{field.name}: expected {low} to {high}, found {number}")
    return number


def _real(field: Field, value: Any) -> float:
    if isinstance(value, str | bytes):
        raise wrong(field, "a number", value)
    try:
        return float(value)
    except (TypeError, ValueError):
        raise wrong(field, "a number", value) from None


def _single(field: Field, value: Any) -> float:
    return float(np.float32(_real(field, value)))


def _text(field: Field, value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode()
    if not isinstance(value, str):
        raise wrong(field, "text", value)
    return str(value)


def _member(field: Field, value: Any) -> Any:
    if not isinstance(value, field.choices):
        raise wrong(field, field.choices.__name__, value)
    return value


def _numbers(field: Field, value: Any) -> np.ndarray:
    if isinstance(value, str | bytes):
        raise wrong(field, "a list of numbers", value)
    len(value)
    try:
        return _listed(value, DTYPES[field.kind[0]])
    except (ValueError, TypeError):
        raise wrong(field, "a list of numbers", value) from None


def _listed(value: Any, dtype: Any) -> np.ndarray:
    """A list of numbers as an array; fractions are no whole numbers, not even 1.0."""
    items = list(value)
    if dtype == np.int32:
        items = [operator.index(item) for item in items]
    return np.array(items, dtype).reshape(-1)


def _texts(field: Field, value: Any) -> list[str]:
    if field.name == "textures" and len(value) != TEXTURES:
        raise ValueError(
            f"material.textures must have exactly {TEXTURES} elements, got {len(value)}: one name"
            " for each role, '' for none"
        )
    return [_text(field, item) for item in value]


def _bytes(field: Field, value: Any) -> bytes:
    if isinstance(value, bytes | bytearray):
        return bytes(value)
    raise wrong(field, "bytes", value)


def _nested(field: Field, value: Any) -> list[list[Any]]:
    kind = np.float32 if field.kind == "fvv" else np.int32
    try:
        return [_listed(item, kind).tolist() for item in value]
    except (ValueError, TypeError):
        raise wrong(field, "lists of numbers", value) from None


CONVERTERS: dict[str, Any] = {
    "i": _whole,
    "b": _whole,
    "d": _real,
    "n": _real,
    "f": _single,
    "s": _text,
    "e": _member,
    "dv": _numbers,
    "fv": _numbers,
    "iv": _numbers,
    "sv": _texts,
    "bv": _bytes,
    "ivv": _nested,
    "fvv": _nested,
}
