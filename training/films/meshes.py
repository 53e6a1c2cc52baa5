"""Triangles of geoms, and pictures on them, as graphics cards want them."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mjenv.engine.tables.enums import (
    GEOM_BOX,
    GEOM_CAPSULE,
    GEOM_CYLINDER,
    GEOM_ELLIPSOID,
    GEOM_HFIELD,
    GEOM_MESH,
    GEOM_PLANE,
    GEOM_SPHERE,
)
from mjenv.render.textures import texture_faces
from mjenv.visual.names import GEOM

if TYPE_CHECKING:
    from mjenv.engine.model.model import Model

ROUND, RINGS = 32, 16  # points around an axis, and from pole to pole
# what goes from a place along an axis: arrows are drawn without heads
STICKS = [int(GEOM[f"mjGEOM_{name}"]) for name in ("LINE", "ARROW", "ARROW1", "ARROW2")]
ROLE_RGB = 1  # of the textures of a material, that with the colours (mjtTextureRole)
TEXTURE_2D, FACES = 0, 6
LARGEST = 256  # pixels on a side of a face of a cube


class Solid(NamedTuple):
    """Triangles.

    Attributes:
        points: (n, 3), m.
        faces: numbers of their corners, (m, 3), counterclockwise from outside.
        flat: whether each triangle is lit as a plane.
        uv: where points lie in a picture, to the right and downwards, (n, 2); None where there
            can be none.
        normals: (n, 3); None for those of the triangles.
    """

    points: np.ndarray
    faces: np.ndarray
    flat: bool = False
    uv: np.ndarray | None = None
    normals: np.ndarray | None = None


class Texture(NamedTuple):
    """A picture: uint8 (height, width, 3), and its mean colour, 0 to 1."""

    image: np.ndarray
    mean: np.ndarray


def of(
    model: "Model",
    row: np.ndarray,
    size: np.ndarray | None,
    reach: float,
    heights: np.ndarray | None = None,
) -> Solid:
    """Triangles of an abstract geom, in its own frame.

    Args:
        model: the model.
        row: the geom, a row of `mjenv.visual.records.GEOM`.
        size: its size (m); None for one.
        reach: half of the size of what has no end (m).
        heights: of height fields, as the model's `hfield_data`; None for these.

    Raises:
        ValueError: there is no such shape.
    """
    heights = np.asarray(model.hfield_data) if heights is None else heights
    solid = shape(model, row, size, reach, heights)
    if on_a_cube(model, int(row["matid"])) and size is not None:
        return with_cube(solid, model, row)
    return solid


def shape(
    model: "Model", row: np.ndarray, size: np.ndarray | None, reach: float, heights: np.ndarray
) -> Solid:
    """The same, with pictures that are laid on from above alone."""
    # shapes with data of their own
    kind = int(row["type"])
    if kind == GEOM_MESH:
        return mesh(model, int(row["dataid"]) // 2, bool(row["dataid"] % 2))
    if kind == GEOM_HFIELD:
        return with_picture(hfield(model, int(row["dataid"]), heights), model, row)
    scale = np.ones(3) if size is None else np.asarray(size, np.float64)
    # planes without a size reach as far as the scene
    if kind == GEOM_PLANE:
        half = np.where(scale[:2] > 0.0, scale[:2], reach)
        square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half
        points = np.column_stack([square, np.zeros(4)])
        faces = np.array([[0, 1, 2], [0, 2, 3]])
        return with_picture(Solid(points, faces, True), model, row)
    # round shapes, scaled from those of size one
    if kind in (GEOM_SPHERE, GEOM_ELLIPSOID):
        points, faces = ball(0.0)
        return Solid(points * scale, faces)
    if kind == GEOM_CAPSULE and size is not None:
        points, faces = ball(scale[2] / scale[0])
        return Solid(points * scale[0], faces)
    if kind in STICKS:
        points, faces = prism(np.array([1.0, 1.0, 0.5]))
        points[:, 2] += 0.5
        return Solid(points, faces, True)
    # the others
    if kind in (GEOM_CYLINDER, GEOM_CAPSULE):
        return Solid(*prism(scale), True)
    if kind == GEOM_BOX:
        return Solid(*box(scale), True)
    raise ValueError(f"page: geom of type {kind}: pages have no such shape; record a film")


def with_picture(solid: Solid, model: "Model", row: np.ndarray) -> Solid:
    """A surface with its material's picture laid on it from above, as MuJoCo does."""
    material = int(row["matid"])
    if material < 0:
        return solid
    size = row["size"][:2].astype(np.float64)
    uniform = bool(model.mat_texuniform[material]) or int(row["type"]) != GEOM_PLANE
    share = 1.0 if uniform else 1.0 / np.where(size > 0.0, size, 1.0)
    scale = 0.5 * np.asarray(model.mat_texrepeat[material]) * share * [1.0, -1.0]
    return solid._replace(uv=solid.points[:, :2] * scale - 0.5)


def on_a_cube(model: "Model", material: int) -> bool:
    """True if the picture of a material has six faces, a cube's."""
    number = int(model.mat_texid[material, ROLE_RGB]) if material >= 0 else -1
    return number >= 0 and len(texture_faces(model, number)) == FACES


def with_cube(solid: Solid, model: "Model", row: np.ndarray) -> Solid:
    """A surface with the six faces of its material's picture, laid on it from around its middle.

    Each triangle takes the face that its own middle is seen through (Khronos, OpenGL 4.6, table
    8.19); the faces lie below each other in the picture.
    """
    size = np.maximum(row["size"].astype(np.float64), 1e-9)
    uniform = bool(model.mat_texuniform[int(row["matid"])])
    triangles = int(row["type"]) in (GEOM_MESH, GEOM_HFIELD, GEOM_PLANE)
    scale = (size if uniform else 1.0) / (1.0 if triangles else size)
    corners = solid.points[solid.faces]
    q = corners * scale
    middle = q.mean(axis=1)
    axis = np.abs(middle).argmax(axis=1)
    ahead = np.take_along_axis(middle, axis[:, None], axis=1)[:, 0] > 0.0
    # to the right and downwards on each face
    x, y, z = np.moveaxis(q, 2, 0)
    front, axes = ahead[:, None], axis[:, None]
    s = np.where(axes == 0, np.where(front, -z, z), np.where(axes == 1, x, np.where(front, x, -x)))
    t = np.where(axes == 1, np.where(front, z, -z), -y)
    major = np.abs(np.take_along_axis(q, axis[:, None, None].repeat(3, 1), axis=2)[..., 0])
    u, v = (np.clip(0.5 * w / np.maximum(major, 1e-12) + 0.5, 0.002, 0.998) for w in (s, t))
    face = 2 * axes + ~front
    uv = np.stack([u, (face + v) / FACES], axis=2).reshape(-1, 2)
    index = solid.faces.ravel()
    normals = None if solid.normals is None else solid.normals[index]
    if normals is None and not solid.flat:
        normals = smooth(solid)[index]
    faces = np.arange(len(index)).reshape(-1, 3)
    return Solid(corners.reshape(-1, 3), faces, solid.flat, uv, normals)


def smooth(solid: Solid) -> np.ndarray:
    """Normals of points: means of those of the triangles around them, by area."""
    a, b, c = np.moveaxis(solid.points[solid.faces], 1, 0)
    total = np.zeros_like(solid.points)
    for k in range(3):
        np.add.at(total, solid.faces[:, k], np.cross(b - a, c - a))
    return total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-30)


def texture_of(model: "Model", material: int) -> Texture | None:
    """The picture of a material, faces of cubes below each other; None where it has none."""
    number = int(model.mat_texid[material, ROLE_RGB]) if material >= 0 else -1
    if number < 0:
        return None
    faces = texture_faces(model, number)[..., :3]
    if len(faces) == FACES:
        step = -(-faces.shape[2] // LARGEST)
        faces = faces[:, ::step, ::step]
    image = np.ascontiguousarray(faces.reshape(-1, *faces.shape[2:]))
    return Texture(image, image.reshape(-1, 3).mean(axis=0) / 255.0)


# ---------------------------------------------------------------- shapes


def ball(half: float) -> tuple[np.ndarray, np.ndarray]:
    """A ball of radius 1 whose halves are moved apart by `half` to both sides."""
    polar = np.linspace(0.0, np.pi, RINGS + 1)
    if half:
        # the equator twice: once for each half
        polar = np.insert(polar, RINGS // 2, polar[RINGS // 2])
    shift = np.where(np.arange(len(polar)) <= RINGS // 2, half, -half)
    around = np.linspace(0.0, 2.0 * np.pi, ROUND, endpoint=False)
    z = np.cos(polar) + shift
    x, y = (np.sin(polar)[:, None] * f(around) for f in (np.cos, np.sin))
    points = np.stack([x, y, np.broadcast_to(z[:, None], x.shape)], axis=2).reshape(-1, 3)
    return points, tube(len(polar), ROUND)


def prism(size: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A cylinder of radii size[0], size[1] and half length size[2]."""
    around = np.linspace(0.0, 2.0 * np.pi, ROUND, endpoint=False)
    circle = np.column_stack([np.cos(around), np.sin(around)])
    rings = [(0.0, 1.0), (1.0, 1.0), (1.0, -1.0), (0.0, -1.0)]
    parts = [np.column_stack([r * circle, np.full(ROUND, z)]) for r, z in rings]
    return np.concatenate(parts) * size, tube(len(rings), ROUND)


def tube(rings: int, count: int) -> np.ndarray:
    """Triangles between rings of points, from the top down."""
    ring, k = np.divmod(np.arange((rings - 1) * count), count)
    a, b = ring * count + k, ring * count + (k + 1) % count
    c, d = a + count, b + count
    return np.concatenate([np.column_stack([a, c, b]), np.column_stack([b, c, d])])


def box(size: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A box with half sizes; its sides share no points."""
    square = np.array([[-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]], np.float64)
    turned = [np.roll(square, axis, axis=1) for axis in range(3)]
    # mirrored at the centre they would be seen from inside: their corners go the other way
    sides = [*turned, *(-part[::-1] for part in turned)]
    faces = np.concatenate([4 * k + np.array([[0, 1, 2], [0, 2, 3]]) for k in range(6)])
    return np.concatenate(sides) * size, faces


def mesh(model: "Model", number: int, hull: bool) -> Solid:
    """Triangles of a mesh with its normals and picture, or of its convex hull."""
    start = int(model.mesh_vertadr[number])
    points = np.asarray(model.mesh_vert[start : start + int(model.mesh_vertnum[number])])
    points = points.astype(np.float64)
    if hull:
        start = int(model.mesh_graphadr[number])
        nvert, nface = (int(n) for n in model.mesh_graph[start : start + 2])
        first = start + 2 + 3 * nvert + 3 * nface
        faces = np.asarray(model.mesh_graph[first : first + 3 * nface]).reshape(-1, 3)
        return Solid(points, faces.astype(np.int64), True)
    start = int(model.mesh_faceadr[number])
    rows = slice(start, start + int(model.mesh_facenum[number]))
    faces = np.asarray(model.mesh_face[rows]).astype(np.int64)
    if int(model.mesh_texcoordadr[number]) < 0:
        return Solid(points, faces)
    # corners have normals and places in the picture of their own
    normal0, uv0 = int(model.mesh_normaladr[number]), int(model.mesh_texcoordadr[number])
    normals = np.asarray(model.mesh_normal)[normal0 + np.asarray(model.mesh_facenormal[rows])]
    uv = np.asarray(model.mesh_texcoord)[uv0 + np.asarray(model.mesh_facetexcoord[rows])]
    corners = points[faces].reshape(-1, 3)
    return Solid(
        corners,
        np.arange(len(corners)).reshape(-1, 3),
        uv=uv.reshape(-1, 2).astype(np.float64),
        normals=normals.reshape(-1, 3).astype(np.float64),
    )


def hfield(model: "Model", number: int, heights: np.ndarray) -> Solid:
    """The surface of a height field, its sides and its bottom."""
    nrow, ncol = int(model.hfield_nrow[number]), int(model.hfield_ncol[number])
    x_size, y_size, top, base = (float(x) for x in model.hfield_size[number])
    start = int(model.hfield_adr[number])
    heights = np.asarray(heights[start : start + nrow * ncol], np.float64)
    x, y = np.meshgrid(np.linspace(-x_size, x_size, ncol), np.linspace(-y_size, y_size, nrow))
    surface = np.column_stack([x.ravel(), y.ravel(), top * heights])
    index = np.arange(nrow * ncol).reshape(nrow, ncol)
    a, b, c, d = index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]
    faces = [np.column_stack([p.ravel() for p in t]) for t in ((a, b, c), (a, c, d))]
    # down along the edge, which goes around counterclockwise
    edge = np.concatenate([index[0], index[1:, -1], index[-1, -2::-1], index[-2:0:-1, 0]])
    n, count = nrow * ncol, len(edge)
    rim, floor = surface[edge], surface[edge] * [1.0, 1.0, 0.0] - [0.0, 0.0, base]
    upper, lower = n + np.arange(count), n + count + np.arange(count)
    faces.append(np.column_stack([upper, lower, np.roll(upper, -1)]))
    faces.append(np.column_stack([np.roll(upper, -1), lower, np.roll(lower, -1)]))
    corners = [0, ncol - 1, ncol + nrow - 2, 2 * ncol + nrow - 3]
    p, q, r, s = lower[corners]
    faces.append(np.array([[p, r, q], [p, s, r]]))
    return Solid(np.concatenate([surface, rim, floor]), np.concatenate(faces))
