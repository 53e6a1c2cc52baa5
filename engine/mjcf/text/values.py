"""Attribute text to values, with MuJoCo's rules for numbers and words."""

import math
import re
import struct
import sys
from typing import Any

from ...errors import nearest, shortened
from .schema import Type

LONGEST = 1000  # characters of an integer, zeros at its beginning included
SINGLE = struct.Struct("<f")
LEAST = 2.0**-126 - 2.0**-151  # what is less rounds to less than a normal number
_FOREIGN = re.compile(r"[^\t-\r -~]")  # what no number has in it
_SPACE = re.compile(r"[ \t-\r]+")
_NOT_ZERO = re.compile(r"[-+]?[0.]*[1-9]")


class MalformedError(ValueError):
    """Text that does not fit its type; `found` and `expected` are parts of a message."""

    def __init__(self, expected: str, found: str):
        super().__init__(f"expected {expected}, found {found}")


def parse(text: str, kind: Type):
    """Value of an attribute.

    Args:
        text: what stands between the quotes.
        kind: the attribute's type.

    Returns:
        str, float or int, or a tuple of them where the type takes several; None for lists and real
        numbers when the text is blank, which counts as absent.

    Raises:
        MalformedError: the text does not fit.
    """
    # words
    if kind.base == "text":
        return text if kind.single else tuple(_split(text))
    if kind.base == "word":
        return _word(text, kind.words)
    if kind.base in ("words", "series"):
        return _words(text, kind.words, kind.base == "series")
    # numbers; forms that Python reads and C++ does not are refused
    number = NUMBERS[kind.base]
    try:
        if _FOREIGN.search(text):
            raise ValueError
        values = tuple(map(number, text.split()))
    except ValueError:
        raise _bad_number(text, number, kind.base) from None
    # blank
    if not values:
        if kind.base == "int" and kind.single:
            raise MalformedError("an integer", "nothing")
        return None
    # counts
    if len(values) < kind.least or (kind.most is not None and len(values) > kind.most):
        raise MalformedError(_count(kind), str(len(values)))
    return values[0] if kind.single else values


def _split(text: str) -> list[str]:
    """Words between spaces of ASCII; others are part of a word."""
    plain = _FOREIGN.search(text) is None
    return text.split() if plain else [word for word in _SPACE.split(text) if word]


def _real(text: str) -> float:
    """As strtod in the C locale: also hexadecimal, never with underscores, never out of range."""
    if "_" in text:
        raise ValueError
    try:
        x = float(text)
    except ValueError:
        if re.fullmatch(r"[-+]?nan\(\w*\)", text, re.IGNORECASE):
            return math.nan
        if "x" not in text.lower():
            raise
        x = float.fromhex(text)
    if math.isinf(x) and "n" not in text.lower():
        raise ValueError
    if abs(x) < sys.float_info.min and text != "0" and _NOT_ZERO.match(text):
        raise ValueError
    return x


def _single(text: str) -> float:
    """As strtof: a number that single precision holds."""
    x = _real(text)
    try:
        (rounded,) = SINGLE.unpack(SINGLE.pack(x))
    except OverflowError:
        raise ValueError from None
    if abs(x) < LEAST and rounded != x:
        raise ValueError
    return x


def _int(text: str) -> int:
    if "_" in text or len(text) > LONGEST:
        raise ValueError
    n = int(text)
    if not -(2**31) <= n < 2**31:
        raise ValueError
    return n


NUMBERS = {"real": _real, "float": _single, "int": _int}
LIMITS = {"real": "2.3e-308 and 1.7e308", "float": "1.2e-38 and 3.4e38"}


def _bad_number(text: str, number: Any, base: str) -> MalformedError:
    kind = "an integer" if base == "int" else "a number"
    for token in _split(text):
        try:
            if _FOREIGN.search(token):
                raise ValueError
            number(token)
        except ValueError:  # the first one ends it
            limits = _limits(token, base)
            return MalformedError(f"{kind}{limits}", f"'{shortened(token)}'")
    return MalformedError(f"{kind[2:].strip()}s", f"'{shortened(text)}'")


def _limits(token: str, base: str) -> str:
    """Error for a number that is too large or too small."""
    if base == "int" and re.fullmatch(r"[-+]?[0-9]+", token):
        return " of 32 bits"
    if base in LIMITS and re.fullmatch(r"[-+]?[0-9.]+(e[-+]?[0-9]+)?", token, re.IGNORECASE):
        return f" between {LIMITS[base]}, or 0"
    return ""


def _count(kind: Type) -> str:
    least, most = kind.least, kind.most
    if least == most:
        return "1 value" if most == 1 else f"{most} values"
    return f"{least} to {most} values"


def _word(text: str, words: tuple[str, ...]) -> str:
    if text not in words:
        found = f"'{shortened(text)}'{nearest(text, words)}"
        raise MalformedError(f"one of {', '.join(words)}", found)
    return text


def _words(text: str, words: tuple[str, ...], repeats: bool) -> tuple[str, ...] | None:
    found = tuple(_split(text))
    for k, word in enumerate(found):
        _word(word, words)
        if not repeats and word in found[:k]:
            raise MalformedError("different words", f"'{word}' twice")
    return found or None
