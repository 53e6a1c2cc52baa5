"""Both answers of every `if`: a function of symbols is run once for each way through it.

A run is told the answers for the first questions, and answers the others with True; then the last
True becomes False, until all ways are known. Results of the ways are joined by `where`, so that in
the end all is computed in every world, and each takes the way that is its own. A question that was
answered before on the same way has the same answer.

Functions that ask have their ways joined where they return: ten such calls one after the other are
twenty ways, not a thousand. That is right for functions that change nothing; others are found out,
and their ways go on to the end of the step.
"""

import linecache
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path as File
from typing import Any, NamedTuple

import numpy as np

from mjenv.porting.choices import Way, join
from mjenv.porting.symbols import Symbol, as_symbol
from mjenv.porting.watched import ModelChanged
from mjenv.tracing.arrays import TraceError

MOST = 512  # ways through a function
TOO_MANY = f"more than {MOST} ways"
_MOST_ASKED = 400  # questions on one way
_OURS = File(__file__).parents[1]


class AnotherWay(BaseException):
    """All ways have to be begun anew, as something has become known about a function."""


class _Level:
    """The ways of one function: answers that are given, and what has been asked so far."""

    def __init__(self) -> None:
        self.given: list[bool] = []
        self.questions: list[int] = []
        self.answers: list[bool] = []
        # number of the error that the way ends in, in some function that it has called; 0 for none
        self.raised: Any = 0


class Failed(NamedTuple):
    """A way that ends in an error of the package's own; numbers begin at 1."""

    number: int


class Paths:
    """Answers questions, one way after the other.

    Attributes:
        asking: functions that ask, whose ways are joined where they return.
        changing: functions that change something, or whose results cannot be joined.
        state: tells what functions might change; None while nothing is known of that.
        errors: the package's own, in which some ways end.
        folding: above 0 in loops over what a world may have (folding.py).
        effects: what may be changed under a condition (effects.py); None for nothing may.
        unfinished: whether a loop has not ended, False or a symbol.
    """

    def __init__(self) -> None:
        self._levels: list[_Level] = []
        self.asking: set[Any] = set()
        self.changing: set[Any] = set()
        self.state: Callable[[], Any] | None = None
        self.errors: list[BaseException] = []
        self.folding = 0
        self.effects: Any = None
        self.unfinished: Any = False

    @contextmanager
    def only_where(self, condition: Any) -> Iterator[None]:
        """While it lasts, what is changed, is changed in worlds where a condition is true."""
        if self.effects is None:
            before = None if self.state is None else self.state()
            yield
            if self.state is not None and self.state() != before:
                raise TraceError("found a loop or an `if` that changes something")
            return
        with self.effects.only_where(condition):
            yield

    def drawn(self) -> int:
        """How many random numbers have been asked for."""
        return 0 if self.effects is None else self.effects.drawn()

    def moves(self) -> int:
        """How often the physics have been called."""
        return 0 if self.effects is None else self.effects.moves()

    def give_up(self, condition: Any) -> None:
        """Note that a loop has not ended where a condition is true.

        Raises:
            TraceError: nobody can go on from there.
        """
        if self.effects is None or not self.effects.may_give_up:
            raise TraceError("found `while` of a value")
        self.unfinished = np.logical_or(self.unfinished, condition)

    @property
    def asked(self) -> bool:
        """True if the way has asked anything so far."""
        return any(level.questions for level in self._levels)

    @property
    def raised(self) -> Any:
        """Number of the error that functions of this way end in, a symbol or 0."""
        return self._levels[-1].raised

    def failed(self, error: BaseException) -> Failed:
        """The end of a way that an error is."""
        words = [(type(one), str(one)) for one in self.errors]
        if (type(error), str(error)) not in words:
            self.errors.append(error)
            return Failed(len(self.errors))
        return Failed(words.index((type(error), str(error))) + 1)

    def answer(self, value: int) -> bool:
        """Answer whether a value is true on this way."""
        for level in self._levels:
            if value in level.questions:
                return level.answers[level.questions.index(value)]
        level = self._levels[-1]
        place = len(level.questions)
        said = level.given[place] if place < len(level.given) else True
        if place >= _MOST_ASKED:
            raise TraceError(f"found more than {_MOST_ASKED} questions: a loop that values end")
        level.questions.append(value)
        level.answers.append(said)
        return said

    def all_ways(self, run: Callable[[], Any]) -> list[Way]:
        """Run a function once for each way through it.

        Raises:
            TraceError: there are too many.
        """
        ways: list[Way] = []
        level = _Level()
        self._levels.append(level)
        try:
            while True:
                level.questions, level.answers, level.raised = [], [], 0
                result = run()
                ways.append(Way(tuple(level.questions), tuple(level.answers), result))
                if len(ways) > MOST:
                    raise TraceError(f"found {TOO_MANY} through the step, by its `if`s")
                given = list(level.answers)
                while given and not given[-1]:
                    given.pop()
                if not given:
                    return ways
                level.given = [*given[:-1], False]
        finally:
            self._levels.pop()

    def call(self, recording: Any, function: Any, run: Callable[[], Any], given: Any) -> Any:
        """Return the result of a function of the package, its ways joined.

        Args:
            recording: of the symbols.
            function: its identity.
            run: calls it.
            given: its arguments.
        """
        if not self._levels or self.state is None or function in self.changing:
            return run()
        if function not in self.asking:
            before = sum(len(level.questions) for level in self._levels)
            result = run()
            if sum(len(level.questions) for level in self._levels) > before:
                self.asking.add(function)
                raise AnotherWay
            return result
        state = self.state(), _written(given)

        def one() -> Any:
            try:
                result = run()
            except Exception as error:
                if not self.asked or not is_own(error):
                    raise
                result = self.failed(error)
            if (self.state(), _written(given)) != state:  # type: ignore[misc]
                raise TraceError("found a function that changes something")
            return result, self.raised

        try:
            return self._joined(recording, self.all_ways(one))
        except ModelChanged:
            raise
        except Exception:
            # without joining it may be as well, or else that tells why not
            self.changing.add(function)
            raise AnotherWay from None

    def _joined(self, recording: Any, ways: list[Way]) -> Any:
        """The result of the ways of a function; errors are noted for the way that has called it."""
        whole = [way.result[0] for way in ways if not isinstance(way.result[0], Failed)]
        if not whole:
            raise TraceError("found a function that always fails")
        results, numbers = [], []
        for way in ways:
            result, raised = way.result
            failed = isinstance(result, Failed)
            results.append(way._replace(result=whole[0] if failed else result))
            numbers.append(way._replace(result=result.number if failed else raised))
        raised, level = join(recording, numbers), self._levels[-1]
        if isinstance(raised, Symbol):
            # what failed first counts
            first = as_symbol(recording, level.raised)
            level.raised = np.where(first != 0, first, raised)
        return join(recording, results)


def is_own(error: Exception) -> bool:
    """True if a line of the package has raised an error on purpose."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    line = linecache.getline(last.filename, last.lineno or 0).strip()
    plain = not isinstance(error, TraceError) and not is_ours(last.filename)
    return plain and line.startswith(("raise", "assert"))


def is_ours(filename: str) -> bool:
    """True if a file is of this package, or of numpy."""
    others = "/numpy/" in filename or "<" in filename or filename.endswith("contextlib.py")
    return others or File(filename).is_relative_to(_OURS)


def _written(value: Any) -> Any:
    """Contents of arguments, to see whether they have changed."""
    if isinstance(value, Symbol):
        return id(value), value.ids.tobytes()
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
        return id(value), value.tobytes()
    if isinstance(value, dict):
        return id(value), [(name, _written(one)) for name, one in value.items()]
    if isinstance(value, list | tuple):
        return id(value), [_written(one) for one in value]
    return id(value)
