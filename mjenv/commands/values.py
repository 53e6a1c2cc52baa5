"""Parsers of the words of options: errors are argparse's, with its exit status of 2."""

import argparse
import math

from mjenv.engine.errors import nearest

ALGORITHMS = (
    *("PPO", "SAC", "TQC", "TD3", "FastSAC", "ARS", "DrQ", "SelfPlay"),
    *("SB3-PPO", "SB3-SAC", "SB3-TQC", "SB3-TD3", "SB3-RecurrentPPO"),
)


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
    """Parse the steps of a checkpoint, or "last" or "best"."""
    if text in ("last", "best"):
        return text
    number = whole(text)
    if number is None or number < 0:
        raise argparse.ArgumentTypeError(
            f"found {text!r}, expected 'last', 'best' or a number of steps, such as 200000"
        )
    return number


def algorithm(text: str) -> str:
    """Parse the name of a learner, in capitals or not."""
    names = {name.lower(): name for name in ALGORITHMS}
    found = names.get(text.lower())
    if found is None:
        hint = nearest(text, ALGORITHMS)
        raise argparse.ArgumentTypeError(
            f"found {text!r}, expected one of {', '.join(ALGORITHMS)}{hint}"
        )
    return found
