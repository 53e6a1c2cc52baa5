"""Tactile sensors: how deep vertices of a mesh are in what touches its body, and how they slip."""

from ...simd.kernel import kernel
from ...simd.lanes import get_lane, set_lane, zero_like
from ...tables.enums import COUNT_SLOT, GEOM_MESH, MINVAL
from ..collision.contact import between_geoms
from ..collision.convex import lane_vector
from ..rays.signed_distance import signed_distance

SOFT = 0.05  # depth at which the pressure would be infinite (m)


@kernel
def tactile(m, d, sensor):
    """Pressure at each vertex of a mesh, then its slip along two tangents where the mesh has these.

    Documentation of MuJoCo, XML reference, sensor/tactile.

    Reads: con_any, con_on, geom_xpos, geom_xmat, cvel, subtree_com, count.
    Writes: sensordata, sdf_point, sdf_asked.
    """
    zero, adr = zero_like(d.qvel), m.sensor_adr[sensor]
    for k in range(adr, adr + m.sensor_dim[sensor]):
        d.sensordata[k] = zero
    own = m.body_weldid[m.geom_bodyid[m.sensor_refid[sensor]]]
    for slot in range(d.count[COUNT_SLOT]):
        pair = d.slot_cand[slot]
        if d.con_any[slot] and between_geoms(d, pair):
            geom1, geom2 = d.cand_geom1[pair], d.cand_geom2[pair]
            # what touches the body; the same geom counts once
            for side in range(2):
                mine, other = (geom1, geom2) if side == 0 else (geom2, geom1)
                if m.body_weldid[m.geom_bodyid[mine]] == own and is_known(m, other):
                    for lane in range(m.width):
                        on = get_lane(d.con_on, slot, lane) > 0.0
                        if on and not counted(m, d, own, other, slot, side, lane):
                            feel(m, d, sensor, own, other, lane)


@kernel
def is_known(m, geom):
    """True if the distance from a geom is known: meshes need an octree."""
    return m.geom_type[geom] != GEOM_MESH or m.mesh_octadr[m.geom_dataid[geom]] >= 0


@kernel
def counted(m, d, own, geom, last, side, lane):
    """True if a geom has touched a body in a slot before, or at the other side of the same one."""
    for slot in range(last + 1):
        pair = d.slot_cand[slot]
        touching = d.con_any[slot] and get_lane(d.con_on, slot, lane) > 0.0
        if touching and between_geoms(d, pair):
            for k in range(2):
                geom1, geom2 = d.cand_geom1[pair], d.cand_geom2[pair]
                mine, other = (geom1, geom2) if k == 0 else (geom2, geom1)
                touches = other == geom and m.body_weldid[m.geom_bodyid[mine]] == own
                if touches and (slot < last or k < side):
                    return True
    return False


@kernel
def feel(m, d, sensor, own, geom, lane):
    """Add what a geom does to the vertices of a mesh in one lane."""
    mesh, pad = m.sensor_objid[sensor], m.sensor_refid[sensor]
    number, start = m.mesh_vertnum[mesh], m.mesh_vertadr[mesh]
    has_frame = m.mesh_normalnum[mesh] == 3 * number
    stride = 9 if has_frame else 3
    quat = (
        get_lane(m.mesh_quat, 4 * mesh, lane), get_lane(m.mesh_quat, 4 * mesh + 1, lane),
        get_lane(m.mesh_quat, 4 * mesh + 2, lane), get_lane(m.mesh_quat, 4 * mesh + 3, lane),
    )  # fmt: skip
    other = velocity_at(m, d, m.geom_bodyid[geom], lane_vector(d.geom_xpos, geom, lane), lane)
    adr = m.sensor_adr[sensor]
    for j in range(number):
        # the vertex in the frame of the geom
        v = 3 * (start + j)
        vertex = (1.0 * m.mesh_vert[v], 1.0 * m.mesh_vert[v + 1], 1.0 * m.mesh_vert[v + 2])
        place = placed(d, pad, vertex, lane)
        depth = signed_distance(m, d, geom, lane, seen_from(d, geom, place, lane))
        if depth < 0.0:
            # pressure along the normal
            n = 3 * m.mesh_normaladr[mesh] + stride * j
            normal = normal_of(m, n, quat)
            soft = SOFT - depth
            pressure = depth / (soft if soft > MINVAL else MINVAL)
            along = (
                pressure * normal[0] * normal[0]
                + pressure * normal[1] * normal[1]
                + pressure * normal[2] * normal[2]
            )
            add(d, adr + j, lane, along)
            # slip along the tangents
            if has_frame:
                mine = velocity_at(m, d, own, place, lane)
                slip = (mine[0] - other[0], mine[1] - other[1], mine[2] - other[2])
                for k in range(2):
                    t = normal_of(m, n + 3 * (k + 1), quat)
                    speed = slip[0] * t[0] + slip[1] * t[1] + slip[2] * t[2]
                    add(d, adr + (k + 1) * number + j, lane, speed if speed > 0.0 else -speed)


@kernel
def add(d, k, lane, value):
    """Add to one reading in one lane."""
    set_lane(d.sensordata, k, lane, get_lane(d.sensordata, k, lane) + value)


@kernel
def placed(d, geom, v, lane):
    """A point of a geom in the global frame."""
    r, s, t = rows_of(d, geom, lane)
    pos = lane_vector(d.geom_xpos, geom, lane)
    return (
        r[0] * v[0] + r[1] * v[1] + r[2] * v[2] + pos[0],
        s[0] * v[0] + s[1] * v[1] + s[2] * v[2] + pos[1],
        t[0] * v[0] + t[1] * v[1] + t[2] * v[2] + pos[2],
    )


@kernel
def seen_from(d, geom, point, lane):
    """A global point in the frame of a geom."""
    r, s, t = rows_of(d, geom, lane)
    pos = lane_vector(d.geom_xpos, geom, lane)
    x, y, z = point[0] - pos[0], point[1] - pos[1], point[2] - pos[2]
    return (
        r[0] * x + s[0] * y + t[0] * z,
        r[1] * x + s[1] * y + t[1] * z,
        r[2] * x + s[2] * y + t[2] * z,
    )


@kernel
def rows_of(d, geom, lane):
    """Rows of the matrix of a geom."""
    return (
        lane_vector(d.geom_xmat, 3 * geom, lane),
        lane_vector(d.geom_xmat, 3 * geom + 1, lane),
        lane_vector(d.geom_xmat, 3 * geom + 2, lane),
    )


@kernel
def velocity_at(m, d, body, point, lane):
    """Velocity of a point that moves with a body (m/s)."""
    w, v = lane_vector(d.cvel, 2 * body, lane), lane_vector(d.cvel, 2 * body + 1, lane)
    com = lane_vector(d.subtree_com, m.body_rootid[body], lane)
    x, y, z = point[0] - com[0], point[1] - com[1], point[2] - com[2]
    return (
        v[0] + w[1] * z - w[2] * y,
        v[1] + w[2] * x - w[0] * z,
        v[2] + w[0] * y - w[1] * x,
    )


@kernel
def normal_of(m, n, q):
    """A normal of a mesh, turned by the quaternion of its inertial frame."""
    x, y, z = 1.0 * m.mesh_normal[n], 1.0 * m.mesh_normal[n + 1], 1.0 * m.mesh_normal[n + 2]
    a = q[0] * x + q[2] * z - q[3] * y
    b = q[0] * y + q[3] * x - q[1] * z
    c = q[0] * z + q[1] * y - q[2] * x
    return (
        x + 2.0 * (q[2] * c - q[3] * b),
        y + 2.0 * (q[3] * a - q[1] * c),
        z + 2.0 * (q[1] * b - q[2] * a),
    )
