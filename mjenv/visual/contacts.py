"""Decor of contacts: points, frames, forces."""

from typing import Any

import numpy as np

from mjenv.engine.tables.enums import CONE_PYRAMIDAL

from .geom_builders import frames, in_turn, island_colours, lines, new_rows, place
from .names import FRAME, GEOM, LABEL, MINVAL, OBJ
from .scene_context import SceneContext

ARROW, ARROW2, CYLINDER = (int(GEOM[f"mjGEOM_{name}"]) for name in ("ARROW", "ARROW2", "CYLINDER"))
OBJ_GEOM = int(OBJ.mjOBJ_GEOM)


def contact_rows(context: SceneContext) -> np.ndarray:
    """Points, frames and forces of the contacts, one contact after the other."""
    points, forces = context.on("CONTACTPOINT"), context.on("CONTACTFORCE")
    axes = context.option.frame == FRAME.mjFRAME_CONTACT
    count = int(context.d.ncon) if points or forces or axes else 0
    if not count:
        return new_rows(0)
    groups: list[tuple[np.ndarray, Any]] = []
    if points:
        groups.append((_points(context, count), np.arange(count)))
    if axes:
        rows = _frames(context, count)
        groups.append((rows, rows["objid"]))
    if forces:
        groups += [(rows, rows["objid"]) for rows in _forces(context, count)]
    return in_turn(*groups)


def _matrices(context: SceneContext, count: int) -> np.ndarray:
    """Frames (n, 3, 3) of contacts, their axes as columns: the normal, then two tangents."""
    return np.swapaxes(np.reshape(context.d.contact_frame[:count], (-1, 3, 3)), 1, 2)


def _points(context: SceneContext, count: int) -> np.ndarray:
    """Discs as thick as contacts are deep."""
    d = context.d
    rows = new_rows(count, np.arange(count))
    radius, thick = context.length("contactwidth"), context.length("contactheight")
    half = np.maximum(thick, -d.contact_dist[:count] / 2)
    # the disc's axis is the normal
    mat = _matrices(context, count)[:, :, [1, 2, 0]]
    place(rows, CYLINDER, None, d.contact_pos[:count], mat)
    rows["size"] = np.stack([np.full(count, radius), np.full(count, radius), half], axis=-1)
    row = d.contact_efc_address[:count]
    included = (row >= 0)[:, None]
    rows["rgba"] = np.where(included, context.colour("contactpoint"), context.colour("contactgap"))
    if context.on("ISLAND"):
        some = row[row >= 0]
        first = np.full(len(some), -1)
        if d.nisland:
            first = d.island_dofadr[d.efc_island[some]]
        rows["rgba"][row >= 0] = island_colours(first, awake=True)
    if context.option.label == LABEL.mjLABEL_CONTACTPOINT:
        rows["label"] = [_pair_label(context, contact) for contact in range(count)]
    return rows


def _pair_label(context: SceneContext, contact: int) -> bytes:
    """Names of what touches in a contact, or numbers."""
    names = (_side_label(context, contact, side) for side in range(2))
    return " | ".join(name[:47] for name in names).encode()[:99]


def _side_label(context: SceneContext, contact: int, side: int) -> str:
    """Name of a geom, or of a deformable with its element or vertex."""
    d, model = context.d, context.world.model
    geom, flex = int(d.contact_geom[contact, side]), int(d.contact_flex[contact, side])
    if geom >= 0:
        return model.name("geom", geom) or f"g{geom}"
    elem, vert = int(d.contact_elem[contact, side]), int(d.contact_vert[contact, side])
    part = f"e{elem}" if elem >= 0 else f"v{vert}"
    return f"{model.name('flex', flex) or f'f{flex}'}.{part}"


def _frames(context: SceneContext, count: int) -> np.ndarray:
    length, width = context.length("framelength", 0.5), context.length("framewidth", 0.5)
    return frames(
        np.arange(count), context.d.contact_pos[:count], _matrices(context, count), length, width
    )


def _forces(context: SceneContext, count: int) -> list[np.ndarray]:
    """Arrows for forces, or for normal forces and for friction, towards the later body."""
    m, d = context.m, context.d
    force = contact_forces(context, count)
    norm = np.sqrt((force * force).sum(-1))
    ids = np.flatnonzero((d.contact_efc_address[:count] >= 0) & (norm >= MINVAL))
    force, norm, mat = force[ids], norm[ids], _matrices(context, count)[ids]
    geoms = d.contact_geom[ids]
    # deformables count behind all bodies
    bodies = np.where(geoms >= 0, m.geom_bodyid[geoms], m.nbody + d.contact_flex[ids])
    scale = context.per_newton * np.where(bodies[:, 0] > bodies[:, 1], -1.0, 1.0)
    split = (d.contact_dim[ids] > 1) & context.on("CONTACTSPLIT")
    parts = {}
    for name, which, kept in (
        ("whole", ~split, (1.0, 1.0, 1.0)),
        ("normal", split, (1.0, 0.0, 0.0)),
        ("friction", split, (0.0, 1.0, 1.0)),
    ):
        # infinite in models without a mass
        with np.errstate(invalid="ignore"):
            vector = (mat[which] @ (force[which] * kept)[..., None])[..., 0] * scale[which, None]
        start = d.contact_pos[ids[which]]
        colour = context.colour("contactfriction" if name == "friction" else "contactforce")
        parts[name] = lines(
            ARROW, context.length("forcewidth"), start, start + vector, colour, objid=ids[which]
        )
        if context.option.label == LABEL.mjLABEL_CONTACTFORCE and name != "friction":
            parts[name]["label"] = [f"{size:<.3g}".encode() for size in norm[which]]
    both = (bodies[~split] > 0).all(-1)
    parts["whole"]["type"][both] = ARROW2
    return list(parts.values())


def contact_forces(context: SceneContext, count: int) -> np.ndarray:
    """Normal and tangential forces (count, 3) of contacts, N; zero where none acts."""
    m, d = context.m, context.d
    found = np.zeros((count, 3))
    row, dims = d.contact_efc_address[:count], d.contact_dim[:count]
    friction = d.contact_friction[:count]
    for dim in np.unique(dims):
        ids = np.flatnonzero((dims == dim) & (row >= 0))
        pyramid = dim > 1 and m.opt.cone == CONE_PYRAMIDAL
        rows = row[ids, None] + np.arange(2 * (dim - 1) if pyramid else dim)
        force = d.efc_force[rows]
        if pyramid:
            edges = force.reshape(len(ids), dim - 1, 2)
            tangent = (edges[..., 0] - edges[..., 1]) * friction[ids, : dim - 1]
            force = np.concatenate([force.sum(-1, keepdims=True), tangent], axis=-1)
        found[ids, : min(3, dim)] = force[:, :3]
    return found
