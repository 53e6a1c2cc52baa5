"""The command that writes what a shell needs to complete commands, options and names."""

import argparse

from mjenv.commands.command import Command

SHELLS = ("bash", "zsh")
# what an argument is completed with, by its metavar
NAMES = ("ENV", "RUN|ENV", "RUN|ENV|STATES", "MODEL.xml|ENV")
FILES = ("FILE", "FOLDER", "RUN", "RUN|ENV", "RUN|ENV|STATES", "MODEL.xml|ENV")


def completion(arguments: argparse.Namespace) -> None:
    """Print the script of a shell."""
    import shtab

    top = arguments.top
    for action in actions(top):
        metavar = action.metavar if isinstance(action.metavar, str) else ""
        if metavar in NAMES:
            function = "_mjenv_names_and_files" if metavar in FILES else "_mjenv_names"
            vars(action)["complete"] = dict.fromkeys(SHELLS, function)
        elif metavar in FILES:
            vars(action)["complete"] = shtab.FILE
    print(shtab.complete(top, arguments.shell, preamble=functions()[arguments.shell]))


def functions() -> dict[str, str]:
    """Functions that each shell calls for names of environments, and for these or files."""
    words = " ".join(ids())
    return {
        "bash": (
            f'_mjenv_names() {{ compgen -W "{words}" -- "$1"; }}\n'
            '_mjenv_names_and_files() { _mjenv_names "$1"; compgen -f -- "$1"; }'
        ),
        "zsh": (
            f"_mjenv_names() {{ compadd -- {words} }}\n"
            "_mjenv_names_and_files() { _mjenv_names; _files }"
        ),
    }


def ids() -> list[str]:
    """All environments by the names that commands take."""
    from mjenv.gym.registration import ENVS, ROBOTS, SUITE

    return [row.id for row in (*ENVS, *ROBOTS, *SUITE)]


def actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """All arguments of a parser and of its commands."""
    found = list(parser._actions)
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for sub in action.choices.values():
                found += actions(sub)
    return found


def completion_options(sub: argparse.ArgumentParser) -> None:
    """Add the option for the shell."""
    sub.add_argument("shell", choices=SHELLS, help="the shell that the script is for")
    sub.epilog = (
        "bash: mjenv completion bash > ~/.local/share/bash-completion/completions/mjenv\n"
        "zsh: into a file _mjenv of a folder in $fpath"
    )


COMMANDS = (
    Command("completion", completion, "print the completion script of a shell", completion_options),
)
