"""The functions `mj_`, `mju_`, `mjd_`, `mjv_`, `mjr_`: made from their recorded signatures.

What computes a function is called as it is, in one of the modules of `PLACES`.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from mjenv.mujoco.api import facts

_HERE = "mjenv.mujoco.functions"
# beginnings of names -> modules that are searched, in this order
PLACES: dict[str, tuple[str, ...]] = {
    "mj_": tuple(
        f"{_HERE}.{module}"
        for module in (
            "stepping", "pieces", "state", "state_arrays", "jacobians", "inertia", "constraints",
            "objects", "rays", "positions", "history", "files", "settings", "plugins",
        )
    ),
    "mjd_": (f"{_HERE}.derivatives",),
    "mju_": tuple(
        f"{_HERE}.{module}"
        for module in (
            "vectors", "quaternions", "matrices", "bands", "scalars", "texts", "rays",
        )
    ),
    "mjv_": ("mjenv.mujoco.pictures.mjv_functions",),
    "mjr_": ("mjenv.mujoco.pictures.mjr_functions",),
}  # fmt: skip

__all__ = [name for name in facts()["functions"] if not name.startswith(("get_", "set_"))]


def computes(name: str) -> Any:
    """The implementation of a function; None if there is none.

    Args:
        name: of the function.
    """
    prefix = name.partition("_")[0] + "_"
    for place in PLACES[prefix]:
        # modules of pictures may be left out
        there = find_spec(place) is not None
        found = getattr(import_module(place), name, None) if there else None
        if found is not None:
            return found
    return None


def __getattr__(name: str) -> Any:
    if name == "_realloc_con_efc":
        from mjenv.mujoco.functions.list_sizes import resize_lists

        return resize_lists
    # made when it is first asked for, so that nothing else is imported
    if name not in __all__:
        raise AttributeError(f"module 'mujoco._functions' has no attribute {name!r}")
    from mjenv.engine.direct.function import Function
    from mjenv.mujoco.functions.compiled import finished
    from mjenv.mujoco.functions.wrapping import wrapped
    from mjenv.mujoco.structs.calls import OF_DATA, OF_MODEL

    compute = computes(name)
    if compute is None:
        raise AttributeError(f"mujoco.{name}: not in this version of mjenv.mujoco")
    # checks of arguments as mujoco has them, where the function has none of its own
    value = compute if getattr(compute, "checks_itself", False) else wrapped(name, compute)
    # quicker forms: arguments in machine code, or a call that is ready to run again
    if isinstance(compute, Function):
        value = finished(compute, value, name)
    elif getattr(compute, "call", ""):
        from mjenv.mujoco.functions.ready import ready

        value = ready(name, compute.call, value, getattr(compute, "steps", ""))
    elif name in OF_DATA or name in OF_MODEL:
        from mjenv.mujoco.functions.ready import bound

        value = bound(name, value)
    globals()[name] = value
    return value
