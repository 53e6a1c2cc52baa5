"""Warnings of the simulation, told once: the first of each kind (mjtWarning) that data have.

They are Python's warnings, of the category `SimulationWarning`, so that they can be silenced, or
made errors, as any other. All are counted in `Data.warning`, whether they are told or not.
"""

import sys
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ..arguments import LARGEST, whole
from ..errors import SimulationWarning
from ..tables.enums import (
    NWARNING,
    WARN_BADCTRL,
    WARN_BADQACC,
    WARN_BADQPOS,
    WARN_BADQVEL,
    WARN_CNSTRFULL,
    WARN_CONTACTFULL,
    WARN_INERTIA,
)

if TYPE_CHECKING:
    from .host import Host
    from .program import Program

_PACKAGE = __name__.partition(".")[0]
_BAD = "Nan, Inf or huge value in"
_UNSTABLE = "The simulation is unstable."
# what is told of each kind, with the number that goes with it; MuJoCo's own words
TEXTS = {
    WARN_INERTIA: "Inertia matrix is too close to singular at DOF {info}. Check model.",
    WARN_CONTACTFULL: "Too many contacts. The arena memory is full, increase arena memory "
    "allocation.(ncon = {info})",
    WARN_CNSTRFULL: "Insufficient arena memory for the number of constraints generated. "
    "Increase arena memory allocation above {info} bytes.",
    WARN_BADQPOS: f"{_BAD} QPOS at DOF {{info}}. {_UNSTABLE}",
    WARN_BADQVEL: f"{_BAD} QVEL at DOF {{info}}. {_UNSTABLE}",
    WARN_BADQACC: f"{_BAD} QACC at DOF {{info}}. {_UNSTABLE}",
    WARN_BADCTRL: f"{_BAD} CTRL at ACTUATOR {{info}}. {_UNSTABLE}",
}


class Listener:
    """A receiver of warnings, instead of Python's.

    Attributes:
        function: called with the text; None for Python's warnings.
    """

    function: "Callable[[str], object] | None" = None


def warning_text(warning: int, info: int) -> str:
    """Text of a warning (mju_warningText).

    Args:
        warning: mjtWarning.
        info: the number that goes with it, such as a dof.

    Raises:
        ValueError: there is no such warning.
    """
    kind = whole(warning, "warning_text", "warning", 0, NWARNING - 1)
    return TEXTS[kind].format(info=whole(info, "warning_text", "info", -LARGEST))


def tell(data: "Host", program: "Program") -> None:
    """Tell kinds of warnings that have been counted and were not told before."""
    program.warned[0] = 0
    if program.silent:
        return
    told = data.__dict__.setdefault("_told", set())
    for kind in np.flatnonzero(data.warning_numbers.any(axis=0)).tolist():
        if kind not in told:
            told.add(kind)
            world = int(np.flatnonzero(data.warning_numbers[:, kind])[0])
            text = warning_text(kind, int(data.warning["lastinfo"][world, kind]))
            where = f"world {world} of {data.nworld}: " if data.nworld > 1 else ""
            if Listener.function is not None:
                Listener.function(f"{where}{text}")
                continue
            warnings.warn(
                f"{where}{text} (told once; data.warning counts)",
                SimulationWarning,
                stacklevel=_depth(),
            )


def _depth() -> int:
    """Depth of the stack between `tell` and the caller of this package."""
    depth, frame = 1, sys._getframe(1)
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__name__", "")):
        depth, frame = depth + 1, frame.f_back
    return depth


def _is_ours(module: str) -> bool:
    return module == _PACKAGE or module.startswith(f"{_PACKAGE}.")
