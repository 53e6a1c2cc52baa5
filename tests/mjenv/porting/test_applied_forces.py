"""Forces that environments apply to bodies and joints: each world has its own."""

import numpy as np
import pytest

from mjenv.porting.checking import check
from tests.mjenv.porting.environments import environment, plain


def counts(self):
    self.left = 0
    self.data.xfrc_applied[:] = 0


def pushes(self, action):
    if self.left > 0:
        self.left -= 1
        if self.left == 0:
            self.data.xfrc_applied[1, :] = 0
    elif self.np_random.random() < 0.3:
        self.data.xfrc_applied[1, :2] = self.np_random.normal(size=2) * 20.0
        self.left = int(self.np_random.integers(2, 5))
    self.data.ctrl[:] = action
    self.physics()
    return plain(self, action, self.data.xfrc_applied[1, 0])


def drives(self, action):
    self.data.qfrc_applied[0] = 3.0 * action[0]
    self.physics()
    return plain(self, action, self.data.qfrc_applied.sum())


def leans(self):
    np.linalg.eigh(np.eye(2) * (1.0 + self.np_random.random()))  # which keeps it from being traced
    self.data.xfrc_applied[1, 0] = 5.0 * self.np_random.normal()


def goes_on(self, action):
    self.data.ctrl[:] = action
    self.physics()
    return plain(self, action, self.data.qvel[0])


@pytest.mark.parametrize(("step", "reset"), [(pushes, counts), (drives, None), (goes_on, leans)])
def test_forces_are_applied_to_bodies_and_joints(step, reset):
    found = check(environment(step, reset), nseed=4, nstep=30, way="traced")
    assert not found.first
    assert found.largest < 1e-13
