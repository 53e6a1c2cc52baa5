"""Support points of a pair of convex geoms, in all lanes of a pack at once.

The twin of `support` for pairs of which each lane has one: what lanes search together has the poses
`pair_pos` and `pair_mat`, and no mesh. Operations and their order are those of `support`.
"""

from ...simd.kernel import kernel
from ...simd.lanes import load3, load9, store
from ...simd.spatial import add3, select3, sub3
from ...tables.enums import GEOM_BOX
from .support import box_corner, round_support, times, to_global, to_local


@kernel
def place_pair(d, o, pos, mat):
    """Set the pose of geom o (0 or 1) of the pair."""
    store(d.pair_pos, o, pos)
    store(d.pair_mat, o, mat)


@kernel
def take_poses(d, geom1, geom2):
    """Take the poses of two geoms."""
    place_pair(d, 0, load3(d.geom_xpos, geom1), load9(d.geom_xmat, geom1))
    place_pair(d, 1, load3(d.geom_xpos, geom2), load9(d.geom_xmat, geom2))


@kernel
def one_support(m, d, o, geom, direction):
    """Support point of geom o without margin, in the global frame."""
    mat, size = load9(d.pair_mat, o), load3(m.geom_size, geom)
    local = to_local(mat, direction)
    if m.geom_type[geom] == GEOM_BOX:
        point = box_corner(size, local)
    else:
        point = round_support(m.geom_type[geom], size, local)
    return add3(to_global(mat, point), load3(d.pair_pos, o))


@kernel
def pair_support(m, d, geom1, geom2, direction):
    """Support points of the difference of the geoms, of the first geom and of the second."""
    opposite = (-direction[0], -direction[1], -direction[2])
    first, second = one_support(m, d, 0, geom1, direction), one_support(m, d, 1, geom2, opposite)
    grown = 0.5 * d.ccd_near[1]
    first = select3(grown > 0.0, add3(first, times(direction, grown)), first)
    second = select3(grown > 0.0, add3(second, times(opposite, grown)), second)
    return sub3(first, second), first, second
