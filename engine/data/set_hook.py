"""`set_hook`: functions of the user's inside of the pipeline of some data."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..run.hook_stages import HOOKS
from ..simd.meaning import is_kernel
from .views import takes_views

if TYPE_CHECKING:
    from .data import Data


@takes_views
def set_hook(data: "Data", kind: str, function: Callable[..., Any]) -> None:
    """Have a function called inside of forward dynamics, as MuJoCo's callbacks are.

    A function that is marked with `kernel` is compiled: it gets the records m and d, and handles
        all worlds of a pack at once, as engine/simd/lanes.py says. Plain Python functions get the
    model and the worlds of a pack, with fields of shape (n, ...) to read and write, and their
    indices `worlds.world`. Kernels are called for several packs at the same time, functions in
    Python for one after the other. A hook may step other data, also with threads, but not its own.

    | kind | called with | to |
    | --- | --- | --- |
    | control | m, d | set d.ctrl, d.qfrc_applied, d.xfrc_applied, before actuators act |
    | passive | m, d | add to d.qfrc_passive |
    | sensor | m, d, stage | fill in the sensors of type user of a stage (mjtStage: 1, 2, 3) |
    | act_dyn | m, d, u | return the rate of activation of an actuator with dyntype user |
    | act_gain | m, d, u | return the gain of an actuator with gaintype user |
    | act_bias | m, d, u | return the bias of an actuator with biastype user |
    | contactfilter | m, d, geom1, geom2 | return where two geoms that touch make no contact |
    | time | nothing | return the time (s) that data with keep="timer" count in; plain Python only |

    The geoms come with the smaller type first. Those that the filters of bodies, contype and
    conaffinity keep apart are not asked for, nor are predefined pairs.

    Args:
        data: worlds.
        kind: one of the kinds above.
        function: the hook; None removes the one of that kind.

    Raises:
        ValueError: no such kind, or a kernel that needs variables of another function.
        TypeError: no function, a kernel that names something else than kernels and constants, or
            a kernel as clock.
        DataInUse: the data are being stepped, by a call that the hook is in or another thread.
    """
    if kind not in HOOKS:
        raise ValueError(f"set_hook: kind={kind!r}: expected one of {', '.join(map(repr, HOOKS))}")
    if function is not None and not callable(function):
        raise TypeError(
            f"set_hook: {kind}: found a {type(function).__name__}, expected a function or None"
        )
    if kind == "time" and is_kernel(function):
        raise TypeError("set_hook: time: found a kernel, expected a function in plain Python")
    if is_kernel(function) and function.__code__.co_freevars:
        names = ", ".join(function.__code__.co_freevars)
        raise ValueError(
            f"set_hook: {function.__name__}: {names}: expected constants of the module, or default "
            "arguments, which a compiled function can name"
        )
    functions = {**data.plan.hooks.functions, kind: function}
    data.change_hooks({kind: found for kind, found in functions.items() if found is not None})
