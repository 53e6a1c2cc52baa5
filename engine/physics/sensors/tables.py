"""What sensors add to the records of model and data."""

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
)
from ...tables.fields import table
from ...tables.sensor_kinds import CAMERA_RAYS, SENSORS
from ..collision.colliders import ROUTINES, distance_routine
from ..results.body_forces import rne_postconstraint
from ..smooth.delay_buffers import initial_history
from .sleeping import resting_tables

if TYPE_CHECKING:
    from ...model.model import Model

DISTANCES = (SENS_GEOMDIST, SENS_GEOMNORMAL, SENS_GEOMFROMTO)

SENSOR_MODEL = table("""
nsensortype      size  -               types of sensors, and the end
sensor_typeadr   int   nsensortype     first entry in sensor_order of each type
sensor_order     int   nsensor         sensors sorted by type
sensor_forces    int   nsensor         1: needs accelerations of bodies and forces on them
nsenseroutine    size  -               routines that measure distances, and the end
nsensepair       size  -               pairs of geoms whose distance is sensed
nsensenear       size  -               sensors, where distances are sensed
sensor_pairadr   int   nsenseroutine   first pair of each routine
sensor_pairgeom1 int   nsensepair      first geom
sensor_pairgeom2 int   nsensepair      second geom
sensor_pairid    int   nsensepair      sensor
sensor_pairplace int   nsensepair      place among the pairs of all sensors
nsenserest       size  -               sensors, where trees sleep
sensor_rests     int   nsenserest      1: keeps its reading while its trees are asleep
sensor_tree      int   nsenserest*4    trees of its things; -1: none
nsensekept       size  -               values of sensordata, where trees sleep
nsensefresh      size  -               values of sensordata, where sensors have histories
history0         real  nhistory        delay buffers at time 0
""")

SENSOR_DATA = table("""
sense_momentum   real  nv              M qvel
sense_found      real  1               contacts that match a sensor
sense_rank       real  nslot           order in which they are wanted; infinite: no match
sense_force      real  nslot*6         force and torque in the frame of the contact (N, N m)
sense_fresh      real  nsensefresh     readings before delays
sense_times      real  2               delay and interval of a sensor (s)
sense_dist       real  nsensenear      smallest distance of each sensor (m)
sense_fromto     real  nsensenear*6    points that are so far apart (m)
sense_place      real  nsensenear      place of the pair; -1: none
sense_kept       real  nsensekept      readings of the step before
sense_side       int   nslot           1: match; -1: match the other way round; 0: none
""")

# of sensors with histories
PAST_DATA = table("""
sense_now        real  nsensefresh     readings as users see them, while others are taken
past_cacc        real  nbody*6         accelerations of bodies that were known before
past_cfrc_int    real  nbody*6         forces from their parents
past_cfrc_ext    real  nbody*6         external forces
""")


def sensor_kinds(model: "Model") -> np.ndarray:
    """Types of sensors as the table has them."""
    of_cameras = (model.sensor_type == SENS_RANGEFINDER) & (model.sensor_objtype == OBJ_CAMERA)
    return np.where(of_cameras, CAMERA_RAYS.type, model.sensor_type)


def senses_distances(model: "Model") -> bool:
    """Whether some sensor measures the distance of geoms."""
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
    """Which sensors need what `rne_postconstraint` computes, by type; of plugins and users all."""
    of_forces = [k.type for k in SENSORS.values() if rne_postconstraint.__name__ in k.needs]
    given = np.isin(model.sensor_type, (SENS_PLUGIN, SENS_USER))
    return np.isin(model.sensor_type, of_forces) | given & (model.sensor_needstage == STAGE_ACC)


def sensor_tables(model: "Model", sleeps: bool) -> dict:
    """Arrays and sizes of `SENSOR_MODEL`, for a model in which trees may sleep or not."""
    kinds = sensor_kinds(model)
    starts = np.arange(CAMERA_RAYS.type + 2)
    pairs = sensed_pairs(model)
    routines = [routine for routine, *_ in pairs]
    order = np.argsort(routines, kind="stable")
    columns = np.array(pairs, np.int64).reshape(-1, 4)[order].T
    past = bool(np.any(model.sensor_history[:, 0] > 0))
    rest = resting_tables(model, sleeps)
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
