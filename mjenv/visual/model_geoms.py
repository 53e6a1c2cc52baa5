"""Geoms and sites of the model as a picture shows them: all at once, from its values of now.

`model_shapes` gives what does not depend on poses, for renderers of many worlds.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .geom_builders import drawn_size, island_colours, new_rows, paint, place
from .names import CAT, GEOM, LABEL, MAXPLANEGRID, OBJ, VIS
from .scene_context import SceneContext
from .settings import GRAY_ROW, MjvOption
from .single_world import SingleWorld, categories, shown_groups, single

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data
    from mjenv.engine.model.model import Model

PLANE, MESH = int(GEOM.mjGEOM_PLANE), int(GEOM.mjGEOM_MESH)
OBJ_GEOM, OBJ_SITE = int(OBJ.mjOBJ_GEOM), int(OBJ.mjOBJ_SITE)
ALL, STATIC, DYNAMIC = int(CAT.mjCAT_ALL), int(CAT.mjCAT_STATIC), int(CAT.mjCAT_DYNAMIC)
SLEEPING = 1 << 4  # mjENBL_SLEEP
# what materials say of light, and what it is without one
SHADING = ("emission", "specular", "shininess", "reflectance")
PLAIN = np.array([0.0, 0.5, 0.5, 0.0], np.float32)


class Shapes(NamedTuple):
    """Shapes that are always drawn alike: the model's visible geoms, then its visible sites.

    Where worlds differ in a field, what is made of it has a leading world axis. A shape is listed
    when it is visible in any world; in others its alpha is 0.

    Attributes:
        objtype: (n,) mjtObj: geom or site.
        objid: (n,) its number; positions are `geom_xpos[objid]` or `site_xpos[objid]`.
        type: (n,) mjtGeom.
        dataid: (n,); see `MjvGeom`.
        category: (n,) mjtCatBit.
        size: (n, 3) or (nworld, n, 3), m, float32: a sphere has its radius three times, a capsule
            or cylinder radius, radius and half length.
        rgba: (n, 4) or (nworld, n, 4), float32.
        matid: (n,) material; -1 for none.
        texid: (n,) material whose textures it has; -1 for none, or where textures are not shown.
        texcoord: (n,) whether its mesh has texture coordinates.
        emission, specular, shininess, reflectance: (n,) or (nworld, n), float32.
        rbound: (n,) or (nworld, n) bounding radius of geoms, m; 0 for planes and for sites.
        ngeom: how many of them are geoms.
    """

    objtype: np.ndarray
    objid: np.ndarray
    type: np.ndarray
    dataid: np.ndarray
    category: np.ndarray
    size: np.ndarray
    rgba: np.ndarray
    matid: np.ndarray
    texid: np.ndarray
    texcoord: np.ndarray
    emission: np.ndarray
    specular: np.ndarray
    shininess: np.ndarray
    reflectance: np.ndarray
    rbound: np.ndarray
    ngeom: int


def model_shapes(
    model: "Model",
    option: MjvOption | None = None,
    data: "Data | None" = None,
    catmask: int = ALL,
) -> Shapes:
    """Shapes of all visible geoms and sites, from what the model's fields are now.

    Args:
        model: the model.
        option: groups and flags; None for the default.
        data: worlds, for fields in which they differ.
        catmask: mjtCatBit, categories that are shown.

    Returns:
        `Shapes`.
    """
    option = option or MjvOption()
    flags = option.flags
    catmask &= ALL if flags[VIS.mjVIS_STATIC] else ~STATIC
    body = categories(model)
    geoms = _shapes_of(model, "geom", option.geomgroup, body, flags, data, catmask)
    if not model.nsite:
        return Shapes(**geoms, ngeom=len(geoms["objid"]))
    sites = _shapes_of(model, "site", option.sitegroup, body, flags, data, catmask)
    joined = {name: _joined(geoms[name], sites[name], name) for name in geoms}
    return Shapes(**joined, ngeom=len(geoms["objid"]))


def _joined(one: np.ndarray, two: np.ndarray, name: str) -> np.ndarray:
    """Values of geoms and of sites one after the other, with a world axis where either has one."""
    wanted = 2 if name in ("size", "rgba") else 1
    lead = one.shape[: one.ndim - wanted] or two.shape[: two.ndim - wanted]
    parts = [np.broadcast_to(p, (*lead, *p.shape[p.ndim - wanted :])) for p in (one, two)]
    return np.concatenate(parts, axis=len(lead))


def _shapes_of(
    model: "Model", kind: str, groups: np.ndarray, body: np.ndarray, flags: np.ndarray,
    data: "Data | None", catmask: int,
) -> dict[str, Any]:  # fmt: skip
    """Shapes of all visible geoms, or of all visible sites."""

    def field(name: str) -> Any:
        return data.of_worlds(name, slice(None)) if data is not None else getattr(model, name)

    # visible by category and group
    category = body[getattr(model, f"{kind}_bodyid")]
    seen = (category & catmask != 0) & shown_groups(getattr(model, f"{kind}_group"), groups)
    ids = np.flatnonzero(seen)
    matid = getattr(model, f"{kind}_matid")[ids]
    # and not wholly transparent in all worlds
    shading = _shading(field, matid, field(f"{kind}_rgba")[..., ids, :])
    alpha = shading["rgba"][..., 3]
    if not alpha.all():
        some = alpha.any(axis=tuple(range(alpha.ndim - 1)))
        ids, matid = ids[some], matid[some]
        shading = _shading(field, matid, field(f"{kind}_rgba")[..., ids, :])
    # as a user may want to see through things
    category = category[ids]
    if flags[VIS.mjVIS_TRANSPARENT]:
        thin = np.where(category == DYNAMIC, np.float32(model.vis.map.alpha), np.float32(1))
        shading["rgba"][..., 3] *= thin
    # sizes and data by type
    types = getattr(model, f"{kind}_type")[ids]
    size = drawn_size(types, field(f"{kind}_size")[..., ids, :]).astype(np.float32)
    if kind == "geom":
        dataid, texcoord = _data_of(model, ids, types, flags)
        rbound = field("geom_rbound")[..., ids].astype(np.float32)
    else:
        dataid, texcoord = np.full(len(ids), -1), np.zeros(len(ids), bool)
        rbound = np.zeros(len(ids), np.float32)
    return {
        "objtype": np.full(len(ids), OBJ_GEOM if kind == "geom" else OBJ_SITE),
        "objid": ids, "type": types, "dataid": dataid, "category": category, "size": size,
        "matid": matid, "texid": matid if flags[VIS.mjVIS_TEXTURE] else np.full(len(ids), -1),
        "texcoord": texcoord, "rbound": rbound, **shading,
    }  # fmt: skip


def _shading(field: Any, matid: np.ndarray, rgba: np.ndarray) -> dict[str, np.ndarray]:
    """Colours and shading of things with these materials and colours of their own."""
    has = matid >= 0
    if not has.any():
        found = np.repeat(PLAIN[:, None], len(matid), axis=1)
        colour = np.array(rgba, np.float32)
    else:
        tables = [field(f"mat_{name}") for name in SHADING]
        lead = max((table.shape[:-1] for table in tables), key=len)
        # materials, and at the end, where -1 points to, what things without a material have
        table = np.empty((len(SHADING), *lead, tables[0].shape[-1] + 1), np.float32)
        for row, values, plain in zip(table, tables, PLAIN, strict=True):
            row[..., :-1], row[..., -1] = values, plain
        found = table[..., matid]
        own = (rgba != GRAY_ROW).any(-1) | ~has
        colour = np.where(own[..., None], rgba, field("mat_rgba")[..., matid, :])
    return {**dict(zip(SHADING, found, strict=True)), "rgba": colour}


def _data_of(
    model: "Model", ids: np.ndarray, types: np.ndarray, flags: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of assets of geoms as pictures count them, and whether they have coordinates."""
    dataid = model.geom_dataid[ids]
    texcoord = np.zeros(len(ids), bool)
    planes = types == PLANE
    if planes.any():
        number = (model.geom_type == PLANE).cumsum() - 1
        dataid = np.where(planes, number[ids], dataid)
    meshes = types >= MESH  # the last types: meshes and signed distances
    if meshes.any():
        with_mesh = meshes & (dataid >= 0)
        texcoord[with_mesh] = model.mesh_texcoordadr[dataid[with_mesh]] >= 0
        hull = np.zeros(len(ids), bool)
        if flags[VIS.mjVIS_CONVEXHULL]:
            collides = (model.geom_contype[ids] | model.geom_conaffinity[ids]) != 0
            hull[with_mesh] = model.mesh_graphadr[dataid[with_mesh]] >= 0
            hull &= collides
        dataid = np.where(meshes, 2 * dataid + hull, dataid)
    return dataid, texcoord


# ---------------------------------------------------------------- geoms with poses


def geom_rows(context: SceneContext) -> np.ndarray:
    """The model's visible geoms."""
    m, d, world = context.m, context.d, context.world
    category = world.category(m.geom_bodyid)
    ids = context.seen("geom", category)
    if not len(ids):
        return new_rows(0)
    types = m.geom_type[ids]
    rows = new_rows(len(ids), ids, category[ids], OBJ_GEOM)
    place(rows, types, m.geom_size[ids], d.geom_xpos[ids], d.geom_xmat[ids])
    rows["modelrbound"] = m.geom_rbound[ids]
    paint(rows, world, m.geom_matid[ids], m.geom_rgba[ids], context.flags)
    if context.on("ISLAND"):
        _paint_islands(rows, world, ids)
    # what is invisible goes
    seen = rows["rgba"][:, 3] != 0
    rows, ids, types = rows[seen], ids[seen], types[seen]
    rows["dataid"], rows["texcoord"] = _data_of(world.model, ids, types, context.flags)
    _glow(rows, context, m.geom_bodyid[ids])
    if context.option.label == LABEL.mjLABEL_GEOM:
        rows["label"] = context.labels(OBJ_GEOM, ids)
    planes = np.flatnonzero(types == PLANE)
    endless = planes[(m.geom_size[ids[planes], :2] <= 0).any(-1)]
    for row in endless:
        rows["pos"][row] = _recentred(context, int(ids[row]))
    return rows


def _recentred(context: SceneContext, geom: int) -> np.ndarray:
    """Position of an infinite plane under the camera, moved by whole squares of its pattern."""
    m, d = context.m, context.d
    pos = np.array(d.geom_xpos[geom])
    eyes = context.scene.camera_table["pos"]
    way = 0.5 * (eyes[0] + eyes[1]).astype(np.float64) - pos
    axes = np.reshape(d.geom_xmat[geom], (3, 3)).T
    matid = m.geom_matid[geom]
    for k in range(2):
        if m.geom_size[geom, k] <= 0:
            repeat = m.mat_texrepeat[matid, k] if matid >= 0 else 0
            square = 2.1 * context.far / (MAXPLANEGRID - 2)
            step = single(2 / repeat) if repeat > 0 else square
            pos = pos + axes[k] * (2 * step * np.floor(0.5 * (way @ axes[k]) / step + 0.5))
    return pos


def _paint_islands(rows: np.ndarray, world: SingleWorld, ids: np.ndarray) -> None:
    """Colour moving geoms by their islands, or by their trees where these may sleep."""
    m, d = world.m, world.d
    body = m.geom_bodyid[ids]
    weld = m.body_weldid[body]
    moving = m.body_dofnum[weld] != 0
    body, dof = body[moving], m.body_dofadr[weld[moving]]
    first = np.full(len(dof), -1)
    if d.nisland:
        island = d.dof_island[dof]
        first = np.where(island >= 0, d.island_dofadr[np.maximum(island, 0)], -1)
    awake = d.body_awake[body] != 0
    if m.opt.enableflags & SLEEPING:
        for k in np.flatnonzero(first == -1):
            tree = m.dof_treeid[dof[k]]
            first[k] = m.tree_dofadr[tree if awake[k] else _sleep_cycle(d.tree_asleep, tree)]
    rows["matid"][moving] = -1
    rows["rgba"][moving] = island_colours(first, awake)


def _sleep_cycle(asleep: np.ndarray, start: int) -> int:
    """The first tree of those that fell asleep together with one."""
    cycle = [start]
    while (following := int(asleep[cycle[-1]])) not in cycle:
        if not 0 <= following < len(asleep):
            return -1
        cycle.append(following)
    return min(cycle)


def _glow(rows: np.ndarray, context: SceneContext, body: np.ndarray) -> None:
    """Let what belongs to the selected body glow."""
    if context.pert.select > 0:
        rows["emission"][body == context.pert.select] += np.float32(context.m.vis.global_.glow)


def site_rows(context: SceneContext) -> np.ndarray:
    """The model's visible sites."""
    m, d = context.m, context.d
    category = context.world.category(m.site_bodyid)
    ids = context.seen("site", category)
    if not len(ids):
        return new_rows(0)
    rows = new_rows(len(ids), ids, category[ids], OBJ_SITE)
    place(rows, m.site_type[ids], m.site_size[ids], d.site_xpos[ids], d.site_xmat[ids])
    paint(rows, context.world, m.site_matid[ids], m.site_rgba[ids], context.flags)
    seen = rows["rgba"][:, 3] != 0
    rows, ids = rows[seen], ids[seen]
    _glow(rows, context, m.site_bodyid[ids])
    if context.option.label == LABEL.mjLABEL_SITE:
        rows["label"] = context.labels(OBJ_SITE, ids)
    return rows
