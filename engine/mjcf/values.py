"""Attribute text to values, with MuJoCo's rules for numbers and words."""

import math

from .schema import Type


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
        str, float or int, or a tuple of them where the type takes several; None for real numbers
        when the text is blank, which counts as absent.

    Raises:
        MalformedError: the text does not fit.
    """
    if kind.base == "text":
        return text if kind.single else tuple(text.split())
    if kind.base == "word":
        return _word(text, kind.words)
    if kind.base in ("words", "series"):
        return _words(text, kind.words, kind.base == "series")
    number = _real if kind.base == "real" else _int
    try:
        values = tuple(map(number, text.split()))
    except ValueError:
        raise _bad_number(text, number, kind.base) from None
    if not values:
        if kind.base == "int" and kind.single:
            raise MalformedError("an integer", "nothing")
        return None
    if len(values) < kind.least or (kind.most is not None and len(values) > kind.most):
        raise MalformedError(_count(kind), str(len(values)))
    return values[0] if kind.single else values


def _real(text: str) -> float:
    """As strtod in the C locale: also hexadecimal, never with underscores."""
    if "_" in text:
        raise ValueError
    try:
        x = float(text)
    except ValueError:
        if "x" not in text.lower():
            raise
        x = float.fromhex(text)
    if math.isinf(x) and "n" not in text.lower():
        raise ValueError
    return x


def _int(text: str) -> int:
    if "_" in text:
        raise ValueError
    n = int(text)
    if not -(2**31) <= n < 2**31:
        raise ValueError
    return n


def _bad_number(text: str, number, base: str) -> MalformedError:
    kind = "number" if base == "real" else "integer"
    for token in text.split():
        try:
            number(token)
        except ValueError:  # noqa: PERF203 (the first one ends it)
            return MalformedError(f"{'an' if base == 'int' else 'a'} {kind}", f"'{token}'")
    return MalformedError(f"{kind}s", f"'{text}'")


def _count(kind: Type) -> str:
    least, most = kind.least, kind.most
    if least == most:
        return "1 value" if most == 1 else f"{most} values"
    return f"{least} to {most} values"


def _word(text: str, words: tuple[str, ...]) -> str:
    if text not in words:
        raise MalformedError(f"one of {', '.join(words)}", f"'{text}'")
    return text


def _words(text: str, words: tuple[str, ...], repeats: bool) -> tuple[str, ...]:
    found = tuple(text.split())
    for k, word in enumerate(found):
        _word(word, words)
        if not repeats and word in found[:k]:
            raise MalformedError("different words", f"'{word}' twice")
    return found
