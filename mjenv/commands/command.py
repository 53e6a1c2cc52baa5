"""A command of `mjenv` is one row of the table of its file."""

import argparse
from collections.abc import Callable
from typing import NamedTuple


def no_options(sub: argparse.ArgumentParser) -> None:
    """The options of a command that has none."""


class Command(NamedTuple):
    """One command.

    Attributes:
        name: what is typed after `mjenv`.
        run: what does it; its result is the exit status, None for 0.
        help: what it does, in one line.
        options: adds its arguments to its parser.
    """

    name: str
    run: Callable[[argparse.Namespace], int | None]
    help: str
    options: Callable[[argparse.ArgumentParser], None] = no_options


def changed(arguments: argparse.Namespace, *words: str) -> list[str]:
    """Names of the options of a command that have other values than theirs by default.

    Args:
        arguments: of the command.
        *words: what is typed in any case.
    """
    fresh = vars(arguments.parser.parse_args(words))
    return [name for name, value in fresh.items() if getattr(arguments, name) != value]


def as_typed(name: str) -> str:
    """An option as it is typed: --env-kwargs for env_kwargs."""
    return "--" + name.replace("_", "-")
