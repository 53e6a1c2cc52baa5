"""Commands that open a window."""

import argparse
from pathlib import Path
from typing import Any

from mjenv.commands.actor import actor
from mjenv.commands.command import Command
from mjenv.commands.options import (
    AGENT_HELP,
    add_checkpoint_option,
    add_trust_option,
    add_window_options,
    env_kwargs,
)

MODEL_FILES = (".xml", ".mjcf", ".urdf")


def watch(arguments: argparse.Namespace) -> None:
    """Show an agent at work in a window."""
    from mjenv.training.portable import names
    from mjenv.viewer import HELP, environment_viewer

    options = window_kwargs(arguments)
    act, env_id, recorded, _ = actor(arguments.what, arguments.checkpoint, trust=arguments.trust)
    if act is None:
        raise ValueError(
            f"{env_id}: no agent of it comes with mjenv, only of {', '.join(names()) or 'none'}; "
            "`mjenv train` makes one, `mjenv view` shows random actions"
        )
    viewer = environment_viewer(
        env_id, arguments.seed, {**recorded, **options}, act, arguments.camera
    )
    print(HELP)
    viewer.run(arguments.frames)


def watch_options(sub: argparse.ArgumentParser) -> None:
    """Add the options that choose an agent."""
    sub.add_argument("what", metavar="RUN|ENV", help=AGENT_HELP)
    add_checkpoint_option(sub)
    add_trust_option(sub)
    add_window_options(sub, "seed of the first episode")


def view(arguments: argparse.Namespace) -> None:
    """Show a model or an environment in a window."""
    from mjenv.gym.lookup import environment_id
    from mjenv.viewer import HELP, environment_viewer, model_viewer

    options = window_kwargs(arguments)
    if Path(arguments.what).suffix in MODEL_FILES:
        if options:
            raise ValueError(
                f"{arguments.what}: found a model file, expected an environment with these "
                "options; leave them out"
            )
        viewer = model_viewer(arguments.what, arguments.camera)
    else:
        env_id = environment_id(arguments.what)
        viewer = environment_viewer(env_id, arguments.seed, options, camera=arguments.camera)
    print(HELP)
    viewer.run(arguments.frames)


def view_options(sub: argparse.ArgumentParser) -> None:
    """Options of the window."""
    sub.add_argument("what", metavar="MODEL.xml|ENV", help="model file, or an environment")
    add_window_options(sub, "of the random actions")


def window_kwargs(arguments: argparse.Namespace) -> dict[str, Any]:
    """Keyword arguments of an environment that is shown in a window.

    Raises:
        ValueError: one of them would have no effect.
    """
    options = env_kwargs(arguments)
    for name in {"camera_id", "camera_name"}.intersection(options):
        raise ValueError(f"--env-kwargs: {name} has no effect on the window; give --camera")
    return options


COMMANDS = (
    Command("watch", watch, "show an agent at work in a window", watch_options),
    Command("view", view, "show a model or an environment in a window", view_options),
)
