"""Inputs of forward dynamics, noted when they are used: results belong to them."""

from ...simd.kernel import kernel


@kernel
def snapshot_positions(m, d):
    """Remember what positions are computed from.

    Reads: qpos, mocap_pos, mocap_quat, eq_active.
    Writes: snapshot_qpos, snapshot_mocap_pos, snapshot_mocap_quat, snapshot_eq_active.
    """
    for k in range(m.nq):
        d.snapshot_qpos[k] = d.qpos[k]
    for k in range(3 * m.nmocap):
        d.snapshot_mocap_pos[k] = d.mocap_pos[k]
    for k in range(4 * m.nmocap):
        d.snapshot_mocap_quat[k] = d.mocap_quat[k]
    for eq in range(m.neq):
        d.snapshot_eq_active[eq] = d.eq_active[eq]


@kernel
def snapshot_velocities(m, d):
    """Remember what velocities are computed from.

    Reads: qvel.
    Writes: snapshot_qvel.
    """
    for dof in range(m.nv):
        d.snapshot_qvel[dof] = d.qvel[dof]
