"""State that a task's functions depend on besides their arguments, and checks for changes of it.

While the functions run, Python reports every function that is called. What such a function can
read, by the names in its code, is remembered as it is before the function runs: containers of the
task, module globals, values captured in closures, default arguments, attributes of objects and
classes, arrays of the model. Comparing it later is exact (the same objects in the same places, the
same bits in arrays) and takes a fraction of a microsecond.
"""

import gc
import importlib
import sys
from array import array
from collections import UserDict, UserList
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from itertools import chain
from operator import getitem, is_
from random import Random
from types import (
    BuiltinFunctionType,
    FunctionType,
    MethodType,
    ModuleType,
    SimpleNamespace,
)
from typing import Any

import numpy as np

from mjenv.engine.model.model import Model
from mjenv.engine.model.named import NAMED, PREFIXES
from mjenv.engine.tables.fields import MODEL
from mjenv.task.random_streams import Streams
from mjenv.task.task import Task, TaskType, is_cached
from mjenv.tracing.mutable_objects import (
    KINDS,
    NOTHING,
    Binding,
    MutableObject,
    alike,
    bits,
    is_constant_array,
    items,
    leave,
    put_slots,
    refill,
    slots,
    unchanged,
)

_MOST = 2000  # things to compare; of more, comparing would cost more than bytecode saves
# names in a function's code that let it read attributes of any name
_ANY_NAME = frozenset({"getattr", "vars", "__dict__", "attrgetter", "__getattribute__"})
_NO_CONTAINER = (str, bytes, int, float, complex, type(None), np.generic, np.dtype, range, slice)
_FIELDS = frozenset(field.name for field in MODEL if field.shape)
_RANDOM = (np.random.Generator, np.random.RandomState, np.random.BitGenerator, Random, Streams)
# attributes of tasks that their functions have nothing to do with, and that have their own checks
_OWN_NAMES = frozenset(
    ("model", "default_camera_config", "randomization", "keep", "varies", "_revision", "_assigned")
)
# modules that are loaded while a task runs, by finders of whatever is installed, tell nothing of it
_IMPORTS = importlib._bootstrap._find_and_load.__code__  # type: ignore[attr-defined]
_STANDARD = sys.stdlib_module_names - {"__main__", "test"}
# what the engine itself runs on
_BELOW = frozenset({"numpy", "numba", "llvmlite", "scipy", "gymnasium"})
# kinds of the standard library that hold what users put into them
_RECORDS = (SimpleNamespace, UserDict, UserList)
_DESCRIPTORS = (property, cached_property, classmethod, staticmethod)
_FUNCTIONS = (FunctionType, MethodType, *_DESCRIPTORS)


class DependencyError(TypeError):
    """Something that a task's functions must not depend on, or must not change."""


class ExcessError(DependencyError):
    """Something that is not compared: functions that depend on it cannot be bytecode."""


class Dependencies:
    """State that the functions of a task have been seen to depend on."""

    def __init__(self, task: Task):
        """Remember the task's attributes as they are.

        Args:
            task: the task.
        """
        self._task, self._own = task, dict(vars(task))
        self._mutables: dict[int, MutableObject] = {}
        self._bindings: dict[tuple[int, str], Binding] = {}
        self._codes: set[Any] = set()
        self._importing = 0
        # names in the code of functions, and the classes of objects that they can reach
        self._names: set[str] = set()
        self._classes: set[type] = set()
        self._error: DependencyError | None = None
        self._excess: ExcessError | None = None
        self._settled: Callable[[], bool] = self._nothing

    @contextmanager
    def following(self, strict: bool = True) -> Iterator[None]:
        """While functions of the task run, find out what they depend on.

        Args:
            strict: whether they must not depend on what cannot be compared.

        Raises:
            DependencyError: if they depend on what cannot be compared.
        """
        before = sys.getprofile()
        self._importing = 0
        sys.setprofile(self._see)
        try:
            yield
        finally:
            _profile_by(before)
            self._settle()
        if strict and self._error is not None:
            raise self._error

    def refuse_excess(self) -> None:
        """Refuse functions that depend on something that is not compared.

        Raises:
            ExcessError: if they do.
        """
        if self._excess is not None:
            raise self._excess

    # what there is

    def _see(self, frame: Any, event: str, _: Any) -> None:
        """Look at a function that is about to run."""
        code = frame.f_code
        if code is _IMPORTS and event in ("call", "return"):
            self._importing += 1 if event == "call" else -1
        if self._importing or event != "call" or code in self._codes:
            return
        self._codes.add(code)
        if _is_library(frame.f_globals.get("__name__", "")):
            return
        names = {*code.co_names}
        self._names |= names
        try:
            for kind in self._classes:
                self._add_class(kind, names)
            self._add_globals(frame.f_globals, names)
            self._add_attributes(names)
            self._add_function(frame)
        except ExcessError as error:
            self._excess = self._excess or error
        except DependencyError as error:
            # raised when the functions are done: they might catch it
            self._error = self._error or error

    def _add_globals(self, space: dict[str, Any], names: set[str]) -> None:
        where = space.get("__name__", "")
        for name in names & space.keys():
            value = space[name]
            if isinstance(value, ModuleType):
                if not _is_library(value.__name__):
                    for inner in names & vars(value).keys():
                        self._bind(vars(value), inner, f"{value.__name__}.{inner}")
            elif isinstance(value, type):
                self._add_class(value, names)
            elif not _is_library(getattr(value, "__module__", None) or ""):
                self._bind(space, name, f"{where}.{name}")

    def _add_class(self, kind: type, names: set[str]) -> None:
        """Attributes of a class that these names mean."""
        for owner in kind.__mro__[:-1]:
            if not _is_library(owner.__module__):
                for name in names & vars(owner).keys():
                    self._bind(owner, name, f"{owner.__name__}.{name}")

    def _add_attributes(self, names: set[str]) -> None:
        """Attributes of the task and fields of its model that these names mean."""
        task = self._task
        known = vars(task).keys() | type(task).parameters().keys()
        wanted = known if names & _ANY_NAME else names
        for name in wanted - _OWN_NAMES:
            if name in vars(task):
                self._add(f"self.{name}", vars(task)[name])
                continue
            owner = next((c for c in type(task).__mro__ if name in vars(c)), None)
            if owner is None or owner is Task:
                continue
            self._bind(owner, name, f"self.{name}")
            self._bind(type(task), name, f"self.{name}")
        for name in _model_fields(names):
            self._add(f"self.model.{name}", getattr(task.model, name))

    def _add_function(self, frame: Any) -> None:
        """Default arguments and captured values of the function that runs in a frame."""
        code = frame.f_code
        if code.co_name.startswith("<") and code.co_name != "<lambda>":
            return
        function = self._function_of(frame)
        if function is not None:
            self._add(f"{code.co_name}", function)

    def _function_of(self, frame: Any) -> FunctionType | None:
        code = frame.f_code
        first = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
        spaces = [vars(kind) for kind in type(first).__mro__]
        spaces += [frame.f_globals, frame.f_back.f_locals if frame.f_back else {}]
        named = (space.get(code.co_name) for space in spaces)
        # lambdas have other names than what they are assigned to
        others = (f for s in spaces for f in [*s.values()] if isinstance(f, _FUNCTIONS))
        for value in chain(named, others):
            found = _plain_function(value)
            if found is not None and found.__code__ is code:
                return found
        # all objects that there are: tens of milliseconds beside large libraries
        functions = (f for f in gc.get_referrers(code) if isinstance(f, FunctionType))
        return next((f for f in functions if f.__code__ is code), None)

    def _bind(self, owner: Any, name: str, path: str) -> None:
        """A name in a module's dictionary or in a class, and its value."""
        space = owner if isinstance(owner, dict) else vars(owner)
        value = space.get(name, NOTHING)
        if isinstance(value, _DESCRIPTORS):
            return
        # tasks are told when an attribute of their class is assigned to
        noticed = isinstance(owner, TaskType) and isinstance(self._task, owner)
        binding = Binding(path, owner, space, name, value, noticed)
        self._bindings.setdefault((id(owner), name), binding)
        self._add(path, value)

    def _add(self, path: str, value: Any) -> None:
        """A value, and all that it holds."""
        # immutable, or seen before
        if isinstance(value, _NO_CONTAINER) or id(value) in self._mutables:
            return
        if value is NOTHING or isinstance(value, type | ModuleType | BuiltinFunctionType | Model):
            return
        # random numbers and iterators give another value each time: results could not be replayed
        if isinstance(value, _RANDOM) or hasattr(type(value), "__next__"):
            raise DependencyError(
                f"found {path}, a {type(value).__name__}, which gives something else when it is "
                "asked again, expected results that depend on arguments and parameters only; draw "
                "random numbers in the method reset, from its rng"
            )
        # what it holds, by kind
        if isinstance(value, FunctionType):
            self._add_defaults(path, value)
        elif isinstance(value, MethodType):
            self._add(path, value.__self__)
            self._add(path, value.__func__)
        elif isinstance(value, partial):
            for part in (value.func, value.args, value.keywords):
                self._add(path, part)
        elif isinstance(value, tuple | frozenset):
            for i, one in enumerate(value):
                self._add(f"{path}[{i}]", one)
        else:
            self._hold(path, value)

    def _add_defaults(self, path: str, function: FunctionType) -> None:
        defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
        for one in defaults:
            self._add(f"{path}'s default", one)
        names = function.__code__.co_freevars
        for name, cell in zip(names, function.__closure__ or (), strict=True):
            if name != "__class__":
                self._hold(name, cell)

    def _hold(self, path: str, thing: Any) -> None:
        """Something that can change in place."""
        if id(thing) in self._mutables:
            return
        kind = next((KINDS[c] for c in type(thing).__mro__ if c in KINDS), None)
        if isinstance(thing, np.ndarray) and thing.dtype.hasobject:
            raise ExcessError(f"found {path}, an array of objects, expected numbers")
        if kind is None and (hasattr(type(thing), "__array__") or isinstance(thing, array)):
            kind = bits, leave
        if kind is None:
            self._hold_object(path, thing)
            return
        read, write = kind
        if isinstance(thing, np.ndarray) and is_constant_array(thing):
            return
        saved = read(thing)
        self._mutables[id(thing)] = MutableObject(path, thing, saved, read, write)
        if len(self._mutables) > _MOST or np.size(saved) * (read is list) > _MOST:
            raise ExcessError(
                f"found {path}, which holds very many values, expected an array or a tuple"
            )
        for name, one in items(saved, read):
            self._add(f"{path}{name}", one)

    def _hold_object(self, path: str, thing: Any) -> None:
        """An object's attributes, and those of its class."""
        kind = type(thing)
        if _is_library(kind.__module__) and not isinstance(thing, _RECORDS):
            return
        inner = getattr(thing, "__dict__", None)
        self._mutables[id(thing)] = MutableObject(path, thing, slots(thing), slots, put_slots)
        for name, one in slots(thing).items():
            self._add(f"{path}.{name}", one)
        if isinstance(inner, dict):
            self._hold(path, inner)
        if kind not in self._classes:
            self._classes = self._classes | {kind}
            self._add_class(kind, self._names)

    # what has changed

    def _settle(self) -> None:
        """Look up what is compared."""
        mutables = [h for h in self._mutables.values() if h.read is not slots or h.saved]
        dicts = [h for h in mutables if h.read is dict]
        arrays = [h for h in mutables if h.read is np.copy]
        others = [h for h in mutables if h.read not in (dict, np.copy)]
        places = [(h.thing, key, value) for h in dicts for key, value in h.saved.items()]
        bindings = [one for one in self._bindings.values() if not one.noticed]
        places += [(one.space, one.name, one.value) for one in bindings]
        checks: list[Callable[[], bool]] = []
        if places:
            spaces, keys, values = zip(*places, strict=True)
            checks.append(lambda: all(map(is_, map(getitem, spaces, keys), values)))
        if dicts:
            things, names = [h.thing for h in dicts], [list(h.saved) for h in dicts]
            checks.append(lambda: [*map(list, things)] == names)
        for h in arrays:
            reads, bits = h.thing.tobytes, h.saved.tobytes()
            checks.append(lambda reads=reads, bits=bits: reads() == bits)
        checks += [partial(unchanged, h) for h in others]
        if len(checks) == 1:
            self._settled = checks[0]
        else:
            self._settled = partial(_all, checks) if checks else self._nothing

    @staticmethod
    def _nothing() -> bool:
        return True

    @property
    def any(self) -> bool:
        """True if there is anything that may change in place."""
        return self._settled is not self._nothing

    def same(self) -> bool:
        """True if everything is as it was."""
        try:
            if self._settled():
                return True
        except (LookupError, ValueError, RuntimeError):
            return False
        if next(self._changes(), None) is not None:
            return False
        # other objects of the same values
        self.renew()
        return True

    def _changes(self) -> Iterator[tuple[str, Any, Any]]:
        """Differences: path, old and new value of each."""
        for mutable in self._mutables.values():
            if mutable.read is np.copy:
                if mutable.thing.tobytes() != mutable.saved.tobytes():
                    yield mutable.path, mutable.saved, mutable.thing
                continue
            read = mutable.read
            old, new = dict(items(mutable.saved, read)), dict(items(read(mutable.thing), read))
            for name in {**old, **new}:
                pair = old.get(name, NOTHING), new.get(name, NOTHING)
                if not alike(*pair):
                    yield f"{mutable.path}{name}", *pair
            if list(old) != list(new) and read is dict and old.keys() == new.keys():
                yield mutable.path, old, new
        for one in self._bindings.values():
            present = one.space.get(one.name, NOTHING)
            if not alike(one.value, present):
                # a class without the name has that of a class above
                yield one.path, one.value if one.value is not NOTHING else False, present

    def renew(self) -> None:
        """Compare with the present values from now on."""
        for key, mutable in self._mutables.items():
            self._mutables[key] = mutable._replace(saved=mutable.read(mutable.thing))
        for key, one in self._bindings.items():
            self._bindings[key] = one._replace(value=one.space.get(one.name, NOTHING))
        self._settle()

    def changes(self) -> list[tuple[str, Any, Any]]:
        """Changes by functions, also of attributes of the task: path, old, new value."""
        task, changes = self._task, list(self._changes())
        for name in {**self._own, **vars(task)}:
            pair = self._own.get(name, NOTHING), vars(task).get(name, NOTHING)
            if name not in _OWN_NAMES and not self._is_cache(name) and not alike(*pair):
                changes.append((f"self.{name}", *pair))
        return changes

    def restore(self) -> None:
        """Put everything back as it was before the functions ran."""
        for mutable in self._mutables.values():
            mutable.write(mutable.thing, mutable.saved)
        for one in self._bindings.values():
            one.write()
        caches = {name: value for name, value in vars(self._task).items() if self._is_cache(name)}
        refill(vars(self._task), {**caches, **self._own})

    def _is_cache(self, name: str) -> bool:
        """True if an attribute holds the value of a cached property."""
        return is_cached(type(self._task), name)


def _profile_by(profiler: Any) -> None:
    """Have calls of functions reported as before: to a function, or to a profiler of C code."""
    reports = profiler is None or callable(profiler)
    sys.setprofile(profiler if reports else None)
    if not reports:
        profiler.enable()


def is_first(old: Any) -> bool:
    """True if a value that was changed was none before, as where something is kept for later."""
    return old is NOTHING or old is None


def _all(checks: list[Callable[[], bool]]) -> bool:
    for check in checks:  # noqa: SIM110 (a generator takes as long as a check)
        if not check():
            return False
    return True


def _is_library(module: str) -> bool:
    """True if functions of a module have no parameters of users."""
    top, _, rest = module.partition(".")
    if top == "mjenv":
        return not rest.startswith("envs")
    return top in _BELOW or top in _STANDARD or top.startswith("namedtuple_")


def _plain_function(value: Any) -> FunctionType | None:
    """The function in a descriptor."""
    for name in ("fget", "func", "__func__"):
        value = getattr(value, name, value)
    return value if isinstance(value, FunctionType) else None


def _model_fields(names: set[str]) -> set[str]:
    """Arrays of the model that these names mean, as fields or as attributes of named things."""
    found = set(names)
    for kind in names & NAMED.keys():
        starts = (f"{NAMED[kind][1]}_", *PREFIXES.get(kind, ()))
        found |= {start + name for name in names for start in starts}
    return found & _FIELDS
