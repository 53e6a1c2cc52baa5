"""Ball in cup: a ball on a string is caught with a cup."""

from typing import Any

import numpy as np

from mjenv.envs.suite.suite_task import SuiteTask, Trials, rewarded
from mjenv.task.task import Fields


class Catch(SuiteTask):
    """Have the ball in the cup."""

    xml_file = "suite/ball_in_cup.xml"
    frame_skip = 10

    keep = ("site_xpos", "xpos", "ncon")

    def begin(self, world: Any, random: np.random.RandomState) -> Trials:
        x, z = self.qposadr("ball_x", "ball_z")
        touching = True
        while touching:
            world.qpos[x] = random.uniform(-0.2, 0.2)
            world.qpos[z] = random.uniform(0.2, 0.5)
            yield
            touching = world.ncon > 0

    def observation(self, data: Fields):
        return {"position": data.qpos, "velocity": data.qvel}

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        target, ball = self.site("target"), self.body("ball")
        away = np.abs(data.site_xpos[..., target, ::2] - data.xpos[..., ball, ::2])
        room = self.model.site_size[target, ::2] - self.model.geom_size[self.geom("ball"), 0]
        return rewarded(caught=np.where(np.logical_and.reduce(away < room, axis=-1), 1.0, 0.0))
