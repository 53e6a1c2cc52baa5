"""Hindsight experience replay (Andrychowicz et al., 2017): goals that were reached by accident."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.vec_env import VecNormalize
from torch import Tensor

from mjenv.task.task import Task
from mjenv.training.learners.replay import Replay


def refuse_steps(n_steps: int) -> None:
    """Refuse transitions of several steps, whose rewards would be of other goals.

    Raises:
        ValueError: there are to be some.
    """
    if n_steps != 1:
        raise ValueError(
            f"n_steps: found {n_steps}, expected 1 with hindsight; leave it out, or learn "
            "without: --set hindsight:0"
        )


class Hindsight(Replay):
    """Transitions of which a share gets another goal: one that the same episode reached later.

    Rows of observations are (observation, achieved goal, desired goal). The new goal is what was
    achieved at a step drawn evenly from those that followed in the episode, with the transition's
    own; the reward is computed anew.

    Attributes:
        share: of the transitions that are drawn whose goals are replaced.
    """

    def __init__(self, *arguments: Any, share: float = 0.8, size: int, **options: Any):
        """See `Replay`.

        Args:
            *arguments: size, spaces and device.
            share: of the transitions whose goals are replaced.
            size: of a goal.
            **options: others.
        """
        super().__init__(*arguments, **options)
        self.share, self._goal = share, size
        self._envs: Any = None
        # of each step the number of the last one of its episode, -1 while that goes on, and of the
        # first one of the episode that does
        self._last = np.full((self.buffer_size, self.n_envs), -1)
        self._first = np.zeros(self.n_envs, int)

    def attach(self, envs: Any) -> None:
        """Rewards are computed by the task of a vector environment.

        Raises:
            ValueError: it computes none, or needs infos.
        """
        self._envs = envs.unwrapped
        task, goal = getattr(self._envs, "task", None), np.zeros((1, self._goal), np.float32)
        where = f"{type(task or self._envs).__name__}.compute_reward"
        there = getattr(self._envs, "has_goals", False)
        if task is not None:
            there = type(task).compute_reward is not Task.compute_reward
        if not there:
            raise ValueError(
                f"{where}: is not there, expected rewards of other goals for hindsight; write it, "
                "or learn without: --set hindsight:0"
            )
        try:
            self.rewards(goal, goal)
        except KeyError as error:
            raise ValueError(
                f"{where}: reads info[{error}], which is not remembered, expected rewards of the "
                "goals alone; put it into achieved_goal, or learn without: --set hindsight:0"
            ) from error

    def rewards(self, achieved: np.ndarray, desired: np.ndarray) -> np.ndarray:
        """Rewards (n,) of goals (n, size)."""
        return np.asarray(self._envs.compute_reward(achieved, desired, {}), np.float32)

    # what is taken in

    def add(self, *step: Any) -> None:
        """See `Replay`."""
        super().add(*step)
        self._note(self.taken - 1, np.asarray(step[4], bool))

    def _note(self, step: int, done: np.ndarray) -> None:
        """Note which episodes end with a step."""
        self._last[step % self.buffer_size] = -1
        for i in done.nonzero()[0]:
            steps = np.arange(max(self._first[i], step - self.buffer_size + 1), step + 1)
            self._last[steps % self.buffer_size, i] = step
            self._first[i] = step + 1

    def read(self, path: Path, taken: int) -> None:
        """Be as it was when so many steps had been taken in."""
        super().read(path, taken)
        first = max(0, taken - self.buffer_size)
        over = self.rows[:, -1].cpu().numpy().astype(bool).reshape(-1, self.n_envs)
        self._last[:], self._first[:] = -1, first
        for step in range(first, taken):
            self._note(step, over[step % self.buffer_size])

    # what is learned from

    def draw(
        self, count: int, env: VecNormalize | None = None, gamma: float = 1.0, n_steps: int = 1
    ) -> list[Tensor]:
        """See `Replay`, with other goals and their rewards in a share of the rows.

        Raises:
            ValueError: transitions of several steps, whose goals would be other ones.
        """
        refuse_steps(n_steps)
        drawn = torch.randint(self.size() * self.n_envs, (count,), device=self.device)
        chance = torch.rand(2, count, device=self.device)
        rows = self.rows.index_select(0, drawn)
        chosen = (chance[0] < self.share).nonzero()[:, 0]
        if len(chosen):
            later = self._later(drawn[chosen].cpu().numpy(), chance[1, chosen].cpu().numpy())
            self._replace(rows, chosen, self._achieved(torch.from_numpy(later).to(self.device)))
        return self._split(rows, env, gamma)

    def _later(self, drawn: np.ndarray, chance: np.ndarray) -> np.ndarray:
        """Rows of a later step in the same episodes, (n,), by numbers from 0 to below 1."""
        slot, world = np.divmod(drawn, self.n_envs)
        step = self.taken - 1 - (self.taken - 1 - slot) % self.buffer_size
        last = self._last[slot, world]
        last = np.where(last < 0, self.taken - 1, last)
        later = step + (chance * (last - step + 1)).astype(int)
        return np.minimum(later, last) % self.buffer_size * self.n_envs + world

    def _achieved(self, numbers: Tensor) -> Tensor:
        """Goals achieved after the steps of some rows, (n, size)."""
        end = sum(self.widths[:5]) - self._goal
        return self.rows[numbers, end - self._goal : end]

    def _replace(self, rows: Tensor, chosen: Tensor, goals: Tensor) -> None:
        """Put other goals into some of the rows that were drawn, and their rewards."""
        nobs, nact = self.widths[:2]
        ends = nobs, sum(self.widths[:5])
        for end in ends:
            rows[chosen, end - self._goal : end] = goals
        achieved = rows[chosen, ends[1] - 2 * self._goal : ends[1] - self._goal]
        rewards = self.rewards(achieved.cpu().numpy(), goals.cpu().numpy())
        rows[chosen, nobs + nact] = torch.from_numpy(rewards).to(self.device)
