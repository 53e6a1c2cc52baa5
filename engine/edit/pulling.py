"""Pulling actuators to both ends: which ones, by what forces, and what their lengths then were."""

from collections.abc import Callable
from math import exp
from typing import TYPE_CHECKING, Any

import numpy as np

from ..tables.enums import (
    BIAS_MUSCLE,
    BIAS_USER,
    GAIN_MUSCLE,
    GAIN_USER,
    MINVAL,
    TRN_JOINT,
    TRN_JOINTINPARENT,
    TRN_TENDON,
)

if TYPE_CHECKING:
    from ..data.data import Data
    from ..model.model import Model


def known_ranges(
    model: "Model", chosen: Any, options: dict
) -> tuple[dict[int, np.ndarray], list[int]]:
    """Length ranges of actuators that follow from limits, and the actuators to simulate.

    Args:
        model: the model.
        chosen: indices of actuators.
        options: mode ("none", "muscle", "muscleuser" or "all"), useexisting and uselimit.

    Returns:
        Ranges of the first, by index, and indices of the second.
    """
    ranges, rest = {}, []
    for i in chosen:
        low, high = model.actuator_lengthrange[i]
        given = options["useexisting"] and low < high
        if _asked(model, i, options["mode"]) and not given:
            limit = _limit(model, i) if options["uselimit"] else None
            if limit is None:
                rest.append(i)
            else:
                ranges[i] = limit
    return ranges, rest


def _asked(model: "Model", i: int, mode: str) -> bool:
    """True if a mode is about an actuator."""
    gain, bias = model.actuator_gaintype[i], model.actuator_biastype[i]
    muscle, user = (
        gain == GAIN_MUSCLE or bias == BIAS_MUSCLE,
        gain == GAIN_USER or bias == BIAS_USER,
    )
    return mode == "all" or (muscle and mode != "none") or (user and mode == "muscleuser")


def _limit(model: "Model", i: int) -> np.ndarray | None:
    """Range of the limit that counts for an actuator; None: there is none.

    MuJoCo takes the target from another place of actuator_trnid than that of the actuator.
    """
    place, kind = model.actuator_trnid.ravel()[i], model.actuator_trntype[i]
    for prefix, kinds_ in (("jnt", (TRN_JOINT, TRN_JOINTINPARENT)), ("tendon", (TRN_TENDON,))):
        flags = getattr(model, f"{prefix}_limited")
        if kind in kinds_ and 0 <= place < len(flags) and flags[place]:
            return getattr(model, f"{prefix}_range")[place]
    return None


class UnstableError(Exception):
    """A simulation that had to be started again.

    Attributes:
        place: which of the actuators it is about.
    """

    def __init__(self, place: int):
        super().__init__(place)
        self.place = place


def pull_forces(moments: np.ndarray, accelerations: np.ndarray, options: dict) -> np.ndarray:
    """Forces along moments that give the accelerations that are asked for.

    Args:
        moments: (n, nv), of actuators that are pulled to the short side, the long side, ...
        accelerations: magnitudes of the accelerations that they give as forces (n,).
        options: accel and maxforce.

    Returns:
        (n, nv), N or N m.
    """
    pull = np.tile((-options["accel"], options["accel"]), len(moments) // 2)
    force = moments * (pull / np.maximum(MINVAL, accelerations))[:, None]
    if options["maxforce"] > 0:
        size = np.linalg.norm(force, axis=1)
        force *= np.minimum(1, options["maxforce"] / np.maximum(MINVAL, size))[:, None]
    return force


def extreme_lengths(
    data: "Data", timestep: float, options: dict, advance: Callable[[], np.ndarray]
) -> np.ndarray:
    """Shortest and longest lengths in the last seconds of a simulation, with damped velocities.

    Args:
        data: worlds, at the start.
        timestep: that of their model (s).
        options: timeconst, inttotal and interval.
        advance: takes a step and returns the lengths before it (nworld,).

    Returns:
        (2, nworld).

    Raises:
        UnstableError: a world was reset.
    """
    slower = exp(-timestep / max(0.01, options["timeconst"]))
    seen = np.array([np.inf, -np.inf])[:, None].repeat(data.nworld, 1)
    while (time := data.time[0]) < options["inttotal"]:
        data.qvel *= slower
        lengths = advance()
        unstable = np.flatnonzero(data.time <= time)
        if unstable.size:
            raise UnstableError(int(unstable[0]) // 2)
        if data.time[0] > options["inttotal"] - options["interval"]:
            seen = np.array([np.minimum(seen[0], lengths), np.maximum(seen[1], lengths)])
    return np.where(np.isfinite(seen), seen, 0.0)


def problem_of(seen: np.ndarray, tolerance: float, instead: Any = "give lengthrange") -> str | None:
    """Fault of lengths (2, 2) that are not two, or that still change; None if there is none."""
    (low, _), (_, high) = seen
    if not high > low:
        return (
            f"expected an actuator with two different lengths, found {low:g} and {high:g};"
            f" {instead}"
        )
    if (seen[1] - seen[0]).max() > tolerance * (high - low):
        return f"its simulation does not come to rest; {instead}, or limit the joints"
    return None
