"""Sensors: what runs for each type, and when.

A type that a model does not use is neither compiled nor run. What only sensors need of the pipeline
(`PREPARE`) runs when one that is used needs it. Nothing of the dynamics reads a sensor: all run
after forward dynamics, in the order of MuJoCo's stages (mjtStage), and only in the last step of a
call, unless histories are kept.
"""

from typing import TYPE_CHECKING

import numpy as np

from ..physics.collision.colliders import NO_DISTANCE
from ..physics.sensors.tables import KINDS, NEAR, PLAIN, sensed_pairs, sensor_kinds
from ..physics.sensors.tables import READ_PAST as PAST
from ..tables.enums import (
    DSBL_SENSOR,
    GEOM_HFIELD,
    GEOM_MESH,
    GEOM_SDF,
    OBJ_CAMERA,
    SENS_PLUGIN,
    SENS_USER,
    STAGE_ACC,
    STAGE_POS,
    STAGE_VEL,
)
from ..tables.plugin_kinds import TOUCH_GRID
from .forward import AFTER, ENERGY, POST
from .stage import Stage

if TYPE_CHECKING:
    from ..model.model import Model


# stages that read sensors, by type, and when MuJoCo can read these first (mjtStage); those of users:
# when all is known
READINGS = {
    kind: Stage(f"sensors.readings:{row.name}", "sensordata") for kind, row in KINDS.items()
}
_STAGES = {"pos": STAGE_POS, "vel": STAGE_VEL, "acc": STAGE_ACC, "": STAGE_ACC}
_SHARED = {stage.name: stage for stage in (*AFTER, *ENERGY, POST)}
# in the order in which they run, each before the sensors of its stage
PREPARE = (
    (STAGE_POS, _SHARED["camlight"]),
    (STAGE_POS, _SHARED["energy_pos"]),
    (STAGE_POS, _SHARED["flex_energy"]),
    (STAGE_POS, _SHARED["energy_vel"]),
    (STAGE_POS, Stage("sensors.distances:start_near")),
    *((STAGE_POS, Stage(f"sensors.distances:{near}")) for near in NEAR),
    (STAGE_VEL, Stage("smooth.energy:subtree_vel", "subtree_linvel subtree_angmom")),
    (STAGE_ACC, _SHARED["rne_postconstraint"]),
)
# of sensors with histories: after all others, and before each step
# by the first and the last stage that is read
READ_PAST = {stages: Stage(f"sensors.delays:{name}", "sensordata") for stages, name in PAST.items()}
REMEMBER = Stage("sensors.delays:remember", "history")
# around sensors that are read for the future alone
HIDE_READINGS = Stage("sensors.delays:hide_readings")
SHOW_READINGS = Stage("sensors.delays:show_readings", "sensordata")
FORCES_ONCE = Stage(
    "sensors.delays:body_forces_once",
    "cacc cfrc_int cfrc_ext",
)
# where trees sleep: before and after all others, in each step
KEEP_READINGS = Stage("sensors.sleeping:keep_readings")
RESTORE_SLEEPING = Stage("sensors.sleeping:restore_sleeping", "sensordata")
# of plugins, by the place of their kind
PLUGINS = {TOUCH_GRID: (STAGE_ACC, Stage("plugins.touch_grid:touch_grid", "sensordata"))}
# where no geom is made of triangles
READINGS_PLAIN = {
    kind: Stage(f"sensors.readings:{row.name}", "sensordata") for kind, row in PLAIN.items()
}
SENSE = (
    *(stage for _, stage in PREPARE),
    *READINGS.values(),
    *READ_PAST.values(),
    HIDE_READINGS,
    SHOW_READINGS,
    FORCES_ONCE,
    RESTORE_SLEEPING,
    *READINGS_PLAIN.values(),
    *(stage for _, stage in PLUGINS.values()),
)


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
    """True if some sensor remembers its readings."""
    return bool(np.any(model.sensor_history[:, 0] > 0))


def remembering(model: "Model", moved: bool, energy: bool) -> tuple[Stage, ...]:
    """Stages that append readings to histories before a step is made; none without histories.

    MuJoCo reads delayed sensors then. Where forward dynamics has gone on since sensors were read,
    or where sensors are disabled, they have to be read once more.

    Args:
        model: a `Model`.
        moved: whether the integrator has run forward dynamics again since sensors were read.
        energy: whether forward dynamics computes energies, which are then known.
    """
    if not has_histories(model):
        return ()
    if not moved and not model.opt.disableflags & DSBL_SENSOR:
        return (REMEMBER,)
    known = {"energy_pos", "flex_energy", "energy_vel"} if energy else set()
    again = [
        FORCES_ONCE if stage.name == "rne_postconstraint" else stage
        for stage in _readings(model, STAGE_ACC, STAGE_POS)
        if stage.name not in known
    ]
    return (HIDE_READINGS, *again, SHOW_READINGS, REMEMBER)


def _readings(model: "Model", last: int, first: int) -> tuple[Stage, ...]:
    """Stages of sensors that need stages from `first` to `last` (mjtStage)."""
    used = [kind for kind in KINDS if kind in sensor_kinds(model)]
    needed = {name for kind in used for name in KINDS[kind].needs}
    # MuJoCo computes these for all plugins and users whose sensors are read at a stage
    asked = np.isin(model.sensor_type, (SENS_PLUGIN, SENS_USER))
    stages = model.sensor_needstage[asked].tolist()
    needed |= {"subtree_vel"} if STAGE_VEL in stages else set()
    needed |= {"rne_postconstraint"} if STAGE_ACC in stages else set()
    if OBJ_CAMERA in model.sensor_objtype or OBJ_CAMERA in model.sensor_reftype:
        needed.add("camlight")
    if "energy_pos" in needed and model.nflex:
        needed.add("flex_energy")
    if "start_near" in needed:
        routines = {routine for routine, *_ in sensed_pairs(model)} - {NO_DISTANCE}
        needed |= {NEAR[routine] for routine in routines}
    made_of_triangles = np.isin(model.geom_type, (GEOM_HFIELD, GEOM_MESH, GEOM_SDF)).any()
    readings = READINGS if made_of_triangles else READINGS | READINGS_PLAIN
    own, found = set(model.plugin[model.sensor_plugin[model.sensor_plugin >= 0]].tolist()), []
    for now in range(first, last + 1):
        found += [stage for then, stage in PREPARE if then == now and stage.name in needed]
        found += [readings[kind] for kind in used if _STAGES[KINDS[kind].needstage] == now]
        found += [stage for kind, (then, stage) in PLUGINS.items() if then == now and kind in own]
    return tuple(found)
