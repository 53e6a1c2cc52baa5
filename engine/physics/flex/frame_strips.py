"""Frames of the cells of deformables in large models: eight cells at once.

Each turns towards its deformation in steps that wait for each other; those of other cells can go on
meanwhile.
"""

from ...simd.kernel import entry, kernel
from ...simd.lanes import load_strip, store_strip
from ...simd.record import STRIP
from .cells import count_cells
from .frames import columns, is_elastic, rotation_of, turn_cells


@kernel
def turn_flex_strips(m, d, f):
    """As `turn_flex`: cells are gathered until a strip of them is full."""
    count = count_cells(m, f)
    n = 0
    for cell in range(count):
        if is_elastic(m, d, f, cell):
            d.frame_cell[n] = m.flex_frameadr[f] + cell
            one, two, three = columns(m, d, f, cell)
            for k in range(3):
                enter_row(d, n, k, one[k], two[k], three[k])
            n += 1
        if n == STRIP or (n > 0 and cell == count - 1):
            turn_strip(d, n)
            n = 0


@kernel
def enter_row(d, n, k, x, y, z):
    """Enter row k of the deformation gradient of the n-th cell of a strip."""
    d.frame_columns[STRIP * k + n] = x
    d.frame_columns[STRIP * (3 + k) + n] = y
    d.frame_columns[STRIP * (6 + k) + n] = z


@kernel
def turn_strip(d, n):
    """Frames of a strip of n cells.

    Reads: frame_cell, frame_columns.
    Writes: flexcell_quat, frame_columns.
    """
    quat = rotation_of(column(d, 0, n), column(d, 3, n), column(d, 6, n))
    for k in range(4):
        sign = 1.0 if k == 0 else -1.0
        store_strip(d.frame_columns, STRIP * k, STRIP, sign * quat[k])
    for k in range(n):
        for i in range(4):
            d.flexcell_quat[4 * d.frame_cell[k] + i] = d.frame_columns[STRIP * i + k]


@kernel
def column(d, first, n):
    """A column of the gradients of a strip of n cells; beyond these it is zero."""
    return (
        load_strip(d.frame_columns, STRIP * first, n),
        load_strip(d.frame_columns, STRIP * (first + 1), n),
        load_strip(d.frame_columns, STRIP * (first + 2), n),
    )


turn_cells_strips = entry(globals(), "turn_cells_strips", turn_cells, turn_flex=turn_flex_strips)
