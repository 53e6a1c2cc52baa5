"""Loops of rewritten functions, over numbers as Python runs them, or over what a world may have.

Of what a world may have, a loop's body is run for each, and changes what it changes in the worlds
that have it and have not left the loop: that is the same, number by number, as running the loop
over what a world has. What it changes inside of lists, dicts and other objects is seen by all who
have them (`held.py`).
"""

import operator
from collections.abc import Callable, Iterable
from functools import partial
from itertools import repeat
from typing import Any

import numpy as np

from mjenv.porting.control.held import Held, Known, State
from mjenv.porting.control.identity import Identity
from mjenv.porting.symbols.refusals import NotTraced, RaisedInside
from mjenv.porting.symbols.symbol import Symbol, as_symbol
from mjenv.porting.varying.choices import ABSENT, Way, choose, is_same, join
from mjenv.porting.varying.elements import element, fresh
from mjenv.porting.varying.histories import History
from mjenv.porting.varying.registers import Register
from mjenv.porting.varying.rosters import Roster
from mjenv.porting.varying.symbolic_contacts import Possible
from mjenv.porting.varying.words import Word
from mjenv.tracing.arrays import BOOL, TraceError

MOST_ROUNDS = 20  # of a loop that an `if` inside it may end
MOST_TURNS = 12  # of a loop whose condition differs between worlds


class Fold(Identity):
    """Runs loops.

    Attributes:
        NEXT, BREAK, RETURN, CONTINUE: how a loop's body has ended.
        ABSENT: in the place of the value of a name that has none.
    """

    NEXT, BREAK, RETURN, CONTINUE, ABSENT = 0, 1, 2, 3, ABSENT

    def __init__(self, recording: Any):
        self._recording = recording
        # objects that have been replaced, and by what
        self._replaced: dict[int, tuple[Any, Any]] = {}

    @staticmethod
    def state(local: dict[str, Any], names: tuple[str, ...], given: tuple[str, ...]) -> State:
        """Values of local names."""
        found = State(local.get(name, ABSENT) for name in names)
        # but for names that rewriting has made
        others = local.keys() - {*names, *(n for n in local if n.startswith("__mjenv_"))}
        found.others = tuple(local[name] for name in sorted(others))
        found.given = tuple(local[name] for name in given if name in local)
        return found

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
        if isinstance(values, Roster | History):
            return self._over_words(values, body, state)
        if isinstance(values, Possible):
            return self._over_possible(values, body, state)
        status, result, active = Fold.NEXT, ABSENT, True
        first = state
        for item in values:
            ended, given, state = self._where(active, body, item, state)
            result = self._chosen(active, given, result)
            status = self._chosen(active, ended, status)
            active = self._active(True, status)
            if active is False:
                break
        return status, result, self._left(first, state)

    def loop_while(self, asked: Callable, body: Callable, state: tuple) -> tuple:
        """Run a loop with a condition."""
        return self._turns(asked, repeat(None), body, state)

    def loop_until(self, values: Iterable, body: Callable, state: tuple) -> tuple:
        """Run a loop that its last statement, an `if`, may break, and whose `else` fails."""
        if isinstance(values, Possible):
            raise TraceError("found a loop over contacts with `else`")
        return self._turns(None, values, body, state)

    def _turns(
        self, asked: Callable | None, values: Iterable, body: Callable, state: tuple
    ) -> tuple[Any, Any, tuple]:
        """Run a loop in the worlds that go on with it, with an item for each turn.

        Args:
            asked: its condition, which is asked before each turn; None: it has none.
            values: the items.
            body: a function of an item and the values of names.
            state: those values.
        """
        status, result, active, turns = Fold.NEXT, ABSENT, True, 0
        calls, first = self._recording.paths.advances(), state
        for rounds, item in enumerate(values, 1):
            active = self._active(active, status)
            if asked is not None and active is not False:
                again, state = self._again(active, asked, state)
                active = self.both(active, again)
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
                ended, given, state = self._where(active, body, item, state)
            finally:
                self._recording.paths.turning -= 1
            result = self._chosen(active, given, result)
            status = self._chosen(active, ended, status)
        return status, result, self._left(first, state)

    def _again(self, active: Any, asked: Callable, state: tuple) -> tuple[Any, tuple]:
        """Whether a loop's condition holds, and the values of names behind it."""
        held = self._known(self._outside()).held(None, state)

        def holds(item: Any, state: tuple) -> bool:
            return bool(asked(item, state))

        if active is True:
            holding, changed = self._changing(partial(holds, None, state), held)
        else:
            holding, changed = self._run(active, holds, None, state, held)
        if changed:
            state = self._chosen_state(active, held, (changed, {}), (state, state), ())
        return self._settled(holding), state

    def branch(self, condition: Any, body: Callable, other: Callable, state: tuple) -> tuple:
        """Run one of two bodies, or both where worlds differ."""
        first = self._truth(condition)
        if not isinstance(first, Symbol):
            return (body if first else other)(None, state)
        held = self._known(self._outside()).held(None, state)
        one, changed = self._run(first, body, None, state, held)
        two, also_changed = self._run(np.logical_not(first), other, None, state, held)
        ended, result = (self._chosen(first, a, b) for a, b in zip(one[:2], two[:2], strict=True))
        left = self._chosen_state(first, held, (changed, also_changed), (one[2], two[2]), state)
        return ended, result, self._left(state, left)

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
        if isinstance(value, Roster | History):
            value = value.any()
        if not isinstance(value, Symbol) or self._recording.numbers(value.ids) is not None:
            return bool(value)
        return value.astype(BOOL).reshape(())

    def every(self, *conditions: Callable) -> Any:
        """`a and b`, as a condition."""
        found: Any = True
        for one in conditions:
            if found is True:
                found = self._truth(one())
            else:
                found = self.both(found, self._truth(self._result(found, one)))
            if found is False:
                break
        return found

    def some(self, *conditions: Callable) -> Any:
        """`a or b`, as a condition."""
        return self.fails(self.every(*(lambda one=one: self.fails(one()) for one in conditions)))

    def compared(self, names: tuple[str, ...], first: Callable, *others: Callable) -> Any:
        """`a < b < c`, by the names of the operators' functions."""
        left, found = first(), True
        for name, other in zip(names, others, strict=True):
            right = self._result(found, other) if isinstance(found, Symbol) else other()
            one = getattr(operator, name)(left, right)
            one = self._truth(one) if isinstance(one, Symbol) else one
            if not isinstance(one, Symbol) and not one:
                return one
            found = self.both(found, one) if isinstance(found, Symbol) else one
            left = right
        return found

    def fails(self, condition: Any) -> Any:
        """`not a`, as a condition."""
        found = self._truth(condition)
        return np.logical_not(found) if isinstance(found, Symbol) else not found

    def _result(self, active: Any, function: Callable) -> Any:
        """The result of a part of an expression in the worlds in which a condition is true."""
        replaced = len(self._replaced)

        def body(item: Callable, state: tuple) -> tuple:
            return Fold.NEXT, item(), state

        _, found, _ = self._where(active, body, function, ())
        if len(self._replaced) > replaced:
            # names of the function around it cannot be given others
            raise TraceError(
                "found a part of an expression that changes the length of something in some "
                "worlds; an `if` statement may"
            )
        return found

    def _where(self, active: Any, body: Callable, item: Any, state: tuple) -> Any:
        """Run a body in the worlds in which a condition is true: what it changes, changes there."""
        if active is True:
            return body(item, state)
        held = self._known(self._outside()).held(item, state)
        (ended, given, new), changed = self._run(active, body, item, state, held)
        return ended, given, self._chosen_state(active, held, (changed, {}), (new, state), (item,))

    def _run(self, active: Any, body: Callable, item: Any, state: tuple, held: Held) -> Any:
        """Run a body in some worlds; also what it leaves inside of objects, which are as before."""
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
                return body(item, state)

            found = self._changing(run, held)
            refuse()
        return found

    @staticmethod
    def both(one: Any, other: Any) -> Any:
        """Two conditions, of which numbers are known at once."""
        if one is False or other is False:
            return False
        return other if one is True else one if other is True else np.logical_and(one, other)

    def _over_possible(self, values: Possible, body: Callable, state: tuple) -> tuple:
        """Run a body for each thing that a world may have."""
        status, result, before, first = Fold.NEXT, ABSENT, self._outside(), state
        known = self._known(before)
        for there, item in values.entries:
            held = known.held(item, state)
            (ended, given, new), changed = self._changing(partial(body, item, state), held)
            if ended is Fold.NEXT and not changed and all(map(is_same, new, state)):
                continue
            active = self._active(there, status)
            state = self._chosen_state(active, held, (changed, {}), (new, state), (item,))
            result = self._chosen(active, given, result)
            status = self._chosen(active, ended, status)
        self._refuse_changes(before)
        return status, result, self._left(first, state)

    def _over_words(self, values: Roster | History, body: Callable, state: tuple) -> tuple:
        """Run a body for each word or element that a world may have, in the worlds that have it."""
        status, result, first = Fold.NEXT, ABSENT, state
        for there, word in [*values.entries]:
            active = self._active(there, status)
            if active is False:
                continue
            ended, given, state = self._where(active, body, word, state)
            result = self._chosen(active, given, result)
            status = self._chosen(active, ended, status)
        return status, result, self._left(first, state)

    def _active(self, there: Any, status: Any) -> Any:
        """Whether the loop gets so far in a world, and the world has the thing."""
        if not isinstance(status, Symbol):
            return there if status == Fold.NEXT else False
        return self.both(there, status == Fold.NEXT)

    # ------------------------------------------------------------ arrays and their elements

    @staticmethod
    def element(values: Any, index: Any) -> Any:
        """See `elements.element`."""
        return element(values, index)

    @staticmethod
    def changed(values: Any, index: Any, name: str, value: Any) -> None:
        """`values[index] += value` and the like, by the name of the operator's function."""
        found = getattr(operator, name)(element(values, index), value)
        values[index] = found

    def fresh(self, made: Any) -> Any:
        """See `elements.fresh`."""
        return fresh(self._recording, made)

    # ------------------------------------------------------------ comprehensions

    def listed(self, values: Iterable, test: Callable | None, value: Callable) -> Any:
        """`[value(x) for x in values if test(x)]`."""
        if isinstance(values, Possible):
            return self._possible(values, test, value)
        return [value(x) for x in values if test is None or test(x)]

    def collection(self, values: Iterable, test: Callable | None, value: Callable) -> Any:
        """The same in a set."""
        found = self.listed(values, test, value)
        return Roster.of_possible(found) if isinstance(found, Possible) else {*found}

    def table(self, values: Iterable, test: Callable | None, value: Callable) -> Any:
        """The same of pairs, in a dict."""
        found = self.listed(values, test, value)
        if not isinstance(found, Possible):
            return dict(found)
        made: Any = {}
        for there, (name, one) in found.entries:
            more = made.copy()
            more[name] = one
            made = self._chosen(there, more, made)
        return made

    def generated(self, values: Iterable, test: Callable | None, value: Callable) -> Any:
        """The same in a generator."""
        if isinstance(values, Possible):
            return self._possible(values, test, value)
        return (value(x) for x in values if test is None or test(x))

    def _possible(self, values: Possible, test: Callable | None, value: Callable) -> Possible:
        if isinstance(values, Roster):
            return self._of_words(values, test, value)
        entries, before = [], self._outside()
        held = self._known(before).held((test, value), ())

        def given(run: Callable[[], Any]) -> Any:
            found, changed = self._changing(run, held)
            if changed:
                raise TraceError("found a comprehension over contacts that changes something")
            return found

        for there, item in values.entries:
            if test is not None:
                passes = self._truth(given(lambda item=item: bool(test(item))))
                if passes is False:
                    continue
                if passes is not True:
                    there = np.logical_and(there, passes)
            entries.append((there, given(lambda item=item: value(item))))
        self._refuse_changes(before)
        return Possible(self._recording, entries)

    def _of_words(self, values: Roster, test: Callable | None, value: Callable) -> Possible:
        entries = []
        for there, word in [*values.entries]:
            if test is not None:
                there = self.both(there, self._truth(self._result(there, partial(test, word))))
            if there is not False:
                entries.append((there, self._result(there, partial(value, word))))
        return Possible(self._recording, entries)

    # ------------------------------------------------------------ words

    @staticmethod
    def has(item: Any, values: Any) -> Any:
        """`item in values`."""
        if isinstance(values, Roster | Register):
            return values.has(item)
        differs = isinstance(item, Word) or (isinstance(item, Symbol) and not item.ndim)
        if not differs or not isinstance(values, tuple | list | set | frozenset | range):
            return item in values
        # no question for each of them
        found: Any = False
        for one in values:
            found = np.logical_or(found, item == one)
        return found

    @staticmethod
    def lacks(item: Any, values: Any) -> Any:
        """`item not in values`."""
        there = Fold.has(item, values)
        return np.logical_not(there) if isinstance(there, Symbol) else not there

    @staticmethod
    def collected(kind: Callable, values: Any) -> Any:
        """`list(values)`, `set(values)` and `frozenset(values)`."""
        if isinstance(values, Possible) and kind in (set, frozenset):
            return Roster.of_possible(values)
        if isinstance(values, Roster) and kind is list:
            return values.copied_as(list)
        return kind(values)

    # ------------------------------------------------------------ ways

    def _changing(self, run: Callable[[], Any], held: Held) -> tuple[Any, dict[int, Any]]:
        """The result of a body, and what it leaves inside of objects, which are as before."""

        def one() -> Any:
            result = run()
            return result, held.undone()

        def joined(ways: list[Way]) -> Any:
            names = dict.fromkeys(key for way in ways for key in way.result[1])
            # on a way that does not change an object it is as before
            ways = [
                way._replace(result=(
                    way.result[0], {k: way.result[1].get(k, held.before[k]) for k in names}
                ))
                for way in ways
            ]  # fmt: skip
            return join(self._recording, ways)

        return self._joined(one, joined)

    def _joined(self, run: Callable[[], Any], joined: Callable[[list[Way]], Any]) -> Any:
        """Run a function once for each way; what its ways are joined to."""
        paths = self._recording.paths
        paths.folding += 1
        try:
            before, ways = paths.drawn(), paths.all_ways(run)
            if len(ways) > 1 and paths.drawn() != before:
                raise TraceError("found random numbers beside an `if` that cannot be followed")
            return joined(ways)
        except (TraceError, NotTraced):
            raise
        except Exception as error:
            raise RaisedInside from error
        finally:
            paths.folding -= 1

    def _settled(self, condition: Any) -> Any:
        """A condition, True or False where that is known."""
        known = isinstance(condition, Symbol) and condition.dtype == BOOL and not condition.ndim
        number = self._recording.numbers(condition.ids) if known else None
        return condition if number is None else bool(number)

    # ------------------------------------------------------------ what names lead to

    def _known(self, outside: Any) -> Known:
        """What is looked into, besides what is noted as the environment's own."""
        return Known(() if outside is None else outside[1], self._recording.paths.follows)

    def _chosen_state(
        self,
        condition: Any,
        held: Held,
        changed: tuple[dict[int, Any], dict[int, Any]],
        states: tuple[tuple, tuple],
        more: tuple,
    ) -> tuple:
        """Values of names as one body leaves them where a condition is true, or else another.

        Args:
            condition: a symbol, True or False.
            held: the objects that names lead to, in which there is what is chosen afterwards.
            changed: what each of the two leaves in them.
            states: values of names behind each of them.
            more: values that lead to objects, too.
        """
        paths = self._recording.paths
        # what is one object for two names stays one
        outer, paths.pairs = paths.pairs, {}
        try:
            keys, before = dict.fromkeys((*changed[0], *changed[1])), held.before
            others = held.change({
                key: self._chosen(condition, *(one.get(key, before[key]) for one in changed))
                for key in keys
            })  # fmt: skip
            if others:
                self._replaced.update(others)
                held.known.replace((*states[0], *states[1], *more), others)
            pairs = zip(*(_in_place(one, others) for one in states), strict=True)
            return tuple(self._chosen(condition, a, b) for a, b in pairs)
        finally:
            paths.pairs = outer

    def _left(self, state: tuple, new: tuple) -> tuple:
        """Values of names behind a statement, of which nobody else has what has been replaced."""
        if self._replaced and isinstance(state, State):
            self._known(self._outside()).refuse(state, self._replaced)
        return new

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


def _in_place(state: tuple, others: dict[int, tuple[Any, Any]]) -> tuple:
    """Values of names, those that have been replaced by what is in their place."""
    return tuple(others[id(x)][1] if id(x) in others else x for x in state)
