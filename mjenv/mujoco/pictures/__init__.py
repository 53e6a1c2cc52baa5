"""Pictures: `MjrContext`, and what the functions `mjr_` and `mjv_` do."""

import importlib
from typing import Any

from mjenv.mujoco.pictures.context import MjrContext as MjrContext


def __getattr__(name: str) -> Any:
    # the reference has these in the same module
    if name.startswith("mjr_"):
        return getattr(importlib.import_module("mjenv.mujoco.functions"), name)
    raise AttributeError(f"module 'mujoco._render' has no attribute {name!r}")
