"""Memory that data take: nbuffer, and zeros for what is of MuJoCo's arena and its stack.

There is no arena and no stack here: lists of contacts and rows are arrays as any other, and what
stages need besides is scratch of their thread.
"""

from collections.abc import Iterable

import numpy as np

NO_ARENA = {
    "narena": (), "maxuse_arena": (), "maxuse_stack": (), "maxuse_threadstack": (128,),
    "parena": (), "pbase": (), "pstack": (),
}  # fmt: skip
MEMORY = ("nbuffer", *NO_ARENA)


def memory_of(name: str, nworld: int, arrays: Iterable[np.ndarray]) -> np.ndarray:
    """A field about memory: int64 (nworld, ...), which cannot be written.

    Args:
        name: of the field.
        nworld: number of worlds.
        arrays: of all fields, and of what differs between worlds of the model, worlds first.
    """
    found = np.zeros((nworld, *NO_ARENA.get(name, ())), np.int64)
    if name == "nbuffer":
        found[:] = sum(array.nbytes for array in arrays) // nworld
    found.flags.writeable = False
    return found
