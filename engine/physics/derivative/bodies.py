"""Derivatives of forces on bodies, brought to the dofs: of the medium, and of the bias force.

About the center of mass of a whole tree, a dof gives all bodies behind it the same velocity: its
axis. Let W be the 6x6 matrix of force on a body per velocity, summed over a body and its
descendants as inertias are in the composite rigid body algorithm. Then two dofs on one path are
coupled by axis' W axis, with the W of the deeper one. For Coriolis forces this is Echeandia and
Wensing, "Numerical methods to compute the Coriolis matrix", 2021.
"""

from ...simd.kernel import kernel
from ...simd.lanes import add_block, fma, load6, load10, store, zero_like
from ...simd.spatial import add6, addscl6, cross_force, cross_motion, dot6, mul_inertia
from ...tables.enums import INT_IMPLICITFAST, JNT_BALL, JNT_FREE


@kernel
def clear_bodies(m, d):
    """No force on a body depends on velocity yet.

    Writes: der_body.
    """
    zero = zero_like(d.qvel)
    for k in range(36 * m.nbody):
        d.der_body[k] = zero


@kernel
def basis(k):
    """Unit spatial vector along axis k."""
    return (
        1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0,
        1.0 if k == 3 else 0.0, 1.0 if k == 4 else 0.0, 1.0 if k == 5 else 0.0,
    )  # fmt: skip


@kernel
def add_column(d, body, k, wrench):
    """Add the wrench that velocity along axis k makes to the matrix of a body."""
    for i in range(6):
        c = 36 * body + 6 * i + k
        d.der_body[c] = d.der_body[c] + wrench[i]


@kernel
def bias_derivative(m, d):
    """Take away what bodies need to keep turning, in axes that do not turn with them.

    Of I a + v x I v, this is I (u x v) + u x I v + v x I u for a change u of the velocity v. As in
    MuJoCo, the first v follows from qvel as it is, which may have been edited since cvel was found.

    Reads: cdof, cinert, cvel, qvel.
    Writes: der_body, der_vel.
    """
    present_velocities(m, d)
    for body in range(1, m.nbody):
        inertia, vel = load10(d.cinert, body), load6(d.cvel, body)
        momentum, present = mul_inertia(inertia, vel), load6(d.der_vel, body)
        for k in range(6):
            change = basis(k)
            force = add6(
                mul_inertia(inertia, cross_motion(change, present)),
                add6(cross_force(change, momentum), cross_force(vel, mul_inertia(inertia, change))),
            )
            add_column(d, body, k, scaled6(force, -1.0))


@kernel
def present_velocities(m, d):
    """Velocities of bodies by the present qvel, summed as those of cvel are."""
    zero = zero_like(d.qvel)
    store(d.der_vel, 0, (zero, zero, zero, zero, zero, zero))
    for body in range(1, m.nbody):
        vel = load6(d.der_vel, m.body_parentid[body])
        adr = m.body_dofadr[body]
        for dof in range(adr, adr + m.body_dofnum[body]):
            vel = addscl6(vel, load6(d.cdof, dof), d.qvel[dof])
        store(d.der_vel, body, vel)


@kernel
def scaled6(v, s):
    """v*s."""
    return (v[0] * s, v[1] * s, v[2] * s, v[3] * s, v[4] * s, v[5] * s)


@kernel
def project_bodies(m, d):
    """Sum the matrices over descendants, and bring them to the dofs.

    As in MuJoCo, the integrator implicitfast sees the symmetric part alone.

    Reads: cdof, der_body.
    Writes: qDeriv, der_body, der_left, der_right.
    """
    # sums over subtrees
    for body in range(m.nbody - 1, 0, -1):
        parent = m.body_parentid[body]
        if parent > 0:
            for k in range(36):
                c = 36 * parent + k
                d.der_body[c] = d.der_body[c] + d.der_body[36 * body + k]
    # products with the motion axes, from both sides
    symmetric = m.opt_integrator[0] == INT_IMPLICITFAST
    for dof in range(m.nv):
        adr, axis = 36 * m.dof_bodyid[dof], load6(d.cdof, dof)
        for i in range(6):
            left = right = zero_like(d.qvel)
            for k in range(6):
                left = fma(d.der_body[adr + 6 * k + i], axis[k], left)
                right = fma(d.der_body[adr + 6 * i + k], axis[k], right)
            if symmetric:
                left = 0.5 * (left + right)
                right = left
            d.der_left[6 * dof + i] = left
            d.der_right[6 * dof + i] = right
    add_products(m, d, d.cdof)


@kernel
def axis_derivative(m, d):
    """Take away what bodies need because axes turn with the bodies that carry them.

    Reads: cinert, cdof, cdof_dot, der_vel, qvel.
    Writes: qDeriv, der_axis, der_left, der_right, der_crb.
    """
    present_composites(m, d)
    for body in range(1, m.nbody):
        vel = load6(d.der_vel, m.body_parentid[body])
        for jnt in range(m.body_jntadr[body], m.body_jntadr[body] + m.body_jntnum[body]):
            dof, kind = m.jnt_dofadr[jnt], m.jnt_type[jnt]
            if kind == JNT_FREE:
                vel = turn_with(d, dof, 3, vel)
                dof += 3
            vel = turn_with(d, dof, 3 if kind == JNT_FREE or kind == JNT_BALL else 1, vel)
    for dof in range(m.nv):
        inertia = load10(d.der_crb, m.dof_bodyid[dof])
        store(d.der_left, dof, scaled6(mul_inertia(inertia, load6(d.cdof, dof)), -1.0))
        store(d.der_right, dof, scaled6(mul_inertia(inertia, load6(d.der_axis, dof)), -1.0))
    add_products(m, d, d.der_axis)


@kernel
def present_composites(m, d):
    """Inertias of subtrees by the present cinert, summed as those of crb are."""
    for k in range(10 * m.nbody):
        d.der_crb[k] = d.cinert[k]
    for body in range(m.nbody - 1, 0, -1):
        parent = m.body_parentid[body]
        if parent > 0:
            add_block(d.der_crb, parent, load10(d.der_crb, body))


@kernel
def turn_with(d, dof, n, vel):
    """Accelerations behind n dofs that move together, per velocity of each.

    Args:
        vel: velocity before them.

    Returns:
        Velocity behind them.
    """
    for k in range(dof, dof + n):
        vel = addscl6(vel, load6(d.cdof, k), d.qvel[k])
    for k in range(dof, dof + n):
        store(d.der_axis, k, add6(load6(d.cdof_dot, k), cross_motion(vel, load6(d.cdof, k))))
    return vel


@kernel
def add_products(m, d, axes):
    """Add der_left times axes of ancestors, and axes times der_right of descendants, to qDeriv.

    Args:
        axes: field of spatial vectors, one for each dof.
    """
    for dof in range(m.nv):
        left, axis = load6(d.der_left, dof), load6(d.cdof, dof)
        adr = m.D_rowadr[dof]
        diagonal = adr + m.D_diag[dof]
        for k in range(adr, diagonal + 1):
            d.qDeriv[k] = d.qDeriv[k] + dot6(left, load6(axes, m.D_colind[k]))
        for k in range(diagonal + 1, adr + m.D_rownnz[dof]):
            d.qDeriv[k] = d.qDeriv[k] + dot6(axis, load6(d.der_right, m.D_colind[k]))
