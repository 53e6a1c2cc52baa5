"""Actions that are whole numbers: places in lists and arrays, keys of dicts, and parts of them."""

import numpy as np
import pytest
from gymnasium.spaces import Discrete, MultiDiscrete

from mjenv.porting.checking import check
from mjenv.porting.symbols.refusals import NotTraced
from mjenv.porting.vector import PortedVectorEnv
from tests.mjenv.porting.environments import environment, plain

pytest.importorskip("mujoco")
FORCES = {0: (-1.0, 3), 1: (0.0, 1), 2: (1.0, 2), 3: (0.5, 1)}
NAMED = {-1: "left", 0: "none", 1: "right"}
SIGNS = {"left": -1.0, "none": 0.0, "right": 1.0}
LEVELS = [-0.8, -0.2, 0.3, 0.9]
GRID = np.linspace(-1.0, 1.0, 12).reshape(4, 3)


def key(self, action):
    force, self.goal[0] = FORCES[int(action)]
    self.data.ctrl[0] = force
    self.physics()
    return plain(self, action, self.goal[0], FORCES.get(action, (0, 0))[1] > 2)


def place(self, action):
    self.data.ctrl[:] = LEVELS[action]
    self.physics()
    return plain(self, action, LEVELS[-action])


def row(self, action):
    self.data.ctrl[:] = GRID[action // 3, action % 3]
    self.physics()
    return plain(self, action, GRID[action // 3].sum() + self.data.qpos[0])


def word(self, action):
    self.data.ctrl[:] = SIGNS[NAMED[int(action)]]
    self.physics()
    return plain(self, action, 1.0 if action in {1, 5} else 0.0)


def function(self, action):
    def steps():
        return [1, 4, 2, 3][action]

    self.data.ctrl[:] = 0.25 * steps() - 0.5
    self.physics()
    if action == 2:
        self.count += steps()
    return plain(self, action, float(self.count))


def several(self, action):
    self.data.ctrl[:] = LEVELS[action[0]] * [0.5, -1.0][action[1]]
    self.physics()
    return plain(self, action, float(action.sum()))


CASES = {
    key: Discrete(4),
    place: Discrete(4),
    row: Discrete(12),
    word: Discrete(3, start=-1),
    function: Discrete(4),
    several: MultiDiscrete([4, 2]),
}  # fmt: skip


def of_space(step, space):
    make = environment(step)

    def other():
        made = make()
        made.action_space = space
        return made

    return other


@pytest.mark.parametrize("step", CASES)
def test_what_an_action_chooses_is_that_of_the_environment(step):
    found = check(of_space(step, CASES[step]), nseed=3, nstep=25, way="traced")
    assert not found.first
    assert found.largest < 1e-13


def many(self, action):
    self.data.ctrl[:] = {**FORCES, "none": [0.0]}[int(abs(self.data.qpos[0]))][0]
    self.physics()
    return plain(self, action)


def test_keys_that_may_be_many_are_refused():
    with pytest.raises(NotTraced, match=r"in many: found a key made of values .*\[int"):
        PortedVectorEnv(environment(many), 2, way="traced")


@pytest.mark.parametrize(
    ("step", "wrong"),
    [(place, [0, 4, 1]), (word, [-1, 0, -2]), (several, [[0, 0], [3, 2], [1, 1]])],
)
def test_actions_that_are_none_are_refused(step, wrong):
    envs = PortedVectorEnv(of_space(step, CASES[step]), 3, way="traced")
    envs.reset(seed=0)
    world = 2 if step is word else 1
    with pytest.raises(ValueError, match=rf"step: action of world {world} is .*, expected one of"):
        envs.step(np.array(wrong))


def test_actions_of_worlds_that_do_not_step_are_not_looked_at():
    envs = PortedVectorEnv(of_space(key, Discrete(3, start=1)), 3, way="traced")
    envs.reset(seed=0)
    assert len(envs.step_some(np.array([2, 3]), [0, 2])[1]) == 2
    with pytest.raises(ValueError, match="step: action of world 2 is 0, expected one of"):
        envs.step_some(np.array([2, 0]), [0, 2])
