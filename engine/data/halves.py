"""Steps in two halves, between which users set inputs from what follows from the state alone."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ..run.in_use import alone
from ..run.program import first_program, second_program
from .skip import known_world, known_worlds, run_known
from .step import check_data, run_program, run_ready, selected
from .views import takes_views

if TYPE_CHECKING:
    from ..model.model import Model
    from .data import Data


@takes_views
def step1(model: "Model", data: "Data", mask: np.ndarray | None = None) -> None:
    """The first half of a step: check the state, compute what depends on it alone (mj_step1).

    Afterwards inputs (ctrl, qfrc_applied, xfrc_applied) may be set from what was computed, and
    `step2` finishes the step. Forces of constraints (efc_force) are zero between the halves.

    Args:
        model: the model that the data were made for.
        data: worlds.
        mask: bool (nworld,); worlds to compute. None means all.

    Raises:
        ValueError: data of another model, or a mask of the wrong shape.
    """
    run_ready(model, data, (first_program,), 0, mask, "step1")


@takes_views
def step2(model: "Model", data: "Data", mask: np.ndarray | None = None) -> None:
    """The second half of a step: forces, acceleration, and the state after it (mj_step2).

    It works on what the first half, or any other call, has left, whatever was edited since: the
    state advances from where it is now, by accelerations that follow from the results as they are.
    With the integrator RK4, this half uses Euler's, as in MuJoCo. What the first half has computed
    is computed anew for worlds of which nothing is known since they were made or reset, and in data
    of several worlds that do not remember what results belong to, `keep=[..., "stages"]`.

    Args:
        model: the model that the data were made for.
        data: worlds after `step1`; advanced in place.
        mask: bool (nworld,); worlds to advance. None means all.

    Raises:
        ValueError: data of another model, or a mask of the wrong shape.
    """
    check_data(model, data, "step2")
    if data._in_place and mask is None and known_world(data):
        # one world, whose results are where stages find them
        if data.fresh:
            alone(data.plan, "step2", data.take_edits, "step2")
        run_ready(model, data, (second_program, True), 1, None, "step2")
        return
    wanted = np.ones(data.nworld, bool)
    if mask is not None:
        wanted[:] = False
        wanted[selected(data, mask, "step2")] = True
    known = known_worlds(data)
    if (wanted & known).any():
        _run_second(data, run_known, wanted & known, True)
    if (wanted & ~known).any():
        _run_second(data, run_program, wanted & ~known, False)


def _run_second(data: "Data", run: Callable[..., None], worlds: np.ndarray, known: bool) -> None:
    """Run the second half in some worlds, bool (nworld,)."""
    mask = None if worlds.all() else worlds
    run(data.model, data, (second_program, known), 1, mask, "step2")
