"""What results belong to: the inputs of forward dynamics, noted when they are used."""

from ...simd.kernel import kernel


@kernel
def see_positions(m, d):
    """Remember what positions are computed from.

    Reads: qpos, mocap_pos, mocap_quat, eq_active.
    Writes: seen_qpos, seen_mocap_pos, seen_mocap_quat, seen_eq_active.
    """
    for k in range(m.nq):
        d.seen_qpos[k] = d.qpos[k]
    for k in range(3 * m.nmocap):
        d.seen_mocap_pos[k] = d.mocap_pos[k]
    for k in range(4 * m.nmocap):
        d.seen_mocap_quat[k] = d.mocap_quat[k]
    for eq in range(m.neq):
        d.seen_eq_active[eq] = d.eq_active[eq]


@kernel
def see_velocities(m, d):
    """Remember what velocities are computed from.

    Reads: qvel.
    Writes: seen_qvel.
    """
    for dof in range(m.nv):
        d.seen_qvel[dof] = d.qvel[dof]
