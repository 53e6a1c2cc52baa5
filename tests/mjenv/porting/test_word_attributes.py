"""Attributes that are words, such as the name of a task: each world has its own."""

import gymnasium as gym
import numpy as np
import pytest

from mjenv.porting.checking import check
from mjenv.porting.environment.in_place import ours_by_name
from mjenv.porting.environment.original import Original
from mjenv.porting.symbols.refusals import NotTraced
from mjenv.porting.vector import PortedVectorEnv
from tests.mjenv.porting.environments import environment, plain

WEIGHTS = {"left": -1.0, "right": 2.0, "still": 0.25}


def moved(self, action):
    self.data.ctrl[:] = action
    self.physics()


def draws_a_task(self):
    self.task = [*WEIGHTS][self.np_random.integers(3)]


def chooses_a_task(self):
    self.task = str(self.np_random.choice([*WEIGHTS]))


def compares(self, action):
    moved(self, action)
    reward = 0.0
    if self.task == "left":
        reward -= self.data.qvel[0]
    elif self.task != "still":
        reward += self.data.qvel[0]
    return plain(self, action, reward, info={"task": self.task})


def looks_up(self, action):
    moved(self, action)
    reward = WEIGHTS[self.task] * self.data.qvel[0]
    reward += 3.0 * (self.task in ("left", "still")) + len(self.task)
    reward += 0.5 if self.task.startswith("l") else 0.0
    return plain(self, action, reward, info={"label": f"to the {self.task}"})


def matches(self, action):
    moved(self, action)
    match self.task:
        case "left":
            reward = 1.0
        case "right" | "up":
            reward = 2.0
        case _:
            reward = 3.0
    return plain(self, action, reward * self.data.qvel[0])


@pytest.mark.parametrize("reset", [draws_a_task, chooses_a_task])
@pytest.mark.parametrize("step", [compares, looks_up, matches])
def test_tasks_have_names(step, reset):
    found = check(environment(step, reset), nseed=4, nstep=8, way="traced")
    assert not found.first
    assert found.largest < 1e-13


def rises(self):
    self.mode, self.last = "wait", "nothing"


def changes_its_mode(self, action):
    moved(self, action)
    self.last = self.mode
    if self.mode == "wait" and self.data.qpos[0] > 0:
        self.mode = "go"
    elif self.mode == "go" and self.data.qvel[0] < 0:
        self.mode = "stop"
    worth = {"wait": 0.0, "go": 1.0, "stop": -1.0}[self.mode] * self.data.qvel[0]
    worth += self.mode == self.last
    return plain(self, action, worth, info={"mode": self.mode, "last": self.last})


def helper(self):
    if self.data.qpos[0] > 0.05:
        self.mode = "go"
    return 1.0 if self.mode == "go" else 0.0


def changes_it_in_a_function(self, action):
    moved(self, action)
    worth = helper(self)
    if self.data.qvel[0] < -0.2:
        self.mode = "wait"
    return plain(self, action, worth + (self.mode == "wait"))


@pytest.mark.parametrize("step", [changes_its_mode, changes_it_in_a_function])
def test_steps_change_words(step):
    found = check(environment(step, rises), nseed=3, nstep=40, way="traced")
    assert not found.first
    assert found.largest < 1e-13


def test_infos_are_words():
    target, nworld, nstep = environment(changes_its_mode, rises), 6, 25
    ported, single = PortedVectorEnv(target, nworld, way="traced"), Original(target, {}).env
    actions = np.random.default_rng(0).uniform(-1, 1, (nstep, nworld, 1)).astype(np.float32)
    ported.reset(seed=0)
    found = [ported.step(actions[step])[4] for step in range(nstep)]
    modes = set()
    for world in range(nworld):
        with ours_by_name():
            single.reset(seed=world)
            for step in range(nstep):
                info = single.step(actions[step, world])[4]
                mine = {name: found[step][name][world] for name in ("mode", "last")}
                assert mine == info
                modes.add(info["mode"])
    assert modes == {"wait", "go", "stop"}


def is_rarely_another(self):
    np.linalg.eigh(np.eye(2) * (1.0 + self.np_random.random()))  # which keeps it from being traced
    self.task = "rare" if self.np_random.random() < 0.1 else "usual"


def pays_what_is_rare(self, action):
    moved(self, action)
    reward = 100.0 if self.task == "rare" else 1.0
    return plain(self, action, reward, info={"task": self.task})


def test_a_word_that_was_never_seen_is_learned():
    nworld, target = 32, environment(pays_what_is_rare, is_rarely_another)
    ported, single = PortedVectorEnv(target, nworld, way="traced"), Original(target, {}).env
    ported.reset(seed=100)
    actions = np.zeros((nworld, 1), np.float32)
    _, rewards, _, _, infos = ported.step(actions)
    with ours_by_name():
        for world in range(nworld):
            single.reset(seed=100 + world)
            _, reward, _, _, info = single.step(actions[world])
            assert (rewards[world], infos["task"][world]) == (reward, info["task"])
    assert {*infos["task"]} == {"rare", "usual"}


def compares_in_a_loop(self, action):
    moved(self, action)
    reward = 0.0
    for k in range(3):
        if self.data.qpos[0] > 0.01 * k:
            reward += WEIGHTS[self.task]
    return plain(self, action, reward)


def test_a_word_is_looked_up_in_a_branch_of_each_way():
    found = check(environment(compares_in_a_loop, draws_a_task), nseed=4, nstep=20, way="traced")
    assert not found.first


def is_a_number_at_times(self):
    self.task = "left" if self.np_random.random() < 0.5 else 3


def test_a_word_or_a_number_is_refused():
    with pytest.raises((NotTraced, ValueError), match=r"self.task, which is a word at times"):
        PortedVectorEnv(environment(compares, is_a_number_at_times), 2, way="traced")


def test_a_port_of_words_is_a_vector_environment():
    ported = PortedVectorEnv(environment(compares, draws_a_task), 3, way="traced")
    assert isinstance(ported, gym.vector.VectorEnv)
    assert "self.task" in str(ported.report)
    ported.close()
