"""Length ranges of actuators of a model that was edited: by pulling each one to both ends."""

from collections.abc import Iterable
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from ..analysis.inertia import solve_m
from ..arguments import number, plain_array
from ..data.data import Data
from ..data.step import step1, step2
from ..errors import nearest
from ..model.named import place_of
from .pulling import UnstableError, extreme_lengths, known_ranges, problem_of, pull_forces

if TYPE_CHECKING:
    from ..model.model import Model

MODES = ("none", "muscle", "muscleuser", "all")
FIELDS = "qLD qLDiagInv actuator_length actuator_moment moment_rownnz moment_rowadr moment_colind"


def set_length_range(
    model: "Model",
    actuator: int | str | Iterable[int | str] | None = None,
    *,
    mode: int | str = "muscle",
    useexisting: bool = True,
    uselimit: bool = False,
    accel: float = 20.0,
    maxforce: float = 0.0,
    timeconst: float = 1.0,
    inttotal: float = 10.0,
    interval: float = 2.0,
    tolrange: float = 0.05,
) -> None:
    """Compute model.actuator_lengthrange of actuators (mj_setLengthRange).

    Each actuator is pulled to both sides, from qpos0, by a force along its moment, in simulations
    of the model as it is: gravity, contacts and springs act where its options do not disable them.
    (The compiler disables them for <lengthrange>, which has the same attributes.) Muscles that
    have no range yet have no finite force: disable actuation for them. The time step is that of
    the model.

    Args:
        model: the model, edited in place.
        actuator: index or name of an actuator, or several; None for all.
        mode: which of them to compute: "none", "muscle", "muscleuser" or "all", or mjtLRMode.
        useexisting: keep a range whose first number is less than the second.
        uselimit: take the range of the joint or tendon where that is limited.
        accel: magnitude of the acceleration that the force gives, before damping.
        maxforce: largest magnitude of the force; 0 for no limit.
        timeconst: time in which velocities fall by a factor of e (s); 0.01 at least.
        inttotal: duration of a simulation (s).
        interval: time at its end in which lengths count (s).
        tolrange: how much a length may change in that time, relative to the range.

    Raises:
        KeyError: no actuator has that name.
        IndexError: there is no such actuator.
        ValueError: an unknown mode, or a simulation that is unstable, does not come to rest, or
            finds no two different lengths; the model stays as it was.
        UnsupportedFeature: the model has something that is not simulated.
    """
    where = "set_length_range"
    if isinstance(mode, IntEnum) and mode in range(len(MODES)):
        mode = MODES[mode]
    if not isinstance(mode, str) or mode not in MODES:
        raise ValueError(
            f"set_length_range: mode={mode!r}: expected one of {', '.join(MODES)}"
            f"{nearest(str(mode), MODES)}"
        )
    one = isinstance(actuator, str) or plain_array(actuator, where, "actuator").ndim == 0
    keys: Any = range(model.nu) if actuator is None else [actuator] if one else actuator
    chosen = [place_of(model, "actuator", key) for key in keys]
    options = {
        "mode": mode, "useexisting": useexisting, "uselimit": uselimit, "accel": accel,
        "maxforce": maxforce, "timeconst": timeconst, "inttotal": inttotal, "interval": interval,
        "tolrange": tolrange,
    }  # fmt: skip
    for name in list(options)[3:]:
        number(options[name], where, name)
    ranges, rest = known_ranges(model, chosen, options)
    if rest:
        ranges |= _simulated(model, rest, options)
    for i, limits in ranges.items():
        model.actuator_lengthrange[i] = limits


def _simulated(model: "Model", chosen: list[int], options: dict) -> dict[int, tuple[float, float]]:
    """Length ranges by simulation; worlds 2 k and 2 k + 1 pull the actuator k to both sides."""
    data = Data(model, 2 * len(chosen), keep=FIELDS.split())
    pulled = np.repeat(chosen, 2)
    worlds = np.arange(len(pulled))

    def advance() -> np.ndarray:
        step1(model, data)
        lengths = data.actuator_length[worlds, pulled]
        moments = _moments(model, data, pulled)
        accelerations = np.linalg.norm(solve_m(model, data, moments), axis=1)
        data.qfrc_applied = pull_forces(moments, accelerations, options)
        step2(model, data)
        return lengths

    try:
        seen = extreme_lengths(data, model.opt.timestep, options, advance)
    except UnstableError as error:
        raise ValueError(
            f"{_where(model, chosen[error.place])}: its simulation is unstable;"
            " disable actuation if muscles have no range yet, or give less accel"
        ) from None
    ranges = {}
    for k, i in enumerate(chosen):
        here = seen[:, 2 * k : 2 * k + 2]
        if problem := problem_of(here, options["tolrange"], "set actuator_lengthrange"):
            raise ValueError(f"{_where(model, i)}: {problem}")
        ranges[i] = here[0, 0], here[1, 1]
    return ranges


def _moments(model: "Model", data: Data, pulled: np.ndarray) -> np.ndarray:
    """Row of actuator_moment of one actuator in each world (nworld, nv)."""
    moments = np.zeros((data.nworld, model.nv))
    for world, i in enumerate(pulled):
        adr = data.moment_rowadr[world, i]
        entries = slice(adr, adr + data.moment_rownnz[world, i])
        moments[world, data.moment_colind[world, entries]] = data.actuator_moment[world, entries]
    return moments


def _where(model: "Model", i: int) -> str:
    """An actuator, for messages."""
    name = model.actuator(i).name
    return f"set_length_range: actuator {repr(name) if name else i}"
