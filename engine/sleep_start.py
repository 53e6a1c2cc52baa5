"""Trees that are asleep from the start."""

import numpy as np

from .enums import SLEEP_INIT
from .sleep import AWAKE, READY
from .sleep_stages import FALL_ASLEEP
from .step import forward


def sleeping_state(data, names: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Put the trees with sleep='init' to sleep in the first world, which is in its initial state.

    Args:
        data: data of a model with sleeping enabled.
        names: fields that hold the state of sleep.

    Returns:
        These fields of one world; nothing when no tree shall sleep.

    Raises:
        ValueError: a tree cannot sleep.
    """
    model = data.model
    chosen = model.tree_sleep_policy == SLEEP_INIT
    if not chosen.any():
        return {}
    forward(model, data, mask=np.arange(data.nworld) == 0)
    data.tree_asleep[0] = np.where(chosen, READY, AWAKE)
    data.plan.run_late(data, FALL_ASLEEP)
    awake = np.flatnonzero(chosen & (data.tree_asleep[0] < 0))
    if len(awake):
        body = model.body(int(model.tree_bodyadr[awake[0]])).name
        raise ValueError(
            f"Data: body {body!r}: sleep='init': its tree cannot sleep at the start, because "
            "something that is awake touches or holds it; expected sleep='init' on all trees of "
            "the island"
        )
    data.qacc_smooth[0], data.qfrc_smooth[0] = 0.0, 0.0
    return {name: getattr(data, name)[0].copy() for name in names}
