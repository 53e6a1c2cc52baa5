"""Acrobot: two poles in a chain are swung up by the motor between them."""

from typing import Any

import numpy as np

from mjenv.envs.suite.suite_task import SuiteTask, distance, rewarded
from mjenv.rewards import tolerance
from mjenv.task.task import Fields


class Swingup(SuiteTask):
    """Bring the tip to the target, 4 m above the floor; the nearer, the more reward."""

    xml_file = "suite/acrobot.xml"
    margin = 1.0

    keep = ("xmat", "site_xpos")

    def begin(self, world: Any, random: np.random.RandomState):
        world.qpos[:] = random.uniform(-np.pi, np.pi, 2)

    def observation(self, data: Fields):
        # horizontal and vertical components of both poles; they are bodies 1 and 2
        turns = data.xmat[..., 1:3, :]
        return {
            "orientations": np.concatenate((turns[..., 2], turns[..., 8]), axis=-1),
            "velocity": data.qvel,
        }

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        target, tip = (data.site_xpos[..., self.site(name), :] for name in ("target", "tip"))
        radius = self.model.site_size[self.site("target"), 0]
        return rewarded(near=tolerance(distance(target, tip), (0, radius), self.margin))


class SwingupSparse(Swingup):
    """Bring the tip into the target."""

    margin = 0.0
