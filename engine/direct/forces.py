"""Forces that a motion takes, without constraints."""

from ..physics.smooth.forces import inertial_force
from ..simd.kernel import kernel
from ..simd.lanes import add_block, load3, load6, store, zero_like
from ..simd.spatial import addscl6, dot6
from ..tables.enums import DSBL_GRAVITY


@kernel
def recursion(m, d, acceleration, force):
    """Force that a motion takes, by the recursive Newton-Euler algorithm (Featherstone 2008, 5.3).

    Args:
        m: model.
        d: data.
        acceleration: field of the accelerations of the dofs.
        force: field that takes their forces (N, N m).
    """
    zero = zero_like(d.qvel)
    g = load3(m.opt_gravity, 0)
    on = 0.0 if m.opt_disableflags[0] & DSBL_GRAVITY else 1.0
    store(d.rne_acc, 0, (zero, zero, zero, zero - on * g[0], zero - on * g[1], zero - on * g[2]))
    for body in range(1, m.nbody):
        acc = load6(d.rne_acc, m.body_parentid[body])
        dofadr = m.body_dofadr[body]
        for dof in range(dofadr, dofadr + m.body_dofnum[body]):
            acc = addscl6(acc, load6(d.cdof_dot, dof), d.qvel[dof])
            acc = addscl6(acc, load6(d.cdof, dof), acceleration[dof])
        store(d.rne_acc, body, acc)
        store(d.rne_frc, body, inertial_force(d, body, acc))
    for body in range(m.nbody - 1, 0, -1):
        parent = m.body_parentid[body]
        if parent > 0:
            add_block(d.rne_frc, parent, load6(d.rne_frc, body))
    for dof in range(m.nv):
        force[dof] = dot6(load6(d.cdof, dof), load6(d.rne_frc, m.dof_bodyid[dof]))


@kernel
def newton_euler(m, d, c):
    """Force of the motion with the acceleration that is given."""
    recursion(m, d, c.given, c.told)
