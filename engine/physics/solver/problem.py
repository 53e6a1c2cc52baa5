"""The constraint problem that a solver works on: all of a pack's, or one island's.

A problem is a range of `block_list` (equalities, dry friction, limits, contacts, in order), the
range of rows of these blocks, and a range of `dof_list`. Rows up to `END_FRICTION` pull both ways
(equalities, dry friction), those up to `END_PLAIN` push only (limits, pyramids, contacts without
friction); blocks from `FIRST_CONE` on are contacts with elliptic cones.
"""

from ...simd.kernel import kernel
from ...tables.enums import (
    COUNT_BLOCK,
    COUNT_CONE,
    COUNT_COUPLED,
    COUNT_FRICTION,
    COUNT_PLAIN,
    COUNT_ROW,
)

# indices into the field `problem`
FIRST_BLOCK, FIRST_CONE, END_BLOCK, FIRST_ROW, END_FRICTION, END_PLAIN, END_ROW = range(7)
FIRST_DOF, END_DOF, COUPLED, ISLAND = range(7, 11)
NPROBLEM = 11


@kernel
def whole_problem(m, d):
    """Make all constraints and dofs one problem.

    Writes: problem.
    """
    p, count = d.problem, d.count
    p[FIRST_BLOCK] = p[FIRST_ROW] = p[FIRST_DOF] = p[ISLAND] = 0
    p[FIRST_CONE], p[END_BLOCK] = count[COUNT_CONE], count[COUNT_BLOCK]
    p[END_FRICTION], p[END_PLAIN] = count[COUNT_FRICTION], count[COUNT_PLAIN]
    p[END_ROW], p[END_DOF], p[COUPLED] = count[COUNT_ROW], m.nv, count[COUNT_COUPLED]
