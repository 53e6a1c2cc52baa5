"""Contacts as bytecode reads them: values of contact slots, in the worlds that have the contact.

The slots of a model with a fixed list of geom pairs always belong to the same geoms, in the order
in which contacts are listed: a contact of a world is a slot that is on.
"""

from ...bytecode.interpreter import elementary_function, run_bytecode
from ...bytecode.opcodes import (
    CONTACT_DIST,
    CONTACT_FORCE,
    CONTACT_FRAME,
    CONTACT_HAS_ROWS,
    CONTACT_ON,
    CONTACT_POS,
    CONTACT_ROWS,
    MOST_ROWS,
)
from ...simd.kernel import entry, kernel
from ...simd.lanes import select, zero_like
from ...tables.enums import CNSTR_CONTACT_FRICTIONLESS, COUNT_BLOCK
from ..constraint.jacobian import block_rows
from .body_forces import block_force


@kernel
def load_contact(m, d, k, n):
    """Read n numbers of contact slots, from one on; zeros in worlds without the contact.

    The words are: target, numbers, what, the first of them.

    Reads: count, con_any, con_on, con_dist, con_pos, con_frame, block_*, row_force.
    Writes: bytecode_value.
    """
    target, what = d.bytecode_word[k + 1], d.bytecode_word[k + 3]
    first = d.bytecode_word[k + 4]
    for i in range(n):
        d.bytecode_value[target + i] = contact_value(m, d, what, first + i)


@kernel
def contact_value(m, d, what, i):
    """A number of the contact slots."""
    size = 1
    if what == CONTACT_POS:
        size = 3
    elif what == CONTACT_FRAME:
        size = 9
    elif what == CONTACT_ROWS:
        size = MOST_ROWS
    elif what == CONTACT_FORCE:
        size = 6
    slot = i // size
    zero = zero_like(d.qvel)
    if not d.con_any[slot]:
        return zero
    on = d.con_on[slot] > 0.0
    if what == CONTACT_ON:
        return select(on, 1.0, zero)
    if what == CONTACT_DIST:
        return select(on, d.con_dist[slot], zero)
    if what == CONTACT_POS:
        return select(on, d.con_pos[i], zero)
    if what == CONTACT_FRAME:
        return select(on, d.con_frame[i], zero)
    return row_value(m, d, what, slot, i - size * slot)


@kernel
def row_value(m, d, what, slot, k):
    """Whether a contact has constraint rows, a row's force, or a component of the whole force."""
    zero, b = zero_like(d.qvel), 0
    while b < d.count[COUNT_BLOCK] and (
        d.block_type[b] < CNSTR_CONTACT_FRICTIONLESS or d.block_id[b] != slot
    ):
        b += 1
    if b == d.count[COUNT_BLOCK]:
        return zero
    on = d.block_D[b] > 0.0
    if what == CONTACT_HAS_ROWS:
        return select(on, 1.0, zero)
    if what == CONTACT_ROWS:
        return select(on, d.row_force[d.block_row[b] + k], zero) if k < block_rows(d, b) else zero
    return select(on, block_force(m, d, b, k), zero) if k < d.block_dim[b] else zero


run_contacts = entry(globals(), "run_contacts", run_bytecode, load_contact=load_contact)
run_contacts_and_functions = entry(
    globals(), "run_contacts_and_functions", run_bytecode,
    load_contact=load_contact, elementary=elementary_function,
)  # fmt: skip
