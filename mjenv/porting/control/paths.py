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
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path as File
from typing import Any, NamedTuple

import numpy as np

from mjenv.porting.control.held import Given, Known
from mjenv.porting.symbols.refusals import FollowAnew, MissingNumber, NoNewEpisode, TooManyWays
from mjenv.porting.symbols.symbol import Symbol, as_symbol
from mjenv.porting.varying.choices import Way, join
from mjenv.porting.varying.remembered import Remembered, Result, arrays_of, content
from mjenv.porting.varying.rosters import Roster
from mjenv.tracing.arrays import TraceError, UnknownFunction

FEW, MOST = 64, 512  # ways through a function, where it may be followed in another form, or not
_MOST_ASKED = 400  # questions on one way
_OURS = File(__file__).parents[2]


class _Call:
    """A function that is being followed: what it has asked that its callers had asked before."""

    def __init__(self, level: int):
        self.level, self.asked = level, dict[int, bool]()


class AnotherWay(BaseException):
    """All ways have to be begun anew, as something has become known about a function."""


class _ChangesSomething(Exception):
    """A function changes attributes, or fields of the data, or what it is given."""


class _Level:
    """The ways of one function: answers that are given, and what has been asked so far."""

    def __init__(self) -> None:
        self.given: list[bool] = []
        self.answers: dict[int, bool] = {}
        # answers that follow from others
        self.implied: dict[int, bool] = {}
        # number of the error that the way ends in, in some function that it has called; 0 for none
        self.raised: Any = 0

    def find(self, value: int) -> bool | None:
        """Whether a value is true, as far as it is known."""
        return self.answers.get(value, self.implied.get(value))


class Failed(NamedTuple):
    """A way that ends in an error of the package's own; numbers begin at 1."""

    number: int


class Paths:
    """Answers questions, one way after the other.

    Attributes:
        asking: functions that ask, whose ways are joined where they return.
        effective: those of them that change attributes, or fields of the data.
        changing: functions that change more, or whose results cannot be joined.
        state: tells what functions might change, and names objects that it goes by; None while
            nothing is known of that.
        live: arrays of the data and of attributes.
        touch: has the data know that they have been looked at.
        errors: the package's own, in which some ways end.
        folding: above 0 in loops over what a world may have (folding.py).
        turning: above 0 in loops that values end.
        pairs: objects that have been chosen from two others; None where that is of no matter.
        effects: what may be changed under a condition (effects.py); None for nothing may.
        unfinished: whether a loop has not ended, False or a symbol.
        made: gives a random generator that is made without a seed; None for nobody can.
        common: what stands for the random generators of modules.
        indexed: lines whose functions have values as indices, see `Original`.
        most: how many ways through a function are followed.
    """

    def __init__(self) -> None:
        self._levels: list[_Level] = []
        self.asking: set[Any] = set()
        self.effective: set[Any] = set()
        self.changing: set[Any] = set()
        self.state: Callable[[list[Any]], Any] | None = None
        self.live: Callable[[], list[np.ndarray]] = list
        self.follows: Callable[[Any], bool] = lambda value: False
        # modules that are followed
        self.is_theirs: Callable[[str], bool] = lambda module: True
        self.touch: Callable[[], None] = lambda: None
        self._calls: list[_Call] = []
        self._remembered = Remembered()
        self.errors: list[BaseException] = []
        self.folding = self.turning = 0
        self.pairs: dict[tuple, tuple] | None = None
        self.effects: Any = None
        self.unfinished: Any = False
        self.made: Callable[[str], Any] | None = None
        self.common: dict[str, Any] = {}
        self.indexed: Collection[tuple[str, int]] = ()
        self.most = MOST

    @contextmanager
    def only_where(self, condition: Any) -> Iterator[None]:
        """While it lasts, what is changed, is changed in worlds where a condition is true."""
        if self.effects is None:
            before = None if self.state is None else self.state([])
            yield
            if self.state is not None and self.state([]) != before:
                raise TraceError("found a loop or an `if` that changes something")
            return
        with self.effects.only_where(condition):
            yield

    @property
    def joins(self) -> bool:
        """True where ways must not go apart: in some of the worlds only, or in a loop."""
        within = self.effects is not None and self.effects.condition is not None
        return within or self.folding > 0 or self.turning > 0

    def drawn(self) -> int:
        """How many random numbers have been asked for."""
        return 0 if self.effects is None else self.effects.drawn()

    def advances(self) -> int:
        """How often the physics have been called by what moves a world."""
        return 0 if self.effects is None else self.effects.advances()

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
        return any(level.answers for level in self._levels)

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
        for place, level in enumerate(self._levels):
            known = level.find(value)
            if known is not None:
                self._note(value, known, place)
                return known
        level = self._levels[-1]
        place = len(level.answers)
        said = level.given[place] if place < len(level.given) else True
        if place >= _MOST_ASKED:
            raise TraceError(f"found more than {_MOST_ASKED} questions: a loop that values end")
        level.answers[value] = said
        return said

    def which(self, value: Symbol, numbers: tuple[int, ...]) -> int:
        """Which of some numbers a value is on this way."""
        questions = [int((value == number).ids.reshape(-1)[0]) for number in numbers]
        # one by one, but for the last, which is what is left
        asked = zip(questions[:-1], numbers, strict=False)
        found = next((number for question, number in asked if self.answer(question)), numbers[-1])
        level = self._levels[-1]
        for question, number in zip(questions, numbers, strict=True):
            if all(one.find(question) is None for one in self._levels):
                level.implied[question] = number == found
        return found

    def _note(self, value: int, said: bool, level: int) -> None:
        """Note for functions inside of which a question is asked that was answered before them."""
        for call in self._calls:
            if call.level > level:
                call.asked[value] = said

    def all_ways(self, run: Callable[[], Any]) -> list[Way]:
        """Run a function once for each way through it.

        Raises:
            TooManyWays: there are more than are followed.
        """
        ways: list[Way] = []
        level = _Level()
        self._levels.append(level)
        try:
            while True:
                level.answers, level.implied, level.raised = {}, {}, 0
                result = run()
                ways.append(Way(tuple(level.answers), tuple(level.answers.values()), result))
                if len(ways) > self.most:
                    raise TooManyWays(
                        f"found more than {self.most} ways through the step, by its `if`s"
                    )
                given = list(level.answers.values())
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
            before = self._nasked()
            result = run()
            if self._nasked() > before:
                self.asking.add(function)
                raise AnotherWay
            return result
        # a result that is known, of the same arguments and what the function has looked at
        kept: list[Any] = []
        state = self.state(kept)
        args = Given(given, Known(state[1], self.follows))
        # what changes something does so to the physics and generators of this run
        run_of = content(self.effects, kept) if function in self.effective else None
        key = function, self.folding > 0, state[0], args.key(kept), run_of
        known = self._remembered.find(key, self._answers())
        if known is not None:
            return self._recalled(known)
        # or all its ways, followed to their ends
        follow = self._follow_changes if function in self.effective else self._follow_values
        call, unfinished = _Call(len(self._levels)), self.unfinished
        self._calls.append(call)
        try:
            result, raised, changes = follow(recording, run, args, state)
        except (FollowAnew, UnknownFunction):
            raise
        except _ChangesSomething:
            self.effective.add(function)
            raise AnotherWay from None
        except Exception:
            # without joining it may be as well, or else that tells why not
            self.changing.add(function)
            raise AnotherWay from None
        finally:
            self._calls.pop()
        if self.unfinished is unfinished:
            made = Result(call.asked, result, raised, kept, changes)
            self._remembered.put(key, made, [*self.live(), *arrays_of(given)])
        self._raise(recording, raised)
        return result

    def _follow_values(
        self, recording: Any, run: Callable[[], Any], given: Given, state: Any
    ) -> tuple[Any, Any, Any]:
        """Follow a function that changes nothing: its result, and the error that it ends in."""

        def one() -> Any:
            result = self._outcome(run)
            if self.state([]) != state or given.is_changed():  # type: ignore[misc]
                raise _ChangesSomething
            return result, self.raised

        return *self._joined(recording, self.all_ways(one)), None

    def _follow_changes(
        self, recording: Any, run: Callable[[], Any], given: Given, _state: Any
    ) -> tuple[Any, Any, Any]:
        """Follow a function that changes attributes or fields: also what it changes."""
        effects, unfinished = self.effects, self.unfinished
        before = effects.before()

        def one() -> Any:
            effects.go_back(before)
            result = self._outcome(run)
            if isinstance(result, Failed):
                effects.go_back(before)
            if given.is_changed() or self.unfinished is not unfinished:
                raise TraceError("found a function that changes what it is given")
            return result, self.raised, effects.changes(before, arrays_of([result, given.values]))

        ways = self.all_ways(one)
        effects.go_back(before)
        changes = effects.joined(before, [way._replace(result=way.result[2]) for way in ways])
        result, raised = self._joined(recording, ways)
        effects.change(changes)
        return result, raised, changes

    def _outcome(self, run: Callable[[], Any]) -> Any:
        """The result of a way, or the error of its own that it ends in."""
        try:
            return run()
        except Exception as error:
            if not self.asked or not is_own(error):
                raise
            return self.failed(error)

    def _nasked(self) -> int:
        return sum(len(level.answers) for level in self._levels)

    def _answers(self) -> dict[int, bool]:
        """All answers of this way."""
        found: dict[int, bool] = {}
        for level in self._levels:
            found |= level.answers | level.implied
        return found

    def _recalled(self, known: Result) -> Any:
        """A result that is known already, as if the function had run."""
        for question, said in known.asked.items():
            place = next(k for k, one in enumerate(self._levels) if one.find(question) is not None)
            self._note(question, said, place)
        self.touch()
        if known.changes is not None:
            self.effects.change(known.changes)
        if isinstance(known.raised, Symbol):
            self._raise(known.raised.recording, known.raised)
        return known.value

    def _raise(self, recording: Any, raised: Any) -> None:
        """Note the error that a function ends in for the way that has called it."""
        if isinstance(raised, Symbol):
            # what failed first counts
            level = self._levels[-1]
            first = as_symbol(recording, level.raised)
            level.raised = np.where(first != 0, first, raised)

    def raise_where(self, condition: Any, error: Exception) -> None:
        """Have worlds end in an error of the package's own where a condition is true."""
        within = None if self.effects is None else self.effects.condition
        if within is not None:
            condition = np.logical_and(within, condition)
        number = self.failed(error).number
        self._raise(condition.recording, np.where(condition, number, 0))

    def note_wrong(self, places: Any) -> None:
        """End the way in an error where a list of words cannot be what it is in one world."""
        for path in places.rosters:
            roster = places.get(path)
            if not isinstance(roster, Roster) or not _may_be(roster.wrong):
                continue
            error = self.failed(ValueError(
                f"found a word removed from {roster.name} that is not there, or put there twice"
            ))  # fmt: skip
            condition = as_symbol(roster.recording, roster.wrong)
            self._raise(roster.recording, np.where(condition, error.number, 0))
            roster.wrong = False

    def _joined(self, recording: Any, ways: list[Way]) -> tuple[Any, Any]:
        """The result of the ways of a function, and the number of the error that it ends in."""
        whole = [way.result[0] for way in ways if not isinstance(way.result[0], Failed)]
        if not whole:
            raise TraceError("found a function that always fails")
        results, numbers = [], []
        for way in ways:
            result, raised, *_ = way.result
            failed = isinstance(result, Failed)
            results.append(way._replace(result=whole[0] if failed else result))
            numbers.append(way._replace(result=result.number if failed else raised))
        raised = join(recording, numbers)
        return join(recording, results), raised


def _may_be(condition: Any) -> bool:
    """True if a condition holds, or may hold in some world."""
    return isinstance(condition, Symbol) or bool(condition)


def is_own(error: Exception) -> bool:
    """True if a line of the package has raised an error on purpose, or numbers cannot be had."""
    if isinstance(error, np.linalg.LinAlgError | MissingNumber | NoNewEpisode):
        return True
    last = traceback.extract_tb(error.__traceback__)[-1]
    line = linecache.getline(last.filename, last.lineno or 0).strip()
    plain = not isinstance(error, TraceError) and not is_ours(last.filename)
    return plain and line.startswith(("raise", "assert"))


def is_ours(filename: str) -> bool:
    """True if a file is of this package, or of numpy."""
    others = "/numpy/" in filename or "<" in filename or filename.endswith("contextlib.py")
    return others or File(filename).is_relative_to(_OURS)
