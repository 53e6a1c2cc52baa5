"""The module `math` in a package while it is traced: its functions on symbols.

Those that mean what numpy's of some name mean are these; others are written here. All compute in
double precision, as Python does.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mjenv.porting.symbols.callers import is_caught
from mjenv.porting.symbols.remainders import nearest_remainder
from mjenv.porting.symbols.symbol import Symbol, has_symbols
from mjenv.tracing.arrays import TraceError

# numpy's functions of the same meaning, by their names in math
_SAME = {name: name for name in (
    "cbrt", "copysign", "cos", "cosh", "degrees", "exp", "exp2", "expm1", "fabs", "fmod",
    "isfinite", "isinf", "isnan", "log10", "log1p", "log2", "radians", "sin", "sinh", "sqrt", "tan",
    "tanh", "prod",
)} | {
    "acos": "arccos", "asin": "arcsin", "atan": "arctan", "atan2": "arctan2", "asinh": "arcsinh",
    "fsum": "sum", "pow": "power",
}  # fmt: skip
# of these, Python says that numbers are out of their domain
_DOMAINS = ("sqrt", "log", "log10", "log2", "log1p", "acos", "asin", "pow", "fmod", "remainder",
            "exp", "exp2", "expm1", "cosh", "sinh")  # fmt: skip


def _whole(function: Callable) -> Callable:
    """A function that gives whole numbers."""

    def call(x: Any) -> Any:
        found = function(x).astype(int)
        found.known_type = int
        return found

    return call


def _log(x: Any, base: Any = None) -> Any:
    return np.log(x) if base is None else np.log(x) / np.log(base)


def _hypot(*sides: Any) -> Any:
    total: Any = 0.0
    for one in sides:
        total = total + one * one
    return np.sqrt(total)


def _isclose(a: Any, b: Any, *, rel_tol: float = 1e-9, abs_tol: float = 0.0) -> Any:
    apart = np.abs(a - b)
    near = apart <= np.maximum(rel_tol * np.maximum(np.abs(a), np.abs(b)), abs_tol)
    return np.logical_or(np.equal(a, b), np.logical_and(near, np.isfinite(apart)))


_OWN: dict[str, Callable] = {
    "ceil": _whole(np.ceil),
    "floor": _whole(np.floor),
    "trunc": _whole(lambda x: x),
    "log": _log,
    "hypot": _hypot,
    "dist": lambda p, q: _hypot(*(a - b for a, b in zip(p, q, strict=True))),
    "isclose": _isclose,
    "remainder": nearest_remainder,
}


def _double(x: Any) -> Any:
    """An argument in double precision, a number where it is an array of one."""
    if isinstance(x, Symbol):
        x = x.astype(float)
        return x.reshape(()) if x.size == 1 else x
    return x


def on_symbols(name: str) -> Callable[..., Any]:
    """A function of math that takes symbols, too."""
    real = getattr(math, name)

    def call(*args: Any, **options: Any) -> Any:
        if not has_symbols(args) and not has_symbols(options):
            return real(*args, **options)
        found = _OWN.get(name) or getattr(np, _SAME.get(name, ""), None)
        if found is None:
            raise TraceError(f"found math.{name} of traced values, expected functions of numpy")
        if name in _DOMAINS and is_caught("ValueError", "OverflowError", "ArithmeticError"):
            raise TraceError(f"found `except` of an error that math.{name} of some numbers is")
        return found(*map(_double, args), **options)

    return call


class Math:
    """Stands for the module."""

    def __getattr__(self, name: str) -> Any:
        real = getattr(math, name)
        return on_symbols(name) if callable(real) else real
