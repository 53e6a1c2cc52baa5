"""Point mass: a ball is pulled to the middle of a tray."""

from typing import Any

import numpy as np

from mjenv.envs.suite.suite_task import (
    SuiteTask,
    distance,
    randomize_joints,
    rewarded,
    small_control,
)
from mjenv.rewards import tolerance
from mjenv.task.task import Fields, sum_squares


class Easy(SuiteTask):
    """Pull the ball to the target; each motor pulls along one axis."""

    xml_file = "suite/point_mass.xml"

    keep = ("geom_xpos",)

    def begin(self, world: Any, random: np.random.RandomState):
        randomize_joints(world, random)

    def observation(self, data: Fields):
        return {"position": data.qpos, "velocity": data.qvel}

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        mass, target = (data.geom_xpos[..., self.geom(n), :] for n in ("pointmass", "target"))
        size = self.model.geom_size[self.geom("target"), 0]
        near = tolerance(distance(mass, target), (0, size), margin=size)
        return rewarded(near=near, small_control=small_control(data))


class Hard(Easy):
    """The same with motors that pull in directions drawn for each episode."""

    varies = ("wrap_prm",)

    def begin(self, world: Any, random: np.random.RandomState):
        super().begin(world, random)
        first = _direction(random)
        second = _direction(random)
        # not along the same line
        while abs(np.sum(first * second)) > 0.9:
            second = _direction(random)
        world.wrap_prm[:] = [*first, *second]


def _direction(random: np.random.RandomState) -> np.ndarray:
    """A vector (2,) of length 1."""
    drawn = random.randn(2)
    return drawn / np.sqrt(sum_squares(drawn))
