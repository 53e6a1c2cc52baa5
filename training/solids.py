"""Triangles of geoms, and pictures on them, as graphics cards want them."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mjenv.engine.enums import (
    GEOM_BOX,
    GEOM_CAPSULE,
    GEOM_CYLINDER,
    GEOM_ELLIPSOID,
    GEOM_HFIELD,
    GEOM_MESH,
    GEOM_PLANE,
    GEOM_SPHERE,
)

if TYPE_CHECKING:
    from mjenv.engine.model.model import Model

ROUND, RINGS = 32, 16  # points around an axis, and from pole to pole
ROLE_RGB = 1  # of the textures of a material, that with the colours (mjtTextureRole)
TEXTURE_2D = 0


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


def of(model: "Model", row: np.ndarray, size: np.ndarray | None, reach: float) -> Solid:
    """Triangles of an abstract geom, in its own frame.

    Args:
        model: the model.
        row: the geom, a row of `mjenv.render.visual.records.GEOM`.
        size: its size (m); None for one.
        reach: half of the size of what has no end (m).

    Raises:
        ValueError: there is no such shape.
    """
    kind = int(row["type"])
    if kind == GEOM_MESH:
        return mesh(model, int(row["dataid"]) // 2, bool(row["dataid"] % 2))
    if kind == GEOM_HFIELD:
        return with_picture(hfield(model, int(row["dataid"])), model, row)
    scale = np.ones(3) if size is None else np.asarray(size, np.float64)
    if kind == GEOM_PLANE:
        half = np.where(scale[:2] > 0.0, scale[:2], reach)
        square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half
        points = np.column_stack([square, np.zeros(4)])
        faces = np.array([[0, 1, 2], [0, 2, 3]])
        return with_picture(Solid(points, faces, True), model, row)
    if kind in (GEOM_SPHERE, GEOM_ELLIPSOID):
        points, faces = ball(0.0)
        return Solid(points * scale, faces)
    if kind == GEOM_CAPSULE and size is not None:
        points, faces = ball(scale[2] / scale[0])
        return Solid(points * scale[0], faces)
    if kind in (GEOM_CYLINDER, GEOM_CAPSULE):
        return Solid(*prism(scale), True)
    if kind == GEOM_BOX:
        return Solid(*box(scale), True)
    raise ValueError(f"page: geom of type {kind}: pages have no such shape")


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


def texture_of(model: "Model", material: int) -> Texture | None:
    """The picture of a material; None where it has none."""
    number = int(model.mat_texid[material, ROLE_RGB]) if material >= 0 else -1
    if number < 0:
        return None
    width, height, channels = (
        int(getattr(model, f"tex_{name}")[number]) for name in ("width", "height", "nchannel")
    )
    start = int(model.tex_adr[number])
    image = np.asarray(model.tex_data[start : start + width * height * channels])
    image = image.reshape(height, width, channels)
    rgb = image[..., :3] if channels >= 3 else np.repeat(image[..., :1], 3, axis=2)
    return Texture(np.ascontiguousarray(rgb), rgb.reshape(-1, 3).mean(axis=0) / 255.0)


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


def hfield(model: "Model", number: int) -> Solid:
    """The surface of a height field, its sides and its bottom."""
    nrow, ncol = int(model.hfield_nrow[number]), int(model.hfield_ncol[number])
    x_size, y_size, top, base = (float(x) for x in model.hfield_size[number])
    start = int(model.hfield_adr[number])
    heights = np.asarray(model.hfield_data[start : start + nrow * ncol], np.float64)
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
