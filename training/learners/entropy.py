"""The weight of the entropy over a training, of algorithms that have no schedule for it."""

from typing import Any

from stable_baselines3.common.callbacks import BaseCallback
from torch import Tensor

from mjenv.training.learners.ppo import WidePPO
from mjenv.training.settings import Settings


class EntropySchedule(BaseCallback):
    """Has the weight of the entropy fall linearly to zero over the steps of a training."""

    def __init__(self, weight: float, steps: int):
        """Of the weight at the start, and the steps of the whole training."""
        super().__init__()
        self._weight, self._steps = weight, steps

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        """Gradient steps follow."""
        weight = self._weight * max(0.0, 1.0 - self.num_timesteps / self._steps)
        model: Any = self.model
        tensor = getattr(model, "ent_coef_tensor", None)
        if isinstance(tensor, Tensor):  # off-policy ones read it there, and log it
            tensor.fill_(weight)
            return
        model.ent_coef = weight
        self.logger.record("train/ent_coef", weight)


def entropy_schedules(model: Any, settings: Settings) -> list[BaseCallback]:
    """The schedule that settings ask for: one, or none, also where the algorithm has it itself."""
    weight = getattr(settings, "ent_coef", None)
    if weight is None or isinstance(model, WidePPO):
        return []
    kind: Any = getattr(settings, "ent_coef_schedule", "constant")
    return [EntropySchedule(weight, settings.steps)] if kind == "linear" else []
