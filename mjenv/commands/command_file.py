"""Options of a command from a file: YAML or JSON, with the names that they have when typed."""

import argparse
import json
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from mjenv.commands.command import as_typed
from mjenv.randomization import literals
from mjenv.system import packages

EXCLUDED = ("help", "config", "resume", "trust")  # which a file does not decide
PAIRS = {"set": "hyperparameters", "hyperparameters": "hyperparameters", "env_kwargs": "env_kwargs"}
SUFFIXES = (".yaml", ".yml", ".json")


def with_file(arguments: argparse.Namespace) -> argparse.Namespace:
    """Arguments of a command with those of its `--config` file, which typed ones replace.

    Raises:
        ValueError: the file is none, or has an option that there is not, or one that is wrong.
        OSError: it cannot be read.
    """
    path, parser = arguments.config, arguments.parser
    content = read(path)
    if arguments.env is not None:
        content.pop("env", None)
    # pairs of the file, but for those that are typed
    for name, option in PAIRS.items():
        if isinstance(content.get(name), dict):
            typed = literals.read_pairs(as_typed(option), getattr(arguments, option), option)
            content[name] = {one: x for one, x in content[name].items() if one not in typed}
    for name in ("randomization", "callback"):
        if getattr(arguments, name):
            content.pop(name, None)
    # the last option takes one word: what follows is typed
    words = [*words_of(path, parser, content), "--config", str(path)]

    def refuse(message: str) -> None:
        raise ValueError(f"{path}: {message}")

    parser.error = refuse
    try:
        parser.parse_args(words)
        return parser.parse_args([*words, *arguments.words])
    finally:
        del parser.error


def read(path: Path) -> dict[str, Any]:
    """Contents of a command file.

    Raises:
        ValueError: it is none of options.
        MissingPackageError: it is YAML, and PyYAML is not installed.
    """
    if path.suffix not in SUFFIXES:
        raise ValueError(f"{path}: suffix is {path.suffix!r}, expected one of {list(SUFFIXES)}")
    text = path.read_text(encoding="utf-8")
    try:
        if path.suffix == ".json":
            content = json.loads(text)
        else:
            yaml = packages.load("yaml", f"--config {path}")
            try:
                content = yaml.safe_load(text)
            except yaml.YAMLError as error:
                raise ValueError(" ".join(str(error).split())) from None
    except ValueError as error:
        raise ValueError(f"{path}: cannot be read: {error}") from None
    if not isinstance(content, dict) or not all(isinstance(name, str) for name in content):
        raise ValueError(f"{path}: found {type(content).__name__}, expected options by their names")
    return {name.replace("-", "_"): value for name, value in content.items()}


def words_of(path: Path, parser: argparse.ArgumentParser, content: dict[str, Any]) -> list[str]:
    """The words that would be typed for what a file says.

    Raises:
        ValueError: an option that there is not, or a value that none can have.
    """
    # options of the command by the names that the file has for them
    known = {
        name.removeprefix("--").replace("-", "_"): action
        for name, action in parser._option_string_actions.items()
        if name.startswith("--")
    }
    for name in EXCLUDED:
        known.pop(name, None)
    words = [str(content["env"])] if "env" in content else []
    # each entry becomes what would be typed: a switch, a pair of name and value, or a value
    for name, value in content.items():
        if name == "env" or value is None:
            continue
        if name not in known:
            near = get_close_matches(name, [*known, "env"], 1)
            hint = f"did you mean {near[0]!r}?" if near else f"expected some of {sorted(known)}"
            raise ValueError(f"{path}: {name}: no option of a command file; {hint}")
        option = as_typed(name)
        if known[name].nargs == 0:
            if type(value) is not bool:
                raise ValueError(f"{path}: {name}: found {value!r}, expected true or false")
            words += [option] if value else []
        elif name in PAIRS:
            words += _pairs(path, name, value)
        elif isinstance(value, list) and type(known[name].default) is list:  # given several times
            words += [f"{option}={_single(path, name, one)}" for one in value]
        else:
            words.append(f"{option}={_single(path, name, value)}")
    return words


def _pairs(path: Path, name: str, value: Any) -> list[str]:
    """An option of values by name."""
    if not isinstance(value, dict):
        raise ValueError(f"{path}: {name}: found {value!r}, expected values by their names")
    pairs = [f"{one}={_text(f'{path}: {name}: {one}', x)}" for one, x in value.items()]
    return [as_typed(name), *pairs] if pairs else []


def _single(path: Path, name: str, value: Any) -> str:
    """The word of one value; sizes may be lists of two numbers."""
    if name == "size" and isinstance(value, list):
        return "x".join(map(str, value))
    if isinstance(value, dict | list) and name != "randomization":
        raise ValueError(f"{path}: {name}: found {value!r}, expected one value")
    return _text(f"{path}: {name}", value)


def _text(where: str, value: Any) -> str:
    """A value as it is typed."""
    return value if isinstance(value, str) else literals.write(where, literals.deep(value))
