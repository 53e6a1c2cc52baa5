"""Compensation of gravity: bodies that are held up in part or entirely.

MuJoCo's documentation, XML reference, attributes gravcomp (body) and actuatorgravcomp (joint).
"""

from ...simd.kernel import kernel
from ...simd.lanes import lane_any, load3, zero_like
from ...simd.spatial import scale3
from ...tables.enums import DSBL_ACTUATION, DSBL_DAMPER, DSBL_GRAVITY, DSBL_SPRING
from .forces import apply_ft


@kernel
def gravcomp(m, d):
    """Forces at the centers of mass of bodies, against a share of their weight.

    Dofs whose joint gets them from its actuators are left out of the passive force.

    Reads: xipos, subtree_com, cdof, qfrc_passive.
    Writes: qfrc_gravcomp, qfrc_passive (N, N m).
    """
    zero = zero_like(d.qvel)
    for dof in range(m.nv):
        d.qfrc_gravcomp[dof] = zero
    flags = m.opt_disableflags[0]
    passive = not (flags & DSBL_SPRING and flags & DSBL_DAMPER)
    if passive and not flags & DSBL_GRAVITY:
        gravity = load3(m.opt_gravity, 0)
        for body in range(1, m.nbody):
            share = m.body_gravcomp[body]
            if lane_any(share != 0.0):
                force = scale3(gravity, zero - m.body_mass[body] * share)
                none = (zero, zero, zero)
                apply_ft(m, d, d.qfrc_gravcomp, body, load3(d.xipos, body), force, none)
        for dof in range(m.nv):
            if not m.jnt_actgravcomp[m.dof_jntid[dof]]:
                d.qfrc_passive[dof] = d.qfrc_passive[dof] + d.qfrc_gravcomp[dof]


@kernel
def actuator_gravcomp(m, d):
    """Compensation that actuators provide, on top of what they are told to do.

    Reads: qfrc_gravcomp.
    Writes: qfrc_actuator (N, N m).
    """
    flags = m.opt_disableflags[0]
    if flags & DSBL_ACTUATION or flags & DSBL_GRAVITY:
        return
    for dof in range(m.nv):
        if m.jnt_actgravcomp[m.dof_jntid[dof]]:
            d.qfrc_actuator[dof] = d.qfrc_actuator[dof] + d.qfrc_gravcomp[dof]
