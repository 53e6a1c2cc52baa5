"""Train an agent with PPO or SAC. To be read from top to bottom."""

import importlib.metadata
import platform
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stable_baselines3 import PPO, SAC
from stable_baselines3.common.callbacks import CheckpointCallback
from stable_baselines3.common.logger import configure
from stable_baselines3.common.utils import LinearSchedule
from stable_baselines3.common.vec_env import VecEnv, VecNormalize

from mjenv.training.agent import Agent
from mjenv.training.curve import plot_curve, read_log
from mjenv.training.evaluate import evaluate, make_envs
from mjenv.training.film import film
from mjenv.training.hyperparameters import Hyperparameters, Settings, SoftActorCritic
from mjenv.training.progress import Deadline, ProgressBar
from mjenv.training.runs import CONFIG, Run

NCHECKPOINT = 5


def train(
    env_id: str,
    settings: Settings,
    folder: str | Path | None = None,
    *,
    seed: int = 0,
    overwrite: bool = False,
    minutes: float | None = None,
    seconds: float = 15.0,
    size: tuple[int, int] = (640, 480),
) -> Run:
    """Train an agent, evaluate it before and after, plot how it learned and film it.

    Args:
        env_id: the environment, such as "mjenv/HalfCheetah-v5".
        settings: of the algorithm, which they choose; see `hyperparameters`.
        folder: where the run goes; by default runs/<environment>-<time>.
        seed: of the worlds, the networks and the exploration.
        overwrite: replace a run that lies in the folder.
        minutes: stop the training after this time, whatever steps are left; None for no limit.
        seconds: length of the film; 0 for none.
        size: width and height of the film (pixels).

    Returns:
        The run; its files are listed in `Run`.
    """
    run = Run.create(env_id, folder, overwrite)
    run.write(CONFIG, configuration(env_id, settings, seed))
    print(f"{env_id}: run in {run.folder}")

    # Small networks: threads cost more than they bring, and the worlds have threads of their own.
    torch.set_num_threads(1)
    model = make_model(env_id, settings, seed)
    model.set_logger(configure(str(run.folder), ["csv", "tensorboard"]))
    normalize = model.get_vec_normalize_env()
    assert normalize is not None
    agent = Agent(model, normalize)

    before = evaluate(env_id, agent.act)
    print(f"return before training: {before.mean():,.0f} +- {before.std():,.0f}")
    start = time.perf_counter()
    callbacks = [ProgressBar(settings.steps), checkpoints(run, settings)]
    if minutes is not None:
        callbacks.append(Deadline(minutes))
    model.learn(settings.steps, callback=callbacks)
    taken = (time.perf_counter() - start) / 60
    agent.save(run)
    after = evaluate(env_id, agent.act)
    print(f"return after training:  {after.mean():,.0f} +- {after.std():,.0f}")
    print(f"trained for {taken:.1f} minutes, {model.num_timesteps:,} steps")
    run.write("result.json", result(before, after, taken, model.num_timesteps))

    title = f"{type(model).__name__} on {env_id}"
    plot_curve(run.curve, title, *read_log(run.log), before.mean(), after.mean())
    print(f"learning curve: {run.curve}")
    if seconds:
        film(env_id, agent.act, run.video, seconds, size)
        print(f"video: {run.video}")
    return run


def make_model(env_id: str, settings: Settings, seed: int) -> PPO | SAC:
    """The learner of the settings' algorithm."""
    envs = make_envs(env_id, settings.n_envs)
    if isinstance(settings, SoftActorCritic):
        return soft_actor_critic(envs, settings, seed)
    return proximal_policy_optimization(envs, settings, seed)


def proximal_policy_optimization(envs: VecEnv, settings: Hyperparameters, seed: int) -> PPO:
    """PPO, on normalized observations and rewards."""
    return PPO(
        "MlpPolicy",
        VecNormalize(envs, gamma=settings.gamma),
        n_steps=settings.n_steps,
        batch_size=settings.batch_size,
        n_epochs=settings.n_epochs,
        learning_rate=LinearSchedule(settings.learning_rate, 0.0, 1.0),
        gamma=settings.gamma,
        gae_lambda=settings.gae_lambda,
        clip_range=settings.clip_range,
        ent_coef=settings.ent_coef,
        vf_coef=settings.vf_coef,
        max_grad_norm=settings.max_grad_norm,
        policy_kwargs={"net_arch": list(settings.net_arch), "log_std_init": settings.log_std_init},
        seed=seed,
        device="cpu",
    )


def soft_actor_critic(envs: VecEnv, settings: SoftActorCritic, seed: int) -> SAC:
    """SAC, on observations and rewards as they are."""
    return SAC(
        "MlpPolicy",
        VecNormalize(envs, norm_obs=False, norm_reward=False, gamma=settings.gamma),
        buffer_size=settings.buffer_size,
        learning_starts=settings.learning_starts,
        batch_size=settings.batch_size,
        learning_rate=settings.learning_rate,
        gamma=settings.gamma,
        tau=settings.tau,
        train_freq=1,
        gradient_steps=-1,  # as many as the worlds have stepped
        policy_kwargs={"net_arch": list(settings.net_arch)},
        stats_window_size=10,  # its episodes are few
        seed=seed,
        device="cpu",
    )


def checkpoints(run: Run, settings: Settings) -> CheckpointCallback:
    """Save the agent a few times on the way."""
    return CheckpointCallback(
        save_freq=max(1, settings.steps // (NCHECKPOINT * settings.n_envs)),
        save_path=str(run.checkpoints),
        name_prefix="agent",
        save_vecnormalize=True,
    )


def configuration(env_id: str, settings: Settings, seed: int) -> dict[str, Any]:
    """Everything that is needed to repeat the run."""
    packages = ("mjenv", "gymnasium", "numpy", "numba", "stable-baselines3", "torch")
    return {
        "env": env_id,
        "algorithm": "SAC" if isinstance(settings, SoftActorCritic) else "PPO",
        "seed": seed,
        "hyperparameters": settings.to_dict(),
        "versions": {
            "python": platform.python_version(),
            **{name: importlib.metadata.version(name) for name in packages},
        },
    }


def result(before: np.ndarray, after: np.ndarray, minutes: float, steps: int) -> dict[str, Any]:
    """What came out of it."""
    return {
        "return_before": before.tolist(),
        "return_after": after.tolist(),
        "return_mean_before": float(before.mean()),
        "return_mean_after": float(after.mean()),
        "minutes": minutes,
        "steps": steps,
    }
