"""`mjenv.mujoco` in the place of `mujoco` while an environment is made, and only for it.

Where a program has installed it for good (`mjenv.mujoco.install()`), there is nothing to do. Else
modules that have imported the other `mujoco`, or something of those, are set aside, the
environment's package imports ours, and afterwards all modules are as they were: other environments
of the program go on with MuJoCo itself. While functions of the environment run, modules that they
import by name are those that have ours.
"""

import importlib
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from threading import RLock
from types import FunctionType, ModuleType
from typing import Any

from mjenv.mujoco.installing import _Finder

# what has nothing to do with it, and is large
_BELOW = sys.stdlib_module_names | {
    "__main__", "__mp_main__", "mjenv", "numpy", "numba", "llvmlite", "scipy", "torch",
    "matplotlib", "pytest", "_pytest",
}  # fmt: skip

_BY_NAME = RLock()  # held by the thread whose functions import ours
# modules that have imported ours, by name: only functions of environments see them
_OURS: dict[str, ModuleType] = {}


@contextmanager
def ours_in_place() -> Iterator[None]:
    """While it lasts, `import mujoco` gives `mjenv.mujoco`, also to packages imported before."""
    importlib.import_module("mjenv.mujoco")  # before what is noted of the modules
    # its name alone is not enough: modules imported before have MuJoCo's
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        yield
        return
    before = dict(sys.modules)
    aside = {name for name in before if _is_mujoco(name)} | _having(_is_theirs)
    parted = [name for name in aside if _forget(name)]
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    try:
        with warnings.catch_warnings():
            # packages that are imported again register their environments again
            warnings.filterwarnings("ignore", message=".*Overriding environment.*")
            yield
    finally:
        sys.meta_path.remove(finder)
        new = {n for n in sys.modules if _is_mujoco(n)} | _having(_is_ours)
        # a program may have modules that use ours under its own name
        _keep({name for name in new if before.get(name) is not sys.modules[name]})
        sys.modules.update((name, before[name]) for name in aside)
        # parts of packages only now, when all packages are there again
        for name in parted:
            parent, _, child = name.rpartition(".")
            if parent in sys.modules:
                setattr(sys.modules[parent], child, before[name])


@contextmanager
def ours_by_name() -> Iterator[None]:
    """While it lasts, `import mujoco` in a function that runs gives `mjenv.mujoco`.

    So do modules that have been imported with it, and those that are imported now. Threads that run
    such functions, as `send` of several ports does, take turns.
    """
    ours = importlib.import_module("mjenv.mujoco")
    with _BY_NAME:
        if sys.modules.get("mujoco") is ours:
            yield
            return
        placed = {**_OURS, "mujoco": ours}
        held = {name: sys.modules.get(name) for name in placed}
        sys.modules.update(placed)
        count = len(sys.modules)
        try:
            yield
        finally:
            # those that were imported for the first time are the last ones
            new = {*islice(reversed(sys.modules), max(0, len(sys.modules) - count))}
            if new:
                new &= _having(_is_ours)
                _keep(new - placed.keys())
            for name, module in held.items():
                if module is None:
                    sys.modules.pop(name, None)
                else:
                    sys.modules[name] = module


def _keep(names: set[str]) -> None:
    """Have modules be there for functions of environments only."""
    made = {name: sys.modules[name] for name in names}
    for name in names:
        _forget(name)
    # packages know their parts again
    for name, module in made.items():
        parent, _, child = name.rpartition(".")
        if parent in made:
            setattr(made[parent], child, module)
    _OURS.update(made)


def _forget(name: str) -> bool:
    """Have a module imported again by whoever asks for it next, also through its package.

    Returns:
        Whether its package had it.
    """
    module = sys.modules.pop(name, None)
    parent, _, child = name.rpartition(".")
    owner = sys.modules.get(parent)
    found = owner is not None and vars(owner).get(child) is module
    if found:
        delattr(owner, child)
    return found


def _is_mujoco(name: str) -> bool:
    return name == "mujoco" or name.startswith("mujoco.")


def _is_theirs(value: Any) -> bool:
    """True if something is MuJoCo's module, or one of its classes or functions."""
    if isinstance(value, ModuleType):
        return _is_mujoco(value.__name__)
    owner = getattr(value, "__module__", None)
    return isinstance(owner, str) and _is_mujoco(owner)


def _is_ours(value: Any) -> bool:
    """True if something is our module, or one of its classes or functions."""
    if isinstance(value, ModuleType):
        return value.__name__.startswith("mjenv.mujoco")
    owner = getattr(value, "__module__", None)
    return isinstance(owner, str) and owner.startswith("mjenv.mujoco")


def has_ours(name: str) -> bool:
    """True if a module of this name has imported ours, or something of it."""
    module = sys.modules.get(name)
    if not isinstance(module, ModuleType) or name.partition(".")[0] in _BELOW:
        return False
    return _holds(name, module, _is_ours)


def _having(is_it: Any) -> set[str]:
    """Names of modules that hold something, or hold what comes from modules that do."""
    known = {
        name: module
        for name, module in list(sys.modules.items())
        if isinstance(module, ModuleType) and name.partition(".")[0] not in _BELOW
        and not _is_mujoco(name)
    }  # fmt: skip
    found = {n for n, m in known.items() if _holds(n, m, is_it)}
    while True:
        own = {id(known[name]) for name in found}

        def follows(value: Any, own: set[int] = own, found: set[str] = found) -> bool:
            if isinstance(value, ModuleType):
                return id(value) in own
            # classes and functions, whose module may be one that nobody has any more
            return isinstance(value, type | FunctionType) and value.__module__ in found

        more = {n for n, m in known.items() if n not in found and _holds(n, m, follows)}
        if not more:
            return found
        found |= more


def _holds(name: str, module: ModuleType, is_it: Any) -> bool:
    """True if a module has imported something; its own parts in a package do not count."""
    for value in list(vars(module).values()):
        try:
            if not is_it(value):
                continue
        except Exception:
            continue
        if isinstance(value, ModuleType) and value.__name__.startswith(f"{name}."):
            continue
        return True
    return False
