"""Agents as files for programs without mjenv: for numpy alone, TorchScript, ONNX."""

import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from torch import nn

from mjenv.gym.lookup import environment_id
from mjenv.system import packages
from mjenv.training.agent import Agent
from mjenv.training.evaluate import play
from mjenv.training.hyperparameters import hyperparameters
from mjenv.training.learners.own_networks import is_own
from mjenv.training.portable import Portable, shipped
from mjenv.training.runs.curve import read_log
from mjenv.training.runs.folders import RESULT, Run
from mjenv.training.runs.network import ONNX, REMEMBERS, TORCHSCRIPT, Network, bias_of, layers_of

NUMPY = ".npz"
SUFFIXES = (NUMPY, TORCHSCRIPT, ONNX)
CURVE = 100  # points of the learning curve that are kept


def portable(run: Run, episodes: int = 20, seed: int = 1_000_000, trust: bool = False) -> Portable:
    """The trained agent of a run, with what it reaches in whole episodes.

    Args:
        run: the run, which has finished.
        episodes: how many are played.
        seed: of the first one.
        trust: whether its files may execute code.

    Raises:
        FileNotFoundError: the run has not finished.
        ValueError: the agent is no perceptron with tanh between its layers.
    """
    agent, config = Agent.load(run, trust=trust), run.config()
    # only what the file can say: layers with tanh between them, and no memory
    env_id, env_kwargs = run.environment(trust)
    policy: Any = agent.model.policy
    if hasattr(policy, "lstm_actor"):
        raise ValueError(REMEMBERS.format(run.folder))
    modules = layers_of(policy)
    layers, between = modules[::2], modules[1::2]
    if is_own(policy) or not layers or any(type(one) is not nn.Tanh for one in between):
        raise ValueError(
            f"{run.folder}: a policy of {config['algorithm']}, expected a perceptron with tanh "
            "between its layers, as PPO has it, or a linear one"
        )
    # numbers in it
    rms: Any = agent.normalize.obs_rms
    normalize, seen = agent.normalize, slice(layers[0].in_features)
    result = json.loads((run.folder / RESULT).read_text())
    info = {
        "env": config["env"],
        "env_kwargs": config["env_kwargs"],
        "algorithm": config["algorithm"],
        "command": command(config),
        "seed": config["seed"],
        "steps": result["steps"],
        "minutes": round(result["minutes"], 2),
    }
    # what an actor sees; critics are not exported
    if view := replace(agent.view, critic="", rest=()).to_dict():
        info["view"] = view
    # a thinned curve of the training
    steps, returns = read_log(run.log)
    chosen = np.unique(np.linspace(0, len(steps) - 1, CURVE).astype(int)) if len(steps) else []
    exported = Portable(
        info,
        mean=rms.mean[seen].astype(np.float32),
        deviation=np.sqrt(rms.var[seen] + normalize.epsilon).astype(np.float32),
        limit=normalize.clip_obs,
        weights=[layer.weight.detach().numpy() for layer in layers],
        biases=[bias_of(layer).detach().numpy() for layer in layers],
        low=policy.action_space.low,
        high=policy.action_space.high,
        curve=np.array([steps, returns])[:, chosen],
    )
    # what the file reaches, whose numbers are rounded otherwise than the run's
    info.update(played(exported, env_id, env_kwargs, episodes, seed))
    return exported


def played(
    agent: Portable, env_id: str, env_kwargs: dict[str, Any], episodes: int, seed: int = 1_000_000
) -> dict[str, Any]:
    """The "return", "std" and "episodes" that the information of an agent tells."""
    found = play(env_id, agent.act, episodes, seed, env_kwargs).summary()
    return {"return": found["mean"], "std": found["std"], "episodes": episodes}


def write_agent(what: str | Path, path: Path, episodes: int = 20, trust: bool = False) -> str:
    """Write an agent into a file of the kind that its suffix says.

    Args:
        what: the folder of a run, an agent's file, or an environment whose agent comes with mjenv.
        path: `.npz` for numpy, `.pt` for TorchScript, `.onnx` for ONNX.
        episodes: how many are played for the return that an `.npz` tells.
        trust: whether files of the run may execute code.

    Returns:
        What the agent is, in a few words.

    Raises:
        FileNotFoundError: the run has not finished, or there is no such file.
        ValueError: the suffix is another, there is no such agent, or it cannot be written so.
        ModuleNotFoundError: ONNX is asked for and not installed.
    """
    if path.suffix not in SUFFIXES:
        raise ValueError(f"{path}: suffix is {path.suffix!r}, expected one of {list(SUFFIXES)}")
    if path.suffix == ONNX:
        packages.load("onnx", "a file of ONNX")
    # a run
    if Path(what).is_dir():
        run = Run.open(what)
        if path.suffix == NUMPY:
            agent = portable(run, episodes, trust=trust)
            agent.save(path)
            return reached(agent)
        config = run.config()
        Network.of_agent(Agent.load(run, trust=trust)).save(path, {"env": config["env"]})
        return f"the agent of {config['env']}"
    # a file, or an agent that comes with mjenv
    if Path(what).suffix == NUMPY:
        agent = Portable.load(what)
    else:
        env_id = environment_id(str(what))
        found = shipped(env_id)
        if found is None:
            raise ValueError(
                f"{env_id}: no agent of it comes with mjenv; `mjenv agents` lists them"
            )
        agent = found
    if path.suffix == NUMPY:
        agent.save(path)
    else:
        Network.of_portable(agent).save(path, agent.info)
    return reached(agent)


def reached(agent: Portable) -> str:
    """Return of an agent, in a few words."""
    return f"return {agent.info['return']:,.1f} +- {agent.info['std']:,.1f}"


def command(config: dict[str, Any]) -> str:
    """The command that repeats a run, from its configuration."""
    env, algorithm = config["env"], config["algorithm"]
    words = ["mjenv train", env.removeprefix("mjenv/")]
    if start := config.get("start"):
        words += ["--from", start["agent"]]
    if algorithm != "PPO":
        words += ["--algorithm", algorithm]
    if config["seed"]:
        words += ["--seed", str(config["seed"])]
    usual = hyperparameters(env, algorithm).to_dict()
    for name, value in config["hyperparameters"].items():
        value = tuple(value) if isinstance(value, list) else value
        if value != usual[name]:
            words += ["--set", shlex.quote(f"{name}={value}".replace(" ", ""))]
    if config.get("demonstrations"):
        words += ["--demonstrations", config["demonstrations"]]
    for name, value in config["env_kwargs"].items():
        words += ["--env-kwargs", shlex.quote(f"{name}={value}")]
    return " ".join(words)
