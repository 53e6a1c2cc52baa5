"""Stiffness of elements that strain, and of edges that bend.

Strain is measured by squared lengths of edges (Weischedel, A discrete geometric view on
shear-deformable shell models), bending by the angle between triangles (Wardetzky et al., Discrete
quadratic curvature energies; Garg et al., Cubic shells). All sums are in MuJoCo's order.
"""

import numpy as np

from ..assets.triangles import cross, dot
from ..geometry.pose import EPS
from .topology import EDGES

STIFFNESS = 21  # numbers of an element: a symmetric matrix over its edges
BENDING = 17  # numbers of an edge: a matrix over four vertices, and a factor of curvature
# sides of an element beside each edge, by its dimension: a triangle has edges for sides
FACES = {2: ((1, 2), (2, 0), (0, 1)), 3: ((2, 1, 0), (0, 1, 3), (1, 2, 3), (2, 0, 3))}
BESIDE = {
    2: ((1, 2), (2, 0), (0, 1)),
    3: ((2, 3), (1, 3), (2, 1), (1, 0), (0, 2), (0, 3)),
}


def _length(rows: np.ndarray) -> np.ndarray:
    """Lengths; very short ones are zero."""
    square = dot(rows, rows)
    return np.where(square < EPS, 0.0, np.sqrt(square))


def _unit(rows: np.ndarray) -> np.ndarray:
    """Rows of length 1; very short ones stay what they are."""
    length = _length(rows)
    kept = (length == 0) | (np.abs(length - 1) <= EPS)
    return rows / np.where(kept, 1.0, length)[:, None]


def stiffness(
    points: np.ndarray,
    elements: np.ndarray,
    dim: int,
    young: float,
    poisson: float,
    thickness: float,
):
    """Stiffness of triangles or tetrahedra, (e, STIFFNESS).

    Args:
        points: vertices at rest, (n, 3) (m).
        elements: vertices of each element, (e, dim + 1).
        dim: 2 or 3.
        young: Young's modulus (Pa).
        poisson: Poisson's ratio.
        thickness: of triangles (m).
    """
    # area of triangles, volume of tetrahedra
    a, b, c = (points[elements[:, k]] for k in range(3))
    normal = cross(b - a, c - a)
    if dim == 2:
        volume, scale = _length(normal) / 2, thickness
    else:
        volume, scale = dot(normal, points[elements[:, 3]] - a) / 6, 4.0
    # Lame's parameters, times the volume, and a factor of the strain that edges measure
    mu = young / (2 * (1 + poisson)) * np.abs(volume) / 4 * scale
    la = young * poisson / ((1 + poisson) * (1 - 2 * poisson)) * np.abs(volume) / 4 * scale
    bases = [_basis(points, elements, dim, beside, volume) for beside in BESIDE[dim]]
    traces = [basis[:, 0, 0] + basis[:, 1, 1] + basis[:, 2, 2] for basis in bases]
    # symmetric: the upper triangle, for each pair of edges
    found, column, count = np.zeros((len(elements), STIFFNESS)), 0, len(EDGES[dim])
    for k in range(count):
        for l in range(k, count):
            both = np.zeros(len(elements))
            for i in range(3):
                for j in range(3):
                    both = both + bases[k][:, i, j] * bases[l][:, j, i]
            found[:, column] = mu * both + la * traces[l] * traces[k]
            column += 1
    return found


def _basis(
    points: np.ndarray, elements: np.ndarray, dim: int, beside: tuple, volume: np.ndarray
) -> np.ndarray:
    """Strain by the squared length of one edge: products of two normals, (e, 3, 3)."""
    left, right = (elements[:, np.array(FACES[dim][k])] for k in beside)
    if dim == 2:
        to_left = points[left[:, 0]] - points[left[:, 1]]
        to_right = points[right[:, 1]] - points[right[:, 0]]
        normal = _unit(cross(to_right, to_left))
        one, two = cross(normal, to_left), cross(to_right, normal)
        area = 8 * volume * volume
    else:
        one, two = (
            cross(points[f[:, 1]] - points[f[:, 0]], points[f[:, 2]] - points[f[:, 0]])
            for f in (left, right)
        )
        area = 36 * 2 * volume * volume
    outer = one[:, :, None] * two[:, None, :] + two[:, :, None] * one[:, None, :]
    return outer / area[:, None, None]


def _cotangent(points: np.ndarray, v0: np.ndarray, v1: np.ndarray, v2: np.ndarray) -> np.ndarray:
    """Cotangents of the angles at v0."""
    one, two = points[v1] - points[v0], points[v2] - points[v0]
    normal = cross(one, two)
    return dot(one, two) / np.sqrt(dot(normal, normal))


def bending(points: np.ndarray, flaps: np.ndarray, young: float, poisson: float, thickness: float):
    """Bending stiffness of edges, (n, BENDING); zero on the border.

    Args:
        points: vertices at rest, (n, 3) (m).
        flaps: vertices of each edge and opposite to it, (n, 4).
        young: Young's modulus (Pa).
        poisson: Poisson's ratio.
        thickness: of the sheet (m).
    """
    found = np.zeros((len(flaps), BENDING))
    inner = flaps[:, 3] >= 0
    v0, v1, v2, v3 = flaps[inner].T
    # cotangents of the four angles at the edge
    a01, a02 = _cotangent(points, v0, v1, v2), _cotangent(points, v0, v3, v1)
    a03, a04 = _cotangent(points, v1, v2, v0), _cotangent(points, v1, v0, v3)
    c = (a03 + a04, a01 + a02, -(a01 + a03), -(a02 + a04))
    areas = (_area(points, v0, v1, v2), _area(points, v1, v0, v3))
    mu = young / (2 * (1 + poisson))
    scale = 3 * mu * thickness**3 / (24 * (areas[0] + areas[1]))
    e0, e1, e2 = points[v1] - points[v0], points[v2] - points[v0], points[v3] - points[v0]
    e3, e4 = points[v2] - points[v1], points[v3] - points[v1]
    t0 = -(a03[:, None] * e1 + a01[:, None] * e3)
    t1 = -(a04[:, None] * e2 + a02[:, None] * e4)
    square = dot(e0, e0)
    cosine = -dot(t0, t1) / square
    for k in range(4):
        for l in range(4):
            found[inner, 4 * k + l] = c[k] * c[l] * cosine * scale
    height = dot(cross(e0, e1), e2)
    found[inner, 16] = height * (a01 - a03) * (a04 - a02) * scale / (square * np.sqrt(square))
    return found


def _area(points: np.ndarray, v0: np.ndarray, v1: np.ndarray, v2: np.ndarray) -> np.ndarray:
    normal = cross(points[v1] - points[v0], points[v2] - points[v0])
    return np.sqrt(dot(normal, normal)) / 2
