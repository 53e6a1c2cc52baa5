"""Rays and single shapes, over arrays; part of `mjenv.mju`."""

import numpy as np

from mjenv.engine.arguments import Numbers, of_reals, plain_array, whole
from mjenv.engine.errors import nearest
from mjenv.engine.physics.rays.primitives import ray_simple
from mjenv.engine.tables.enum_tables import enumeration
from mjenv.engine.tables.enums import MINVAL

SIMPLE = ("plane", "sphere", "capsule", "ellipsoid", "cylinder", "box")
_TYPES = {name: int(enumeration("mjtGeom")[f"mjGEOM_{name.upper()}"]) for name in SIMPLE}


@of_reals
def ray_geom(
    pos: Numbers,
    mat: Numbers,
    size: Numbers,
    pnt: Numbers,
    vec: Numbers,
    geomtype: int | str,
) -> tuple[np.ndarray, np.ndarray]:
    """Distances along rays to simple shapes (mju_rayGeom).

    Args:
        pos: (..., 3), middle of the shape (m).
        mat: (..., 3, 3), its axes as columns, or (..., 9).
        size: (..., 3), as `geom_size`.
        pnt: (..., 3), start of the ray (m).
        vec: (..., 3), its direction; distances are in units of its length.
        geomtype: mjtGeom or its name: plane, sphere, capsule, ellipsoid, cylinder, box.

    Returns:
        Distances (...), -1 where nothing is met; unit normals of the surface (..., 3), zero there.

    Raises:
        ValueError: another type of geom.
    """
    kind = _simple_type(geomtype)
    if mat.shape[-1] == 9:
        mat = mat.reshape(*mat.shape[:-1], 3, 3)
    pos, size, pnt, vec, mat = _broadcast(pos, size, pnt, vec, mat)
    # the ray in the frame of the shape
    p, v = (np.einsum("...ji,...j->...i", mat, x) for x in (pnt - pos, vec))
    rows = (np.moveaxis(x, -1, 0) for x in (size, p, v))
    with np.errstate(divide="ignore", invalid="ignore"):
        found, normal = ray_simple(kind, *(tuple(row) for row in rows))
    normal = np.stack(np.broadcast_arrays(*normal), axis=-1)
    length = np.linalg.norm(normal, axis=-1, keepdims=True)
    normal = normal / np.where(length > 0, length, 1.0)
    return np.asarray(found), np.einsum("...ij,...j->...i", mat, normal)


@of_reals
def ray_skin(
    face: np.ndarray, vert: Numbers, pnt: Numbers, vec: Numbers
) -> tuple[np.ndarray, np.ndarray]:
    """Distances along rays to surfaces of triangles, such as skins (mju_raySkin).

    Moeller and Trumbore's intersection of a ray and all triangles, from either side.

    Args:
        face: (nface, 3), vertices of the triangles, as `skin_face`.
        vert: (..., nvert, 3), where these are (m).
        pnt: (..., 3), start of the ray (m).
        vec: (..., 3), its direction; distances are in units of its length.

    Returns:
        Distances (...), -1 where nothing is met; and of the triangle that is met first, the vertex
        nearest to that place, -1 where nothing is.

    Raises:
        ValueError: a triangle has a vertex that there is not.
    """
    given, nvert = plain_array(face, "ray_skin", "face"), vert.shape[-2]
    if given.dtype.kind not in "iu" or given.size % 3:
        raise ValueError(
            f"ray_skin: face: found {given.dtype} {given.shape}, expected integers (nface, 3)"
        )
    face = given.reshape(-1, 3)
    wrong = face[(face < 0) | (face >= nvert)]
    if len(wrong):
        raise ValueError(f"ray_skin: face: vertex {wrong[0]}: expected one of {nvert} vertices")
    vec, pnt = vec[..., None, :], pnt[..., None, :]
    corners = vert[..., face, :]
    one, two = (corners[..., k, :] - corners[..., 0, :] for k in (1, 2))
    across = np.cross(vec, two)
    volume = (one * across).sum(-1)
    start = pnt - corners[..., 0, :]
    turned = np.cross(start, one)
    # rays in the plane of a triangle do not meet it
    with np.errstate(divide="ignore", invalid="ignore"):
        u, v = (start * across).sum(-1) / volume, (turned * vec).sum(-1) / volume
        distance = (two * turned).sum(-1) / volume
    met = (np.abs(volume) > MINVAL) & (u >= 0) & (v >= 0) & (u + v <= 1) & (distance >= 0)
    if not len(face):
        return np.full(met.shape[:-1], -1.0), np.full(met.shape[:-1], -1)
    first = np.where(met, distance, np.inf).argmin(-1)[..., None]
    found = np.where(met.any(-1), np.take_along_axis(distance, first, -1)[..., 0], -1.0)
    # the nearest corner of that triangle
    corners = np.broadcast_to(corners, (*met.shape, 3, 3))
    corners = np.take_along_axis(corners, first[..., None, None], -3)[..., 0, :, :]
    apart = ((corners - (pnt + found[..., None, None] * vec)) ** 2).sum(-1)
    nearest_vertex = face[first[..., 0], apart.argmin(-1)]
    return found, np.where(found >= 0, nearest_vertex, -1)


def _simple_type(geomtype: int | str) -> int:
    """The number of a type of geom that is no mesh, height field or the like."""
    if isinstance(geomtype, str):
        if geomtype not in _TYPES:
            raise ValueError(
                f"ray_geom: geomtype={geomtype!r}: expected one of {', '.join(SIMPLE)}"
                f"{nearest(geomtype, SIMPLE)}"
            )
        return _TYPES[geomtype]
    kind = whole(geomtype, "ray_geom", "geomtype", 0)
    if kind not in _TYPES.values():
        raise ValueError(f"ray_geom: geomtype={kind}: expected one of {', '.join(SIMPLE)}")
    return kind


def _broadcast(
    pos: Numbers, size: Numbers, pnt: Numbers, vec: Numbers, mat: Numbers
) -> tuple[np.ndarray, ...]:
    """Vectors and a matrix with the same leading axes."""
    shape = np.broadcast_shapes(*(x.shape[:-1] for x in (pos, size, pnt, vec)), mat.shape[:-2])
    vectors = (np.broadcast_to(x, (*shape, 3)) for x in (pos, size, pnt, vec))
    return (*vectors, np.broadcast_to(mat, (*shape, 3, 3)))
