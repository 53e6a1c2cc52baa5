"""Pendulum: a pole is swung up by a motor that is too weak to lift it at once."""

from typing import Any

import numpy as np

from mjenv.envs.suite.suite_task import SuiteTask, rewarded
from mjenv.rewards import tolerance
from mjenv.task.task import Fields

UPRIGHT = np.cos(np.deg2rad(8))


class Swingup(SuiteTask):
    """Swing the pole up and hold it within 8 degrees of upright."""

    xml_file = "suite/pendulum.xml"

    keep = ("xmat",)

    def begin(self, world: Any, random: np.random.RandomState):
        world.qpos[0] = random.uniform(-np.pi, np.pi)

    def observation(self, data: Fields):
        turn = data.xmat[..., self.body("pole"), :]
        return {"orientation": turn[..., [8, 2]], "velocity": data.qvel}

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        height = data.xmat[..., self.body("pole"), 8]
        return rewarded(upright=tolerance(height, (UPRIGHT, 1)))
