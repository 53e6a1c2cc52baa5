"""Both answers of every `if`: a function of symbols is run once for each way through it.

A run is told the answers for the first questions, and answers the others with True; then the last
True becomes False, until all ways are known. Results of the ways are joined by `where`, so that in
the end all is computed in every world, and each takes the way that is its own. A question that was
answered before on the same way has the same answer.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from mjenv.porting.symbols import Symbol, as_symbol, has_symbols
from mjenv.tracing.arrays import BOOL, TraceError

MOST = 512  # ways through a function
_MOST_ASKED = 400  # questions on one way


class Way(NamedTuple):
    """One way through a function.

    Attributes:
        questions: numbers of the values that were asked for, in their order.
        answers: what was answered.
        result: what came of it.
    """

    questions: tuple[int, ...]
    answers: tuple[bool, ...]
    result: Any


class Paths:
    """Answers questions, one way after the other."""

    def __init__(self) -> None:
        self._given: list[bool] = []
        self._questions: list[int] = []
        self._answers: list[bool] = []

    def answer(self, value: int) -> bool:
        """True if a value is true on this way."""
        if value in self._questions:
            return self._answers[self._questions.index(value)]
        place = len(self._questions)
        said = self._given[place] if place < len(self._given) else True
        if place >= _MOST_ASKED:
            raise TraceError(f"found more than {_MOST_ASKED} questions: a loop that values end")
        self._questions.append(value)
        self._answers.append(said)
        return said

    def all_ways(self, run: Callable[[], Any]) -> list[Way]:
        """Run a function once for each way through it.

        Raises:
            TraceError: there are too many.
        """
        ways: list[Way] = []
        while True:
            self._questions, self._answers = [], []
            result = run()
            ways.append(Way(tuple(self._questions), tuple(self._answers), result))
            if len(ways) > MOST:
                raise TraceError(f"found more than {MOST} ways through the step, by its `if`s")
            given = list(self._answers)
            while given and not given[-1]:
                given.pop()
            if not given:
                return ways
            self._given = [*given[:-1], False]


def join(recording: Any, ways: list[Way], depth: int = 0) -> Any:
    """The result of several ways, each where its answers are the right ones.

    Raises:
        TraceError: results have different names, shapes or types.
    """
    if len(ways) == 1:
        return ways[0].result
    asked = ways[0].questions[depth : depth + 1]
    if not asked or any(way.questions[depth : depth + 1] != asked for way in ways):
        raise TraceError("found a step that asks something else when it is run again")
    sides = [
        join(recording, [way for way in ways if way.answers[depth] is said], depth + 1)
        for said in (True, False)
    ]
    condition = Symbol(recording, np.array(asked[0]), BOOL)
    return _choose(condition, *sides)


def _choose(condition: Symbol, one: Any, other: Any) -> Any:
    """One result or another, part by part."""
    if isinstance(one, dict) and isinstance(other, dict):
        if [*one] != [*other]:
            apart = sorted(set(one) ^ set(other))
            raise TraceError(f"found results with other names after an `if`: {apart}")
        return {name: _choose(condition, one[name], other[name]) for name in one}
    if type(one) is type(other) and isinstance(one, list | tuple) and not _plain(one, other):
        if len(one) != len(other):
            raise TraceError("found results of other lengths after an `if`")
        parts = [_choose(condition, a, b) for a, b in zip(one, other, strict=True)]
        return type(one)(*parts) if hasattr(one, "_fields") else type(one)(parts)
    if one is other:
        return one
    numbers = (int, float, bool, np.ndarray, np.generic, Symbol)
    if not isinstance(one, numbers) or not isinstance(other, numbers):
        if not has_symbols((one, other)) and _same(one, other):
            return one
        raise TraceError(f"found {one!r} or {other!r} after an `if`, expected numbers")
    recording = condition.recording
    a, b = as_symbol(recording, one), as_symbol(recording, other)
    if a.shape != b.shape:
        raise TraceError(f"found shapes {a.shape} and {b.shape} after an `if`")
    return np.where(condition, a, b)


def _plain(one: Any, other: Any) -> bool:
    """True if two lists have no numbers that differ."""
    return not has_symbols((one, other)) and _same(one, other)


def _same(one: Any, other: Any) -> bool:
    try:
        return bool(np.all(one == other))
    except Exception:
        return False
