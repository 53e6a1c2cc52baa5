"""Convex hulls of points, by Qhull, as the graph of mjModel.mesh_graph."""

from typing import TYPE_CHECKING

import numpy as np

from .hull_order import Run, order_neighbours
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

    def __init__(
        self, vertices: np.ndarray, facets: np.ndarray, faces: np.ndarray, run: "Run | None" = None
    ):
        self.vertices, self.faces = vertices, faces
        addresses, edges = _edges(vertices, facets)
        if run is not None:
            order_neighbours(run, vertices, facets, addresses, edges)
        parts = ([len(vertices), len(faces)], addresses, vertices, edges, faces.ravel())
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
    from scipy.spatial import QhullError

    try:
        vertices, facets, normals, run = _qhull(points, options)
    except QhullError as error:
        reason = str(error).strip().partition("\n")[0]
        raise part.error(f"convex hull: Qhull found: {reason}") from None
    return Hull(vertices, facets, _outward(points, facets, normals), run)


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


def _qhull(points: np.ndarray, options: str) -> tuple:
    """Qhull's vertices and triangles in the order of its lists, the triangles' normals, and a run.

    Qhull numbers the regions of a Voronoi diagram in the order of its list of vertices, which
    nothing public of scipy shows; without it the vertices are sorted. Qhull ends the process when
    it makes that diagram with points that a hull of limited size left at its triangles, therefore
    these are left out (option Q8).
    """
    from scipy.spatial import ConvexHull

    # the diagram, which has the order, is at hand only from scipy's private class
    found = None
    try:
        from scipy.spatial._qhull import _Qhull

        for extra in ("", " Q8"):
            qhull = _Qhull(b"i", points, (options + extra).encode())
            facets, _, equations, left, _ = qhull.get_simplex_facet_array()
            if found is None:
                found = facets, equations[:, :3]
            if not len(left):
                break
        if not len(left) and np.array_equal(facets, found[0]):
            _, ridges, _, _, places = qhull.get_voronoi_diagram()
            vertices = np.unique(facets)
            run = Run(points, options + extra, ridges)
            return vertices[np.argsort(places[vertices])], *found, run
    except (ImportError, AttributeError, TypeError):
        # another scipy: the public class, with sorted vertices
        hull = ConvexHull(points, qhull_options=options)
        found = hull.simplices, hull.equations[:, :3]
    return np.unique(found[0]), *found, None


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


def _edges(vertices: np.ndarray, facets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First edge of each vertex, and the neighbours of each vertex ended by -1.

    Neighbours come in the order in which the triangles around a vertex, in the order of the list,
    show them.
    """
    count = len(vertices)
    local = np.empty(vertices.max() + 1, int)
    local[vertices] = np.arange(count)
    corners = local[facets]
    # a row for each corner of a triangle and each of the two other corners
    start = corners[:, [0, 0, 1, 1, 2, 2]].ravel()
    end = corners[:, [1, 2, 0, 2, 0, 1]].ravel()
    _, first = np.unique(start * count + end, return_index=True)
    first = first[np.lexsort((first, start[first]))]
    start, end = start[first], end[first]
    degree = np.bincount(start, minlength=count)
    addresses = np.cumsum(degree + 1) - (degree + 1)
    edges = np.full(len(start) + count, -1)
    edges[np.arange(len(start)) + start] = end
    return addresses, edges
