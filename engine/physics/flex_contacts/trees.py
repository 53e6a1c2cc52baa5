"""Trees of boxes around geoms and elements, searched for pairs that may touch.

Gottschalk, Lin and Manocha: OBBTree: a hierarchical structure for rapid interference detection,
1996. Boxes of bodies are fixed in them, those of deformables are aligned with the axes of the
world. The order in which leaves come up is MuJoCo's.
"""

from ...simd.kernel import kernel
from ...simd.lanes import absolute, load3, load9
from ...simd.spatial import plain_dot
from ...tables.enums import DSBL_MIDPHASE, MAXVAL
from ..collision.support import to_global

NONE = -1  # no child


@kernel
def box_trees(m, d):
    """Boxes of the nodes of the trees of deformables; zeros without mid phase, as in MuJoCo.

    Reads: flexelem_aabb.
    Writes: bvh_aabb_dyn (m).
    """
    if m.opt_disableflags[0] & DSBL_MIDPHASE:
        for k in range(6 * m.nbvhdynamic):
            d.bvh_aabb_dyn[k] = 0.0
        return
    for f in range(m.nflex):
        adr = m.flex_bvhadr[f]
        # children stand behind their parents
        for k in range(m.flex_bvhnum[f] - 1, -1, -1):
            node, elem = adr + k, m.bvh_nodeid[adr + k]
            to = 6 * (node - m.nbvhstatic)
            if elem >= 0:
                for x in range(6):
                    d.bvh_aabb_dyn[to + x] = d.flexelem_aabb[6 * (m.flex_elemadr[f] + elem) + x]
            else:
                first = 6 * (adr + m.bvh_child[2 * node] - m.nbvhstatic)
                second = 6 * (adr + m.bvh_child[2 * node + 1] - m.nbvhstatic)
                join_boxes(d, to, first, second)


@kernel
def join_boxes(d, to, first, second):
    """The box around two boxes."""
    box = d.bvh_aabb_dyn
    for x in range(3):
        low = min(box[first + x] - box[first + x + 3], box[second + x] - box[second + x + 3])
        high = max(box[first + x] + box[first + x + 3], box[second + x] + box[second + x + 3])
        box[to + x] = 0.5 * (high + low)
        box[to + x + 3] = 0.5 * (high - low)


@kernel
def is_leaf(m, node):
    """True if a node has no children."""
    return m.bvh_child[2 * node] < 0 and m.bvh_child[2 * node + 1] < 0


@kernel
def push_children(m, d, top, adr, node, other, place):
    """Put the children of a node on the stack, each with the other node.

    Args:
        top: pairs on the stack.
        adr: where the tree of the node starts.
        node: the node, counted in its tree.
        other: node of the other tree.
        place: 0 or 1: of the node in a pair.

    Returns:
        Pairs on the stack.
    """
    for k in range(2):
        child = m.bvh_child[2 * (adr + node) + k]
        if child != NONE:
            d.tree_stack[2 * top + place] = child
            d.tree_stack[2 * top + 1 - place] = other
            top += 1
    return top


@kernel
def surface(box, at):
    """Half the surface of a box, by which MuJoCo decides which of two trees to descend."""
    x, y, z = box[at + 3] - box[at], box[at + 4] - box[at + 1], box[at + 5] - box[at + 2]
    return x * y + y * z + z * x


@kernel
def is_infinite(box, at):
    """True if a box has no end along all axes."""
    return box[at + 3] >= MAXVAL and box[at + 4] >= MAXVAL and box[at + 5] >= MAXVAL


@kernel
def start_boxes(m, d, body):
    """Axes of a body and of the world in each other, for `body_box_overlaps`.

    Writes: tree_turn, tree_shift.
    """
    mat, pos = load9(d.ximat, body), load3(d.xipos, body)
    own = ((mat[0], mat[3], mat[6]), (mat[1], mat[4], mat[7]), (mat[2], mat[5], mat[8]))
    for k in range(3):
        for x in range(3):
            # along the axes of the body: its own axes, then those of the world
            d.tree_turn[3 * k + x] = plain_dot(own[x], own[k])
            d.tree_turn[9 + 3 * k + x] = own[k][x]
            # along the axes of the world
            d.tree_turn[18 + 3 * k + x] = own[x][k]
            d.tree_turn[27 + 3 * k + x] = 1.0 if x == k else 0.0
        d.tree_shift[k] = plain_dot(pos, own[k])
        d.tree_shift[3 + k] = 0.0
        d.tree_shift[6 + k] = pos[k]
        d.tree_shift[9 + k] = 0.0


@kernel
def spread_along(d, box, at, axis):
    """Middle and half length of a box along one of the axes of `start_boxes`."""
    turn = d.tree_turn
    k = 3 * axis
    middle = box[at] * turn[k] + box[at + 1] * turn[k + 1] + box[at + 2] * turn[k + 2]
    half = (
        absolute(box[at + 3] * turn[k])
        + absolute(box[at + 4] * turn[k + 1])
        + absolute(box[at + 5] * turn[k + 2])
    )
    return middle + d.tree_shift[axis], half


@kernel
def body_box_overlaps(m, d, at1, at2, margin):
    """True if a box of the body of `start_boxes` and one of a deformable overlap.

    Args:
        at1: where the box of the body starts in bvh_aabb.
        at2: where the other one starts in bvh_aabb_dyn.
        margin: how far they may be apart (m).
    """
    if is_infinite(m.bvh_aabb, at1) or is_infinite(d.bvh_aabb_dyn, at2):
        return True
    endless = max(m.bvh_aabb[at1 + 3], m.bvh_aabb[at1 + 4], m.bvh_aabb[at1 + 5]) >= MAXVAL
    for k in range(6):
        # axes of the world cannot part a body without end
        if k >= 3 and endless:
            continue
        block = k % 3 + (6 if k >= 3 else 0)
        middle1, half1 = spread_along(d, m.bvh_aabb, at1, block)
        middle2, half2 = spread_along(d, d.bvh_aabb_dyn, at2, block + 3)
        if half1 + half2 + margin < absolute(middle2 - middle1):
            return False
    return True


@kernel
def geom_box_overlaps(m, d, geom, at, margin):
    """True if the box of a geom and a box of a deformable overlap.

    Args:
        at: where the latter starts in bvh_aabb_dyn.
        margin: how far they may be apart (m).
    """
    one, other = m.geom_aabb, d.bvh_aabb_dyn
    if is_infinite(one, 6 * geom) or is_infinite(other, at):
        return True
    endless = max(one[6 * geom + 3], one[6 * geom + 4], one[6 * geom + 5]) >= MAXVAL
    mat, pos = load9(d.geom_xmat, geom), load3(d.geom_xpos, geom)
    own = to_global(mat, load3(one, 2 * geom))
    center1 = (own[0] + pos[0], own[1] + pos[1], own[2] + pos[2])
    center2 = (other[at], other[at + 1], other[at + 2])
    size1 = load3(one, 2 * geom + 1)
    size2 = (other[at + 3], other[at + 4], other[at + 5])
    for k in range(3):
        # along an axis of the geom
        axis = (mat[k], mat[k + 3], mat[k + 6])
        x, y, z = size2[0] * axis[0], size2[1] * axis[1], size2[2] * axis[2]
        reach = size1[k] + (absolute(x) + absolute(y) + absolute(z))
        if reach + margin < absolute(plain_dot(center2, axis) - plain_dot(center1, axis)):
            return False
        # along an axis of the world
        if not endless:
            half = (
                absolute(size1[0] * mat[3 * k])
                + absolute(size1[1] * mat[3 * k + 1])
                + absolute(size1[2] * mat[3 * k + 2])
            )
            if half + size2[k] + margin < absolute(center2[k] - center1[k]):
                return False
    return True


@kernel
def ball_beside_box(pos, reach, box, at):
    """True if the box around a ball and another box are apart."""
    for x in range(3):
        if pos[x] + reach < box[at + x] - box[at + x + 3]:
            return True
        if pos[x] - reach > box[at + x] + box[at + x + 3]:
            return True
    return False


@kernel
def boxes_apart(box, at1, at2, margin):
    """True if two boxes of deformables are farther apart than a margin (m)."""
    for x in range(3):
        if box[at1 + x] + box[at1 + x + 3] + margin < box[at2 + x] - box[at2 + x + 3]:
            return True
        if box[at2 + x] + box[at2 + x + 3] + margin < box[at1 + x] - box[at1 + x + 3]:
            return True
    return False
