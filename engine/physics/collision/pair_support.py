"""Support points of a pair of convex geoms, in all lanes of a pack at once.

The twin of `support` for pairs of which each lane has one: what lanes search together has the poses
`pair_pose`, and no mesh. Operations and their order are those of `support`.
"""

from ...simd.kernel import kernel
from ...simd.lanes import load3, load9
from ...simd.spatial import add3, select3, sub3
from ...tables.enums import GEOM_BOX
from .support import box_corner, round_support, times, to_global, to_local

POSE = 12  # numbers of a pose: position, orientation


@kernel
def pair_pos(d, o):
    """Position of geom o (0 or 1) of the pair."""
    return (d.pair_pose[POSE * o], d.pair_pose[POSE * o + 1], d.pair_pose[POSE * o + 2])


@kernel
def pair_mat(d, o):
    """Orientation of geom o."""
    k, f = POSE * o + 3, d.pair_pose
    return (f[k], f[k + 1], f[k + 2], f[k + 3], f[k + 4], f[k + 5], f[k + 6], f[k + 7], f[k + 8])


@kernel
def place_pair(d, o, pos, mat):
    """Set the pose of geom o."""
    for k in range(3):
        d.pair_pose[POSE * o + k] = pos[k]
    for k in range(9):
        d.pair_pose[POSE * o + 3 + k] = mat[k]


@kernel
def take_poses(d, geom1, geom2):
    """Take the poses of two geoms."""
    place_pair(d, 0, load3(d.geom_xpos, geom1), load9(d.geom_xmat, geom1))
    place_pair(d, 1, load3(d.geom_xpos, geom2), load9(d.geom_xmat, geom2))


@kernel
def one_support(m, d, o, geom, direction):
    """Support point of geom o without margin, in the global frame."""
    mat, size = pair_mat(d, o), load3(m.geom_size, geom)
    local = to_local(mat, direction)
    if m.geom_type[geom] == GEOM_BOX:
        point = box_corner(size, local)
    else:
        point = round_support(m.geom_type[geom], size, local)
    return add3(to_global(mat, point), pair_pos(d, o))


@kernel
def pair_support(m, d, geom1, geom2, direction):
    """Support points of the difference of the geoms, of the first geom and of the second."""
    opposite = (-direction[0], -direction[1], -direction[2])
    first, second = one_support(m, d, 0, geom1, direction), one_support(m, d, 1, geom2, opposite)
    grown = 0.5 * d.ccd_near[1]
    first = select3(grown > 0.0, add3(first, times(direction, grown)), first)
    second = select3(grown > 0.0, add3(second, times(opposite, grown)), second)
    return sub3(first, second), first, second
