"""Pairs of elements or vertices of deformables with geoms that may touch: the middle phase."""

from ...simd.kernel import kernel
from ...simd.lanes import load3
from ...simd.spatial import plain_dot, sub3
from ...tables.enums import DSBL_MIDPHASE, GEOM_PLANE, GEOM_SDF
from ..collision.contact import axis_z
from .midphase_pairs import add_midphase_pair
from .narrow_phase import FIELD_SHEET, VERTEX_PLANE
from .sides import overriding, shared_margin
from .trees import (
    ball_beside_box,
    body_box_overlaps,
    geom_box_overlaps,
    is_leaf,
    push_children,
    start_boxes,
    surface,
)


@kernel
def search_elements(m, d, geom, f):
    """One geom with all elements of a deformable."""
    if m.geom_type[geom] == GEOM_PLANE:
        pair_with_plane(m, d, geom, f)
        return
    if m.geom_type[geom] == GEOM_SDF:
        pair_with_sheet(m, d, geom, f)
        return
    reach = m.geom_rbound[geom] + shared_margin(m, geom, -1 - f)
    pos = load3(d.geom_xpos, geom)
    filtered = m.opt_disableflags[0] & DSBL_MIDPHASE
    for e in range(m.flex_elemnum[f]):
        at = 6 * (m.flex_elemadr[f] + e)
        if not (filtered and ball_beside_box(pos, reach, d.flexelem_aabb, at)):
            pair_with_element(m, d, geom, f, e)


@kernel
def pair_with_plane(m, d, geom, f):
    """A plane with the vertices of a deformable that are near."""
    pos, normal = load3(d.geom_xpos, geom), axis_z(d, geom)
    reach = shared_margin(m, geom, -1 - f) + m.flex_radius[f]
    first = m.flex_vertadr[f]
    for v in range(m.flex_vertnum[f]):
        height = plain_dot(sub3(load3(d.flexvert_xpos, first + v), pos), normal)
        if not height > reach:
            add_midphase_pair(d, VERTEX_PLANE, geom, 0, -1 - f, -1 - v)


@kernel
def pair_with_sheet(m, d, geom, f):
    """A signed distance field with a sheet as a whole; it touches no others."""
    if m.flex_dim[f] == 2:
        add_midphase_pair(d, FIELD_SHEET, geom, 0, -1 - f, 0)


@kernel
def pair_with_element(m, d, geom, f, e):
    """A geom with an element that no vertex of it is fixed to its body."""
    dim, body = m.flex_dim[f], m.geom_bodyid[geom]
    adr = m.flex_elemdataadr[f] + e * (dim + 1)
    for k in range(dim + 1):
        if m.flex_vertbodyid[m.flex_vertadr[f] + m.flex_elem[adr + k]] == body:
            return
    add_midphase_pair(d, m.elem_kind[4 * m.geom_type[geom] + dim], geom, 0, -1 - f, e)


@kernel
def masks_match(m, geom, f):
    """True if the masks of a geom let it touch a deformable."""
    affine = m.geom_contype[geom] & m.flex_conaffinity[f]
    return (affine | (m.flex_contype[f] & m.geom_conaffinity[geom])) != 0


@kernel
def search_trees(m, d, group):
    """The geoms of a body with the elements of a deformable, by their trees."""
    body, f = m.group_body[group], m.group_flex[group]
    # planes meet vertices, whatever their own masks
    if m.body_weldid[body] == 0:
        for geom in range(m.body_geomadr[body], m.body_geomadr[body] + m.body_geomnum[body]):
            if m.geom_type[geom] == GEOM_PLANE:
                pair_with_plane(m, d, geom, f)
    # so do signed distance fields and sheets
    for geom in range(m.body_geomadr[body], m.body_geomadr[body] + m.body_geomnum[body]):
        if m.geom_type[geom] == GEOM_SDF:
            pair_with_sheet(m, d, geom, f)
    # pairs of nodes whose boxes overlap, from the roots to the leaves
    start_boxes(m, d, body)
    first1, first2 = m.body_bvhadr[body], m.flex_bvhadr[f]
    margin = body_margin(m, body, f)
    d.tree_stack[0], d.tree_stack[1] = 0, 0
    top = 1
    while top > 0:
        top -= 1
        node1, node2 = d.tree_stack[2 * top], d.tree_stack[2 * top + 1]
        at1, at2 = 6 * (first1 + node1), 6 * (first2 + node2 - m.nbvhstatic)
        leaf1, leaf2 = is_leaf(m, first1 + node1), is_leaf(m, first2 + node2)
        if leaf1 and leaf2:
            pair_leaves(m, d, m.bvh_nodeid[first1 + node1], f, m.bvh_nodeid[first2 + node2], at2)
        elif body_box_overlaps(m, d, at1, at2, margin):
            # down the tree with the larger box, or the only one that goes on
            larger = surface(m.bvh_aabb, at1) > surface(d.bvh_aabb_dyn, at2)
            if leaf2 or (not leaf1 and larger):
                top = push_children(m, d, top, first1, node1, node2, 0)
            else:
                top = push_children(m, d, top, first2, node2, node1, 1)


@kernel
def body_margin(m, body, f):
    """Margin of the boxes of a body and a deformable (m)."""
    return overriding(m, m.body_margin[body] + m.flex_margin[f])


@kernel
def pair_leaves(m, d, geom, f, e, at):
    """A geom with an element, if masks, the ball around the geom and its box meet it."""
    margin = shared_margin(m, geom, -1 - f)
    if not masks_match(m, geom, f) or m.geom_type[geom] in (GEOM_PLANE, GEOM_SDF):
        return
    reach = m.geom_rbound[geom] + margin
    if ball_beside_box(load3(d.geom_xpos, geom), reach, d.bvh_aabb_dyn, at):
        return
    if geom_box_overlaps(m, d, geom, at, margin):
        pair_with_element(m, d, geom, f, e)
