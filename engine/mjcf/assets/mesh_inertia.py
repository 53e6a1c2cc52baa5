"""Volume, centre, principal axes and the equivalent box of a mesh."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..geometry.inertia import principal
from .triangles import MINVAL, dot, measure, total

if TYPE_CHECKING:
    from ..draft.draft import Part

RELATIVE, ABSOLUTE = 1e-6, 1e-9  # by how much a moment may be above the sum of the others
_PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


class Body(NamedTuple):
    """Mass properties of a mesh of density 1.

    Attributes:
        pos, quat: its inertial frame, as tuples.
        box: half sizes of the solid box of equal inertia (m).
        measure: volume (m^3); of a shell its area (m^2).
    """

    pos: tuple
    quat: tuple
    box: tuple
    measure: float


def body(part: "Part", points: np.ndarray, faces: np.ndarray, hull: Any, mode: str) -> Body:
    """Inertial frame and box of a mesh.

    Args:
        part: the mesh, for messages.
        points: (n, 3).
        faces: triangles, (f, 3).
        hull: its convex hull, or None.
        mode: "convex", "exact", "legacy" (volumes count positive) or "shell".

    Raises:
        MjcfError: no area, no volume, or a negative one.
    """
    measured = measure(points, faces)
    inner = _face_centroid(part, measured)
    if mode == "convex":
        faces = hull.faces
        measured = measure(points, faces)
    return _from_inside(part, points, faces, measured, mode, inner)


def _face_centroid(part: "Part", measured: tuple) -> np.ndarray:
    """Centre of all triangles, weighted by area."""
    area, _, centre = measured
    whole = total(area)
    if whole < MINVAL:
        raise part.error(f"faces: area {whole:g}, expected a larger mesh")
    return total(area[:, None] * centre) / whole


def _from_inside(
    part: "Part", points: Any, faces: Any, measured: tuple, mode: str, inner: np.ndarray
) -> Body:
    """Sum over the tetrahedra between triangles and a point inside."""
    area, normal, centre = measured
    size = area if mode == "shell" else dot(centre - inner, normal) * area / 3
    if mode == "legacy":
        size = np.abs(size)
    whole = float(total(size))
    _check_size(part, whole, mode)
    pos = total(size[:, None] * (centre * 3.0 / 4.0 + inner / 4.0)) / whole
    moments, whole = _moments(points - pos, faces, mode)
    axes, quat = principal(tuple(moments.tolist()))
    _check_moments(part, axes)
    a, b, c = axes
    box = 0.5 * np.sqrt(6 * np.array([b + c - a, a + c - b, a + b - c]) / whole)
    return Body(tuple(pos.tolist()), quat, tuple(box.tolist()), whole)


def _check_size(part: "Part", size: float, mode: str) -> None:
    if not size < MINVAL:
        return
    if mode == "shell":
        raise part.error(f"faces: area {size:g}, expected a larger mesh")
    if size < 0:
        raise part.error(
            f"faces: volume {size:g}, expected triangles that are counter-clockwise seen from"
            " outside; turn them, or use inertia='legacy' or 'shell'"
        )
    raise part.error(f"faces: volume {size:g}, expected a larger one; try inertia='shell'")


def _moments(points: np.ndarray, faces: np.ndarray, mode: str) -> tuple[np.ndarray, float]:
    """Full inertia (xx, yy, zz, xy, xz, yz) of density 1 about the origin, and the volume."""
    area, normal, centre = measure(points, faces)
    size = area if mode == "shell" else dot(centre, normal) * area / 3
    if mode == "legacy":
        size = np.abs(size)
    d, e, f = (points[faces[:, k]].T.copy() for k in range(3))
    weight = size / (12 if mode == "shell" else 20)
    sums = []
    for i, j in _PAIRS:
        products = 2 * (d[i] * d[j] + e[i] * e[j] + f[i] * f[j])
        for a, b in ((d, e), (d, f), (e, f)):
            products = products + a[i] * b[j] + a[j] * b[i]
        sums.append(total(weight * products))
    xx, yy, zz, xy, xz, yz = sums
    return np.array([yy + zz, xx + zz, xx + yy, -xy, -xz, -yz]), float(total(size))


def _check_moments(part: "Part", axes: tuple) -> None:
    a, b, c = axes
    if c <= 0:
        raise part.error(f"inertia {a:g} {b:g} {c:g}: expected positive moments")
    for x, y, z in ((a, b, c), (a, c, b), (b, c, a)):
        if x + y < z * (1.0 - RELATIVE) - ABSOLUTE:
            raise part.error(
                f"inertia {a:g} {b:g} {c:g}: expected no moment above the sum of the others;"
                " check that the triangles enclose a volume, or use inertia='convex'"
            )
