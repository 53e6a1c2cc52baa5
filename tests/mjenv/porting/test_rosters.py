"""Lists and sets of words that environments keep, of which each world has its own."""

import numpy as np
import pytest

from mjenv.porting.checking import check
from mjenv.porting.environment.in_place import ours_by_name
from mjenv.porting.environment.original import Original
from mjenv.porting.symbols.refusals import NotTraced
from mjenv.porting.vector import PortedVectorEnv
from tests.mjenv.porting.environments import environment, plain

LIMITS = {"left": -0.02, "right": 0.02, "tilted": 0.1, "fast": 0.4}


def begun(self):
    self.todo = {*LIMITS}
    self.seen, self.order = [], []


def reached(self, name):
    position, limit = self.data.qpos, LIMITS[name]
    return {
        "left": position[0] < limit,
        "right": position[0] > limit,
        "tilted": np.abs(position[1]) > limit,
        "fast": np.abs(self.data.qvel[1]) > limit,
    }[name]


def look(self):
    self.seen.clear()
    for name in LIMITS:
        if reached(self, name):
            self.seen.append(name)
    return float(len(self.seen))


def tasks(self, action):
    self.data.ctrl[:] = action
    self.physics()
    reward = look(self)
    [self.todo.discard(name) for name in self.seen]
    for name in self.seen:
        if name not in self.order:
            self.order.append(name)
        if len(self.order) == 2 and "fast" in self.order:
            reward += 0.5
    info = {
        "todo": list(self.todo), "seen": self.seen.copy(), "order": self.order,
        "whole": {*LIMITS} == self.todo,
    }  # fmt: skip
    return plain(self, action, reward, len(self.order) == len(LIMITS), info)


def forgets(self, action):
    self.data.ctrl[:] = action
    self.physics()
    if reached(self, "right") and "right" in self.todo:
        self.todo.remove("right")
        self.order.append("right")
    if reached(self, "fast"):
        if "right" in self.order:
            self.order.remove("right")
        self.order.append("late") if "late" not in self.order else None
    place = 2.0 if self.order == ["right", "late"] else 1.0
    return plain(self, action, place * len(self.order) + 10 * len(self.todo))


def made_anew(self, action):
    self.data.ctrl[:] = action
    self.physics()
    self.seen = []
    for name in ("tilted", "right"):
        self.seen.append(name)
    if reached(self, "fast"):
        self.order.append("fast") if "fast" not in self.order else None
    return plain(self, action, len(self.order), info={"both": self.seen, "order": self.order})


@pytest.mark.parametrize("step", [tasks, forgets, made_anew])
def test_lists_are_those_of_the_environment(step):
    found = check(environment(step, begun), nseed=3, nstep=40, way="traced")
    assert not found.first
    assert found.largest < 1e-13


def test_infos_are_lists_of_words_in_their_order():
    target, nworld, nstep = environment(tasks, begun), 6, 40
    ported = PortedVectorEnv(target, nworld, way="traced")
    single = Original(target, {}).env
    ported.reset(seed=0)
    rng, found = np.random.default_rng(0), []
    actions = rng.uniform(-1, 1, (nstep, nworld, 1)).astype(np.float32)
    for step in range(nstep):
        *_, terminated, _, infos = ported.step(actions[step])
        assert not terminated.any()
        found.append({name: infos[name].copy() for name in ("todo", "seen", "order", "whole")})
    orders = set()
    for world in range(nworld):
        with ours_by_name():
            single.reset(seed=world)
            for step in range(nstep):
                info = single.step(actions[step, world])[4]
                mine = {name: array[world] for name, array in found[step].items()}
                assert {*mine["todo"]} == {*info["todo"]}
                assert mine["seen"] == info["seen"]
                assert mine["order"] == info["order"]
                assert mine["whole"] == info["whole"]
        orders.add(tuple(info["order"]))
    # worlds differ, or this tests nothing
    assert len(orders) > 1
    assert max(map(len, orders)) > 1


def answers_by_ways(self, action):
    self.data.ctrl[:] = action
    self.physics()
    if reached(self, "fast"):
        self.todo.discard("fast")
    right = bool(self.data.qpos[0] > 0)
    info = {"picked": [*("left", "fast")] if right else list(self.todo)}
    return plain(self, action, len(self.todo), info=info)


def test_infos_of_several_ways_are_lists():
    target, nworld = environment(answers_by_ways, begun), 4
    ported, single = PortedVectorEnv(target, nworld, way="traced"), Original(target, {}).env
    actions = np.linspace(-1, 1, nworld, dtype=np.float32)[:, None]
    ported.reset(seed=0)
    found = [ported.step(actions)[4]["picked"] for _ in range(20)]
    several = set()
    for world in range(nworld):
        with ours_by_name():
            single.reset(seed=world)
            for step in range(20):
                picked = single.step(actions[world])[4]["picked"]
                assert {*found[step][world]} == {*picked}
                several.add(frozenset(picked))
    assert len(several) > 1


def loops_over_what_stays(self, action):
    self.data.ctrl[:] = action
    self.physics()
    for name in ("left", "right"):
        if reached(self, name) and name not in self.order:
            self.order.append(name)
    reward = 0.0
    for name in self.order:
        reward = 2.0 * reward + LIMITS[name]
    return plain(self, action, reward)


def puts_a_word_there_again(self, action):
    self.data.ctrl[:] = action
    self.physics()
    self.seen.clear()
    self.seen.append("left")
    self.seen.append("right")
    if reached(self, "fast"):
        self.seen.remove("left")
        self.seen.append("left")
    reward = 0.0
    for name in self.seen:
        reward = 2.0 * reward + LIMITS[name]
    return plain(self, action, reward)


def changes_a_copy(self, action):
    self.data.ctrl[:] = action
    self.physics()
    if reached(self, "left"):
        self.todo.discard("left")
    rest = list(self.todo)
    if reached(self, "fast"):
        rest.append("fast")
    return plain(self, action, len(rest))


@pytest.mark.parametrize(
    ("step", "words"),
    [(loops_over_what_stays, "another order in each world"),
     (puts_a_word_there_again, "another order in each world"),
     (changes_a_copy, r"copy of self.todo changed")],
)  # fmt: skip
def test_what_worlds_would_do_in_other_orders_is_refused(step, words):
    with pytest.raises((NotTraced, ValueError), match=words):
        PortedVectorEnv(environment(step, begun), 2, way="traced")


def removes(self, action):
    self.data.ctrl[:] = action
    self.physics()
    if action[0] == 0.75:
        self.todo.remove("left")
    return plain(self, action, len(self.todo))


def repeats(self, action):
    self.data.ctrl[:] = action
    self.physics()
    if action[0] == 0.75:
        self.order.append("left")
    return plain(self, action, len(self.order))


@pytest.mark.parametrize("step", [removes, repeats])
def test_what_a_world_cannot_have_ends_in_an_error(step):
    ported = PortedVectorEnv(environment(step, begun), 2, way="traced")
    ported.reset(seed=0)
    actions = np.array([[0.0], [0.75]], np.float32)
    ported.step(actions)
    with pytest.raises(ValueError, match=r"environment 1: .*not there, or put there twice"):
        ported.step(actions)
