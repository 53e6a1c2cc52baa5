"""`mujoco.rendering`, and `mujoco.rendering.classic` inside it: other names of the renderer."""

import importlib
from typing import Any

# a package to the import system, as in the reference; what is in it is found by `installing`
__path__: list[str] = []


def __getattr__(name: str) -> Any:
    if name == "classic":
        return importlib.import_module(__name__)
    if name in ("gl_context", "renderer"):
        return importlib.import_module(f"mjenv.mujoco.{name}")
    raise AttributeError(f"module 'mujoco.rendering' has no attribute {name!r}")
