"""Sizes of the scratch that grow while stages run, so that nothing is ever dropped.

A stage that is about to fill arrays first enters in `need` how many elements they must have. The
stage `make_room` then calls back, if that is more than there are, and Python code replaces the
arrays of the thread. Compiled stages look up the address of an array once, which is why growing is
a stage of its own: those that follow find the new arrays.
"""

from ..simd.kernel import kernel
from ..simd.lanes import call_stage
from ..tables.fields import table

# sizes that fields of the scratch name, in the order of `room` and `need`
ROOMS = (
    "nfound", "ncand", "nslot", "nchaindof", "nblock", "nrow", "njac", "nconmax", "nefc", "nJ",
    "nlink", "nhess", "nitemrow", "nstrip", "nmidpair", "nfcon", "nkept",
)  # fmt: skip
ROOM_FOUND, ROOM_CAND, ROOM_SLOT, ROOM_CHAIN, ROOM_BLOCK, ROOM_ROW, ROOM_JAC = range(7)
ROOM_CONTACT, ROOM_EFC, ROOM_J, ROOM_LINK, ROOM_HESSIAN = range(7, 12)
ROOM_ITEMROW, ROOM_STRIP = range(12, 14)
ROOM_MIDPAIR, ROOM_FLEX_CONTACT, ROOM_KEPT = range(14, 17)
NROOM = len(ROOMS)
LISTS = ("nconmax", "nefc", "nJ")  # what users see; their arrays do not grow by themselves

ROOM_DATA = table("""
room             long  nroom       elements that there is room for, see capacity.py
need             long  nroom       elements that are needed
grow             long  1           address of the function that makes room
""")


@kernel
def make_room(m, d):
    """Have as much room as is needed; then nothing is needed any more.

    Reads: need, room, grow.
    Writes: need.
    """
    for k in range(NROOM):
        if d.need[k] > d.room[k]:
            call_stage(d.grow[0], m, d)
            break
    for k in range(NROOM):
        d.need[k] = 0
