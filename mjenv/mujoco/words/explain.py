"""From errors of the engine to those that MuJoCo raises."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from mjenv.engine.errors import MjcfError, UnsupportedFeature
from mjenv.mujoco.words.table import Rule, rules

PLACE = re.compile(r"(?P<file>.*?):(?P<line>\d+): (?:<(?P<tag>[^\s>]+)(?: name='.*?')?>: )?", re.S)
# errors of the parser of XML, and what stands behind their names
PARSING = {
    "ELEMENT": 6, "ATTRIBUTE": 7, "TEXT": 8, "CDATA": 9, "COMMENT": 10, "DECLARATION": 11,
    "UNKNOWN": 12,
}  # fmt: skip
OTHER_ERRORS = {"EMPTY_DOCUMENT": 13, "MISMATCHED_ELEMENT": 14, "ELEMENT_DEPTH_EXCEEDED": 18}


class SpecError(ValueError):
    """Something that MuJoCo refuses to compile, attach or delete."""

    def __init__(self, message: str, element: Any = None):
        super().__init__(f"Error: {message}{_footer(element)}")


def _footer(element: Any) -> str:
    if element is None:
        return ""
    text = f"\nElement name '{element._name}', id {element._id}"
    return f"{text}, {element.info}" if element.info else text


@contextmanager
def in_words(compile_spec: Callable[[], Any]) -> Iterator[None]:
    """Within it, faults of a document are told in MuJoCo's words.

    Args:
        compile_spec: reads the same document into a `MjSpec`, and compiles it.

    Raises:
        UnsupportedFeature: it is valid, but not built.
        ValueError: MuJoCo refuses it; what the engine says of it is the cause.
    """
    try:
        yield
    except UnsupportedFeature:
        raise
    except MjcfError as error:
        raise _said(error, compile_spec) from error


def _said(error: MjcfError, compile_spec: Callable[[], Any]) -> ValueError:
    """What MuJoCo says of a document: its elements have numbers once it is a spec."""
    # what its reader refuses needs no numbers
    said = _translated(error, None)
    if said is not None and not isinstance(said, SpecError):
        return said
    try:
        compile_spec()
    except UnsupportedFeature:
        return worded(error, None)
    except ValueError as said:
        return said
    return worded(error, None)


def worded(error: MjcfError, made: Any) -> ValueError:
    """An error of the engine in MuJoCo's words, or as it is where the table has none.

    Args:
        error: the error.
        made: the element of a spec that it is about, or None.
    """
    if isinstance(error, UnsupportedFeature):
        return error
    text = str(error)
    found = PLACE.match(text)
    return _translated(error, made) or SpecError(text[found.end() if found else 0 :], made)


def _translated(error: MjcfError, made: Any) -> ValueError | None:
    """What the table has for an error, or None."""
    element, text, found = error.element, str(error), PLACE.match(str(error))
    around = {"tag": "", "line": "0", "name": "", "id": "0", "file": error.missing, "nothing": ""}
    if found is not None:
        text = text[found.end() :]
        around |= {"line": found["line"], "tag": found["tag"] or ""}
    if element is not None:
        around |= {"line": str(element.line), "tag": element.tag}
        around["name"] = element.values.get("name", "")
    if made is not None:
        around |= {"name": made._name, "id": str(made._id)}
        if around["line"] == "0":
            around["line"] = made.info.removeprefix("line ") or "0"
    for rule in rules():
        match = rule.pattern.fullmatch(text)
        if match and (not rule.tags or around["tag"] in rule.tags):
            given = match.groupdict()
            return _filled(rule, around | given | _computed(given), made)
    return None


def _computed(given: dict[str, str]) -> dict[str, str]:
    """What messages have besides: vertices counted from 1, whether there are too many values."""
    counted = {f"{k}_next": str(int(v) + 1) for k, v in given.items() if (v or "").isdigit()}
    return counted | {"amount": _amount(given)}


def _amount(given: dict[str, str]) -> str:
    """How many values an attribute has, beside those that it may have."""
    most, found = given.get("most", "0"), given.get("found", "0")
    return "has too much" if int(found) > int(most) else "does not have enough"


def _filled(rule: Rule, around: dict[str, str], made: Any) -> ValueError:
    message = rule.message.format(**around)
    if rule.form == "plain":
        return ValueError(message)
    if rule.form == "parse":
        return ValueError(_parse_error(message, around))
    if rule.form == "Error":
        return SpecError(message, made)
    if rule.form == "Error:^":
        return SpecError(message)
    place = "" if rule.form == "XML:^" else f"\nElement '{around['tag']}', line {around['line']}\n"
    return ValueError(f"XML Error: {message}{place}")


def _parse_error(message: str, around: dict[str, str]) -> str:
    word, _, tag = message.partition(" ")
    number = PARSING.get(word) or OTHER_ERRORS[word]
    name = f"XML_ERROR_{'PARSING_' if word in PARSING else ''}{word}"
    behind = f": XMLElement name={tag}" if tag else ""
    line = around["line"] if word != "EMPTY_DOCUMENT" else "0"
    return (
        f"XML parse error {number}:\nError={name} ErrorID={number} ({number:#x})"
        f" Line number={line}{behind}\n"
    )
