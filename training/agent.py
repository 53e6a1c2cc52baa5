"""A trained policy together with the normalization of its observations."""

from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from sb3_contrib import TQC, RecurrentPPO
from stable_baselines3 import PPO, SAC, TD3
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.vec_env import VecEnv, VecNormalize

from mjenv.stepping.finite import NonFiniteError
from mjenv.training.cluster.ppo import ClusterPPO, RemoteWorlds
from mjenv.training.learners.finite import is_finite, knows_finite
from mjenv.training.learners.off_policy import WideSAC, WideTD3, WideTQC
from mjenv.training.learners.picture_learner import WideDrQ
from mjenv.training.learners.picture_memory import PictureMemory
from mjenv.training.learners.ppo import WidePPO
from mjenv.training.learners.random_search import WideARS
from mjenv.training.learners.recurrent_state import RecurrentState
from mjenv.training.learners.resumable import Remembering
from mjenv.training.learners.self_play import SelfPlayPPO
from mjenv.training.runs.files import whole
from mjenv.training.runs.folders import Checkpoint, Run, Saved
from mjenv.training.runs.own_code import bring
from mjenv.training.runs.unpickling import UntrustedError, load, load_learner
from mjenv.training.tasks.view import View

ALGORITHMS: dict[str, type[BaseAlgorithm]] = {
    "PPO": WidePPO,
    "SAC": WideSAC,
    "FastSAC": WideSAC,
    "TQC": WideTQC,
    "TD3": WideTD3,
    "ARS": WideARS,
    "DrQ": WideDrQ,
    "SelfPlay": SelfPlayPPO,
    "SB3-PPO": PPO,
    "SB3-RecurrentPPO": RecurrentPPO,
    "SB3-SAC": SAC,
    "SB3-TQC": TQC,
    "SB3-TD3": TD3,
}


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

    def __post_init__(self) -> None:
        # of the episodes that it acts in
        self._memory: RecurrentState | PictureMemory | None = None
        if isinstance(self.model, RecurrentPPO):
            self._memory = RecurrentState()
        elif isinstance(self.model, WideDrQ):
            self._memory = PictureMemory(self.model.frame_stack, self.model.action_repeat)

    def forget(self, which: np.ndarray | None = None) -> None:
        """Episodes begin, in the worlds of a mask or in all: nothing of those before is known."""
        if self._memory is not None:
            self._memory.forget(which)

    @classmethod
    def of(cls, model: BaseAlgorithm) -> "Agent":
        """The agent of a learner that has its worlds."""
        normalize = model.get_vec_normalize_env()
        assert normalize is not None
        return cls(model, normalize, getattr(normalize.venv, "view", View()))

    @classmethod
    def load(cls, run: Run, checkpoint: int | str | None = None, trust: bool = False) -> "Agent":
        """The trained agent of a run, or one on the way.

        Args:
            run: the run.
            checkpoint: its steps, or "last"; None for the trained agent.
            trust: whether files may execute code; without, those that would are refused.

        Raises:
            FileNotFoundError: the run has not finished, or has no such checkpoint.
            ValueError: a file is damaged, or the algorithm is unknown.
            UntrustedError: a file would execute code.
        """
        # both files are there once training has finished, or once the checkpoint is whole
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
        if trust:
            bring(run.folder, config)
        try:
            normalize = statistics(saved, trust)
            return cls(load_finite(ALGORITHMS[algorithm], saved, trust), normalize, view)
        except UntrustedError:
            raise
        except Exception as error:  # whatever bytes that are damaged may lead to
            raise ValueError(
                f"{saved.folder}: the agent cannot be read ({brief(error)}), expected the files "
                "that training has written; train again, or take another checkpoint"
            ) from error

    @classmethod
    def resume(
        cls, checkpoint: Checkpoint, algorithm: str, envs: VecEnv, trust: bool = False
    ) -> "Agent":
        """The learner of a checkpoint as it was, in fresh worlds of the same environment.

        Args:
            checkpoint: of a training that can be resumed.
            algorithm: its name.
            envs: as many worlds as there were.
            trust: whether files may execute code.

        Raises:
            ValueError: a file is damaged or missing, or of other worlds.
            UntrustedError: a file would execute code.
        """
        # whatever a damaged file raises becomes one message that says what to do
        try:
            normalize = statistics(checkpoint, trust)
            normalize.set_venv(envs)
            learner: Any = ClusterPPO if isinstance(envs, RemoteWorlds) else ALGORITHMS[algorithm]
            model: Any = load_finite(learner, checkpoint, trust, env=normalize)
            state = load(checkpoint.state, trust)
            model.set_state(state)
            if issubclass(learner, Remembering):
                model.replay_buffer.read(checkpoint.transitions, state["taken"])
        except UntrustedError:
            raise
        except Exception as error:  # whatever bytes that are damaged may lead to
            raise ValueError(
                f"{checkpoint.folder}: the training cannot be resumed ({brief(error)}), "
                "expected the files that training has written; remove this folder, and the "
                "checkpoint before is taken"
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

        Of observations in groups, the actor's alone are looked at; of several agents, each acts by
        what it sees.
        """
        if self.view.agents:
            return self.view.together(observation, self._act)
        if self.view.actor:
            shape: Any = self.normalize.observation_space.shape
            observation = self.view.padded(observation, shape[0])
        return self._act(observation)

    def _act(self, observation: np.ndarray) -> np.ndarray:
        normalized: Any = self.normalize.normalize_obs(observation)
        if self._memory is not None:
            return self._memory.act(self.model, normalized)
        return self.model.predict(cast(Any, normalized), deterministic=True)[0]


def statistics(saved: Saved, trust: bool = False) -> VecNormalize:
    """Normalization of an agent's observations, without worlds.

    Raises:
        TypeError: the file has something else.
        UntrustedError: it would execute code.
    """
    found = load(saved.normalize, trust)
    if not isinstance(found, VecNormalize):
        raise TypeError(
            f"{saved.normalize.name}: found {type(found).__name__}, expected VecNormalize"
        )
    knows_finite(found)  # has what is needed; if it is finite, `load_finite` asks
    return found


def load_finite(kind: Any, saved: Saved, trust: bool, **how: Any) -> BaseAlgorithm:
    """The learner of a folder; see `load_learner`.

    Raises:
        NonFiniteError: its weights are infinite, or no numbers.
    """
    model = load_learner(kind, saved.agent, trust, **how)
    if not is_finite(model):
        raise NonFiniteError(
            "its weights are not finite, its training had diverged; take an earlier checkpoint"
        )
    return model


def brief(error: Exception) -> str:
    """An error in a line."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def _unfinished(run: Run, name: str) -> str:
    """Message for a run without its trained agent."""
    text = f"{run.folder}: no {name} there, the training has not finished; "
    if not run.checkpoints:
        return text + "wait, or run `mjenv train` again"
    steps = ", ".join(str(checkpoint.steps) for checkpoint in run.checkpoints)
    return text + (
        "pass --checkpoint for the agent as it was last, or --checkpoint N for that of "
        f"N steps, one of {steps}"
    )
