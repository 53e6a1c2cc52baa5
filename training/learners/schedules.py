"""Settings as Stable-Baselines3 takes them: schedules, and the arguments of policies."""

from typing import Any

from stable_baselines3.common.utils import LinearSchedule
from torch import nn

from mjenv.training.learners.mlp import NormalizedReLU
from mjenv.training.settings import Hyperparameters, OffPolicy

ACTIVATIONS: dict[str, type[nn.Module]] = {
    "tanh": nn.Tanh,
    "relu": nn.ReLU,
    "elu": nn.ELU,
    "normalized_relu": NormalizedReLU,
}


def scheduled(value: float, kind: str) -> Any:
    """A setting over the steps of a training: as it is, or falling linearly to zero."""
    return moving(value, 0.0 if kind == "linear" else None)


def moving(first: float, last: float | None) -> Any:
    """A setting over the steps of a training, to its last value; None for one that stays."""
    return first if last is None else LinearSchedule(first, last, 1.0)


def policy_options(settings: Hyperparameters | OffPolicy, critic: str) -> dict[str, Any]:
    """Layers and activations of a policy's networks, where they are not the policy's own.

    Args:
        settings: of the algorithm.
        critic: what the algorithm calls its values: "vf" or "qf".
    """
    layers: Any = list(settings.net_arch)
    if settings.critic_arch is not None:
        layers = {"pi": layers, critic: list(settings.critic_arch)}
    if settings.activation == ("relu" if isinstance(settings, OffPolicy) else "tanh"):
        return {"net_arch": layers}  # the policies' own
    return {"net_arch": layers, "activation_fn": ACTIVATIONS[settings.activation]}
