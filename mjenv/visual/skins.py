"""Skins: vertices that follow bones."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mjenv import mju
from mjenv.engine.analysis.rays import ray_vectors
from mjenv.engine.data.views import takes_views
from mjenv.mju.rays import ray_skin as meet_triangles

from .geom_builders import new_rows, paint
from .names import CAT, GEOM, LABEL, MINVAL, OBJ
from .scene_context import SceneContext
from .settings import MjvOption
from .single_world import SingleWorld, shown_groups

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data
    from mjenv.engine.model.model import Model

    from .scene import MjvScene

DYNAMIC, OBJ_SKIN = int(CAT.mjCAT_DYNAMIC), int(OBJ.mjOBJ_SKIN)


def skin_rows(context: SceneContext) -> np.ndarray:
    """One geom for each visible skin, where its first bone is."""
    m, d = context.m, context.d
    if not (context.catmask & DYNAMIC and context.on("SKIN")):
        return new_rows(0)
    ids = context.seen("skin")
    if not len(ids):
        return new_rows(0)
    rows = new_rows(len(ids), ids, DYNAMIC, OBJ_SKIN)
    rows["type"] = GEOM.mjGEOM_SKIN
    rows["pos"] = d.xpos[m.skin_bonebodyid[m.skin_boneadr[ids]]]
    paint(rows, context.world, m.skin_matid[ids], m.skin_rgba[ids], context.flags)
    rows["emission"][ids == context.pert.skinselect] += np.float32(m.vis.global_.glow)
    rows["texcoord"] = m.skin_texcoordadr[ids] >= 0
    if context.option.label == LABEL.mjLABEL_SKIN:
        rows["label"] = context.labels(OBJ_SKIN, ids)
    return rows[rows["rgba"][:, 3] != 0]


@takes_views
def mjv_updateSkin(
    model: "Model", data: "Data", scn: "MjvScene", opt: MjvOption | None = None, world: int = 0
) -> None:
    """Move the vertices and normals of the skins of a scene to where bones are in one world.

    Args:
        model: the model.
        data: worlds, which keep xpos and xquat.
        scn: a scene of this model.
        opt: which groups of skins are moved; None for the default.
        world: which world.
    """
    opt = opt or MjvOption()
    one = SingleWorld(model, data, world, "mjv_updateSkin")
    shown = shown_groups(model.skin_group, opt.skingroup)
    for skin in range(model.nskin):
        first, count = model.skin_vertadr[skin], model.skin_vertnum[skin]
        place = slice(3 * first, 3 * (first + count))
        vertices, normals = _moved(one, skin) if shown[skin] else np.zeros((2, count, 3))
        scn.skinvert[place], scn.skinnormal[place] = vertices.ravel(), normals.ravel()


class SkinHits(NamedTuple):
    """First hits of rays with a skin.

    Attributes:
        dist: (nworld,) distance in units of the ray's direction; -1 where nothing is met.
        vertid: (nworld,) vertex nearest to that place, counted in the skin; -1 where nothing is
            met.
    """

    dist: np.ndarray
    vertid: np.ndarray


@takes_views
def ray_skin(
    model: "Model", data: "Data", skin: int | str, pnt: ArrayLike, vec: ArrayLike
) -> SkinHits:
    """Distance along one ray in each world to a skin, from either side (mju_raySkin).

    Args:
        model: the model that the data were made for.
        data: worlds, which keep xpos and xquat.
        skin: id or name of the skin.
        pnt: start (m), (3,) for all worlds or (nworld, 3).
        vec: direction, (3,) or (nworld, 3); distances are in units of its length.

    Returns:
        `SkinHits`: dist (nworld,), vertid (nworld,).

    Raises:
        KeyError: there is no such skin.
        ValueError: an argument has the wrong shape.
    """
    pnt = ray_vectors(data, pnt, "ray_skin", "pnt", 2)
    vec = ray_vectors(data, vec, "ray_skin", "vec", 2)
    number = model.skin(skin).id
    worlds = (SingleWorld(model, data, world, "ray_skin") for world in range(data.nworld))
    vertices = np.stack([_moved(one, number)[0] for one in worlds])
    return SkinHits(*meet_triangles(faces_of(model, number), vertices, pnt, vec))


def faces_of(model: "Model", skin: int) -> np.ndarray:
    """Triangles (n, 3) of a skin, whose vertices are counted in the skin."""
    first = model.skin_faceadr[skin]
    return model.skin_face[first : first + model.skin_facenum[skin]]


def _moved(one: SingleWorld, skin: int) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and normals (n, 3) of a skin where the bones of one world are, 32 bits each."""
    vertices, normals = np.zeros((2, one.model.skin_vertnum[skin], 3), np.float32)
    _bend(one.m, one.d, skin, vertices)
    _smooth_normals(one.m, skin, vertices, normals)
    vertices += np.float32(one.model.skin_inflate[skin]) * normals
    return vertices, normals


def _bend(m: Any, d: Any, skin: int, vertices: np.ndarray) -> None:
    """Positions (n, 3) of a skin's vertices: sums of where each of their bones would take them."""
    first = m.skin_vertadr[skin]
    bones = m.skin_boneadr[skin] + np.arange(m.skin_bonenum[skin])
    for bone in bones:
        body = m.skin_bonebodyid[bone]
        bind = m.skin_bonebindquat[bone].astype(np.float64)
        turn = mju.quat2mat(mju.mul_quat(d.xquat[body], mju.neg_quat(bind)))
        shift = d.xpos[body] - turn @ m.skin_bonebindpos[bone].astype(np.float64)
        adr, num = m.skin_bonevertadr[bone], m.skin_bonevertnum[bone]
        which = m.skin_bonevertid[adr : adr + num]
        there = m.skin_vert[first + which].astype(np.float64) @ turn.T + shift
        weights = m.skin_bonevertweight[adr : adr + num, None]
        np.add.at(vertices, which, weights * there.astype(np.float32))


def _smooth_normals(m: Any, skin: int, vertices: np.ndarray, normals: np.ndarray) -> None:
    """Normals (n, 3) of vertices: means over their faces, weighted by area."""
    adr, num = m.skin_faceadr[skin], m.skin_facenum[skin]
    faces = m.skin_face[adr : adr + num]
    one, two = ((vertices[faces[:, k]] - vertices[faces[:, 0]]).astype(np.float64) for k in (1, 2))
    across = np.cross(one, two).astype(np.float32)
    np.add.at(normals, faces.ravel(), np.repeat(across, 3, axis=0))
    length = np.sqrt((normals * normals).sum(-1, dtype=np.float32))
    normals /= np.maximum(length, np.float32(MINVAL))[:, None]
