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
from functools import cache, wraps
from inspect import getsource, isgeneratorfunction, unwrap
from pathlib import Path as File
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import numpy as np

from mjenv.porting.choices import Way, join
from mjenv.porting.rewriting import names_in, rewritten
from mjenv.porting.symbols import Symbol, as_symbol
from mjenv.porting.watched import ModelChanged
from mjenv.tracing.arrays import TraceError

MOST = 512  # ways through a function
TOO_MANY = f"more than {MOST} ways"
_CONTACTS = frozenset(("contact", "ncon"))  # fields of functions whose loops are rewritten
_RANDOM = frozenset(("np_random",))
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


@contextmanager
def joining(recording: Any, original: Any, branches: bool = False) -> Iterator[None]:
    """While it lasts, functions and methods of the environment's package have their ways joined.

    Args:
        recording: of the symbols.
        original: the environment.
        branches: whether each `if` is followed both ways where it stands, instead of to the end.
    """
    held: list[tuple[Any, str, Any]] = []
    owners = [(space, space) for space in original.spaces]
    for owner, members in (*owners, *((kind, vars(kind)) for kind in original.kinds())):
        held += [
            (owner, n, v) for n, v in members.items()
            if _is_joinable(v, original) or _is_looping_property(v)
        ]  # fmt: skip
    for cell in _cells([value for _, _, value in held], original):
        held.append((cell, "cell_contents", cell.cell_contents))
    for owner, name, value in held:
        _put(owner, name, _joined(recording, value, branches))
    try:
        yield
    finally:
        for owner, name, value in held:
            _put(owner, name, value)


def _cells(functions: list[Any], original: Any) -> list[Any]:
    """Where functions keep functions of the package that they call, as decorators do."""
    found: dict[int, Any] = {}
    waiting = [*functions]
    while waiting:
        one = waiting.pop()
        one = one.__func__ if isinstance(one, staticmethod) else one
        for cell in getattr(one, "__closure__", None) or ():
            try:
                inner = cell.cell_contents
            except ValueError:
                continue
            if id(cell) not in found and _is_joinable(inner, original):
                found[id(cell)] = cell
                waiting.append(inner)
    return [*found.values()]


def _put(owner: Any, name: str, value: Any) -> None:
    if isinstance(owner, dict):
        owner[name] = value
    else:
        setattr(owner, name, value)


def _is_joinable(value: Any, original: Any) -> bool:
    """True for functions and static methods of the package, but for those of Python's own names."""
    function = value.__func__ if isinstance(value, staticmethod) else value
    if not isinstance(function, FunctionType) or isgeneratorfunction(function):
        return False
    return not function.__name__.startswith("__") and original.is_theirs(function.__module__)


def _loops(function: Any) -> bool:
    """True for functions that name contacts, whose loops are rewritten."""
    return bool(names_in(function.__code__) & _CONTACTS)


def _draws(function: Any) -> bool:
    """True for functions that name random numbers, or with `while`, whose branches are, too."""
    if names_in(function.__code__) & _RANDOM:
        return True
    return _has_while(getattr(unwrap(function), "__code__", None))


@cache
def _has_while(code: CodeType | None) -> bool:
    """True if the text of a function has `while` in it."""
    try:
        return code is not None and "while " in getsource(code)
    except OSError:
        return False


def _made_calls(function: Any, branches: bool) -> Any:
    """A function with its loops, and where that matters its branches, as calls."""
    if branches or _draws(function):
        return rewritten(function, True)
    return rewritten(function) if _loops(function) else function


def _is_looping_property(value: Any) -> bool:
    getter = value.fget if isinstance(value, property) else None
    return isinstance(getter, FunctionType) and _loops(getter)


def _joined(recording: Any, value: Any, branches: bool) -> Any:
    if isinstance(value, staticmethod):
        return staticmethod(_joined(recording, value.__func__, branches))
    if isinstance(value, property):
        assert isinstance(value.fget, FunctionType)
        return property(rewritten(value.fget), value.fset, value.fdel, value.__doc__)
    inner = _made_calls(value, branches)

    @wraps(value)
    def call(*args: Any, **options: Any) -> Any:
        given = (args, options)
        return recording.paths.call(recording, value, lambda: inner(*args, **options), given)

    return call


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
