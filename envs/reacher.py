"""Reacher: an arm of two links brings its fingertip to a target."""

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv.functions import cos, sin
from mjenv.task.task import Fields, Outcome, Task, sum_squares

if TYPE_CHECKING:
    from mjenv.task.random_streams import Streams

CAMERA = {"trackbodyid": 0}


class Reacher(Task):
    """Bring the fingertip to the target, with small controls (Gymnasium's Reacher-v5).

    Positions of fingertip and target are those of the last stage of the integrator.
    """

    xml_file = "reacher.xml"
    frame_skip = 2
    default_camera_config = CAMERA
    reward_dist_weight = 1
    reward_control_weight = 1

    keep = ("xpos",)

    def reset(self, rng: "Streams"):
        qpos = rng.uniform(-0.1, 0.1, self.model.nq) + self.init_qpos
        qpos[..., -2:] = rng.each(_goal)
        qvel = self.init_qvel + rng.uniform(-0.005, 0.005, self.model.nv)
        qvel[..., -2:] = 0.0
        return qpos, qvel

    def observation(self, data: Fields):
        angles = data.qpos[..., :2]
        return {
            "cos": cos(angles),
            "sin": sin(angles),
            "target": data.qpos[..., 2:],
            "qvel": data.qvel[..., :2],
            "away": self.away(data)[..., :2],
        }

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        reward = {
            "reward_dist": -self.reward_dist_weight * np.sqrt(sum_squares(self.away(data))),
            "reward_ctrl": -self.reward_control_weight * sum_squares(action),
        }
        return Outcome(reward)

    def away(self, data: Fields):
        """From the target to the fingertip, (..., 3) in meters."""
        fingertip, target = self.bodyids
        return data.xpos[..., fingertip, :] - data.xpos[..., target, :]

    def goal(self, data: Fields):
        """Position of the target, (..., 2) in meters."""
        return data.qpos[..., 2:]

    @cached_property
    def bodyids(self):
        """Numbers of the bodies fingertip and target."""
        return tuple(self.model.body(name).id for name in ("fingertip", "target"))


def _goal(generator: Any):
    """A target (2,) uniform within 0.2 m of the arm's root."""
    while True:
        goal = generator.uniform(-0.2, 0.2, 2)
        if np.sqrt(sum_squares(goal)) < 0.2:
            return goal
