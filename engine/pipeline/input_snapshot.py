"""Inputs of the last forward dynamics, for results that a later call may reuse.

Results of one world lie in the scratch of its thread until the next call. Those of several worlds
do not: what a call reuses of them is computed once more, from what positions and velocities were.
"""

from ..tables.fields import table

SNAPSHOT_DATA = table("""
snapshot_on          real  1           1: positions have been computed since the last reset
snapshot_qpos        real  nq          position of which results are known
snapshot_qvel        real  nv          velocity of which results are known
snapshot_mocap_pos   real  nmocap*3    the same of mocap bodies
snapshot_mocap_quat  real  nmocap*4    orientations of mocap bodies
snapshot_eq_active   real  neq         1: the equality constraint was active
""")
# fields of the state that stand for those that results of positions and velocities belong to
POSITIONS = {
    "qpos": "snapshot_qpos",
    "mocap_pos": "snapshot_mocap_pos",
    "mocap_quat": "snapshot_mocap_quat",
    "eq_active": "snapshot_eq_active",
}
VELOCITIES = {"qvel": "snapshot_qvel"}
SNAPSHOT = ("snapshot_on", *POSITIONS.values(), *VELOCITIES.values())
