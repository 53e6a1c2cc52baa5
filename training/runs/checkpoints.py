"""Checkpoints: the agent is written down while it learns, and when learning is interrupted."""

import pickle
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback

from mjenv.system.interruption import Interruption
from mjenv.training.agent import Agent
from mjenv.training.learners.finite import refuse_agent
from mjenv.training.learners.resumable import Remembering, Resumable
from mjenv.training.runs.files import remove, whole
from mjenv.training.runs.folders import PROGRESS, VIDEO, Checkpoint, Run
from mjenv.training.runs.log import show
from mjenv.training.runs.progress import say

NCHECKPOINT = 5  # kept, evenly spaced
SECONDS = 15.0  # between those of which only the last one stays


class Checkpoints(BaseCallback):
    """Writes checkpoints: the first after the first update, then by steps and by time.

    Where one cannot be written, say because the disk is full, training goes on: a message says so,
    and the earlier ones stay.
    """

    def __init__(
        self,
        run: Run,
        steps: int,
        interruption: Interruption | None = None,
        notes: dict[str, Any] | None = None,
        film: Callable[[Agent, Path], Any] | None = None,
    ):
        """Write into the folder of `run`, in a training of `steps`.

        Args:
            run: where to.
            steps: environment steps of the whole training.
            interruption: what tells to stop.
            notes: what else `progress.json` says; `minutes` are those of trainings before.
            film: writes a film of an agent, for the checkpoints that stay; None for no films.
        """
        super().__init__()
        self._run, self._steps, self._interruption = run, steps, interruption
        self._notes = {"minutes": 0.0, **(notes or {})}
        self._passing: Checkpoint | None = None
        self._film = film

    @property
    def minutes(self) -> float:
        """Duration of the training so far, including earlier parts of a resumed one (min)."""
        return self._notes["minutes"] + (time.monotonic() - self._begun) / 60

    def _on_training_start(self) -> None:
        self._begun = self._written = time.monotonic()
        self._start = self.num_timesteps
        self._mark = self._start * NCHECKPOINT // self._steps
        self._first = True

    def _on_rollout_start(self) -> None:
        """The agent has just been updated, and no experience waits to be used."""
        if isinstance(self.model, Resumable) and self._interrupted:
            self.model.halting = True
        if self.num_timesteps == self._start:
            return
        mark = self.num_timesteps * NCHECKPOINT // self._steps
        late = time.monotonic() - self._written >= SECONDS
        if self._first or late or mark > self._mark:
            try:
                checkpoint = self.write(stays=mark > self._mark)
                if self._film is not None and mark > self._mark and not self._interrupted:
                    self._film(self._agent, checkpoint.folder / VIDEO)
                    show(self.logger, checkpoint.folder / VIDEO, self.num_timesteps)
            except OSError as error:
                text = f"checkpoint: {error}; training goes on, earlier checkpoints stay"
                say(text, sys.stderr)
            self._first, self._mark, self._written = False, mark, time.monotonic()

    @property
    def _agent(self) -> Agent:
        return Agent.of(self.model)

    @property
    def _interrupted(self) -> bool:
        return self._interruption is not None and self._interruption.signum is not None

    def _on_step(self) -> bool:
        # what can be resumed stops between rollouts
        return isinstance(self.model, Resumable) or not self._interrupted

    def write(self, stays: bool = True) -> Checkpoint:
        """Write the agent as it is now.

        Args:
            stays: whether the next one does not take its place.

        Raises:
            OSError: it cannot be written.
            NonFiniteError: it is not finite; nothing is written then.
        """
        refuse_agent(self.model)
        checkpoint = Checkpoint(self._run.folder / "checkpoints" / str(self.num_timesteps))
        if not checkpoint.folder.exists():
            checkpoint.folder.parent.mkdir(exist_ok=True)
            if isinstance(self.model, Remembering):
                self.model.replay_buffer.write(checkpoint.transitions)
            with whole(checkpoint.folder) as partial:
                partial.mkdir()
                self._write_into(Checkpoint(partial))
        before, self._passing = self._passing, None if stays else checkpoint
        if before is not None and before != checkpoint:
            remove(before.folder)
        return checkpoint

    def _write_into(self, checkpoint: Checkpoint) -> None:
        self._agent.save(checkpoint)
        if isinstance(self.model, Resumable):
            with checkpoint.state.open("wb") as file:
                pickle.dump(self.model.state(), file)
        progress = {"steps": self.num_timesteps, "of": self._steps}
        checkpoint.write(PROGRESS, {**self._notes, **progress, "minutes": self.minutes})
