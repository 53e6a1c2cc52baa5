"""The table of messages: what the engine says, and what MuJoCo says of the same fault.

`messages.txt` has two lines for each. The first is a pattern of the engine's message without its
place: `{name}` stands for any text, `*` for any text that is not used. Before it, in brackets, may
stand the elements that it is about. The second line, indented, begins with the form of MuJoCo's
message:

    XML     of its reader: `XML Error: ...`, with the element and its line
    Error   of its compiler: `Error: ...`, with the name, number and line of the element
    parse   of its parser of XML, with the number and name of the error
    plain   the message alone

Braces in it are filled with what the pattern found, and with `tag`, `line`, `name` and `id` of the
element. `XML:^` and `Error:^` are about no element. Lines that begin with `#` are comments. The
first pattern that fits is taken.
"""

import re
from functools import cache
from importlib.resources import files
from typing import NamedTuple

FORMS = ("XML", "XML:^", "Error", "Error:^", "parse", "plain")
_MARK = re.compile(r"\\\{(\w*)\\\}|(\\\*)")


class Rule(NamedTuple):
    """One entry of the table.

    Attributes:
        tags: elements that it is about; empty: any.
        pattern: what the engine's message looks like.
        form: see the module.
        message: MuJoCo's message, with braces for what is filled in.
    """

    tags: frozenset[str]
    pattern: re.Pattern[str]
    form: str
    message: str


@cache
def rules() -> tuple[Rule, ...]:
    """All entries, in the order in which they are tried."""
    text = files("mjenv.mujoco.words").joinpath("messages.txt").read_text()
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    made = []
    for ours, theirs in zip(lines[::2], lines[1::2], strict=True):
        if ours[0] == " " or theirs[0] != " ":
            raise ValueError(f"messages.txt: found {ours!r} before {theirs!r}, expected pairs")
        form, _, message = theirs.strip().partition(" ")
        if form not in FORMS:
            raise ValueError(f"messages.txt: {theirs!r}: expected one of {FORMS} at its beginning")
        made.append(_rule(ours, form, message))
    return tuple(made)


def _rule(ours: str, form: str, message: str) -> Rule:
    tags, pattern = frozenset[str](), ours
    if ours.startswith("["):
        inside, _, pattern = ours[1:].partition("] ")
        tags = frozenset(inside.split())
    return Rule(tags, re.compile(_MARK.sub(_group, re.escape(pattern)), re.DOTALL), form, message)


def _group(match: re.Match[str]) -> str:
    return ".*" if match[2] else f"(?P<{match[1]}>.*?)" if match[1] else ".*?"
