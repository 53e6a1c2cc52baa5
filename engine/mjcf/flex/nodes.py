"""Stiffness of the cells of deformables whose vertices follow nodes of a grid.

Nodes are those of finite elements of order 1 or 2 (linear elasticity). A shell has cells on the six
sides of the grid only, without thickness of their own. Sums are in MuJoCo's order.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from ..assets.triangles import cross, dot
from ..geometry.pose import EPS

SIDE_AXIS = (0, 0, 1, 1, 2, 2)  # across which axis each side of a grid lies
EDGE_NUMBERS = 10  # of an edge between two sides: the sides, places on them, stiffness, angle
SWEEPS, SMALL = 200, 1e-12  # of the eigenvalue iteration
RIGID = 6  # motions of a rigid cell


class Grid(NamedTuple):
    """Nodes of a deformable at rest.

    Attributes:
        points: nodes, (n, 3), the last axis fastest (m).
        cells: number of cells along each axis.
        order: 1: nodes at the corners of cells; 2: in the middle of their edges too.
    """

    points: np.ndarray
    cells: tuple
    order: int

    def nodes(self, first: tuple, steps: list) -> np.ndarray:
        """Places of a block of nodes in `points`.

        Args:
            first: cell, or for an axis with one step a node.
            steps: nodes along each axis from there.
        """
        _, ny, nz = (n * self.order + 1 for n in self.cells)
        x, y, z = np.meshgrid(*(f + np.arange(s) for f, s in zip(first, steps, strict=True)),
                              indexing="ij")  # fmt: skip
        return ((x * ny + y) * nz + z).ravel()

    def cell(self, place: tuple) -> np.ndarray:
        """Nodes of a cell."""
        return self.nodes(tuple(k * self.order for k in place), [self.order + 1] * 3)

    def sides(self) -> list["Side"]:
        """Cells on the six sides, side after side."""
        found = []
        for number, axis in enumerate(SIDE_AXIS):
            slow, fast = (axis + 1) % 3, (axis + 2) % 3
            for a in range(self.cells[slow]):
                found += [Side(number, axis, (a, b)) for b in range(self.cells[fast])]
        return found

    def side_nodes(self, side: "Side") -> np.ndarray:
        """Nodes of a cell on a side; the second of its axes fastest."""
        axis, order = side.axis, self.order
        slow, fast = (axis + 1) % 3, (axis + 2) % 3
        _, ny, nz = (n * order + 1 for n in self.cells)
        weight = (ny * nz, nz, 1)
        a = side.place[0] * order + np.arange(order + 1)[:, None]
        b = side.place[1] * order + np.arange(order + 1)[None, :]
        fixed = self.cells[axis] * order * (side.number % 2)
        return (weight[slow] * a + weight[fast] * b + weight[axis] * fixed).ravel()


class Side(NamedTuple):
    """A cell on a side of a grid.

    Attributes:
        number: of the side.
        axis: across which it lies.
        place: of the cell on the side, along the axes after this one.
    """

    number: int
    axis: int
    place: tuple


def basis(s: float, order: int) -> list[float]:
    """Values of the functions of the nodes at a place from 0 to 1."""
    if order == 1:
        return [1 - s, s]
    return [2 * s * s - 3 * s + 1, 4 * (s - s * s), 2 * s * s - s]


def slopes(s: float, order: int) -> list[float]:
    """Derivatives of the functions of the nodes."""
    return [-1, 1] if order == 1 else [4 * s - 3, 4 * (1 - 2 * s), 4 * s - 1]


def _quadrature(order: int) -> list[tuple[float, float]]:
    """Places and weights from 0 to 1: of Gauss and Legendre for order 1.

    For order 2 the outer ones of the three places lie farther out than theirs, as in MuJoCo.
    """
    if order == 1:
        return [(-0.5 / sqrt(3) + 0.5, 0.5), (0.5 / sqrt(3) + 0.5, 0.5)]
    root = 0.5 / sqrt(3.0 / 5.0)
    return [(0.5, 8.0 / 9.0 * 0.5), (-root + 0.5, 5.0 / 9.0 * 0.5), (root + 0.5, 5.0 / 9.0 * 0.5)]


def cell_stiffness(points: np.ndarray, young: float, poisson: float, order: int) -> np.ndarray:
    """Stiffness of a cell, negative, (3 n, 3 n) (N/m).

    Args:
        points: its nodes at rest, (n, 3) (m).
        young: Young's modulus (Pa).
        poisson: Poisson's ratio.
        order: 1 or 2.
    """
    # Lame's parameters
    dx, dy, dz = (points[-1] - points[0]).tolist()
    la = young * poisson / (1 + poisson) / (1 - 2 * poisson)
    mu = young / (2 * (1 + poisson))
    found = np.zeros((3 * len(points), 3 * len(points)))
    inverse = np.array([1.0 / dx, 1.0 / dy, 1.0 / dz])
    # Gauss quadrature over the cell, exact for polynomials of this order
    for s, ws in _quadrature(order):
        for t, wt in _quadrature(order):
            for u, wu in _quadrature(order):
                volume = ws * wt * wu * (dx * dy * dz)
                # slopes of each node's shape function along the three axes
                f, g, h = (basis(x, order) for x in (s, t, u))
                df, dg, dh = (slopes(x, order) for x in (s, t, u))
                nodes = [(i, j, k) for i in range(order + 1) for j in range(order + 1)
                         for k in range(order + 1)]  # fmt: skip
                gradients = np.array([
                    (df[i] * g[j] * h[k], f[i] * dg[j] * h[k], f[i] * g[j] * dh[k])
                    for i, j, k in nodes
                ])  # fmt: skip
                _add_strains(found, inverse * gradients, la, mu, volume)
    return found


def side_stiffness(
    points: np.ndarray, young: float, poisson: float, order: int, thickness: float, axis: int
) -> np.ndarray:
    """Stiffness of a flat cell on a side, in plane stress, negative, (3 n, 3 n) (N/m).

    Args:
        points: its nodes at rest, (n, 3) (m).
        young: Young's modulus (Pa).
        poisson: Poisson's ratio.
        order: 1 or 2.
        thickness: of the shell (m).
        axis: across which it lies.
    """
    # plane stress: Lame's parameters for two dimensions
    slow, fast = (axis + 1) % 3, (axis + 2) % 3
    extent = points[-1] - points[0]
    d0, d1 = float(extent[slow]), float(extent[fast])
    la = young * poisson / (1.0 - poisson * poisson)
    mu = young / (2.0 * (1.0 + poisson))
    found = np.zeros((3 * len(points), 3 * len(points)))
    # Gauss quadrature over the side
    for s, ws in _quadrature(order):
        for t, wt in _quadrature(order):
            area = ws * wt * (d0 * d1) * thickness
            f, g, df, dg = basis(s, order), basis(t, order), slopes(s, order), slopes(t, order)
            gradients = np.zeros((len(points), 3))
            gradients[:, slow] = [1.0 / d0 * (a * b) for a in df for b in g]
            gradients[:, fast] = [1.0 / d1 * (a * b) for a in f for b in dg]
            _add_strains(found, gradients, la, mu, area)
    return found


def _add_strains(found: np.ndarray, gradients: np.ndarray, la: float, mu: float, volume: float):
    """Subtract what strains at one place add to a stiffness.

    Args:
        found: (3 n, 3 n).
        gradients: of the functions of the nodes there, (n, 3) (1/m).
        la, mu: Lamé's parameters (Pa).
        volume: that the place stands for (m^3).
    """
    n = len(gradients)
    moved = np.zeros((n, 3, 3, 3))
    for k in range(3):
        moved[:, k, k, :] = gradients
    strain = ((moved + moved.swapaxes(2, 3)) / 2).reshape(3 * n, 3, 3)
    trace = gradients.ravel()
    found -= la * trace[:, None] * trace[None, :] * volume
    both = np.zeros((3 * n, 3 * n))
    for i in range(3):
        terms = [strain[:, i, j][:, None] * strain[:, j, i][None, :] for j in range(3)]
        both = both + (terms[0] + terms[1] + terms[2])
    found -= mu * both * volume


def eigenvectors(stiffness: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Directions of strain of a cell, scaled by the roots of their stiffness.

    Args:
        stiffness: negative, (n, n).
        points: nodes of the cell at rest, (n / 3, 3) (m).

    Returns:
        Their number, and then one after the other, zeros behind, (n, n).
    """
    n = len(stiffness)
    # rigid motions cost no energy: what rounding leaves of them is taken out
    values, vectors = _jacobi(stiffness.copy())
    rigid = _rigid_motions(points)
    found, count = np.zeros(n * n), 0
    threshold = np.abs(values).max() * 1e-8
    # directions that cost next to nothing are motions of that kind
    for value, vector in zip(-values, vectors.T, strict=True):
        if value <= threshold:
            continue
        scaled = sqrt(value) * vector
        for motion in rigid:
            scaled = scaled - _sum(scaled * motion) * motion
        if _sum(scaled * scaled) >= value * 1e-6:
            found[1 + count * n : 1 + (count + 1) * n] = scaled
            count += 1
    found[0] = count
    return found.reshape(n, n)


def _sum(values: np.ndarray) -> float:
    """Sum, one after the other."""
    return float(np.cumsum(values)[-1])


def _rigid_motions(points: np.ndarray) -> np.ndarray:
    """Translations and rotations of points, orthonormal, (6, 3 n)."""
    centre = np.cumsum(points, axis=0)[-1] / len(points)
    x, y, z = (points - centre).T
    motions = np.zeros((RIGID, len(points), 3))
    for k in range(3):
        motions[k, :, k] = 1
    motions[3, :, 1], motions[3, :, 2] = -z, y
    motions[4, :, 0], motions[4, :, 2] = z, -x
    motions[5, :, 0], motions[5, :, 1] = -y, x
    motions = motions.reshape(RIGID, -1)
    for i in range(RIGID):
        for j in range(i):
            motions[i] -= _sum(motions[i] * motions[j]) * motions[j]
        square = _sum(motions[i] * motions[i])
        motions[i] = motions[i] * (1.0 / sqrt(square)) if square > 1e-20 else 0.0
    return motions


def _jacobi(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and eigenvectors (columns) of a symmetric matrix, by Jacobi's rotations."""
    n = len(matrix)
    vectors = np.eye(n)
    upper = np.triu_indices(n, 1)
    for _ in range(SWEEPS):
        if _sum(matrix[upper] ** 2) < SMALL * SMALL:
            break
        for p in range(n):
            for q in range(p + 1, n):
                apq = matrix[p, q]
                if abs(apq) < SMALL * 1e-3:
                    continue
                _rotate(matrix, vectors, p, q, float(apq))
    return np.diag(matrix).copy(), vectors


def _rotate(matrix: np.ndarray, vectors: np.ndarray, p: int, q: int, apq: float) -> None:
    """One rotation that makes an element zero."""
    app, aqq = float(matrix[p, p]), float(matrix[q, q])
    tau = (aqq - app) / (2.0 * apq)
    t = (1.0 if tau >= 0 else -1.0) / (abs(tau) + sqrt(1.0 + tau * tau))
    c = 1.0 / sqrt(1.0 + t * t)
    s = t * c
    old_p, old_q = matrix[:, p], matrix[:, q]
    row_p, row_q = c * old_p - s * old_q, s * old_p + c * old_q
    row_p[p], row_p[q], row_q[p], row_q[q] = app - t * apq, 0.0, 0.0, aqq + t * apq
    matrix[p], matrix[q] = row_p, row_q
    matrix[:, p], matrix[:, q] = row_p, row_q
    v_p, v_q = vectors[:, p].copy(), vectors[:, q].copy()
    vectors[:, p], vectors[:, q] = c * v_p - s * v_q, s * v_p + c * v_q


# bending of shells


def shell_bending(grid: Grid, young: float, poisson: float, thickness: float) -> np.ndarray:
    """Bending of a shell at the edges between its cells: their number, and numbers of each.

    Args:
        grid: nodes at rest.
        young: Young's modulus (Pa).
        poisson: Poisson's ratio.
        thickness: of the shell (m).
    """
    # flexural rigidity
    modulus = young * thickness * thickness * thickness / (12.0 * (1.0 - poisson * poisson))
    # pairs of neighbouring sides, each once
    sides = grid.sides()
    number = {(side.number, side.place): k for k, side in enumerate(sides)}
    rows = []
    for k, side in enumerate(sides):
        for direction in range(2):
            for step in (-1, 1):
                other, here, there = _neighbour(grid, side, direction, step)
                if k < number[other.number, other.place]:
                    rows.append([k, number[other.number, other.place], *here, *there, 0, 0, 0, 0])
    found = np.array(rows, float).reshape(-1, EDGE_NUMBERS)
    # numbers of each pair: stiffness, and how far the normals differ at rest
    for row in found:
        ends = [sides[int(row[0])], sides[int(row[1])]]
        places = [row[2:4].tolist(), row[4:6].tolist()]
        frames = [_frame(grid, s, p) for s, p in zip(ends, places, strict=True)]
        normals = [cross(*frame) for frame in frames]
        lengths = [sqrt(float(dot(n, n))) for n in normals]
        if min(lengths) < EPS:
            row[:] = 0
            # a folded cell has no normal
            continue
        normals = [_normalized(n) for n in normals]
        # width along the common edge, and distance across it
        along, across = [], []
        for place, (t1, t2) in zip(places, frames, strict=True):
            one, two = (_norm(t) for t in (t1, t2))
            along.append(one if place[0] == 0.5 else two)
            across.append(two if place[0] == 0.5 else one)
        height = (across[0] + across[1]) / 2
        row[6] = modulus * ((along[0] + along[1]) / 2) / max(height, 1e-12)
        row[7:] = normals[0] - normals[1]
    return np.concatenate([[float(len(found))], found.ravel()])


def _norm(v: np.ndarray) -> float:
    square = float(dot(v, v))
    return 0.0 if square < EPS else sqrt(square)


def _normalized(v: np.ndarray) -> np.ndarray:
    length = _norm(v)
    return v if length == 0 or abs(length - 1) <= EPS else v / length


def _neighbour(grid: Grid, side: Side, direction: int, step: int) -> tuple[Side, list, list]:
    """The cell beyond an edge of a cell, and the middle of the edge on both, from 0 to 1."""
    end = 1.0 if step > 0 else 0.0
    here = [end, 0.5] if direction == 0 else [0.5, end]
    axes = (side.axis + 1) % 3, (side.axis + 2) % 3
    beyond = side.place[direction] + step
    if 0 <= beyond < grid.cells[axes[direction]]:
        place = (beyond, side.place[1]) if direction == 0 else (side.place[0], beyond)
        there = [1.0 - end, 0.5] if direction == 0 else [0.5, 1.0 - end]
        return Side(side.number, side.axis, place), here, there
    # around the corner
    axis, far = axes[direction], side.number % 2
    border = grid.cells[side.axis] - 1 if far else 0
    run, number = side.place[1 - direction], 2 * axis + (step > 0)
    if direction == 0:
        return Side(number, axis, (run, border)), here, [0.5, float(far)]
    return Side(number, axis, (border, run)), here, [float(far), 0.5]


def _frame(grid: Grid, side: Side, place: list) -> tuple[np.ndarray, np.ndarray]:
    """Tangents of a cell at a place, not normalized."""
    points, order = grid.points[grid.side_nodes(side)], grid.order
    f, g = basis(place[0], order), basis(place[1], order)
    df, dg = slopes(place[0], order), slopes(place[1], order)
    t1, t2 = np.zeros(3), np.zeros(3)
    for k, (a, b) in enumerate((a, b) for a in range(order + 1) for b in range(order + 1)):
        t1 = t1 + points[k] * (df[a] * g[b])
        t2 = t2 + points[k] * (f[a] * dg[b])
    return t1, t2
