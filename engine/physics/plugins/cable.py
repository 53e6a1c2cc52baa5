"""mujoco.elasticity.cable: torques of chains of bodies that are bent or twisted.

Documentation of MuJoCo, plugin/elasticity/README: a Kirchhoff rod. The curvature of a joint is the
rotation vector of a body in its parent; torques are linear in what it differs from rest.
"""

from ...simd.kernel import kernel
from ...simd.lanes import load3, load4, reals_at, zero_like
from ...simd.spatial import add3, mul_quat, quat_vel, rotate, sub3
from ...tables.enums import DSBL_DAMPER, DSBL_SPRING
from ...tables.plugin_kinds import CABLE
from ..smooth.forces import apply_ft
from .tables import CURVATURE, PER_BODY, STIFFNESS


@kernel
def cable_forces(m, d):
    """Torques of bent and twisted cables on their bodies.

    Reads: nplugin, plugin, qpos, xquat, xpos, subtree_com, cdof, qfrc_passive.
    Writes: qfrc_passive (N, N m).
    """
    flags = m.opt_disableflags[0]
    if flags & DSBL_SPRING and flags & DSBL_DAMPER:
        return
    zero = zero_like(d.qvel)
    none = (zero, zero, zero)
    for instance in range(m.nplugin):
        if m.plugin[instance] == CABLE:
            prm, first = reals_at(m.plug_address[instance]), m.plug_first[instance]
            count = m.plug_count[instance]
            for k in range(count):
                body, torque = first + k, none
                # what the joint to the body before exerts, less what the next body exerts
                if k > 0:
                    quat = bend_of(m, d, body)
                    here = bend_torque(prm, PER_BODY * k, quat)
                    torque = add3(torque, rotate(here, (quat[0], -quat[1], -quat[2], -quat[3])))
                if k + 1 < count:
                    quat = bend_of(m, d, body + 1)
                    torque = sub3(torque, bend_torque(prm, PER_BODY * (k + 1), quat))
                turned = rotate(torque, load4(d.xquat, body))
                apply_ft(m, d, d.qfrc_passive, body, load3(d.xpos, body), none, turned)


@kernel
def bend_of(m, d, body):
    """Orientation of a body in its parent, the joint at its end included."""
    quat = load4(m.body_quat, body)
    adr = m.jnt_qposadr[m.body_jntadr[body]] + m.body_dofnum[body] - 3
    joint = (d.qpos[adr], d.qpos[adr + 1], d.qpos[adr + 2], d.qpos[adr + 3])
    return mul_quat(quat, joint)


@kernel
def bend_torque(prm, at, quat):
    """Torque of a bent joint in the frame of the parent, from the numbers of its body."""
    bend = quat_vel(quat)
    x = -prm[at + STIFFNESS] * (bend[0] - prm[at + CURVATURE])
    y = -prm[at + STIFFNESS + 1] * (bend[1] - prm[at + CURVATURE + 1])
    z = -prm[at + STIFFNESS + 2] * (bend[2] - prm[at + CURVATURE + 2])
    return (x, y, z)
