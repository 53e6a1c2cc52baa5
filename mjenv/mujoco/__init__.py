"""The Python interface of `mujoco` 3.8.1 over this engine: `import mjenv.mujoco as mujoco`.

Data are one world with MuJoCo's shapes. `python -m mjenv.mujoco script.py` and `install()` run
programs that import `mujoco` itself. Names are loaded when they are first used; gymnasium is not
imported.
"""

import importlib
import os
from typing import Any

from mjenv.mujoco.api import facts
from mjenv.mujoco.installing import install as install
from mjenv.mujoco.installing import installed_module
from mjenv.mujoco.places import MODULES, places

__version__: str = facts()["version"]
# where MuJoCo has its headers and its plugins in machine code; there are none of either here
HEADERS_DIR = os.path.join(os.path.dirname(__file__), "include")
PLUGINS_DIR = os.path.join(os.path.dirname(__file__), "plugin")
PLUGIN_HANDLES: list[Any] = []

__all__ = ["HEADERS_DIR", "PLUGINS_DIR", "PLUGIN_HANDLES", *places()]


def __getattr__(name: str) -> Any:
    if name in places():
        value = getattr(importlib.import_module(places()[name]), name)
    elif name in MODULES:
        value = importlib.import_module(f"mjenv.mujoco.{MODULES[name]}")
    elif installed_module(name) is not None:
        value = importlib.import_module(f"mujoco.{name}")
    else:
        raise AttributeError(f"module 'mujoco' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *places(), *(name for name in MODULES if "." not in name)})
