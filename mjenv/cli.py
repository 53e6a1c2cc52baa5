"""The command line: `mjenv --help` lists its commands."""

import argparse
import math
import os
import sys
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import mjenv
from mjenv.interruption import Interrupted, Interruption
from mjenv.literals import read, read_file, read_pairs

MODEL_FILES = (".xml", ".mjcf", ".urdf")
ENV_HELP = "environment, such as HalfCheetah-v5, or module:Id for one of your own"
LENGTH, VIDEO = 15.0, "video.mp4"  # of films, where nothing else is said
ERRORS = (ValueError, OSError, ModuleNotFoundError)
# packages that come with extras of mjenv
EXTRAS = {
    "matplotlib":        "train",
    "mujoco":            "test",
    "onnx":              "onnx",
    "onnxruntime":       "onnx",
    "optuna":            "tune",
    "stable_baselines3": "train",
    "tensorboard":       "train",
    "torch":             "train",
    "viser":             "browser",
}  # fmt: skip


def main(argv: list[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: arguments of the command line; None for those of the process.

    Returns:
        Exit status: 0; 1 for an error that was reported; 128 and the number of the signal that
        has interrupted it.
    """
    argv = sys.argv[1:] if argv is None else argv
    if argv[:1] == ["bench"]:  # has a command line of its own
        from mjenv.benchmarks.__main__ import main as bench

        return bench(argv[1:])
    arguments = parser().parse_args(argv)
    try:
        with Interruption():
            return arguments.command(arguments) or 0
    except ERRORS as error:
        print(f"mjenv {arguments.name}: {explain(error)}", file=sys.stderr)
        return 1
    except Interrupted as error:
        print(f"mjenv {arguments.name}: interrupted ({error})", file=sys.stderr)
        return error.status


def explain(error: Exception) -> str:
    """The message of an error, with what to install when a package is missing."""
    if isinstance(error, ModuleNotFoundError):
        package = (error.name or "").partition(".")[0]
        what = f"'mjenv[{EXTRAS[package]}]'" if package in EXTRAS else package
        return f"{package}: not installed, this command needs it; pip install {what}"
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{os.fsdecode(error.filename)}: {error.strerror.lower()}"
    return str(error)


def environments() -> list[Any]:
    """The rows of the registry."""
    from mjenv.registration import ENVS

    return list(ENVS)


def list_environments(arguments: argparse.Namespace) -> None:
    """The environments with their sizes."""
    import gymnasium

    rows = [["environment", "observation", "action", "steps", "solved at"]]
    for row in environments():
        with gymnasium.make(f"mjenv/{row.id}") as env:
            spaces = (env.observation_space, env.action_space)
            sizes = ["x".join(map(str, space.shape or ())) for space in spaces]
        threshold = "" if row.reward_threshold is None else f"{row.reward_threshold:,.0f}"
        rows.append([row.id, *sizes, str(row.max_episode_steps), threshold])
    print_columns(rows, right=range(1, 5))
    print("\nthe dm_control suite, 1000 steps each but for lqr:")
    for domain, ids in suite_tasks().items():
        print(f"  {domain + ':':13} {' '.join(ids)}")


def suite_tasks() -> dict[str, list[str]]:
    """The environments of the dm_control suite by domain."""
    from mjenv.registration import SUITE

    domains = dict.fromkeys(row.domain for row in SUITE)
    return {name: [row.id for row in SUITE if row.domain == name] for name in domains}


def list_agents(arguments: argparse.Namespace) -> None:
    """The agents that come with mjenv, and the commands that train them."""
    from mjenv.training.portable import names, shipped

    rows = [["environment", "return", "steps", "minutes", "trained with"]]
    for name in names():
        agent = shipped(f"mjenv/{name}")
        assert agent is not None
        info = agent.info
        reached = f"{info['return']:,.1f} +- {info['std']:,.1f}"
        rows.append(
            [name, reached, f"{info['steps']:,}", f"{info['minutes']:.1f}", info["command"]]
        )
    print_columns(rows, right=range(1, 4))


def print_columns(rows: list[list[str]], right: Iterable[int]) -> None:
    """Print rows of words, those of some columns flush right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.rjust(width) if k in right else cell.ljust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())


def prepare(arguments: argparse.Namespace) -> None:
    """Compile what environments need, alone, among several, and for their pictures."""
    import gymnasium

    from mjenv.lookup import environment_id
    from mjenv.training.film import Shot, preview

    names = arguments.env or [row.id for row in environments()]
    for env_id in [environment_id(name) for name in names]:
        with gymnasium.make(env_id, render_mode="rgb_array") as env:
            env.reset(seed=0)
            env.step(env.action_space.sample())
            env.render()
        # more worlds than fit into one pack
        envs = gymnasium.make_vec(env_id, num_envs=17)
        envs.reset(seed=0)
        envs.step(envs.action_space.sample())
        envs.close()
        preview(env_id, Shot((64, 48)), {})
        print(f"{env_id}: ready")


def train(arguments: argparse.Namespace) -> None:
    """Train an agent, or several with different seeds; or go on with one."""
    from mjenv.training.train import resume, train

    names = ("minutes", "seconds", "size", "films")
    film = {name: getattr(arguments, name) for name in names}
    if arguments.resume is not None:
        refuse_beside_resume(arguments)
        resume(arguments.resume, **film)
        return
    if arguments.env is None:
        raise ValueError("expected an environment, such as HalfCheetah-v5, or --resume RUN")
    from mjenv.lookup import environment_id
    from mjenv.training.hyperparameters import hyperparameters

    env_id = environment_id(arguments.env)
    changes = read_pairs("--hyperparameters", arguments.hyperparameters)
    for name in ("steps", "n_envs"):
        value = getattr(arguments, name)
        if value is not None and name in changes:
            raise ValueError(f"--hyperparameters: {name} is given twice; remove one")
        changes.setdefault(name, value)
    settings = hyperparameters(env_id, arguments.algorithm, **changes)
    options = {
        "overwrite": arguments.overwrite,
        "env_kwargs": env_kwargs(arguments),
        "wandb": arguments.wandb,
        **film,
    }
    if arguments.seeds is None:
        train(env_id, settings, arguments.run, seed=arguments.seed, **options)
        return
    from mjenv.training.claims import free_folder

    folder = arguments.run or free_folder(env_id)
    for seed in range(arguments.seed, arguments.seed + arguments.seeds):
        train(env_id, settings, folder / f"seed-{seed}", seed=seed, **options)
    show_comparison([folder], folder / "curves.png")


def refuse_beside_resume(arguments: argparse.Namespace) -> None:
    """A run that goes on has its settings already.

    Raises:
        ValueError: another was given.
    """
    fresh = parser().parse_args(["train"])
    allowed = ("resume", "minutes", "seconds", "size", "films", "command", "name")
    for name, value in vars(arguments).items():
        if name not in allowed and value != getattr(fresh, name):
            what = name if name == "env" else "--" + name.replace("_", "-")
            raise ValueError(f"--resume: the run goes on with its own settings; leave {what} out")


def compare(arguments: argparse.Namespace) -> None:
    """Tabulate and plot runs."""
    show_comparison(arguments.runs, arguments.output)


def show_comparison(folders: list[Path], picture: Path) -> None:
    """Print a table of runs, and write it and their curves beside each other."""
    from mjenv.training.compare import Group, plot, table, write_table

    groups = [Group.open(folder) for folder in folders]
    plot(picture, groups)
    write_table(picture.with_suffix(".csv"), groups)
    print(table(groups))
    print(f"learning curves: {picture}")


def tune(arguments: argparse.Namespace) -> None:
    """Search for settings of an environment."""
    from mjenv.lookup import environment_id
    from mjenv.training.tune import BEST, tune

    env_id, options = environment_id(arguments.env), env_kwargs(arguments)
    tuning = tune(
        env_id,
        arguments.folder,
        trials=arguments.trials,
        minutes=arguments.minutes,
        seed=arguments.seed,
        env_kwargs=options,
    )
    print(f"settings of the best trial: {tuning.folder / BEST}")


def env_kwargs(arguments: argparse.Namespace) -> dict[str, Any]:
    """Keyword arguments of the environment, with the randomization among them.

    Raises:
        ValueError: one is no value, or is given twice.
    """
    from mjenv.lookup import RESERVED

    given = read_pairs("--env-kwargs", arguments.env_kwargs)
    if arguments.randomization is not None:
        if "randomization" in given:
            raise ValueError("--randomization: given in --env-kwargs too; remove one")
        given["randomization"] = randomization(arguments.randomization)
    for name in RESERVED.intersection(given):
        raise ValueError(f"--env-kwargs: {name} is chosen by `mjenv {arguments.name}`")
    return given


def randomization(text: str) -> Any:
    """What differs from world to world: typed out, from a JSON file, or from a module.

    Raises:
        ValueError: it is none of these.
    """
    if text.endswith(".json"):
        return read_file(text)
    if text.lstrip().startswith("{"):
        return read(text)
    module, colon, name = text.partition(":")
    if not (colon and name.isidentifier()):
        raise ValueError(
            f"--randomization: found {text!r}, expected {{'field': Uniform(...)}}, "
            "a .json file, or module:NAME"
        )
    from mjenv.lookup import import_own

    found = import_own(module)
    if not hasattr(found, name):
        near = get_close_matches(name, dir(found), 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"--randomization: module {module} has no {name!r}{hint}")
    return getattr(found, name)


def evaluate(arguments: argparse.Namespace) -> None:
    """Evaluate the agent of a run."""
    from mjenv.training.agent import Agent
    from mjenv.training.evaluate import play
    from mjenv.training.runs import EVAL, Run

    run = Run.open(arguments.run)
    agent = Agent.load(run, arguments.checkpoint)
    env_id, recorded = run.environment()
    options = {**recorded, **env_kwargs(arguments)}
    episodes = play(env_id, agent.act, arguments.episodes, arguments.seed, options)
    found = episodes.summary()
    saved = run if arguments.checkpoint is None else run.checkpoint(arguments.checkpoint)
    saved.write(EVAL, found)
    print(
        f"{env_id}: return {found['mean']:,.1f} +- {found['std']:,.1f} "
        f"({found['min']:,.1f} to {found['max']:,.1f}) in {found['episodes']} episodes"
    )


def export(arguments: argparse.Namespace) -> None:
    """Write the agent of a run as a file for programs without mjenv."""
    from mjenv.training.export import write_agent
    from mjenv.training.files import check_place

    output = arguments.output
    if output is None:
        if not Path(arguments.what).is_dir():
            raise ValueError(f"--output: expected a file for the agent of {arguments.what}")
        output = Path(arguments.what) / "agent.npz"
    check_place(output)
    info = write_agent(arguments.what, output, arguments.episodes)
    print(f"{output}: {info}")


def actor(what: str, which: int | str | None, random: bool = False) -> tuple[Any, str, Any, Path]:
    """Who acts: the agent of a run or of a file, the one that comes with mjenv, or chance.

    Args:
        what: the folder of a run, an agent's file, or an environment.
        which: a checkpoint of the run; None for its trained agent.
        random: whether actions are random, in an environment.

    Returns:
        Actions for observations, or None for random ones; the environment, its keyword arguments,
        and a name for a film.

    Raises:
        ValueError: there is a checkpoint of something else than a run.
    """
    from mjenv.lookup import environment_id

    if Path(what).is_dir() and not random:
        from mjenv.training.agent import Agent
        from mjenv.training.runs import Run

        run = Run.open(what)
        saved = run if which is None else run.checkpoint(which)
        return Agent.load(run, which).act, *run.environment(), saved.folder / run.video.name
    if which is not None:
        raise ValueError(f"--checkpoint: {what} is no folder of a run")
    from mjenv.training.portable import Portable, shipped

    if what.endswith(".npz"):
        agent = Portable.load(what)
        env_id = environment_id(agent.info["env"])
    else:
        env_id = environment_id(what)
        agent = None if random else shipped(env_id)
    film = Path("videos") / f"{env_id.rpartition('/')[2].replace(':', '-')}.mp4"
    if agent is None:
        return None, env_id, {}, film
    info = agent.info
    print(f"{env_id}: an agent of {info['steps']:,} steps, return {info['return']:,.0f}")
    return agent.act, env_id, {name: read(x) for name, x in info["env_kwargs"].items()}, film


def record(arguments: argparse.Namespace) -> None:
    """Film an agent, random actions in an environment, or states that were recorded."""
    from mjenv.training.files import check_place
    from mjenv.training.film import Shot, film
    from mjenv.training.recording import SUFFIX, is_recording

    # what can be found out before there is an environment
    states = arguments.states
    shot = Shot(arguments.size, arguments.camera, arguments.slow, arguments.fps, arguments.style)
    if is_recording(arguments.what):
        draw_again(arguments, shot)
        return
    seconds, worlds = arguments.seconds or LENGTH, arguments.worlds or 1
    if states is not None and states.suffix != SUFFIX:
        raise ValueError(f"--states: {states} ends with {states.suffix!r}, expected {SUFFIX}")
    output, options = arguments.output, env_kwargs(arguments)
    shot.check(output or VIDEO, seconds, worlds)
    for place in filter(None, (output, states)):
        check_place(place)
    # who acts, and the film
    act, env_id, recorded, usual = actor(arguments.what, arguments.checkpoint, arguments.random)
    output, options = output or usual, {**recorded, **options}
    count = film(
        env_id, act, output, seconds, shot, arguments.seed, options, worlds=worlds, states=states
    )
    say_film(output, count, shot)


def draw_again(arguments: argparse.Namespace, shot: Any) -> None:
    """Film states that were recorded before.

    Raises:
        ValueError: an option has no effect on them.
    """
    from mjenv.training.film import draw
    from mjenv.training.recording import Recording

    fresh = parser().parse_args(["record", arguments.what])
    for name in ("checkpoint", "random", "states", "seed", "env_kwargs", "randomization"):
        if getattr(arguments, name) != getattr(fresh, name):
            option = "--" + name.replace("_", "-")
            raise ValueError(f"{option}: has no effect on recorded states; leave it out")
    output, seconds = arguments.output, arguments.seconds
    output = Path(arguments.what).with_suffix(Path(VIDEO).suffix) if output is None else output
    shot.check(output, seconds or 1.0, arguments.worlds or 1)
    recording = Recording.load(arguments.what)
    if arguments.worlds is not None:
        if arguments.worlds > recording.nworld:
            raise ValueError(
                f"--worlds: {arguments.what} has {recording.nworld}, expected no more than that"
            )
        recording = recording.cut(worlds=arguments.worlds)
    count = draw(recording, output, shot, seconds)
    say_film(output, count, shot)


def say_film(path: Path, count: int, shot: Any) -> None:
    """Print what was written."""
    from mjenv.training.film import is_page

    if is_page(path):
        print(f"{path}: {count} poses, {path.stat().st_size / 1e6:.1f} MB; open it in a browser")
    else:
        print(f"{path}: {count} frames of {shot.size[0]}x{shot.size[1]}")


def watch(arguments: argparse.Namespace) -> None:
    """Show an agent at work in a window."""
    from mjenv.training.portable import names
    from mjenv.viewer import HELP, environment_viewer

    options = window_kwargs(arguments)
    act, env_id, recorded, _ = actor(arguments.what, arguments.checkpoint)
    if act is None:
        raise ValueError(
            f"{env_id}: no agent of it comes with mjenv, only of {', '.join(names()) or 'none'}; "
            "`mjenv train` makes one, `mjenv view` shows random actions"
        )
    viewer = environment_viewer(env_id, arguments.seed, {**recorded, **options}, act)
    print(HELP)
    viewer.run(arguments.frames)


def view(arguments: argparse.Namespace) -> None:
    """Show a model or an environment in a window."""
    from mjenv.lookup import environment_id
    from mjenv.viewer import HELP, environment_viewer, model_viewer

    options = window_kwargs(arguments)
    if Path(arguments.what).suffix in MODEL_FILES:
        if options:
            raise ValueError(f"{arguments.what}: is a model, expected an environment for options")
        viewer = model_viewer(arguments.what)
    else:
        viewer = environment_viewer(environment_id(arguments.what), arguments.seed, options)
    print(HELP)
    viewer.run(arguments.frames)


def window_kwargs(arguments: argparse.Namespace) -> dict[str, Any]:
    """Keyword arguments of an environment that is shown in a window.

    Raises:
        ValueError: one of them would have no effect.
    """
    options = env_kwargs(arguments)
    for name in {"camera_id", "camera_name"}.intersection(options):
        raise ValueError(f"--env-kwargs: {name} has no effect on the window, whose camera you turn")
    return options


def parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    # argparse reads it for its width
    os.environ.setdefault("COLUMNS", "100")
    # the program itself
    top = argparse.ArgumentParser(
        prog="mjenv",
        description="Reinforcement learning on MuJoCo physics, thousands of worlds at once.",
    )
    top.add_argument("--version", action="version", version=f"mjenv {mjenv.__version__}")
    commands = top.add_subparsers(dest="name", metavar="COMMAND", required=True)

    def add(name: str, command: Any, help: str, **options: Any) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=help, description=help, **options)
        made.set_defaults(command=command)
        return made

    # commands of environments and training
    add("envs", list_environments, "list the environments")
    add("agents", list_agents, "list the agents that come with mjenv, and what trains them")

    sub = add("prepare", prepare, "compile what environments need, so that nothing waits later")
    sub.add_argument("env", metavar="ENV", nargs="*", help=f"{ENV_HELP}; all of mjenv's by default")

    # training, new or resumed
    sub = add("train", train, "train an agent; checkpoints, plot and film go into a run folder")
    sub.add_argument("env", metavar="ENV", nargs="?", help=ENV_HELP)
    sub.add_argument(
        "--resume",
        type=Path,
        metavar="RUN",
        help="go on with a run that was stopped; the numbers are those without the stop",
    )
    sub.add_argument("--seeds", type=positive, help="so many runs, with seeds from --seed on")
    sub.add_argument(
        "--algorithm",
        choices=[sb3 + name for sb3 in ("", "SB3-") for name in ("PPO", "SAC", "TQC", "TD3")],
        default="PPO",
        help="the learner (default: PPO); SB3-... are Stable-Baselines3's own",
    )
    sub.add_argument("--steps", type=positive, help="environment steps in total, over all worlds")
    sub.add_argument("--minutes", type=duration, help="stop after this time at the latest")
    sub.add_argument("--n-envs", type=positive, help="worlds that step together")
    sub.add_argument("--seed", type=seed, default=0, help="of everything random (default: 0)")
    sub.add_argument("--run", type=Path, metavar="FOLDER", help="default: runs/ENV-TIME")
    sub.add_argument("--overwrite", action="store_true", help="replace the run in that folder")
    sub.add_argument(
        "--hyperparameters",
        "--set",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME:VALUE",
        help="settings of the learner, such as learning_rate:3e-4 gamma:0.98, or a .json file",
    )
    sub.add_argument(
        "--films",
        type=length_or_none,
        default=0.0,
        metavar="SECONDS",
        help="film the agent on the way too, so long, in every fifth of the training",
    )
    sub.add_argument("--wandb", metavar="PROJECT", help="log to Weights & Biases too")
    add_environment_options(sub)
    add_film_options(sub, length_or_none)

    # searches, and what becomes of runs
    sub = add("tune", tune, "search for settings of PPO; a search that was stopped goes on")
    sub.add_argument("env", metavar="ENV", help=ENV_HELP)
    sub.add_argument("--trials", type=positive, default=32, help="how many (default: 32)")
    sub.add_argument("--minutes", type=duration, default=2.0, help="of a trial (default: 2)")
    sub.add_argument("--seed", type=seed, default=0, help="of everything random (default: 0)")
    sub.add_argument("--folder", type=Path, help="of the trials (default: tuning/ENV)")
    add_environment_options(sub)

    sub = add("eval", evaluate, "evaluate the agent of a run, without exploration")
    sub.add_argument("run", metavar="RUN", help="folder of the run")
    add_checkpoint_option(sub)
    sub.add_argument("--episodes", type=positive, default=16, help="how many (default: 16)")
    sub.add_argument("--seed", type=seed, default=1_000_000, help="of the first episode")
    add_environment_options(sub)

    sub = add("compare", compare, "tabulate runs, and plot their learning curves")
    sub.add_argument("runs", metavar="RUN", nargs="+", type=Path, help="folders, also of --seeds")
    sub.add_argument(
        "--output",
        type=Path,
        default=Path("comparison.png"),
        metavar="FILE",
        help="the picture (default: comparison.png); the table goes into a .csv beside it",
    )

    # films and windows of agents
    what = "folder of a run, an agent's .npz, or an environment whose agent comes with mjenv"
    sub = add("record", record, "film an agent; or random actions, where no agent comes with mjenv")
    sub.add_argument("what", metavar="RUN|ENV|STATES", help=f"{what}; or a file of --states")
    add_record_options(sub)

    sub = add("watch", watch, "show an agent at work in a window")
    sub.add_argument("what", metavar="RUN|ENV", help=what)
    add_checkpoint_option(sub)
    sub.add_argument("--seed", type=seed, default=0, help="of the first episode (default: 0)")
    sub.add_argument("--frames", type=positive, help="close after so many")
    add_environment_options(sub)

    sub = add("export", export, "write an agent as a file for programs without mjenv")
    sub.add_argument("what", metavar="RUN|ENV", help=what)
    sub.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help=".npz for numpy, .onnx, or .pt for TorchScript (default: RUN/agent.npz)",
    )
    sub.add_argument("--episodes", type=positive, default=20, help="played for its return")

    # models, and benchmarks
    sub = add("view", view, "show a model or an environment in a window")
    sub.add_argument("what", metavar="MODEL.xml|ENV", help="model file, or an environment")
    sub.add_argument("--seed", type=seed, default=0, help="of the random actions (default: 0)")
    sub.add_argument("--frames", type=positive, help="close after so many")
    add_environment_options(sub)

    add("bench", None, "measure the benchmarks on this machine; see `mjenv bench --help`")
    return top


def add_record_options(sub: argparse.ArgumentParser) -> None:
    """Options of films: who acts, what is written, and how it is seen."""
    add_checkpoint_option(sub)
    sub.add_argument("--random", action="store_true", help="random actions in an environment")
    # files
    sub.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="the film: .mp4, .mov, .mkv, .webm or .gif; or .html, to be turned in a browser",
    )
    sub.add_argument(
        "--states",
        type=Path,
        metavar="FILE.npz",
        help="write the states too: `mjenv record FILE.npz` draws them again, in another way",
    )
    # how it is seen
    sub.add_argument("--worlds", type=positive, help="so many worlds side by side (default: 1)")
    sub.add_argument(
        "--camera",
        nargs="+",
        default=(),
        metavar="CAMERA",
        help="name or number of a camera of the model, free, or track:BODY, then settings of "
        "these two, such as azimuth:60 elevation:-20 distance:4 'lookat:(0, 0, 1)'",
    )
    sub.add_argument("--slow", type=duration, default=1.0, help="4: a quarter of the world's speed")
    sub.add_argument(
        "--fps", type=duration, default=30.0, help="most frames a second (default: 30)"
    )
    sub.add_argument(
        "--style",
        choices=("mujoco", "nice"),
        default="mujoco",
        help="nice: soft shadows, darker corners, a blue sky (default: as MuJoCo's renderer)",
    )
    # what all commands with worlds and films have
    sub.add_argument("--seed", type=seed, default=0, help="of the first episode (default: 0)")
    add_environment_options(sub)
    add_film_options(sub, duration)
    sub.set_defaults(seconds=None)


def add_environment_options(sub: argparse.ArgumentParser) -> None:
    """Options of the commands that make an environment."""
    sub.add_argument(
        "--env-kwargs",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME:VALUE",
        help="arguments of the environment, such as ctrl_cost_weight:0.5, or a .json file",
    )
    sub.add_argument(
        "--randomization",
        metavar="WHAT",
        help="what differs from world to world: \"{'body_mass': Uniform(0.8, 1.25)}\", "
        "a .json file, or module:NAME",
    )


def add_checkpoint_option(sub: argparse.ArgumentParser) -> None:
    """The option of the commands that take an agent."""
    sub.add_argument(
        "--checkpoint",
        nargs="?",
        const="last",
        type=checkpoint,
        metavar="STEPS",
        help="the agent as it was on the way, by its steps; without a number, the last one",
    )


def add_film_options(sub: argparse.ArgumentParser, seconds: Any) -> None:
    """Options of the commands that write a film."""
    none = "; 0 for none" if seconds is length_or_none else ""
    sub.add_argument(
        "--seconds", type=seconds, default=LENGTH, help=f"length of the film (default: 15{none})"
    )
    sub.add_argument(
        "--size",
        type=frame_size,
        default=(1280, 720),
        metavar="WxH",
        help="frames (default: 1280x720)",
    )


# What the words of options are read by: errors are argparse's, with its exit status of 2.


def frame_size(text: str) -> tuple[int, int]:
    """Parse a frame size such as 1280x720."""
    width, separator, height = text.partition("x")
    if not (separator and width.isdecimal() and height.isdecimal()):
        raise argparse.ArgumentTypeError(f"found {text!r}, expected WIDTHxHEIGHT, such as 1280x720")
    return int(width), int(height)


def whole(text: str) -> int | None:
    """A whole number, also such as 1e6 or 1_000_000; None for something else."""
    try:
        return int(text)
    except ValueError:
        try:
            number = float(text)
        except ValueError:
            return None
        return int(number) if number.is_integer() else None


def positive(text: str) -> int:
    """Parse a number of things, at least one."""
    number = whole(text)
    if number is None or number < 1:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a whole number above 0")
    return number


def seed(text: str) -> int:
    """Parse the seed of a random generator."""
    number = whole(text)
    if number is None or not 0 <= number < 2**32:
        raise argparse.ArgumentTypeError(
            f"found {text!r}, expected a whole number from 0 to 2**32 - 1"
        )
    return number


def length_or_none(text: str) -> float:
    """Parse a number that is positive or zero."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number < math.inf:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a number from 0")
    return number


def duration(text: str) -> float:
    """Parse a positive number."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a number above 0")
    return number


def checkpoint(text: str) -> int | str:
    """Parse the steps of a checkpoint, or "last"."""
    if text == "last":
        return text
    number = whole(text)
    if number is None or number < 0:
        raise argparse.ArgumentTypeError(
            f"found {text!r}, expected 'last' or a number of steps, such as 200000"
        )
    return number


if __name__ == "__main__":
    sys.exit(main())
