"""Reacher: an arm of two links brings its finger to a target."""

from typing import Any

import numpy as np

from mjenv.envs.suite.suite_task import SuiteTask, distance, randomize_joints, rewarded
from mjenv.rewards import tolerance
from mjenv.task.task import Fields


class Easy(SuiteTask):
    """Bring the finger into a target with a radius of 5 cm."""

    xml_file = "suite/reacher.xml"
    target_size = 0.05

    keep = ("geom_xpos",)
    varies = ("geom_pos",)

    def begin(self, world: Any, random: np.random.RandomState):
        randomize_joints(world, random)
        angle = random.uniform(0, 2 * np.pi)
        radius = random.uniform(0.05, 0.2)
        world.geom_pos[self.geom("target"), :2] = radius * np.sin(angle), radius * np.cos(angle)

    def observation(self, data: Fields):
        target, finger = self.places(data)
        return {"position": data.qpos, "to_target": target - finger, "velocity": data.qvel}

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        radii = self.target_size + self.model.geom_size[self.geom("finger"), 0]
        return rewarded(near=tolerance(distance(*self.places(data)), (0, radii)))

    def places(self, data: Fields):
        """Positions of target and finger, (..., 2) each in meters."""
        return [data.geom_xpos[..., self.geom(name), :2] for name in ("target", "finger")]


class Hard(Easy):
    """Bring the finger into a target with a radius of 1.5 cm."""

    target_size = 0.015
