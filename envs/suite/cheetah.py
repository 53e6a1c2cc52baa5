"""Cheetah: a planar animal runs."""

from typing import Any

import numpy as np

from mjenv.envs.suite.suite_task import SuiteTask, rewarded
from mjenv.rewards import tolerance
from mjenv.task.task import Fields

SPEED = 10.0  # m/s
SETTLING = 200  # physics steps in which it falls to the ground


class Run(SuiteTask):
    """Run forward at 10 m/s."""

    xml_file = "suite/cheetah.xml"

    def begin(self, world: Any, random: np.random.RandomState):
        limited = self.model.jnt_limited.astype(bool)
        drawn = random.uniform(*self.model.jnt_range[limited].T)
        if not self._renewed:  # whole steps from what was drawn
            world.qpos[limited] = drawn
            return SETTLING
        # the first of the steps has the accelerations of the initial state, as in the package,
        # which draws positions between the halves of a step
        world.step()
        world.qpos[:] = self.model.qpos0
        world.qpos[limited] = drawn
        world.qpos[:] += self.model.opt.timestep * world.qvel
        return SETTLING - 1

    def observation(self, data: Fields):
        return {"position": data.qpos[..., 1:], "velocity": data.qvel}

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        speed = self.sensor(data, "torso_subtreelinvel")[..., 0]
        bounds = (SPEED, float("inf"))
        fast = tolerance(speed, bounds, SPEED, value_at_margin=0, sigmoid="linear")
        return rewarded(speed=fast)
