"""Pusher: an arm of seven joints pushes a disk to its place."""

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv.task.task import Fields, Outcome, Task, sum_squares

if TYPE_CHECKING:
    from mjenv.task.random_streams import Streams

CAMERA = {"trackbodyid": -1, "distance": 4.0}


class Pusher(Task):
    """Push the disk onto the goal, with small controls (Gymnasium's Pusher-v5).

    Positions of bodies are those at the start of the last physics step.
    """

    xml_file = "pusher_v5.xml"
    frame_skip = 5
    default_camera_config = CAMERA
    reward_near_weight = 0.5
    reward_dist_weight = 1
    reward_control_weight = 0.1

    keep = ("xpos",)

    def reset(self, rng: "Streams"):
        disk = rng.each(_disk)
        qpos = np.broadcast_to(self.init_qpos, (*disk.shape[:-1], self.model.nq)).copy()
        qpos[..., -4:-2] = disk
        qpos[..., -2:] = 0.0
        qvel = self.init_qvel + rng.uniform(-0.005, 0.005, self.model.nv)
        qvel[..., -4:] = 0.0
        return qpos, qvel

    def observation(self, data: Fields):
        return {
            "qpos": data.qpos[..., :7],
            "qvel": data.qvel[..., :7],
            **{name: data.xpos[..., id, :] for name, id in self.bodyids.items()},
        }

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        fork, disk, goal = (data.xpos[..., id, :] for id in self.bodyids.values())
        to_goal = np.sqrt(sum_squares(disk - goal))
        to_fork = np.sqrt(sum_squares(disk - fork))
        reward = {
            "reward_dist": -self.reward_dist_weight * to_goal,
            "reward_ctrl": -self.reward_control_weight * sum_squares(action),
            "reward_near": -self.reward_near_weight * to_fork,
        }
        return Outcome(reward)

    def goal_pos(self, data: Fields):
        """Position of the goal, (..., 2) in meters."""
        return data.qpos[..., -2:]

    @cached_property
    def bodyids(self):
        """Names and numbers of the bodies whose positions are observed, in this order."""
        return {name: self.model.body(name).id for name in ("tips_arm", "object", "goal")}


def _disk(generator: Any):
    """Return the initial position of the disk, (2,), at least 0.17 m from the goal."""
    while True:
        x, y = generator.uniform(-0.3, 0.0), generator.uniform(-0.2, 0.2)
        disk = np.array((x, y))
        if np.sqrt(sum_squares(disk)) > 0.17:
            return disk
