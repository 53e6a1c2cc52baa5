"""Numbers that stay finite: agents before they are kept, rewards as learners store them."""

from typing import Any

import numpy as np
from torch import Tensor

from mjenv.stepping.finite import NonFiniteError


def is_finite(model: Any) -> bool:
    """True if all that a learner has learned is finite: weights, statistics, temperatures."""
    tensors = [parameter.detach() for parameter in model.policy.parameters()]
    temperature = getattr(model, "log_ent_coef", None)
    if isinstance(temperature, Tensor):
        tensors.append(temperature.detach())
    if not all(bool(tensor.isfinite().all()) for tensor in tensors):
        return False
    normalize = model.get_vec_normalize_env()
    return normalize is None or knows_finite(normalize)


def knows_finite(normalize: Any) -> bool:
    """True if the means and variances of observations are finite, where they are used."""
    known = vars(normalize)  # what is missing would be looked for in worlds
    return not known["norm_obs"] or bool(
        np.isfinite(known["obs_rms"].mean).all() and np.isfinite(known["obs_rms"].var).all()
    )


def refuse_agent(model: Any) -> None:
    """Stop a training that has diverged.

    Raises:
        NonFiniteError: weights or statistics are infinite, or no numbers.
    """
    if not is_finite(model):
        raise NonFiniteError(
            f"train: the agent is not finite after {model.num_timesteps:,} steps, expected finite "
            "weights: its updates have diverged, and it is not kept; lower learning_rate, or look "
            "at how large rewards and observations are"
        )


def refuse_rewards(rewards: np.ndarray) -> None:
    """Refuse rewards that single precision does not hold.

    Args:
        rewards: as learners store them, (..., nworld) float32.

    Raises:
        NonFiniteError: one is infinite.
    """
    if not np.isfinite(rewards).all():
        world = int(np.argwhere(~np.isfinite(rewards))[0][-1])
        raise NonFiniteError(
            f"train: the reward of environment {world} is beyond 3e38, expected what single "
            "precision holds; scale the terms of the reward"
        )
