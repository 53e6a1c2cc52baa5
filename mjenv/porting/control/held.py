"""Lists, dicts, arrays and other objects that local names lead to, and what changes inside of them.

The body of a loop or a branch runs once for each way through it, on these objects themselves. What
a way has changed inside of them is noted, and undone. In the end each of them gets what worlds have
by their ways, so that whoever else has it sees the same. What cannot stay the object that it is,
such as a list that is longer in some worlds, has another one in its place wherever local names lead
to it.
"""

from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from types import (
    BuiltinMethodType,
    FunctionType,
    GeneratorType,
    MethodType,
    MethodWrapperType,
    NoneType,
    SimpleNamespace,
)
from typing import Any

import numpy as np

from mjenv.porting.control.closures import parts_of
from mjenv.porting.environment.attributes import attributes_of, put_attributes
from mjenv.porting.symbols.symbol import Symbol
from mjenv.porting.varying.choices import is_same
from mjenv.porting.varying.registers import Register
from mjenv.porting.varying.remembered import content
from mjenv.porting.varying.symbolic_contacts import Possible
from mjenv.tracing.arrays import TraceError

_FUNCTIONS = FunctionType, MethodType, BuiltinMethodType, MethodWrapperType, partial
_MOST = 10_000  # objects that local names lead to


class State(tuple):
    """Values of the local names of a statement.

    Attributes:
        others: of the names that it does not use.
        given: of the parameters of the function in which it stands.
    """

    others: tuple[Any, ...] = ()
    given: tuple[Any, ...] = ()


class Held:
    """The objects that values lead to, as they are now.

    Attributes:
        known: which are looked into.
        before: what each of them has in it, by its address.
    """

    def __init__(self, values: Iterable[Any], known: "Known"):
        self.known, self._objects = known, known.objects(values)
        self.before = {key: _inside_of(one) for key, one in self._objects.items()}

    def undone(self) -> dict[int, Any]:
        """What objects have in them that have changed; they are as they were before."""
        found: dict[int, Any] = {}
        for key, one in self._objects.items():
            new = _inside_of(one)
            if not _are_same(new, self.before[key]):
                found[key] = new
        for key in found:
            _fill(self._objects[key], self.before[key])
        return found

    def change(self, contents: dict[int, Any]) -> dict[int, tuple[Any, Any]]:
        """Have other things in objects.

        Returns:
            Those that cannot, each with what has to be in its place, by its address.

        Raises:
            TraceError: nothing can be in its place.
        """
        others: dict[int, tuple[Any, Any]] = {}
        for key, new in contents.items():
            one = self._objects[key]
            if _fits(one, new):
                _fill(one, new)
            elif isinstance(new, Possible | Symbol) and not isinstance(one, deque):
                others[key] = one, new
            else:
                raise TraceError(f"found {one!r} changed in a loop or an `if` of values")
        self._refuse_parts([one for one, _ in others.values()])
        return others

    def _refuse_parts(self, replaced: list[Any]) -> None:
        """Refuse arrays that were to be replaced, and have numbers in common with others."""
        arrays = [one for one in replaced if isinstance(one, np.ndarray)]
        others = [one for one in self._objects.values() if isinstance(one, np.ndarray)]
        for one in arrays:
            if any(other is not one and np.may_share_memory(one, other) for other in others):
                raise TraceError(
                    "found a part of an array of numbers that a loop or an `if` of values changes"
                )


class Given:
    """Arguments of a function, and what there is in them before it runs.

    Attributes:
        values: the arguments.
    """

    def __init__(self, values: Any, known: "Known"):
        self.values, self._known, self._kept = values, known, list[Any]()
        self._before = self._written()

    def _written(self) -> dict[int, Any]:
        found = self._known.objects([self.values])
        return {key: content(_inside_of(one), self._kept) for key, one in found.items()}

    def is_changed(self) -> bool:
        """True if the function has changed what it was given."""
        return self._written() != self._before

    def key(self, kept: list[Any]) -> Any:
        """A key that is equal for equal arguments, see `remembered.content`."""
        # what stands for itself there, and can change
        kinds = (Symbol, np.ndarray, list, dict)
        others = (
            (key, self._before[key])
            for key, one in self._known.objects([self.values]).items()
            if not isinstance(one, kinds) and type(one) is not Possible
        )
        kept += self._kept
        return content(self.values, kept), *others


class Known:
    """Which objects are looked into.

    Attributes:
        own: addresses of those that the environment has, whose changes are noted elsewhere.
        follows: whether attributes of an object are looked at.
    """

    def __init__(self, own: Iterable[int], follows: Callable[[Any], bool]):
        self.own, self._follows = frozenset(own), follows

    def held(self, item: Any, state: tuple) -> Held:
        """The objects that local names lead to, and an item of a loop."""
        others = state.others if isinstance(state, State) else ()
        return Held((item, *state, *others), self)

    def objects(self, values: Iterable[Any]) -> dict[int, Any]:
        """Objects that values lead to and that can change, by their addresses."""
        found: dict[int, Any] = {}
        waiting, seen = [*values], set[int]()
        while waiting:
            one = waiting.pop()
            if id(one) in seen or id(one) in self.own:
                continue
            seen.add(id(one))
            if len(seen) > _MOST:
                raise TraceError(f"found more than {_MOST} objects that local names lead to")
            if isinstance(one, tuple):
                waiting += one
            elif isinstance(one, _FUNCTIONS):
                waiting += _had_by(one)
            elif self.can_change(one):
                found[id(one)] = one
                waiting += _inner(_inside_of(one))
        return found

    def can_change(self, value: Any) -> bool:
        """True for what has contents that can change."""
        if isinstance(value, Symbol):
            return bool(value.ndim)
        if isinstance(value, np.ndarray):
            return bool(value.ndim) and value.dtype.kind in "fiub" and value.flags.writeable
        if isinstance(value, list | dict | set | deque | Possible | SimpleNamespace):
            return True
        return _is_iterator(value) or self._follows(value)

    def replace(self, values: Iterable[Any], others: dict[int, tuple[Any, Any]]) -> None:
        """Have other objects in the place of some, wherever values lead to them."""
        for one in self.objects(values).values():
            contents = _inside_of(one)
            inner = _inner(contents)
            if any(isinstance(x, tuple) and self._leads(x, others) for x in inner):
                raise TraceError("found a list or a set in a tuple that a loop of values changes")
            if any(id(x) in others for x in inner):
                _fill(one, _replaced(contents, others))

    def _leads(self, values: Iterable[Any], others: dict[int, tuple[Any, Any]]) -> bool:
        """True if values lead to one of some objects."""
        if any(id(one) in others for one in values):
            return True
        return not others.keys().isdisjoint(self.objects(values))

    def refuse(self, state: Any, others: dict[int, tuple[Any, Any]]) -> None:
        """Refuse objects that have been replaced, and that others know.

        Raises:
            TraceError: there is one.
        """
        if self._leads(state.given, others):
            raise TraceError(
                "found a loop or an `if` of values that changes the length of what its function "
                "is given, expected one that returns something of its own"
            )
        if self._leads(state.others, others):
            raise TraceError(
                "found a loop or an `if` of values that changes the length of what has another "
                "name, too"
            )


def _had_by(function: Any) -> list[Any]:
    """What a function has besides its arguments: by names around it, as defaults, or bound."""
    bound = isinstance(function, MethodType | BuiltinMethodType | MethodWrapperType)
    made_in_c = isinstance(function, BuiltinMethodType | MethodWrapperType)
    return [
        *([function.__self__] if bound else []),
        *([] if made_in_c else parts_of(function)),
    ]


def _inside_of(value: Any) -> Any:
    """What an object has in it, a copy."""
    if isinstance(value, Symbol | np.ndarray | Possible | set | dict):
        return value.copy()
    if isinstance(value, list | deque):
        return [*value]
    return str(_place_of(value)) if _is_iterator(value) else attributes_of(value)


def _is_iterator(value: Any) -> bool:
    """True for what goes on by itself, without attributes that tell where it is."""
    return hasattr(type(value), "__next__") and not attributes_of(value)


def _place_of(value: Any) -> Any:
    """Where an iterator is, or that of something inside of one."""
    if isinstance(value, int | float | str | NoneType):
        return value
    if isinstance(value, tuple):
        return [*map(_place_of, value)]
    if isinstance(value, GeneratorType):
        frame = value.gi_frame
        return frame and (frame.f_lasti, *map(_place_of, frame.f_locals.values()))
    if not hasattr(type(value), "__next__"):
        return id(value)
    try:
        # it says so to who copies it
        return [*map(_place_of, value.__reduce__()[1:])]
    except Exception:
        return id(value)


def _inner(contents: Any) -> list[Any]:
    """The objects in contents."""
    if isinstance(contents, dict):
        return [*contents.values()]
    if isinstance(contents, Possible):
        return contents.inner()
    return contents if isinstance(contents, list) else []


def _replaced(contents: Any, others: dict[int, tuple[Any, Any]]) -> Any:
    def now(value: Any) -> Any:
        return others[id(value)][1] if id(value) in others else value

    if isinstance(contents, dict):
        return {name: now(one) for name, one in contents.items()}
    if isinstance(contents, Possible):
        return contents.mapped(now)
    return [now(one) for one in contents]


def _fill(value: Any, contents: Any) -> None:
    """Have these contents in an object."""
    if _is_iterator(value):
        raise TraceError("found an iterator that goes on in a loop or an `if` of values")
    if isinstance(value, Symbol):
        value.ids[...] = contents.ids
        value.bound = contents.bound
    elif isinstance(value, np.ndarray):
        value[...] = contents
    elif isinstance(value, Possible):
        value.fill(contents)
    elif isinstance(value, list | deque):
        value.clear()
        value.extend(contents)
    elif isinstance(value, dict | set):
        value.clear()
        value.update(contents)
    else:
        put_attributes(value, contents)


def _fits(value: Any, contents: Any) -> bool:
    """True if an object can have these contents in it."""
    if isinstance(value, Symbol):
        kind = isinstance(contents, Symbol) and value.dtype == contents.dtype
        return kind and value.shape == contents.shape
    if isinstance(value, Possible):
        return type(contents) is type(value)
    if isinstance(value, dict):
        return isinstance(contents, dict)
    return type(contents) is type(_inside_of(value)) and not isinstance(value, np.ndarray)


def _are_same(one: Any, other: Any) -> bool:
    """True if contents have not changed."""
    if isinstance(one, Register):
        return is_same(one.names, other.names) and _are_same(one.at, other.at)
    if isinstance(one, dict):
        pairs = zip(one.values(), other.values(), strict=False)
        return [*one] == [*other] and all(_is_untouched(*pair) for pair in pairs)
    if type(one) is list:
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(_is_untouched(*pair) for pair in pairs)
    return is_same(one, other)


def _is_untouched(one: Any, other: Any) -> bool:
    """True for the same object, or the same number or word."""
    if one is other:
        return True
    plain = not isinstance(one, list | dict | set | deque | Possible) and not np.ndim(one)
    return plain and is_same(one, other)
