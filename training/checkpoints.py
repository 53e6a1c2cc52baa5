"""Checkpoints: the agent is written down while it learns, and when learning is interrupted."""

import sys
import time

from stable_baselines3.common.callbacks import BaseCallback

from mjenv.interruption import Interruption
from mjenv.training.agent import Agent
from mjenv.training.files import remove, whole
from mjenv.training.progress import say
from mjenv.training.runs import PROGRESS, Checkpoint, Run

NCHECKPOINT = 5  # that stay, at even distances
SECONDS = 15.0  # between those of which only the last one stays


class Checkpoints(BaseCallback):
    """Writes checkpoints: the first after the first update, then by steps and by time.

    Where one cannot be written, say because the disk is full, training goes on: a message says so,
    and the earlier ones stay.
    """

    def __init__(self, run: Run, steps: int, interruption: Interruption | None = None):
        """Write into the folder of `run`, in a training of `steps`.

        Args:
            run: where to.
            steps: environment steps of the whole training.
            interruption: what tells to stop.
        """
        super().__init__()
        self._run, self._steps, self._interruption = run, steps, interruption
        self._passing: Checkpoint | None = None
        self._mark = 0

    def _on_training_start(self) -> None:
        self._begun = self._written = time.monotonic()
        self._start = self.num_timesteps
        self._first = True

    def _on_rollout_start(self) -> None:
        """The agent has just been updated, and no experience waits to be used."""
        if self.num_timesteps == self._start:
            return
        mark = self.num_timesteps * NCHECKPOINT // self._steps
        late = time.monotonic() - self._written >= SECONDS
        if self._first or late or mark > self._mark:
            try:
                self.write(stays=mark > self._mark)
            except OSError as error:
                text = f"checkpoint: {error}; training goes on, earlier checkpoints stay"
                say(text, sys.stderr)
            self._first, self._mark, self._written = False, mark, time.monotonic()

    def _on_step(self) -> bool:
        return self._interruption is None or self._interruption.signum is None

    def write(self, stays: bool = True) -> Checkpoint:
        """Write the agent as it is now.

        Args:
            stays: whether the next one does not take its place.

        Raises:
            OSError: it cannot be written.
        """
        checkpoint = Checkpoint(self._run.folder / "checkpoints" / str(self.num_timesteps))
        if not checkpoint.folder.exists():
            checkpoint.folder.parent.mkdir(exist_ok=True)
            with whole(checkpoint.folder) as partial:
                partial.mkdir()
                self._write_into(Checkpoint(partial))
        before, self._passing = self._passing, None if stays else checkpoint
        if before is not None and before != checkpoint:
            remove(before.folder)
        return checkpoint

    def _write_into(self, checkpoint: Checkpoint) -> None:
        normalize = self.model.get_vec_normalize_env()
        assert normalize is not None
        Agent(self.model, normalize).save(checkpoint)  # type: ignore[arg-type]
        minutes = (time.monotonic() - self._begun) / 60
        progress = {"steps": self.num_timesteps, "of": self._steps, "minutes": minutes}
        checkpoint.write(PROGRESS, progress)
