"""State where nobody looks: in objects that are not looked into, in modules, classes and functions.

What the environment's objects have is each world's own (`attributes.py`). Python has other places
where a step may keep something: names of a module, attributes of a class, defaults of a function,
variables of a closure, iterators, objects of other packages. A traced step would neither see nor
change them, so that a step which changes one is found out here, and runs in Python.
"""

from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from functools import partial
from types import (
    BuiltinFunctionType,
    CellType,
    FunctionType,
    GeneratorType,
    MethodType,
    ModuleType,
)
from typing import Any

import numpy as np

from mjenv.porting.environment.attributes import (
    attributes_of,
    put_attributes,
    refill,
    refill_array,
    refill_list,
)
from mjenv.porting.environment.original import Original
from mjenv.porting.environment.place_names import Path, named
from mjenv.porting.symbols.refusals import NotTraced
from mjenv.porting.symbols.symbol import Symbol

_MOST = 3_000  # objects behind one that are looked at
_MOST_NUMBERS = 1_000_000  # elements of an array that are
# what changes inside of these is noted elsewhere, or says nothing about a step
_APART = frozenset((
    "mjenv", "mujoco", "gymnasium", "numba", "torch", "jax", "threading", "_thread", "logging",
    "ctypes", "weakref", "inspect", "typing", "abc", "re", "pathlib", "enum", "concurrent",
    "random", "warnings", "builtins", "OpenGL", "glfw", "pygame", "lxml",
))  # fmt: skip
_NOTHING: Any = object()
_PLAIN = (bool, int, str, bytes, type(None), complex, range, slice)


class Hidden:
    """What is behind objects that are not looked into, and in names that all worlds share, now."""

    def __init__(self, original: Original, shared: bool = True):
        """Look at it.

        Args:
            original: the environment.
            shared: whether to look at what worlds share, too.
        """
        self._original, self._undo = original, list[Callable[[], None]]()
        self._kept: list[Any] = []
        # arrays of data and model are looked at elsewhere
        arrays = [*original.data.batch._arrays.values(), *vars(original.model).values()]
        self._spans = [
            (start, start + one.nbytes) for one in arrays
            if isinstance(one, np.ndarray) and one.nbytes
            and (start := one.__array_interface__["data"][0])
        ]  # fmt: skip
        others = original.places.others()
        known = {id(value) for _, value in original.places._walk()}
        self._own = known - set(map(id, others.values()))
        self.objects = {p: self._state(one) for p, one in others.items() if not _is_apart(one)}
        # by the address of who has it, and its name there
        self.shared: dict[tuple[int, str], Any] = {}
        self.owners: dict[int, str] = {}
        for owner, name, value in self._names() if shared else ():
            self.shared[id(owner), name] = self._state(value)

    def changed_objects(self, other: "Hidden") -> set[Path]:
        """Places of objects behind which something else is than before."""
        return {p for p, one in self.objects.items() if other.objects.get(p, one) != one}

    def refuse_changes(self, before: "Hidden", apart: Iterable[Path]) -> None:
        """Refuse all that has been changed, but for some objects.

        Raises:
            NotTraced: there is something.
        """
        self.refuse_shared(before)
        changed = self.changed_objects(before).difference(apart)
        if changed:
            raise NotTraced(
                f"found {named(min(changed))}, an object that steps or resets change and that is "
                "not looked into"
            )

    def refuse_shared(self, before: "Hidden") -> None:
        """Refuse what has been changed, and all worlds share.

        Raises:
            NotTraced: there is something.
        """
        owners = self.owners.keys() & before.owners.keys()
        for place in dict.fromkeys((*before.shared, *self.shared)):
            owner, name = place
            if owner in owners and self.shared.get(place) != before.shared.get(place):
                raise NotTraced(
                    f"found {self.owners[owner]}.{name} changed by steps or resets, which all "
                    "worlds share; keep it in the environment"
                )

    def put_back(self) -> None:
        """Have everything as it is here."""
        for one in self._undo:
            one()

    # ------------------------------------------------------------ names

    def _names(self) -> Iterator[tuple[Any, str, Any]]:
        """What modules and classes of the package have: who, by which name, and what."""
        kinds = self._original.kinds()
        classes: dict[type, None] = {one: None for one in kinds if not issubclass(one, Enum)}
        for space in self._original.spaces:
            self._undo.append(_names_again(space))
            self.owners[id(space)] = module = space.get("__name__", "")
            theirs = self._original.is_theirs(module)
            for name, value in [*space.items()]:
                if isinstance(value, type):
                    # members of enumerations are constants
                    kept = self._is_theirs(value) and not issubclass(value, Enum)
                    classes |= {value: None} if kept else {}
                elif (theirs or isinstance(value, FunctionType)) and self._counts(name, value):
                    yield space, name, value
        for kind in classes:
            self._undo.append(_attributes_again(kind))
            self._kept.append(kind)
            self.owners[id(kind)] = kind.__name__
            for name, value in [*vars(kind).items()]:
                value = value.__func__ if isinstance(value, staticmethod | classmethod) else value
                if self._counts(name, value):
                    yield kind, name, value

    def _is_theirs(self, value: Any) -> bool:
        return self._original.is_theirs(getattr(value, "__module__", None) or "")

    def _counts(self, name: str, value: Any) -> bool:
        """True for what can be changed, or have something else in its place."""
        if isinstance(value, FunctionType):
            kept = value.__closure__ or value.__defaults__ or value.__kwdefaults__ or vars(value)
            return bool(kept) and self._is_theirs(value)
        apart = isinstance(value, ModuleType | type | property | BuiltinFunctionType)
        return not apart and not name.startswith("__")

    # ------------------------------------------------------------ states

    def _state(self, value: Any) -> Any:
        """What can be compared with the same later."""
        found: list[Any] = []
        waiting, seen, alive = [value], dict[int, int](), []
        while waiting:
            one = waiting.pop()
            if id(one) in seen and not isinstance(one, _PLAIN):
                found.append(seen[id(one)])
                continue
            seen[id(one)] = len(seen)
            # what is made here must not have its address given to another
            alive.append(one)
            if len(seen) > _MOST:
                return "much", id(value)
            try:
                what, inner = self._inside(one)
            except Exception:
                # an object of a kind of its own
                what, inner = self._by_address(one)
            found.append((type(one), what, len(inner)))
            waiting += inner
        return tuple(found)

    def _inside(self, value: Any) -> tuple[Any, list[Any]]:
        """What is known of an object by itself, and the objects in it."""
        if isinstance(value, _PLAIN):
            return value, []
        if isinstance(value, float | np.generic):
            return np.asarray(value).tobytes(), []
        if isinstance(value, Symbol):
            return value.ids.tobytes(), []
        if isinstance(value, Enum):
            return self._by_address(value)
        if isinstance(value, bytearray | array):
            self._undo.append(_elements_again(value))
            return bytes(value), []
        if isinstance(value, np.ndarray):
            return self._of_array(value)
        # objects that are looked into are known to have changed, or not
        if id(value) in self._own or _is_apart(value):
            return self._by_address(value)
        return self._of_object(value)

    def _by_address(self, value: Any) -> tuple[Any, list[Any]]:
        self._kept.append(value)
        return id(value), []

    def _of_array(self, value: np.ndarray) -> tuple[Any, list[Any]]:
        place = value.__array_interface__["data"][0]
        # those of data and model are no secret
        if value.size > _MOST_NUMBERS or any(a <= place < b for a, b in self._spans):
            return self._by_address(value)
        self._undo.append(refill_array(value, value.copy()))
        if value.dtype.hasobject:
            return value.shape, value.ravel().tolist() if value.dtype == object else []
        return (value.dtype.str, value.shape, value.tobytes()), []

    def _of_object(self, value: Any) -> tuple[Any, list[Any]]:
        """The same of containers, functions, iterators and other objects."""
        more = _attributes(value)
        # containers
        if isinstance(value, dict):
            self._undo.append(_dict_again(value))
            return more[0], [*value, *value.values(), *more[1]]
        if isinstance(value, list | deque):
            self._undo.append(refill_list(value, [*value]))
            return more[0], [*value, *more[1]]
        if isinstance(value, tuple):
            return more[0], [*value, *more[1]]
        if isinstance(value, set | frozenset):
            self._undo.extend([refill(value, {*value})] if isinstance(value, set) else [])
            plain = all(isinstance(one, (*_PLAIN, float, tuple, frozenset)) for one in value)
            return (frozenset(value) if plain else frozenset(map(id, value))), []
        # functions, and what stands for one
        if isinstance(value, FunctionType):
            self._undo.append(_dict_again(vars(value)))
            cells = [*map(self._in_cell, value.__closure__ or ())]
            defaults = [*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()]
            return id(value.__code__), [*cells, *defaults, *vars(value).values()]
        if isinstance(value, MethodType):
            return id(value.__func__), [value.__self__]
        if isinstance(value, partial):
            return None, [value.func, *value.args, *value.keywords.values()]
        # what goes on where it was
        if isinstance(value, GeneratorType):
            frame = value.gi_frame
            return (frame and frame.f_lasti), [] if frame is None else [*frame.f_locals.values()]
        if hasattr(value, "__next__"):
            return self._of_iterator(value)
        if more[1] or more[0]:
            self._undo.append(partial(put_attributes, value, attributes_of(value)))
            return id(value), [more[0], *more[1]]
        return self._by_address(value)

    def _in_cell(self, cell: CellType) -> Any:
        try:
            value = cell.cell_contents
        except ValueError:
            return None
        self._undo.append(lambda: setattr(cell, "cell_contents", value))
        return value

    def _of_iterator(self, value: Any) -> tuple[Any, list[Any]]:
        """Where an iterator is, which it says to who copies it."""
        try:
            said = value.__reduce__()
        except Exception:
            return self._by_address(value)
        return None, [one for one in said[1:] if one is not None]


def _is_apart(value: Any) -> bool:
    kind = type(value)
    if kind in (dict, list, set, tuple, frozenset, bytearray, FunctionType, MethodType):
        return False
    if isinstance(value, ModuleType | type | BuiltinFunctionType | np.random.Generator):
        return True
    top = kind.__module__.partition(".")[0]
    # iterators, generators and arrays of Python's own can be asked
    return top in _APART and not hasattr(value, "__next__") and not isinstance(value, np.ndarray)


def _attributes(value: Any) -> tuple[tuple[str, ...], list[Any]]:
    found = attributes_of(value)
    return tuple(found), [*found.values()]


# ------------------------------------------------------------ how things are put back


def _names_again(space: dict[str, Any]) -> Callable[[], None]:
    old = {**space}

    def undo() -> None:
        for name, value in _changed(space, old):
            if value is _NOTHING:
                del space[name]
            else:
                space[name] = value

    return undo


def _attributes_again(kind: type) -> Callable[[], None]:
    old = {**vars(kind)}

    def undo() -> None:
        for name, value in _changed(vars(kind), old):
            if value is _NOTHING:
                delattr(kind, name)
            else:
                setattr(kind, name, value)

    return undo


def _changed(now: Mapping[str, Any], old: dict[str, Any]) -> list[tuple[str, Any]]:
    """Names that have something else now, and what they had; modules that are loaded may stay."""
    code = (ModuleType, type, FunctionType)
    both = ((n, now.get(n, _NOTHING), old.get(n, _NOTHING)) for n in {**now, **old})
    return [(n, y) for n, x, y in both if x is not y and not isinstance(x, code)]


def _elements_again(value: Any) -> Callable[[], None]:
    old = value[:]

    def undo() -> None:
        value[:] = old

    return undo


def _dict_again(value: dict) -> Callable[[], None]:
    old = {**value}

    def undo() -> None:
        known = zip(value.items(), old.items(), strict=False)
        if len(value) != len(old) or any(a != b or x is not y for (a, x), (b, y) in known):
            value.clear()
            value.update(old)

    return undo
