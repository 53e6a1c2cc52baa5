"""Edges of deformables that keep their lengths, in large models: eight rows at once.

A row waits for several divisions one after the other; those of other rows can go on meanwhile.
"""

from ...simd.kernel import entry, kernel
from ...simd.lanes import lane_any, load_strip, store_strip
from ...simd.record import STRIP
from ...tables.enums import COUNT_BLOCK
from ..constraint.blocks import where_moved
from ..constraint.equality import UNLIMITED
from ..constraint.impedance import regularization, response_of
from .equality import (
    begin_row,
    copy_edge,
    edge_chain,
    edge_error,
    has_row,
    make_flex_equality,
    softness,
)


@kernel
def edge_strips(m, d, eq, f, on):
    """As `edge_equalities`: first all rows with their errors, then how they resist."""
    first = d.count[COUNT_BLOCK]
    for edge in range(m.flex_edgeadr[f], m.flex_edgeadr[f] + m.flex_edgenum[f]):
        if has_row(m, edge):
            moved = where_moved(m, on, copy_edge(m, d, edge))
            if lane_any(moved):
                b = begin_row(m, d, eq, moved, edge_chain(m, edge))
                d.block_pos[b], d.block_R[b] = edge_error(m, d, edge), m.flexedge_invweight0[edge]
    resist(m, d, eq, first)


@kernel
def resist(m, d, eq, first):
    """Impedance of the last rows, from their errors in `block_pos` and weights in `block_R`.

    Writes: block_D, block_R, block_K, block_B, block_I, block_P, block_base, block_margin,
        block_floss, block_bound.
    """
    end, zero = d.count[COUNT_BLOCK], load_strip(d.block_pos, first, 0)
    solref, solimp = softness(m, eq, zero)
    for b in range(first, end, STRIP):
        n = end - b
        error = load_strip(d.block_pos, b, n)
        stiffness, damping, imp, slope = response_of(m, zero, solref, solimp, error)
        store_strip(d.block_K, b, n, stiffness)
        store_strip(d.block_B, b, n, damping)
        store_strip(d.block_I, b, n, imp)
        store_strip(d.block_P, b, n, slope)
        store_strip(d.block_base, b, n, -stiffness * imp * error)
        store_strip(d.block_margin, b, n, zero)
        # the inverse of regularization, and a dry friction that no force overcomes
        r = regularization(imp, load_strip(d.block_R, b, n))
        store_strip(d.block_R, b, n, r)
        store_strip(d.block_D, b, n, 1.0 / r)
        store_strip(d.block_floss, b, n, zero)
        store_strip(d.block_bound, b, n, zero + UNLIMITED)


make_flex_equality_strips = entry(
    globals(), "make_flex_equality_strips", make_flex_equality, edge_equalities=edge_strips
)
