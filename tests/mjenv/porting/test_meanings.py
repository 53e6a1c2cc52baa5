"""Statements that become functions, and questions that become calls, mean what they meant."""

import contextlib
import functools
import operator
from enum import Enum

import numpy as np
import pytest

from mjenv.porting.checking import check
from mjenv.porting.porting import report
from tests.mjenv.porting.environments import environment, plain


def once(function):
    """Have statements of a function become functions: `while` is in its text."""

    @functools.wraps(function)
    def once(x):
        n = 0
        while n < 1:
            n += 1
        return 2.0 * function(x)

    return once


# ------------------------------------------------------------ functions inside


def late_in_while(x):
    total, out, k = 0.0, 0.0, 0

    def twice():
        return 2.0 * total

    while k < 3:
        total += 1.0 + x[k % 2]
        out += twice()
        k += 1
    return out


def late_in_if(x):
    k, scale, result = 0, 1.0, 0.0

    def scaled(one):
        return scale * one

    while k < 1:
        k += 1
    if x[0] > 0.0:
        scale = 2.0
        result += scaled(x[1])
    else:
        result -= scaled(3.0)
    return result + scaled(1.0)


def late_in_turns(x):
    k, made, others = 0, [], [lambda one: one * j for j in range(3)]  # noqa: B023
    while k < 1:
        k += 1
    for j in range(3):
        made.append(lambda: x[0] + j)  # noqa: B023, PERF401
    return sum(one() for one in made) + sum(one(x[1]) for one in others)


def late_in_generator(x):
    k, weight = 0, 1.0
    made = (one * weight for one in [x[0], x[1]])
    while k < 3:
        k, weight = k + 1, weight + 1.0
    return sum(made)


def names_of_all_kinds(x):
    n, found = 0, 0.0
    while n < 3:
        n += 1
        import math as maths

        try:
            int("x")
        except ValueError as error:
            found += len(error.args)
        match [n, n + 1]:
            case [2, *rest]:
                found += x[0]
            case other:
                last = other
        many: float = n * 2.0

        def inner(one: int = n) -> float:
            return one * many  # noqa: B023

    return found + maths.pi + rest[0] + last[0] + inner() + inner(2) + x[1]


# ------------------------------------------------------------ errors


def errors_leave_names(x):
    n, stage, known, items = 0, 0, {0: 1.0, 1: 2.0}, iter([1, 2, 3])
    with contextlib.suppress(StopIteration):
        while True:
            next(items)
            n += 1
    try:
        for k in range(5):
            found = known[k]
    except KeyError:
        stage = k
    try:
        if n == 3:
            stage += 10
            int("x")
    except ValueError:
        stage += 100
    return n + found + stage + x[0]


def errors_are_caught_where_they_are(x):
    k = 0
    while k < 1:
        k += 1
    try:
        if x[0] > 0.0:
            raise ValueError("far")
        found = 1.0
    except ValueError:
        found = -1.0
    try:
        found += 1.0 if x[1] > 0.0 else {}["x"]
    except KeyError:
        found += 5.0
    return found


def positive(x, k):
    if x[k] < 0.0:
        raise ValueError("below", k)
    return x[k]


def twice_positive(x, k):
    return positive(x, k) + positive(x, k)


def errors_of_functions_are_caught(x):
    found = 0.0
    try:
        found += twice_positive(x, 0)
    except ValueError as error:
        found -= len(error.args)
    for k in range(2):
        try:
            positive(x, k)
        except ValueError:
            continue
        return found + k
    return found + 5.0


def last_words(x):
    n, noted = 0, 0
    while n < 3:
        try:
            n += 1
            if n == 2:
                continue
            noted += n
        finally:
            noted += 10 * n
    for k in range(4):
        try:
            if k == 2:
                break
        finally:
            noted += k
    return noted + x[0]


def ends_of_loops(x):
    n, found = 0, 0.0
    while n < 6:
        n += 1
        if n == 1:
            continue
        if n == 2:
            found += 1.0
        elif x[0] > 0.3:
            break
    else:
        found += 5.0
    for k in range(4):
        if x[k % 2] > 0.02:
            break
        if x[k % 2] < -0.1:
            continue
        found += k
    else:
        found += 100.0
    return found + n + k


# ------------------------------------------------------------ order, and what things are


class Thing:
    __match_args__ = ("x", "on")

    def __init__(self, x, on):
        self.x, self.on = x, on


class Leg(Enum):
    LEFT = 0
    RIGHT = 1


def in_order(x):
    items, k = [1, 2], 0

    def three():
        items.append(3)
        return 3

    while k < 1:
        k += 1
    return float(three() in items) + x[0]


def identities(x):
    maybe, on = None if len(x) > 2 else x[0], len(x) == 2
    return (
        (1.0 if maybe is None else 2.0) + (10.0 if on is True else 20.0)
        + (100.0 if on is not True else 200.0) + (1e3 if operator.is_(maybe, None) else 2e3)
        + (1e4 if type(len(x)) is int else 2e4) + (1e5 if Leg.LEFT is Leg.RIGHT else 2e5)
    )  # fmt: skip


def patterns(x):
    found = 0.0
    match float(x[0]):
        case float(one) if one > 0.0:
            found += one
        case int() | str() | None:
            found += 7.0
        case _:
            found += 8.0
    match Thing(x[1], True):
        case Thing(one, True) if one > 0.0:
            found += one
        case Thing(x=one, on=True):
            found += 2.0 * one
    match {"a": x[0], "b": None}:
        case {"a": one, "b": None}:
            found += one
    match x:
        case [_, _] | True:
            found += 100.0
    return found


FUNCTIONS = [
    late_in_while, late_in_if, late_in_turns, late_in_generator, names_of_all_kinds,
    errors_leave_names, errors_of_functions_are_caught, errors_are_caught_where_they_are,
    last_words, ends_of_loops, in_order, identities, patterns,
]  # fmt: skip
DECORATED = [once(function) for function in (in_order, identities, patterns)]


class Called:
    """Functions as arguments, whose names around them change meanwhile."""

    def __init__(self, x):
        self.x = x

    def positive(self, function):
        found = function(self.x)
        return found if found > 0.0 else -2.0 * found

    def calls(self, function):
        k = 0
        while k < 1:
            k += 1
        function(1.0 if self.x[0] > 0.0 else 2.0)
        if self.x[1] > 0.0:
            function(3.0)
        return 1.0 if self.x[0] > self.x[1] else 2.0


def names_around(x):
    called, total, added = Called(x), 1.0, 0.0

    def taken(_):
        return total

    def adds(one):
        nonlocal added
        added += one

    first = called.positive(taken)
    total = x[0]
    second = called.positive(taken)
    return first + 10.0 * second + 100.0 * called.calls(adds) + 1000.0 * added


class Hidden:
    """Names of a class's own."""

    def __init__(self):
        self.__count = 0.0

    def of_class(self, x):
        k = 0
        while k < 2:
            k += 1
            self.__count = x[0] + k
        return self.__count


def asks_all(self, action):
    self.data.ctrl[:] = action
    self.physics()
    infos = {function.__name__: function(self.data.qpos) for function in FUNCTIONS}
    infos |= {f"again {k}": one(self.data.qpos) for k, one in enumerate(DECORATED)}
    return plain(
        self,
        action,
        0.0,
        False,
        infos | {"around": names_around(self.data.qpos), "own": Hidden().of_class(self.data.qpos)},
    )


def test_they_give_what_they_give_in_python():
    found = check(environment(asks_all), nseed=3, nstep=20, way="traced")
    assert not found.first
    assert found.largest < 1e-13


# ------------------------------------------------------------ what nobody can tell


def is_true(self, x):
    return 1.0 if bool(x[0] > 0) is True else 2.0


def is_not_false_in_a_lambda(self, x):
    return (lambda one: one is not False)(bool(x[0] > 0)) + 1.0


def is_true_by_name(self, x):
    return 1.0 if operator.is_(bool(x[0] > 0), True) else 2.0


def matches_true(self, x):
    match Thing(x, bool(x[0] > 0)):
        case Thing(on=True):
            return 1.0
    return 2.0


def matches_a_whole_number(self, x):
    match int(x[0] * 40):
        case int(one):
            return one
    return 2.0


def catches_all(self, x):
    try:
        return np.linalg.eigvalsh(np.eye(2) * x[0])[0]
    except Exception:
        return 0.0


def suppresses_all(self, x):
    with contextlib.suppress(Exception):
        return np.linalg.eigvalsh(np.eye(2) * x[0])[0]
    return 0.0


REFUSED = [
    (catches_all, "found numpy.eigvalsh of values"),
    (suppresses_all, "found numpy.eigvalsh of values"),
    (is_true, "found `is` of a value and True"),
    (is_not_false_in_a_lambda, "found `is` of a value and False"),
    (is_true_by_name, "found `is` of a value and True"),
    (matches_true, "found `is` of a value and True"),
    (matches_a_whole_number, "found `case int()` of a value"),
]


@pytest.mark.parametrize(("function", "reason"), REFUSED)
def test_what_nobody_can_tell_is_refused(function, reason):
    def step(self, action):
        self.data.ctrl[:] = action
        self.physics()
        return plain(self, action, function(self, self.data.qpos))

    found = report(environment(step))
    assert found.way == "world by world"
    assert reason in found.reason
