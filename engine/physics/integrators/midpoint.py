"""Bodies that turn freely: their rotation by the implicit midpoint rule.

A free body that nothing touches, with no other body on it, turns by Euler's equation I dw/dt =
tau - w x I w in the frame of its inertia. The midpoint rule keeps its energy and momentum over long
times; MuJoCo's documentation, Computation, "Numerical integration", integrator implicitfast.
"""

from ...simd.kernel import kernel
from ...simd.lanes import lane_any, load3, load4, mask_not, select, sqrt, zero_like
from ...simd.spatial import (
    add3,
    addscl3,
    axis_angle_quat,
    cross,
    dot3,
    mul_quat,
    normalize3,
    rotate,
    scale3,
    select3,
    sub3,
)
from ...tables.enums import (
    CNSTR_CONTACT_FRICTIONLESS,
    CNSTR_EQUALITY,
    CNSTR_FRICTION_TENDON,
    CNSTR_LIMIT_TENDON,
    COUNT_BLOCK,
    DSBL_GRAVITY,
    DSBL_ISLAND,
    ENBL_INVDISCRETE,
    EQ_WELD,
    JNT_FREE,
)
from .euler_rk4 import finish_step, integrate_pos

ACCURACY = 1e-13  # of the residual, relative to the change of angular momentum
MAX_ITERATIONS = 100
MAX_HALVINGS = 20


@kernel
def advance_midpoint(m, d):
    """Move the state along int_acc, and freely turning bodies by the midpoint rule.

    Positions follow the velocity in the middle of the step; qacc becomes what velocities did.

    Reads: int_acc, qacc, qvel, xquat, qfrc_smooth, qfrc_constraint, qfrc_bias, tree_on, block_*.
    Writes: qpos, qvel, qacc, time, qacc_warmstart, int_vel, mid_new, mid_old.
    """
    h = m.opt_timestep[0]
    for dof in range(m.nv):
        old = d.qvel[dof]
        d.mid_old[dof] = old
        d.mid_new[dof] = old + h * d.int_acc[dof]
        d.int_vel[dof] = d.mid_new[dof]
    finish_step(m, d)
    if not m.opt_enableflags[0] & ENBL_INVDISCRETE:
        for jnt in range(m.njnt):
            if is_candidate(m, jnt):
                on = turns_freely(m, d, jnt)
                if lane_any(on):
                    turn_body(m, d, jnt, on)
    for dof in range(m.nv):
        d.qvel[dof] = d.mid_new[dof]
    integrate_pos(m, d, h)


@kernel
def is_candidate(m, jnt):
    """True if a joint is free, and the only one of its tree."""
    return m.jnt_type[jnt] == JNT_FREE and m.tree_dofnum[m.dof_treeid[m.jnt_dofadr[jnt]]] == 6


@kernel
def turns_freely(m, d, jnt):
    """True where the body of a free joint carries no other mass and only forces act on it."""
    body, tree = m.jnt_bodyid[jnt], m.dof_treeid[m.jnt_dofadr[jnt]]
    zero = zero_like(d.qvel)
    on = (m.body_subtreemass[body] + zero == m.body_mass[body]) & (
        (m.opt_density[0] + zero == 0.0) & (m.opt_viscosity[0] + zero == 0.0)
    )
    if not m.opt_disableflags[0] & DSBL_ISLAND:
        return on & (d.tree_on[tree] == 0.0)
    # without islands, MuJoCo looks for constraints of some types alone
    for b in range(d.count[COUNT_BLOCK]):
        if concerns(m, d, b, body, tree):
            on = on & (d.block_D[b] == 0.0)
    return on


@kernel
def concerns(m, d, b, body, tree):
    """True if a block is a contact, connect or weld of a body, or a row of a tendon of its tree."""
    kind, ident = d.block_type[b], d.block_id[b]
    if kind >= CNSTR_CONTACT_FRICTIONLESS:
        pair = d.slot_cand[ident]
        geom1, geom2 = d.cand_geom1[pair], d.cand_geom2[pair]
        first = geom1 >= 0 and m.geom_bodyid[geom1] == body
        return first or (geom2 >= 0 and m.geom_bodyid[geom2] == body)
    if kind == CNSTR_EQUALITY:
        joined = m.eq_body1[ident] == body or m.eq_body2[ident] == body
        return m.eq_type[ident] <= EQ_WELD and joined
    if kind == CNSTR_LIMIT_TENDON or kind == CNSTR_FRICTION_TENDON:
        return m.tendon_treeid[2 * ident] == tree or m.tendon_treeid[2 * ident + 1] == tree
    return False


@kernel
def turn_body(m, d, jnt, on):
    """New and middle velocities of one body, where it turns freely.

    Vectors are in the frame of the inertia unless their name says otherwise.
    """
    body, adr, h = m.jnt_bodyid[jnt], m.jnt_dofadr[jnt], m.opt_timestep[0]
    iquat, xquat = load4(m.body_iquat, body), load4(d.xquat, body)
    back = (iquat[0], -iquat[1], -iquat[2], -iquat[3])
    to_inertia = mul_quat(back, (xquat[0], -xquat[1], -xquat[2], -xquat[3]))
    w = rotate((d.qvel[adr + 3], d.qvel[adr + 4], d.qvel[adr + 5]), back)
    force = rotate(outer_force(d, adr), to_inertia)
    arm = rotate(load3(m.body_ipos, body), back)
    # about the center of mass
    torque = sub3(rotate(outer_force(d, adr + 3), back), cross(arm, force))
    middle = solve_spin(load3(m.body_inertia, body), w, torque, h, on)
    put_velocity(d, adr + 3, rotate(sub3(scale3(middle, 2.0), w), iquat), h, on)
    ipos = load3(m.body_ipos, body)
    zero = zero_like(d.qvel)
    apart = on & ((ipos[0] + zero != 0.0) | (ipos[1] + zero != 0.0) | (ipos[2] + zero != 0.0))
    if lane_any(apart):
        gravity = (zero, zero, zero)
        if not m.opt_disableflags[0] & DSBL_GRAVITY:
            gravity = rotate(load3(m.opt_gravity, 0), to_inertia)
        push = addscl3(gravity, force, 1.0 / m.body_mass[body])
        v = rotate((d.qvel[adr], d.qvel[adr + 1], d.qvel[adr + 2]), to_inertia)
        com = middle_translation(add3(v, cross(w, arm)), middle, push, h)
        new = sub3(scale3(sub3(com, cross(middle, arm)), 2.0), v)
        # to the world with the orientation at the end of the step
        axis, speed = normalize3(rotate(middle, iquat))
        turned = mul_quat(xquat, axis_angle_quat(axis, h * speed))
        put_velocity(d, adr, rotate(rotate(new, iquat), turned), h, apart)


@kernel
def outer_force(d, adr):
    """Three elements of the force on a body, without the bias force."""
    return (
        d.qfrc_smooth[adr] + d.qfrc_constraint[adr] + d.qfrc_bias[adr],
        d.qfrc_smooth[adr + 1] + d.qfrc_constraint[adr + 1] + d.qfrc_bias[adr + 1],
        d.qfrc_smooth[adr + 2] + d.qfrc_constraint[adr + 2] + d.qfrc_bias[adr + 2],
    )


@kernel
def put_velocity(d, adr, new, h, on):
    """Set velocities at the end and in the middle of the step, and accelerations, by a mask."""
    rate = 1.0 / h
    for k in range(3):
        dof = adr + k
        old = d.mid_old[dof]
        d.mid_new[dof] = select(on, new[k], d.mid_new[dof])
        d.int_vel[dof] = select(on, 0.5 * (new[k] + old), d.int_vel[dof])
        d.qacc[dof] = select(on, (new[k] - old) * rate, d.qacc[dof])


@kernel
def middle_translation(vel, turn, push, h):
    """Velocity v in the middle of the step, with v + h/2 turn x v = vel + h/2 push.

    In a frame that turns, by the midpoint rule.

    Args:
        vel: velocity at the start.
        turn: angular velocity in the middle.
        push: acceleration by forces.
    """
    rate = 2.0 / h
    b = addscl3(push, vel, rate)
    total = addscl3(scale3(b, rate), turn, dot3(turn, b) / rate)
    return scale3(sub3(total, cross(turn, b)), 1.0 / (rate * rate + dot3(turn, turn)))


@kernel
def spin_residual(inertia, w, start, torque, rate):
    """Residual, as a torque, of w as the angular velocity in the middle of a step."""
    momentum = (inertia[0] * w[0], inertia[1] * w[1], inertia[2] * w[2])
    pull = sub3(cross(w, momentum), torque)
    change = sub3(w, start)
    return (
        rate * inertia[0] * change[0] + pull[0],
        rate * inertia[1] * change[1] + pull[1],
        rate * inertia[2] * change[2] + pull[2],
    )


@kernel
def solve_spin(inertia, start, torque, h, on):
    """Angular velocity in the middle of a step, by Newton's method with halved steps.

    Args:
        inertia: principal moments (kg m^2).
        start: angular velocity at the start (rad/s).
        torque: about the center of mass (N m).
        h: time step (s).
        on: lanes in which it is wanted.
    """
    rate = 2.0 / h
    w = start
    residual = spin_residual(inertia, w, start, torque, rate)
    error = sqrt(dot3(residual, residual))
    active = on & mask_not(is_small(inertia, w, error, rate))
    count = 0
    while count < MAX_ITERATIONS and lane_any(active):
        step = newton_step(inertia, w, residual, rate)
        size = 0.0 * error + 1.0
        searching = active
        halvings = 0
        while halvings < MAX_HALVINGS and lane_any(searching):
            trial = addscl3(w, step, size)
            there = spin_residual(inertia, trial, start, torque, rate)
            length = sqrt(dot3(there, there))
            better = searching & (length < error)
            w, residual = select3(better, trial, w), select3(better, there, residual)
            error = select(better, length, error)
            searching = searching & mask_not(better)
            size = 0.5 * size
            halvings += 1
        # where no step helps, none will
        active = active & mask_not(searching) & mask_not(is_small(inertia, w, error, rate))
        count += 1
    return w


@kernel
def is_small(inertia, w, error, rate):
    """True if a residual is within rounding of the angular momentum."""
    momentum = (inertia[0] * w[0], inertia[1] * w[1], inertia[2] * w[2])
    return error < ACCURACY * (1.0 + rate * sqrt(dot3(momentum, momentum)))


@kernel
def newton_step(inertia, w, residual, rate):
    """Solution x of J x = -residual, by Cramer's rule; J is the derivative of the residual."""
    dx, dy, dz = inertia[2] - inertia[1], inertia[0] - inertia[2], inertia[1] - inertia[0]
    a = (rate * inertia[0] + 0.0 * w[0], w[2] * dy, w[1] * dz)
    b = (w[2] * dx, rate * inertia[1] + 0.0 * w[0], w[0] * dz)
    c = (w[1] * dx, w[0] * dy, rate * inertia[2] + 0.0 * w[0])
    ab, bc, ca = cross(a, b), cross(b, c), cross(c, a)
    scale = -1.0 / dot3(a, bc)
    return scale3((dot3(residual, bc), dot3(residual, ca), dot3(residual, ab)), scale)
