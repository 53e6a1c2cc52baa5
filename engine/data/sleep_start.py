"""Trees that are asleep from the start."""

from typing import TYPE_CHECKING, cast

import numpy as np

from ..physics.sleep.scratch import AWAKE, READY
from ..pipeline.sleep import FALL_ASLEEP
from ..tables.enums import DSBL_ISLAND, SLEEP_INIT
from .prepared_step import PreparedStep

if TYPE_CHECKING:
    from ..model.model import Model
    from ..run.host import Host
    from .stored_fields import StoredFields


class CannotSleepError(ValueError):
    """A tree that shall sleep from the start cannot.

    Attributes:
        body: id of the first body of the tree.
        reason: why it cannot, and what is expected.
    """

    def __init__(self, model: "Model", body: int):
        self.body, self.reason = body, _why_awake(model)
        super().__init__(f"Data: body {model.body(body).name!r}: {self.reason}")


def _why_awake(model: "Model") -> str:
    """Why a tree with sleep='init' cannot sleep, for messages."""
    cause = "something that is awake touches or holds it"
    expected = "sleep='init' on all trees of the island"
    if model.opt.sleep_tolerance < 0:
        cause = f"the option sleep_tolerance is {model.opt.sleep_tolerance}"
        expected = "0 or more"
    elif model.opt.disableflags & DSBL_ISLAND:
        cause = "constraints are not told apart by islands"
        expected = "the option flag island='enable'"
    return f"sleep='init': its tree cannot sleep at the start, because {cause}; expected {expected}"


def sleeping_state(data: "StoredFields", names: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Put the trees with sleep='init' to sleep in the first world, which is in its initial state.

    Args:
        data: data of a model with sleeping enabled.
        names: fields that hold the state of sleep.

    Returns:
        These fields of one world; nothing when no tree shall sleep.

    Raises:
        CannotSleepError: a tree cannot sleep.
    """
    model = data.model
    chosen = model.tree_sleep_policy == SLEEP_INIT
    if not chosen.any():
        return {}
    data.plan.refresh()
    PreparedStep(data, 0)(np.arange(1))
    data.tree_asleep[0] = np.where(chosen, READY, AWAKE)
    data.plan.run_lazy(cast("Host", data), FALL_ASLEEP)
    awake = np.flatnonzero(chosen & (data.tree_asleep[0] < 0))
    if len(awake):
        raise CannotSleepError(model, int(model.tree_bodyadr[awake[0]]))
    data.qacc_smooth[0], data.qfrc_smooth[0] = 0.0, 0.0
    return {name: getattr(data, name)[0].copy() for name in names}
