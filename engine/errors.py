"""Errors that users can get: `where: what was found, what was expected, what to do`."""

import warnings
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

LONGEST = 600  # characters of a message, or of a name that others are compared with


class MjcfError(ValueError):
    """A model that MuJoCo would reject too.

    Attributes:
        element: what is wrong, an element of a document; None: the message alone says it.
        missing: path of a file that is named and is not there; "": it is about something else.
    """

    element: Any = None
    missing: str = ""

    def __init__(self, message: str = ""):
        half = LONGEST // 2
        cut = message if len(message) <= LONGEST else f"{message[:half]} ... {message[-half:]}"
        super().__init__(cut)


class UnsupportedFeature(MjcfError):  # a refusal, not a fault of the model
    """Something valid that this version does not build yet."""


class ModelFileError(ValueError):
    """Bytes that are not a model saved by this version, or no longer whole."""


class FieldError(AttributeError):
    """A field of mjData that these data do not hold."""


class SimulationWarning(RuntimeWarning):
    """Something went wrong in a simulation that goes on; see `Data.warning`."""


class ContactOverflow(RuntimeError):  # as in MuJoCo's warnings
    """More contacts than there is room for; none may be dropped."""


class DataInUse(RuntimeError):  # a refusal, not a fault of the data
    """A call on data that another call, in a hook's caller or another thread, is working on."""


def warn_renamed(old: str, new: str) -> None:
    """Warn the caller of a function, which calls this one, that it has another name now.

    Args:
        old: the former name, which works for one more release.
        new: the name.
    """
    warnings.warn(
        f"found {old}, expected its new name {new}; the next release knows this one only",
        DeprecationWarning,
        stacklevel=3,
    )


def shortened(text: str, most: int = 60) -> str:
    """Text of a file as a message can show it: on one line, and not too long."""
    cut = text if len(text) <= most else text[: most - 3] + "..."
    return "".join(c if c.isprintable() else " " for c in cut)


def a_or_an(noun: str) -> str:
    """A noun with its article."""
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def nearest_or_all(name: str, names: Iterable[str], most: int = 8) -> str:
    """As `nearest`, but where nothing is close and there are few, the names themselves."""
    known = [n for n in names if n]
    hint = nearest(name, known)
    if hint or not 0 < len(known) <= most:
        return hint
    return f"; there {'is' if len(known) == 1 else 'are'} {shortened(', '.join(known))}"


def nearest(name: str, names: Iterable[str]) -> str:
    """Suggestion for an unknown name, to append to a message.

    Args:
        name: what was asked for.
        names: what exists.

    Returns:
        "; did you mean 'hip_5'?", or "" when nothing is close.
    """
    known = [n for n in names if n and len(n) <= LONGEST]
    if len(name) > LONGEST:
        return ""
    folded = {n.lower(): n for n in reversed(known)}
    close = get_close_matches(name, known, 1, 0.8)
    close = close or [folded[n] for n in get_close_matches(name.lower(), folded, 1, 0.8)]
    # an abbreviation, or what is abbreviated
    close = close or sorted((n for n in known if len(n) > 2 and name.startswith(n)), key=len)[-1:]
    close = close or [n for n in known if len(name) > 2 and n.startswith(name)]
    close = close or [folded[n] for n in get_close_matches(name.lower(), folded, 1, 0.6)]
    return f"; did you mean '{close[0]}'?" if close else ""
