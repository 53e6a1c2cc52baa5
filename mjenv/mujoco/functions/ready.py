"""Functions of a model and data that run without Python once they are ready."""

from collections.abc import Callable
from functools import cache
from typing import Any

from mjenv.engine.data.single_functions import was_reset
from mjenv.engine.data.step import forward
from mjenv.engine.run.prepared_program import ROWS
from mjenv.engine.simd.ready_calls import Owner, Place, ready_call
from mjenv.mujoco.callbacks import Installed
from mjenv.mujoco.functions.wrapping import fatal
from mjenv.mujoco.structs import MjData, MjModel


@cache
def _owner() -> Owner:
    """What machine code knows of MjData."""
    sample = MjData.__new__(MjData)
    return Owner(sample, "_model", "_callbacks", "_ready", Place(Installed, "last"))


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
            raise fatal(error) from error

    place = "mjenv.mujoco", name
    return ready_call(otherwise, after, place, _owner(), ROWS[call], steps)
