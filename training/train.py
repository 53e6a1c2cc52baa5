"""Train an agent. To be read from top to bottom."""

import importlib.metadata
import platform
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.callbacks import BaseCallback

from mjenv.gym import lookup
from mjenv.randomization import literals
from mjenv.system.interruption import Interruption
from mjenv.system.packages import load
from mjenv.training.agent import ALGORITHMS, Agent
from mjenv.training.algorithms import make_agent, make_worlds
from mjenv.training.cluster.worker_pool import Cluster, joined
from mjenv.training.evaluate import evaluate, make_envs
from mjenv.training.films.film import preview
from mjenv.training.films.shot import SIZE, Shot
from mjenv.training.hyperparameters import hyperparameters
from mjenv.training.learners.cloning import check_demonstrations, clone
from mjenv.training.learners.demonstrations import Demonstrations
from mjenv.training.learners.entropy import entropy_schedules
from mjenv.training.learners.finite import refuse_agent
from mjenv.training.learners.own_networks import check_networks
from mjenv.training.learners.ppo import WidePPO
from mjenv.training.learners.resumable import Resumable
from mjenv.training.runs.checkpoints import Checkpoints
from mjenv.training.runs.config_file import command_file
from mjenv.training.runs.curve import plot_curve, read_log
from mjenv.training.runs.evaluations import Evaluations, curve
from mjenv.training.runs.folders import COMMAND, CONFIG, RESULT, Run
from mjenv.training.runs.lock import claim
from mjenv.training.runs.log import logged, show
from mjenv.training.runs.own_code import Callback, OwnCode, bring, run_callbacks
from mjenv.training.runs.progress import (
    Deadline,
    EpisodeTable,
    ProgressBar,
    RewardTerms,
    TaskResults,
    say,
)
from mjenv.training.runs.refusals import (
    check_cluster,
    check_evaluations,
    check_left,
    check_options,
)
from mjenv.training.runs.training_films import camera, last_film
from mjenv.training.runs.warm_start import Start
from mjenv.training.settings import Settings
from mjenv.training.tasks.pictured import seen_by


def train(
    env_id: str,
    settings: Settings,
    folder: str | Path | None = None,
    *,
    seed: int = 0,
    overwrite: bool = False,
    minutes: float | None = None,
    seconds: float | None = None,
    size: tuple[int, int] = SIZE,
    env_kwargs: dict[str, Any] | None = None,
    films: float = 0.0,
    wandb: str | None = None,
    cluster: Cluster | None = None,
    demonstrations: str | Path | None = None,
    start: Start | str | Path | None = None,
    eval_every: int | None = None,
    eval_episodes: int = 16,
    policy: str | type | None = None,
    features: str | type | None = None,
    callbacks: Sequence[Callback] = (),
) -> Run:
    """Train an agent, evaluate it before and after, plot how it learned and film it.

    Ctrl-C and SIGTERM leave a checkpoint of the agent; what is killed has its last one.

    Args:
        env_id: the environment, such as "mjenv/HalfCheetah-v5" or "module:Id".
        settings: of the algorithm, which they choose; see `hyperparameters`.
        folder: where the run goes; by default runs/<environment>-<time>.
        seed: of the worlds, the networks and the exploration.
        overwrite: replace a run that lies in the folder.
        minutes: stop the training after this time, whatever steps are left; None for no limit.
        seconds, size: length of the film, 0 for none, None for 15 s, or what can be drawn in the
            time of the training; its width and height (pixels).
        env_kwargs: keyword arguments of the environment, such as `randomization`.
        films: length of films of the agents in the checkpoints that stay (s); 0 for none.
        wandb: project at Weights & Biases that the log goes to; None for none.
        cluster: Ray workers that step the worlds, `settings.n_envs` in all; None to step them here.
        demonstrations: recorded episodes that PPO begins with, see `Demonstrations.read`; None to
            begin with nothing.
        start: agent to begin with, see `Start`: folder of a run, an agent's file, or an environment
            whose agent comes with mjenv; None for an untrained one.
        eval_every, eval_episodes: environment steps after which the agent is evaluated on the way,
            see `Evaluations`, None for never; and episodes of each.
        policy, features: classes of networks of your own, or their names, `module:Class`: a policy
            of Stable-Baselines3, and a features extractor in front of it; None for none.
        callbacks: of Stable-Baselines3, classes of them that need no arguments, functions of the
            dicts of local and global variables, or names of these, `module:name`.

    Returns:
        The run; its files are listed in `Run`.

    Raises:
        ValueError: an argument is invalid, or the environment does not fit the algorithm;
            nothing is written then.
        FileExistsError: the folder holds something else.
        ModuleNotFoundError: wandb or Ray is needed and not installed.
        ConnectionError: there is no cluster at the address.
        Interrupted: a signal asked the process to end; a KeyboardInterrupt.
    """
    # refuse first: nothing is written, no worker is asked, before all arguments are fine
    check_options(settings, seed, minutes, (seconds or 0.0, films), size, env_kwargs or {})
    check_evaluations(eval_every, eval_episodes)
    check_extras(settings, wandb, cluster, demonstrations)
    env_id = lookup.environment_id(env_id)
    env_kwargs = seen_by(settings, env_id, env_kwargs or {})
    seconds = filmed(env_id, seconds, films, env_kwargs)
    own = OwnCode.of(policy, features, callbacks)
    check_networks(settings.algorithm, own.policy, own.features, cluster is not None)
    start = Start(start) if isinstance(start, str | Path) else start
    more = to_resume(cluster, eval_every, eval_episodes, demonstrations, start) | own.names
    config = configuration(env_id, settings, seed, env_kwargs, more)
    with (
        joined(cluster),
        claim(env_id, folder, overwrite) as run,
        Interruption() as interruption,
        kept(run) as begun,
        made(make_agent(env_id, settings, seed, env_kwargs, cluster, own)) as agent,
    ):
        # begin: networks, and the first film and evaluation, which also compile
        prepare(agent, settings, start, demonstrations, seed)
        if seconds != 0 or films:
            preview(env_id, Shot(size), env_kwargs)
        before = evaluate(env_id, agent.act, env_kwargs=env_kwargs)
        run.clear()
        begun.set()
        # from here on there is a run
        how = {"minutes": minutes, "seconds": seconds, "size": list(size), "films": films}
        write_settings(run, agent, config, cluster, {**how, "wandb": wandb})
        own.write(run.folder)
        say(f"return before training, without exploration: {spread(before)}")

        # train, and finish with evaluation, curve and film
        notes = {"return_before": before.tolist()}
        shoot = camera(env_id, env_kwargs, films, size, interruption)
        with logged(agent.model, run.folder, wandb):
            taken = learn(agent, run, settings, minutes, interruption, notes, shoot, own.callbacks)
            finish(agent, run, env_id, env_kwargs, before, taken, seconds, size)
    return run


def filmed(
    env_id: str, seconds: float | None, films: float, env_kwargs: dict[str, Any] | None = None
) -> float | None:
    """Length of the last film: none of worlds that Python steps, unless one was asked for.

    Raises:
        ValueError: it was, or films on the way.
    """
    if seconds == 0.0 and not films:
        return seconds
    names = [env_id, *map(lookup.environment_id, lookup.tasks_of(env_id, env_kwargs))]
    for name in filter(lookup.is_port, names):
        envs: Any = make_envs(name, 1, env_kwargs if name == env_id else None).envs
        traced = envs.unwrapped.data is not None
        envs.close()
        if not traced and (seconds or films):
            raise ValueError(
                f"{env_id}: worlds that Python steps one by one are not filmed, expected "
                "--seconds 0"
            )
        if not traced:
            return 0.0
    return seconds


def check_extras(
    settings: Settings,
    wandb: str | None,
    cluster: Cluster | None,
    demonstrations: str | Path | None,
) -> None:
    """Refuse options that need what is not installed, or another algorithm.

    Raises:
        ValueError: the algorithm cannot be trained so.
        ModuleNotFoundError: wandb or Ray is not installed.
    """
    if wandb is not None:
        load("wandb", "--wandb")
    check_cluster(cluster, settings)
    if demonstrations is not None:
        check_demonstrations(settings.algorithm)


def write_settings(
    run: Run,
    agent: Agent,
    config: dict[str, Any],
    cluster: Cluster | None,
    how: dict[str, Any],
) -> None:
    """Write the settings of a training, and its command, into its run.

    Args:
        run: the run.
        agent: the agent; what it sees becomes a part of the settings.
        config: the settings.
        cluster: Ray workers that step the worlds; None for none.
        how: further options of the command.
    """
    say(f"{config['env']}: run in {run.folder}")
    if view := agent.view.to_dict():
        config["view"] = view
        say(f"{config['env']}: {agent.view}")
    run.write(CONFIG, config)
    run.write(COMMAND, command_file(config, cluster, how))


def prepare(
    agent: Agent,
    settings: Settings,
    start: Start | None,
    demonstrations: str | Path | None,
    seed: int,
) -> None:
    """Have an untrained agent be as another one, and do what was done in recorded episodes."""
    if start is not None:
        start.give(agent)
    if demonstrations is not None:
        check_demonstrations(settings.algorithm, agent)
        spaces: Any = agent.model.observation_space, agent.model.action_space
        shown = Demonstrations.read(demonstrations, *(space.shape[0] for space in spaces))
        say(f"{demonstrations}: {clone(agent, shown, seed)}")


def resume(
    folder: str | Path,
    *,
    steps: int | None = None,
    minutes: float | None = None,
    seconds: float | None = None,
    size: tuple[int, int] = SIZE,
    films: float = 0.0,
    address: str | None = None,
    trust: bool = False,
    callbacks: Sequence[Callback] | None = None,
) -> Run:
    """Go on with a training that was stopped, from its last checkpoint.

    The numbers are those of the training that was not stopped: worlds, random generators, optimizer
    and normalization are as they were.

    Args:
        folder: the run.
        steps: environment steps in total, with those that are done; None for as many as the run was
            started with. Schedules go on as if it had been started with these.
        minutes: stop after this time from now; None for no limit.
        seconds, size: of the film; see `train`.
        films: length of films of the agents on the way (s); 0 for none.
        address: of the Ray cluster whose workers step the worlds, where they did so before; None to
            start one in this machine.
        trust: whether files of the run may execute code, such as a module with its task.
        callbacks: see `train`; None for those that the run names, which has to be trusted then.

    Raises:
        FileNotFoundError: there is no run, or it has no checkpoint.
        ValueError: the run has finished, its algorithm cannot be resumed, or a file is
            damaged.
        FileExistsError: another process trains in the folder.
        Interrupted: a signal asked the process to end; a KeyboardInterrupt.
    """
    # what the run says
    run = Run.open(folder)
    config = run.config()
    algorithm = config["algorithm"]
    resumable = [name for name, one in ALGORITHMS.items() if issubclass(one, Resumable)]
    if algorithm not in resumable:
        raise ValueError(
            f"{run.folder}: {algorithm} cannot be resumed, only {', '.join(resumable)}; train "
            "again with --overwrite"
        )
    env_id, env_kwargs = run.environment(trust)
    if steps is not None:
        config["hyperparameters"]["steps"] = steps
    settings = hyperparameters(env_id, algorithm, **config["hyperparameters"])
    check_options(settings, config["seed"], minutes, (seconds or 0.0, films), size, env_kwargs)
    # callbacks that are given now, or those of a run that is trusted
    if callbacks is None:
        callbacks = run_callbacks(run.folder, config, trust)
    if trust:
        bring(run.folder, config)
    own = OwnCode.of(callbacks=callbacks)
    # where it stopped, with as many workers
    checkpoint = run.checkpoint("last")
    check_left(run, checkpoint, settings)
    notes = checkpoint.progress()
    workers = config.get("workers")
    if address is not None and workers is None:
        raise ValueError(f"{run.folder}: was not trained on a cluster, expected no address")
    cluster = None if workers is None else Cluster(workers, address)
    worlds = env_id, settings, config["seed"], env_kwargs, cluster
    with (
        joined(cluster),
        claim(env_id, folder, True) as run,
        Interruption() as interruption,
        kept(run) as begun,
        made(Agent.resume(checkpoint, algorithm, make_worlds(*worlds), trust)) as agent,
    ):
        # go on
        if seconds != 0 or films:
            preview(env_id, Shot(size), env_kwargs)
        begun.set()
        if steps is not None:
            run.reopen()
            run.write(CONFIG, config)
        say(f"{env_id}: run in {run.folder}, resumed after {checkpoint.steps:,} steps")
        shoot = camera(env_id, env_kwargs, films, size, interruption)
        before = np.array(notes["return_before"])
        with logged(agent.model, run.folder):
            taken = learn(agent, run, settings, minutes, interruption, notes, shoot, own.callbacks)
            finish(agent, run, env_id, env_kwargs, before, taken, seconds, size)
    return run


@contextmanager
def made(agent: Agent) -> Iterator[Agent]:
    """An agent, whose worlds are closed in the end."""
    try:
        yield agent
    finally:
        agent.normalize.venv.close()


@contextmanager
def kept(run: Run) -> Iterator[Event]:
    """Say what is left of a training that fails after the event was set.

    Small networks have one thread here: more cost more than they bring, and the worlds have threads
    of their own.
    """
    torch.set_num_threads(1)
    begun = Event()
    try:
        yield begun
    except BaseException:
        if begun.is_set():
            keep(run)
        raise


def finish(
    agent: Agent,
    run: Run,
    env_id: str,
    env_kwargs: dict[str, Any],
    before: np.ndarray,
    taken: float,
    seconds: float | None,
    size: tuple[int, int],
) -> None:
    """Save, evaluate and film the trained agent, and plot how it learned."""
    agent.save(run)
    after = evaluate(env_id, agent.act, env_kwargs=env_kwargs)
    say(f"return after training, without exploration: {spread(after)}")
    run.write(RESULT, result(before, after, taken, agent.model.num_timesteps))
    title = f"{run.config()['algorithm']} on {env_id}"
    means, evaluated = (before.mean(), after.mean()), curve(run.evaluations)
    plot_curve(run.curve, title, *read_log(run.log), *means, evaluated)
    say(f"learning curve: {run.curve}")
    if seconds != 0:
        last_film(agent, run, env_id, env_kwargs, seconds, size, 60.0 * taken)
        show(agent.model.logger, run.video, agent.model.num_timesteps)


def spread(returns: np.ndarray) -> str:
    """Mean and deviation of returns."""
    return f"{returns.mean():,.0f} +- {returns.std():,.0f} in {returns.size} episodes"


def learn(
    agent: Agent,
    run: Run,
    settings: Settings,
    minutes: float | None,
    interruption: Interruption,
    notes: dict[str, Any],
    shoot: Callable[[Agent, Path], Any] | None = None,
    own: Sequence[BaseCallback] = (),
) -> float:
    """Train the agent, with checkpoints; returns the minutes that it took, with those before.

    Raises:
        Interrupted: a signal asked the process to end; the last checkpoint has the agent.
        NonFiniteError: a reward, an observation or the agent is infinite or no number; the last
            checkpoint has the agent as it was before.
    """
    model = agent.model
    done = model.num_timesteps
    bar = ProgressBar(settings.steps)
    checkpoints = Checkpoints(run, settings.steps, interruption, notes, shoot)
    # evaluations first: a checkpoint's agent has been evaluated
    evaluations = evaluations_of(run, done, interruption)
    tables = RewardTerms(), TaskResults(), EpisodeTable(run.episodes, done)
    # what is called on the way, the user's last
    schedules = entropy_schedules(model, settings)
    callbacks = [bar, *schedules, *tables, *evaluations, checkpoints, *own]
    if minutes is not None:
        callbacks.append(Deadline(minutes))
    interruption.patient = True
    try:
        model.learn(settings.steps - done, callback=callbacks, reset_num_timesteps=not done)
        for one in evaluations if interruption.signum is None else ():
            one.evaluate()
        last = checkpoints.write()
        if model.num_timesteps >= settings.steps:  # nothing is left to go on with
            last.transitions.unlink(missing_ok=True)
    except ValueError:
        refuse_agent(model)  # whose actions nobody can take: that is what went wrong
        raise
    finally:
        interruption.patient = False
        bar.close()
    interruption.check()
    taken = checkpoints.minutes
    say(f"trained for {taken:.1f} minutes, {model.num_timesteps:,} steps{shares(model)}")
    for one in evaluations:
        say(f"{one}")
    return taken


def evaluations_of(run: Run, done: int, interruption: Interruption) -> list[Evaluations]:
    """The evaluations on the way that a run's configuration asks for: one, or none."""
    asked = run.config().get("evaluations")
    if asked is None:
        return []
    env_id, env_kwargs = run.environment(trust=True)  # which has been made here already
    every, episodes = asked["every"], asked["episodes"]
    return [Evaluations(run, env_id, env_kwargs, every, episodes, done, interruption)]


def shares(model: Any) -> str:
    """Shares of a training's time, as a part of a sentence."""
    if not isinstance(model, WidePPO):
        return ""
    whole = sum(model.seconds.values())
    parts = [f"{name} {value / whole:.0%}" for name, value in model.seconds.items() if whole]
    return f" ({', '.join(parts)})"


def keep(run: Run) -> None:
    """Say what a training that did not come to its end leaves; nothing, if it has no agent."""
    folder = run.folder
    if run.finished:
        text = f"the trained agent is in {folder}: go on with\n  mjenv eval {folder}\n"
        text += f"  mjenv record {folder}"
    elif run.checkpoints:
        last = run.checkpoints[-1]
        text = f"training stopped; the agent after {last.steps:,} steps is kept in {last.folder}\n"
        text += f"  mjenv eval {folder} --checkpoint      evaluates it\n"
        text += f"  mjenv record {folder} --checkpoint    films it"
        if last.state.exists():
            text += f"\n  mjenv train --resume {folder}         goes on"
    else:
        run.clear()
        text = "training stopped before the first update; nothing is kept"
    say(text, sys.stderr)


def to_resume(
    cluster: Cluster | None,
    eval_every: int | None,
    eval_episodes: int,
    demonstrations: str | Path | None,
    start: Start | None,
) -> dict[str, Any]:
    """Facts that a later resume needs besides the settings."""
    return {
        "workers": cluster and cluster.workers,
        "evaluations": eval_every and {"every": eval_every, "episodes": eval_episodes},
        "demonstrations": demonstrations and str(demonstrations),
        "start": start and start.described,
    }


def configuration(
    env_id: str, settings: Settings, seed: int, env_kwargs: dict[str, Any], more: dict[str, Any]
) -> dict[str, Any]:
    """Everything that is needed to repeat the run; of `more` what is not None.

    Raises:
        ValueError: a keyword argument of the environment cannot be written down.
    """
    packages = ("mjenv", "gymnasium", "numpy", "numba", "stable-baselines3", "sb3-contrib", "torch")
    return {
        "env": env_id,
        "env_kwargs": {name: literals.write(name, value) for name, value in env_kwargs.items()},
        "origin": lookup.origin(env_id),
        "algorithm": settings.algorithm,
        "seed": seed,
        "hyperparameters": settings.to_dict(),
        "versions": {
            "python": platform.python_version(),
            **{name: importlib.metadata.version(name) for name in packages},
        },
        **{name: value for name, value in more.items() if value is not None},
    }


def result(before: np.ndarray, after: np.ndarray, minutes: float, steps: int) -> dict[str, Any]:
    """Result of the training."""
    return {
        "return_before": before.tolist(),
        "return_after": after.tolist(),
        "return_mean_before": float(before.mean()),
        "return_mean_after": float(after.mean()),
        "minutes": minutes,
        "steps": steps,
    }
