"""The command that shows and empties the folder of compiled code."""

import argparse
import time

from mjenv.commands.command import Command
from mjenv.engine.simd.cache import DAY, Stored, cache_dir, limit, remove, stored, trim


def cache(arguments: argparse.Namespace) -> None:
    """Show what compiled code takes; remove it, what was not used for long, or what is too much."""
    folder = cache_dir()
    files = stored(folder)
    if arguments.clear:
        past = time.time() - DAY * (arguments.unused_for or 0)
        report(remove([file for file in files if file.used <= past]))
    elif arguments.unused_for is not None:
        raise ValueError("--unused-for: says what --clear removes; add --clear")
    elif arguments.trim:
        report(trim(folder))
    else:
        show(str(folder), files)


def show(folder: str, files: list[Stored]) -> None:
    """Folder, room and age of compiled code."""
    room = sum(file.size for file in files)
    print(f"{folder}: {len(files):,} files, {megabytes(room)} of at most {megabytes(limit())}")
    days = [(time.time() - file.used) / DAY for file in files]
    for most in (1, 7, 30):
        recent = [file.size for file, age in zip(files, days, strict=True) if age <= most]
        word = "day" if most == 1 else f"{most} days"
        print(f"  used in the last {word + ':':8} {len(recent):6,} files, {megabytes(sum(recent))}")


def report(gone: list[Stored]) -> None:
    """Say what was removed."""
    room = megabytes(sum(file.size for file in gone))
    print(f"removed {len(gone):,} files, {room}; what is needed again is compiled again")


def megabytes(room: float) -> str:
    """A number of bytes, to read."""
    return f"{room / 1e6:,.1f} MB"


def days(text: str) -> float:
    """A number of days.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not number >= 0:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a number of days")
    return number


def cache_options(sub: argparse.ArgumentParser) -> None:
    """Options that say what to remove."""
    what = sub.add_mutually_exclusive_group()
    what.add_argument("--clear", action="store_true", help="remove all compiled code")
    what.add_argument(
        "--trim",
        action="store_true",
        help="remove the oldest down to the limit, as happens by itself",
    )
    sub.add_argument(
        "--unused-for",
        type=days,
        metavar="DAYS",
        help="with --clear: only what was not used so long",
    )
    sub.epilog = "MJENV_CACHE_DIR names the folder, MJENV_CACHE_LIMIT the limit in megabytes."


COMMANDS = (
    Command("cache", cache, "show the folder of compiled code, or empty it", cache_options),
)
