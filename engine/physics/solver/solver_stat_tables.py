"""Statistics of the solvers: the memory, and the form in which users see it."""

import numpy as np

from ...tables.enums import NISLAND
from ...tables.fields import SOLVER_STAT

NSOLVER = 200  # iterations with statistics (mjNSOLVER)
NSTAT = len(SOLVER_STAT)  # numbers of an iteration, in the order of mjSolverStat
NPROGRESS = NISLAND * NSOLVER * NSTAT
SOLVER = np.dtype([(row.name, "f8" if row.type == "real" else "i4") for row in SOLVER_STAT])


def solver_progress(numbers: np.ndarray) -> np.ndarray:
    """mjSolverStat of each island and iteration.

    Args:
        numbers: (nworld, NPROGRESS).

    Returns:
        (nworld, NISLAND * NSOLVER), of dtype `SOLVER`.
    """
    found = np.zeros((len(numbers), NISLAND * NSOLVER), SOLVER)
    for k, name in enumerate(SOLVER.fields or ()):
        found[name] = numbers.reshape(len(numbers), -1, NSTAT)[:, :, k]
    return found
