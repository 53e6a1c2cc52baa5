"""Base of the tasks of the planar arm: random initial states, and observations."""

from typing import Any

import numpy as np

from mjenv.envs.suite.suite_task import SuiteTask
from mjenv.functions import cos, log, sin
from mjenv.task.task import Fields, flat, sum_squares

JOINTS = (
    "arm_root", "arm_shoulder", "arm_elbow", "arm_wrist", "finger", "fingertip", "thumb",
    "thumbtip",
)  # fmt: skip


class PlanarArm(SuiteTask):
    """An arm that moves things in a vertical plane."""

    frame_skip = 10
    fully_observable = True

    keep = ("xpos", "xquat", "site_xpos", "ncon")

    def draw_arm(self, world: Any, random: np.random.RandomState) -> None:
        """Draw the angles of the arm; both fingers alike."""
        model, at = self.model, self.qposadr(*JOINTS)
        ids = [model.joint(name).id for name in JOINTS]
        limited = model.jnt_limited[ids].astype(bool)
        low, high = model.jnt_range[ids].T
        world.qpos[at] = random.uniform(
            np.where(limited, low, -np.pi), np.where(limited, high, np.pi)
        )
        finger, thumb = self.qposadr("finger", "thumb")
        world.qpos[finger] = world.qpos[thumb]

    def arm(self, data: Fields) -> dict[str, Any]:
        """Observations of the arm itself."""
        angles = [data.qpos[..., k : k + 1] for k in self.qposadr(*JOINTS)]
        positions = np.concatenate(angles, axis=-1)
        return {
            "arm_pos": flat(np.stack((sin(positions), cos(positions)), axis=-1)),
            "arm_vel": self.velocities(data, *JOINTS),
            "touch": log(1.0 + data.sensordata),
        }

    def velocities(self, data: Fields, *joints: str):
        """Velocities of joints, (..., n)."""
        parts = [data.qvel[..., k : k + 1] for k in self.dofadr(*joints)]
        return np.concatenate(parts, axis=-1)

    def pose(self, data: Fields, name: str):
        """Place in the plane and turn of a body: x, z, and two parts of a quaternion, (..., 4)."""
        body = self.body(name)
        return np.concatenate((data.xpos[..., body, ::2], data.xquat[..., body, ::2]), axis=-1)

    def between(self, data: Fields, one: str, other: str):
        """Distance between sites, (...) in meters."""
        a, b = (data.site_xpos[..., self.site(name), :] for name in (one, other))
        return np.sqrt(sum_squares(a - b))
