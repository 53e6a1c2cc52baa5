"""Volume, inertia, bounds and fluid coefficients of geoms, a row of functions per shape.

Inertias are about the centre, along the geom's axes, of a solid or a thin shell. Terms are added in
MuJoCo's order, because rounding decides which way the axes of equal moments point.
"""

from collections.abc import Sequence
from math import nan, pi, sqrt

from .pose import EPS

MAXVAL = 1e10  # half size of something infinite


def _sphere(size: Sequence[float], mass: float, shell: bool):
    r = size[0]
    volume = 4 * pi * r * r if shell else 4 * pi * r * r * r / 3
    moment = 2 * mass * r * r / (3 if shell else 5)
    return volume, (moment, moment, moment)


def _capsule(size: Sequence[float], mass: float, shell: bool):
    r, half = size[0], size[1]
    h = 2 * half
    if shell:
        ball, wall = 4 * pi * r * r, 2 * pi * r * h
        mb = mass * ball / (ball + wall)
        mc = mass - mb
        centre = r / 2
        across = mc * (6 * r * r + h * h) / 12
        far = half + centre
        across += 2 * mb * r * r / 3 + mb * (far * far - centre * centre)
        return ball + wall, (across, across, mc * r * r + 2 * mb * r * r / 3)
    volume = pi * (r * r * h + 4 * r * r * r / 3)
    mb = mass * 4 * r / (4 * r + 3 * h)
    mc = mass - mb
    ball = 2 * mb * r * r / 5
    across = mc * (3 * r * r + h * h) / 12 + (ball + mb * h * (3 * r + 2 * h) / 8)
    return volume, (across, across, mc * r * r / 2 + ball)


def _cylinder(size: Sequence[float], mass: float, shell: bool):
    r, half = size[0], size[1]
    h = 2 * half
    if not shell:
        across = mass * (3 * r * r + h * h) / 12
        return pi * r * r * h, (across, across, mass * r * r / 2)
    disk, wall = pi * r * r, 2 * pi * r * h
    area = 2 * disk + wall
    md = mass * disk / area
    mw = mass - 2 * md
    across = mw * (6 * r * r + h * h) / 12 + 2 * (md * r * r / 4 + md * half * half)
    return area, (across, across, mw * r * r + md * r * r)


def _ellipsoid(size: Sequence[float], mass: float, shell: bool):
    a, b, c = size
    solid = 4 * pi * a * b * c / 3

    def moments(m: float, x: float, y: float, z: float):
        return (m * (y * y + z * z) / 5, m * (x * x + z * z) / 5, m * (x * x + y * y) / 5)

    if not shell:
        return solid, moments(mass, a, b, c)
    # area after Thomsen; inertia of a thin layer as the difference of two solids
    p = 1.6075
    area = 4 * pi * (((a * b) ** p + (b * c) ** p + (c * a) ** p) / 3) ** (1 / p)
    thick = 1e-6
    larger = 4 * pi * (a + thick) * (b + thick) * (c + thick) / 3
    density = mass / (larger - solid)
    inner = moments(solid * density, a, b, c)
    outer = moments(larger * density, a + thick, b + thick, c + thick)
    return area, tuple(o - i for o, i in zip(outer, inner, strict=True))


def _box(size: Sequence[float], mass: float, shell: bool):
    a, b, c = size
    if not shell:
        xx, yy, zz = a * a, b * b, c * c
        moments = (mass * (yy + zz) / 3, mass * (xx + zz) / 3, mass * (xx + yy) / 3)
        return a * b * c * 8, moments
    x, y, z = 2 * a, 2 * b, 2 * c
    area = 2 * (x * y + y * z + z * x)
    m_xy, m_yz, m_zx = (mass * s / area for s in (x * y, y * z, z * x))
    aa, bb, cc = a * a, b * b, c * c
    moments = (
        m_xy * cc + m_zx * bb + m_xy * y * y / 12 + m_yz * (y * y + z * z) / 12 + m_zx * z * z / 12,
        m_xy * cc + m_yz * aa + m_xy * x * x / 12 + m_yz * z * z / 12 + m_zx * (x * x + z * z) / 12,
        m_yz * aa + m_zx * bb + m_xy * (x * x + y * y) / 12 + m_yz * y * y / 12 + m_zx * x * x / 12,
    )
    return 8 * (a * b + b * c + c * a), tuple(2 * moment for moment in moments)


def _none(size: Sequence[float], mass: float, shell: bool):
    return 0.0, (0.0, 0.0, 0.0)


# shape: numbers in its size, volume and inertia, half sizes of its box, radius around it
SHAPES = {
    "plane": (0, _none, None, lambda s: 0.0),
    "hfield": (0, _box, None, None),
    "mesh": (0, _none, None, None),
    "sdf": (0, _none, None, None),
    "sphere": (1, _sphere, lambda s: (s[0], s[0], s[0]), lambda s: s[0]),
    "capsule": (2, _capsule, lambda s: (s[0], s[0], s[0] + s[1]), lambda s: s[0] + s[1]),
    "cylinder": (
        2,
        _cylinder,
        lambda s: (s[0], s[0], s[1]),
        lambda s: sqrt(s[0] * s[0] + s[1] * s[1]),
    ),
    "ellipsoid": (3, _ellipsoid, lambda s: s, max),
    "box": (3, _box, lambda s: s, lambda s: sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2])),
}


def size_count(shape: str) -> int:
    """Number of entries of the size that a shape needs."""
    return SHAPES[shape][0]


def volume(shape: str, size: tuple, shell: bool) -> float:
    """Volume (m^3), or area of a shell (m^2)."""
    return SHAPES[shape][1](size, 0.0, shell)[0]


def inertia(shape: str, size: tuple, mass: float, shell: bool) -> tuple:
    """Principal moments of inertia (kg m^2)."""
    return SHAPES[shape][1](size, mass, shell)[1]


def box(shape: str, size: tuple) -> tuple:
    """Axis-aligned box in the geom's frame: centre and half sizes (m)."""
    if shape == "plane":
        return (0.0, 0.0, -MAXVAL / 2, MAXVAL, MAXVAL, MAXVAL / 2)
    return (0.0, 0.0, 0.0, *SHAPES[shape][2](size))


def radius(shape: str, size: tuple) -> float:
    """Radius of a sphere around the centre (m); 0: infinite."""
    return SHAPES[shape][3](size)


# 15-point Gauss-Kronrod rule on [0, 1] for an integral over l in [0, inf), with l = x^3 / (1-x)^2
_NODES = (
    7.865151709349917e-08, 1.7347976913907274e-05, 0.0003548008144506193, 0.002846636252924549,
    0.014094260903596077, 0.053063261727396636, 0.17041978741317773, 0.5, 1.4036301548686991,
    3.9353484827022642, 11.644841677041734, 39.53187807410903, 177.5711362220801,
    1429.4772912937397, 54087.416549217705,
)  # fmt: skip
_SLOPES = (
    5.538677720489877e-05, 0.002080868285293228, 0.016514126520723166, 0.07261900344370877,
    0.23985243401862602, 0.6868318249020725, 1.8551129519182894, 5.0, 14.060031152313941,
    43.28941239611009, 156.58546376397112, 747.9826085305024, 5827.4042950027115, 116754.0197944512,
    25482945.327264845,
)  # fmt: skip
_WEIGHTS = (
    0.01146766, 0.03154605, 0.05239501, 0.07032663, 0.08450236, 0.09517529, 0.10221647, 0.10474107,
    0.10221647, 0.09517529, 0.08450236, 0.07032663, 0.05239501, 0.03154605, 0.01146766,
)  # fmt: skip


def _kappa(a: float, b: float, c: float) -> float:
    """Lamb's integral for the mass that an ellipsoid drags along the first of its semi-axes."""
    if not a * b * c:  # of an infinite plane
        return nan
    ia, ib, ic = 1 / (a * a), 1 / (b * b), 1 / (c * c)
    scale = (a * a * a * b * c) ** 0.4
    total = 0.0
    for node, slope, weight in zip(_NODES, _SLOPES, _WEIGHTS, strict=True):
        x = scale * node
        bottom = (1 + x * ia) * sqrt((1 + x * ia) * (1 + x * ib) * (1 + x * ic))
        total += scale * slope / bottom * weight
    return total * ia


def fluid(shape: str, size: tuple, coefficients: tuple) -> tuple:
    """Row of geom_fluid: flag, five coefficients, added mass and inertia of the ellipsoid."""
    a, b, c = box(shape, size)[3:] if shape not in ("plane", "hfield", "mesh", "sdf") else size
    ka, kb, kc = _kappa(a, b, c), _kappa(b, c, a), _kappa(c, a, b)
    displaced = 4.0 / 3.0 * pi * a * b * c
    mass = tuple(displaced * k / max(EPS, 2 - k) for k in (ka, kb, kc))

    def added(y: float, z: float, ky: float, kz: float):
        d, s = y * y - z * z, y * y + z * z
        return displaced * (d * d * abs(kz - ky) / max(EPS, abs(2 * d + s * (ky - kz)))) / 5

    moments = (added(b, c, kb, kc), added(c, a, kc, ka), added(a, b, ka, kb))
    return (1.0, *coefficients, *mass, *moments)
