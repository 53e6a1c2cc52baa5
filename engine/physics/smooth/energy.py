"""Energies, and momenta of subtrees."""

from ...simd.kernel import kernel
from ...simd.lanes import add_block, fma, load3, load9, select, sqrt, store, zero_like
from ...simd.spatial import (
    add3,
    cross,
    dot3,
    mul_mat3,
    mul_matT3,
    normalize4,
    scale3,
    sub3,
    sub_quat,
)
from ...tables.enums import DSBL_GRAVITY, DSBL_SPRING, JNT_BALL, JNT_FREE, MINVAL
from .inertia import mul_rows
from .objects import object_velocity


@kernel
def energy_pos(m, d):
    """Potential energy: of gravity, and of the springs of joints and tendons.

    Reads: xipos, qpos, ten_length.
    Writes: energy (J).
    """
    flags = m.opt_disableflags[0]
    energy = zero_like(d.qpos)
    if not flags & DSBL_GRAVITY:
        gravity = load3(m.opt_gravity, 0)
        for body in range(1, m.nbody):
            energy = energy - m.body_mass[body] * dot3(gravity, load3(d.xipos, body))
    if not flags & DSBL_SPRING:
        for jnt in range(m.njnt):
            energy = energy + joint_energy(m, d, jnt)
        for ten in range(m.ntendon):
            length, zero = d.ten_length[ten], zero_like(d.qpos)
            short, long = m.tendon_lengthspring[2 * ten], m.tendon_lengthspring[2 * ten + 1]
            x = select(length > long, length - long, select(length < short, length - short, zero))
            poly1, poly2 = m.tendon_stiffnesspoly[2 * ten], m.tendon_stiffnesspoly[2 * ten + 1]
            energy = energy + spring_energy(m.tendon_stiffness[ten], poly1, poly2, x)
    d.energy[0] = energy


@kernel
def no_energy(m, d):
    """No energies, where the option flag that asked for them is off again.

    Writes: energy (J).
    """
    d.energy[0] = zero_like(d.qpos)
    d.energy[1] = zero_like(d.qpos)


@kernel
def joint_energy(m, d, jnt):
    """Energy of the spring of one joint; a free joint has one for each half of its motion."""
    kind, a = m.jnt_type[jnt], m.jnt_qposadr[jnt]
    linear = m.jnt_stiffness[jnt]
    poly1, poly2 = m.jnt_stiffnesspoly[2 * jnt], m.jnt_stiffnesspoly[2 * jnt + 1]
    energy = zero_like(d.qpos)
    if kind == JNT_FREE:
        away = (
            d.qpos[a] - m.qpos_spring[a],
            d.qpos[a + 1] - m.qpos_spring[a + 1],
            d.qpos[a + 2] - m.qpos_spring[a + 2],
        )
        energy = spring_energy(linear, poly1, poly2, sqrt(dot3(away, away)))
        # its rotation, as of a ball joint
        a += 3
    if kind == JNT_FREE or kind == JNT_BALL:
        quat = normalize4((d.qpos[a], d.qpos[a + 1], d.qpos[a + 2], d.qpos[a + 3]))
        rest = (
            m.qpos_spring[a] + 0.0 * quat[0],
            m.qpos_spring[a + 1] + 0.0 * quat[0],
            m.qpos_spring[a + 2] + 0.0 * quat[0],
            m.qpos_spring[a + 3] + 0.0 * quat[0],
        )
        turn = sub_quat(quat, rest)
        return energy + spring_energy(linear, poly1, poly2, sqrt(dot3(turn, turn)))
    return spring_energy(linear, poly1, poly2, d.qpos[a] - m.qpos_spring[a])


@kernel
def spring_energy(linear, poly1, poly2, x):
    """Integral of the force x (linear + poly1 x + poly2 x^2) from 0 to x."""
    return x * x * (0.5 * linear + x * (poly1 / 3.0 + x * (poly2 * 0.25)))


@kernel
def energy_vel(m, d):
    """Kinetic energy: qvel' M qvel / 2.

    Reads: qvel, M.
    Writes: energy (J), sense_momentum.
    """
    mul_rows(d.sense_momentum, d.M, d.qvel, m.nv, m.M_rownnz, m.M_rowadr, m.M_colind)
    s = zero_like(d.qvel)
    for dof in range(m.nv):
        s = fma(d.sense_momentum[dof], d.qvel[dof], s)
    d.energy[1] = 0.5 * s


@kernel
def subtree_vel(m, d):
    """Velocities of the centers of mass of subtrees, and angular momenta about these.

    Reads: xipos, ximat, cvel, subtree_com.
    Writes: subtree_linvel (m/s), subtree_angmom (kg m^2/s).
    """
    # momentum of each body, and angular momentum about its own center
    for body in range(m.nbody):
        vel = object_velocity(m, d, body, load3(d.xipos, body))
        store(d.subtree_linvel, body, scale3((vel[3], vel[4], vel[5]), m.body_mass[body]))
        mat = load9(d.ximat, body)
        turn, moments = mul_matT3(mat, (vel[0], vel[1], vel[2])), load3(m.body_inertia, body)
        spin = (turn[0] * moments[0], turn[1] * moments[1], turn[2] * moments[2])
        store(d.subtree_angmom, body, mul_mat3(mat, spin))
    # momenta of subtrees, then velocities
    for body in range(m.nbody - 1, -1, -1):
        if body > 0:
            add_block(d.subtree_linvel, m.body_parentid[body], load3(d.subtree_linvel, body))
        mass = m.body_subtreemass[body]
        share = 1.0 / select(mass > MINVAL, mass, MINVAL)
        store(d.subtree_linvel, body, scale3(load3(d.subtree_linvel, body), share))
    for body in range(m.nbody - 1, 0, -1):
        parent = m.body_parentid[body]
        # motion of the body about the center of its subtree
        com, vel = load3(d.subtree_com, body), load3(d.subtree_linvel, body)
        pos = load3(d.xipos, body)
        own = object_velocity(m, d, body, pos)
        apart = sub3((own[3], own[4], own[5]), vel)
        orbit = cross(sub3(pos, com), scale3(apart, m.body_mass[body]))
        add_block(d.subtree_angmom, body, orbit)
        # motion of the subtree about the center of its parent's
        apart = sub3(vel, load3(d.subtree_linvel, parent))
        lever = sub3(com, load3(d.subtree_com, parent))
        orbit = cross(lever, scale3(apart, m.body_subtreemass[body]))
        add_block(d.subtree_angmom, parent, add3(load3(d.subtree_angmom, body), orbit))
