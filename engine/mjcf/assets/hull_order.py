"""Order of the neighbours of a convex hull's vertices, as Qhull has it.

A vertex lists its triangles in the order in which they came to it, which the merging of triangles
in a plane makes another one than that of the list of all triangles. Nothing public of scipy shows
it but the ridges of a Voronoi diagram, which are found vertex by vertex: a run that is asked for
those of one vertex (option QV) has all its neighbours, without those across the last triangle.
"""

from typing import NamedTuple

import numpy as np

MOST = 200  # vertices of a hull that is looked at so; a run takes 0.5 ms there, and grows with it


class Run(NamedTuple):
    """A run of Qhull.

    Attributes:
        points: what the hull is around, (n, 3).
        options: those of the run.
        ridges: pairs of points in the order in which Qhull visits them, (k, 2).
    """

    points: np.ndarray
    options: str
    ridges: np.ndarray


def order_neighbours(
    run: Run,
    vertices: np.ndarray,
    facets: np.ndarray,
    addresses: np.ndarray,
    edges: np.ndarray,
) -> None:
    """Put neighbours of vertices into Qhull's order where it is another one.

    Args:
        run: the run that made the hull.
        vertices: ids of its points, (n,).
        facets: its triangles by ids of points in Qhull's order, (f, 3).
        addresses: first edge of each vertex, (n,).
        edges: neighbours as places in `vertices`, -1 after those of each vertex; put into order.
    """
    # large hulls keep the order that is at hand: asking Qhull again would take too long
    count = len(vertices)
    if count > MOST:
        return
    # neighbours as Qhull visits them, by places in `vertices`
    local = np.full(len(run.points), -1)
    local[vertices] = np.arange(count)
    ends = np.append(addresses[1:], len(edges)) - 1
    neighbours = [edges[a:b].tolist() for a, b in zip(addresses, ends, strict=True)]
    visited = _by_vertex(local[run.ridges], count)
    if all(_only(neighbours[u], visited[u]) == visited[u] for u in range(count)):
        return
    corners = local[facets]
    # only vertices whose order differs are written
    for u in range(count):
        found = visited[u]
        # ridges that the run left out: asked for around this vertex, then taken from triangles
        if len(found) < len(neighbours[u]):
            found = _by_vertex(local[_ridges_of(run, int(vertices[u]))], count)[u]
        if len(found) < len(neighbours[u]):
            triangles = [t for t in corners.tolist() if u in t]
            found = _completed(found, [[w for w in t if w != u] for t in triangles])
        if sorted(found) == sorted(neighbours[u]):
            edges[addresses[u] : ends[u]] = found


def _by_vertex(ridges: np.ndarray, count: int) -> list[list[int]]:
    """The second ends of ridges, by first ends, in their order."""
    found: list[list[int]] = [[] for _ in range(count)]
    for u, w in ridges.tolist():
        found[u].append(w)
    return found


def _only(neighbours: list[int], some: list[int]) -> list[int]:
    wanted = set(some)
    return [w for w in neighbours if w in wanted]


def _ridges_of(run: Run, vertex: int) -> np.ndarray:
    from scipy.spatial._qhull import _Qhull

    qhull = _Qhull(b"i", run.points, f"{run.options} QV{vertex}".encode())
    return qhull.get_voronoi_diagram()[1]


def _completed(found: list[int], triangles: list[list[int]]) -> list[int]:
    """Neighbours of a vertex, with those across the last triangle.

    Triangles are taken in the order of their list, as long as they show the neighbours that are
    known in the order in which these are known.

    Args:
        found: neighbours that are known, in order.
        triangles: the two other vertices of each triangle around the vertex.
    """
    known, order, left = set(found), [], list(triangles)
    while left:
        ahead = [w for w in found if w not in order]
        fits = [
            k for k, pair in enumerate(left)
            if (new := [w for w in pair if w in known and w not in order]) == ahead[: len(new)]
        ]  # fmt: skip
        if not fits:
            return found
        order += [w for w in left.pop(fits[0]) if w not in order]
    return order
