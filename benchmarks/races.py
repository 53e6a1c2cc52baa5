"""Learners of several libraries on one task: returns over steps and over processor time.

    python -m benchmarks.races run mjenv-PPO FOLDER --env HalfCheetah-v5 --seed 0 --minutes 6
    python -m benchmarks.races table FOLDER 4000 10000

`run` trains on one core and leaves a `.csv` file in the folder. Now and then, at times that grow by
a fifth, the agent is evaluated without exploration, in ten episodes of Gymnasium's own environment,
with MuJoCo's physics, whatever it is trained in. Seconds are of the processor, from the beginning
of the training on, without the evaluations. `table` prints when the mean of the ten episodes was
first past the numbers, for each learner and seed of the folder, returns at the end and their
interquartile mean; with `--output` the evaluations of the folder, named as the task, are added to a
`.json` file.
"""

import argparse
import csv
import json
import math
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

EPISODES, FIRST, GROWTH = 10, 2.0, 1.2
COLUMNS = ("seconds", "steps", "return")

# seconds, steps and return of evaluations
Rows = list[tuple[float, int, float]]
# trains in an environment with a seed for some minutes
Learner = Callable[[str, int, float], Rows]


class Finished(Exception):
    """The time of a training is over."""


class Judge:
    """Evaluates an agent now and then, and keeps the time.

    Attributes:
        rows: seconds, steps and return of each evaluation.
    """

    def __init__(self, env_id: str, minutes: float):
        """Evaluate in Gymnasium's environment for so many minutes of the processor."""
        import gymnasium

        self._envs = gymnasium.make_vec(env_id, EPISODES, vectorization_mode="sync")
        self._limit = 60.0 * minutes
        self._next = FIRST
        self._start = time.process_time()
        self.rows: Rows = []

    def look(self, steps: int, act: Callable[[np.ndarray], Any], last: bool = False) -> None:
        """Evaluate if it is time to.

        Args:
            steps: environment steps so far.
            act: actions for observations (EPISODES, n), without exploration.
            last: whether the training has ended.

        Raises:
            Finished: the time is over.
        """
        now = time.process_time()
        seconds = now - self._start
        if seconds < self._next and not last:
            return
        self.rows.append((seconds, steps, self._play(act)))
        print(f"{seconds:8.1f} s {steps:11,} steps  return {self.rows[-1][2]:9,.1f}", flush=True)
        self._next = max(self._next * GROWTH, seconds)
        self._start += time.process_time() - now
        if seconds > self._limit:
            raise Finished

    def _play(self, act: Callable[[np.ndarray], Any]) -> float:
        """The mean return of an episode in each world."""
        observations, _ = self._envs.reset(seed=1000)
        returns, going = np.zeros(EPISODES), np.ones(EPISODES, bool)
        while going.any():
            observations, rewards, terminated, truncated, _ = self._envs.step(act(observations))
            returns += rewards * going
            going &= ~(terminated | truncated)
        return float(returns.mean())


def stable(model: Any, judge: Judge, steps: int) -> None:
    """Train with Stable-Baselines3, or with what has its interface."""
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.vec_env import unwrap_vec_normalize

    def act(observations: np.ndarray) -> Any:
        normal = unwrap_vec_normalize(model.get_env())
        seen = observations if normal is None else normal.normalize_obs(observations)
        return model.predict(seen.astype(np.float32), deterministic=True)[0]

    class Watch(BaseCallback):
        def _on_step(self) -> bool:
            judge.look(self.num_timesteps, act)
            return True

    model.learn(steps, callback=Watch())
    judge.look(model.num_timesteps, act, last=True)


def mjenv_learner(algorithm: str) -> Learner:
    """A learner of `mjenv train`, with its settings."""

    def run(env_id: str, seed: int, minutes: float) -> Rows:
        from mjenv.training.algorithms import make_agent
        from mjenv.training.hyperparameters import hyperparameters

        settings = hyperparameters(f"mjenv/{env_id}", algorithm)
        agent = make_agent(f"mjenv/{env_id}", settings, seed, {})
        return race(env_id, minutes, lambda judge: stable(agent.model, judge, settings.steps))

    return run


def sb3_ppo(env_id: str, seed: int, minutes: float) -> Rows:
    """PPO of Stable-Baselines3, with the settings of its RL Zoo for HalfCheetah."""
    from stable_baselines3 import PPO
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.vec_env import VecNormalize
    from torch import nn

    envs = VecNormalize(make_vec_env(env_id, 1, seed=seed), gamma=0.98)
    network = {
        "log_std_init": -2.0, "ortho_init": False, "activation_fn": nn.ReLU,
        "net_arch": {"pi": [256, 256], "vf": [256, 256]},
    }  # fmt: skip
    model = PPO(
        "MlpPolicy", envs, n_steps=512, batch_size=64, gamma=0.98, learning_rate=2.0633e-05,
        ent_coef=0.000401762, clip_range=0.1, n_epochs=20, gae_lambda=0.92, max_grad_norm=0.8,
        vf_coef=0.58096, policy_kwargs=network, seed=seed, device="cpu",
    )  # fmt: skip
    return race(env_id, minutes, lambda judge: stable(model, judge, 1_000_000))


def off_policy(package: str, name: str) -> Learner:
    """A learner of a package with the interface of Stable-Baselines3, with its own settings."""

    def run(env_id: str, seed: int, minutes: float) -> Rows:
        import importlib

        from stable_baselines3.common.env_util import make_vec_env

        algorithm = getattr(importlib.import_module(package), name)
        envs = make_vec_env(env_id, 1, seed=seed)
        model = algorithm("MlpPolicy", envs, learning_starts=10_000, seed=seed)
        return race(env_id, minutes, lambda judge: stable(model, judge, 1_000_000))

    return run


class EnvPoolWorlds:
    """EnvPool's worlds as the single file takes them: those that have ended are reset at once."""

    def __init__(self, name: str, num_envs: int, seed: int):
        import envpool  # pyright: ignore[reportMissingImports]

        self._envs = envpool.make_gymnasium(name, num_envs=num_envs, num_threads=1, seed=seed)
        self.single_observation_space = self._envs.observation_space
        self.single_action_space = self._envs.action_space

    def reset(self, seed: int) -> tuple[Any, Any]:
        """Start all episodes; seeds are those of the making."""
        return self._envs.reset()

    def step(self, actions: np.ndarray) -> tuple[Any, ...]:
        """Advance all worlds."""
        seen, rewards, terminated, truncated, _ = self._envs.step(actions)
        last, ended = seen, np.flatnonzero(terminated | truncated)
        if ended.size:
            seen = seen.copy()
            seen[ended] = self._envs.reset(ended)[0]
        return seen, rewards, terminated, truncated, {"final_obs": last}

    def close(self) -> None:
        """Close the environment."""
        self._envs.close()


def single_file(worlds: Callable[[str, int, int], Any], steps: int) -> Learner:
    """PPO in one file on worlds of a task: made of its name, their number and a seed."""

    def run(env_id: str, seed: int, minutes: float) -> Rows:
        import torch

        from mjenv.training import ppo_single_file as single

        settings = single.Settings(env=env_id, steps=steps, seed=seed)
        made: list[Any] = []

        class Worlds(single.VectorWorlds):
            def __init__(self, settings: Any):
                super().__init__(settings)
                made.append(self)

        def watched(judge: Judge) -> None:
            update, count = single.update, 0

            def look(agent: Any, *rest: Any) -> None:
                nonlocal count
                update(agent, *rest)
                count += settings.num_envs * settings.horizon

                def act(observations: np.ndarray) -> Any:
                    with torch.no_grad():
                        means = agent.mean(made[0].normalize(observations)).numpy()
                    space = made[0].envs.single_action_space
                    return np.clip(means, space.low, space.high)

                judge.look(count, act)

            own = single.update, single.VectorWorlds, single.make_worlds
            single.update, single.VectorWorlds = look, Worlds
            single.make_worlds = lambda _: worlds(env_id, settings.num_envs, seed)
            try:
                single.train(settings)
            finally:
                single.update, single.VectorWorlds, single.make_worlds = own

        return race(env_id, minutes, watched)

    return run


def race(env_id: str, minutes: float, train: Callable[[Judge], None]) -> Rows:
    """Train until it ends or the time is over; what the judge has seen."""
    judge = Judge(env_id, minutes)
    with suppress(Finished):
        train(judge)
    return judge.rows


LEARNERS: dict[str, Learner] = {
    "mjenv-PPO": mjenv_learner("PPO"),
    "mjenv-FastSAC": mjenv_learner("FastSAC"),
    "EnvPool-PPO": single_file(EnvPoolWorlds, 6_000_000),
    "SB3-PPO": sb3_ppo,
    "SB3-SAC": off_policy("stable_baselines3", "SAC"),
    "sbx-SAC": off_policy("sbx", "SAC"),
    "sbx-CrossQ": off_policy("sbx", "CrossQ"),
}


def first_past(rows: np.ndarray, number: float) -> float:
    """Seconds at the first evaluation (n, 3) whose return is past a number; nan for none."""
    past = np.flatnonzero(rows[:, 2] > number)
    return float(rows[past[0], 0]) if past.size else math.nan


def read(folder: Path) -> dict[str, list[np.ndarray]]:
    """Evaluations (n, 3) of each seed of each learner in a folder."""
    found: dict[str, list[np.ndarray]] = defaultdict(list)
    for path in sorted(folder.glob("*.csv")):
        name, _, _ = path.stem.rpartition("-")
        found[name].append(np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2))
    return found


def table(folder: Path, numbers: list[float]) -> None:
    """Print a line for each learner."""
    past = " | ".join(f"{x:,.0f}" for x in numbers)
    print(f"| learner | {past} | steps | s | return | interquartile mean (95 %) |")
    for name, seeds in read(folder).items():
        times = (
            ", ".join(
                "-" if math.isnan(t) else f"{t:.0f}" for t in (first_past(s, x) for s in seeds)
            )
            for x in numbers
        )
        ends = np.array([rows[-1] for rows in seeds])
        seconds, steps, _ = ends.mean(0)
        returns = ", ".join(f"{x:,.0f}" for x in ends[:, 2])
        cells = [name, *times, f"{steps / 1e6:.2f} M", f"{seconds:.0f}", returns]
        print(f"| {' | '.join([*cells, middle(ends[:, 2])])} |")


def middle(returns: np.ndarray) -> str:
    """The interquartile mean of several seeds, and its interval."""
    from mjenv.training.runs.seeds import interquartile_mean

    value, low, high = interquartile_mean(returns)
    return "-" if math.isnan(low) else f"{value:,.0f} ({low:,.0f} to {high:,.0f})"


def keep(folder: Path, path: Path) -> None:
    """Put columns of all evaluations into a file of several tasks, by task and learner."""
    tasks = json.loads(path.read_text()) if path.exists() else {}
    tasks[folder.name] = {
        name: [np.round(rows.T, 1).tolist() for rows in seeds]
        for name, seeds in read(folder).items()
    }
    path.write_text(json.dumps(tasks) + "\n")


def main() -> None:
    """Train, or print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run")
    run.add_argument("learner", choices=LEARNERS)
    run.add_argument("folder", type=Path)
    run.add_argument("--env", default="HalfCheetah-v5")
    run.add_argument("--seed", type=int, default=0)
    run.add_argument("--minutes", type=float, default=6.0)
    shown = commands.add_parser("table")
    shown.add_argument("folder", type=Path)
    shown.add_argument("numbers", type=float, nargs="*")
    shown.add_argument("--output", type=Path)
    given = parser.parse_args()
    if given.command == "table":
        table(given.folder, given.numbers)
        if given.output is not None:
            keep(given.folder, given.output)
        return
    rows = LEARNERS[given.learner](given.env, given.seed, given.minutes)
    given.folder.mkdir(parents=True, exist_ok=True)
    path = given.folder / f"{given.learner}-{given.seed}.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *rows])


if __name__ == "__main__":
    main()
