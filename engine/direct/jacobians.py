"""Jacobians of one point, axis or subtree, told as three rows of dofs, then three more.

All follow from the joint axes `cdof`, as `analysis/jacobians.py` says for many worlds.
"""

from ..simd.kernel import kernel
from ..simd.lanes import load3, load6, load9
from ..simd.spatial import add3, cross, mul_mat3, mul_matT3, scale3, sub3
from ..tables.enums import JNT_BALL, JNT_FREE

# what a point is, `ask[0]`: given, or the place of a body, its center of mass, a geom, a site
GIVEN, BODY, CENTER, GEOM, SITE = range(5)


@kernel
def owner(m, kind, place):
    """The body that a thing moves with."""
    body = place
    if kind == GEOM:
        body = m.geom_bodyid[place]
    if kind == SITE:
        body = m.site_bodyid[place]
    return body


@kernel
def point_of(d, c, kind, place):
    """Position of a thing (m)."""
    point = load3(c.given, 0)
    if kind == BODY:
        point = load3(d.xpos, place)
    if kind == CENTER:
        point = load3(d.xipos, place)
    if kind == GEOM:
        point = load3(d.geom_xpos, place)
    if kind == SITE:
        point = load3(d.site_xpos, place)
    return point


@kernel
def last_dof(m, body):
    """The last dof that moves a body; -1 where none does."""
    moving = m.body_weldid[body]
    last = -1
    if moving > 0:
        last = m.body_dofadr[moving] + m.body_dofnum[moving] - 1
    return last


@kernel
def rotation_axis(d, dof):
    """Axis about which a dof turns."""
    axis = load6(d.cdof, dof)
    return (axis[0], axis[1], axis[2])


@kernel
def velocity_of(d, dof, arm):
    """Velocity of a point that a dof moves, per unit of its own."""
    axis = load6(d.cdof, dof)
    return add3((axis[3], axis[4], axis[5]), cross((axis[0], axis[1], axis[2]), arm))


@kernel
def arm_of(m, d, body, point):
    """From the center of mass of a body's tree to a point (m)."""
    return sub3(point, load3(d.subtree_com, m.body_rootid[body]))


@kernel
def clear(c, n):
    """Tell zeros."""
    for k in range(n):
        c.told[k] = 0.0


@kernel
def put_column(m, c, row, dof, values):
    """Tell three rows of a dof, the first one of which is `row`."""
    c.told[row * m.nv + dof] = values[0]
    c.told[(row + 1) * m.nv + dof] = values[1]
    c.told[(row + 2) * m.nv + dof] = values[2]


@kernel
def jacobian(m, d, c):
    """Jacobians of a point and of its body's rotation: ask is kind and number of the thing."""
    kind, place = c.ask[0], c.ask[1]
    body = owner(m, kind, place)
    arm = arm_of(m, d, body, point_of(d, c, kind, place))
    clear(c, 6 * m.nv)
    dof = last_dof(m, body)
    while dof >= 0:
        put_column(m, c, 0, dof, velocity_of(d, dof, arm))
        put_column(m, c, 3, dof, rotation_axis(d, dof))
        dof = m.dof_parentid[dof]


@kernel
def axis_jacobian(m, d, c):
    """Jacobians of a point, given first, and of an axis, given next; ask[1] is the body."""
    body, axis = c.ask[1], load3(c.given, 1)
    arm = arm_of(m, d, body, load3(c.given, 0))
    clear(c, 6 * m.nv)
    dof = last_dof(m, body)
    while dof >= 0:
        put_column(m, c, 0, dof, velocity_of(d, dof, arm))
        put_column(m, c, 3, dof, cross(rotation_axis(d, dof), axis))
        dof = m.dof_parentid[dof]


@kernel
def subtree_end(m, body):
    """The first body behind a body's descendants, which follow it."""
    last = body + 1
    while last < m.nbody and m.body_parentid[last] >= body:
        last += 1
    return last


@kernel
def subtree_jacobian(m, d, c):
    """Jacobian of the center of mass of a body, ask[1], and its descendants."""
    top = c.ask[1]
    clear(c, 3 * m.nv)
    for body in range(top, subtree_end(m, top)):
        arm = arm_of(m, d, body, load3(d.xipos, body))
        mass, dof = m.body_mass[body], last_dof(m, body)
        while dof >= 0:
            moved = scale3(velocity_of(d, dof, arm), mass)
            for k in range(3):
                c.told[k * m.nv + dof] = c.told[k * m.nv + dof] + moved[k]
            dof = m.dof_parentid[dof]
    whole = 1.0 / m.body_subtreemass[top]
    for k in range(3 * m.nv):
        c.told[k] = c.told[k] * whole


@kernel
def momentum_matrix(m, d, c):
    """Matrix from velocities to the angular momentum of a body's subtree; ask[1] is the body."""
    top = c.ask[1]
    clear(c, 3 * m.nv)
    for body in range(top, subtree_end(m, top)):
        center, mat = load3(d.xipos, body), load9(d.ximat, body)
        arm, lever = arm_of(m, d, body, center), sub3(center, load3(d.subtree_com, top))
        inertia, mass, dof = load3(m.body_inertia, body), m.body_mass[body], last_dof(m, body)
        while dof >= 0:
            # of the body about its own center, and of its center about that of the subtree
            turn = mul_matT3(mat, rotation_axis(d, dof))
            own = (turn[0] * inertia[0], turn[1] * inertia[1], turn[2] * inertia[2])
            orbit = scale3(cross(lever, velocity_of(d, dof, arm)), mass)
            both = add3(mul_mat3(mat, own), orbit)
            for k in range(3):
                c.told[k * m.nv + dof] = c.told[k * m.nv + dof] + both[k]
            dof = m.dof_parentid[dof]


@kernel
def turns_with_body(m, dof):
    """True if the axis of a dof turns with its own body: those of balls and free rotation."""
    jnt = m.dof_jntid[dof]
    kind = m.jnt_type[jnt]
    return kind == JNT_BALL or (kind == JNT_FREE and dof >= m.jnt_dofadr[jnt] + 3)


@kernel
def jacobian_rate(m, d, c):
    """Rates of change of the Jacobians of a point, given, and of rotation; ask[1] is the body."""
    body = c.ask[1]
    arm = arm_of(m, d, body, load3(c.given, 0))
    vel = load6(d.cvel, body)
    speed = sub3((vel[3], vel[4], vel[5]), cross(arm, (vel[0], vel[1], vel[2])))
    clear(c, 6 * m.nv)
    dof = last_dof(m, body)
    while dof >= 0:
        axis, rate = load6(d.cdof, dof), load6(d.cdof_dot, dof)
        turn, shift = (rate[0], rate[1], rate[2]), (rate[3], rate[4], rate[5])
        if turns_with_body(m, dof):
            own = load6(d.cvel, m.dof_bodyid[dof])
            spin, move = (own[0], own[1], own[2]), (own[3], own[4], own[5])
            turn = cross(spin, (axis[0], axis[1], axis[2]))
            shift = add3(
                cross(spin, (axis[3], axis[4], axis[5])), cross(move, (axis[0], axis[1], axis[2]))
            )
        around = add3(cross(turn, arm), cross((axis[0], axis[1], axis[2]), speed))
        put_column(m, c, 0, dof, add3(shift, around))
        put_column(m, c, 3, dof, turn)
        dof = m.dof_parentid[dof]


@kernel
def generalized_force(m, d, c):
    """Force on dofs of a force, a torque and their point, given in turn; ask[1] is the body."""
    body = c.ask[1]
    force, torque = load3(c.given, 0), load3(c.given, 1)
    arm = arm_of(m, d, body, load3(c.given, 2))
    clear(c, m.nv)
    dof = last_dof(m, body)
    while dof >= 0:
        move, turn = velocity_of(d, dof, arm), rotation_axis(d, dof)
        along = move[0] * force[0] + move[1] * force[1] + move[2] * force[2]
        c.told[dof] = along + turn[0] * torque[0] + turn[1] * torque[1] + turn[2] * torque[2]
        dof = m.dof_parentid[dof]
