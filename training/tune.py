"""Search for the settings of an environment: short trainings; poor ones are cut off."""

import itertools
import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger

from mjenv.gym import lookup
from mjenv.system import packages
from mjenv.training.cluster.sweep import sweep
from mjenv.training.cluster.worker_pool import Cluster, ray_module
from mjenv.training.evaluate import evaluate
from mjenv.training.hyperparameters import hyperparameters
from mjenv.training.learners.off_policy import OffPolicy
from mjenv.training.learners.ppo import WidePPO
from mjenv.training.learners.random_search import WideARS
from mjenv.training.runs.files import whole
from mjenv.training.runs.progress import say
from mjenv.training.runs.search import BEST, Tuning, agree, ask, over
from mjenv.training.settings import RandomSearch, Settings
from mjenv.training.tasks.choice import WITH_AGENTS, algorithm_for
from mjenv.training.train import make_agent

if TYPE_CHECKING:
    from optuna import Study, Trial

REPORTS = 8  # times in a trial that its return is compared with the others'
SAID = {"COMPLETE": "return {:,.1f}", "PRUNED": "cut off", "FAIL": "failed"}

# What a setting is drawn from, with all that the table of settings has.
SPACE: dict[str, tuple[Any, ...]] = {
    "n_envs":        (16, 64, 128, 256, 512),
    "n_steps":       (16, 24, 32, 64, 128, 512),
    "batch_size":    (512, 1024, 2048, 3072, 4096),
    "n_epochs":      (3, 4, 5, 6, 8, 10),
    "gamma":         (0.95, 0.97, 0.98, 0.99, 0.995, 0.999, 0.9999),
    "gae_lambda":    (0.9, 0.92, 0.95, 0.97, 0.98),
    "clip_range":    (0.1, 0.2, 0.3),
    "ent_coef":      (0.0, 0.001, 0.002, 0.003, 0.004, 0.005, 0.006, 0.01),
    "log_std_init":  (-1.5, -1.3, -1.0, -0.7, -0.5, -0.2, 0.0),
    "net_arch":      ("64 64", "128 64", "128 128", "256 128"),
}  # fmt: skip
RATES = (2e-4, 3e-3)  # of learning
# the same for ARS, whose best directions are a share of them
SEARCH_SPACE: dict[str, tuple[Any, ...]] = {
    "n_delta":         (8, 16, 32, 64, 128),
    "n_top":           (0.125, 0.25, 0.5, 1.0),
    "delta_std":       (0.01, 0.02, 0.03, 0.05, 0.1),
    "n_eval_episodes": (1, 2, 4),
}  # fmt: skip
# and for FastSAC
FAST_SPACE: dict[str, tuple[Any, ...]] = {
    "n_envs":         (16, 32, 64, 128),
    "gradient_steps": (1, 2, 4),
    "batch_size":     (256, 512, 1024, 2048),
    "gamma":          (0.97, 0.98, 0.99, 0.995),
    "tau":            (0.005, 0.01, 0.02),
    "net_arch":       ("128 128", "256 128", "256 256"),
    "ent_coef_init":  (0.01, 0.1, 1.0),
    "noise":          (0.05, 0.1, 0.2),
}  # fmt: skip
SPACES = {
    "PPO": (SPACE, RATES),
    "ARS": (SEARCH_SPACE, (5e-3, 0.2)),
    "FastSAC": (FAST_SPACE, (3e-4, 3e-3)),
}


def tune(
    env_id: str,
    folder: str | Path | None = None,
    *,
    trials: int = 32,
    minutes: float | None = None,
    seed: int | None = None,
    env_kwargs: dict[str, Any] | None = None,
    cluster: Cluster | None = None,
    algorithm: str | None = None,
) -> Tuning:
    """Search for settings of PPO, ARS or FastSAC that bring the highest return in a time.

    The first trial has the settings of the table. A trial times itself and learns for as many steps
    as fit into its minutes; it is cut off where its return is below the median of the trials before
    at the same share of the time. A search that was stopped goes on in the same folder, with the
    trial that was under way; what settings are tried is a function of the seed and of the returns
    so far. A search without any trial that came to its end leaves nothing.

    Args:
        env_id: the environment, such as "mjenv/HalfCheetah-v5".
        folder: where the trials are written; by default tuning/<environment>, such as
            tuning/Swing-v0 for "swing:Swing-v0".
        trials: how many there shall be, with those that are in the folder.
        minutes: of a trial; None for 2, or those of the search that goes on.
        seed: of the search, and of the trainings; None for 0, or that of the search that goes on.
        env_kwargs: keyword arguments of the environment.
        cluster: Ray cluster that tries as many at the same time as it has workers; None to try one
            after the other here.
        algorithm: whose settings, "PPO" or "ARS"; None for PPO, or that of the search that goes on.

    Returns:
        The search, with `best.json` in its folder.

    Raises:
        ModuleNotFoundError: Optuna is not installed; or a cluster is given, and Ray is not.
        ConnectionError: there is no cluster at the address.
        ValueError: the environment has several agents, or there is no search for the algorithm; or
            the folder has a search of another environment, or with other minutes, another seed or
            algorithm or other arguments, whose returns are not to be compared.
        FileExistsError: another process searches in the folder.
    """
    packages.load("optuna", "a search")
    if cluster is not None:
        ray_module()
    if algorithm not in (None, *SPACES):
        raise ValueError(f"tune: algorithm is {algorithm!r}, expected one of {[*SPACES]}")
    if algorithm_for(env_id, env_kwargs) == WITH_AGENTS:
        raise ValueError(
            f"tune: {env_id} has several agents, whose returns against themselves do not tell "
            "settings apart; train with some, `mjenv train ... --set NAME:VALUE`, and compare what "
            "`mjenv eval` says"
        )
    name = env_id.rpartition("/")[2].rpartition(":")[2]
    tuning = Tuning(Path("tuning") / name if folder is None else Path(folder), env_id)
    torch.set_num_threads(1)
    kwargs = env_kwargs or {}
    with tuning.opened() as study:
        given = {"minutes": minutes, "seed": seed, "algorithm": algorithm}
        begun = agree(tuning, study, **given, env_kwargs=kwargs)
        _search(tuning, study, {**begun, "env_kwargs": kwargs}, trials, cluster)
    return tuning


def _search(
    tuning: Tuning, study: "Study", how: dict[str, Any], trials: int, cluster: Cluster | None
) -> None:
    """Have trials tried that are missing, here or on a cluster.

    Args:
        tuning: the search.
        study: its trials.
        how: "minutes" of a trial, "seed", "algorithm" and "env_kwargs".
        trials: how many there shall be, with those that are over.
        cluster: see `tune`.
    """
    import optuna

    env_id, count = tuning.env_id, len(over(study))
    minutes, seed, env_kwargs = how["minutes"], how["seed"], how["env_kwargs"]
    algorithm = how["algorithm"]
    # the first trial is the environment's row of the table, which is hard to beat
    if not study.trials:
        study.enqueue_trial(_drawn(hyperparameters(env_id, algorithm)))
    numbers = itertools.count(count + 1)

    # what a trial begins with, and what is written when it has ended
    def begin() -> tuple["Trial", Settings]:
        trial = ask(study, seed)
        return trial, draw(trial, env_id, algorithm)

    def tell(trial: "Trial") -> None:
        ended = study.trials[trial.number]
        said = SAID[ended.state.name].format(ended.value)
        say(f"trial {next(numbers)} of {trials}: {said}, {trial.params}")
        _write_best(tuning, study, algorithm)

    # several at the same time, or one after the other
    if cluster is not None:
        attempt = Attempt(env_id, lookup.origin(env_id), minutes, seed, env_kwargs)
        sweep(study, begin, attempt, tell, max(trials - count, 0), tuning.folder, cluster)
        return
    for _ in range(count, trials):
        trial, settings = begin()
        try:
            value = _try(trial, env_id, settings, minutes, seed, env_kwargs)
        except optuna.TrialPruned:
            study.tell(trial, state=optuna.trial.TrialState.PRUNED)
        except Exception:
            study.tell(trial, state=optuna.trial.TrialState.FAIL)
            raise
        else:
            study.tell(trial, value)
        tell(trial)


class Attempt(NamedTuple):
    """Settings that a process of a cluster needs for a trial.

    Attributes:
        env_id, origin, env_kwargs: the environment, where it is found, and its arguments.
        minutes: of a trial.
        seed: of the training.
    """

    env_id: str
    origin: dict[str, Any] | None
    minutes: float
    seed: int
    env_kwargs: dict[str, Any]

    def __call__(self, trial: Any, settings: Settings, threads: int) -> float:
        """The return that settings bring; see `_try`."""
        env_id = lookup.find_again(self.env_id, self.origin)
        kwargs = {"nthread": threads, **self.env_kwargs}
        return _try(trial, env_id, settings, self.minutes, self.seed, kwargs)


def draw(trial: "Trial", env_id: str, algorithm: str = "PPO") -> Settings:
    """Settings of a trial; what is not searched for is as in the table."""
    space, rates = SPACES[algorithm]
    drawn = {name: trial.suggest_categorical(name, values) for name, values in space.items()}
    rate = trial.suggest_float("learning_rate", *rates, log=True)
    return _settings(env_id, {**drawn, "learning_rate": rate}, algorithm)


def _settings(env_id: str, drawn: dict[str, Any], algorithm: str) -> Settings:
    found = dict(drawn)
    if "net_arch" in found:
        found["net_arch"] = tuple(map(int, drawn["net_arch"].split()))
    if "n_top" in found:
        found["n_top"] = max(1, int(drawn["n_top"] * drawn["n_delta"]))
    return hyperparameters(env_id, algorithm, **found)


def _drawn(settings: Settings) -> dict[str, Any]:
    """Settings as values of a search space: those of them that could have been drawn."""
    found = asdict(settings)
    if isinstance(settings, RandomSearch):
        found["n_top"] = (settings.n_top or settings.n_delta) / settings.n_delta
    else:
        found["net_arch"] = " ".join(map(str, settings.net_arch))
    space = SPACES[settings.algorithm][0]
    known = {name: found[name] for name, values in space.items() if found[name] in values}
    return {**known, "learning_rate": settings.learning_rate}


def _write_best(tuning: Tuning, study: "Study", algorithm: str) -> None:
    """Write down what is best so far."""
    import optuna

    complete = study.get_trials(deepcopy=False, states=(optuna.trial.TrialState.COMPLETE,))
    if not complete:
        return
    best = study.best_trial
    settings = _settings(tuning.env_id, best.params, algorithm).to_dict()
    settings["steps"] = best.user_attrs["steps"]
    content = {
        "env": tuning.env_id,
        "algorithm": algorithm,
        "return": best.value,
        "trials": len(study.trials),
        "hyperparameters": settings,
    }
    with whole(tuning.folder / BEST) as partial:
        partial.write_text(json.dumps(content, indent=2) + "\n")


def _try(
    trial: "Trial",
    env_id: str,
    settings: Settings,
    minutes: float,
    seed: int,
    env_kwargs: dict[str, Any],
) -> float:
    """Mean return of 16 episodes after a training of some minutes.

    Raises:
        TrialPruned: the training went worse than others.
    """
    import optuna

    agent = make_agent(env_id, settings, seed, env_kwargs)
    model: Any = agent.model
    model.set_logger(Logger(None, []))
    watch = Watch(trial, 60.0 * minutes)
    model.learn(2**40, callback=watch)
    trial.set_user_attr("steps", model.num_timesteps)
    model.env.close()
    if watch.poor:
        raise optuna.TrialPruned
    return float(evaluate(env_id, agent.act, seed=seed + 10_000, env_kwargs=env_kwargs).mean())


class Watch(BaseCallback):
    """Has a training fit into a time, and reports how it goes."""

    def __init__(self, trial: "Trial", seconds: float):
        """Of a trial, with a limit."""
        super().__init__()
        self._trial, self._seconds, self._reports = trial, seconds, 0
        self.poor = False

    def _on_training_start(self) -> None:
        self._start = time.perf_counter()

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        # the learning rate falls with the share of the time
        share = (time.perf_counter() - self._start) / self._seconds
        model: Any = self.model
        assert isinstance(model, WidePPO | WideARS | OffPolicy)
        model.share = share
        if share * REPORTS >= self._reports + 1 and model.ep_info_buffer:
            self._reports += 1
            value = float(np.mean([episode["r"] for episode in model.ep_info_buffer]))
            self._trial.report(value, self._reports)
            self.poor = self._trial.should_prune()
        model.halting = self.poor or share >= 1.0
