"""A quadruped that follows a joystick over slopes, stairs, bumps and stepping stones."""

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mjenv import terms
from mjenv.envs.robots.quadruped import QuadrupedJoystick
from mjenv.task.task import Fields
from mjenv.terrain import Terrain, next_level

if TYPE_CHECKING:
    from mjenv.engine.edit.spec import Spec
    from mjenv.task.random_streams import Streams


class QuadrupedRough(QuadrupedJoystick):
    """Follow velocity commands on terrain whose level rises with success and falls without."""

    fastest = (0.8, 0.3, 0.8)
    kinds = ("slope", "stairs", "rough", "stones")
    levels = 6
    seen = ((-0.45, 0.45, 7), (-0.3, 0.3, 5))  # the ground ahead and to the sides: from, to, points
    weights = {
        **QuadrupedJoystick.weights, "level": -0.2, "bounce": -0.3, "posture": -0.03,
    }  # fmt: skip

    @cached_property
    def terrain(self) -> Terrain:
        return Terrain(self.kinds, self.levels)

    @cached_property
    def points(self):
        """Points at which the ground is seen, from the trunk (m), (2, 35)."""
        return np.array(np.meshgrid(*(np.linspace(*one) for one in self.seen))).reshape(2, -1)

    def build(self, spec: "Spec"):
        self.terrain.add_to(spec, material="floor", contype=0, conaffinity=1)
        spec.geom("floor").pos = 0, 0, -0.02

    @property
    def state(self):
        # the level and kind of the patch, the sum of how well commands are followed, and steps
        return {**super().state, "level": 0, "kind": 0, "followed": 0.0, "age": 0}

    def reset(self, rng: "Streams", last: Fields, *, level: int | None = None):
        chosen, kind = self.patch(rng, last)
        if level is not None:
            chosen = np.broadcast_to(level, np.shape(chosen))
        qpos = self.init_qpos + 0.05 * rng.uniform(-1, 1, self.model.nq)
        qpos[..., :3] += self.terrain.place(chosen, kind)
        return {"qpos": qpos, "level": chosen, "kind": kind, **self.draw(rng)}

    def patch(self, rng: "Streams", last: Fields):
        """Level and kind of the next patch: up where commands were followed, down where not."""
        state, age = last.state, last.state.age
        share = state.followed / np.maximum(age, 1.0)
        level = next_level(state.level, (age > 400) & (share > 0.7), share < 0.45, self.levels)
        return np.where(age > 0, level, 0), rng.integers(len(self.kinds))

    def observation(self, data: Fields):
        ground = self.terrain.below(data.qpos, self.points) - self.init_qpos[2]
        return {**super().observation(data), "ground": terms.scaled(ground, 5.0, clip=0.4)}

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        outcome = super().outcome(data, action, before)
        upright = terms.upright(data.qpos[..., 3:7])
        return outcome._replace(terminated=upright < 0.3)

    def update(self, data: Fields, action: np.ndarray, before: Fields):
        state, velocity = data.state, data.sensordata[..., :2]
        near = terms.track(velocity, state.command[..., :2], 0.35)
        new = {"followed": state.followed + near, "age": state.age + 1}
        return {**super().update(data, action, before), **new}

    def info(self, data: Fields):
        return {**super().info(data), "terrain_level": data.state.level}
