"""Lists, dicts and objects of local names, which loops and branches change inside."""

from collections import deque
from dataclasses import dataclass
from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest

from mjenv.porting.checking import check
from mjenv.porting.porting import report
from tests.mjenv.porting.environments import environment, plain
from tests.mjenv.porting.test_contacts import BALLS, begins, falls, observed


class Sum:
    def __init__(self):
        self.total, self.items = 0.0, []

    def add(self, value):
        self.total += value
        self.items.append(value)

    def count(self, value):
        self.total += value
        return self.total > 0.5


@dataclass(slots=True)
class Counted:
    n: int = 0
    dist: float = 0.0


def of_box(self):
    box = self.model.geom("box").id
    return [c for c in self.data.contact if box in (c.geom1, c.geom2)]


def inside_of_objects(self, action):
    begins(self, action)
    mine, plainer, floor = Sum(), SimpleNamespace(total=0.0, n=0), self.model.geom("floor").id
    counted = Counted()
    grid = [[0.0, 0.0], [0.0, 0.0]]
    sides = {"floor": [], "other": []}
    kinds = {True: {"n": 0, "dist": 0.0}, False: {"n": 0, "dist": 0.0}}
    for contact in self.data.contact:
        low = contact.geom1 == floor
        if contact.dist < -0.001:
            mine.add(contact.dist)
            plainer.total -= contact.dist
            plainer.n += 1
            counted.n += 1
            counted.dist += contact.dist
        grid[int(low)][int(contact.dim == 4)] += contact.dist
        sides["floor" if low else "other"].append(contact.dist)
        kind = kinds[low]
        kind["n"] += 1
        kind["dist"] += contact.pos[2]
    reward = (
        counted.n
        + 0.5 * counted.dist
        + mine.total
        + len(mine.items)
        + 2 * plainer.total
        + 3 * plainer.n
        + grid[0][1]
    )
    reward += sum(grid[1]) + sum(sides["floor"]) + 5 * len(sides["other"])
    return plain(self, action, reward + kinds[True]["n"] + kinds[False]["dist"])


def filled(self, out, numbers):
    for contact in of_box(self):
        out[1] += contact.dist
        numbers["n"] += 1


def seen_by_others(self, action):
    begins(self, action)
    parts = {"sums": np.zeros(2), "numbers": [0, 0]}
    sums, numbers, rows = parts["sums"], parts["numbers"], np.zeros((2, 2))
    row = rows[0]
    for contact in of_box(self):
        parts["sums"] += contact.dist
        parts["numbers"][0] += 1
        rows[0] += contact.pos[2]
        sums = sums if contact.dist > 0 else parts["sums"]
    out, counted = np.zeros(3), {"n": 0}
    filled(self, out, counted)
    return plain(self, action, sums[1] + numbers[0] + row.sum() + 2 * out.sum() + counted["n"])


def noted(mine, value):
    if value > 0.02:
        mine.add(value)
    elif value > -0.02:
        mine.total -= 2.0 * value


def level(mine):
    return 1.0 if mine.total > 0.01 else -1.0


def of_helpers(self, action):
    self.data.ctrl[:] = action
    self.physics()
    mine, reward = Sum(), 0.0
    for value in (*self.data.qpos, *self.data.qvel):
        noted(mine, value)
        reward += level(mine)
    return plain(self, action, reward + mine.total + 3 * len(mine.items))


def of_branches(self, action):
    # names random numbers: its branches are calls
    self.data.ctrl[:] = action
    self.physics()
    mine, counts = Sum(), {"low": 0, "high": 0}
    for _ in range(2):
        drawn = self.np_random.uniform()
        if drawn > 0.5:
            counts["high"] += 1
            mine.total += drawn
        else:
            counts["low"] += 2
        if drawn > 0.9:
            break
    return plain(self, action, mine.total + counts["low"] + 10 * counts["high"])


@pytest.mark.sweep(2)
@pytest.mark.parametrize("step", [inside_of_objects, seen_by_others])
def test_objects_of_names(step):
    found = check(environment(step, falls, BALLS, observed), nseed=3, nstep=40, way="traced")
    assert not found.first
    assert found.largest == 0.0


def of_branches_within(self, action):
    self.data.ctrl[:] = action
    self.physics()
    found, counts, seen = [], {"n": 0}, set()
    for turn in range(3):
        drawn = self.np_random.uniform()
        if drawn > 0.5:
            if self.data.qpos[0] > 0:
                found.append(drawn)
                seen.add(turn)
            else:
                found.append(-drawn)
            counts["n"] += 1
        elif drawn < 0.2:
            counts["low"] = turn
            seen.add(10)
        else:
            counts["low"] = 7
    reward = len(found) + sum(found) + counts["n"] + 3 * len(seen)
    return plain(self, action, reward + counts.get("low", 0))


def put_down(numbers, at, more):
    numbers[at] += more
    return True


def of_expressions(self, action):
    self.data.ctrl[:] = action
    self.physics()
    mine, numbers, counts, array = Sum(), [0, 0, 0.0], {"n": 0}, np.zeros(2)
    put = numbers.__setitem__

    def counted(value):
        counts["n"] += value
        array[1] += value
        return value

    reward = 0.0
    for turn in range(11):
        drawn = self.np_random.uniform()
        # each part in the worlds that come to it
        reward += (counted(1.0) if drawn > 0.8 else counted(2.0)) if drawn > 0.3 else 0.25
        if drawn < 0.6 and put_down(numbers, 0, turn):
            reward += 1.0
        if drawn > 0.7 or put_down(numbers, 1, 3):
            reward -= 0.5
        if not (drawn < 0.4 and mine.count(drawn)):
            reward += 0.125
        reward += put(2, drawn) or 0.5 if drawn < 0.2 else 0.0
    return plain(self, action, reward + sum(numbers) + 10 * numbers[1] + counts["n"] + array[1])


@pytest.mark.sweep(2)
@pytest.mark.parametrize("step", [of_helpers, of_branches, of_branches_within, of_expressions])
def test_objects_that_functions_and_branches_change(step):
    found = check(environment(step), nseed=3, nstep=40, way="traced")
    assert not found.first
    assert found.largest < 1e-14


def queue_of_values(self, action):
    begins(self, action)
    last = deque(maxlen=3)
    for contact in self.data.contact:
        last.append(contact.dist)
    return plain(self, action, len(last))


def appended(self, out):
    for contact in self.data.contact:
        out.append(contact.dist)


def longer_argument(self, action):
    begins(self, action)
    out = []
    appended(self, out)
    return plain(self, action, len(out))


def two_names(self, action):
    begins(self, action)
    parts = {"found": []}
    found = parts["found"]
    for contact in self.data.contact:
        parts["found"].append(contact.dist)
    return plain(self, action, len(found))


def own_array(self, action):
    begins(self, action)
    goal = self.goal
    for contact in self.data.contact:
        goal[0] += contact.dist
    return plain(self, action, goal[0])


def in_a_comprehension(self, action):
    begins(self, action)
    found = []
    [found.append(contact.dist) for contact in self.data.contact]
    return plain(self, action, len(found))


def longer_by_an_expression(self, action):
    self.data.ctrl[:] = action
    self.physics()
    found = []
    for turn in range(11):
        _ = found.append(turn) if self.np_random.uniform() > 0.5 else None
    return plain(self, action, len(found))


def test_lists_that_expressions_make_longer_run_in_python():
    target = environment(longer_by_an_expression)
    assert report(target).way == "world by world"
    assert not check(target, nseed=2, nstep=10).first


def goes_on(self, action):
    begins(self, action)
    numbers, reward = zip(count(1), count(10)), 0.0
    for contact in self.data.contact:
        if contact.dist < 0.01:
            reward += next(numbers)[1]
    return plain(self, action, reward)


def powers():
    number = 1.0
    while True:
        yield number
        number *= 1.5


def goes_on_by_a_generator(self, action):
    begins(self, action)
    numbers, reward = powers(), 0.0
    for contact in self.data.contact:
        if contact.dist < 0.01:
            reward += next(numbers)
    return plain(self, action, reward)


REFUSED = [
    (goes_on, "an iterator that goes on in a loop"),
    (goes_on_by_a_generator, "an iterator that goes on in a loop"),
    (in_a_comprehension, "a comprehension over contacts that changes something"),
    (queue_of_values, "found deque([], maxlen=3) changed in a loop"),
    (longer_argument, "changes the length of what its function is given"),
    (two_names, "changes the length of what has another name, too"),
    (own_array, "a loop over contacts that changes the environment"),
]


@pytest.mark.parametrize(("step", "said"), REFUSED)
def test_what_cannot_be_followed_is_refused(step, said):
    assert said in str(report(environment(step, falls, BALLS, observed)))
