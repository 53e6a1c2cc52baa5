"""Entries of sensors in the records of model and data."""

from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import numpy as np

from ...tables.enums import (
    OBJ_BODY,
    OBJ_CAMERA,
    SENS_GEOMDIST,
    SENS_GEOMFROMTO,
    SENS_GEOMNORMAL,
    SENS_PLUGIN,
    SENS_RANGEFINDER,
    SENS_USER,
    STAGE_ACC,
    STAGE_POS,
    STAGE_VEL,
)
from ...tables.sensor_kinds import CAMERA_RAYS, SENSORS
from ..collision.colliders import ROUTINES, distance_routine, name_of
from ..smooth.delay_buffers import initial_history

if TYPE_CHECKING:
    from ...model.model import Model

# rows with a kernel, by type; the same where no geom is made of triangles
KINDS = {row.type: row for row in (*SENSORS.values(), CAMERA_RAYS) if row.file}
PLAIN = {
    row.type: row._replace(name=f"{row.name}_plain")
    for row in (SENSORS["rangefinder"], CAMERA_RAYS)
}
# stages that deliver readings of the past, by the first and the last stage that is read (mjtStage)
_STAGES = {STAGE_POS: "pos", STAGE_VEL: "vel", STAGE_ACC: "acc"}
READ_PAST = {
    (first, last): f"read_past_of_{_STAGES[first]}_to_{_STAGES[last]}"
    for first, last in combinations_with_replacement(_STAGES, 2)
}
DISTANCES = (SENS_GEOMDIST, SENS_GEOMNORMAL, SENS_GEOMFROMTO)
# arrays about sensors that may rest, where nothing sleeps
AWAKE = {"nsenserest": 0, "sensor_rests": np.zeros(0, int), "sensor_tree": np.zeros(0, int)}
# stages that measure what distances are sensed of, by routine
NEAR = tuple(f"near_{name_of(one)}" for one in ROUTINES)


def sensor_kinds(model: "Model") -> np.ndarray:
    """Types of sensors as the table has them."""
    of_cameras = (model.sensor_type == SENS_RANGEFINDER) & (model.sensor_objtype == OBJ_CAMERA)
    return np.where(of_cameras, CAMERA_RAYS.type, model.sensor_type)


def senses_distances(model: "Model") -> bool:
    """True if some sensor measures the distance of geoms."""
    return bool(np.isin(model.sensor_type, DISTANCES).any())


def sensed_pairs(model: "Model") -> list[tuple[int, int, int, int]]:
    """(routine, geom, geom, sensor) of the pairs whose distances are sensed, in MuJoCo's order."""
    found = []
    for sensor in np.flatnonzero(np.isin(model.sensor_type, DISTANCES)):
        first = _geoms(model, model.sensor_objtype[sensor], model.sensor_objid[sensor])
        second = _geoms(model, model.sensor_reftype[sensor], model.sensor_refid[sensor])
        for geom1 in first:
            for geom2 in second:
                routine = distance_routine(model, geom1, geom2)
                found.append((routine, geom1, geom2, int(sensor)))
    return found


def _geoms(model: "Model", kind: int, ident: int) -> list[int]:
    """A geom, or all geoms of a body."""
    if kind != OBJ_BODY:
        return [int(ident)]
    start = int(model.body_geomadr[ident])
    return list(range(start, start + int(model.body_geomnum[ident])))


def _need_forces(model: "Model") -> np.ndarray:
    """Sensors that need what `rne_postconstraint` computes, by type; of plugins and users all."""
    of_forces = [k.type for k in SENSORS.values() if "rne_postconstraint" in k.needs]
    given = np.isin(model.sensor_type, (SENS_PLUGIN, SENS_USER))
    some = np.array([kind in of_forces for kind in model.sensor_type.tolist()], bool)
    return some | given & (model.sensor_needstage == STAGE_ACC)


def _resting_tables(model: "Model") -> dict:
    from .sleeping import resting_tables

    return resting_tables(model)


def sensor_tables(model: "Model", sleeps: bool) -> dict:
    """Arrays and sizes of `SENSOR_MODEL`, for a model in which trees may sleep or not."""
    # sensors sorted by type, so that a kernel finds those of its type in one range
    kinds = sensor_kinds(model)
    starts = np.arange(CAMERA_RAYS.type + 2)
    # pairs of geoms sorted by the routine that measures their distance
    pairs = sensed_pairs(model)
    routines = [routine for routine, *_ in pairs]
    order = np.argsort(routines, kind="stable")
    columns = np.array(pairs, np.int64).reshape(-1, 4)[order].T
    past = bool(np.any(model.sensor_history[:, 0] > 0))
    rest = _resting_tables(model) if sleeps else AWAKE
    return {
        **rest,
        "nsensekept": model.nsensordata if rest["nsenserest"] else 0,
        "nsensortype": len(starts),
        "sensor_typeadr": np.searchsorted(np.sort(kinds), starts),
        "sensor_order": np.argsort(kinds, kind="stable"),
        "sensor_forces": _need_forces(model),
        "nsenseroutine": len(ROUTINES) + 1,
        "nsensepair": len(pairs),
        "nsensenear": model.nsensor if np.isin(DISTANCES, kinds).any() else 0,
        "sensor_pairadr": np.searchsorted(columns[0], np.arange(len(ROUTINES) + 1)),
        "sensor_pairgeom1": columns[1],
        "sensor_pairgeom2": columns[2],
        "sensor_pairid": columns[3],
        "sensor_pairplace": order,
        "nsensefresh": model.nsensordata if past else 0,
        "history0": initial_history(model),
    }
