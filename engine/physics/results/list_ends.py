"""Ends of users' lists: what lies behind the elements of a world is zero.

The lists of a thread hold one world after the other. What an earlier one has left behind the last
element is cleared up to where it ended, so that lists cost no more than they are long.
"""

from ...simd.kernel import kernel
from ...simd.lanes import get_lane, set_lane

# what is listed, indices into `listed`: by which stages, and what of
LISTED_CONTACTS, LISTED_ROWS, LISTED_ENTRIES = range(3)
LISTED_SPARSE_ROWS, LISTED_SPARSE_ENTRIES, LISTED_ISLAND_ROWS = range(3, 6)
# sizes of the lists, in this order
LISTS_ENDING = ("nconmax", "nefc", "nJ", "nefc", "nJ", "nefc")
# fields of rows and entries that other stages than `export_constraint` list
_OTHERS = {
    **dict.fromkeys(("efc_J_rownnz", "efc_J_rowadr", "efc_J_rowsuper"), LISTED_SPARSE_ROWS),
    "efc_J_colind": LISTED_SPARSE_ENTRIES,
    **dict.fromkeys(("efc_island", "map_efc2iefc", "map_iefc2efc"), LISTED_ISLAND_ROWS),
}
_OF_SIZE = {"nconmax": LISTED_CONTACTS, "nefc": LISTED_ROWS, "nJ": LISTED_ENTRIES}


def list_of(name: str, size: str | int) -> int:
    """The list that a field belongs to, an index into `listed`; -1 for none.

    Args:
        name: of the field.
        size: its first dimension.
    """
    return _OTHERS.get(name, _OF_SIZE.get(str(size), -1))


@kernel
def new_end(d, which, n, lane):
    """Note that a list of one world has n elements; returns how many it had before."""
    before = int(get_lane(d.listed, which, lane))
    set_lane(d.listed, which, lane, 1.0 * n)
    return before


@kernel
def clear_element(field, k, n, lane):
    """Write zeros into element k, of n numbers, in one lane."""
    for i in range(n):
        set_lane(field, n * k + i, lane, 0.0)
