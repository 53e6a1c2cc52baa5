"""Warnings of the simulation, told once: the first of each kind (mjtWarning) that data have.

They are Python's warnings, of the category `SimulationWarning`, so that they can be silenced, or
made errors, as any other. All are counted in `Data.warning`, whether they are told or not.
"""

import sys
import warnings
from typing import TYPE_CHECKING

import numpy as np

from ..enums import (
    WARN_BADCTRL,
    WARN_BADQACC,
    WARN_BADQPOS,
    WARN_BADQVEL,
    WARN_CNSTRFULL,
    WARN_CONTACTFULL,
    WARN_INERTIA,
)
from ..errors import SimulationWarning

if TYPE_CHECKING:
    from ..data.data import Data
    from .program import Program

_PACKAGE = __name__.partition(".")[0]
_BAD = "is not finite, or too large; the simulation is unstable"
# what is told of each kind, with the number that goes with it
TEXTS = {
    WARN_INERTIA: "the inertia of dof {info} is too close to zero",
    WARN_CONTACTFULL: "too many contacts; some of {info} are left out",
    WARN_CNSTRFULL: "too many constraint rows; some of {info} are left out",
    WARN_BADQPOS: f"qpos[{{info}}] {_BAD}",
    WARN_BADQVEL: f"qvel[{{info}}] {_BAD}",
    WARN_BADQACC: f"qacc[{{info}}] {_BAD}",
    WARN_BADCTRL: "ctrl[{info}] is not finite, or too large; all controls are taken for 0",
}


def tell(data: "Data", program: "Program") -> None:
    """Tell kinds of warnings that have been counted and were not told before."""
    program.warned[0] = 0
    if program.silent:
        return
    told = data.__dict__.setdefault("_told", set())
    for kind in np.flatnonzero(data._warn_number.any(axis=0)).tolist():
        if kind not in told:
            told.add(kind)
            world = int(np.flatnonzero(data._warn_number[:, kind])[0])
            text = TEXTS[kind].format(info=int(data._warn_info[world, kind]))
            where = f"world {world} of {data.nworld}: " if data.nworld > 1 else ""
            warnings.warn(
                f"{where}{text} (told once; data.warning counts)",
                SimulationWarning,
                stacklevel=_depth(),
            )


def _depth() -> int:
    """How far up the caller of this package stands, as seen from `tell`."""
    depth, frame = 1, sys._getframe(1)
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__name__", "")):
        depth, frame = depth + 1, frame.f_back
    return depth


def _is_ours(module: str) -> bool:
    return module == _PACKAGE or module.startswith(f"{_PACKAGE}.")
