"""Data without numbers, in the place of an environment's own while its step is followed.

The object stays the same one: for the time being it has the class `SymbolicData`, and its fields
are symbols.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from mjenv.mujoco.structs import MjData
from mjenv.porting.environment.model_options import followed_options
from mjenv.porting.environment.watched import watched
from mjenv.porting.stand_ins.module_functions import functions
from mjenv.porting.stand_ins.symbolic_physics import CALLS, Physics, Warnings
from mjenv.porting.symbols.symbol import Symbol
from mjenv.task.world_view import finder


class SymbolicData(MjData.__bases__[0]):
    """One world's data whose fields are symbols; in memory as `MjData`, which it stands for."""

    __slots__ = MjData.__slots__

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        physics = vars(self)["_physics"]
        physics._touched = True
        if name == "warning":
            return Warnings(physics)
        found = finder(self, name)
        if found is not None:
            return found
        field = physics.field(name)
        # a number, such as the time, stays what it is when the physics go on
        return field.copy() if type(field) is Symbol and not field.ndim else field

    def __setattr__(self, name: str, value: Any) -> None:
        field = vars(self)["_physics"].field(name)
        field[...] = value


@contextmanager
def symbolic(data: MjData, physics: Physics, model: Any) -> Iterator[None]:
    """While it lasts, data have symbols for fields, and the functions of the module know them.

    Args:
        data: the environment's.
        physics: the run.
        model: the `MjModel` of the data.
    """
    import mjenv.mujoco as module

    # what is put back afterwards, and what takes its place
    kind, members = type(data), dict(vars(data))
    numbers = {
        name: value for name, value in vars(model).items()
        if isinstance(value, np.ndarray) and value.dtype.kind in "fiub"
    }  # fmt: skip
    views = vars(model).pop("_named_views", {})
    symbols = {name: physics.field(f"model.{name}") for name in physics.varied}
    held = dict(vars(module))
    patched = {name: _boundary(name, getattr(module, name), physics) for name in CALLS}
    patched |= {name: make(getattr(module, name)) for name, make in functions().items()}
    slots = {n: getattr(data, n) for n in MjData.__slots__}
    # symbols, and functions that know them
    vars(data).clear()
    vars(data).update(_physics=physics, model=model)
    data.__class__ = SymbolicData  # type: ignore[assignment]
    object.__setattr__(data, "_model", model._twin())
    try:
        for name, function in patched.items():
            setattr(module, name, function)
        vars(model).update({name: watched(name, value) for name, value in numbers.items()})
        vars(model).update({n: one for n, one in symbols.items() if n in numbers})
        with followed_options(model, symbols):
            yield
    finally:
        vars(model).update(numbers)
        vars(model)["_named_views"] = views
        object.__setattr__(data, "__class__", kind)
        vars(data).clear()
        vars(data).update(members)
        for name, value in slots.items():
            object.__setattr__(data, name, value)
        for name in patched:
            setattr(module, name, held[name]) if name in held else delattr(module, name)


def _boundary(name: str, real: Callable, physics: Physics) -> Callable:
    """A function of the physics that is noted where data have no numbers."""

    def call(m: Any, d: Any, nstep: int = 1, **options: Any) -> None:
        if type(d) is not SymbolicData:
            return real(m, d, *([nstep] if name == "mj_step" else []), **options)
        flags = int(m.opt.disableflags)
        physics.call(CALLS[name], int(options.get("nstep", nstep)), flags)
        return None

    return call
