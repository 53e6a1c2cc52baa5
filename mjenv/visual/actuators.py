"""Actuators, coloured by controls or activations; slider-cranks; joints."""

import numpy as np

from mjenv.engine.tables.enums import (
    CNSTR_LIMIT_JOINT,
    GEOM_HFIELD,
    GEOM_MESH,
    GEOM_PLANE,
    GEOM_SDF,
    JNT_BALL,
    JNT_FREE,
    JNT_HINGE,
    JNT_SLIDE,
    TRN_BODY,
    TRN_JOINT,
    TRN_JOINTINPARENT,
    TRN_SITE,
    TRN_SLIDERCRANK,
    TRN_TENDON,
)

from .geom_builders import along, in_turn, lines, new_rows, paint, place
from .names import CAT, GEOM, LABEL, MINVAL, OBJ
from .scene_context import SceneContext
from .tendons import limit_impedance, points, segments

DYNAMIC = int(CAT.mjCAT_DYNAMIC)
OBJ_ACTUATOR, OBJ_JOINT = int(OBJ.mjOBJ_ACTUATOR), int(OBJ.mjOBJ_JOINT)
ARROW, ARROW1, BOX, CAPSULE, CYLINDER, SPHERE = (
    int(GEOM[f"mjGEOM_{name}"])
    for name in ("ARROW", "ARROW1", "BOX", "CAPSULE", "CYLINDER", "SPHERE")
)
# how joints are drawn
OF_JOINT = {JNT_FREE: BOX, JNT_BALL: SPHERE, JNT_SLIDE: ARROW, JNT_HINGE: ARROW1}
WITHOUT_SIZE = (GEOM_PLANE, GEOM_HFIELD, GEOM_MESH, GEOM_SDF)
INFLATED = 1.05  # what actuators of sites and bodies show, over what they act on
LAST_GROUP = 30  # of actuators that can be switched off


# ---------------------------------------------------------------- joints


def joint_rows(context: SceneContext) -> np.ndarray:
    """Boxes, spheres and arrows at joints, coloured by how much their limits act."""
    if not context.on("JOINT"):
        return new_rows(0)
    m = context.m
    ids = context.seen("joint")
    length, width = context.length("jointlength"), context.length("jointwidth")
    rows = new_rows(len(ids), ids, objtype=OBJ_JOINT)
    _draw_joints(context, rows, ids, 0.3 * length, width, length)
    act = limit_impedance(context, CNSTR_LIMIT_JOINT, m.njnt)[ids, None]
    colours = context.colour("joint")[:3], context.colour("constraint")[:3]
    rows["rgba"][:, :3] = (1 - act) * colours[0] + act * colours[1]
    rows["rgba"][:, 3] = 1
    if context.option.label == LABEL.mjLABEL_JOINT:
        rows["label"] = context.labels(OBJ_JOINT, ids)
    return rows


def _draw_joints(
    context: SceneContext,
    rows: np.ndarray,
    ids: np.ndarray,
    size: float,
    width: float,
    length: float,
) -> None:
    """Make geoms what joints look like: this size, or arrows of this width and length (m)."""
    m, d = context.m, context.d
    kinds = m.jnt_type[ids]
    for kind, drawn in OF_JOINT.items():
        which = kinds == kind
        if not which.any():
            continue
        some, joints = rows[which], ids[which]
        anchor = d.xanchor[joints]
        if kind in (JNT_SLIDE, JNT_HINGE):
            end = anchor + length * d.xaxis[joints]
            along(some, drawn, width, anchor, end)
        else:
            place(some, drawn, np.full(3, size), anchor, d.xmat[m.jnt_bodyid[joints]])
        rows[which] = some


# ---------------------------------------------------------------- slider-cranks


def crank_rows(context: SceneContext) -> np.ndarray:
    """A slider and a rod for each slider-crank; the rod tells when it is too short."""
    m, d = context.m, context.d
    ids = np.flatnonzero(m.actuator_trntype == TRN_SLIDERCRANK)
    if not (len(ids) and context.catmask & DYNAMIC):
        return new_rows(0)
    crank, slider = m.actuator_trnid[ids, 0], m.actuator_trnid[ids, 1]
    axis = np.reshape(d.site_xmat[slider], (-1, 3, 3))[:, :, 2]
    rod, start, pin = m.actuator_cranklength[ids], d.site_xpos[slider], d.site_xpos[crank]
    way = pin - start
    ahead = (way * axis).sum(-1)
    det = ahead * ahead + rod * rod - (way * way).sum(-1)
    end = start + (ahead - np.sqrt(np.maximum(det, 0)))[:, None] * axis
    what = {"objid": ids, "category": DYNAMIC, "objtype": OBJ_ACTUATOR}
    width, colour = context.length("slidercrank"), context.colour("slidercrank")
    sliders = lines(CYLINDER, width, start, end, colour, **what)
    if context.option.label == LABEL.mjLABEL_ACTUATOR:
        sliders["label"] = context.labels(OBJ_ACTUATOR, ids)
    rods = lines(CAPSULE, width / 2, end, pin, colour, **what)
    rods["rgba"][det < 0] = context.colour("crankbroken")
    return in_turn((sliders, ids), (rods, ids))


# ---------------------------------------------------------------- actuators


def actuator_rows(context: SceneContext) -> np.ndarray:
    """Geoms that actuators act on, in colours between those of their least and greatest control."""
    if not context.on("ACTUATOR"):
        return new_rows(0)
    m = context.m
    ids = context.seen("actuator")
    group = m.actuator_group[ids]
    switch = np.clip(group, 0, LAST_GROUP)
    off = (group == switch) & (m.opt.disableactuator >> switch & 1 != 0)
    ids = ids[~off]
    colours = _colours(context)
    kinds = m.actuator_trntype[ids]
    parts = [
        draw(context, ids[np.isin(kinds, of)])
        for draw, of in (
            (_on_joints, (TRN_JOINT, TRN_JOINTINPARENT)),
            (_on_sites, (TRN_SITE,)),
            (_on_bodies, (TRN_BODY,)),
            (_on_tendons, (TRN_TENDON,)),
        )
    ]
    rows = in_turn(*((part, part["objid"]) for part in parts))
    rows["rgba"] = colours[rows["objid"]]
    return rows


def _colours(context: SceneContext) -> np.ndarray:
    """Colours (nu, 4) of actuators, by their controls or, where asked for, their activations."""
    m, d = context.m, context.d
    active = context.on("ACTIVATION")
    low, high = np.full(m.nu, -1.0), np.full(m.nu, 1.0)
    # ranges: of controls, else of activations, else -1 to 1
    for limited, ends in (
        ((m.actuator_actlimited != 0) & active, m.actuator_actrange),
        (m.actuator_ctrllimited != 0, m.actuator_ctrlrange),
    ):
        low, high = np.where(limited, ends[:, 0], low), np.where(limited, ends[:, 1], high)
    # three points: the middle one is zero where zero is inside, else the nearer end
    first = np.where(low >= 0, -1.0, low)
    last = np.where((low < 0) & (high <= 0), 1.0, high)
    middle = np.where(low >= 0, low, np.where(high <= 0, high, 0.0))
    first = np.where(middle - first < MINVAL, middle - MINVAL, first)
    last = np.where(last - middle < MINVAL, middle + MINVAL, last)
    value = np.array(d.ctrl)
    if active and m.na:
        # not every dynamic actuator has an activation: DC motors without
        own = m.actuator_actnum > 0
        value[own] = d.act[(m.actuator_actadr + m.actuator_actnum - 1)[own]]
    value = np.clip(value, first, last)
    below = value <= middle
    less = np.where(below, (middle - value) / np.maximum(MINVAL, middle - first), 0.0)
    more = np.where(below, 0.0, (value - middle) / np.maximum(MINVAL, last - middle))
    colours = np.zeros((m.nu, 4))
    for share, name in ((less, "negative"), (1 - less - more, ""), (more, "positive")):
        colours += share[:, None] * context.colour(f"actuator{name}")
    return colours


def _labelled(context: SceneContext, rows: np.ndarray, which: np.ndarray) -> np.ndarray:
    """Rows with the names of their actuators, where they are asked for."""
    if context.option.label == LABEL.mjLABEL_ACTUATOR:
        rows["label"][which] = context.labels(OBJ_ACTUATOR, rows["objid"][which])
    return rows


def _on_joints(context: SceneContext, ids: np.ndarray) -> np.ndarray:
    rows = new_rows(len(ids), ids, objtype=OBJ_ACTUATOR)
    size = 0.33 * context.length("jointlength")
    width, length = context.length("actuatorwidth"), context.length("actuatorlength")
    _draw_joints(context, rows, context.m.actuator_trnid[ids, 0], size, width, length)
    return _labelled(context, rows, np.ones(len(ids), bool))


def _on_sites(context: SceneContext, ids: np.ndarray) -> np.ndarray:
    m, d = context.m, context.d
    rows, sites = new_rows(len(ids), ids, objtype=OBJ_ACTUATOR), m.actuator_trnid[ids, 0]
    size = INFLATED * m.site_size[sites]
    place(rows, m.site_type[sites], size, d.site_xpos[sites], d.site_xmat[sites])
    return _labelled(context, rows, np.ones(len(ids), bool))


def _on_bodies(context: SceneContext, ids: np.ndarray) -> np.ndarray:
    m, d = context.m, context.d
    body = m.actuator_trnid[ids, 0]
    count = m.body_geomnum[body]
    number = np.repeat(ids, count)
    first = np.repeat(m.body_geomadr[body] - np.cumsum(count) + count, count)
    geoms = first + np.arange(count.sum())
    sized = ~np.isin(m.geom_type[geoms], WITHOUT_SIZE)
    geoms, number = geoms[sized], number[sized]
    rows = new_rows(len(geoms), number, objtype=OBJ_ACTUATOR)
    size = INFLATED * m.geom_size[geoms]
    place(rows, m.geom_type[geoms], size, d.geom_xpos[geoms], d.geom_xmat[geoms])
    return rows


def _on_tendons(context: SceneContext, ids: np.ndarray) -> np.ndarray:
    m = context.m
    parts = [new_rows(0)]
    for number in ids:
        at, tendon, width = segments(context, m.actuator_trnid[number, :1])
        path = points(context)
        width = width * float(np.float32(m.vis.map.actuatortendon))
        rows = lines(CAPSULE, width, path[at], path[at + 1], objid=number, objtype=OBJ_ACTUATOR)
        paint(rows, context.world, m.tendon_matid[tendon], m.tendon_rgba[tendon], context.flags)
        parts.append(_labelled(context, rows, at == context.d.ten_wrapadr[tendon]))
    return np.concatenate(parts)
