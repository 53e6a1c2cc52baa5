"""The table of sensors: what runs for each type, and when.

A type that a model does not use is neither compiled nor run. What only sensors need of the pipeline
(`PREPARE`) runs when one that is used needs it. Nothing of the dynamics reads a sensor: all run
after forward dynamics, in the order of MuJoCo's stages (mjtStage), and only in the last step of a
call, unless histories are kept.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..enums import (
    DSBL_SENSOR,
    GEOM_HFIELD,
    GEOM_MESH,
    OBJ_CAMERA,
    SENS_ACCELEROMETER,
    SENS_ACTUATORFRC,
    SENS_ACTUATORPOS,
    SENS_ACTUATORVEL,
    SENS_BALLANGVEL,
    SENS_BALLQUAT,
    SENS_CAMERARAYS,
    SENS_CAMPROJECTION,
    SENS_CLOCK,
    SENS_CONTACT,
    SENS_E_KINETIC,
    SENS_E_POTENTIAL,
    SENS_FORCE,
    SENS_FRAMEANGACC,
    SENS_FRAMEANGVEL,
    SENS_FRAMELINACC,
    SENS_FRAMELINVEL,
    SENS_FRAMEPOS,
    SENS_FRAMEQUAT,
    SENS_FRAMEXAXIS,
    SENS_FRAMEYAXIS,
    SENS_FRAMEZAXIS,
    SENS_GEOMDIST,
    SENS_GEOMFROMTO,
    SENS_GEOMNORMAL,
    SENS_GYRO,
    SENS_INSIDESITE,
    SENS_JOINTACTFRC,
    SENS_JOINTLIMITFRC,
    SENS_JOINTLIMITPOS,
    SENS_JOINTLIMITVEL,
    SENS_JOINTPOS,
    SENS_JOINTVEL,
    SENS_MAGNETOMETER,
    SENS_RANGEFINDER,
    SENS_SUBTREEANGMOM,
    SENS_SUBTREECOM,
    SENS_SUBTREELINVEL,
    SENS_TENDONACTFRC,
    SENS_TENDONLIMITFRC,
    SENS_TENDONLIMITPOS,
    SENS_TENDONLIMITVEL,
    SENS_TENDONPOS,
    SENS_TENDONVEL,
    SENS_TORQUE,
    SENS_TOUCH,
    SENS_USER,
    SENS_VELOCIMETER,
    STAGE_ACC,
    STAGE_POS,
    STAGE_VEL,
)
from ..physics.collision.colliders import NO_DISTANCE
from ..physics.results.body_forces import rne_postconstraint
from ..physics.sensors import (
    contacts,
    delays,
    distances,
    frames,
    inertial,
    joints,
    rays,
    regions,
    sleeping,
    subtrees,
)
from ..physics.sensors.tables import sensed_pairs, sensor_kinds
from ..physics.smooth.energy import energy_pos, energy_vel, subtree_vel
from ..physics.smooth.kinematics import camlight
from .forward import AFTER, ENERGY, POST
from .stage import Stage

if TYPE_CHECKING:
    from ..model.model import Model


class Sensor(NamedTuple):
    """One row of the table.

    Attributes:
        types: types (mjtSensor) that the kernel reads.
        stage: when MuJoCo can read them first (mjtStage).
        kernel: the function of all sensors of these types.
        needs: stages of `PREPARE` whose results it reads.
    """

    types: tuple[int, ...]
    stage: int
    kernel: Callable
    needs: tuple[Callable, ...] = ()

    @property
    def step(self) -> Stage:
        """Its stage of the pipeline."""
        return Stage(self.kernel, "sensordata")


SENSORS = (
    Sensor((SENS_MAGNETOMETER,), STAGE_POS, inertial.magnetometer),
    Sensor((SENS_CAMPROJECTION,), STAGE_POS, regions.camprojection, (camlight,)),
    Sensor((SENS_RANGEFINDER,), STAGE_POS, rays.rangefinder),
    Sensor((SENS_CAMERARAYS,), STAGE_POS, rays.camera_rays, (camlight,)),
    Sensor((SENS_JOINTPOS,), STAGE_POS, joints.jointpos),
    Sensor((SENS_TENDONPOS,), STAGE_POS, joints.tendonpos),
    Sensor((SENS_ACTUATORPOS,), STAGE_POS, joints.actuatorpos),
    Sensor((SENS_BALLQUAT,), STAGE_POS, joints.ballquat),
    Sensor((SENS_JOINTLIMITPOS,), STAGE_POS, joints.jointlimitpos),
    Sensor((SENS_TENDONLIMITPOS,), STAGE_POS, joints.tendonlimitpos),
    Sensor((SENS_FRAMEPOS,), STAGE_POS, frames.framepos),
    Sensor((SENS_FRAMEQUAT,), STAGE_POS, frames.framequat),
    Sensor((SENS_FRAMEXAXIS, SENS_FRAMEYAXIS, SENS_FRAMEZAXIS), STAGE_POS, frames.frameaxis),
    Sensor((SENS_SUBTREECOM,), STAGE_POS, subtrees.subtreecom),
    Sensor((SENS_INSIDESITE,), STAGE_POS, regions.insidesite),
    Sensor((SENS_GEOMDIST,), STAGE_POS, distances.distance, (distances.start_near,)),
    Sensor((SENS_GEOMNORMAL,), STAGE_POS, distances.normal, (distances.start_near,)),
    Sensor((SENS_GEOMFROMTO,), STAGE_POS, distances.fromto, (distances.start_near,)),
    Sensor((SENS_E_POTENTIAL,), STAGE_POS, subtrees.potential, (energy_pos,)),
    Sensor((SENS_E_KINETIC,), STAGE_POS, subtrees.kinetic, (energy_vel,)),
    Sensor((SENS_CLOCK,), STAGE_POS, subtrees.clock),
    Sensor((SENS_VELOCIMETER,), STAGE_VEL, inertial.velocimeter),
    Sensor((SENS_GYRO,), STAGE_VEL, inertial.gyro),
    Sensor((SENS_JOINTVEL,), STAGE_VEL, joints.jointvel),
    Sensor((SENS_TENDONVEL,), STAGE_VEL, joints.tendonvel),
    Sensor((SENS_ACTUATORVEL,), STAGE_VEL, joints.actuatorvel),
    Sensor((SENS_BALLANGVEL,), STAGE_VEL, joints.ballangvel),
    Sensor((SENS_JOINTLIMITVEL,), STAGE_VEL, joints.jointlimitvel),
    Sensor((SENS_TENDONLIMITVEL,), STAGE_VEL, joints.tendonlimitvel),
    Sensor((SENS_FRAMELINVEL,), STAGE_VEL, frames.framelinvel),
    Sensor((SENS_FRAMEANGVEL,), STAGE_VEL, frames.frameangvel),
    Sensor((SENS_SUBTREELINVEL,), STAGE_VEL, subtrees.subtreelinvel, (subtree_vel,)),
    Sensor((SENS_SUBTREEANGMOM,), STAGE_VEL, subtrees.subtreeangmom, (subtree_vel,)),
    Sensor((SENS_TOUCH,), STAGE_ACC, contacts.touch),
    Sensor((SENS_CONTACT,), STAGE_ACC, contacts.contact),
    Sensor((SENS_ACCELEROMETER,), STAGE_ACC, inertial.accelerometer, (rne_postconstraint,)),
    Sensor((SENS_FORCE,), STAGE_ACC, inertial.force, (rne_postconstraint,)),
    Sensor((SENS_TORQUE,), STAGE_ACC, inertial.torque, (rne_postconstraint,)),
    Sensor((SENS_ACTUATORFRC,), STAGE_ACC, joints.actuatorfrc),
    Sensor((SENS_JOINTACTFRC,), STAGE_ACC, joints.jointactuatorfrc),
    Sensor((SENS_TENDONACTFRC,), STAGE_ACC, joints.tendonactuatorfrc),
    Sensor((SENS_JOINTLIMITFRC,), STAGE_ACC, joints.jointlimitfrc),
    Sensor((SENS_TENDONLIMITFRC,), STAGE_ACC, joints.tendonlimitfrc),
    Sensor((SENS_FRAMELINACC,), STAGE_ACC, frames.framelinacc, (rne_postconstraint,)),
    Sensor((SENS_FRAMEANGACC,), STAGE_ACC, frames.frameangacc, (rne_postconstraint,)),
    Sensor((SENS_USER,), STAGE_ACC, subtrees.user, (subtree_vel, rne_postconstraint)),
)

_SHARED = {stage.kernel: stage for stage in (*AFTER, *ENERGY, POST)}
# in the order in which they run, each before the sensors of its stage
PREPARE = (
    (STAGE_POS, _SHARED[camlight]),
    (STAGE_POS, _SHARED[energy_pos]),
    (STAGE_POS, _SHARED[energy_vel]),
    (STAGE_POS, Stage(distances.start_near)),
    *((STAGE_POS, Stage(near)) for near in distances.NEAR),
    (STAGE_VEL, Stage(subtree_vel, "subtree_linvel subtree_angmom")),
    (STAGE_ACC, _SHARED[rne_postconstraint]),
)
# of sensors with histories: after all others, and before each step
# by the first and the last stage that is read
READ_PAST = {
    (STAGE_POS, STAGE_ACC): Stage(delays.read_past, "sensordata"),
    (STAGE_POS, STAGE_VEL): Stage(delays.read_past_of_state, "sensordata"),
    (STAGE_VEL, STAGE_ACC): Stage(delays.read_past_of_motion, "sensordata"),
    (STAGE_ACC, STAGE_ACC): Stage(delays.read_past_of_forces, "sensordata"),
    (STAGE_POS, STAGE_POS): Stage(delays.read_past_of_positions, "sensordata"),
    (STAGE_VEL, STAGE_VEL): Stage(delays.read_past_of_velocities, "sensordata"),
}
REMEMBER = Stage(delays.remember, "history")
# around sensors that are read for the future alone
HIDE_READINGS = Stage(delays.hide_readings)
SHOW_READINGS = Stage(delays.show_readings, "sensordata")
FORCES_ONCE = Stage(
    delays.body_forces_once,
    "cacc cfrc_int cfrc_ext",
)
# where trees sleep: before and after all others, in each step
KEEP_READINGS = Stage(sleeping.keep_readings)
RESTORE_SLEEPING = Stage(sleeping.restore_sleeping, "sensordata")
# where no geom is made of triangles, by the kernels that they stand for
PLAIN = {
    rays.rangefinder: Stage(rays.rangefinder_plain, "sensordata"),
    rays.camera_rays: Stage(rays.camera_rays_plain, "sensordata"),
}
SENSE = (
    *(stage for _, stage in PREPARE),
    *(row.step for row in SENSORS),
    *READ_PAST.values(),
    HIDE_READINGS,
    SHOW_READINGS,
    FORCES_ONCE,
    RESTORE_SLEEPING,
    *PLAIN.values(),
)
SUPPORTED = frozenset(kind for row in SENSORS for kind in row.types)


def sensor_stages(
    model: "Model", last: int = STAGE_ACC, first: int = STAGE_POS
) -> tuple[Stage, ...]:
    """Stages that a model's sensors take, in order; none while sensors are disabled.

    Args:
        model: a `Model`.
        last: what is known (mjtStage); sensors that need more are left out.
        first: what is new; sensors that need less are left out.
    """
    if not model.nsensor or model.opt.disableflags & DSBL_SENSOR:
        return ()
    found = _readings(model, last, first)
    return (*found, READ_PAST[first, last]) if has_histories(model) else found


def has_histories(model: "Model") -> bool:
    """Whether some sensor remembers its readings."""
    return bool(np.any(model.sensor_history[:, 0] > 0))


def remembering(model: "Model", moved: bool, energy: bool) -> tuple[Stage, ...]:
    """Stages that append readings to histories before a step is made; none without histories.

    MuJoCo reads delayed sensors then. Where forward dynamics has gone on since sensors were read,
    or where sensors are disabled, they have to be read once more.

    Args:
        model: a `Model`.
        moved: whether stages of RK4 have changed what sensors read.
        energy: whether forward dynamics computes energies, which are then known.
    """
    if not has_histories(model):
        return ()
    if not moved and not model.opt.disableflags & DSBL_SENSOR:
        return (REMEMBER,)
    known = {energy_pos, energy_vel} if energy else set()
    again = [
        FORCES_ONCE if stage.kernel is rne_postconstraint else stage
        for stage in _readings(model, STAGE_ACC, STAGE_POS)
        if stage.kernel not in known
    ]
    return (HIDE_READINGS, *again, SHOW_READINGS, REMEMBER)


def _readings(model: "Model", last: int, first: int) -> tuple[Stage, ...]:
    """Stages of sensors that need stages from `first` to `last` (mjtStage)."""
    used = set(sensor_kinds(model).tolist())
    rows = [row for row in SENSORS if used.intersection(row.types)]
    needed = {kernel for row in rows for kernel in row.needs}
    if OBJ_CAMERA in model.sensor_objtype or OBJ_CAMERA in model.sensor_reftype:
        needed.add(camlight)
    if distances.start_near in needed:
        routines = {routine for routine, *_ in sensed_pairs(model)} - {NO_DISTANCE}
        needed |= {distances.NEAR[routine] for routine in routines}
    made_of_triangles = np.isin(model.geom_type, (GEOM_HFIELD, GEOM_MESH)).any()
    instead = {} if made_of_triangles else PLAIN
    found = []
    for now in range(first, last + 1):
        found += [stage for then, stage in PREPARE if then == now and stage.kernel in needed]
        found += [instead.get(row.kernel, row.step) for row in rows if row.stage == now]
    return tuple(found)
