"""Humanoid: a body of 21 joints stands, walks or runs."""

from typing import Any

import numpy as np

from mjenv.envs.suite.suite_task import (
    SuiteTask,
    Trials,
    into_frame,
    randomize_joints,
    rewarded,
    small_control,
)
from mjenv.rewards import tolerance
from mjenv.task.task import Fields, sum_squares

HEIGHT = 1.4  # m, of the head
INF = float("inf")


class Stand(SuiteTask):
    """Stand still, upright."""

    xml_file = "suite/humanoid.xml"
    frame_skip = 5
    speed = 0.0

    keep = ("xmat", "xpos", "ncon")
    _shapes = (("head_height", ()),)
    # names of parts, and which axis of the trunk is up
    _trunk, _up = "torso", 8
    _limbs: tuple[str, ...] = ("left_hand", "left_foot", "right_hand", "right_foot")

    def begin(self, world: Any, random: np.random.RandomState) -> Trials:
        touching = True
        while touching:
            randomize_joints(world, random)
            yield
            touching = world.ncon > 0

    def observation(self, data: Fields):
        trunk = self.body(self._trunk)
        frame, place = data.xmat[..., trunk, :], data.xpos[..., trunk, :]
        limbs = [data.xpos[..., self.body(name), :] - place for name in self._limbs]
        return {
            "joint_angles": data.qpos[..., 7:],
            "head_height": data.xpos[..., self.body("head"), 2:],
            "extremities": np.concatenate([into_frame(x, frame) for x in limbs], axis=-1),
            "torso_vertical": frame[..., 6:],
            "com_velocity": self.velocity(data),
            "velocity": data.qvel,
        }

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        head = data.xpos[..., self.body("head"), 2]
        up = data.xmat[..., self.body(self._trunk), self._up]
        return rewarded(
            small_control=small_control(data),
            standing=tolerance(head, (HEIGHT, INF), margin=HEIGHT / 4),
            upright=tolerance(up, (0.9, INF), 1.9, sigmoid="linear", value_at_margin=0),
            move=self.move(self.velocity(data)[..., :2]),
        )

    def move(self, velocity: Any):
        """Reward for standing still, or for moving in any direction: velocity (..., 2) to (...)."""
        if self.speed == 0:
            still = tolerance(velocity, margin=2)
            return np.add.reduce(still, axis=-1) / 2
        speed, goal = np.sqrt(sum_squares(velocity)), self.speed
        return (5 * tolerance(speed, (goal, INF), goal, "linear", 0) + 1) / 6

    def velocity(self, data: Fields):
        """Velocity of the center of mass, (..., 3) in m/s."""
        return self.sensor(data, f"{self._trunk}_subtreelinvel")


class Walk(Stand):
    """Walk upright at 1 m/s, in any direction."""

    speed = 1.0


class Run(Stand):
    """Run upright at 10 m/s, in any direction."""

    speed = 10.0


class RunPureState(Run):
    """The same, observing positions and velocities only."""

    _shapes = ()

    def observation(self, data: Fields):
        return {"position": data.qpos, "velocity": data.qvel}
