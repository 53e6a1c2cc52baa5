"""Puts this module in the place of `mujoco`, for programs that import that."""

import importlib
import importlib.metadata
import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

from mjenv.mujoco.api import facts
from mjenv.mujoco.places import CONTEXTS, MODULES


def install() -> None:
    """From now on `import mujoco` gives this module, whether or not `mujoco` is installed.

    Modules inside it follow (`mujoco.viewer`, `mujoco.rollout`, ...), and so does the version
    that `importlib.metadata` tells. What other distributions put into the package, such as
    `mujoco.mjx`, is found where it is installed. Packages that make contexts of OpenGL
    themselves, for MuJoCo's pictures, get contexts that need none (`CONTEXTS`). A second call
    changes nothing.

    Raises:
        RuntimeError: the program has imported another `mujoco` already.
    """
    ours = importlib.import_module("mjenv.mujoco")
    if sys.modules.get("mujoco") not in (None, ours):
        raise RuntimeError(
            f"mjenv.mujoco.install: mujoco is imported already, from "
            f"{getattr(sys.modules['mujoco'], '__file__', None)}; install before its first import"
        )
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder(MetaPathFinder):
    """Finds `mujoco`, its modules, its distribution's version, and contexts for its pictures."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname in CONTEXTS:
            return ModuleSpec(fullname, _Loader(f"mjenv.mujoco.{CONTEXTS[fullname]}"))
        top, _, rest = fullname.partition(".")
        if top != "mujoco":
            return None
        if rest not in {"", *MODULES}:
            return installed_module(rest)
        name = ".".join(filter(None, ("mjenv.mujoco", MODULES.get(rest))))
        return ModuleSpec(fullname, _Loader(name), is_package=not rest)

    def find_distributions(self, context: Any = None) -> list[importlib.metadata.Distribution]:
        name = getattr(context, "name", None)
        return [_Distribution()] if name is None or name.lower() == "mujoco" else []


def installed_module(name: str) -> ModuleSpec | None:
    """A module in Python inside an installed `mujoco`, such as `mjx` or `usd`, for `install()`.

    Compiled modules there are not found: they are parts of the reference, with its own classes.

    Returns:
        How to load it; None: there is none, or this module has not taken the place of `mujoco`.
    """
    if "." in name or not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return None
    places = [str(Path(place, "mujoco")) for place in sys.path]
    spec = PathFinder.find_spec(f"mujoco.{name}", places)
    return spec if spec is not None and isinstance(spec.loader, SourceFileLoader) else None


class _Loader(Loader):
    """Gives a name in `sys.modules` to a module of this package."""

    def __init__(self, name: str):
        self._name = name

    def exec_module(self, module: ModuleType) -> None:
        # the import system takes what stands in sys.modules afterwards
        sys.modules[module.__name__] = importlib.import_module(self._name)

    def get_code(self, fullname: str) -> Any:
        """The code of the module, for `python -m`."""
        spec: Any = importlib.util.find_spec(self._name)
        return spec.loader.get_code(self._name)


class _Distribution(importlib.metadata.Distribution):
    """The distribution `mujoco` that `importlib.metadata` finds."""

    def read_text(self, filename: str) -> str | None:
        if filename != "METADATA":
            return None
        return f"Metadata-Version: 2.1\nName: mujoco\nVersion: {facts()['version']}\n"

    def locate_file(self, path: Any) -> Path:
        return Path(__file__).parent / path
