"""Sensors of trees that are asleep: they keep their readings."""

from typing import TYPE_CHECKING

import numpy as np

from ...simd.kernel import kernel
from ...simd.spatial import copy_elements
from ...tables.enums import (
    OBJ_ACTUATOR,
    OBJ_BODY,
    OBJ_CAMERA,
    OBJ_GEOM,
    OBJ_JOINT,
    OBJ_SITE,
    OBJ_TENDON,
    OBJ_UNKNOWN,
    OBJ_XBODY,
    SENS_CONTACT,
    SENS_PLUGIN,
    SENS_RANGEFINDER,
    SENS_USER,
    TRN_BODY,
    TRN_SITE,
    TRN_SLIDERCRANK,
    TRN_TENDON,
)

if TYPE_CHECKING:
    from ...model.model import Model

NTREE = 4  # most trees that the things of one sensor belong to


@kernel
def keep_readings(m, d):
    """Put aside the readings of the step before.

    Reads: sensordata.
    Writes: sense_kept.
    """
    copy_elements(d.sense_kept, d.sensordata, m.nsensordata)


@kernel
def restore_sleeping(m, d):
    """Put back the readings of sensors whose trees are all asleep.

    Reads: sense_kept, tree_up.
    Writes: sensordata.
    """
    awake = 0
    for tree in range(m.ntree):
        awake += d.tree_up[tree]
    if awake < m.ntree:
        for sensor in range(m.nsensor):
            if m.sensor_rests[sensor] and not disturbed(m, d, sensor):
                adr = m.sensor_adr[sensor]
                for i in range(adr, adr + m.sensor_dim[sensor]):
                    d.sensordata[i] = d.sense_kept[i]


@kernel
def disturbed(m, d, sensor):
    """True if a tree of a sensor is awake."""
    for k in range(NTREE):
        tree = m.sensor_tree[NTREE * sensor + k]
        if tree >= 0 and d.tree_up[tree]:
            return True
    return False


def resting_tables(model: "Model") -> dict:
    """Arrays of `SENSOR_MODEL` about sensors that may rest, where trees may sleep."""
    count = model.nsensor
    rests, trees = np.zeros(count, int), np.full((count, NTREE), -1)
    for sensor in range(count):
        kind1, kind2 = model.sensor_objtype[sensor], model.sensor_reftype[sensor]
        first = _trees(model, kind1, model.sensor_objid[sensor])
        second = _trees(model, kind2, model.sensor_refid[sensor])
        kind = model.sensor_type[sensor]
        watching = kind in (SENS_USER, SENS_PLUGIN, SENS_RANGEFINDER) or (
            kind == SENS_CONTACT and OBJ_SITE in (kind1, kind2)
        )
        # without a second thing, what cannot move is always read
        alone = OBJ_UNKNOWN in (kind1, kind2)
        if not watching and first is not None and second is not None:
            found = first + second
            rests[sensor] = bool(found) or not alone
            trees[sensor, : len(found)] = found
    return {"nsenserest": count, "sensor_rests": rests, "sensor_tree": trees.ravel()}


def _trees(model: "Model", kind: int, ident: int) -> list[int] | None:
    """Trees that a thing belongs to; none for what cannot move, None for what never rests."""
    bodies = {
        OBJ_JOINT: model.jnt_bodyid,
        OBJ_GEOM: model.geom_bodyid,
        OBJ_SITE: model.site_bodyid,
        OBJ_CAMERA: model.cam_bodyid,
    }
    if kind in (OBJ_BODY, OBJ_XBODY) or kind in bodies:
        body = bodies[kind][ident] if kind in bodies else ident
        return _body_trees(model, body)
    if kind == OBJ_TENDON:
        count = model.tendon_treenum[ident]
        return None if count > 2 else [int(t) for t in model.tendon_treeid[ident][:count]]
    if kind == OBJ_ACTUATOR:
        means, (one, other) = model.actuator_trntype[ident], model.actuator_trnid[ident]
        if means == TRN_SLIDERCRANK:
            on, crank = (_body_trees(model, int(model.site_bodyid[site])) for site in (one, other))
            return None if on is None or crank is None else on + crank
        moved = {TRN_TENDON: OBJ_TENDON, TRN_SITE: OBJ_SITE, TRN_BODY: OBJ_BODY}
        return _trees(model, moved.get(means, OBJ_JOINT), one)
    return []


def _body_trees(model: "Model", body: int) -> list[int] | None:
    """The tree that a body belongs to, if any; None for bodies that the user moves."""
    if model.body_mocapid[model.body_rootid[body]] >= 0:
        return None
    tree = int(model.body_treeid[body])
    return [tree] if tree >= 0 else []
