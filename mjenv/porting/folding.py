"""Loops of rewritten functions, over numbers as Python runs them, or over what a world may have.

Of what a world may have, a loop's body is run for each, and changes what it changes in the worlds
that have it and have not left the loop: that is the same, number by number, as running the loop
over what a world has.
"""

from collections.abc import Callable, Iterable
from functools import partial
from itertools import repeat
from typing import Any

import numpy as np

from mjenv.porting.choices import ABSENT, choose, is_same, join
from mjenv.porting.elements import element, fresh
from mjenv.porting.rosters import Roster
from mjenv.porting.symbolic_contacts import Contacts, Possible, count_of, numbers
from mjenv.porting.symbols import Symbol, as_symbol
from mjenv.tracing.arrays import BOOL, INT, TraceError

MOST_ROUNDS = 20  # of a loop that an `if` inside it may end
MOST_TURNS = 12  # of a loop whose condition differs between worlds


class Fold:
    """Runs loops.

    Attributes:
        NEXT, BREAK, RETURN, CONTINUE: how a loop's body has ended.
        ABSENT: in the place of the value of a name that has none.
    """

    NEXT, BREAK, RETURN, CONTINUE, ABSENT = 0, 1, 2, 3, ABSENT

    def __init__(self, recording: Any):
        self._recording = recording

    @staticmethod
    def state(local: dict[str, Any], names: tuple[str, ...]) -> tuple:
        """Values of local names."""
        return tuple(local.get(name, ABSENT) for name in names)

    @staticmethod
    def returned(done: tuple) -> Any:
        """Whether a loop has ended in `return`."""
        return done[0] == Fold.RETURN

    @staticmethod
    def has_ended(done: tuple, kind: str) -> Any:
        """Whether a branch has ended in `break` or `continue`."""
        return done[0] == getattr(Fold, kind)

    @staticmethod
    def has_gone_on(done: tuple) -> Any:
        """Whether a loop has taken all its turns."""
        return done[0] == Fold.NEXT

    @staticmethod
    def ended(done: tuple, state: tuple) -> tuple:
        """How a loop's body ends whose last statement is a branch."""
        status, result, _ = done
        status = np.where(status == Fold.CONTINUE, Fold.NEXT, status)
        return status if isinstance(status, Symbol) else int(status), result, state

    # ------------------------------------------------------------ statements

    def loop(self, values: Iterable, body: Callable, state: tuple) -> tuple:
        """Run a loop; return how it has ended, with which result, and the names' values."""
        if isinstance(values, Roster):
            return self._over_words(values, body, state)
        if isinstance(values, Possible):
            return self._over_possible(values, body, state)
        status, result, active = Fold.NEXT, ABSENT, True
        for item in values:
            ended, given, new = self._where(active, body, item, state)
            state = tuple(self._chosen(active, a, b) for a, b in zip(new, state, strict=True))
            result = self._chosen(active, given, result)
            status = self._chosen(active, ended, status)
            active = self._active(True, status)
            if active is False:
                break
        return status, result, state

    def loop_while(self, asked: Callable, body: Callable, state: tuple) -> tuple:
        """Run a loop with a condition."""
        return self._turns(lambda state: bool(asked(None, state)), repeat(None), body, state)

    def loop_until(self, values: Iterable, body: Callable, state: tuple) -> tuple:
        """Run a loop that its last statement, an `if`, may break, and whose `else` fails."""
        if isinstance(values, Possible):
            raise TraceError("found a loop over contacts with `else`")
        return self._turns(lambda state: True, values, body, state)

    def _turns(
        self, asked: Callable, values: Iterable, body: Callable, state: tuple
    ) -> tuple[Any, Any, tuple]:
        """Run a loop in the worlds that go on with it, with an item for each turn."""
        status, result, active, turns = Fold.NEXT, ABSENT, True, 0
        calls = self._recording.paths.advances()
        for rounds, item in enumerate(values, 1):
            again = self._value(lambda state=state: asked(state))
            active = self._both(self._active(active, status), again)
            if active is False:
                break
            moves = self._recording.paths.advances() > calls
            if active is not True and (turns == MOST_TURNS or moves):
                # worlds that go on are left to Python
                self._recording.paths.give_up(active)
                status = self._chosen(active, Fold.BREAK, status)
                break
            turns += active is not True
            if rounds > MOST_ROUNDS and self._recording.paths.asked:
                raise TraceError("found `while` that values end by `break`")
            self._recording.paths.turning += 1
            try:
                ended, given, new = self._where(active, body, item, state)
            finally:
                self._recording.paths.turning -= 1
            state = tuple(self._chosen(active, a, b) for a, b in zip(new, state, strict=True))
            result = self._chosen(active, given, result)
            status = self._chosen(active, ended, status)
        return status, result, state

    def branch(self, condition: Any, body: Callable, other: Callable, state: tuple) -> tuple:
        """Run one of two bodies, or both where worlds differ."""
        first = self._truth(condition)
        if not isinstance(first, Symbol):
            return (body if first else other)(None, state)
        ended, given, new = self._where(first, body, None, state)
        second = np.logical_not(first)
        also_ended, also_given, also_new = self._where(second, other, None, state)
        state = tuple(self._chosen(first, a, b) for a, b in zip(new, also_new, strict=True))
        result = self._chosen(first, given, also_given)
        return self._chosen(first, ended, also_ended), result, state

    def choice(self, condition: Any, one: Callable, other: Callable) -> Any:
        """The result of one of two functions, or of both where worlds differ."""
        first = self._truth(condition)
        if not isinstance(first, Symbol):
            return (one if first else other)()
        second = np.logical_not(first)
        return self._chosen(first, self._result(first, one), self._result(second, other))

    # ------------------------------------------------------------ conditions

    def _truth(self, value: Any) -> Any:
        """Whether a condition holds: True, False, or a symbol."""
        if isinstance(value, Roster):
            value = value.any()
        if not isinstance(value, Symbol) or self._recording.numbers(value.ids) is not None:
            return bool(value)
        return value.astype(BOOL).reshape(())

    def every(self, *conditions: Callable) -> Any:
        """`a and b`, as a condition."""
        found: Any = True
        for one in conditions:
            found = self._both(found, self._result(found, lambda one=one: self._truth(one())))
            if found is False:
                break
        return found

    def some(self, *conditions: Callable) -> Any:
        """`a or b`, as a condition."""
        return self.fails(self.every(*(lambda one=one: self.fails(one()) for one in conditions)))

    def fails(self, condition: Any) -> Any:
        """`not a`, as a condition."""
        found = self._truth(condition)
        return np.logical_not(found) if isinstance(found, Symbol) else not found

    def _result(self, active: Any, function: Callable) -> Any:
        """The result of a function in the worlds in which a condition is true."""
        return self._where(active, lambda _item, _state: (Fold.NEXT, function(), ()), None, ())[1]

    def _where(self, active: Any, body: Callable, item: Any, state: tuple) -> Any:
        """Run a body in the worlds in which a condition is true: what it changes, changes there."""
        if active is True:
            return body(item, state)
        paths = self._recording.paths
        with paths.only_where(active):
            before, runs = self._outside(), 0

            def refuse() -> None:
                # other ways through it begin, and go on, where the first has begun
                if runs > 1 and self._outside() != before:
                    raise TraceError("found an `if` that changes something, and asks for values")

            def run() -> Any:
                nonlocal runs
                runs += 1
                refuse()
                return _once(body, item, state)

            found = self._value(run)
            refuse()
            return found

    @staticmethod
    def _both(one: Any, other: Any) -> Any:
        """Two conditions, of which numbers are known at once."""
        if one is False or other is False:
            return False
        return other if one is True else one if other is True else np.logical_and(one, other)

    def _over_possible(self, values: Possible, body: Callable, state: tuple) -> tuple:
        """Run a body for each thing that a world may have."""
        status, result, before = Fold.NEXT, ABSENT, self._outside()
        for there, item in values.entries:
            run = partial(_once, body, item, state)
            ended, given, new = self._value(run)
            if ended is Fold.NEXT and all(map(is_same, new, state)):
                continue
            active = self._active(there, status)
            state = tuple(self._chosen(active, a, b) for a, b in zip(new, state, strict=True))
            result = self._chosen(active, given, result)
            status = self._chosen(active, ended, status)
        self._refuse_changes(before)
        return status, result, state

    def _over_words(self, values: Roster, body: Callable, state: tuple) -> tuple:
        """Run a body for each word that a world may have, in the worlds that have it."""
        status, result = Fold.NEXT, ABSENT
        for there, word in [*values.entries]:
            active = self._active(there, status)
            if active is False:
                continue
            ended, given, new = self._where(active, body, word, state)
            state = tuple(self._chosen(active, a, b) for a, b in zip(new, state, strict=True))
            result = self._chosen(active, given, result)
            status = self._chosen(active, ended, status)
        return status, result, state

    def _active(self, there: Any, status: Any) -> Any:
        """Whether the loop gets so far in a world, and the world has the thing."""
        if not isinstance(status, Symbol):
            return there if status == Fold.NEXT else False
        return self._both(there, status == Fold.NEXT)

    # ------------------------------------------------------------ arrays and their elements

    @staticmethod
    def element(values: Any, index: Any) -> Any:
        """See `elements.element`."""
        return element(values, index)

    def fresh(self, made: Any) -> Any:
        """See `elements.fresh`."""
        return fresh(self._recording, made)

    # ------------------------------------------------------------ comprehensions

    def listed(self, values: Iterable, test: Callable | None, value: Callable) -> Any:
        """`[value(x) for x in values if test(x)]`."""
        if isinstance(values, Possible):
            return self._possible(values, test, value)
        return [value(x) for x in values if test is None or test(x)]

    def generated(self, values: Iterable, test: Callable | None, value: Callable) -> Any:
        """The same in a generator."""
        if isinstance(values, Possible):
            return self._possible(values, test, value)
        return (value(x) for x in values if test is None or test(x))

    def _possible(self, values: Possible, test: Callable | None, value: Callable) -> Possible:
        if isinstance(values, Roster):
            return self._of_words(values, test, value)
        entries, before = [], self._outside()
        for there, item in values.entries:
            if test is not None:
                passes = self._value(lambda item=item: bool(test(item)))
                if passes is False:
                    continue
                if passes is not True:
                    there = np.logical_and(there, passes)
            entries.append((there, self._value(lambda item=item: value(item))))
        self._refuse_changes(before)
        return Possible(self._recording, entries)

    def _of_words(self, values: Roster, test: Callable | None, value: Callable) -> Possible:
        entries = []
        for there, word in [*values.entries]:
            if test is not None:
                there = self._both(there, self._value(lambda word=word: bool(test(word))))
            if there is not False:
                entries.append((there, self._result(there, partial(value, word))))
        return Possible(self._recording, entries)

    # ------------------------------------------------------------ words

    @staticmethod
    def has(values: Any, item: Any) -> Any:
        """`item in values`."""
        return values.has(item) if isinstance(values, Roster) else item in values

    @staticmethod
    def lacks(values: Any, item: Any) -> Any:
        """`item not in values`."""
        there = Fold.has(values, item)
        return np.logical_not(there) if isinstance(there, Symbol) else not there

    @staticmethod
    def collected(kind: Callable, values: Any) -> Any:
        """`list(values)` and `set(values)`."""
        if isinstance(values, Roster) and kind in (list, set):
            return values.copied_as(kind)
        return kind(values)

    # ------------------------------------------------------------ ways

    def _value(self, run: Callable[[], Any]) -> Any:
        """The result of a function, its ways joined."""
        paths = self._recording.paths
        paths.folding += 1
        try:
            before, ways = paths.drawn(), paths.all_ways(run)
            if len(ways) > 1 and paths.drawn() != before:
                raise TraceError("found random numbers beside an `if` that cannot be followed")
            found = join(self._recording, ways)
            known = isinstance(found, Symbol) and found.dtype == BOOL and not found.ndim
            number = self._recording.numbers(found.ids) if known else None
            return found if number is None else bool(number)
        finally:
            paths.folding -= 1

    def _chosen(self, condition: Any, one: Any, other: Any) -> Any:
        """One value where a condition is true, else the other."""
        if condition is True or is_same(one, other):
            return one
        if condition is False:
            return other
        self._recording.paths.folding += 1
        try:
            return choose(as_symbol(self._recording, condition).astype(BOOL), one, other)
        finally:
            self._recording.paths.folding -= 1

    def _outside(self) -> Any:
        """What a body may not change: the physics, and the environment's attributes."""
        state = self._recording.paths.state
        return None if state is None else state([])

    def _refuse_changes(self, before: Any) -> None:
        if self._outside() != before:
            raise TraceError(
                "found a loop over contacts that changes the environment or its data, expected one "
                "that changes local names only"
            )


def _once(body: Callable, item: Any, state: tuple) -> Any:
    """A body run with values that nobody else changes."""
    return body(item, _copies(state))


def _copies(state: tuple) -> tuple:
    """Values that a body may change in place, as others."""
    kinds = (Symbol, np.ndarray, Possible)
    return tuple(
        one.copy() if type(one) in (list, dict, set) or type(one) in kinds else one for one in state
    )


# ------------------------------------------------------------ Python's functions of loops


def total(values: Any, start: Any = 0) -> Any:
    """`sum`, in the order of the world's things."""
    for there, value in values.entries:
        start = start + value if there is True else np.where(there, start + value, start)
    return start


def any_of(values: Possible) -> Any:
    """`any`."""
    found: Any = False
    for there, value in values.entries:
        found = np.logical_or(found, np.logical_and(there, value))
    return found


def all_of(values: Possible) -> Any:
    """`all`."""
    found: Any = True
    for there, value in values.entries:
        found = np.logical_and(found, np.logical_or(np.logical_not(there), value))
    return found


def extreme(values: Possible, better: Callable, options: dict[str, Any]) -> Any:
    """`max` and `min`, with what there is if the world has nothing."""
    if options.keys() != {"default"}:
        raise TraceError("found max or min of contacts without default, or with key")
    found, some = options["default"], False
    for there, value in values.entries:
        taken = there if some is False else np.logical_and(
            there, np.logical_or(np.logical_not(some), better(value, found))
        )  # fmt: skip
        found = np.where(taken, value, found)
        some = there if some is False else np.logical_or(some, there)
    return found


def number_of(values: Possible) -> Any:
    """`len`."""
    return count_of(values) if isinstance(values, Contacts) else values.number()


def numbered(values: Possible, start: int = 0) -> Possible:
    """`enumerate`."""
    if isinstance(values, Contacts) and start == 0:
        places = [place for _, place in numbers(values).entries]
    else:
        places, count = [], as_symbol(values.recording, start)
        for there, _ in values.entries:
            places.append(count)
            count = count + as_symbol(values.recording, there).astype(INT)
    entries = [
        (there, (place, value))
        for place, (there, value) in zip(places, values.entries, strict=True)
    ]
    return Possible(values.recording, entries)
