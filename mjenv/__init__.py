"""MuJoCo physics in numba, and Gymnasium environments on top of it.

Importing this package registers the environments with gymnasium, as soon as that is imported, and
nothing else: every name of `__init__.pyi` is loaded when it is first used, so that `import mjenv`
needs neither gymnasium nor numba nor a window library.
"""

import importlib
import re
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from mjenv.system.after_import import after_import


def _register() -> None:
    from mjenv.gym.registration import register_all

    register_all()


after_import("gymnasium.envs", _register)


def _public() -> dict[str, str]:
    """Public names, with the modules that they come from."""
    text = Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    found = re.findall(r"^from (\S+) import (\w+) as \w+$", text, re.MULTILINE)
    return {name: module for module, name in found}


_EXPORTS = _public()

__all__ = list(_EXPORTS)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        value = version("mjenv")
    elif _EXPORTS.get(name) == "mjenv":
        value = importlib.import_module(f"mjenv.{name}")
    elif name in _EXPORTS:
        value = getattr(importlib.import_module(_EXPORTS[name]), name)
    elif name.startswith("mjt") and name in _enumerations():
        value = getattr(importlib.import_module("mjenv.engine.tables.enumerations"), name)
    else:
        known = [*_EXPORTS, *(_enumerations() if name.startswith("mjt") else ())]
        # what tools ask of every object has no nearest name
        near = [] if name.startswith("__") else get_close_matches(name, known, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        if name[:2].lower() == "mj":
            from mjenv import ported

            hint = ported.hint(name, _EXPORTS) or hint
        raise AttributeError(f"mjenv: no attribute {name!r}{hint}")
    globals()[name] = value
    return value


def _enumerations() -> tuple[str, ...]:
    """Names of MuJoCo's enumerations."""
    from mjenv.engine.tables.enum_tables import NAMES

    return NAMES


def __dir__() -> list[str]:
    return sorted({*globals(), *_EXPORTS, *_enumerations(), "__version__"})
