"""Shapes of MuJoCo's plugins as signed distances of points, one or a strip of them.

They are described in MuJoCo's plugin/sdf/README. Points are in the frame of the shape (m).
"""

from ..simd.elementary import acos, atan2, cos, sin, sincos
from ..simd.kernel import kernel
from ..simd.lanes import absolute, floor, lane_any, mask_not, select, sqrt
from ..tables.plugin_kinds import BOLT, BOWL, GEAR, TORUS

PI = 3.141592653589793
HALF_ROOT = 1.4142135623730951 / 2.0


@kernel
def norm2(x, y):
    """Length of a vector in the plane."""
    return sqrt(x * x + y * y)


@kernel
def top(a, b):
    """The larger number."""
    return select(a > b, a, b)


@kernel
def low(a, b):
    """The smaller number."""
    return select(a < b, a, b)


@kernel
def within(x, a, b):
    """x, but not below a and not above b."""
    return top(a, low(x, b))


@kernel
def plugin_distance(kind, prm, p):
    """Distance from the shape of a kind of plugin, with the numbers of its settings (m)."""
    return own_distance(kind, prm, p)


@kernel
def own_distance(kind, prm, p):
    """Distance from a shape of MuJoCo's (m)."""
    if kind == TORUS:
        return norm2(norm2(p[0], p[1]) - prm[0], p[2]) - prm[1]
    if kind == BOWL:
        return bowl(prm[0], prm[1], prm[2], p)
    if kind == GEAR:
        return gear(prm[0], prm[1], prm[2], prm[3], prm[4], p)
    return bolt(prm[0], p) if kind == BOLT else nut(prm[0], p)


@kernel
def bowl(height, radius, thick, p):
    """Shell of a sphere, cut off at a height."""
    width = sqrt(radius * radius - height * height)
    across = norm2(p[0], p[1])
    rim, shell = norm2(across - width, p[2] - height), absolute(norm2(across, p[2]) - radius)
    return select(height * across < width * p[2], rim, shell) - thick


@kernel
def thread(p, radius):
    """Distance from the axis beyond a radius, and the same over a triangular thread."""
    screw = 12.0
    across = norm2(p[0], p[1]) - radius
    turn = p[2] * screw - atan2(p[1], p[0]) / PI / 2.0
    triangle = absolute(turn - floor(turn) - 0.5)
    return across, (across - triangle / screw) * HALF_ROOT


@kernel
def hexagon(p, across):
    """Head of a bolt or body of a nut: a hexagon, rounded by a cone."""
    k = 6.0 / PI / 2.0
    angle = -floor(atan2(p[1], p[0]) * k + 0.5) / k
    s0, s1 = sin(angle), sin(angle + PI * 0.5)
    head = s1 * p[0] - s0 * p[1] - 0.5
    head = top(head, absolute(p[2] + 0.25) - 0.25)
    return top(head, (p[2] + across - 0.22) * HALF_ROOT)


@kernel
def bolt(radius, p):
    """A screw with a thread and a hexagonal head."""
    across, rod = thread(p, radius)
    # ends, of which one is cut off by a cone
    rod = top(rod, -(0.5 - absolute(p[2] + 0.5)))
    rod = top(rod, -((p[2] - across) * HALF_ROOT + HALF_ROOT))
    return low(rod, hexagon(p, across))


@kernel
def nut(radius, p):
    """A hexagon with a hole that has a thread."""
    across, hole = thread(p, radius)
    cone = (p[2] - across) * HALF_ROOT
    hole = top(hole, -(cone + 0.5 * HALF_ROOT))
    hole = low(hole, -cone - 0.05 * HALF_ROOT)
    return top(hexagon(p, across), -hole)


@kernel
def smooth_union(a, b, k):
    """The smaller of two distances, with a round transition."""
    h = within(0.5 + 0.5 * (b - a) / k, 0.0, 1.0)
    return b * (1.0 - h) + a * h - k * h * (1.0 - h)


@kernel
def gear(alpha, diameter, teeth, thickness, inner, p):
    """A gear with involute teeth."""
    flat = gear_profile(alpha, diameter, teeth, inner, p)
    high = absolute(p[2]) - thickness / 2.0
    return low(top(flat, high), 0.0) + norm2(top(flat, 0.0), top(high, 0.0))


@kernel
def gear_profile(alpha, diameter, teeth, inner, p):
    """Distance from the outline of a gear in its plane."""
    # pressure angle, pitch, circles of the tips and of the hole
    pressure = 3.096e-5 * teeth * teeth - 6.557e-3 * teeth + 0.551
    rho, pitch = norm2(p[0], p[1]), teeth / diameter
    outer = (diameter + 2.0 * (1.0 / pitch)) / 2.0
    depth = 2.2 / pitch
    hole = outer - depth - 0.14 * diameter
    if inner >= 0.0:
        hole = inner / 2.0
    away = (hole - rho > 0.0) | (outer - rho < -0.2)
    distance = select(hole - rho > 0.0, hole - rho, rho - outer)
    if not lane_any(mask_not(away)):
        return distance
    # flanks: involutes of the base circle
    radius = diameter / 2.0
    base = diameter * cos(pressure) / 2.0
    stride = PI / pitch / radius
    contact = acos(base / radius)
    s, c = sincos(contact)
    shift = stride / 2.0 - 2.0 * (s / c - contact)
    angle = atan2(p[1], p[0]) + alpha
    one = modulo(angle + shift / 2.0, stride) - shift / 2.0
    two = modulo(-angle - shift + shift / 2.0, stride) - shift / 2.0
    beyond = base < rho
    turn = acos(select(beyond, base / rho, 1.0))
    reach = sqrt(select(beyond, rho * rho - base * base, 0.0))
    first = select(beyond, reach - base * (one + turn), -1.0e6)
    second = select(beyond, reach - base * (two + turn), -1.0e6)
    walls = top(one - (stride - shift), two - (stride - shift))
    cogs = top(walls, top(first, second))
    # rounded at the tips and at the roots
    tips, k = rho - outer, 0.0035 * diameter
    cogs = top(top(tips, cogs), -smooth_union(top(tips, -cogs), top(cogs, -tips), k))
    cogs = smooth_union(rho - (outer - depth), cogs, base - outer + depth)
    return select(away, distance, top(cogs, -(rho - hole)))


@kernel
def modulo(x, y):
    """Remainder of x by y, between 0 and y."""
    return x - y * floor(x / y)
