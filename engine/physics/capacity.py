"""Sizes of the scratch that grow while stages run, so that nothing is ever dropped.

A stage that is about to fill arrays first enters in `need` how many elements they must have. The
stage `reserve_capacity` then calls back, if that is more than there are, and Python code replaces
the arrays of the thread. Compiled stages look up the address of an array once, which is why growing
is
a stage of its own: those that follow find the new arrays.
"""

from ..simd.kernel import kernel
from ..simd.lanes import call_stage
from ..tables.fields import table

# sizes that fields of the scratch name, in the order of `capacity` and `need`
CAPACITIES = (
    "nfound", "ncand", "nslot", "nchaindof", "nblock", "nrow", "njac", "nconmax", "nefc", "nJ",
    "nlink", "nhess", "nsubproblemrow", "nstrip", "nmidpair", "nfcon", "nkept",
)  # fmt: skip
(
    CAPACITY_FOUND,
    CAPACITY_CAND,
    CAPACITY_SLOT,
    CAPACITY_CHAIN,
    CAPACITY_BLOCK,
    CAPACITY_ROW,
    CAPACITY_JAC,
) = range(7)
CAPACITY_CONTACT, CAPACITY_EFC, CAPACITY_J, CAPACITY_LINK, CAPACITY_HESSIAN = range(7, 12)
CAPACITY_SUBPROBLEMROW, CAPACITY_STRIP = range(12, 14)
CAPACITY_MIDPAIR, CAPACITY_FLEX_CONTACT, CAPACITY_KEPT = range(14, 17)
NCAPACITY = len(CAPACITIES)
LISTS = ("nconmax", "nefc", "nJ")  # what users see; their arrays do not grow by themselves

CAPACITY_DATA = table("""
capacity         long  ncapacity   elements that arrays have room for, see capacity.py
need             long  ncapacity   elements that are needed
grow             long  1           address of the function that makes room
""")


@kernel
def reserve_capacity(m, d):
    """Have as much room as is needed; then nothing is needed any more.

    Reads: need, capacity, grow.
    Writes: need.
    """
    for k in range(NCAPACITY):
        if d.need[k] > d.capacity[k]:
            call_stage(d.grow[0], m, d)
            break
    for k in range(NCAPACITY):
        d.need[k] = 0
