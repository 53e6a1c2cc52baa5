"""Deformables: their geoms, and their faces where the vertices are."""

from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv import mju
from mjenv.engine.data.views import takes_views

from .geom_builders import new_rows, paint
from .names import CAT, GEOM, LABEL, MINVAL, OBJ, VIS
from .scene_context import SceneContext
from .settings import MjvOption
from .single_world import SingleWorld

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data
    from mjenv.engine.model.model import Model

    from .scene import MjvScene

DYNAMIC, OBJ_FLEX = int(CAT.mjCAT_DYNAMIC), int(OBJ.mjOBJ_FLEX)
PARTS = ("VERT", "EDGE", "FACE", "SKIN")
# corners of the faces of a tetrahedron, as they are seen from outside
SIDES = ((0, 1, 2), (0, 2, 3), (0, 3, 1), (1, 3, 2))


def shows_flexes(flags: np.ndarray) -> bool:
    """True if anything of deformables is drawn."""
    return any(flags[VIS[f"mjVIS_FLEX{part}"]] for part in PARTS)


def flex_rows(context: SceneContext) -> np.ndarray:
    """One geom for each visible deformable, where its first vertex is."""
    m, d = context.m, context.d
    if not (context.catmask & DYNAMIC and shows_flexes(context.flags)):
        return new_rows(0)
    ids = context.seen("flex")
    if not len(ids):
        return new_rows(0)
    rows = new_rows(len(ids), ids, DYNAMIC, OBJ_FLEX)
    rows["type"] = GEOM.mjGEOM_FLEX
    rows["pos"] = np.reshape(d.flexvert_xpos, (-1, 3))[m.flex_vertadr[ids]]
    rows["size"][:, 0] = m.flex_radius[ids]
    paint(rows, context.world, m.flex_matid[ids], m.flex_rgba[ids], context.flags)
    rows["texcoord"] = m.flex_texcoordadr[ids] >= 0
    rows["matid"][rows["texcoord"] == 0] = -1
    rows["emission"][ids == context.pert.flexselect] += np.float32(m.vis.global_.glow)
    if context.option.label == LABEL.mjLABEL_FLEX:
        rows["label"] = context.labels(OBJ_FLEX, ids)
    return rows[rows["rgba"][:, 3] != 0]


@takes_views
def mjv_updateActiveFlex(
    model: "Model", data: "Data", scn: "MjvScene", opt: MjvOption | None = None, world: int = 0
) -> None:
    """Move the vertices and faces of the deformables of a scene to where they are in one world.

    With flag FLEXSKIN, faces are those of sheets and of the surface of solids, with smooth normals;
    with FLEXFACE alone, those of all sheets and of the solids' elements in one layer.

    Args:
        model: the model.
        data: worlds, which keep flexvert_xpos.
        scn: a scene of this model.
        opt: what is drawn; None for the default.
        world: which world.
    """
    # what is drawn is told to who draws it
    opt = opt or MjvOption()
    for part in PARTS:
        setattr(scn, f"flex{part.lower()}opt", int(opt.flags[VIS[f"mjVIS_FLEX{part}"]]))
    if not model.nflex:
        return
    # vertices, and then faces unless lines are enough
    one = SingleWorld(model, data, world, "mjv_updateActiveFlex")
    points = np.reshape(one.d.flexvert_xpos, (-1, 3))
    scn.flexvert = points.ravel()
    for f in range(model.nflex):
        here = points[model.flex_vertadr[f] :][: model.flex_vertnum[f]]
        if model.flex_dim[f] == 1 or not (scn.flexfaceopt or scn.flexskinopt):
            scn.flexfaceused[f] = 0
        elif scn.flexskinopt:
            _put(model, scn, f, *_skin(one.m, f, here))
        else:
            _put(model, scn, f, *_faces(one.m, f, here, opt.flex_layer))


def _put(
    model: Any, scn: "MjvScene", f: int, corners: np.ndarray, normals: np.ndarray, texture: Any
) -> None:
    """Store triangles and normals (n, 3, 3), and the numbers (n, 3) of texture coordinates."""
    first, count = scn.flexfaceadr[f], len(corners)
    scn.flexfaceused[f] = count
    scn.flexface.reshape(-1, 3, 3)[first : first + count] = corners
    scn.flexnormal.reshape(-1, 3, 3)[first : first + count] = normals
    if model.flex_texcoordadr[f] >= 0:
        source = model.flex_texcoord[model.flex_texcoordadr[f] :]
        scn.flextexcoord.reshape(-1, 3, 2)[first : first + count] = source[texture]


def _elements(m: Any, f: int) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and texture coordinates of the elements of a deformable, (n, dim + 1)."""
    width = int(m.flex_dim[f]) + 1
    here = slice(m.flex_elemdataadr[f], m.flex_elemdataadr[f] + width * m.flex_elemnum[f])
    vertices, texture = (getattr(m, f"flex_{name}").ravel() for name in ("elem", "elemtexcoord"))
    return vertices[here].reshape(-1, width), texture[here].reshape(-1, width)


def _shell(m: Any, f: int) -> np.ndarray:
    """Vertices of the pieces of the border of a deformable, (n, dim)."""
    dim = int(m.flex_dim[f])
    first = m.flex_shelldataadr[f]
    return m.flex_shell.ravel()[first : first + dim * m.flex_shellnum[f]].reshape(-1, dim)


def _across(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Normals (n, 3) of triangles."""
    corners = points[faces]
    return _unit(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))


def _unit(rows: np.ndarray) -> np.ndarray:
    """Rows (n, 3) of length 1; along x where there is none."""
    length = np.sqrt((rows * rows).sum(-1))[:, None]
    short = length < MINVAL
    return np.where(short, [1.0, 0.0, 0.0], rows / np.where(short, 1.0, length))


def _faces(m: Any, f: int, points: np.ndarray, layer: int) -> tuple:
    """Flat faces of elements, lifted along their normals: both sides of triangles, or a layer."""
    elements, texture = _elements(m, f)
    sides = SIDES
    if m.flex_dim[f] == 2:
        sides = ((0, 1, 2), (0, 2, 1))
    else:
        layers = m.flex_elemlayer[m.flex_elemadr[f] :][: len(elements)]
        elements, texture = elements[layers == layer], texture[layers == layer]
    faces = elements[:, sides].reshape(-1, 3)
    normals = _across(points, faces)
    corners = points[faces] + m.flex_radius[f] * normals[:, None]
    return corners, np.repeat(normals[:, None], 3, axis=1), texture[:, sides].reshape(-1, 3)


def _skin(m: Any, f: int, points: np.ndarray) -> tuple:
    """Faces that are lifted along the mean normals of their corners, and the sides of sheets."""
    radius, flat = m.flex_radius[f], bool(m.flex_flatskin[f])
    shell = _shell(m, f)
    sheet = m.flex_dim[f] == 2
    faces, texture = _elements(m, f) if sheet else (shell, shell)
    # mean normals of vertices
    means = np.zeros((len(points), 3))
    np.add.at(means, faces.ravel(), np.repeat(_across(points, faces), 3, axis=0))
    means = _unit(means)
    if not sheet:
        normals = _flat_or_smooth(points, means, faces, flat, 1.0)
        return points[faces] + radius * means[faces], normals, texture
    # sheets: both sides in turn
    back, sign = faces[:, [0, 2, 1]], 1.0 if radius > 0 else -1.0
    up = _flat_or_smooth(points, means, faces, flat, sign)
    down = _flat_or_smooth(points, means, back, flat, -1.0)
    lifted = points[faces] + radius * means[faces], points[back] - radius * means[back]
    corners, normals = np.stack(lifted, 1), np.stack([up, down], 1)
    uv = np.stack([texture, texture[:, [0, 2, 1]]], 1)
    # and what closes them along the border
    edge, edge_normals, edge_uv = _border(points, means, shell, radius)
    return (
        np.concatenate([corners.reshape(-1, 3, 3), edge]),
        np.concatenate([normals.reshape(-1, 3, 3), edge_normals]),
        np.concatenate([uv.reshape(-1, 3), edge_uv]),
    )


def _flat_or_smooth(
    points: np.ndarray, means: np.ndarray, faces: np.ndarray, flat: bool, sign: float
) -> np.ndarray:
    """Normals (n, 3, 3) at the corners of faces, of the faces or of the vertices."""
    if flat:
        return sign * np.repeat(_across(points, faces)[:, None], 3, axis=1)
    return sign * means[faces]


def _border(points: np.ndarray, means: np.ndarray, shell: np.ndarray, radius: float) -> tuple:
    """Two triangles for each piece (n, 2) of the border of a sheet."""
    corners, normals, uv = [], [], []
    for pieces, sign in ((shell, 1.0), (shell[:, ::-1], -1.0)):
        turn = -1.0 if sign * radius < 0 else 1.0
        one, two = pieces[:, 0], pieces[:, 1]
        across = _unit(turn * np.cross(points[two] - points[one], means[two]))
        which = np.stack([one, two, two], 1)
        lift = sign * radius * np.array([1.0, -1.0, 1.0])[:, None]
        corners.append(points[which] + lift * means[which])
        normals.append(np.repeat(across[:, None], 3, axis=1))
        uv.append(which)
    lists = (np.stack(part, 1) for part in (corners, normals, uv))
    return tuple(part.reshape(-1, *part.shape[2:]) for part in lists)


def edge_frames(scn: "MjvScene", f: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Middles (n, 3), frames (n, 3, 3) with z along them, and half lengths (n,) of edges."""
    edges = slice(scn.flexedgeadr[f], scn.flexedgeadr[f] + scn.flexedgenum[f])
    ends = scn.flexvertadr[f] + scn.flexedge.reshape(-1, 2)[edges]
    one, two = np.moveaxis(scn.flexvert.reshape(-1, 3)[ends].astype(np.float64), 1, 0)
    way = two - one
    frames = np.reshape(mju.quat2mat(mju.quat_z2vec(way)), (-1, 3, 3))
    return 0.5 * (one + two), frames, 0.5 * np.sqrt((way * way).sum(-1))
