"""Commands that train agents, and search for settings."""

import argparse
from pathlib import Path
from typing import Any

from mjenv.commands.command import Command, as_typed, changed
from mjenv.commands.command_file import with_file
from mjenv.commands.options import (
    ENV_HELP,
    add_checkpoint_option,
    add_environment_options,
    add_film_options,
    add_trust_option,
    env_kwargs,
)
from mjenv.commands.runs import show_comparison
from mjenv.commands.setting_names import SETTINGS
from mjenv.commands.values import algorithm, duration, length_or_none, positive, seed
from mjenv.randomization.literals import read_pairs

BESIDE_RESUME = (
    "resume", "steps", "minutes", "seconds", "size", "films", "ray", "trust", "callback"
)  # fmt: skip
HERE = "here"  # a cluster that is started in this machine


def train(arguments: argparse.Namespace) -> None:
    """Train an agent, or several with different seeds; or go on with one."""
    if arguments.config is not None:
        arguments = with_file(arguments)
    # imported here: `mjenv --help` does not need torch
    from mjenv.training.train import resume, train

    names = ("minutes", "seconds", "size", "films")
    film = {name: getattr(arguments, name) for name in names}
    address = None if arguments.ray == HERE else arguments.ray
    # going on: everything else is in the run
    if arguments.resume is not None:
        refuse_beside_resume(arguments)
        how = {"steps": arguments.steps, "address": address, "trust": arguments.trust}
        how["callbacks"] = arguments.callback or None
        resume(arguments.resume, **film, **how)
        return
    if arguments.env is None:
        raise ValueError("expected an environment, such as HalfCheetah-v5, or --resume RUN")
    from mjenv.gym.lookup import environment_id

    # a new run
    env_id = environment_id(arguments.env)
    cluster = cluster_of(arguments, address)
    start = start_of(arguments)
    settings = settings_of(arguments, env_id, cluster, start)
    options = {
        "overwrite": arguments.overwrite,
        "env_kwargs": env_kwargs(arguments),
        "wandb": arguments.wandb,
        "cluster": cluster,
        "demonstrations": arguments.demonstrations,
        "start": start,
        "eval_every": arguments.eval_every,
        "eval_episodes": arguments.eval_episodes,
        "policy": arguments.policy,
        "features": arguments.features,
        "callbacks": arguments.callback,
        **film,
    }
    # one seed, or several side by side and their curves
    if arguments.seeds is None:
        train(env_id, settings, arguments.run, seed=arguments.seed, **options)
        return
    from mjenv.training.runs.lock import free_folder

    folder = arguments.run or free_folder(env_id)
    for one in range(arguments.seed, arguments.seed + arguments.seeds):
        train(env_id, settings, folder / f"seed-{one}", seed=one, **options)
    show_comparison([folder], folder / "curves.png")


def start_of(arguments: argparse.Namespace) -> Any:
    """The agent that a training begins with; None for an untrained one.

    Raises:
        ValueError: there is none, or a checkpoint of none.
    """
    from mjenv.training.runs.warm_start import Start

    if arguments.start is None:
        if arguments.checkpoint is not None:
            raise ValueError("--checkpoint: is that of --from RUN; add it, or leave this out")
        return None
    return Start(arguments.start, arguments.checkpoint, arguments.trust)


def settings_of(arguments: argparse.Namespace, env_id: str, cluster: Any, start: Any) -> Any:
    """The settings that options tell of, of their algorithm or the environment's.

    Those of networks are by default such that the weights of the agent fit that it begins with.

    Raises:
        ValueError: a setting is given twice, is none of the algorithm's, or is invalid.
    """
    from mjenv.training.hyperparameters import changed_settings, hyperparameters, names
    from mjenv.training.long_training import long_training
    from mjenv.training.tasks.choice import algorithm_for

    changes = read_pairs("--hyperparameters", arguments.hyperparameters, "hyperparameters")
    given = {"steps": arguments.steps, "n_envs": arguments.n_envs}
    if cluster is not None and arguments.worlds is not None:
        given["n_envs"] = cluster.workers * arguments.worlds
    for name, value in given.items():
        if value is not None and name in changes:
            raise ValueError(f"--hyperparameters: {name} is given twice; remove one")
        if value is not None:
            changes[name] = value
    if arguments.long:
        row = long_training(env_id, arguments.algorithm)
    else:
        algorithm = arguments.algorithm or algorithm_for(env_id, env_kwargs(arguments))
        row = hyperparameters(env_id, algorithm)
    if start is not None:
        known = names(row.algorithm)
        changes = {**{n: v for n, v in start.settings().items() if n in known}, **changes}
    return changed_settings(row, **changes)


def cluster_of(arguments: argparse.Namespace, address: str | None) -> Any:
    """The cluster that options tell of; None for none.

    Raises:
        ValueError: options of a cluster without one, or two that say the same.
    """
    from mjenv.training.cluster.worker_pool import Cluster

    if arguments.ray is None:
        for name in ("workers", "worlds"):
            if getattr(arguments, name, None) is not None:
                raise ValueError(f"{as_typed(name)}: is for workers of a cluster; add --ray")
        return None
    if getattr(arguments, "worlds", None) is not None and arguments.n_envs is not None:
        raise ValueError("--worlds: are those of one worker, --n-envs all; leave one of them out")
    return Cluster(arguments.workers or 2, address)


def refuse_beside_resume(arguments: argparse.Namespace) -> None:
    """A run that goes on has its settings already.

    Raises:
        ValueError: another was given.
    """
    for name in changed(arguments):
        if name not in BESIDE_RESUME:
            what = {"env": "env", "start": "--from"}.get(name, as_typed(name))
            raise ValueError(f"--resume: the run goes on with its own settings; leave {what} out")


def train_options(sub: argparse.ArgumentParser) -> None:
    """Options of a training: environment, length, and what is kept."""
    sub.epilog = SETTINGS
    # what is trained
    sub.add_argument("env", metavar="ENV", nargs="?", help=ENV_HELP)
    sub.add_argument(
        "--resume",
        type=Path,
        metavar="RUN",
        help="continue an interrupted run, with bit-identical results; with --steps also one that "
        "has finished",
    )
    sub.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="options from a .yaml or .json file; typed ones replace them. Every run has its own, "
        "command.json",
    )
    add_trust_option(sub)
    sub.add_argument("--seeds", type=positive, help="number of runs, with seeds from --seed on")
    sub.add_argument(
        "--algorithm",
        type=algorithm,
        metavar="NAME",
        help="PPO (default), SAC (default of tasks with goals), TQC, TD3, FastSAC, ARS, SelfPlay "
        "(default of tasks with several agents), or Stable-Baselines3's own: SB3-PPO, SB3-SAC, "
        "SB3-TQC, SB3-TD3, SB3-RecurrentPPO",
    )
    add_start_options(sub)
    # how long, and from where
    sub.add_argument(
        "--long",
        action="store_true",
        help="settings and steps of a long training: Ant, HalfCheetah, HumanoidStandup, Swimmer "
        "and Walker2d",
    )
    sub.add_argument("--steps", type=positive, help="environment steps in total, over all worlds")
    sub.add_argument("--minutes", type=duration, help="stop after this time at most")
    sub.add_argument("--n-envs", type=positive, help="number of worlds")
    sub.add_argument("--seed", type=seed, default=0, help="seed of the whole training (default: 0)")
    # what is kept, and settings
    sub.add_argument(
        "--run", type=Path, metavar="FOLDER", help="folder of the run (default: runs/ENV-TIME)"
    )
    sub.add_argument("--overwrite", action="store_true", help="replace the run in this folder")
    sub.add_argument(
        "--hyperparameters",
        "--set",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME:VALUE",
        help="settings of the learner, such as learning_rate:3e-4 gamma:0.98, or a .json file, "
        "also the best.json of a search or the config.json of a run",
    )
    add_own_options(sub)
    add_way_options(sub)
    add_cluster_options(sub, "step the worlds")
    sub.add_argument("--worlds", type=positive, help="worlds of each worker")
    add_environment_options(sub)
    add_film_options(sub, length_or_none)
    sub.set_defaults(seconds=None)  # 15, or what can be drawn in the time of the training


def add_start_options(sub: argparse.ArgumentParser) -> None:
    """Options of the agent that a training begins with."""
    sub.add_argument(
        "--from",
        dest="start",
        metavar="RUN|ENV",
        help="start from this agent, its weights and normalization: folder of a run, an agent's "
        ".npz, or an environment whose agent comes with mjenv",
    )
    add_checkpoint_option(sub)
    sub.add_argument(
        "--demonstrations",
        metavar="EPISODES",
        help="start PPO with behaviour cloning of recorded episodes: the folder of a rollout with "
        "steps, a .parquet or .npz file, or minari:NAME",
    )


def add_own_options(sub: argparse.ArgumentParser) -> None:
    """Options of code of the user: networks, and what is called on the way."""
    sub.add_argument(
        "--policy",
        metavar="MODULE:CLASS",
        help="a policy of your own, a subclass of Stable-Baselines3's, for PPO and SB3-...",
    )
    sub.add_argument(
        "--features",
        metavar="MODULE:CLASS",
        help="a features extractor of your own in front of the policy, for SB3-...",
    )
    sub.add_argument(
        "--callback",
        action="append",
        default=[],
        metavar="MODULE:NAME",
        help="a callback of Stable-Baselines3, or a function; may be given several times",
    )


def add_way_options(sub: argparse.ArgumentParser) -> None:
    """Options of what is made of agents during training: evaluations, films, a log elsewhere."""
    sub.add_argument(
        "--films",
        type=length_or_none,
        default=0.0,
        metavar="SECONDS",
        help="also film the agent at five points of the training, this long each",
    )
    sub.add_argument("--wandb", metavar="PROJECT", help="log to Weights & Biases too")
    sub.add_argument(
        "--eval-every",
        type=positive,
        metavar="STEPS",
        help="evaluate the agent during training, without exploration; the best one is in best/",
    )
    sub.add_argument(
        "--eval-episodes",
        type=positive,
        default=16,
        help="episodes of each evaluation (default: 16)",
    )


def add_cluster_options(sub: argparse.ArgumentParser, what: str) -> None:
    """Add the options that choose a cluster."""
    sub.add_argument(
        "--ray",
        nargs="?",
        const=HERE,
        metavar="ADDRESS",
        help=f"{what} in workers of a Ray cluster: its address, auto for the one that runs here; "
        "without an address one is started on this machine",
    )
    sub.add_argument("--workers", type=positive, help="workers of the cluster (default: 2)")


def tune(arguments: argparse.Namespace) -> None:
    """Search for settings of an environment."""
    from mjenv.gym.lookup import environment_id
    from mjenv.training.runs.search import BEST
    from mjenv.training.tune import tune

    env_id, options = environment_id(arguments.env), env_kwargs(arguments)
    tuning = tune(
        env_id,
        arguments.folder,
        trials=arguments.trials,
        minutes=arguments.minutes,
        seed=arguments.seed,
        env_kwargs=options,
        cluster=cluster_of(arguments, None if arguments.ray == HERE else arguments.ray),
        algorithm=arguments.algorithm,
    )
    print(f"settings of the best trial: {tuning.folder / BEST}")


def tune_options(sub: argparse.ArgumentParser) -> None:
    """Options of a search for hyperparameters."""
    sub.add_argument("env", metavar="ENV", help=ENV_HELP)
    sub.add_argument("--trials", type=positive, default=32, help="number of trials (default: 32)")
    sub.add_argument(
        "--minutes",
        type=duration,
        help="time of a trial (default: 2, or that of the search that is continued)",
    )
    sub.add_argument(
        "--seed",
        type=seed,
        help="seed of the search (default: 0, or that of the search that is continued)",
    )
    sub.add_argument(
        "--algorithm",
        choices=["PPO", "ARS", "FastSAC"],
        help="the learner (default: PPO, or that of the search that is continued)",
    )
    sub.add_argument("--folder", type=Path, help="folder of the trials (default: tuning/ENV)")
    add_cluster_options(sub, "run trials")
    add_environment_options(sub)


COMMANDS = (
    Command(
        "train",
        train,
        "train an agent; checkpoints, plot and film go into a run folder",
        train_options,
    ),
    Command("tune", tune, "search for settings, or continue a search", tune_options),
)
