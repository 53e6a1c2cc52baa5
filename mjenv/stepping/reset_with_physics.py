"""Resets that need physics: rejection sampling of initial states, and steps to come to rest."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv.engine.data.data import Data
from mjenv.engine.tables.enums import DSBL_ACTUATION

if TYPE_CHECKING:
    from mjenv.stepping.simulation_batch import SimulationBatch

ENDED = object()


class ResetContext:
    """One world whose episode begins, as a task's `_reset_with_physics` sees it.

    Attributes with the names of fields are views of its arrays, with MuJoCo's shapes: those of the
    data, and those of the model that differ between worlds.

    Attributes:
        model: the model that all worlds share.
    """

    def __init__(self, worlds: "SimulationBatch", world: int):
        self._worlds, self._index = worlds, np.array([world])
        self.model = worlds.task.model

    def __getattr__(self, name: str) -> Any:
        data, world = self._worlds.data, self._index[0]
        array = data.varied.get(name)
        row = (getattr(data, name) if array is None else array)[world]
        # views last, but for what belongs to the last call alone
        if isinstance(row, np.ndarray) and name not in data.fresh:
            vars(self)[name] = row
        return row

    def step(self, nstep: int = 1) -> None:
        """Advance the world by physics steps."""
        self._worlds.call(nstep)(self._index)


@contextmanager
def without_actuation(data: Data) -> Iterator[None]:
    """While this lasts, actuators have no force, as with MuJoCo's flag "actuation" disabled."""
    data.plan.refresh_idle()
    # the number that kernels read, not the option: nothing else depends on it
    flags = data.plan.model_record.arrays["opt_disableflags"]
    before = flags[0]
    flags[0] |= DSBL_ACTUATION
    try:
        yield
    finally:
        flags[0] = before


def reset_with_physics(
    worlds: "SimulationBatch", generators: Sequence[Any], chosen: np.ndarray | slice
) -> None:
    """Have a task draw initial states of worlds that were cleared, with physics at hand.

    Its function `_reset_with_physics` may be a generator (rejection sampling): at each `yield`,
    everything that follows from the state is computed, as if there were no actuators. Another
    function returns how many physics steps it takes to come to rest, the same in all worlds, or
    None.

    Args:
        worlds: the worlds.
        generators: random generators of all worlds.
        chosen: indices of those that begin, or a slice.
    """
    numbers, nstep = np.arange(worlds.data.nworld)[chosen], 0
    trying: dict[int, Generator] = {}
    for world in numbers.tolist():
        begun = worlds.task._reset_with_physics(ResetContext(worlds, world), generators[world])
        if isinstance(begun, Generator):
            trying[world] = begun
        else:
            nstep = begun or 0
    # what follows from the states that are tried is computed for all worlds together
    while trying:
        for world, begun in list(trying.items()):
            if next(begun, ENDED) is ENDED:
                del trying[world]
        if trying:
            worlds.forward(np.array(list(trying)))
    # all worlds come to rest together
    if nstep:
        worlds.call(nstep)(numbers)
        worlds.data.time[numbers] = 0.0
