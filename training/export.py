"""Agents of runs as files that need numpy alone."""

import json
from typing import Any

import numpy as np
from torch import nn

from mjenv.training.agent import Agent
from mjenv.training.curve import read_log
from mjenv.training.evaluate import play
from mjenv.training.hyperparameters import hyperparameters
from mjenv.training.portable import Portable
from mjenv.training.runs import RESULT, Run

CURVE = 100  # points of the learning curve that are kept


def portable(run: Run, episodes: int = 20, seed: int = 1_000_000) -> Portable:
    """The trained agent of a run, with what it reaches in whole episodes.

    Raises:
        FileNotFoundError: the run has not finished.
        ValueError: the agent is no perceptron with tanh between its layers.
    """
    agent, config = Agent.load(run), run.config()
    env_id, env_kwargs = run.environment()
    policy: Any = agent.model.policy
    extractor = getattr(policy, "mlp_extractor", None)
    modules = [] if extractor is None else [*extractor.policy_net, policy.action_net]
    layers, between = modules[::2], modules[1::2]
    if not layers or any(type(one) is not nn.Tanh for one in between):
        raise ValueError(
            f"{run.folder}: a policy of {config['algorithm']}, expected a perceptron with tanh "
            "between its layers, as PPO has it"
        )
    rms, normalize = agent.normalize.obs_rms, agent.normalize
    result = json.loads((run.folder / RESULT).read_text())
    found = play(env_id, agent.act, episodes, seed, env_kwargs).summary()
    info = {
        "env": config["env"],
        "env_kwargs": config["env_kwargs"],
        "algorithm": config["algorithm"],
        "command": command(config),
        "seed": config["seed"],
        "steps": result["steps"],
        "minutes": round(result["minutes"], 2),
        "return": found["mean"],
        "std": found["std"],
        "episodes": episodes,
    }
    steps, returns = read_log(run.log)
    chosen = np.unique(np.linspace(0, len(steps) - 1, CURVE).astype(int)) if len(steps) else []
    return Portable(
        info,
        mean=rms.mean,  # type: ignore[union-attr]
        deviation=np.sqrt(rms.var + normalize.epsilon),  # type: ignore[union-attr]
        limit=normalize.clip_obs,
        weights=[layer.weight.detach().numpy() for layer in layers],
        biases=[layer.bias.detach().numpy() for layer in layers],
        low=policy.action_space.low,
        high=policy.action_space.high,
        curve=np.array([steps, returns])[:, chosen],
    )


def command(config: dict[str, Any]) -> str:
    """The command that repeats a run, from its configuration."""
    env, algorithm = config["env"], config["algorithm"]
    words = ["mjenv train", env.removeprefix("mjenv/")]
    if algorithm != "PPO":
        words += ["--algorithm", algorithm]
    if config["seed"]:
        words += ["--seed", str(config["seed"])]
    usual = hyperparameters(env, algorithm).to_dict()
    for name, value in config["hyperparameters"].items():
        value = tuple(value) if isinstance(value, list) else value
        if value != usual[name]:
            words += ["--set", f"{name}={value}".replace(" ", "")]
    for name, value in config["env_kwargs"].items():
        words += ["--env-kwargs", f"{name}={value}"]
    return " ".join(words)
