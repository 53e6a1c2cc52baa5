"""Pairs of elements of two deformables, or of one, that may touch: the middle phase."""

from ...simd.kernel import kernel
from ...simd.lanes import load3
from ...simd.spatial import plain_dot, sub3
from .midphase_pairs import add_midphase_pair
from .narrow_phase import TWO_EDGES, TWO_ELEMENTS, VERTEX_ELEMENT, VERTEX_FACE
from .sides import overriding, shared_margin
from .trees import boxes_apart, is_leaf, push_children, surface
from .triangles import face_height, vertex_at


@kernel
def pair_elements(m, d, f1, e1, f2, e2):
    """Two elements, if their boxes overlap and they have no vertices in one body."""
    margin = shared_margin(m, -1 - f1, -1 - f2)
    box1, box2 = 6 * (m.flex_elemadr[f1] + e1), 6 * (m.flex_elemadr[f2] + e2)
    if boxes_apart(d.flexelem_aabb, box1, box2, margin):
        return
    dim1, dim2 = m.flex_dim[f1], m.flex_dim[f2]
    adr1 = m.flex_elemdataadr[f1] + e1 * (dim1 + 1)
    adr2 = m.flex_elemdataadr[f2] + e2 * (dim2 + 1)
    # vertices that follow nodes have no bodies
    for i in range(adr1, adr1 + dim1 + 1):
        body = m.flex_vertbodyid[m.flex_vertadr[f1] + m.flex_elem[i]]
        for k in range(adr2, adr2 + dim2 + 1):
            other = m.flex_vertbodyid[m.flex_vertadr[f2] + m.flex_elem[k]]
            if body >= 0 and body == other:
                return
    if are_apart(m, d, f1, e1, f2, e2, margin):
        return
    kind = TWO_EDGES if dim1 == 1 and dim2 == 1 else TWO_ELEMENTS
    add_midphase_pair(d, kind, -1 - f1, e1, -1 - f2, e2)


@kernel
def are_apart(m, d, f1, e1, f2, e2, margin):
    """True if a plane across the line between the centres of two elements parts them.

    That is where the search for contacts starts, and for most pairs it ends there, too.
    """
    at1, at2 = 2 * (m.flex_elemadr[f1] + e1), 2 * (m.flex_elemadr[f2] + e2)
    way = sub3(load3(d.flexelem_aabb, at2), load3(d.flexelem_aabb, at1))
    # farthest vertex of the first, nearest of the second
    n1, n2 = m.flex_dim[f1] + 1, m.flex_dim[f2] + 1
    far = plain_dot(vertex_at(m, d, f1, e1, 0), way)
    for k in range(1, n1):
        far = max(far, plain_dot(vertex_at(m, d, f1, e1, k), way))
    near = plain_dot(vertex_at(m, d, f2, e2, 0), way)
    for k in range(1, n2):
        near = min(near, plain_dot(vertex_at(m, d, f2, e2, k), way))
    # the search takes what is nearer than its tolerance for touching
    gap = near - far
    reach = m.flex_radius[f1] + m.flex_radius[f2] + margin + 2.0 * m.opt_ccd_tolerance[0]
    return gap > 0.0 and gap * gap > reach * reach * plain_dot(way, way)


@kernel
def search_two_trees(m, d, f1, f2):
    """Elements of two deformables, or of one with itself, by their trees."""
    first1, first2 = m.flex_bvhadr[f1], m.flex_bvhadr[f2]
    margin = margin_of_trees(m, f1, f2)
    d.tree_stack[0], d.tree_stack[1] = 0, 0
    top = 1
    while top > 0:
        top -= 1
        node1, node2 = d.tree_stack[2 * top], d.tree_stack[2 * top + 1]
        # of a deformable with itself, each pair once
        if f1 == f2 and node1 > node2:
            continue
        at1, at2 = 6 * (first1 + node1 - m.nbvhstatic), 6 * (first2 + node2 - m.nbvhstatic)
        leaf1, leaf2 = is_leaf(m, first1 + node1), is_leaf(m, first2 + node2)
        if leaf1 and leaf2:
            pair_elements(m, d, f1, m.bvh_nodeid[first1 + node1], f2, m.bvh_nodeid[first2 + node2])
        elif not boxes_apart(d.bvh_aabb_dyn, at1, at2, margin):
            larger = surface(d.bvh_aabb_dyn, at1) > surface(d.bvh_aabb_dyn, at2)
            if leaf2 or (not leaf1 and larger):
                top = push_children(m, d, top, first1, node1, node2, 0)
            else:
                top = push_children(m, d, top, first2, node2, node1, 1)


@kernel
def margin_of_trees(m, f1, f2):
    """Margin of the boxes of two deformables; also that of one with itself, as in MuJoCo (m)."""
    return overriding(m, m.flex_margin[f1] + m.flex_margin[f2])


@kernel
def search_all_pairs(m, d, f1, f2):
    """All elements of two deformables."""
    for e1 in range(m.flex_elemnum[f1]):
        for e2 in range(m.flex_elemnum[f2]):
            pair_elements(m, d, f1, e1, f2, e2)


@kernel
def is_active(m, f, e):
    """True if an element collides with others of its deformable: inner layers may not."""
    return m.flex_dim[f] < 3 or m.flex_elemlayer[m.flex_elemadr[f] + e] < m.flex_activelayers[f]


@kernel
def search_active_pairs(m, d, f):
    """All active elements of a deformable with each other."""
    for e1 in range(m.flex_elemnum[f]):
        if is_active(m, f, e1):
            for e2 in range(e1 + 1, m.flex_elemnum[f]):
                if is_active(m, f, e2):
                    pair_elements(m, d, f, e1, f, e2)


@kernel
def search_inside(m, d, f):
    """Vertices of a deformable with elements beside them, and with the opposite faces."""
    first = m.flex_evpairadr[f]
    for k in range(first, first + m.flex_evpairnum[f]):
        pair_vertex(m, d, f, m.flex_evpair[2 * k], m.flex_evpair[2 * k + 1])
    if m.flex_dim[f] != 3:
        return
    reach = -2.0 * m.flex_radius[f]
    for e in range(m.flex_elemnum[f]):
        # from the last vertex: the order of the faces opposite to 3, 1, 2, 0
        for place in range(4):
            k = 3 if place == 0 else (0 if place == 3 else place)
            _, height = face_height(m, d, f, e, k)
            if not height <= reach:
                vertex = m.flex_elem[m.flex_elemdataadr[f] + 4 * e + k]
                add_midphase_pair(d, VERTEX_FACE, -1 - f, e, -1 - f, -1 - vertex)


@kernel
def pair_vertex(m, d, f, e, v):
    """A vertex with an element of the same deformable, if its ball reaches the element's box."""
    reach = overriding(m, m.flex_margin[f]) + m.flex_radius[f]
    pos, at = load3(d.flexvert_xpos, m.flex_vertadr[f] + v), 6 * (m.flex_elemadr[f] + e)
    box = d.flexelem_aabb
    for x in range(3):
        if box[at + x] - box[at + x + 3] > pos[x] + reach:
            return
        if box[at + x] + box[at + x + 3] < pos[x] - reach:
            return
    add_midphase_pair(d, VERTEX_ELEMENT[m.flex_dim[f]], -1 - f, -1 - v, -1 - f, e)
