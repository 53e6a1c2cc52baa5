"""Stacker: a planar arm stacks boxes until one of them is as high as the target."""

from typing import Any

import numpy as np

from mjenv.engine.edit.spec import Spec
from mjenv.envs.suite.planar_arm import PlanarArm
from mjenv.envs.suite.suite_task import Trials, rewarded
from mjenv.rewards import tolerance
from mjenv.task.task import Fields

CLOSE = 0.01  # m


class Stack2(PlanarArm):
    """Have one of two boxes at the target, and the hand away from it."""

    xml_file = "suite/stacker.xml"
    num_boxes = 2

    varies = ("body_pos",)
    _shapes = (("arm_pos", (8, 2)), ("box_pos", (2, 4)))

    def build(self, spec: Spec):
        for number in range(self.num_boxes, 4):
            spec.body(f"box{number}").remove()

    def begin(self, world: Any, random: np.random.RandomState) -> Trials:
        target, size = self.body("target"), self.size()
        touching = True
        while touching:
            self.draw_arm(world, random)
            level = random.randint(self.num_boxes)
            world.body_pos[target, 2] = size * (2 * level + 1)
            world.body_pos[target, 0] = random.uniform(-0.37, 0.37)
            for name in self.boxes():
                place = self.qposadr(f"{name}_x", f"{name}_z", f"{name}_y")
                drawn = [random.uniform(*r) for r in ((0.1, 0.3), (0, 0.7), (0, 2 * np.pi))]
                world.qpos[place] = drawn
            yield
            touching = world.ncon > 0

    def observation(self, data: Fields):
        parts = self.arm(data)
        if self.fully_observable:
            boxes = self.boxes()
            joints = [f"{name}_{axis}" for name in boxes for axis in "xyz"]
            parts |= {
                "hand_pos": self.pose(data, "hand"),
                "box_pos": np.concatenate([self.pose(data, name) for name in boxes], axis=-1),
                "box_vel": self.velocities(data, *joints),
                "target_pos": data.xpos[..., self.body("target"), ::2],
            }
        return parts

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        away = self.between(data, "box0", "target")
        for name in self.boxes()[1:]:
            away = np.minimum(away, self.between(data, name, "target"))
        hand = self.between(data, "grasp", "target")
        return rewarded(
            box_is_close=tolerance(away, margin=2 * self.size()),
            hand_is_far=tolerance(hand, (0.1, float("inf")), CLOSE),
        )

    def boxes(self) -> list[str]:
        """Names of the boxes."""
        return [f"box{number}" for number in range(self.num_boxes)]

    def size(self) -> float:
        """Half the width of a box in meters."""
        return float(self.model.geom_size[self.geom("target"), 0])


class Stack4(Stack2):
    """Have one of four boxes at the target, and the hand away from it."""

    num_boxes = 4
    _shapes = (("arm_pos", (8, 2)), ("box_pos", (4, 4)))
