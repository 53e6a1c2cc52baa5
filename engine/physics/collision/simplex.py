"""Points of segments and triangles that lie nearest to the origin, and planes of three points.

Written for reals: of one pair of geoms, or of a pair in each lane. Sums are not fused, and their
order is MuJoCo's, so that ties fall as there.
"""

from ...simd.kernel import kernel
from ...simd.lanes import absolute, lane_all, lane_any, mask_not, select
from ...simd.spatial import cross, select3, sub3
from ...tables.enums import MINVAL
from .support import inner, times

FAR = 1.7976931348623157e308
LARGE2 = 1e20  # square of the largest length of a usable normal


@kernel
def same_sign(a, b):
    """True if both are positive or both negative."""
    return ((a > 0.0) & (b > 0.0)) | ((a < 0.0) & (b < 0.0))


@kernel
def combine2(w0, w1, a, b):
    """w0*a + w1*b."""
    return (w0 * a[0] + w1 * b[0], w0 * a[1] + w1 * b[1], w0 * a[2] + w1 * b[2])


@kernel
def combine3(w, a, b, c):
    """Sum of three points with weights."""
    return (
        w[0] * a[0] + w[1] * b[0] + w[2] * c[0],
        w[0] * a[1] + w[1] * b[1] + w[2] * c[1],
        w[0] * a[2] + w[1] * b[2] + w[2] * c[2],
    )


@kernel
def plane_point(a, b, c):
    """Projection of the origin onto the plane of three points, and whether there is one."""
    ba, ca, cb = sub3(b, a), sub3(c, a), sub3(c, b)
    normal = cross(cb, ba)
    height, square = inner(normal, b), inner(normal, normal)
    point = times(normal, height / square)
    none = square == 0.0
    known = none | ((height != 0.0) & (square > MINVAL))
    if not lane_all(known):
        # what rounding has taken from a product of two edges, others may show
        point, none = plane_point_of_others(a, c, ba, ca, cb, point, none, known)
    if lane_any(none):
        point = select3(none, (0.0, 0.0, 0.0), point)
    return point, mask_not(none)


@kernel
def plane_point_of_others(a, c, ba, ca, cb, point, none, known):
    """As `plane_point` by other edges where a mask is not set; the point, and where none is."""
    normal = cross(ba, ca)
    height, square = inner(normal, a), inner(normal, normal)
    none = none | (mask_not(known) & (square == 0.0))
    second = (height != 0.0) & (square > MINVAL)
    by_second = times(normal, height / square)
    normal = cross(ca, cb)
    height, square = inner(normal, c), inner(normal, normal)
    others = select3(second, by_second, times(normal, height / square))
    return select3(known, point, others), none


@kernel
def weights2(a, b):
    """Weights of the point of a segment that is nearest to the origin."""
    along = sub3(b, a)
    s = -(inner(b, along) / inner(along, along))
    p = (b[0] + s * along[0], b[1] + s * along[1], b[2] + s * along[2])
    # along the axis with the longest shadow
    shadow, u, v = a[0] - b[0], p[0] - b[0], a[0] - p[0]
    length = a[1] - b[1]
    longer = absolute(length) >= absolute(shadow)
    shadow = select(longer, length, shadow)
    u, v = select(longer, p[1] - b[1], u), select(longer, a[1] - p[1], v)
    length = a[2] - b[2]
    longer = absolute(length) >= absolute(shadow)
    shadow = select(longer, length, shadow)
    u, v = select(longer, p[2] - b[2], u), select(longer, a[2] - p[2], v)
    within = same_sign(shadow, u) & same_sign(shadow, v)
    return select(within, u / shadow, 0.0), select(within, v / shadow, 1.0)


@kernel
def triangle_area(a, b, c, x, y):
    """Twice the signed area of a triangle's projection onto the plane of two axes."""
    return b[x] * c[y] - b[y] * c[x] - a[x] * c[y] + a[y] * c[x] + a[x] * b[y] - a[y] * b[x]


@kernel
def fan(p, a, b):
    """Twice the signed area of a triangle with corner p in a plane."""
    return p[0] * a[1] + p[1] * b[0] + a[0] * b[1] - p[0] * b[1] - p[1] * a[0] - b[0] * a[1]


@kernel
def areas(p, a, b, c):
    """Signed areas: of a triangle, and of the three parts into which p divides it."""
    yz, xz = triangle_area(a, b, c, 1, 2), triangle_area(a, b, c, 0, 2)
    xy = triangle_area(a, b, c, 0, 1)
    # onto the plane with the largest projection
    along_x = (absolute(yz) >= absolute(xz)) & (absolute(yz) >= absolute(xy))
    upright = along_x | (absolute(xz) >= absolute(xy))
    p, a = projected(p, along_x, upright), projected(a, along_x, upright)
    b, c = projected(b, along_x, upright), projected(c, along_x, upright)
    whole = select(along_x, yz, select(upright, xz, xy))
    return whole, fan(p, b, c), fan(p, c, a), fan(p, a, b)


@kernel
def projected(p, along_x, upright):
    """A point without x, else without y where the second mask is set, else without z."""
    return select(along_x, p[1], p[0]), select(upright, p[2], p[1])


@kernel
def weights3(a, b, c):
    """Weights of the point of a triangle that is nearest to the origin."""
    p, plane = plane_point(a, b, c)
    whole, part0, part1, part2 = areas(p, a, b, c)
    in0, in1, in2 = same_sign(whole, part0), same_sign(whole, part1), same_sign(whole, part2)
    within = in0 & in1 & in2
    w = (part0 / whole, part1 / whole, part2 / whole)
    if not lane_all(within):
        w = select3(within, w, edge_weights(a, b, c, in0, in1, in2))
    if not lane_all(plane):
        u, v = weights2(a, b)
        w = select3(plane, w, (u, v, 0.0))
    return w


@kernel
def edge_weights(a, b, c, in0, in1, in2):
    """The same of the best of a triangle's edges, of those where a mask is not set."""
    u, v = weights2(b, c)
    x = combine2(u, v, b, c)
    least = select(in0, FAR, inner(x, x))
    w = select3(in0, (0.0, 0.0, 0.0), (0.0, u, v))
    if not lane_all(in1):
        u, v = weights2(a, c)
        x = combine2(u, v, a, c)
        square = inner(x, x)
        better = mask_not(in1) & (square < least)
        least, w = select(better, square, least), select3(better, (u, 0.0, v), w)
    if not lane_all(in2):
        u, v = weights2(a, b)
        x = combine2(u, v, a, b)
        w = select3(mask_not(in2) & (inner(x, x) < least), (u, v, 0.0), w)
    return w


@kernel
def parts_of_tetrahedron(a, b, c, e):
    """Signed volumes of the parts of a tetrahedron with the origin, opposite to each vertex."""
    part0, part1 = -inner(b, cross(c, e)), inner(a, cross(c, e))
    return part0, part1, -inner(a, cross(b, e)), inner(a, cross(b, c))
