"""A trained policy together with the normalization of its observations."""

import pickle
from dataclasses import dataclass

import numpy as np
from stable_baselines3 import PPO, SAC
from stable_baselines3.common.vec_env import VecNormalize

from mjenv.training.runs import Run

ALGORITHMS = {"PPO": PPO, "SAC": SAC}


@dataclass
class Agent:
    """Maps raw observations to actions, the most likely ones.

    Attributes:
        model: the learner, of which the policy is used.
        normalize: statistics of observations, gathered in training.
    """

    model: PPO | SAC
    normalize: VecNormalize

    @classmethod
    def load(cls, run: Run) -> "Agent":
        """The trained agent of a run.

        Raises:
            FileNotFoundError: the run has not finished.
        """
        for file in (run.agent, run.normalize):
            if not file.exists():
                raise FileNotFoundError(
                    f"{run.folder}: no {file.name} there, the training has not finished; "
                    "wait, or run `mjenv train` again"
                )
        with run.normalize.open("rb") as file:
            normalize = pickle.load(file)
        learner = ALGORITHMS[run.config()["algorithm"]]
        return cls(learner.load(run.agent, device="cpu"), normalize)

    def save(self, run: Run) -> None:
        """Write the agent into a run's folder."""
        self.model.save(run.agent)
        self.normalize.save(str(run.normalize))

    def act(self, observation: np.ndarray) -> np.ndarray:
        """Actions for one observation (nobs,) or a row of them (nworld, nobs)."""
        normalized = self.normalize.normalize_obs(observation)
        return self.model.predict(normalized, deterministic=True)[0]  # type: ignore[arg-type]
