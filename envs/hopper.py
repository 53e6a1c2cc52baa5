"""Hopper: a planar leg hops."""

import numpy as np

from mjenv.envs.legs import Legs
from mjenv.task.task import Fields, all_within

CAMERA = {"trackbodyid": 2, "distance": 3.0, "lookat": (0.0, 0.0, 1.15), "elevation": -20.0}


class Hopper(Legs):
    """Hop forward without falling, with small controls (Gymnasium's Hopper-v5)."""

    xml_file = "hopper.xml"
    frame_skip = 4
    default_camera_config = CAMERA
    forward_reward_weight = 1.0
    ctrl_cost_weight = 1e-3
    healthy_reward = 1.0
    terminate_when_unhealthy = True
    healthy_state_range = (-100.0, 100.0)
    healthy_z_range = (0.7, float("inf"))
    healthy_angle_range = (-0.2, 0.2)
    reset_noise_scale = 5e-3
    exclude_current_positions_from_observation = True
    _python_floats = ("reward_survive",)

    def healthy(self, data: Fields):
        """True if height, angle and every other coordinate are inside their ranges."""
        state = np.concatenate((data.qpos[..., 2:], data.qvel), axis=-1)
        healthy = all_within(state, *self.healthy_state_range)
        z, angle = data.qpos[..., 1], data.qpos[..., 2]
        (z_low, z_high), (angle_low, angle_high) = self.healthy_z_range, self.healthy_angle_range
        upright = (z_low < z) & (z < z_high) & (angle_low < angle) & (angle < angle_high)
        return healthy & upright
