"""Volume, centre, principal axes and the equivalent box of a mesh."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...simd.record import Layout
from ..geometry.inertia import principal
from .compiled import pays, run
from .triangles import MINVAL, dot, measure, total

if TYPE_CHECKING:
    from ..draft.draft import Part

LAYOUT = Layout(
    "sums of triangles",
    [
        ("nface", "size"), ("what", "size"), ("mode", "size"), ("point", "f8", True, False),
        ("face", "i4"), ("origin", "f8", True, False), ("sum", "f8", True, False),
    ],
)  # fmt: skip
# what is added up: see triangle_kernels.py
AREAS, VOLUMES, MOMENTS = range(3)
MODES = {"convex": 0, "exact": 0, "legacy": 1, "shell": 2}
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
    triangles = _Triangles(points, faces)
    inner = _face_centroid(part, triangles)
    if mode == "convex":
        triangles = _Triangles(points, hull.faces)
    return _from_inside(part, triangles, mode, inner)


def _face_centroid(part: "Part", triangles: "_Triangles") -> np.ndarray:
    """Centre of all triangles, weighted by area."""
    whole, *weighted = triangles.sums(AREAS)
    if whole < MINVAL:
        raise part.error(f"faces: area {whole:g}, expected a larger mesh")
    return np.array(weighted) / whole


def _from_inside(part: "Part", triangles: "_Triangles", mode: str, inner: np.ndarray) -> Body:
    """Sum over the tetrahedra between triangles and a point inside."""
    whole, *weighted = triangles.sums(VOLUMES, mode, inner)
    _check_size(part, float(whole), mode)
    pos = np.array(weighted) / whole
    xx, yy, zz, xy, xz, yz, whole = triangles.sums(MOMENTS, mode, pos)
    moments = (yy + zz, xx + zz, xx + yy, -xy, -xz, -yz)
    axes, quat = principal(tuple(map(float, moments)))
    _check_moments(part, axes)
    a, b, c = axes
    box = 0.5 * np.sqrt(6 * np.array([b + c - a, a + c - b, a + b - c]) / whole)
    return Body(tuple(pos.tolist()), quat, tuple(box.tolist()), float(whole))


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


class _Triangles:
    """Triangles of a mesh, and sums over them, by a kernel or by numpy."""

    def __init__(self, points: np.ndarray, faces: np.ndarray):
        from .triangle_kernels import add_triangles

        self._points, self._faces = points, faces
        self._measured: tuple | None = None
        if pays(add_triangles, LAYOUT, len(faces)):
            self._faces = faces.astype(np.int32)
        else:
            self._measured = measure(points, faces)

    def sums(self, what: int, mode: str = "exact", origin: Any = (0.0, 0.0, 0.0)) -> np.ndarray:
        """Sums over all triangles.

        Args:
            what: AREAS: area, and centres times areas, (4,). VOLUMES: volume between triangles
                and the origin, and centres of tetrahedra times volumes, (4,). MOMENTS: xx, yy, zz,
                xy, xz, yz of density 1 about the origin, and the volume, (7,).
            mode: how triangles count, as of `body`.
            origin: (3,).
        """
        if self._measured is None:
            from .triangle_kernels import add_triangles

            found = np.zeros(7)
            run(
                add_triangles, LAYOUT, nface=len(self._faces), what=what, mode=MODES[mode],
                point=self._points, face=self._faces, origin=np.asarray(origin, float), sum=found,
            )  # fmt: skip
            return found if what == MOMENTS else found[:4]
        if what == MOMENTS:
            return _moments(self._points - origin, self._faces, mode)
        area, normal, centre = self._measured
        if what == AREAS:
            return total(np.column_stack([area, area[:, None] * centre]))
        size = _sizes(area, normal, centre - origin, mode)
        place = centre * 3.0 / 4.0 + np.asarray(origin) / 4.0
        return total(np.column_stack([size, size[:, None] * place]))


def _sizes(area: np.ndarray, normal: np.ndarray, centre: np.ndarray, mode: str) -> np.ndarray:
    """How much triangles count: their areas, or volumes of the tetrahedra below them."""
    size = area if mode == "shell" else dot(centre, normal) * area / 3
    return np.abs(size) if mode == "legacy" else size


def _moments(points: np.ndarray, faces: np.ndarray, mode: str) -> np.ndarray:
    """Integrals of xx, yy, zz, xy, xz, yz of density 1, and the volume, (7,)."""
    size = _sizes(*measure(points, faces), mode)
    d, e, f = (points[faces[:, k]].T.copy() for k in range(3))
    weight = size / (12 if mode == "shell" else 20)
    sums = []
    for i, j in _PAIRS:
        products = 2 * (d[i] * d[j] + e[i] * e[j] + f[i] * f[j])
        for a, b in ((d, e), (d, f), (e, f)):
            products = products + a[i] * b[j] + a[j] * b[i]
        sums.append(total(weight * products))
    return np.array([*sums, total(size)])


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
