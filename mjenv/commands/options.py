"""Options that several commands have, and what they mean."""

import argparse
from typing import Any

from mjenv.commands.values import checkpoint, frame_size, length_or_none, positive, seed
from mjenv.randomization.literals import read, read_file, read_pairs

ENV_HELP = "environment, such as HalfCheetah-v5, or module:Id for one of your own"
AGENT_HELP = "folder of a run, an agent's .npz, or an environment whose agent comes with mjenv"
LENGTH, VIDEO = 15.0, "video.mp4"  # of films, where nothing else is said


def add_env_kwargs_option(sub: argparse.ArgumentParser) -> None:
    """The option of the commands that make an environment, or port one."""
    sub.add_argument(
        "--env-kwargs",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME:VALUE",
        help="arguments of the environment, such as ctrl_cost_weight:0.5, or a .json file",
    )


def add_environment_options(sub: argparse.ArgumentParser) -> None:
    """Options of the commands that make an environment."""
    add_env_kwargs_option(sub)
    sub.add_argument(
        "--randomization",
        metavar="WHAT",
        help="domain randomization: \"{'body_mass': Uniform(0.8, 1.25)}\", "
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
        help="take a checkpoint instead of the finished agent: that after STEPS steps, or "
        "`best` of the evaluations of --eval-every; without a value, the last one",
    )


def add_trust_option(sub: argparse.ArgumentParser) -> None:
    """The option of the commands that read what others may have made."""
    sub.add_argument(
        "--trust",
        action="store_true",
        help="allow files of the run to execute code, such as the module with its task",
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
        help="size of the frames (default: 1280x720)",
    )


def add_camera_option(sub: argparse.ArgumentParser) -> None:
    """The option of the commands that look at a model."""
    sub.add_argument(
        "--camera",
        nargs="+",
        default=(),
        metavar="CAMERA",
        help="name or number of a camera of the model, free, or track:BODY, then settings of "
        "these two, such as azimuth:60 elevation:-20 distance:4 'lookat:(0, 0, 1)'",
    )


def add_window_options(sub: argparse.ArgumentParser, of_seed: str) -> None:
    """Options of the commands that open a window; `of_seed`: what the seed is of."""
    sub.add_argument("--seed", type=seed, default=0, help=f"{of_seed} (default: 0)")
    sub.add_argument("--frames", type=positive, help="close the window after this many frames")
    add_camera_option(sub)
    add_environment_options(sub)


def env_kwargs(arguments: argparse.Namespace) -> dict[str, Any]:
    """Keyword arguments of the environment, with the randomization among them.

    Raises:
        ValueError: one is no value, or is given twice.
    """
    from mjenv.gym.lookup import RESERVED

    given = read_pairs("--env-kwargs", arguments.env_kwargs)
    if arguments.randomization is not None:
        if "randomization" in given:
            raise ValueError("--randomization: given in --env-kwargs too; remove one")
        given["randomization"] = randomization(arguments.randomization)
    for name in RESERVED.intersection(given):
        raise ValueError(f"--env-kwargs: {name} is chosen by `mjenv {arguments.name}`")
    return given


def randomization(text: str) -> Any:
    """Randomization of the command line: typed out, from a JSON file, or from a module.

    Raises:
        ValueError: it is none of these.
    """
    if text.endswith(".json"):
        return read_file(text)
    if text.lstrip().startswith("{"):
        return read(text)
    from mjenv.gym.lookup import import_named

    expected = "{'field': Uniform(...)}, a .json file, or module:NAME"
    return import_named("--randomization", text, expected)
