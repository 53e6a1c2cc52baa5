"""Similarity of worlds in their constraint rows: a number to sort them by.

A row takes part in all lanes of a pack where one of them has it. Packs of worlds with the same rows
therefore have less to compute.
"""

from ...simd.kernel import kernel
from ...simd.lanes import scale2, select, zero_like
from ...tables.enums import CNSTR_CONTACT_FRICTIONLESS, COUNT_BLOCK

LAST = 1000  # place from which on blocks are not told apart: 2**-1000 is a normal number


@kernel
def rate_likeness(m, d):
    """-sum of 2**-place over the blocks of a world: contacts by slot, then others by their object.

    Contacts have most rows and longest chains, so they come first. Where there are more places than
    a real has bits, the last ones are lost to rounding. The least are those with most to compute.

    Reads: block_type, block_id, block_D, block_jac.
    Writes: likeness.
    """
    zero = zero_like(d.qpos)
    one, likeness = zero + 1.0, zero
    for b in range(d.count[COUNT_BLOCK]):
        contact = d.block_type[b] >= CNSTR_CONTACT_FRICTIONLESS
        place = d.block_id[b] if contact else m.nslot + 2 * d.block_id[b]
        size = scale2(one, zero - 1.0 * min(place, LAST))
        if not contact:
            # the two sides of a limit
            size = select(d.block_jac[d.block_adr[b]] < 0.0, 0.5 * size, size)
        likeness = likeness + select(d.block_D[b] > 0.0, size, 0.0)
    d.likeness[0] = -likeness
