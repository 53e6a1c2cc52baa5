"""Narrow phase of elements with convex geoms, by the general routine for convex shapes.

An element is the hull of its vertices with a radius.
"""

from ...simd.kernel import kernel, replaced
from ...simd.lanes import load3, store
from ...simd.spatial import add3, sub3
from ..collision.convex import signed_distance
from ..collision.gjk import ITERATIONS
from ..collision.portal import portal_depth
from ..collision.portal_support import portal_geom_support
from ..collision.round_normals import geom_normal
from ..collision.support import (
    KIND,
    MARGIN,
    SHAPE,
    SIZE,
    TYPE,
    VERTEX,
    VERTNUM,
    geom_support,
    inner,
    take_shape,
    times,
)
from .triangles import beyond, enter, flex_of, unit_and_length, vertex_at, vertex_of

ELEMENT = 11  # kind of support function besides those of support.py
TIPS = 4  # most vertices of an element


@kernel
def element_support(m, d, o, direction):
    """Support point of a geom or an element; see `geom_support`."""
    if d.ccd_kind[KIND * o + TYPE] != ELEMENT:
        return geom_support(m, d, o, direction)
    first, best = TIPS * o, load3(d.tip_pos, TIPS * o)
    most = inner(best, direction)
    for k in range(1, d.ccd_kind[KIND * o + VERTNUM]):
        tip = load3(d.tip_pos, first + k)
        height = inner(tip, direction)
        if height > most:
            best, most = tip, height
    return beyond(best, direction, d.ccd_shape[SHAPE * o + SIZE])


distance_of_elements = replaced(signed_distance, {geom_support: element_support})


@kernel
def take_options(m, d):
    """Have the routine for convex shapes follow the options of the model."""
    d.ccd_tolerance[0] = m.opt_ccd_tolerance[0]
    d.ccd_count[ITERATIONS] = min(m.opt_ccd_iterations[0], m.nccd)


@kernel
def take_element(m, d, o, f, e, margin):
    """Have an element be one of the two shapes; its surface moves outward by half of the margin."""
    n = m.flex_dim[f] + 1
    for k in range(n):
        store(d.tip_pos, TIPS * o + k, vertex_at(m, d, f, e, k))
    name_element(d, o, n, m.flex_radius[f] + 0.5 * margin)
    for k in range(3):
        d.ccd_shape[SHAPE * o + k] = d.flexelem_aabb[6 * (m.flex_elemadr[f] + e) + k]


@kernel
def name_element(d, o, n, radius):
    """Have one of the two shapes be the hull of some points, with a radius."""
    d.ccd_kind[KIND * o + TYPE], d.ccd_kind[KIND * o + VERTNUM] = ELEMENT, n
    d.ccd_kind[KIND * o + VERTEX] = -1
    d.ccd_shape[SHAPE * o + SIZE], d.ccd_shape[SHAPE * o + MARGIN] = radius, 0.0


@kernel
def convex_element(m, d, midpair, fcon, margin):
    """Contact of a convex geom with an element."""
    geom, f = d.midpair_side[2 * midpair], flex_of(d, midpair, 1)
    take_options(m, d)
    take_shape(m, d, 0, geom, 0, margin)
    take_element(m, d, 1, f, d.midpair_part[2 * midpair + 1], margin)
    if collide_convex_element(m, d, fcon, margin) and m.flex_dim[f] == 2:
        take_normal(m, d, geom, fcon)


@kernel
def take_normal(m, d, geom, fcon):
    """Give a contact the geom's own normal, where it is round."""
    point, normal = load3(d.fcon_pos, fcon), load3(d.fcon_normal, fcon)
    own, found = geom_normal(m, d, geom, 0, point, normal)
    if found:
        store(d.fcon_normal, fcon, own)


@kernel
def keep_normal(m, d, geom, fcon):
    """Leave the normal of a contact as it is, which without nativeccd MuJoCo does."""


@kernel
def portal_element_support(m, d, o, direction):
    """Support point of a geom or an element with its margin; see `portal_geom_support`."""
    if d.ccd_kind[KIND * o + TYPE] != ELEMENT:
        return portal_geom_support(m, d, o, direction)
    return element_support(m, d, o, direction)


portal_depth_of_elements = replaced(portal_depth, {portal_geom_support: portal_element_support})


@kernel
def collide_element_by_portal(m, d, fcon, margin):
    """`collide_convex_element` where the flag nativeccd is off."""
    depth, normal, pos = portal_depth_of_elements(m, d)
    if not depth > 0.0:
        return False
    enter(d, fcon, margin - depth, pos, normal)
    return True


@kernel
def collide_convex_element(m, d, fcon, margin):
    """Contact of the two shapes; returns whether there is one."""
    dist, _ = distance_of_elements(m, d, 0.0)
    if not dist < 0.0:
        return False
    point1, point2 = load3(d.ccd_point1, 0), load3(d.ccd_point2, 0)
    normal, _ = unit_and_length(sub3(point1, point2))
    enter(d, fcon, margin + dist, times(add3(point1, point2), 0.5), normal)
    return True


@kernel
def two_elements(m, d, midpair, fcon, margin):
    """Contact of two elements of deformables."""
    take_options(m, d)
    for o in range(2):
        part = d.midpair_part[2 * midpair + o]
        take_element(m, d, o, flex_of(d, midpair, o), part, margin)
    collide_convex_element(m, d, fcon, margin)


@kernel
def vertex_tetrahedron(m, d, midpair, fcon, margin):
    """Contact of a vertex with a tetrahedron of the same deformable."""
    f, pos = flex_of(d, midpair, 1), vertex_of(m, d, midpair, 0)
    take_options(m, d)
    store(d.tip_pos, 0, pos)
    name_element(d, 0, 1, m.flex_radius[f] + 0.5 * margin)
    for k in range(3):
        d.ccd_shape[k] = pos[k]
    take_element(m, d, 1, f, d.midpair_part[2 * midpair + 1], margin)
    collide_convex_element(m, d, fcon, margin)
