"""A trained policy together with the normalization of its observations."""

import pickle
from dataclasses import dataclass, field
from typing import Any
from zipfile import BadZipFile

import numpy as np
from sb3_contrib import TQC
from stable_baselines3 import PPO, SAC, TD3
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.vec_env import VecEnv, VecNormalize

from mjenv.training.cluster.ppo import ClusterPPO, FarWorlds
from mjenv.training.files import whole
from mjenv.training.learners.view import View
from mjenv.training.off_policy import OffPolicy, WideSAC, WideTD3, WideTQC
from mjenv.training.ppo import WidePPO
from mjenv.training.runs import Checkpoint, Run, Saved

ALGORITHMS: dict[str, type[BaseAlgorithm]] = {
    "PPO": WidePPO,
    "SAC": WideSAC,
    "TQC": WideTQC,
    "TD3": WideTD3,
    "SB3-PPO": PPO,
    "SB3-SAC": SAC,
    "SB3-TQC": TQC,
    "SB3-TD3": TD3,
}
_DAMAGES = (BadZipFile, pickle.UnpicklingError, EOFError, KeyError, RuntimeError, ValueError)


@dataclass
class Agent:
    """Maps raw observations to actions, the most likely ones.

    Attributes:
        model: the learner, of which the policy is used.
        normalize: statistics of observations, gathered in training.
        view: which of the observations they are of.
    """

    model: BaseAlgorithm
    normalize: VecNormalize
    view: View = field(default_factory=View)

    @classmethod
    def of(cls, model: BaseAlgorithm) -> "Agent":
        """The agent of a learner that has its worlds."""
        normalize = model.get_vec_normalize_env()
        assert normalize is not None
        return cls(model, normalize, getattr(normalize.venv, "view", View()))

    @classmethod
    def load(cls, run: Run, checkpoint: int | str | None = None) -> "Agent":
        """The trained agent of a run, or one on the way.

        Args:
            run: the run.
            checkpoint: its steps, or "last"; None for the trained agent.

        Raises:
            FileNotFoundError: the run has not finished, or has no such checkpoint.
            ValueError: a file is damaged, or the algorithm is unknown.
        """
        saved = run if checkpoint is None else run.checkpoint(checkpoint)
        for file in (saved.agent, saved.normalize):
            if not file.exists():
                raise FileNotFoundError(_unfinished(run, file.name))
        config = run.config()
        algorithm, view = config["algorithm"], View.from_dict(config.get("view"))
        if algorithm not in ALGORITHMS:
            raise ValueError(
                f"{run.folder}: algorithm is {algorithm!r}, expected one of {tuple(ALGORITHMS)}"
            )
        try:
            with saved.normalize.open("rb") as file:
                normalize = pickle.load(file)
            return cls(ALGORITHMS[algorithm].load(saved.agent, device="cpu"), normalize, view)
        except _DAMAGES as error:
            raise ValueError(
                f"{saved.folder}: the agent cannot be read ({error}), expected the files that "
                "training has written; train again, or take another checkpoint"
            ) from error

    @classmethod
    def resume(cls, checkpoint: Checkpoint, algorithm: str, envs: VecEnv) -> "Agent":
        """The learner of a checkpoint as it was, in fresh worlds of the same environment.

        Args:
            checkpoint: of a training that can be resumed.
            algorithm: its name.
            envs: as many worlds as there were.

        Raises:
            ValueError: a file is damaged or missing, or of other worlds.
        """
        try:
            normalize = VecNormalize.load(str(checkpoint.normalize), envs)
            learner: Any = ClusterPPO if isinstance(envs, FarWorlds) else ALGORITHMS[algorithm]
            model = learner.load(checkpoint.agent, env=normalize, device="cpu")
            with checkpoint.state.open("rb") as file:
                state = pickle.load(file)
            model.set_state(state)
            if isinstance(model, OffPolicy):
                model.replay_buffer.read(checkpoint.transitions, state["taken"])
        except (*_DAMAGES, FileNotFoundError) as error:
            raise ValueError(
                f"{checkpoint.folder}: the training cannot be resumed ({error}), expected the "
                "files that training has written; without this checkpoint, the one before is taken"
            ) from error
        return cls.of(model)

    def save(self, saved: Saved) -> None:
        """Write the agent into the folder of a run or a checkpoint; `agent.zip` comes last."""
        with whole(saved.normalize) as partial:
            self.normalize.save(str(partial))
        with whole(saved.agent) as partial:
            self.model.save(partial)

    def act(self, observation: Any) -> np.ndarray:
        """Actions for one observation (nobs,) or a row of them (nworld, nobs).

        Of observations in groups, the actor's alone are looked at.
        """
        if self.view.actor:
            shape: Any = self.normalize.observation_space.shape
            observation = self.view.padded(observation, shape[0])
        normalized = self.normalize.normalize_obs(observation)
        return self.model.predict(normalized, deterministic=True)[0]  # type: ignore[arg-type]


def _unfinished(run: Run, name: str) -> str:
    """What to do about a run without its trained agent."""
    text = f"{run.folder}: no {name} there, the training has not finished; "
    if not run.checkpoints:
        return text + "wait, or run `mjenv train` again"
    steps = ", ".join(str(checkpoint.steps) for checkpoint in run.checkpoints)
    return text + (
        "pass --checkpoint for the agent as it was last, or --checkpoint N for that of "
        f"N steps, one of {steps}"
    )
