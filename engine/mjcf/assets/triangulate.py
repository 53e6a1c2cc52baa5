"""Polygons of OBJ files to triangles, by cutting ears off in single precision.

The order in which ears are tried, and what counts as one, decide which triangles a mesh has: they
are those of tinyobjloader.
"""

import warnings
from typing import Any

import numpy as np

EPSILON = np.finfo(np.float32).eps
HALF = np.float32(0.5)
MOST = 100  # corners of a polygon
AT_ONCE = 1_000_000  # points that are looked at together


def triangulate(corners: np.ndarray, counts: np.ndarray, vertices: np.ndarray) -> np.ndarray:
    """Corners of triangles, (f, 3, 3) int32, in the order of the polygons.

    Args:
        corners: corners of all polygons, (n, 3): vertex, texture coordinates, normal.
        counts: how many each polygon has; those with fewer than 3 or more than `MOST` are left out.
        vertices: (n, 3) float32.
    """
    if (most := counts.max(initial=0)) > MOST:
        warnings.warn(
            f"OBJ file: a polygon of {most:,} corners, expected at most {MOST}: ignored, as MuJoCo"
            " does; save it as triangles",
            stacklevel=2,
        )
    # polygons of equal length are cut together
    starts = np.cumsum(counts) - counts
    sources, pieces = [np.empty(0, int)], [np.empty((0, 3, 3), int)]
    for count in np.flatnonzero(np.bincount(counts[(counts > 2) & (counts <= MOST)])):
        where = np.flatnonzero(counts == count)
        polygons = corners[starts[where, None] + np.arange(count)]
        found, triangles = np.arange(len(where)), polygons
        if count > 3:
            with np.errstate(all="ignore"):
                found, triangles = _cut(polygons, vertices)
        sources.append(where[found])
        pieces.append(triangles)
    # back to the order of the file
    order = np.argsort(np.concatenate(sources), kind="stable")
    return np.concatenate(pieces)[order].astype(np.int32)


def _cut(corners: np.ndarray, vertices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Cut polygons of equal length, all at once.

    Args:
        corners: (p, n, 3), n > 3.
        vertices: (n, 3) float32.

    Returns:
        The polygon of each triangle, those of one polygon in order, and the triangles.
    """
    count, size = corners.shape[:2]
    # signed area of the polygon in the plane of two coordinates: its sign says which corners are
    # convex
    points, there = _flattened(corners[..., 0], vertices)
    following = np.roll(points, -1, axis=1)
    both = there & np.roll(there, -1, axis=1)
    area = np.zeros(count, np.float32)
    for k in range(size):
        a, b = points[:, k], following[:, k]
        area += np.where(both[:, k], (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) * HALF, np.float32(0))
    # ear clipping of all polygons at once; one round tries one corner of each that is not done
    rest = np.tile(np.arange(size), (count, 1))  # corners that are not cut off, at the front
    left = np.full(count, size)
    guess, tries, fresh = np.zeros(count, int), np.full(count, size), np.zeros(count, bool)
    sources, triangles = [], []
    while True:
        active = np.flatnonzero((left > 3) & (tries > 0))
        if not active.size:
            break
        guess[active] %= left[active]
        # as many tries as corners are left after each cut, then the polygon is given up
        tries[active] = np.where(fresh[active], left[active], tries[active] - 1)
        ear = _is_ear(active, rest, left, guess, points, there, area)
        cut = active[ear]
        places = (guess[cut, None] + np.arange(3)) % left[cut, None]
        sources.append(cut)
        triangles.append(corners[cut[:, None], rest[cut[:, None], places]])
        # the corner at the ear's tip goes, those behind it move up
        behind = np.arange(size) >= places[:, 1:2]
        rest[cut] = np.where(behind, np.roll(rest[cut], -1, axis=1), rest[cut])
        left[cut] -= 1
        guess[active[~ear]] += 1
        fresh[active] = ear
    # three corners that are left are the last triangle
    last = np.flatnonzero(left == 3)
    sources.append(last)
    triangles.append(corners[last[:, None], rest[last, :3]])
    # the stable sort keeps the order of cuts within a polygon
    source, found = np.concatenate(sources), np.concatenate(triangles)
    order = np.argsort(source, kind="stable")
    return source[order], found[order]


def _flattened(places: np.ndarray, vertices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Corners of polygons in the plane of two axes, (p, n, 2); whether their vertices exist."""
    there = (places >= 0) & (places < len(vertices))
    points = np.zeros((*places.shape, 3), np.float32)
    points[there] = vertices[places[there]]
    edges = np.roll(points, -1, axis=1) - points
    turned = np.roll(edges, -1, axis=1)
    x, y, z = (
        np.abs(edges[..., a] * turned[..., b] - edges[..., b] * turned[..., a])
        for a, b in ((1, 2), (2, 0), (0, 1))
    )
    whole = there & np.roll(there, -1, axis=1) & np.roll(there, -2, axis=1)
    corner = whole & ((x > EPSILON) | (y > EPSILON) | (z > EPSILON))
    first = corner.argmax(axis=1)[:, None]
    x, y, z = (np.take_along_axis(c, first, 1)[:, 0] for c in (x, y, z))
    flat = ~corner.any(axis=1) | ((x > y) & (x > z))
    axes = np.empty((len(places), 2), int)
    axes[:, 0] = np.where(flat, 1, 0)
    axes[:, 1] = np.where(flat | ~((z > x) & (z > y)), 2, 1)
    chosen = np.take_along_axis(points, axes[:, None], axis=2)
    return np.where(there[..., None], chosen, np.float32(0)), there


def _is_ear(
    active: Any, rest: Any, left: Any, guess: Any, points: Any, there: Any, area: Any
) -> np.ndarray:
    """Mask of the active polygons whose corner behind the guess can be cut off."""
    size = left[active][:, None]
    rows = active[:, None]
    places = rest[rows, (guess[rows] + np.arange(3)) % size]
    a, b, c = (points[active, places[:, k]] for k in range(3))
    cross = (b[:, 0] - a[:, 0]) * (c[:, 1] - b[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - b[:, 0])
    ear = ~(cross * area[active] < 0)
    convex = np.flatnonzero(ear)
    rows, size, triangle = rows[convex], size[convex], tuple(x[convex, None] for x in (a, b, c))
    block = max(1, AT_ONCE // max(1, len(convex)))
    for k in range(3, rest.shape[1], block):
        ahead = np.arange(k, min(k + block, rest.shape[1]))
        place = rest[rows, (guess[rows] + ahead) % size]
        counts = (ahead < size) & there[rows, place]
        ear[convex] &= ~(counts & _inside(triangle, points[rows, place])).any(axis=1)
    return ear


def _inside(triangle: tuple, point: np.ndarray) -> np.ndarray:
    """Mask of the points inside triangles: an odd number of edges is to the right of them."""
    x, y = point[..., 0], point[..., 1]
    odd = np.zeros(x.shape, bool)
    for k in range(3):
        (xi, yi), (xj, yj) = ((p[..., 0], p[..., 1]) for p in (triangle[k], triangle[k - 1]))
        odd ^= ((yi > y) != (yj > y)) & (x < (xj - xi) * (y - yi) / (yj - yi) + xi)
    return odd
