"""Memory that data take: nbuffer, and zeros for what is of MuJoCo's arena and its stack.

There is no arena and no stack here: lists of contacts and rows are arrays as any other, and what
stages need besides is scratch of their thread.
"""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .data import Data

NO_ARENA = {
    "narena": (), "maxuse_arena": (), "maxuse_stack": (), "maxuse_threadstack": (128,),
    "parena": (), "pbase": (), "pstack": (),
}  # fmt: skip
MEMORY = ("nbuffer", *NO_ARENA)


def memory_of(data: "Data", name: str) -> np.ndarray:
    """A field about memory: int64 (nworld, ...), which cannot be written."""
    found = np.zeros((data.nworld, *NO_ARENA.get(name, ())), np.int64)
    if name == "nbuffer":
        # arrays of all fields, worlds first, and of what differs between worlds of the model
        arrays = (*data._arrays.values(), *data.varied.values())
        found[:] = sum(array.nbytes for array in arrays) // data.nworld
    found.flags.writeable = False
    return found
