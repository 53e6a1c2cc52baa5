"""The command that films agents, environments and recorded states."""

import argparse
from pathlib import Path
from typing import Any

from mjenv.commands.actor import actor
from mjenv.commands.command import Command, as_typed, changed
from mjenv.commands.options import (
    AGENT_HELP,
    LENGTH,
    VIDEO,
    add_camera_option,
    add_checkpoint_option,
    add_environment_options,
    add_film_options,
    add_trust_option,
    env_kwargs,
)
from mjenv.commands.values import duration, positive, seed


def record(arguments: argparse.Namespace) -> None:
    """Film an agent, random actions in an environment, or states that were recorded."""
    from mjenv.training.films.film import film
    from mjenv.training.films.recording import SUFFIX, is_recording
    from mjenv.training.films.shot import Shot
    from mjenv.training.runs.files import check_place

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
    act, env_id, recorded, usual = actor(
        arguments.what, arguments.checkpoint, arguments.random, arguments.trust
    )
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
    from mjenv.training.films.film import draw
    from mjenv.training.films.recording import Recording

    # options about how worlds move, which a recording has settled
    idle = {"checkpoint", "trust", "random", "states", "seed", "env_kwargs", "randomization"}
    for name in changed(arguments, arguments.what):
        if name in idle:
            raise ValueError(f"{as_typed(name)}: has no effect on recorded states; leave it out")
    # what is left: how and how much of it to draw
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
    from mjenv.training.films.shot import is_page

    if is_page(path):
        print(f"{path}: {count} poses, {path.stat().st_size / 1e6:.1f} MB; open it in a browser")
    else:
        print(f"{path}: {count} frames of {shot.size[0]}x{shot.size[1]}")


def record_options(sub: argparse.ArgumentParser) -> None:
    """Options of films: who acts, what is written, and how it is seen."""
    sub.add_argument("what", metavar="RUN|ENV|STATES", help=f"{AGENT_HELP}; or a file of --states")
    add_checkpoint_option(sub)
    add_trust_option(sub)
    sub.add_argument(
        "--random", action="store_true", help="take random actions, also where mjenv has an agent"
    )
    # files
    sub.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="the film: .mp4, .mov, .mkv, .webm or .gif; or .html, a 3D scene for the browser",
    )
    sub.add_argument(
        "--states",
        type=Path,
        metavar="FILE.npz",
        help="write the states too: `mjenv record FILE.npz` films them again, with other settings",
    )
    # how it is seen
    sub.add_argument("--worlds", type=positive, help="number of worlds, side by side (default: 1)")
    add_camera_option(sub)
    sub.add_argument(
        "--slow", type=duration, default=1.0, help="slow motion: 4 for a quarter of the speed"
    )
    sub.add_argument(
        "--fps", type=duration, default=30.0, help="frames per second at most (default: 30)"
    )
    sub.add_argument(
        "--style",
        choices=("mujoco", "nice"),
        default="mujoco",
        help="nice: soft shadows, darker corners, a blue sky (default: as MuJoCo's renderer)",
    )
    # what all commands with worlds and films have
    sub.add_argument("--seed", type=seed, default=0, help="seed of the first episode (default: 0)")
    add_environment_options(sub)
    add_film_options(sub, duration)
    sub.set_defaults(seconds=None)


COMMANDS = (
    Command(
        "record",
        record,
        "film an agent; or random actions, where no agent comes with mjenv",
        record_options,
    ),
)
