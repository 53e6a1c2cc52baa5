"""Inputs of forward dynamics, noted when they are used: results belong to them."""

from ...simd.kernel import kernel
from ...simd.spatial import copy_elements


@kernel
def snapshot_positions(m, d):
    """Remember what positions are computed from.

    Reads: qpos, mocap_pos, mocap_quat, eq_active.
    Writes: snapshot_qpos, snapshot_mocap_pos, snapshot_mocap_quat, snapshot_eq_active.
    """
    copy_elements(d.snapshot_qpos, d.qpos, m.nq)
    copy_elements(d.snapshot_mocap_pos, d.mocap_pos, 3 * m.nmocap)
    copy_elements(d.snapshot_mocap_quat, d.mocap_quat, 4 * m.nmocap)
    copy_elements(d.snapshot_eq_active, d.eq_active, m.neq)


@kernel
def snapshot_velocities(m, d):
    """Remember what velocities are computed from.

    Reads: qvel.
    Writes: snapshot_qvel.
    """
    copy_elements(d.snapshot_qvel, d.qvel, m.nv)
