"""Samples of height fields, of which worlds may have their own."""

from ...simd.kernel import kernel
from ...simd.lanes import get_lane


@kernel
def sample(m, d, field, row, col, lane):
    """One sample of a height field, a share of its top height.

    `hfield_data` are the model's, or those of world after world, see `Plan.take_heights`.
    """
    index = m.hfield_adr[field] + row * m.hfield_ncol[field] + col
    return m.hfield_data[int(get_lane(d.hfield_start, 0, lane)) + index]
