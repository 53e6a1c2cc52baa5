"""Narrow phase of elements with height fields: one contact for every prism that one enters.

The element is moved into the frame of the field, where the cells under its vertices are looked at
in order.
"""

from ...simd.kernel import kernel
from ...simd.lanes import load3, load9, store
from ...simd.spatial import add3, sub3
from ...tables.enums import GEOM_HFIELD
from ..collision.hfield import add_sample, below, beyond, cells, field_size
from ..collision.support import MARGIN, SHAPE, TYPE, VERTEX, times, to_global, to_local
from .convex_elements import TIPS, collide_convex_element, take_element, take_options
from .narrow_phase import MOST_PRISMS
from .triangles import flex_of

LOWER = 3  # vertices of the bottom of a prism


@kernel
def field_element(m, d, midpair, fcon, margin):
    """Contacts of a height field with an element."""
    geom, f = d.midpair_side[2 * midpair], flex_of(d, midpair, 1)
    take_options(m, d)
    take_element(m, d, 1, f, d.midpair_part[2 * midpair + 1], margin)
    enter_field(m, d, geom, m.flex_dim[f] + 1)
    field = m.geom_dataid[geom]
    x, y, top, base = field_size(m, field, 0)
    # box around the vertices, beside the field
    low, high = span_of_tips(d, m.flex_dim[f] + 1)
    if beyond(low[0], high[0], margin, -x, x) or beyond(low[1], high[1], margin, -y, y):
        return
    if beyond(low[2], high[2], margin, -base, top):
        return
    # cells under it
    first, last = cells(low[0], high[0], x, m.hfield_ncol[field] - 1)
    start, end = cells(low[1], high[1], y, m.hfield_nrow[field] - 1)
    for k in range(LOWER):
        d.ccd_prism[3 * k + 2] = -base
    # prisms along each row of cells, two for each cell
    n = 0
    for row in range(start, end):
        add_sample(m, d, field, row + 1, first, 0, margin)
        add_sample(m, d, field, row, first, 0, margin)
        for col in range(first + 1, last + 1):
            for i in range(2):
                add_sample(m, d, field, row + 1 - i, col, 0, margin)
                if n < MOST_PRISMS and not below(d, low[2]):
                    n += collide_prism(m, d, geom, fcon + n)


@kernel
def enter_field(m, d, geom, n):
    """Move the n vertices and the centre of the element into the frame of a height field."""
    pos, mat = load3(d.geom_xpos, geom), load9(d.geom_xmat, geom)
    for k in range(n):
        tip = load3(d.tip_pos, TIPS + k)
        store(d.tip_pos, TIPS + k, to_local(mat, sub3(tip, pos)))
    center = (d.ccd_shape[SHAPE], d.ccd_shape[SHAPE + 1], d.ccd_shape[SHAPE + 2])
    center = to_local(mat, sub3(center, pos))
    for k in range(3):
        d.ccd_shape[SHAPE + k] = center[k]
    d.ccd_kind[TYPE], d.ccd_kind[VERTEX], d.ccd_shape[MARGIN] = GEOM_HFIELD, -1, 0.0


@kernel
def span_of_tips(d, n):
    """Lowest and highest coordinates of the n vertices of the element (m)."""
    low = high = load3(d.tip_pos, TIPS)
    for k in range(1, n):
        tip = load3(d.tip_pos, TIPS + k)
        low = (min(low[0], tip[0]), min(low[1], tip[1]), min(low[2], tip[2]))
        high = (max(high[0], tip[0]), max(high[1], tip[1]), max(high[2], tip[2]))
    return low, high


@kernel
def collide_prism(m, d, geom, fcon):
    """Contact of the prism with the element; returns how many there are."""
    center = (0.0, 0.0, 0.0)
    for k in range(2 * LOWER):
        center = add3(center, load3(d.ccd_prism, k))
    center = times(center, 1.0 / 6.0)
    for k in range(3):
        d.ccd_shape[k] = center[k]
    # prisms are raised by the margin already
    if not collide_convex_element(m, d, fcon, 0.0):
        return 0
    pos, mat = load3(d.geom_xpos, geom), load9(d.geom_xmat, geom)
    store(d.fcon_pos, fcon, add3(to_global(mat, load3(d.fcon_pos, fcon)), pos))
    store(d.fcon_normal, fcon, to_global(mat, load3(d.fcon_normal, fcon)))
    return 1
