"""Actuators of trees that sleep: no moment arms, the force nearest to 0, and rates that stay."""

from ...simd.kernel import kernel
from ...simd.lanes import zero_like
from ...simd.spatial import copy_elements
from ...tables.enums import TRN_BODY, TRN_JOINTINPARENT, TRN_SLIDERCRANK, TRN_TENDON
from ..sleep.sleep import body_is_up
from ..smooth.forces import clamp


@kernel
def rest_moments(m, d):
    """Take the moment arms of actuators that sleep, and remember the rates of activations.

    Reads: tree_up, act_dot.
    Writes: act_moment, act_kept.
    """
    zero = zero_like(d.qpos)
    copy_elements(d.act_kept, d.act_dot, m.na)
    for u in range(m.nu):
        if sleeps(m, d, u):
            for k in range(m.act_momentadr[u], m.act_momentadr[u] + m.act_dofnum[u]):
                d.act_moment[k] = zero


@kernel
def rest_forces(m, d):
    """Take the forces of actuators that sleep, and put back the rates of their activations.

    Reads: tree_up, act_kept.
    Writes: actuator_force, act_dot.
    """
    for u in range(m.nu):
        if sleeps(m, d, u):
            force = zero_like(d.qpos)
            if m.actuator_forcelimited[u]:  # a range without 0 bounds them, too
                low, high = m.actuator_forcerange[2 * u], m.actuator_forcerange[2 * u + 1]
                force = clamp(force, low, high)
            d.actuator_force[u] = force
            adr = m.actuator_actadr[u]
            for k in range(adr, adr + m.actuator_actnum[u]):
                d.act_dot[k] = d.act_kept[k]


@kernel
def sleeps(m, d, u):
    """True if an actuator sleeps: what it acts on, or all of it where that is more than one."""
    kind, first = m.actuator_trntype[u], m.actuator_trnid[2 * u]
    if kind <= TRN_JOINTINPARENT:
        return lies(m, d, m.jnt_bodyid[first])
    if kind == TRN_BODY:
        return lies(m, d, first)
    if kind == TRN_TENDON:
        n = m.tendon_treenum[first]
        asleep = n == 1 or n == 2
        for i in range(min(n, 2)):
            asleep = asleep and not d.tree_up[m.tendon_treeid[2 * first + i]]
        return asleep
    if kind == TRN_SLIDERCRANK:
        other = m.site_bodyid[m.actuator_trnid[2 * u + 1]]
        return not (body_is_up(m, d, m.site_bodyid[first]) or body_is_up(m, d, other))
    return lies(m, d, m.site_bodyid[first])


@kernel
def lies(m, d, body):
    """True if the tree of a body sleeps."""
    tree = m.body_treeid[body]
    return tree >= 0 and not d.tree_up[tree]
