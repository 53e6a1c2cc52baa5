"""Functions of a model and data that run without Python once they are ready."""

from collections.abc import Callable
from typing import Any

from mjenv.engine.data.single_functions import was_reset
from mjenv.engine.data.step import forward
from mjenv.engine.run.prepared_program import ROWS
from mjenv.engine.simd.bound_calls import bound_call
from mjenv.engine.simd.ready_calls import Owner, Place, ready_call
from mjenv.mujoco.api import signature
from mjenv.mujoco.callbacks import Installed
from mjenv.mujoco.functions.wrapping import raise_fatal
from mjenv.mujoco.structs import MjData, MjModel
from mjenv.mujoco.structs.calls import OF_DATA, OF_MODEL


def _owner(rows: str) -> Owner:
    """What machine code knows of MjData, with a slot of rows."""
    return Owner(MjData.__new__(MjData), rows, "_model", "_callbacks", Place(Installed, "last"))


def ready(name: str, call: str, otherwise: Callable[..., Any], steps: str = "") -> Callable:
    """A function that runs at once where nothing has changed since the last call.

    Args:
        name: of the function.
        call: what it runs, one of `ROWS`.
        otherwise: the function that looks at everything.
        steps: name of its third argument.
    """

    def after(m: MjModel, d: MjData) -> None:
        batch = d.batch
        try:
            batch.plan.prepared[call].tell(batch)
            if call == "check_acc" and was_reset(batch):
                forward(batch.model, batch)
        except ValueError as error:
            raise_fatal(error)

    place = "mjenv.mujoco", name
    return ready_call(otherwise, after, place, _owner("_ready"), ROWS[call], steps)


def bound(name: str, otherwise: Callable[..., Any]) -> Callable:
    """A function whose kernel is bound to the data, or to the model, that it is called with.

    Args:
        name: of the function, in `OF_DATA` or `OF_MODEL`.
        otherwise: the function that looks at everything, and binds the kernel.
    """
    if name in OF_DATA:
        owner, row = _owner("_bound"), OF_DATA[name]
    else:
        owner, row = Owner(MjModel.__new__(MjModel), "_bound"), OF_MODEL[name]
    names = [parameter.name for parameter in signature(name).parameters]
    return bound_call(otherwise, ("mjenv.mujoco", name), owner, row, names)
