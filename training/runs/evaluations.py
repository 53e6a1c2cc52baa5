"""Evaluations on the way: agents play whole episodes while they learn; the best one is kept."""

import csv
import sys
from pathlib import Path
from typing import Any, cast

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback

from mjenv.system.interruption import Interruption
from mjenv.training.agent import Agent
from mjenv.training.evaluate import play
from mjenv.training.learners.finite import refuse_agent
from mjenv.training.runs.files import remove, whole
from mjenv.training.runs.folders import BEST, PROGRESS, Checkpoint, Run
from mjenv.training.runs.progress import say

SEED = 2_000_000  # of the first episode: others than those of the training and of its result
COLUMNS = ("steps", "episodes", "mean", "std", "min", "max", "length", "success")


class Evaluations(BaseCallback):
    """Has the agent play, without exploration, in worlds of its own, and keeps the best one.

    Training learns the same numbers with it and without. Rows go into `evaluations.csv`, the best
    agent so far into `best/`, as a checkpoint from which nothing is resumed.
    """

    def __init__(
        self,
        run: Run,
        env_id: str,
        env_kwargs: dict[str, Any],
        every: int,
        episodes: int,
        steps: int = 0,
        interruption: Interruption | None = None,
    ):
        """Of a training.

        Args:
            run: where to.
            env_id: the environment.
            env_kwargs: its keyword arguments.
            every: environment steps between two evaluations.
            episodes: of an evaluation; the same initial states in each.
            steps: that are done already; rows of later ones are left out.
            interruption: what tells to stop: nothing is evaluated then.
        """
        super().__init__()
        self._run, self._env, self._interruption = run, (env_id, env_kwargs), interruption
        # rows behind a checkpoint are of a training that was cut off: they are made again
        self._every, self._episodes = every, episodes
        self._rows = [row for row in read_evaluations(run.evaluations) if row["steps"] <= steps]
        self._mark = steps // every

    @property
    def best(self) -> dict[str, float] | None:
        """The row of the best evaluation; None before the first."""
        return max(self._rows, key=lambda row: row["mean"], default=None)

    def __str__(self) -> str:
        best = self.best
        if best is None:
            return "no evaluation on the way"
        return (
            f"best of {len(self._rows)} evaluations: {best['mean']:,.0f} +- {best['std']:,.0f} "
            f"after {best['steps']:,} steps, in {self._run.folder / BEST} (--checkpoint best)"
        )

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        stopping = self._interruption is not None and self._interruption.signum is not None
        if self.num_timesteps // self._every > self._mark and not stopping:
            self.evaluate()

    def evaluate(self) -> None:
        """Have the agent play as it is now, unless it just has."""
        self._mark = self.num_timesteps // self._every
        if self._rows and self._rows[-1]["steps"] == self.num_timesteps:
            return
        refuse_agent(self.model)
        agent, (env_id, env_kwargs) = Agent.of(cast(Any, self.model)), self._env
        found = play(env_id, agent.act, self._episodes, SEED, env_kwargs).summary()
        before = self.best
        self._rows.append({"steps": self.num_timesteps, **found})
        try:
            write_evaluations(self._run.evaluations, self._rows)
            if before is None or found["mean"] > before["mean"]:
                self._keep(agent, found)
        except OSError as error:
            say(f"evaluation: {error}; training goes on, the best agent before stays", sys.stderr)

    def _keep(self, agent: Agent, found: dict[str, float]) -> None:
        best, fresh = (self._run.folder / name for name in (BEST, ".best.new.part"))
        remove(fresh)
        with whole(fresh) as partial:
            partial.mkdir()
            saved = Checkpoint(partial)
            agent.save(saved)
            saved.write(PROGRESS, {"steps": self.num_timesteps, **found})
        remove(best)
        fresh.rename(best)


def write_evaluations(path: Path, rows: list[dict[str, float]]) -> None:
    """Write rows as comma-separated values."""
    with whole(path) as partial, partial.open("w", newline="") as file:
        writer = csv.DictWriter(file, [name for name in COLUMNS if name in rows[0]])
        writer.writeheader()
        writer.writerows(rows)


def read_evaluations(path: Path) -> list[dict[str, float]]:
    """Rows that `write_evaluations` has written; none where there is no file."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return [
            {name: int(x) if name in ("steps", "episodes") else float(x) for name, x in row.items()}
            for row in csv.DictReader(file)
        ]


def curve(path: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Steps (n,), mean returns (n,) and their deviations (n,) of the evaluations of a run."""
    rows = read_evaluations(path)
    steps, means, deviations = ([row[n] for row in rows] for n in ("steps", "mean", "std"))
    return np.array(steps), np.array(means), np.array(deviations)
