"""The command line: `mjenv --help` lists its commands."""

import argparse
import os
import re
import sys
import textwrap
from typing import NoReturn

import mjenv
from mjenv.commands import (
    cache,
    completion,
    digests,
    doctor,
    environments,
    films,
    porting,
    runs,
    training,
    windows,
)
from mjenv.commands.examples import EXAMPLES, TOP
from mjenv.commands.setting_names import SETTINGS
from mjenv.engine.errors import nearest
from mjenv.system import packages
from mjenv.system.interruption import Interrupted, Interruption

COMMANDS = (
    *environments.COMMANDS,
    *porting.COMMANDS,
    *training.COMMANDS,
    *runs.COMMANDS,
    *films.COMMANDS,
    *windows.COMMANDS,
    *doctor.COMMANDS,
    *digests.COMMANDS,
    *cache.COMMANDS,
    *completion.COMMANDS,
)
ERRORS = (ValueError, OSError, ModuleNotFoundError)


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
    arguments = parsed(argv)
    try:
        with Interruption():
            return arguments.command(arguments) or 0
    except ERRORS as error:
        print(f"mjenv {arguments.name}: {explain(error)}", file=sys.stderr)
        return 1
    except Interrupted as error:
        print(f"mjenv {arguments.name}: interrupted ({error})", file=sys.stderr)
        return error.status


def parsed(argv: list[str]) -> argparse.Namespace:
    """The arguments of a command; without any, and where one is unknown, help and exit status 2."""
    top = parser()
    if not argv:
        top.print_help(sys.stderr)
        raise SystemExit(2)
    names = [command.name for command in COMMANDS] + ["bench"]
    if not argv[0].startswith("-") and argv[0] not in names:
        top.error(f"{argv[0]}: no such command{nearest(argv[0], names)}")
    arguments, unknown = top.parse_known_args(argv)
    if unknown:
        hint = advice(arguments.parser, unknown)
        arguments.parser.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
    arguments.words = argv[1:]
    return arguments


def advice(sub: argparse.ArgumentParser, unknown: list[str]) -> str:
    """The option that was meant by words that a command does not know; "" for others."""
    name, _, value = unknown[0].partition("=")
    if not name.startswith("-"):
        return ""
    setting = name.lstrip("-").replace("-", "_")
    known = sub._option_string_actions
    if "--set" in known and re.search(rf"\b{re.escape(setting)}\b", SETTINGS):
        return f"; it is a setting: --set {setting}:{(value or ' '.join(unknown[1:2])) or 'VALUE'}"
    return nearest(name, known)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line; `--help` has the options."""

    def error(self, message: str) -> NoReturn:
        """Print a message, and exit with status 2."""
        self.exit(2, f"{self.prog}: error: {message}\n`{self.prog} --help` lists the options\n")


def explain(error: Exception) -> str:
    """The message of an error, with what to install when a package is missing."""
    if isinstance(error, ModuleNotFoundError) and error.name:
        known = isinstance(error, packages.MissingPackageError)
        error = error if known else packages.missing(error.name, "this command")
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{os.fsdecode(error.filename)}: {error.strerror.lower()}"
    return str(error)


def parser() -> argparse.ArgumentParser:
    """Make the parser of the command line."""
    # argparse reads it for its width
    os.environ.setdefault("COLUMNS", "100")
    top = Parser(
        prog="mjenv",
        description="Reinforcement learning on MuJoCo physics, thousands of worlds at once.",
        epilog=TOP.text(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"mjenv {mjenv.__version__}")
    subs = top.add_subparsers(dest="name", metavar="COMMAND", required=True)
    for command in COMMANDS:
        sub = subs.add_parser(
            command.name,
            help=command.help,
            description=command.help,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        sub.set_defaults(command=command.run, parser=sub, top=top)
        command.options(sub)
        notes = [textwrap.fill(line, 98) for line in (sub.epilog or "").splitlines()]
        sub.epilog = "\n\n".join(filter(None, ["\n".join(notes), EXAMPLES[command.name].text()]))
    # its own command line is read in `main`
    subs.add_parser(
        "bench", help="measure the benchmarks on this machine; see `mjenv bench --help`"
    )
    return top


if __name__ == "__main__":
    sys.exit(main())
