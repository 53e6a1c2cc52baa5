"""Walker: two planar legs stand, walk or run."""

from typing import Any

import numpy as np

from mjenv.envs.suite.suite_task import SuiteTask, randomize_joints, rewarded
from mjenv.rewards import tolerance
from mjenv.task.task import Fields, flat

HEIGHT = 1.2  # m, of the torso


class Stand(SuiteTask):
    """Stand upright."""

    xml_file = "suite/walker.xml"
    frame_skip = 10
    speed = 0.0

    keep = ("xmat", "xpos")
    _shapes = (("height", ()),)

    def begin(self, world: Any, random: np.random.RandomState):
        randomize_joints(world, random)

    def observation(self, data: Fields):
        # each body turns about y: the x and z components of its x axis
        turns = data.xmat[..., 1:, :]
        return {
            "orientations": flat(np.stack((turns[..., 0], turns[..., 2]), axis=-1)),
            "height": data.xpos[..., self.body("torso"), 2:],
            "velocity": data.qvel,
        }

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        torso, inf = self.body("torso"), float("inf")
        standing = tolerance(data.xpos[..., torso, 2], (HEIGHT, inf), margin=HEIGHT / 2)
        upright = (1 + data.xmat[..., torso, 8]) / 2
        stand = (3 * standing + upright) / 4
        if self.speed == 0:
            return rewarded(stand=stand)
        speed, goal = self.sensor(data, "torso_subtreelinvel")[..., 0], self.speed
        move = tolerance(speed, (goal, inf), goal / 2, value_at_margin=0.5, sigmoid="linear")
        return rewarded(stand=stand, move=(5 * move + 1) / 6)


class Walk(Stand):
    """Walk upright at 1 m/s."""

    speed = 1.0


class Run(Stand):
    """Run upright at 8 m/s."""

    speed = 8.0
