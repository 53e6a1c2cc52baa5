"""Fish: it rights itself, or swims to a target."""

from typing import Any

import numpy as np

from mjenv.envs.suite.suite_task import SuiteTask, into_frame, rewarded
from mjenv.rewards import tolerance
from mjenv.task.task import Fields, Outcome, sum_squares


class Upright(SuiteTask):
    """Keep the back up."""

    xml_file = "suite/fish.xml"
    frame_skip = 10

    keep = ("xmat",)
    _shapes = (("upright", ()),)

    def edit(self):
        self.model.geom_rgba[self.geom("target"), 3] = 0

    def begin(self, world: Any, random: np.random.RandomState):
        turn = random.randn(4)
        world.qpos[3:7] = turn / np.sqrt(sum_squares(turn))
        world.qpos[7:] = random.uniform(-0.2, 0.2, 7)

    def observation(self, data: Fields):
        return {
            "joint_angles": data.qpos[..., 7:],
            "upright": self.upright(data)[..., None],
            "velocity": data.qvel,
        }

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        return rewarded(upright=tolerance(self.upright(data), (1, 1), margin=1))

    def upright(self, data: Fields):
        """Cosine of the angle between the back and the vertical, (...)."""
        return data.xmat[..., self.body("torso"), 8]


class Swim(Upright):
    """Swim to a target, the back up."""

    keep = ("xmat", "geom_xpos", "geom_xmat")
    varies = ("geom_pos",)

    def edit(self):
        """The target is seen."""

    def begin(self, world: Any, random: np.random.RandomState):
        super().begin(world, random)
        target = world.geom_pos[self.geom("target")]
        target[:] = [random.uniform(*r) for r in ((-0.4, 0.4), (-0.4, 0.4), (0.1, 0.3))]

    def observation(self, data: Fields):
        parts = super().observation(data)
        velocity = parts.pop("velocity")
        return {**parts, "target": self.to_target(data), "velocity": velocity}

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        radii = sum(self.model.geom_size[self.geom(name), 0] for name in ("mouth", "target"))
        away = np.sqrt(sum_squares(self.to_target(data)))
        at_target = tolerance(away, (0, radii), margin=2 * radii)
        upright = 0.5 * (self.upright(data) + 1)
        return Outcome({"reward_target": 7 * at_target / 8, "reward_upright": upright / 8})

    def to_target(self, data: Fields):
        """From mouth to target in the mouth's frame, (..., 3) in meters."""
        mouth, target = self.geom("mouth"), self.geom("target")
        away = data.geom_xpos[..., target, :] - data.geom_xpos[..., mouth, :]
        return into_frame(away, data.geom_xmat[..., mouth, :])
