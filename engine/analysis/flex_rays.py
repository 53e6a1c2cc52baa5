"""Rays that meet deformables, in all worlds at once."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import whole
from ..data.views import takes_views
from ..products import norm
from ..tables.enums import MINVAL
from .rays import TINY, ray_vectors

if TYPE_CHECKING:
    from ..data.data import Data
    from ..model.model import Model

# corners of the triangles of a tetrahedron
FACES = ((0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3))


class FlexHits(NamedTuple):
    """First hits of rays with a deformable.

    Attributes:
        dist: (nworld,) distance in units of the ray's direction; -1 where nothing is met.
        vertid: (nworld,) vertex nearest to that place, counted in the deformable; -1 where nothing
            is met.
        normal: (nworld, 3) unit normal of the surface; zero where nothing is met.
    """

    dist: np.ndarray
    vertid: np.ndarray
    normal: np.ndarray


class _Met(NamedTuple):
    """Candidates that a ray may hit: distances (nworld, n), normals (nworld, n, 3), their vertices.

    Attributes:
        dist: infinite where it is not met.
        normal: of any length.
        corners: vertices of each, (n, k).
    """

    dist: np.ndarray
    normal: np.ndarray
    corners: np.ndarray


@takes_views
def ray_flex(
    model: "Model",
    data: "Data",
    flex_layer: int,
    flg_vert: bool,
    flg_edge: bool,
    flg_face: bool,
    flg_skin: bool,
    flexid: int | str,
    pnt: ArrayLike,
    vec: ArrayLike,
) -> FlexHits:
    """Distance along one ray in each world to a deformable (mj_rayFlex).

    Vertices are spheres and edges are capsules of its radius; faces are triangles. Skins of sheets
    and solids have the edges too. Vertices count where edges do not. Unlike in MuJoCo, no box
    around the whole decides before, so that flat sheets of no thickness are not missed.

    Args:
        model: the model that the data were made for.
        data: worlds, which keep flexvert_xpos.
        flex_layer: layer of the elements of solids whose faces count, unless skins do.
        flg_vert: whether vertices count.
        flg_edge: whether edges count.
        flg_face: whether faces count.
        flg_skin: whether skins count: faces of sheets, and of the outermost elements of solids.
        flexid: id or name of the deformable.
        pnt: start (m), (3,) for all worlds or (nworld, 3).
        vec: direction, (3,) or (nworld, 3); distances are in units of its length.

    Returns:
        `FlexHits`: dist (nworld,), vertid (nworld,), normal (nworld, 3).

    Raises:
        KeyError: there is no such deformable.
        ValueError: an argument has the wrong shape, or a direction has no length.
    """
    pnt = ray_vectors(data, pnt, "ray_flex", "pnt", 2)
    vec = ray_vectors(data, vec, "ray_flex", "vec", 2)
    if not (np.linalg.norm(vec, axis=-1) >= TINY).all():
        raise ValueError("ray_flex: vec: expected directions of a length of 1e-15 or more")
    layer = whole(flex_layer, "ray_flex", "flex_layer")
    f = model.flex(flexid).id
    first = int(model.flex_vertadr[f])
    points = data.flexvert_xpos[:, first : first + int(model.flex_vertnum[f])]
    radius, solid = float(model.flex_radius[f]), model.flex_dim[f] > 1
    with np.errstate(divide="ignore", invalid="ignore"):
        met = []
        if flg_edge or (solid and flg_skin):
            edges = model.flex_edge[model.flex_edgeadr[f] :][: model.flex_edgenum[f]]
            met.append(_meet_edges(points, edges, radius, pnt, vec))
        elif flg_vert:
            met.append(_meet_vertices(points, radius, pnt, vec))
        if solid and (flg_face or flg_skin):
            faces = _triangles(model, f, 0 if flg_skin else layer, bool(flg_skin))
            met.append(_meet_faces(points, faces, pnt, vec))
        return _nearest(points, met, pnt, vec)


def _triangles(model: "Model", f: int, layer: int, skin: bool) -> np.ndarray:
    """Vertices of the triangles of elements, (n, 3): those of sheets, or of a layer of a solid."""
    width = int(model.flex_dim[f]) + 1
    count = int(model.flex_elemnum[f])
    elements = model.flex_elem.ravel()[model.flex_elemdataadr[f] :][: width * count]
    elements = elements.reshape(count, width)
    if width == 3:
        return elements
    layers = model.flex_elemlayer[model.flex_elemadr[f] :][:count]
    return elements[layers <= 0 if skin else layers == layer][:, FACES].reshape(-1, 3)


def _nearest(points: np.ndarray, met: list[_Met], pnt: np.ndarray, vec: np.ndarray) -> FlexHits:
    """The first of all that is nearest, and the nearest of its vertices."""
    n = len(pnt)
    found = FlexHits(np.full(n, -1.0), np.full(n, -1), np.zeros((n, 3)))
    best = np.full(n, np.inf)
    for some in met:
        if not some.dist.shape[1]:
            continue
        k = np.argmin(some.dist, axis=1)
        for w in np.flatnonzero(some.dist[np.arange(n), k] < best).tolist():
            best[w] = found.dist[w] = some.dist[w, k[w]]
            corners, place = some.corners[k[w]], pnt[w] + best[w] * vec[w]
            far = np.linalg.norm(points[w, corners] - place, axis=-1)
            # of two that are as far, edges have the second, triangles the first
            nearest = len(far) - 1 - np.argmin(far[::-1]) if len(far) == 2 else np.argmin(far)
            found.vertid[w] = corners[nearest]
            normal = some.normal[w, k[w]]
            found.normal[w] = normal / norm(normal)
    return found


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a * b).sum(-1)


def _roots(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both solutions of a x^2 + 2 b x + c = 0; negative where there are none."""
    square = b * b - a * c
    there = (square >= 0) & (a >= MINVAL)
    root = np.sqrt(np.where(there, square, 0.0))
    return np.where(there, (-b - root) / a, -1.0), np.where(there, (-b + root) / a, -1.0)


def _ahead(x: np.ndarray) -> np.ndarray:
    """Distances, infinite where they are negative."""
    return np.where(x >= 0, x, np.inf)


def _meet_vertices(points: np.ndarray, radius: float, pnt: np.ndarray, vec: np.ndarray) -> _Met:
    """Spheres around vertices."""
    apart, way = pnt[:, None] - points, vec[:, None]
    near, far = _roots(_dot(way, way), _dot(way, apart), _dot(apart, apart) - radius**2)
    dist = _ahead(np.where(near >= 0, near, far))
    normal = apart + np.where(np.isfinite(dist), dist, 0.0)[..., None] * way
    return _Met(dist, normal, np.arange(points.shape[1])[:, None])


def _meet_edges(
    points: np.ndarray, edges: np.ndarray, radius: float, pnt: np.ndarray, vec: np.ndarray
) -> _Met:
    """Capsules along edges: their round sides between the ends, and half a sphere at each."""
    one, two = points[:, edges[:, 0]], points[:, edges[:, 1]]
    axis = two - one
    half = 0.5 * np.sqrt(_dot(axis, axis))
    short = half < MINVAL
    axis = axis / np.where(short, 1.0, 2 * half)[..., None]
    axis = np.where(short[..., None], [0.0, 0.0, 1.0], axis)
    apart, way = pnt[:, None] - 0.5 * (one + two), np.broadcast_to(vec[:, None], axis.shape)
    along, pace = _dot(apart, axis), _dot(way, axis)
    # round sides
    a, b = _dot(way, way) - pace**2, _dot(way, apart) - pace * along
    near, far = _roots(a, b, _dot(apart, apart) - along**2 - radius**2)
    side = np.where(near >= 0, near, far)
    best = _ahead(np.where(np.abs(along + side * pace) <= half, side, -1.0))
    foot = along + np.where(np.isfinite(best), best, 0.0) * pace
    # ends
    for sign in (1.0, -1.0):
        off = apart - (sign * half)[..., None] * axis
        for x in _roots(_dot(way, way), _dot(way, off), _dot(off, off) - radius**2):
            x = _ahead(np.where(sign * (along + x * pace) >= half, x, -1.0))
            foot, best = np.where(x < best, sign * half, foot), np.minimum(best, x)
    place = apart + np.where(np.isfinite(best), best, 0.0)[..., None] * way
    return _Met(best, place - foot[..., None] * axis, edges)


def _meet_faces(points: np.ndarray, faces: np.ndarray, pnt: np.ndarray, vec: np.ndarray) -> _Met:
    """Triangles, from both sides, where they are not seen along their plane."""
    first, second = _across(vec)
    corners = points[:, faces] - pnt[:, None, None]
    # in the plane across the ray, the start within the triangle
    u = (corners * first[:, None, None]).sum(-1)
    v = (corners * second[:, None, None]).sum(-1)
    a, b = u[..., 0] - u[..., 2], u[..., 1] - u[..., 2]
    c, d = v[..., 0] - v[..., 2], v[..., 1] - v[..., 2]
    area = a * d - b * c
    s = (b * v[..., 2] - d * u[..., 2]) / area
    t = (c * u[..., 2] - a * v[..., 2]) / area
    inside = (np.abs(area) >= MINVAL) & (s >= 0) & (t >= 0) & (s + t <= 1)
    # distance to its plane
    normal = np.cross(corners[:, :, 0] - corners[:, :, 2], corners[:, :, 1] - corners[:, :, 2])
    fall = (normal * vec[:, None]).sum(-1)
    inside &= np.abs(fall) >= MINVAL
    dist = _ahead(np.where(inside, _dot(corners[:, :, 2], normal) / fall, -1.0))
    return _Met(dist, normal, faces)


def _across(vec: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two directions (n, 3) at right angles to directions (n, 3), of length 1."""
    largest = np.argmax(np.abs(vec), axis=1)
    other = np.ones_like(vec)
    other[np.arange(len(vec)), largest] = 0.0
    second = other - vec * (_dot(vec, other) / _dot(vec, vec))[:, None]
    second /= np.linalg.norm(second, axis=-1, keepdims=True)
    first = np.cross(second, vec)
    return first / np.linalg.norm(first, axis=-1, keepdims=True), second
