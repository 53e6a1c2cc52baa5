"""What watches a training run: the progress bar and the time limit."""

import sys
import time

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback
from tqdm import tqdm


class ProgressBar(BaseCallback):
    """Shows steps, steps per second, the time left and the mean return of the last episodes."""

    def __init__(self, steps: int):
        """A bar over `steps` environment steps."""
        super().__init__()
        self.steps = steps

    def _on_training_start(self) -> None:
        # without a terminal every refresh is a line: few of them then
        interval = 0.2 if sys.stderr.isatty() else 20.0
        self._bar = tqdm(
            total=self.steps,
            unit=" steps",
            unit_scale=True,
            mininterval=interval,
            dynamic_ncols=True,
        )

    def _on_step(self) -> bool:
        self._bar.update(min(self.training_env.num_envs, self.steps - self._bar.n))
        return True

    def _on_rollout_end(self) -> None:
        if self.model.ep_info_buffer:
            mean = np.mean([episode["r"] for episode in self.model.ep_info_buffer])
            self._bar.set_postfix_str(f"return {mean:,.0f}", refresh=False)

    def _on_training_end(self) -> None:
        self._bar.close()


class Deadline(BaseCallback):
    """Stops the training after some minutes."""

    def __init__(self, minutes: float):
        """A limit of `minutes` from the start of the training."""
        super().__init__()
        self.minutes = minutes

    def _on_training_start(self) -> None:
        self._end = time.monotonic() + 60 * self.minutes

    def _on_step(self) -> bool:
        return time.monotonic() < self._end
