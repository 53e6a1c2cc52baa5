"""Decor of bodies: inertia, frames, labels, centres of mass, connections, forces, constraints."""

import numpy as np

from mjenv.engine.tables.enums import EQ_CONNECT, EQ_WELD, OBJ_SITE

from .geom_builders import DECOR, frames, in_turn, lines, new_rows, place
from .names import FRAME, GEOM, LABEL, MINVAL, OBJ
from .scene_context import SceneContext

OBJ_BODY, OBJ_EQUALITY = int(OBJ.mjOBJ_BODY), int(OBJ.mjOBJ_EQUALITY)
ARROW, BOX, CAPSULE, ELLIPSOID, NAME, SPHERE = (
    int(GEOM[f"mjGEOM_{name}"])
    for name in ("ARROW", "BOX", "CAPSULE", "ELLIPSOID", "LABEL", "SPHERE")
)


def _moving(context: SceneContext) -> np.ndarray:
    """Numbers of the bodies but the world whose category is shown."""
    bodies = np.arange(context.m.nbody)
    return bodies[(bodies > 0) & (context.world.category(bodies) & context.catmask != 0)]


# ---------------------------------------------------------------- inertia


def inertia_rows(context: SceneContext) -> np.ndarray:
    """Boxes or ellipsoids with the bodies' inertia."""
    if not context.on("INERTIA"):
        return new_rows(0)
    m, d = context.m, context.d
    ids = _moving(context)
    ids = ids[m.body_mass[ids] > MINVAL]
    rows = new_rows(len(ids), ids, objtype=OBJ_BODY)
    round_ones = m.vis.global_.ellipsoidinertia == 1
    size = _equivalent_size(m.body_inertia[ids], m.body_mass[ids, None], round_ones)
    if context.on("SCLINERTIA"):
        # with the density of water, the same mass
        volume = (4 / 3 * np.pi if round_ones else 8.0) * size.prod(-1, keepdims=True)
        density = m.body_mass[ids, None] / np.maximum(MINVAL, volume)
        size = size * (density * 0.001) ** (1 / 3)
    place(rows, ELLIPSOID if round_ones else BOX, size, d.xipos[ids], d.ximat[ids])
    rows["rgba"] = context.colour("inertia")
    selected = ids == context.pert.select
    rows["emission"][selected] += np.float32(m.vis.global_.glow)
    label = context.option.label
    if label in (LABEL.mjLABEL_BODY, LABEL.mjLABEL_SELECTION):
        named = selected | (label == LABEL.mjLABEL_BODY)
        rows["label"][named] = context.labels(OBJ_BODY, ids[named])
    return rows


def _equivalent_size(inertia: np.ndarray, mass: np.ndarray, round_ones: bool) -> np.ndarray:
    """Half sizes (n, 3) of boxes or ellipsoids with these inertias (n, 3) and masses (n, 1)."""
    x, y, z = inertia.T
    # twice the mass's mean squares along the axes; of flat things one is all rounding
    others = np.stack([y + z - x, x + z - y, x + y - z], axis=-1)
    # impossible inertias have no size
    with np.errstate(invalid="ignore"):
        return np.sqrt(others / (2 * mass)) * np.sqrt(5.0 if round_ones else 3.0)


# ---------------------------------------------------------------- frames and labels


def body_frame_rows(context: SceneContext) -> np.ndarray:
    """Frames of the moving bodies, or that of the world, which is twice as large."""
    asked = context.option.frame
    if asked == FRAME.mjFRAME_WORLD:
        ids, times = np.zeros(1, int), 2.0
    elif asked == FRAME.mjFRAME_BODY:
        ids, times = _moving(context), 1.0
    else:
        return new_rows(0)
    d = context.d
    pos, mat = (d.xipos, d.ximat) if context.on("INERTIA") else (d.xpos, d.xmat)
    length, width = context.length("framelength", times), context.length("framewidth", times)
    return frames(ids, pos[ids], mat[ids], length, width)


def geom_frame_rows(context: SceneContext) -> np.ndarray:
    """Frames of visible geoms."""
    return (
        _frames_of(context, "geom") if context.option.frame == FRAME.mjFRAME_GEOM else new_rows(0)
    )


def site_frame_rows(context: SceneContext) -> np.ndarray:
    """Frames of visible sites."""
    return (
        _frames_of(context, "site") if context.option.frame == FRAME.mjFRAME_SITE else new_rows(0)
    )


def _frames_of(context: SceneContext, kind: str) -> np.ndarray:
    m, d = context.m, context.d
    ids = context.seen(kind, context.world.category(getattr(m, f"{kind}_bodyid")))
    matid = getattr(m, f"{kind}_matid")[ids]
    alpha = getattr(m, f"{kind}_rgba")[ids, 3]
    if m.nmat:
        alpha = np.where(matid >= 0, m.mat_rgba[matid, 3], alpha)
    ids = ids[alpha != 0]
    pos, mat = getattr(d, f"{kind}_xpos")[ids], getattr(d, f"{kind}_xmat")[ids]
    return frames(ids, pos, mat, context.length("framelength"), context.length("framewidth"))


def body_label_rows(context: SceneContext) -> np.ndarray:
    """Names of bodies, or of the selected one, where no boxes of inertia have them."""
    label = context.option.label
    if context.on("INERTIA") or label not in (LABEL.mjLABEL_BODY, LABEL.mjLABEL_SELECTION):
        return new_rows(0)
    ids = _moving(context)
    if label == LABEL.mjLABEL_SELECTION:
        ids = ids[ids == context.pert.select]
    rows = new_rows(len(ids), ids)
    place(rows, NAME, None, context.d.xpos[ids], context.d.xmat[ids])
    rows["label"] = context.labels(OBJ_BODY, ids)
    return rows


def island_label_rows(context: SceneContext) -> np.ndarray:
    """Numbers of the islands of moving bodies."""
    m, d = context.m, context.d
    if context.option.label != LABEL.mjLABEL_ISLAND or not d.nisland:
        return new_rows(0)
    ids = np.arange(1, m.nbody)
    weld = m.body_weldid[ids]
    moves = m.body_dofnum[weld] != 0
    ids, dof = ids[moves], m.body_dofadr[weld[moves]]
    island = d.dof_island[dof]
    ids, island = ids[island >= 0], island[island >= 0]
    rows = new_rows(len(ids), ids)
    place(rows, NAME, None, d.xipos[ids], d.ximat[ids])
    rows["label"] = [str(k).encode() for k in island]
    return rows


# ---------------------------------------------------------------- points, lines, forces


def com_rows(context: SceneContext) -> np.ndarray:
    """Spheres at the centres of mass of what hangs from the world."""
    if not context.on("COM"):
        return new_rows(0)
    ids = np.arange(1, context.m.nbody)
    ids = ids[context.m.body_rootid[ids] == ids]
    rows = new_rows(len(ids), ids)
    place(rows, SPHERE, np.full(3, context.length("com")), context.d.subtree_com[ids])
    rows["rgba"] = context.colour("com")
    return rows


def connection_rows(context: SceneContext) -> np.ndarray:
    """Lines from each body over its joints to its parent."""
    if not context.on("AUTOCONNECT"):
        return new_rows(0)
    m, d = context.m, context.d
    paths, ids = [np.zeros((0, 2, 3))], []
    for body in range(1, m.nbody):
        parent = m.body_parentid[body]
        if parent:
            first, count = m.body_jntadr[body], m.body_jntnum[body]
            joints = d.xanchor[first : first + count][::-1] if count else np.zeros((0, 3))
            path = np.concatenate([d.xipos[body : body + 1], joints, d.xipos[parent : parent + 1]])
            paths.append(np.stack([path[:-1], path[1:]], axis=1))
            ids += [body] * (len(path) - 1)
    ends = np.concatenate(paths)
    width, colour = context.length("connect"), context.colour("connect")
    return lines(CAPSULE, width, ends[:, 0], ends[:, 1], colour, objid=ids)


def applied_force_rows(context: SceneContext) -> np.ndarray:
    """Arrows for forces that act on bodies from outside."""
    if not (context.on("PERTFORCE") and context.world.data.wrench_in_use):
        return new_rows(0)
    d = context.d
    force = d.xfrc_applied[:, :3]
    ids = np.flatnonzero(np.sqrt((force * force).sum(-1)) > MINVAL)
    ids = ids[ids > 0]
    start = d.xipos[ids]
    with np.errstate(invalid="ignore"):
        end = start + force[ids] * context.per_newton
    width, colour = context.length("forcewidth"), context.colour("force")
    return lines(ARROW, width, start, end, colour, objid=ids)


def constraint_rows(context: SceneContext) -> np.ndarray:
    """The two points that each connection or weld brings together."""
    if not context.on("CONSTRAINT"):
        return new_rows(0)
    m, d = context.m, context.d
    joins = (m.eq_type == EQ_CONNECT) | (m.eq_type == EQ_WELD)
    ids = np.flatnonzero(joins & (d.eq_active != 0))
    weld, at_site = m.eq_type[ids] == EQ_WELD, m.eq_objtype[ids] == OBJ_SITE
    # where the anchors of the first and of the second body stand among the constraint's numbers
    columns = np.where(weld, 3, 0), np.where(weld, 0, 3)
    parts = []
    for things, column, colour in (
        (m.eq_obj1id[ids], columns[0], "connect"),
        (m.eq_obj2id[ids], columns[1], "constraint"),
    ):
        anchor = m.eq_data[ids[:, None], column[:, None] + np.arange(3)]
        pos, mat = _anchors(context, things, at_site, anchor)
        rows = new_rows(len(ids), ids, DECOR, OBJ_EQUALITY)
        place(rows, SPHERE, np.full(3, context.length("constraint")), pos, mat)
        rows["rgba"] = context.colour(colour)
        if context.option.label == LABEL.mjLABEL_CONSTRAINT:
            rows["label"] = context.labels(OBJ_EQUALITY, ids)
        parts.append((rows, ids))
    return in_turn(*parts)


def _anchors(
    context: SceneContext, things: np.ndarray, at_site: np.ndarray, anchor: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Positions (n, 3) and frames (n, 9) of sites, or of anchors in the frames of bodies."""
    d = context.d
    pos, mat = np.zeros((len(things), 3)), np.zeros((len(things), 9))
    sites, bodies = things[at_site], things[~at_site]
    pos[at_site], mat[at_site] = d.site_xpos[sites], d.site_xmat[sites]
    mat[~at_site] = d.xmat[bodies]
    turned = np.reshape(d.xmat[bodies], (-1, 3, 3)) @ anchor[~at_site, :, None]
    pos[~at_site] = turned[..., 0] + d.xpos[bodies]
    return pos, mat
