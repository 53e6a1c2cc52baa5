"""Narrow phase of spheres, capsules and boxes with edges, which are capsules.

Edges stand beside geoms in the routines of capsules: the numbers EDGE and EDGE - 1 name the edges
that `take_edge` has made ready as sides 0 and 1.
"""

from ...simd.kernel import kernel, replaced
from ...simd.lanes import load3, store
from ...simd.spatial import add3, scale3, sub3
from ..collision.capsule_box import capsule_box
from ..collision.contact import axis_z, put_contact
from ..collision.primitives import capsule_capsule, middle_of, rod_size, sphere_capsule
from .triangles import flex_of, put_flex_contact, unit_and_length, vertex_at, vertex_of

EDGE = -1


@kernel
def take_edge(m, d, side, f, e):
    """Have an edge stand for a capsule."""
    end1, end2 = vertex_at(m, d, f, e, 0), vertex_at(m, d, f, e, 1)
    axis, length = unit_and_length(sub3(end1, end2))
    store(d.rod_pos, side, scale3(add3(end1, end2), 0.5))
    store(d.rod_axis, side, axis)
    d.rod_size[2 * side], d.rod_size[2 * side + 1] = m.flex_radius[f], 0.5 * length


@kernel
def middle(d, thing):
    """Position of a geom or an edge (m)."""
    return load3(d.geom_xpos, thing) if thing > EDGE else load3(d.rod_pos, EDGE - thing)


@kernel
def long_axis(d, thing):
    """Third axis of a geom, direction of an edge."""
    if thing > EDGE:
        return (d.geom_xmat[9 * thing + 2], d.geom_xmat[9 * thing + 5], d.geom_xmat[9 * thing + 8])
    return load3(d.rod_axis, EDGE - thing)


@kernel
def size(m, d, thing):
    """Radius and half length of a capsule or an edge (m)."""
    if thing > EDGE:
        return m.geom_size[3 * thing], m.geom_size[3 * thing + 1]
    return d.rod_size[2 * (EDGE - thing)], d.rod_size[2 * (EDGE - thing) + 1]


AS_RODS = {put_contact: put_flex_contact, middle_of: middle, axis_z: long_axis, rod_size: size}
sphere_rod = replaced(sphere_capsule, AS_RODS)
rods = replaced(capsule_capsule, AS_RODS)
rod_box = replaced(capsule_box, AS_RODS)


@kernel
def sphere_edge(m, d, midpair, fcon, margin):
    """Contact of a sphere with an edge."""
    take_edge(m, d, 0, flex_of(d, midpair, 1), d.midpair_part[2 * midpair + 1])
    sphere_rod(m, d, d.midpair_side[2 * midpair], EDGE, fcon, margin, True)


@kernel
def capsule_edge(m, d, midpair, fcon, margin):
    """Contacts of a capsule with an edge."""
    take_edge(m, d, 0, flex_of(d, midpair, 1), d.midpair_part[2 * midpair + 1])
    rods(m, d, d.midpair_side[2 * midpair], EDGE, fcon, margin, True)


@kernel
def box_edge(m, d, midpair, fcon, margin):
    """Contacts of a box with an edge."""
    take_edge(m, d, 0, flex_of(d, midpair, 1), d.midpair_part[2 * midpair + 1])
    rod_box(m, d, EDGE, d.midpair_side[2 * midpair], fcon, margin, True)
    # the routine has the capsule first
    for k in range(fcon, fcon + 2):
        store(d.fcon_normal, k, scale3(load3(d.fcon_normal, k), -1.0))


@kernel
def two_edges(m, d, midpair, fcon, margin):
    """Contacts of two edges."""
    take_edge(m, d, 0, flex_of(d, midpair, 0), d.midpair_part[2 * midpair])
    take_edge(m, d, 1, flex_of(d, midpair, 1), d.midpair_part[2 * midpair + 1])
    rods(m, d, EDGE, EDGE - 1, fcon, margin, True)


@kernel
def vertex_edge(m, d, midpair, fcon, margin):
    """Contact of a vertex with an edge of the same deformable."""
    f = flex_of(d, midpair, 1)
    store(d.rod_pos, 0, vertex_of(m, d, midpair, 0))
    store(d.rod_axis, 0, (0.0, 0.0, 1.0))
    d.rod_size[0], d.rod_size[1] = m.flex_radius[f], 0.0
    take_edge(m, d, 1, f, d.midpair_part[2 * midpair + 1])
    sphere_rod(m, d, EDGE, EDGE - 1, fcon, margin, True)
