"""Length ranges of actuators that a document asks for: without what hinders their motion."""

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..enums import (
    CONE_PYRAMIDAL,
    DSBL_ACTUATION,
    DSBL_CONTACT,
    DSBL_DAMPER,
    DSBL_FRICTIONLOSS,
    DSBL_GRAVITY,
    DSBL_SPRING,
    EQ_TENDON,
    INT_EULER,
    INT_IMPLICIT,
    SOL_NEWTON,
    TRN_JOINTINPARENT,
    TRN_TENDON,
)
from ..errors import UnsupportedFeature
from ..mjcf.arrays.configuration import Configuration
from ..mjcf.arrays.tendon_constants import armatures
from ..mjcf.arrays.transmission import joint_armature, transmission
from ..mjcf.text.schema import kinds
from .pulling import UnstableError, extreme_lengths, known_ranges, problem_of, pull_forces

if TYPE_CHECKING:
    from ..data.data import Data
    from ..mjcf.parts.draft import Draft
    from ..model.model import Model

LONGEST = 20_000  # steps of a simulation
SAME = 1e-14  # difference of configurations that are the same but for rounding
# what is left out of a simulation: sizes of a model, and fields that are set to zero
SIZES = (
    "nu", "na", "nJmom", "nhistory", "nsensor", "nsensordata", "npair", "nkey",
)  # fmt: skip
TENDON_SIZES = ("ntendon", "nwrap", "nJten")
NOTHING = (
    "geom_contype", "geom_conaffinity", "geom_type", "geom_dataid", "body_gravcomp",
    "jnt_actuatorid", "tendon_actuatorid", "tendon_stiffness", "tendon_stiffnesspoly",
    "tendon_damping", "tendon_dampingpoly", "tendon_frictionloss",
)  # fmt: skip


def set_length_ranges(model: "Model", draft: "Draft") -> None:
    """Set actuator_lengthrange of the actuators that <lengthrange mode=...> asks for.

    Raises:
        MjcfError: a simulation does not come to rest at two different lengths.
        UnsupportedFeature: it needs something that is not simulated yet.
    """
    options = kinds()["compiler/lengthrange"].defaults | draft.lengthrange
    options |= {name: options[name] == "true" for name in ("useexisting", "uselimit")}
    ranges, rest = known_ranges(model, range(model.nu), options)
    for i, limit in ranges.items():
        model.actuator_lengthrange[i] = limit
    if rest:
        _simulate(model, [draft.parts["actuator"][i] for i in rest], options)


def _simulate(model: "Model", actuators: list, options: dict) -> None:
    """Pull each actuator with a constant acceleration to its shortest and longest length.

    Worlds 2 k and 2 k + 1 pull the actuator k to both sides.
    """
    from ..data.data import Data
    from ..data.step import forward, step

    # two worlds of each actuator, in a model without what hinders its motion
    pulled = [_Pulled(model, actuator.id) for actuator in actuators for _ in range(2)]
    armature = armatures(model)
    joined = bool((model.eq_type == EQ_TENDON).any()) or bool(model.tendon_limited.any())
    with_tendons = joined or any(one.tendon >= 0 for one in pulled)
    bare = _bare(model, options, armature, with_tendons or bool(armature.any()))
    if options["inttotal"] > LONGEST * bare.opt.timestep:
        what = f"a length range of inttotal='{options['inttotal']:g}'"
        raise actuators[0].element.unsupported(what, f"use at most {LONGEST} timesteps")
    try:
        data = Data(bare, len(pulled), keep=("M", "ten_length", "ten_J"), nthread=1)
    except UnsupportedFeature as error:
        what = str(error).removeprefix("Data: ").partition(":")[0]
        raise actuators[0].element.unsupported(
            f"a length range that has to be simulated, with {what},", "give lengthrange"
        ) from None
    # accelerations follow from the inertia matrix and the moments
    rows = np.repeat(np.arange(bare.nv), bare.M_rownnz)

    def advance() -> np.ndarray:
        forward(bare, data)
        states = [one.at(data, world) for world, one in enumerate(pulled)]
        moments = np.array([moment for _, moment in states])
        inertia = np.zeros((len(pulled), bare.nv, bare.nv))
        inertia[:, rows, bare.M_colind] = inertia[:, bare.M_colind, rows] = data.M
        data.qfrc_applied = pull_forces(moments, _accelerations(inertia, moments), options)
        step(bare, data)
        return np.array([length for length, _ in states])

    # lengths that the simulation has seen
    try:
        seen = extreme_lengths(data, bare.opt.timestep, options, advance)
    except UnstableError as error:
        raise actuators[error.place].error(
            "lengthrange: its simulation is unstable; give lengthrange, or less accel"
        ) from None
    # ranges, and what is wrong with them
    for k, actuator in enumerate(actuators):
        here = seen[:, 2 * k : 2 * k + 2]
        model.actuator_lengthrange[actuator.id] = here[0, 0], here[1, 1]
        if problem := problem_of(here, options["tolrange"]):
            raise actuator.error(f"lengthrange: {problem}")


def _accelerations(inertia: np.ndarray, moments: np.ndarray) -> np.ndarray:
    """Magnitudes of accelerations by forces (n, nv), inf where a matrix (n, nv, nv) is singular."""
    try:
        return np.linalg.norm(np.linalg.solve(inertia, moments[..., None])[..., 0], axis=1)
    except np.linalg.LinAlgError:
        return np.full(len(moments), np.inf)


def _bare(model: "Model", options: dict, armature: np.ndarray, with_tendons: bool):
    """A model for the simulation: what does not act in it is left out."""
    bare = _view(model)
    for name in NOTHING:
        bare.__dict__[name] = np.zeros_like(getattr(model, name))
    for array in (bare.jnt_actuatorid, bare.tendon_actuatorid, bare.geom_dataid):
        array[:] = -1
    bare.__dict__["dof_armature"] = model.dof_armature + joint_armature(model)[model.dof_jntid]
    bare.__dict__["tendon_armature"] = armature
    bare.resize(**dict.fromkeys(SIZES if with_tendons else SIZES + TENDON_SIZES, 0))
    option = type(model.opt)()
    option.__dict__.update(model.opt.__dict__)
    option.disableflags = (
        DSBL_FRICTIONLOSS | DSBL_CONTACT | DSBL_SPRING | DSBL_DAMPER | DSBL_GRAVITY | DSBL_ACTUATION
    )
    option.enableflags = option.noslip_iterations = 0
    option.density = option.viscosity = 0.0
    # without dampers, implicitfast and the halves of RK4 are Euler's integrator
    implicit = model.opt.integrator == INT_IMPLICIT
    option.integrator = INT_IMPLICIT if implicit else INT_EULER
    option.solver, option.cone = SOL_NEWTON, CONE_PYRAMIDAL
    if options["timestep"] > 0:
        option.timestep = options["timestep"]
    bare.__dict__["opt"] = option
    return bare


class _Pulled:
    """One actuator of a model, with its length and moment in any configuration.

    Attributes:
        tendon: the tendon that it pulls; -1: something else.
    """

    def __init__(self, model: "Model", i: int):
        view = self.model = _view(model)
        names = ("trntype", "trnid", "gear", "cranklength")
        view.__dict__.update({f"actuator_{n}": getattr(model, f"actuator_{n}")[[i]] for n in names})
        view.__dict__.update(nu=1, ntendon=0)
        on_tendon = view.actuator_trntype[0] == TRN_TENDON
        self.tendon = int(view.actuator_trnid[0, 0]) if on_tendon else -1
        self.qpos: np.ndarray | None = None
        self.state: tuple[float, np.ndarray]

    def at(self, data: "Data", world: int) -> tuple[float, np.ndarray]:
        """Length, and moment (nv,), in one of the worlds."""
        if self.tendon >= 0:
            return self._of_tendon(data.ten_length[world], data.ten_J[world])
        qpos = data.qpos[world]
        if self.qpos is None or np.abs(qpos - self.qpos).max() > SAME:
            on_joint = self.model.actuator_trntype[0] <= TRN_JOINTINPARENT
            at: Any = SimpleNamespace(qpos=qpos) if on_joint else Configuration(self.model, qpos)
            lengths, moments = transmission(self.model, at, ())
            self.qpos, self.state = qpos.copy(), (lengths[0], moments[0])
        return self.state

    def _of_tendon(self, lengths: np.ndarray, gradients: np.ndarray) -> tuple[float, np.ndarray]:
        """Length and moment, out of ten_length (ntendon,) and ten_J (nJten,)."""
        model, gear = self.model, self.model.actuator_gear[0, 0]
        adr = model.ten_J_rowadr[self.tendon]
        entries = slice(adr, adr + model.ten_J_rownnz[self.tendon])
        moment = np.zeros(model.nv)
        np.add.at(moment, model.ten_J_colind[entries], gear * gradients[entries])
        return gear * lengths[self.tendon], moment


def _view(model: "Model"):
    """A model that shares all fields with another one."""
    view = object.__new__(type(model))
    view.__dict__.update(model.__dict__)
    return view
