"""Length ranges of actuators: each is pulled to both ends, in simulations of the model.

Those of a model that was edited are computed as it is (`set_length_range`), those that a document
asks for without what hinders their motion (`set_length_ranges`).
"""

from collections.abc import Iterable
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import number, plain_array
from ..errors import UnsupportedFeature, nearest
from ..mjcf.text.schema import kinds
from ..model.named import place_of
from ..tables.enums import (
    CONE_PYRAMIDAL,
    DSBL_ACTUATION,
    DSBL_CONTACT,
    DSBL_DAMPER,
    DSBL_FRICTIONLOSS,
    DSBL_GRAVITY,
    DSBL_SPRING,
    INT_EULER,
    INT_IMPLICIT,
    SOL_NEWTON,
)
from .pulling import UnstableError, extreme_lengths, known_ranges, problem_of, pull_forces

if TYPE_CHECKING:
    from ..data.data import Data
    from ..mjcf.draft.draft import Draft
    from ..model.model import Model

MODES = ("none", "muscle", "muscleuser", "all")
FIELDS = "qLD qLDiagInv actuator_length actuator_moment moment_rownnz moment_rowadr moment_colind"
LONGEST = 20_000  # steps of a simulation
# what is left out of those of documents: sizes, fields that are set to zero, what flags disable
UNUSED = ("nsensor", "nsensordata", "npair", "nkey")
NO_CONTACTS = ("geom_contype", "geom_conaffinity", "geom_type", "geom_dataid", "body_gravcomp")
HINDRANCES = (
    DSBL_FRICTIONLOSS | DSBL_CONTACT | DSBL_SPRING | DSBL_DAMPER | DSBL_GRAVITY | DSBL_ACTUATION
)


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
    # the mode, by number or name
    if isinstance(mode, IntEnum) and mode in range(len(MODES)):
        mode = MODES[mode]
    if not isinstance(mode, str) or mode not in MODES:
        raise ValueError(
            f"set_length_range: mode={mode!r}: expected one of {', '.join(MODES)}"
            f"{nearest(str(mode), MODES)}"
        )
    # which actuators
    one = isinstance(actuator, str) or plain_array(actuator, where, "actuator").ndim == 0
    keys: Any = range(model.nu) if actuator is None else [actuator] if one else actuator
    chosen = [place_of(model, "actuator", key) for key in keys]
    # numbers that make sense
    options = {
        "mode": mode, "useexisting": useexisting, "uselimit": uselimit, "accel": accel,
        "maxforce": maxforce, "timeconst": timeconst, "inttotal": inttotal, "interval": interval,
        "tolrange": tolrange,
    }  # fmt: skip
    for name in list(options)[3:]:
        number(options[name], where, name)
    # ranges that follow from limits, and the others by simulation
    ranges, rest = known_ranges(model, chosen, options)
    try:
        ranges |= _simulated(model, rest, options, "set actuator_lengthrange")
    except UnstableError as error:
        raise ValueError(
            f"{_where(model, rest[error.place])}: its simulation is unstable;"
            " disable actuation if muscles have no range yet, or give less accel"
        ) from None
    except NoRangeError as error:
        raise ValueError(f"{_where(model, rest[error.place])}: {error}") from None
    for i, limits in ranges.items():
        model.actuator_lengthrange[i] = limits


def _where(model: "Model", i: int) -> str:
    """An actuator, for messages."""
    name = model.actuator(i).name
    return f"set_length_range: actuator {repr(name) if name else i}"


def set_length_ranges(model: "Model", draft: "Draft") -> None:
    """Set actuator_lengthrange of the actuators that <lengthrange mode=...> asks for.

    Raises:
        MjcfError: a simulation does not come to rest at two different lengths.
        UnsupportedFeature: it needs something that is not simulated yet.
    """
    options = kinds()["compiler/lengthrange"].defaults | draft.lengthrange
    options |= {name: options[name] == "true" for name in ("useexisting", "uselimit")}
    ranges, rest = known_ranges(model, range(model.nu), options)
    actuators = [draft.parts["actuator"][i] for i in rest]
    free = _without_hindrance(model, options)
    if rest and options["inttotal"] > LONGEST * free.opt.timestep:
        what = f"a length range of inttotal='{options['inttotal']:g}'"
        raise actuators[0].element.unsupported(what, f"use at most {LONGEST} timesteps")
    try:
        ranges |= _simulated(free, rest, options, "give lengthrange")
    except UnsupportedFeature as error:
        what = str(error).removeprefix("Data: ").partition(":")[0]
        raise actuators[0].element.unsupported(
            f"a length range that has to be simulated, with {what},", "give lengthrange"
        ) from None
    except UnstableError as error:
        raise actuators[error.place].error(
            "lengthrange: its simulation is unstable; give lengthrange, or less accel"
        ) from None
    except NoRangeError as error:
        raise actuators[error.place].error(f"lengthrange: {error}") from None
    for i, limits in ranges.items():
        model.actuator_lengthrange[i] = limits


def _without_hindrance(model: "Model", options: dict) -> "Model":
    """The model for the simulations of a document: what hinders motion is left out."""
    free = object.__new__(type(model))
    free.__dict__.update(model.__dict__)
    for name in NO_CONTACTS:
        free.__dict__[name] = np.zeros_like(getattr(model, name))
    free.geom_dataid[:] = -1
    free.resize(**dict.fromkeys(UNUSED, 0))
    option = free.__dict__["opt"] = type(model.opt)()
    option.__dict__.update(model.opt.__dict__)
    option.disableflags = HINDRANCES
    option.enableflags = option.noslip_iterations = 0
    option.density = option.viscosity = 0.0
    # without dampers, implicitfast and the halves of RK4 are Euler's integrator
    implicit = model.opt.integrator == INT_IMPLICIT
    option.integrator = INT_IMPLICIT if implicit else INT_EULER
    option.solver, option.cone = SOL_NEWTON, CONE_PYRAMIDAL
    if options["timestep"] > 0:
        option.timestep = options["timestep"]
    return free


class NoRangeError(Exception):
    """An actuator whose simulation finds no range: what was found, and what to do.

    Attributes:
        place: which of the actuators it is about.
    """

    def __init__(self, place: int, problem: str):
        super().__init__(problem)
        self.place = place


def _simulated(
    model: "Model", chosen: list[int], options: dict, instead: str
) -> dict[int, tuple[float, float]]:
    """Length ranges by simulation; worlds 2 k and 2 k + 1 pull the actuator k to both sides.

    Raises:
        UnstableError: a simulation had to be started again.
        NoRangeError: one finds no range; `instead` is what else its user can do.
    """
    if not chosen:
        return {}
    from ..analysis.inertia import solve_m
    from ..data.data import Data
    from ..data.halves import step1, step2

    data = Data(model, 2 * len(chosen), keep=FIELDS.split(), nthread=1)
    # both ends of all actuators at once, each in a world of its own
    pulled = np.repeat(chosen, 2)
    worlds = np.arange(len(pulled))

    def advance() -> np.ndarray:
        step1(model, data)
        lengths = data.actuator_length[worlds, pulled]
        moments = _moments(model, data, pulled)
        accelerations = np.linalg.norm(solve_m(model, data, moments), axis=1)
        # scaled by the inertia that the actuator sees, so that light and heavy ones are as fast
        data.qfrc_applied = pull_forces(moments, accelerations, options)
        step2(model, data)
        return lengths

    seen = extreme_lengths(data, model.opt.timestep, options, advance)
    ranges = {}
    for k, i in enumerate(chosen):
        here = seen[:, 2 * k : 2 * k + 2]
        if problem := problem_of(here, options["tolrange"], instead):
            raise NoRangeError(k, problem)
        ranges[i] = here[0, 0], here[1, 1]
    return ranges


def _moments(model: "Model", data: "Data", pulled: np.ndarray) -> np.ndarray:
    """Row of actuator_moment of one actuator in each world (nworld, nv)."""
    moments = np.zeros((data.nworld, model.nv))
    for world, i in enumerate(pulled):
        adr = data.moment_rowadr[world, i]
        entries = slice(adr, adr + data.moment_rownnz[world, i])
        moments[world, data.moment_colind[world, entries]] = data.actuator_moment[world, entries]
    return moments
