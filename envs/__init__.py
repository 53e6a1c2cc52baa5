"""The tasks, one file per task or domain.

For a task `Hopper` this package also has its environment classes, `HopperEnv` and
`HopperVectorEnv`.
"""

import importlib
from typing import Any

from mjenv.gym.registration import ENVS

_MODULES = {row.task: f"mjenv.envs.{row.module}" for row in ENVS}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(importlib.import_module(_MODULES[name]), name)
    for suffix, module in (("VectorEnv", "mjenv.gym.vector"), ("Env", "mjenv.gym.env")):
        task = name.removesuffix(suffix)
        if task != name and task in _MODULES:
            environment = getattr(importlib.import_module(module), suffix)
            return environment.of(__getattr__(task))
    raise AttributeError(f"mjenv.envs: no attribute {name!r}, expected one of {sorted(_MODULES)}")


def __dir__() -> list[str]:
    names = [task + suffix for task in _MODULES for suffix in ("", "Env", "VectorEnv")]
    return sorted({*globals(), *names})
