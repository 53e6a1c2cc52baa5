"""What the last forward dynamics has seen: inputs of results that a later call may reuse.

Results of one world lie in the scratch of its thread until the next call. Those of several worlds
do not: what a call reuses of them is computed once more, from what positions and velocities were.
"""

from collections.abc import Collection

from ..tables.fields import table

SEEN_DATA = table("""
seen_on          real  1           1: positions have been computed since the last reset
seen_qpos        real  nq          position of which results are known
seen_qvel        real  nv          velocity of which results are known
seen_mocap_pos   real  nmocap*3    the same of mocap bodies
seen_mocap_quat  real  nmocap*4    orientations of mocap bodies
seen_eq_active   real  neq         1: the equality constraint was active
""")
# fields of the state that stand for those that results of positions and velocities belong to
POSITIONS = {
    "qpos": "seen_qpos",
    "mocap_pos": "seen_mocap_pos",
    "mocap_quat": "seen_mocap_quat",
    "eq_active": "seen_eq_active",
}
VELOCITIES = {"qvel": "seen_qvel"}
SEEN = ("seen_on", *POSITIONS.values(), *VELOCITIES.values())


def keeps_seen(keep: Collection[str] | None) -> bool:
    """Whether data keep what results belong to: where all is kept, or `stages`."""
    return keep is None or "stages" in ([keep] if isinstance(keep, str) else keep)
