"""The command that ports an environment written for `mujoco`."""

import argparse
from typing import Any

from mjenv.commands.command import Command
from mjenv.commands.options import add_env_kwargs_option
from mjenv.randomization.literals import read_pairs

STEPS = 20  # that what is written is compared for


def port(arguments: argparse.Namespace) -> int:
    """Say how the steps of environments run in many worlds, and compare with their own."""
    import mjenv.mujoco
    from mjenv.porting.checking import check
    from mjenv.porting.porting import report

    # also for what is imported in the middle of a step
    mjenv.mujoco.install()
    kwargs = read_pairs("--env-kwargs", arguments.env_kwargs)
    if arguments.write:
        return _write(arguments, kwargs)
    differing = 0
    for target in arguments.env:
        print(report(target, **kwargs), flush=True)
        if not arguments.check:
            continue
        found = check(target, arguments.seeds, arguments.check, **kwargs)
        differing += bool(found.first)
        words = f"differs first at {found.first}" if found.first else "equal"
        if not found.first and found.largest:
            words = f"equal but for rounding, {found.largest:.0e}"
        print(f"  check: {words}, {arguments.seeds} seeds, {found.steps} steps", flush=True)
    return 1 if differing else 0


def _write(arguments: argparse.Namespace, kwargs: dict[str, Any]) -> int:
    """Write an environment as a task; 1 if it cannot be."""
    from mjenv.writing.values import NotWritten
    from mjenv.writing.writing import write

    if len(arguments.env) > 1:
        print(f"port: found {len(arguments.env)} environments and one FILE, expected one of each")
        return 2
    steps = arguments.check or STEPS
    try:
        print(write(arguments.env[0], arguments.write, arguments.seeds, steps, **kwargs))
    except (NotWritten, FileExistsError, ValueError) as error:
        print(f"{arguments.env[0]}: not written\n  {error}")
        return 1
    return 0


def options(sub: argparse.ArgumentParser) -> None:
    """Add the options that choose environments and say how they are compared."""
    sub.add_argument(
        "env",
        metavar="ENV",
        nargs="+",
        help="an id of Gymnasium or module:Id, metaworld/TASK, dm_control/TASK, or module:function "
        "that makes an environment",
    )
    add_env_kwargs_option(sub)
    sub.add_argument(
        "--check",
        metavar="STEPS",
        type=int,
        default=0,
        help="compare this many steps with the environment itself, one world at a time",
    )
    sub.add_argument(
        "--write",
        metavar="FILE.py",
        help="write the environment as a task of mjenv, compared over --check steps (default: "
        f"{STEPS}); refused with the line where a task cannot say it",
    )
    sub.add_argument("--seeds", type=int, default=3, help="seeds of the comparison (default: 3)")


COMMANDS = (Command("port", port, "run an environment written for mujoco in many worlds", options),)
