"""Trainings that begin with an agent: its weights, and the statistics that normalize for it."""

from copy import deepcopy
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from sb3_contrib.ars.policies import ARSPolicy
from stable_baselines3.common.running_mean_std import RunningMeanStd

from mjenv.gym import lookup
from mjenv.training.agent import Agent
from mjenv.training.portable import Portable, shipped
from mjenv.training.runs.folders import Run
from mjenv.training.runs.network import layers_of
from mjenv.training.runs.own_code import name_of

NETWORKS = "net_arch", "critic_arch", "activation", "features"  # into which weights fit
ROLLOUTS = 10  # that scales of rewards are remembered for, so that other rewards are scaled anew


class Start:
    """The agent that a training begins with: of a run, of a file, or one that comes with mjenv.

    Attributes:
        name: what it was called.
        described: what `config.json` says of it.
    """

    def __init__(self, what: str | Path, checkpoint: int | str | None = None, trust: bool = False):
        """Read it.

        Args:
            what: folder of a run, an agent's `.npz`, or an environment whose agent comes with
                mjenv.
            checkpoint: of a run; None for its trained agent, or the last one of a run that has not
                finished.
            trust: whether files of the run may execute code.

        Raises:
            FileNotFoundError: there is no such run, file or checkpoint.
            ValueError: there is no such agent, or it cannot be read.
        """
        self.name, self._agent, self._file = str(what), None, None
        # a run: its agent, also one on the way
        if Path(what).is_dir():
            run = Run.open(what)
            if checkpoint is None and not run.finished:
                checkpoint = "last"
            self._agent, config = Agent.load(run, checkpoint, trust), run.config()
            steps = int(self._agent.model.num_timesteps)
            self.env, self.algorithm = str(config["env"]), str(config["algorithm"])
            known = config.get("hyperparameters", {})
            self._networks = {name: known.get(name) for name in NETWORKS}
        else:
            # a file, or an agent that comes with mjenv: weights, without an optimizer
            self._file = _file(str(what))
            info = self._file.info
            self.env, self.algorithm, steps = info["env"], info["algorithm"], info["steps"]
        # what the new run says of where it began
        self.described = {"agent": self.name, "env": self.env, "steps": steps}
        if checkpoint is not None:
            self.described["checkpoint"] = checkpoint

    def settings(self) -> dict[str, Any]:
        """Settings of networks into which its weights fit."""
        if self._file is not None:
            return {"net_arch": tuple(len(bias) for bias in self._file.biases[:-1])}
        return {name: value for name, value in self._networks.items() if value is not None}

    def give(self, agent: Agent) -> None:
        """Have an untrained agent be as this one.

        Raises:
            ValueError: it sees or does something else, or its networks are others.
        """
        if self._agent is not None:
            self._give_all(self._agent, agent)
        elif self._file is not None:
            self._give_policy(self._file, agent)

    def _give_all(self, source: Agent, agent: Agent) -> None:
        """All networks, and the statistics of observations and rewards."""
        # the same algorithm, view, spaces and layers
        model: Any = agent.model
        own: Any = source.model
        if not isinstance(own, type(model)) and not isinstance(model, type(own)):
            raise ValueError(
                f"{self.name}: found an agent of {self.algorithm}, expected one of this training's "
                f"algorithm; add --algorithm {self.algorithm}"
            )
        if source.view != agent.view:
            raise ValueError(
                f"{self.name}: {source.view}, expected as here: {agent.view}; choose the groups "
                "with --set actor_group:NAME critic_group:NAME"
            )
        for what in ("observation", "action"):
            shapes = (_shape(getattr(one, f"{what}_space")) for one in (own, model))
            self._compare(what, *shapes)
        for option, of in (("policy", _policy), ("features", _features)):
            found, here = (of(one.policy) for one in (own, model))
            if found is not here:
                raise ValueError(
                    f"{self.name}: its {option} is {name_of(found)}, expected that of this "
                    f"training, {name_of(here)}; add or leave out --{option}"
                )
        # weights, and the temperature of SAC
        weights = own.policy.state_dict()
        shapes = ({n: tuple(x.shape) for n, x in one.items()} for one in
                  (weights, model.policy.state_dict()))  # fmt: skip
        self._check_layers(*shapes)
        model.policy.load_state_dict(weights)
        temperatures = [getattr(one, "log_ent_coef", None) for one in (model, own)]
        if all(isinstance(one, torch.Tensor) for one in temperatures):  # both learn it
            model.log_ent_coef.data.copy_(own.log_ent_coef.data)
        # normalization: a scale of rewards that later rewards can still move
        if source.normalize.norm_obs:
            agent.normalize.obs_rms = deepcopy(source.normalize.obs_rms)
        if source.normalize.norm_reward:
            scale = deepcopy(source.normalize.ret_rms)
            samples = getattr(model, "n_steps", 1) * agent.normalize.num_envs
            scale.count = min(scale.count, float(ROLLOUTS * samples))
            agent.normalize.ret_rms = scale

    def _give_policy(self, source: Portable, agent: Agent) -> None:
        """The network of actions, and the statistics of observations; values are learned anew."""
        policy: Any = agent.model.policy
        layers, linear = layers_of(policy)[::2], isinstance(policy, ARSPolicy)
        if not layers:
            raise ValueError(
                f"{self.name}: its agent has learned with {self.algorithm}, expected a training "
                "with PPO; leave --algorithm out"
            )
        if linear and (len(source.weights) > 1 or source.biases[0].any()):
            raise ValueError(
                f"{self.name}: its agent has learned with {self.algorithm}, expected a linear "
                "policy for a training with ARS; leave --algorithm out"
            )
        # layers of the same widths take its weights
        self._compare("action", source.low.shape, agent.model.action_space.shape)
        self._compare("observation", source.mean.shape, (layers[0].in_features,))
        own = [weight.shape for weight in source.weights]
        self._check_layers(own, [tuple(layer.weight.shape) for layer in layers])
        with torch.no_grad():
            for layer, weight, bias in zip(layers, source.weights, source.biases, strict=True):
                layer.weight.copy_(torch.as_tensor(weight))
                if not linear:
                    layer.bias.copy_(torch.as_tensor(bias))
        # statistics of observations, that count as many steps as it has learned from
        known = RunningMeanStd(shape=cast(Any, agent.model.observation_space.shape))
        size = source.mean.size
        variance = np.square(source.deviation.astype(float)) - agent.normalize.epsilon
        known.mean[:size], known.var[:size] = source.mean, np.maximum(variance, 0.0)
        known.count = float(source.info["steps"])
        agent.normalize.obs_rms = known

    def _compare(self, what: str, found: Any, expected: Any) -> None:
        if tuple(found) != tuple(expected):
            raise ValueError(
                f"{self.name}: its agent of {self.env} has {what}s of {_said(found)}, expected "
                f"{_said(expected)} as here; take an agent of this task, with the same arguments"
            )

    def _check_layers(self, found: Any, expected: Any) -> None:
        if found != expected:
            widths = str(list(self.settings()["net_arch"])).replace(" ", "")
            raise ValueError(
                f"{self.name}: its networks have other layers than those here, expected the same; "
                f"add --set net_arch:{widths}"
            )


def _shape(space: Any) -> Any:
    """Shape of what a space has; of pictures and states, those of both by name."""
    parts = getattr(space, "spaces", None)
    return space.shape if parts is None else [(name, one.shape) for name, one in parts.items()]


def _said(shape: Any) -> str:
    if isinstance(shape[0], tuple):
        return " and ".join(f"{name} {size}" for name, size in shape)
    return f"{shape[0]} numbers"


def _policy(policy: Any) -> type:
    return type(policy)


def _features(policy: Any) -> type:
    return policy.features_extractor_class


def _file(what: str) -> Portable:
    """An agent's file, or the one that comes with mjenv.

    Raises:
        ValueError: there is none.
    """
    if what.endswith(".npz"):
        return Portable.load(what)
    found = shipped(lookup.environment_id(what))
    if found is None:
        raise ValueError(
            f"{what}: no agent of it comes with mjenv, expected the folder of a run, a .npz of "
            "`mjenv export`, or one of `mjenv agents`"
        )
    return found
