"""A quadruped that follows a joystick over slopes, stairs, bumps and stepping stones."""

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mjenv import terms
from mjenv.envs.robots.quadruped import QuadrupedJoystick
from mjenv.task import Fields
from mjenv.terrain import Terrain

if TYPE_CHECKING:
    from mjenv.engine.edit.spec import Spec
    from mjenv.streams import Streams


class QuadrupedRough(QuadrupedJoystick):
    """Walk as asked for, on terrain that gets harder where that works, and easier where not."""

    fastest = (0.8, 0.3, 0.8)
    kinds = ("slope", "stairs", "rough", "stones")
    levels = 6
    seen = ((-0.45, 0.45, 7), (-0.3, 0.3, 5))  # the ground ahead and to the sides: from, to, points
    weights = {  # noqa: RUF012
        **QuadrupedJoystick.weights, "level": -0.2, "bounce": -0.3, "posture": -0.03,
    }  # fmt: skip

    @cached_property
    def terrain(self) -> Terrain:
        return Terrain(self.kinds, self.levels)

    @cached_property
    def points(self):
        """Where the ground is seen, from the trunk (m), (2, 35)."""
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
            chosen = np.full_like(chosen, level)
        qpos = self.init_qpos + 0.05 * rng.uniform(-1, 1, self.model.nq)
        qpos[..., :3] += self.terrain.places[chosen, kind]
        return {"qpos": qpos, "level": chosen, "kind": kind, **self.draw(rng)}

    def patch(self, rng: "Streams", last: Fields):
        """Level and kind of the next patch: up where commands were followed, down where not."""
        level, age = last.state.level.astype(int), last.state.age
        share = last.state.followed / np.maximum(age, 1.0)
        higher = np.where((age > 400) & (share > 0.7), 1, np.where(share < 0.45, -1, 0))
        level = np.where(age > 0, np.clip(level + higher, 0, self.levels - 1), 0)
        return level, rng.integers(len(self.kinds))

    def ground(self, data: Fields):
        """How far the ground is below the trunk, at points that turn with it (m), (..., 35)."""
        qpos, (along, aside) = data.qpos, self.points
        ahead = terms.rotate(qpos[..., 3:7], np.eye(3)[0])[..., :2]
        ahead = ahead / np.maximum(np.linalg.norm(ahead, axis=-1, keepdims=True), 0.1)
        x = qpos[..., :1] + ahead[..., :1] * along - ahead[..., 1:] * aside
        y = qpos[..., 1:2] + ahead[..., 1:] * along + ahead[..., :1] * aside
        return qpos[..., 2:3] - self.terrain.height(x, y)

    def observation(self, data: Fields):
        ground = terms.scaled(self.ground(data) - self.init_qpos[2], 5.0, clip=0.4)
        return {**super().observation(data), "ground": ground}

    def outcome(self, data: Fields, action, before):
        outcome = super().outcome(data, action, before)
        upright = terms.upright(data.qpos[..., 3:7])
        return outcome._replace(terminated=upright < 0.3)

    def update(self, data: Fields, action, before):
        state, velocity = data.state, data.sensordata[..., :2]
        near = terms.track(velocity, state.command[..., :2], 0.35)
        new = {"followed": state.followed + near, "age": state.age + 1}
        return {**super().update(data, action, before), **new}

    def info(self, data: Fields):
        return {**super().info(data), "terrain_level": data.state.level}
