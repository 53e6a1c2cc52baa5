"""MuJoCo's callbacks, `set_mjcb_control` and its like: one function of each kind for all data."""

import weakref
from collections.abc import Callable
from typing import Any

from mjenv.engine.data.reallocation import keep_also
from mjenv.engine.errors import UnsupportedFeature
from mjenv.engine.run.simulation_warnings import Listener
from mjenv.mujoco.api import facts
from mjenv.mujoco.structs.record import real_number

OF_CALLBACK = "_mjenv_of_callback"  # attribute of errors that users' functions have raised
_OF_MEMORY = ("mju_user_malloc", "mju_user_free")


class _Installed:
    """The functions that are set at present.

    Attributes:
        functions: those that the pipeline calls, by their kind.
        users: those about messages and memory.
        last: another object after each change; None where there are none. Machine code looks at
            it, see functions/ready.py.
    """

    __slots__ = ("functions", "last", "users")

    def __init__(self) -> None:
        self.functions: dict[str, Callable] = {}
        self.users: dict[str, Callable] = {}
        self.last: object = None


Installed = _Installed()


def install(data: Any) -> None:
    """Give data the functions that are set now.

    A clock is asked for the time of stages, which data keep from then on.

    Args:
        data: an `MjData`.
    """
    batch = data.batch
    present, functions = batch.plan.hooks.functions, {}
    for kind, function in Installed.functions.items():
        if kind == "time":
            keep_also(batch, "timer")
        known = present.get(kind)
        same = getattr(known, "function", None) is function
        functions[kind] = known if same else _hook(kind, function, data)
    if functions != present:
        batch.change_hooks(functions)
    data._callbacks = Installed.last


def _hook(kind: str, function: Callable, data: Any) -> Callable:
    """A function of the reference's form as one that the engine calls; it keeps no data alive."""
    there, result = weakref.ref(data), _RESULTS.get(kind)

    def call(*given: Any) -> Any:
        held = there()
        # model, view, and numbers; a clock has none
        arguments = (held.model, held, *map(int, given[2:])) if given else ()
        known = len(held.batch.fresh)
        try:
            found = function(*arguments)
        except Exception as error:
            vars(error)[OF_CALLBACK] = True
            raise
        finally:
            if len(held.batch.fresh) > known:
                held.batch.forget_looks(known)
        return result(found, kind) if result else None

    vars(call)["function"] = function
    return call


def _number(found: Any, kind: str) -> float:
    """What a callback returned, as the bindings convert it to a real number."""
    try:
        return real_number(found, kind)
    except TypeError:
        raise TypeError(f"mjcb_{kind} callback did not return a number") from None


def _integer(found: Any, kind: str) -> int:
    """The same for an integer of 32 bits."""
    try:
        number = None if isinstance(found, float | str | bytes) else int(found)
    except (TypeError, ValueError):
        number = None
    if number is None or not -(2**31) <= number < 2**31:
        raise TypeError(f"mjcb_{kind} callback did not return an integer")
    return number


# what becomes of the result of a callback
_RESULTS = {
    "time": _number, "act_dyn": _number, "act_gain": _number, "act_bias": _number,
    "contactfilter": _integer,
}  # fmt: skip


def reset() -> None:
    """Forget all functions (mj_resetCallbacks)."""
    Installed.functions.clear()
    Installed.last = None


def _taking_text(function: Any) -> Any:
    """A receiver of texts; functions of ctypes take bytes."""
    if not hasattr(function, "argtypes"):
        return function
    return lambda text: function(text.encode())


def _pair(kind: str, functions: dict[str, Callable]) -> tuple[Callable, Callable]:
    """The functions that set and get the callback of a kind."""

    def set_callback(arg0: Callable | None) -> None:
        if arg0 is not None and not callable(arg0):
            raise TypeError("callback is not an Optional[Callable]")
        if arg0 is not None and kind in _OF_MEMORY:
            raise UnsupportedFeature(
                f"set_{kind}: memory is that of numpy arrays; expected None, there is no other"
            )
        if arg0 is None:
            functions.pop(kind, None)
        else:
            functions[kind] = arg0
        if kind == "mju_user_warning":
            Listener.function = _taking_text(arg0)
        Installed.last = object() if Installed.functions else None

    return set_callback, lambda: functions.get(kind)


def _functions() -> dict[str, Callable]:
    """All functions of the reference that set and get callbacks."""
    found = {}
    for name in facts()["functions"]:
        if name.startswith("set_mj"):
            word = name.removeprefix("set_")
            functions = Installed.functions if word.startswith("mjcb_") else Installed.users
            pair = _pair(word.removeprefix("mjcb_"), functions)
            for verb, function in zip(("set", "get"), pair, strict=True):
                function.__name__ = function.__qualname__ = f"{verb}_{word}"
                function.__doc__ = f"{verb.capitalize()} the callback {word}."
                found[function.__name__] = function
    return found


globals().update(_functions())
__all__ = list(_functions())
