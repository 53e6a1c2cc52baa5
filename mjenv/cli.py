"""The command line: `mjenv envs | train | eval | record | view | bench`."""

import argparse
import os
import sys
from difflib import get_close_matches
from pathlib import Path
from typing import Any

MODEL_FILES = (".xml", ".mjcf", ".urdf")
ERRORS = (ValueError, OSError, ModuleNotFoundError)


def main(argv: list[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: arguments of the command line; None for those of the process.

    Returns:
        Exit status: 0; 1 for an error that was reported; 130 when interrupted.
    """
    argv = sys.argv[1:] if argv is None else argv
    if argv[:1] == ["bench"]:  # has a command line of its own
        from mjenv.benchmarks.__main__ import main as bench

        return bench(argv[1:])
    arguments = parser().parse_args(argv)
    try:
        return arguments.command(arguments) or 0
    except ERRORS as error:
        print(f"mjenv {arguments.name}: {explain(error)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def explain(error: Exception) -> str:
    """The message of an error, with what to install when a package is missing."""
    if isinstance(error, ModuleNotFoundError):
        package = (error.name or "").partition(".")[0]
        extra = "test" if package == "mujoco" else "train"
        return f"{package}: not installed, this command needs it; pip install 'mjenv[{extra}]'"
    return str(error)


def environment_id(name: str) -> str:
    """The full id of an environment: "HalfCheetah-v5" is "mjenv/HalfCheetah-v5".

    Raises:
        ValueError: no environment has this name.
    """
    import gymnasium

    import mjenv  # noqa: F401  registers the environments

    for candidate in (f"mjenv/{name}", name):
        if candidate in gymnasium.registry and (
            gymnasium.registry[candidate].vector_entry_point is not None
        ):
            return candidate
    known = [row.id for row in environments()]
    near = get_close_matches(name.removeprefix("mjenv/"), known, 1)
    advice = f"did you mean {near[0]!r}?" if near else "`mjenv envs` lists them"
    raise ValueError(f"{name}: no such environment; {advice}")


def environments() -> list[Any]:
    """The rows of the registry."""
    from mjenv.registration import ENVS

    return list(ENVS)


def frame_size(text: str) -> tuple[int, int]:
    """Parse a frame size such as 640x480."""
    width, separator, height = text.partition("x")
    if not (separator and width.isdigit() and height.isdigit()):
        raise argparse.ArgumentTypeError(f"found {text!r}, expected WIDTHxHEIGHT, such as 640x480")
    return int(width), int(height)


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
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *numbers in rows:
        cells = [n.rjust(width) for n, width in zip(numbers, widths[1:], strict=True)]
        print("  ".join([name.ljust(widths[0]), *cells]))


def train(arguments: argparse.Namespace) -> None:
    """Train an agent."""
    env_id = environment_id(arguments.env)
    from mjenv.training.hyperparameters import hyperparameters
    from mjenv.training.train import train

    settings = hyperparameters(
        env_id, arguments.algorithm, steps=arguments.steps, n_envs=arguments.n_envs
    )
    train(
        env_id,
        settings,
        arguments.run,
        seed=arguments.seed,
        overwrite=arguments.overwrite,
        minutes=arguments.minutes,
        seconds=arguments.seconds,
        size=arguments.size,
    )


def evaluate(arguments: argparse.Namespace) -> None:
    """Evaluate the agent of a run."""
    from mjenv.training.agent import Agent
    from mjenv.training.evaluate import evaluate
    from mjenv.training.runs import Run

    run = Run.open(arguments.run)
    env_id = environment_id(run.config()["env"])
    returns = evaluate(env_id, Agent.load(run).act, arguments.episodes, arguments.seed)
    print(
        f"{env_id}: return {returns.mean():,.1f} +- {returns.std():,.1f} "
        f"({returns.min():,.1f} to {returns.max():,.1f}) in {returns.size} episodes"
    )


def record(arguments: argparse.Namespace) -> None:
    """Film the agent of a run, or random actions in an environment."""
    from mjenv.training.film import film

    act, output = None, arguments.output
    if Path(arguments.what).is_dir():
        from mjenv.training.agent import Agent
        from mjenv.training.runs import Run

        run = Run.open(arguments.what)
        env_id, act = environment_id(run.config()["env"]), Agent.load(run).act
        output = output or run.video
    else:
        env_id = environment_id(arguments.what)
        output = output or Path("videos") / f"{env_id.rpartition('/')[2]}.mp4"
    count = film(env_id, act, output, arguments.seconds, arguments.size, arguments.seed)
    print(f"{output}: {count} frames of {arguments.size[0]}x{arguments.size[1]}")


def view(arguments: argparse.Namespace) -> None:
    """Show a model or an environment in a window."""
    from mjenv.viewer import HELP, environment_viewer, model_viewer

    if Path(arguments.what).suffix in MODEL_FILES:
        viewer = model_viewer(arguments.what)
    else:
        viewer = environment_viewer(environment_id(arguments.what), arguments.seed)
    print(HELP)
    viewer.run(arguments.frames)


def parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    # argparse reads it for its width
    os.environ.setdefault("COLUMNS", "100")
    top = argparse.ArgumentParser(
        prog="mjenv",
        description="Reinforcement learning on MuJoCo physics, thousands of worlds at once.",
    )
    commands = top.add_subparsers(dest="name", metavar="COMMAND", required=True)

    def add(name: str, command: Any, help: str, **options: Any) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=help, description=help, **options)
        made.set_defaults(command=command)
        return made

    add("envs", list_environments, "list the environments")

    sub = add("train", train, "train an agent; checkpoints, plot and film go into a run folder")
    sub.add_argument("env", metavar="ENV", help="environment, such as HalfCheetah-v5")
    sub.add_argument(
        "--algorithm", choices=("PPO", "SAC"), default="PPO", help="the learner (default: PPO)"
    )
    sub.add_argument("--steps", type=positive, help="environment steps in total, over all worlds")
    sub.add_argument("--minutes", type=float, help="stop after this time at the latest")
    sub.add_argument("--n-envs", type=positive, help="worlds that step together")
    sub.add_argument("--seed", type=int, default=0, help="of everything random (default: 0)")
    sub.add_argument("--run", type=Path, metavar="FOLDER", help="default: runs/ENV-TIME")
    sub.add_argument("--overwrite", action="store_true", help="replace the run in that folder")
    add_film_options(sub)

    sub = add("eval", evaluate, "evaluate the agent of a run, without exploration")
    sub.add_argument("run", metavar="RUN", help="folder of the run")
    sub.add_argument("--episodes", type=positive, default=16, help="how many (default: 16)")
    sub.add_argument("--seed", type=int, default=1_000_000, help="of the first episode")

    sub = add("record", record, "film the agent of a run, or random actions in an environment")
    sub.add_argument("what", metavar="RUN|ENV", help="folder of a run, or an environment")
    sub.add_argument("--output", type=Path, metavar="FILE", help="the MP4 file")
    sub.add_argument("--seed", type=int, default=0, help="of the first episode (default: 0)")
    add_film_options(sub)

    sub = add("view", view, "show a model or an environment in a window")
    sub.add_argument("what", metavar="MODEL.xml|ENV", help="model file, or an environment")
    sub.add_argument("--seed", type=int, default=0, help="of the random actions (default: 0)")
    sub.add_argument("--frames", type=positive, help="close after so many")

    add("bench", None, "measure the benchmarks on this machine; see `mjenv bench --help`")
    return top


def add_film_options(sub: argparse.ArgumentParser) -> None:
    """Options of the commands that write a film."""
    sub.add_argument("--seconds", type=float, default=15.0, help="length of the film (default: 15)")
    sub.add_argument(
        "--size",
        type=frame_size,
        default=(640, 480),
        metavar="WxH",
        help="frames (default: 640x480)",
    )


def positive(text: str) -> int:
    """Parse a number of things, at least one."""
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a whole number above 0")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
