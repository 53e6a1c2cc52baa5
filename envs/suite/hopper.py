"""Hopper: a planar leg stands or hops."""

from typing import Any

import numpy as np

from mjenv.envs.suite.suite_task import SuiteTask, randomize_joints, rewarded, small_control
from mjenv.functions import log
from mjenv.rewards import tolerance
from mjenv.task.task import Fields

HEIGHT = 0.6  # m, of the torso above the foot
SPEED = 2.0  # m/s


class Stand(SuiteTask):
    """Hold the torso 0.6 m above the foot."""

    xml_file = "suite/hopper.xml"
    frame_skip = 4

    keep = ("xipos",)

    def begin(self, world: Any, random: np.random.RandomState):
        randomize_joints(world, random)

    def observation(self, data: Fields):
        touch = [self.sensor(data, name) for name in ("touch_toe", "touch_heel")]
        return {
            "position": data.qpos[..., 1:],
            "velocity": data.qvel,
            "touch": log(1.0 + np.concatenate(touch, axis=-1)),
        }

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        return rewarded(standing=self.standing(data), small_control=small_control(data))

    def standing(self, data: Fields):
        """True where the torso is high enough, (...)."""
        torso, foot = (data.xipos[..., self.body(name), 2] for name in ("torso", "foot"))
        return tolerance(torso - foot, (HEIGHT, 2))


class Hop(Stand):
    """Move forward at 2 m/s, the torso at least 0.6 m above the foot."""

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        speed = self.sensor(data, "torso_subtreelinvel")[..., 0]
        bounds = (SPEED, float("inf"))
        fast = tolerance(speed, bounds, SPEED / 2, value_at_margin=0.5, sigmoid="linear")
        return rewarded(standing=self.standing(data), hopping=fast)
