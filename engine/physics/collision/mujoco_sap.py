"""The test of MuJoCo's broad phase, where it decides about contacts that the narrow phase found.

MuJoCo sweeps boxes around bodies along the axes along which geoms are spread (Cohen et al.:
I-COLLIDE, 1995), the first axis in single precision. Geoms that penetrate each other always pass.
What touches within rounding, or only by a routine that is not exact beyond the surfaces, may not:
such pairs are tested here as MuJoCo does, body by body, lane by lane.
"""

from ...simd.kernel import kernel
from ...simd.lanes import (
    absolute,
    get_lane,
    lane_any,
    load3,
    select,
    set_lane,
    sqrt,
    zero_like,
)
from ...simd.spatial import add3, mul_quat, quat_mat, sub3
from ...tables.enums import COUNT_SLOT, ENBL_OVERRIDE, GEOM_BOX, GEOM_HFIELD, MINVAL
from .contact import next_contact, pair_margin
from .convex import lane_vector
from .support import inner, lane_pose, times, to_global, to_local

SMALL = MINVAL * 1000.0
ROUNDING = 1e-6  # of single precision, with room, relative to positions
HALF = 0.707106781186548  # sine and cosine of 45 degrees, with MuJoCo's digits
SPLIT = 536870913.0  # 2^29 + 1: splits off the digits beyond single precision
SWEEPS = 500


@kernel
def sweep_contacts(m, d):
    """Drop contacts of pairs that MuJoCo's broad phase does not find.

    Reads: geom_xpos, geom_xmat, flexvert_xpos, con_any, con_part,
        con_dist, count, slot_cand, cand_predefined.
    Writes: con_any, con_on, sap_shallow, sap_known, sap_axes.
    """
    d.sap_known[0] = zero_like(d.sap_known)
    n, slot = d.count[COUNT_SLOT], next_contact(d, 0)
    while slot < n:
        pair, end = d.slot_cand[slot], slot + 1
        while end < n and d.slot_cand[end] == pair:
            end += 1
        if d.cand_predefined[pair] == -1:
            sweep_pair(m, d, pair, slot, end)
        slot = next_contact(d, end)


@kernel
def sweep_pair(m, d, pair, start, end):
    """Test one pair, whose contacts are in a range of slots, in lanes where it is shallow."""
    geom1, geom2 = d.cand_geom1[pair], d.cand_geom2[pair]
    body1, body2 = m.geom_bodyid[geom1], m.geom_bodyid[geom2]
    if m.body_unswept[body1] or m.body_unswept[body2]:
        return
    kind1, kind2 = m.geom_type[geom1], m.geom_type[geom2]
    # depth of the deepest contact
    margin = pair_margin(m, d, pair) + zero_like(d.sap_known)
    depth = zero_like(d.sap_known) - 1.0
    for slot in range(start, end):
        if d.con_any[slot]:
            deeper = (d.con_on[slot] > 0.0) & (margin - d.con_dist[slot] > depth)
            depth = select(deeper, margin - d.con_dist[slot], depth)
    # shallow: within rounding of the positions
    x, y, z = load3(d.geom_xpos, geom1)
    bound = ROUNDING * (1.0 + absolute(x) + absolute(y) + absolute(z) + m.geom_rbound[geom1])
    # these routines list contacts beyond the margin at corners, or make geoms thicker
    vague = kind1 == GEOM_HFIELD or (kind1 == GEOM_BOX and kind2 == GEOM_BOX)
    if vague:
        bound = select(margin > 0.0, depth + 1.0, bound)
    # no bounding sphere: the broad phase takes the geom for a point
    point = (m.geom_rbound[geom1] <= 0.0) | (m.geom_rbound[geom2] <= 0.0)
    bound = select(point, depth + 1.0, bound)
    shallow = (depth > -1.0) & (depth < bound)
    if not lane_any(shallow):
        return
    # drop the contacts of lanes in which the boxes are apart
    d.sap_shallow[0] = select(shallow, 1.0, 0.0) + zero_like(d.sap_known)
    for lane in range(m.width):
        if not get_lane(d.sap_shallow, 0, lane) > 0.0:
            continue
        if are_apart(m, d, min(body1, body2), max(body1, body2), lane):
            for slot in range(start, end):
                set_lane(d.con_on, slot, lane, 0.0)
    for slot in range(start, end):
        if d.con_any[slot] and not lane_any(d.con_on[slot] > 0.0):
            d.con_any[slot] = 0


@kernel
def single(x):
    """A real, rounded to single precision (Dekker's splitting)."""
    far = SPLIT * x
    return far - (far - x)


@kernel
def are_apart(m, d, body1, body2, lane):
    """True if the boxes of two bodies are apart, body1 < body2; their order decides about ties."""
    if not get_lane(d.sap_known, 0, lane) > 0.0:
        set_lane(d.sap_known, 0, lane, 1.0)
        store_axes(d, lane, spread_axes(m, d, lane))
    for k in range(3):
        axis = lane_vector(d.sap_axes, k, lane)
        low1, high1 = body_span(m, d, body1, lane, axis)
        low2, high2 = body_span(m, d, body2, lane, axis)
        if k == 0:
            if single(low2) >= single(high1) or single(low1) > single(high2):
                return True
        elif low1 > high2 or low2 > high1:
            return True
    return False


@kernel
def store_axes(d, lane, axes):
    """Keep the axes of a lane."""
    for k in range(9):
        set_lane(d.sap_axes, k, lane, axes[k])


@kernel
def body_span(m, d, body, lane, axis):
    """Ends of a body along an axis, with the margins of its geoms (m)."""
    low, high = 1e300, -1e300
    thick = 0.0
    if m.opt_enableflags[0] & ENBL_OVERRIDE:
        thick = 0.5 * get_lane(m.opt_o_margin, 0, lane)
    adr = m.body_geomadr[body]
    for geom in range(adr, adr + m.body_geomnum[body]):
        margin = thick if thick != 0.0 else get_lane(m.geom_margin, geom, lane)
        pos, mat = lane_pose(d, geom, lane)
        middle = lane_vector(m.geom_aabb, 2 * geom, lane)
        size = lane_vector(m.geom_aabb, 2 * geom + 1, lane)
        center = inner(add3(to_global(mat, middle), pos), axis)
        half = (
            absolute(size[0] * inner((mat[0], mat[3], mat[6]), axis))
            + absolute(size[1] * inner((mat[1], mat[4], mat[7]), axis))
            + absolute(size[2] * inner((mat[2], mat[5], mat[8]), axis))
        )
        ball, radius = inner(pos, axis), get_lane(m.geom_rbound, geom, lane)
        low = min(low, max(ball - radius, center - half) - margin)
        high = max(high, min(ball + radius, center + half) + margin)
    return low, high


@kernel
def spread_axes(m, d, lane):
    """Principal axes of all geoms and vertices that are not of the world, as a matrix."""
    count, center = 0.0, (0.0, 0.0, 0.0)
    for geom in range(m.ngeom):
        if m.geom_bodyid[geom]:
            center = add3(center, lane_vector(d.geom_xpos, geom, lane))
            count = count + 1.0
    for v in range(m.nflexvert):
        if m.flex_vertbodyid[v]:
            center = add3(center, lane_vector(d.flexvert_xpos, v, lane))
            count = count + 1.0
    # the mean, then the covariance about it
    center = times(center, 1.0 / count)
    xx, xy, xz, yy, yz, zz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for geom in range(m.ngeom):
        if m.geom_bodyid[geom]:
            x, y, z = sub3(lane_vector(d.geom_xpos, geom, lane), center)
            xx, xy, xz = xx + x * x, xy + x * y, xz + x * z
            yy, yz, zz = yy + y * y, yz + y * z, zz + z * z
    for v in range(m.nflexvert):
        if m.flex_vertbodyid[v]:
            x, y, z = sub3(lane_vector(d.flexvert_xpos, v, lane), center)
            xx, xy, xz = xx + x * x, xy + x * y, xz + x * z
            yy, yz, zz = yy + y * y, yz + y * z, zz + z * z
    s = 1.0 / count
    xx, xy, xz, yy, yz, zz = xx * s, xy * s, xz * s, yy * s, yz * s, zz * s
    return quat_mat(principal_frame((xx, xy, xz, xy, yy, yz, xz, yz, zz)))


@kernel
def turned(axes, mat):
    """A symmetric matrix in the frame of some axes."""
    x = to_local(axes, (mat[0], mat[3], mat[6]))
    y = to_local(axes, (mat[1], mat[4], mat[7]))
    z = to_local(axes, (mat[2], mat[5], mat[8]))
    rows = (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])
    x = to_global(rows, (axes[0], axes[3], axes[6]))
    y = to_global(rows, (axes[1], axes[4], axes[7]))
    z = to_global(rows, (axes[2], axes[5], axes[8]))
    return (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])


@kernel
def unit_quat(q):
    """Unit quaternion; one that has length 1 within rounding stays as it is."""
    length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    s = 1.0
    if absolute(length - 1.0) > MINVAL:
        s = 1.0 / length
    return (q[0] * s, q[1] * s, q[2] * s, q[3] * s)


@kernel
def about(axis, c, s):
    """Quaternion of a rotation about one of the axes of the frame."""
    return (c, s if axis == 0 else 0.0, s if axis == 1 else 0.0, s if axis == 2 else 0.0)


@kernel
def principal_frame(mat):
    """Orientation of the principal axes of a symmetric matrix, the largest value first.

    Jacobi's iteration (Golub and Van Loan: Matrix Computations, section 8.5) with MuJoCo's order of
    rotations and its tolerances.
    """
    quat = (1.0, 0.0, 0.0, 0.0)
    a, b, c = 0.0, 0.0, 0.0
    for _ in range(SWEEPS):
        # largest element off the diagonal
        t = turned(quat_mat(quat), mat)
        a, b, c = t[0], t[4], t[8]
        side, low, high, axis = t[5], b, c, 0
        if absolute(t[1]) > absolute(t[2]) and absolute(t[1]) > absolute(t[5]):
            side, low, high, axis = t[1], a, b, 2
        elif absolute(t[2]) > absolute(t[5]):
            side, low, high, axis = t[2], a, c, 1
        if absolute(side) < SMALL:
            break
        # rotation that makes it zero
        tau = (high - low) / (2.0 * side)
        root = sqrt(1.0 + tau * tau)
        tangent = 1.0 / (tau + root) if tau >= 0.0 else -1.0 / (-tau + root)
        cosine = 1.0 / sqrt(1.0 + tangent * tangent)
        if cosine > 1.0 - SMALL:
            break
        s = sqrt(0.5 - 0.5 * cosine)
        s = -s if tau >= 0.0 else s
        s = -s if axis == 1 else s
        quat = unit_quat(mul_quat(quat, unit_quat(about(axis, sqrt(1.0 - s * s), s))))
    # largest first: exchange neighbours by quarter turns
    for k in range(3):
        if k % 2 == 0 and a + SMALL < b:
            a, b = b, a
            quat = unit_quat(mul_quat(quat, about(2, HALF, HALF)))
        elif k % 2 == 1 and b + SMALL < c:
            b, c = c, b
            quat = unit_quat(mul_quat(quat, about(0, HALF, HALF)))
    return quat
