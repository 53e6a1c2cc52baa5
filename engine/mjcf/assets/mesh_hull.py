"""Convex hulls of points, by Qhull, as the graph of mjModel.mesh_graph."""

from typing import TYPE_CHECKING

import numpy as np

from .distinct import distinct
from .qhull import Lists, extension, lists
from .triangles import MINVAL, cross, dot

if TYPE_CHECKING:
    from ..draft.draft import Part


class Hull:
    """Convex hull of the vertices of a mesh.

    Attributes:
        vertices: ids of the points on it, in Qhull's order, (n,) int.
        faces: its triangles by ids of points, seen from outside counter-clockwise, (f, 3) int.
        graph: `mesh_graph`: n, f, first edge of each vertex, ids of the vertices, edges (neighbours
            as places in `vertices`, -1 after those of each vertex), triangles, int32.
    """

    def __init__(self, vertices: np.ndarray, edges: tuple, faces: np.ndarray):
        """Put a hull together.

        Args:
            vertices, faces: as the attributes.
            edges: first edge of each vertex, and the edges.
        """
        self.vertices, self.faces = vertices, faces
        parts = ([len(vertices), len(faces)], edges[0], vertices, edges[1], faces.ravel())
        self.graph = np.concatenate(parts).astype(np.int32)


def hull(part: "Part", points: np.ndarray, most: int = -1) -> Hull:
    """Convex hull of some points.

    Args:
        part: the mesh, for messages.
        points: (n, 3) float64.
        most: number of points after which Qhull stops; -1: never.

    Raises:
        MjcfError: the points have no volume.
    """
    _check_spread(part, points)
    options = "Qt" if most < 0 else f"Qt TA{most - 4}"
    qhull = extension()
    try:
        facets, normals, found = _qhull(points, options)
    except qhull.QhullError as error:
        reason = str(error).strip().partition("\n")[0]
        raise part.error(f"convex hull: Qhull found: {reason}") from None
    return Hull(found.vertices, _edges(found), _outward(points, facets, normals))


def _check_spread(part: "Part", points: np.ndarray) -> None:
    """Refuse points in one place, on a line or in a plane, by MuJoCo's test."""
    # a second point that is not at the first one
    away = points - points[0]
    length = np.sqrt(dot(away, away))
    apart = np.flatnonzero(length > MINVAL)
    if not len(apart):
        raise part.error(
            "vertices: all in one place, expected a volume for the convex hull;"
            " use a small sphere instead"
        )
    # a third point that is not on the line through both
    second = apart[0]
    normal = cross(away[second], away)
    norm = np.sqrt(dot(normal, normal))
    wide = (norm > MINVAL * length[second] * length) & (length >= MINVAL)
    wide[[0, second]] = False
    if not wide.any():
        raise part.error(
            "vertices: all on one line, expected a volume for the convex hull;"
            " use a thin capsule instead"
        )
    # a fourth point that is not in the plane of the three
    third = np.flatnonzero(wide)[0]
    height = dot(points, normal[third] / norm[third])
    if not (np.abs(height - height[0]) > MINVAL * length[second]).any():
        raise part.error(
            "vertices: all in one plane, expected a volume for the convex hull;"
            " use a plane or a thin box instead"
        )


def _qhull(points: np.ndarray, options: str) -> tuple[np.ndarray, np.ndarray, Lists]:
    """Qhull's triangles and their normals, and its lists; sorted ones where they are not found."""
    found = None
    points = np.ascontiguousarray(points)
    try:
        # nothing of this class is promised
        run = extension()._Qhull(b"i", points, options.encode())
        facets, _, equations, *_ = run.get_simplex_facet_array()
        normals = equations[:, :3]
        found = lists(run, points, facets)
    except (AttributeError, TypeError):
        # another scipy: the public class
        run = extension().ConvexHull(points, qhull_options=options)
        facets, normals = run.simplices, run.equations[:, :3]
    return facets, normals, found or _sorted(facets)


def _sorted(facets: np.ndarray) -> Lists:
    """Lists of a hull with vertices by their numbers, and triangles as they come."""
    first, corners = distinct(facets.ravel())
    by_vertex = np.argsort(corners, kind="stable")
    owners = corners[by_vertex]
    return Lists(facets.ravel()[first], owners, corners.reshape(-1, 3)[by_vertex // 3])


def _outward(points: np.ndarray, facets: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """Triangles with their first two vertices swapped where that turns them outwards."""
    a, b, c = (points[facets[:, k]] for k in range(3))
    area = cross(b - a, c - a)
    sign = dot(area, normals)
    sure = np.abs(sign) > 1e-9 * np.max(np.abs(sign))
    faces = np.where((sign < 0)[:, None], facets[:, [1, 0, 2]], facets)
    if not sure.all():
        _turn_slivers(faces, sure)
    return faces


def _turn_slivers(faces: np.ndarray, sure: np.ndarray) -> None:
    """Turn triangles almost without area so that each edge has both directions."""
    directed = {(int(face[k]), int(face[(k + 1) % 3])) for face in faces[sure] for k in range(3)}
    left = np.flatnonzero(~sure).tolist()
    while left:
        waiting = []
        for k in left:
            a, b, c = faces[k].tolist()
            edges = ((a, b), (b, c), (c, a))
            along = any(edge in directed for edge in edges)
            if not along and not any((y, x) in directed for x, y in edges):
                waiting.append(k)
                continue
            if along:
                faces[k] = b, a, c
                edges = tuple((y, x) for x, y in edges)
            directed.update(edges)
        if len(waiting) == len(left):
            break
        left = waiting


def _edges(found: Lists) -> tuple[np.ndarray, np.ndarray]:
    """First edge of each vertex, and the neighbours of each vertex ended by -1.

    Neighbours come in the order in which the triangles around a vertex show them.
    """
    count = len(found.vertices)
    start, end = np.repeat(found.owners, 3), found.corners.ravel()
    start, end = start[start != end], end[start != end]
    first = distinct(start * count + end)[0]
    first.sort()
    start, end = start[first], end[first]
    degree = np.bincount(start, minlength=count)
    addresses = np.cumsum(degree + 1) - (degree + 1)
    edges = np.full(len(start) + count, -1)
    edges[np.arange(len(start)) + start] = end
    return addresses, edges
