"""Lengths of the lists of contacts and constraint rows, set from outside: for `mjx.get_data`."""

from mjenv.engine.tables.fields import DATA
from mjenv.mujoco.api import facts
from mjenv.mujoco.structs import MjData


def resize_lists(d: MjData, ncon: int, nefc: int, nJ: int) -> None:
    """Make lists of contacts, constraint rows and their Jacobian as long as given, with zeros.

    `mujoco._functions._realloc_con_efc` of the reference, which programs call that fill the lists
    with results of their own. The next `mj_forward` replaces them.

    Args:
        d: the data.
        ncon: number of contacts.
        nefc: number of constraint rows.
        nJ: number of entries of the Jacobian.

    Raises:
        ValueError: a number is negative, or larger than what these data have room for.
    """
    lengths = {"ncon": int(ncon), "nefc": int(nefc), "nJ": int(nJ)}
    lists = {
        row.name: (str(row.shape[0]), getattr(d.batch, row.name))
        for row in DATA
        if row.shape and str(row.shape[0]) in lengths and row.name != "contact"
    }
    # indices of a sparse Jacobian are empty where it is dense: the longest list counts
    room = {"ncon": d.batch.contact.dist.shape[1]}
    for count, array in lists.values():
        room[count] = max(room.get(count, 0), array.shape[1])
    for count, length in lengths.items():
        if not 0 <= length <= room[count]:
            raise ValueError(f"_realloc_con_efc: {count} = {length}, expected 0 to {room[count]}")
    for count, length in lengths.items():
        getattr(d.batch, count)[0] = length
    for _, array in lists.values():
        array[...] = 0
    contacts = d.contact
    for name in facts()["classes"]["_MjContactList"]["fields"]:
        getattr(contacts, name)[...] = 0
